"""Views of Rails and their kin (ERB, HAML, Slim, builders): what they render, and what Ruby renders.

Knows the calls by their words, and that a controller's or mailer's public method shows the view that is
called like both. Noted are templates; their name says what is meant:

    partial     a view whose file begins with an underscore
    view        one that does not
    implicit    the view of a method, which may not be there
    ""          one or the other

Directories of views beside app/views are declared as "view root", and that a file does so as "view roots".
"""

from __future__ import annotations

import re

from . import generic, markup
from .facts import Definition
from .source import Findings, Source, blank

_PATH = rb"[\"']([\w./-]{1,200})[\"']"


def _keyed(word: bytes, value: bytes) -> re.Pattern[bytes]:
    """A keyword argument in either way of writing it."""
    return re.compile(rb"(?::%b[ \t]*+=>|\b%b:)\s{0,20}%b" % (word, word, value))


_RENDER = re.compile(
    rb"(?:(?<![\w.])render|\brender_to_string|\.partial!)(?:[ \t]*+\(\s{0,80}|[ \t]++)(?:" + _PATH + rb"|:(\w{1,80}))?"
)
_PARTIAL = _keyed(b"partial", _PATH)
_TEMPLATE = _keyed(b"template", _PATH)
_ACTION = _keyed(b"action", rb"[\"':](\w{1,80})")
_LAYOUT = re.compile(rb"^[ \t]*+layout[ \t(]++" + _PATH, re.MULTILINE)
_SHOWN = re.compile(rb"(?<![\w.])(?:erb|haml|slim)[ \t(]{1,9}:(\w{1,80})")
_ROOT = re.compile(
    rb"(?:(?:prepend|append)_view_path|\bpaths\[[\"']app/views[\"']\])[^\"'\n]{0,60}[\"'][^\"'\n]{0,60}?(app/views/[\w./-]{1,100})[\"']"
)
_UPPER = (re.compile(r"([A-Z\d]+)([A-Z][a-z])"), re.compile(r"([a-z\d])([A-Z])"))
_ASIDE = re.compile(rb"<%#[^%]*+(?:%(?!>)[^%]*+)*+")
_BELOW = rb"[^\n]*+(?:\n(?:\1[ \t]++[^\n]*+|[ \t]*+(?=\n)))*"
_COMMENT = re.compile(rb"^([ \t]*+)(?:-#|/)" + _BELOW, re.MULTILINE)
_COMMENT_HAML = re.compile(rb"^([ \t]*+)(?:/[^\n]*+|-#" + _BELOW + rb")", re.MULTILINE)
_TAG_HAML = re.compile(rb"^[ \t]*+%\w", re.MULTILINE)
_ARGUMENTS = 300  # bytes of a call's arguments that are looked at
_OWNER = re.compile(r"(?:Controller|Mailer)$")


def extract(source: Source, language: str) -> Findings:
    """What a view says."""
    if source.text.lstrip()[:1] == b"<" or b"<%" in source.text:
        found = markup.extract(source, language)
    else:
        found = generic.extract(source, language)
    if b"render" in source.text:
        refer(source, _said(source.text), found)
    return found


def _said(text: bytes) -> bytes:
    """A view without its comments, which take what is indented below them along; HAML's of HTML take none."""
    if b"<%" in text:
        return blank(text, (match.span() for match in _ASIDE.finditer(text)))
    comments = _COMMENT_HAML if _TAG_HAML.search(text) else _COMMENT
    return blank(text, (match.span() for match in comments.finditer(text)))


def refer(source: Source, code: bytes, found: Findings, owners: list[tuple[int, int, str]] | None = None) -> None:
    """Note what a text renders; `owners` are the classes of Ruby code by their lines, none of a view."""
    for match in _RENDER.finditer(code):
        line = source.line(match.start())
        following = code[match.end() : match.end() + _ARGUMENTS]
        keyed = following.partition(b"%>")[0] if owners is None else following.partition(b"\n\n")[0]
        end = re.search(rb"\n[ \t]*+(?![\"':\w]+[:=,])", keyed)
        keyed = code[match.start() : match.end()] + (keyed[: end.start()] if end else keyed)
        folder = _folder(owners or [], line)
        if match[1]:
            kind = "partial" if owners is None or match[0].startswith(b".partial") else ""
            _note(found, match[1], kind, line, folder)
        elif match[2] and folder and not keyed[match.end() - match.start() :].lstrip().startswith((b"=>",)):
            found.refer("template", f"{folder}/{match[2].decode()}", "view", line)
        for pattern, kind in ((_PARTIAL, "partial"), (_TEMPLATE, "view")):
            if named := pattern.search(keyed):
                _note(found, named[1], kind, line, folder)
        if folder and (action := _ACTION.search(keyed)):
            found.refer("template", f"{folder}/{action[1].decode()}", "view", line)
    if owners is not None:
        for match in _ROOT.finditer(code) if b"app/views" in code else ():
            found.declares += (("view root", match[1].decode().rstrip("/")), ("view roots", ""))
        for match in _LAYOUT.finditer(code):
            found.refer("template", f"layouts/{match[1].decode()}", "view", source.line(match.start(1)))
        for match in _SHOWN.finditer(code):
            found.refer("template", match[1].decode(), "view", source.line(match.start(1)))


def shown(definitions: list[Definition], found: Findings) -> None:
    """Note the views that the public methods of controllers and mailers show."""
    for each in definitions:
        owner, _, method = each.name.rpartition(".")
        if each.kind == "method" and each.public and _OWNER.search(owner):
            found.refer("template", f"{_place(owner.replace('.', '::'))}/{method}", "implicit", each.start)


def _note(found: Findings, path: bytes, kind: str, line: int, folder: str) -> None:
    target = path.decode().strip("/")
    if folder and "/" not in target:
        target = f"{folder}/{target}"
    if target:
        found.refer("template", target, kind, line)


def _folder(owners: list[tuple[int, int, str]], line: int) -> str:
    """Where the views of the class around a line lie, when it has some."""
    name = next((name for start, end, name in reversed(owners) if start <= line <= end and _OWNER.search(name)), "")
    return _place(name) if name else ""


def _place(constant: str) -> str:
    return underscore(constant).removesuffix("_controller")


def underscore(constant: str) -> str:
    """The path that a constant has by convention: `A::BigName` is a/big_name."""
    path = constant.replace("::", "/")
    for pattern in _UPPER:
        path = pattern.sub(r"\1_\2", path)
    return path.lower()
