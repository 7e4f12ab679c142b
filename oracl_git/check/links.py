"""Links, includes, configured paths and relative imports of scripts whose target went.

Knows how each kind of reference is looked up on one side, and how it would be
written to lead to another file. Broken is what led somewhere before the change
and leads nowhere after it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..extract.exclude import excluded
from ..extract.extractor import extract
from ..extract.facts import Reference
from ..extract.languages import language_of
from ..graph.model import encode_path
from ..graph.resolve.model import above
from ..graph.stems import TEST_PATH
from . import scripts
from .model import BROKEN_IMPORT, BROKEN_LINK, Finding
from .tree import Tree

# Whose references are read: what people write, and what tools are told.
PROSE = (".md", ".markdown", ".mdx", ".rst", ".rest", ".qmd")
CONFIGURATION = (
    ".toml", ".yaml", ".yml", ".json", ".ini", ".cfg", ".cff", "makefile", ".mk", "dockerfile", "justfile", ".sh",
    ".bash",
)  # fmt: skip
SUFFIXES = PROSE + CONFIGURATION + scripts.SUFFIXES
_KINDS = {
    "markdown": ("link",), "rst": ("link", "doc"), "toml": ("path",), "yaml": ("path",), "json": ("path",),
    "ini": ("path",), "make": ("path",), "docker": ("path",), "just": ("path",), "shell": ("path",),
    "javascript": ("import",), "typescript": ("import",), "tsx": ("import",),
}  # fmt: skip
_DATA = re.compile(
    TEST_PATH.pattern + r"|(?:^|/)(?:fixtures?|test[-_]?data|snapshots|cassettes|samples?)/"
    r"|templates?\b|skeleton|(?:^|_)template",
    re.I,
)  # configuration of something else than this repository
# What describes a project within the repository: its paths are of that project.
_MANIFEST = re.compile(
    r"(?:^|/)(?:package|composer|deno|[jt]sconfig[\w.-]*)\.json$|(?:^|/)(?:pyproject|Cargo)\.toml$|(?:^|/)setup\.cfg$"
)
_LEAVE_OUT = re.compile(rb"exclude|ignore|omit|skip|norecurse|^\s*[-@]*rm\s", re.IGNORECASE)
_PAGES = ("README.md", "index.md", "index.rst", "README.rst")
_REGULAR = 0o100644
_DOCUMENTS = ("", ".rst", ".md", ".txt", "/index.rst", "/index.md", "/README.md")


class Found(NamedTuple):
    """Where a reference leads, and how it was looked up: from the file, from the root, or from a directory above."""

    path: str
    base: str
    suffix: str = ""


def references(path: str, mode: int, data: bytes) -> tuple[Reference, ...]:
    """The references of one file that are judged."""
    raw = encode_path(path)
    language = language_of(raw, data[:200])
    kinds = _KINDS.get(language)
    if not kinds or excluded(raw, mode, len(data)) or (kinds == ("path",) and _DATA.search(path)):
        return ()
    facts = extract(data, language)
    if facts.skip:
        return ()
    return tuple(reference for reference in facts.references if reference.kind in kinds and reference.target)


def names(path: str, data: bytes, word: str) -> bool:
    """Whether a reference of the file that would be told if it broke has a word in its target."""
    return any(
        word in reference.target and not (reference.kind == "path" and _passed_over(path, data, reference))
        for reference in references(path, _REGULAR, data)
    )


def resolve(tree: Tree, source: str, reference: Reference) -> Found | None:
    """Where a reference leads on one side."""
    target = reference.target
    if reference.kind == "doc":
        return _document(tree, source, target)
    if reference.kind == "import":
        found = scripts.resolve(tree, source, target)
        return Found(found[0], source.rpartition("/")[0], found[1]) if found else None
    here = source.rpartition("/")[0]
    bases = list(dict.fromkeys((here, "")))
    if target.startswith("/"):  # a link may begin at the top of a site, wherever that lies here
        bases = ["", *filter(None, (here, *above(here)))] if reference.kind == "link" else [""]
    if reference.kind == "path" and "/" not in target and here and not here.startswith(".") and "/" in here:
        bases = [here]  # a mere name, deep in the tree, is of its own directory
    if reference.kind == "path" and here and _MANIFEST.search(source):
        bases = [here]
    for base in bases:
        place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
        if place.startswith("..") or place == ".":
            continue
        if tree.exists(place):
            return Found(place, base)
        if reference.kind == "link":
            for page in _PAGES:
                if tree.exists(f"{place}/{page}"):
                    return Found(f"{place}/{page}", base, f"/{page}")
            # As a site has it; with a slash in front it is a place of the site, wherever its pages lie here.
            for suffix in PROSE if "." not in place.rpartition("/")[2] and target[0] != "/" else ():
                if tree.exists(place + suffix):
                    return Found(place + suffix, base, suffix)
            if tree.is_directory(place):
                return Found(place, base)
    return None


def _document(tree: Tree, source: str, target: str) -> Found | None:
    here = source.rpartition("/")[0]
    bases = [here]
    if target.startswith("/"):
        while bases[-1]:
            bases.append(bases[-1].rpartition("/")[0])
    for base in bases:
        place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
        if not place.startswith(".."):
            for suffix in _DOCUMENTS:
                if tree.exists(place + suffix):
                    return Found(place + suffix, base, suffix)
    return None


def broken(
    old: Tree, new: Tree, sources: dict[str, tuple[str, int, bytes]], renamed: dict[str, str],
    ignored: Callable[[list[str]], set[str]],
) -> Iterator[Finding]:  # fmt: skip
    """The references of these files (path → path before, mode, text) that led somewhere and do not."""
    rows = []
    for path, (before, mode, data) in sources.items():
        for reference in references(path, mode, data):
            then = resolve(old, before, reference)
            if then is not None and resolve(new, path, reference) is None:
                rows.append((path, reference, then))
    made = ignored([then.path for _, _, then in rows])
    for path, reference, then in rows:
        if then.path in made or (reference.kind == "doc" and _built(new, then)):
            continue
        if reference.kind == "import" and _may_hold(new, path, reference, sources[path][2]):
            continue
        if reference.kind == "path" and _passed_over(path, sources[path][2], reference):
            continue
        if reference.kind == "link" and _pretty(new, path, reference.target):
            continue
        yield _finding(new, path, reference, then, renamed)


def dangling(
    tree: Tree, sources: dict[str, tuple[str, int, bytes]], ignored: Callable[[list[str]], set[str]]
) -> Iterator[Finding]:
    """All links of prose to files that are not there, whoever broke them."""
    rows = []
    for path, (_, mode, data) in sources.items():
        for reference in references(path, mode, data) if path.endswith(PROSE) else ():
            name = reference.target.rpartition("/")[2]
            if reference.kind == "link" and name.endswith(PROSE) and resolve(tree, path, reference) is None:
                place = posixpath.normpath(posixpath.join(posixpath.dirname(path), reference.target.lstrip("/")))
                if not place.startswith(".."):
                    rows.append((path, reference, place))
    made = ignored([place for *_, place in rows])
    for path, reference, place in rows:
        if place not in made:
            message = f"{reference.target} leads nowhere"
            yield Finding(path, reference.start, BROKEN_LINK, message, reference.target)


def _pretty(tree: Tree, path: str, target: str) -> bool:
    """Whether a site that serves page.md as page/ finds it from there."""
    if "." in target.rpartition("/")[2]:
        return False
    base = "" if target[0] == "/" else posixpath.splitext(path)[0]
    place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
    return any(tree.exists(place + suffix) for suffix in _DOCUMENTS)


def _passed_over(path: str, data: bytes, reference: Reference) -> bool:
    """Whether a configured path is one of those to leave out, or a mere key: such patterns and names harm nobody."""
    rows = data.split(b"\n", reference.start)[: reference.start]
    if path.endswith(".json") and re.search(re.escape(encode_path(reference.target)) + rb'"\s*:', rows[-1]):
        return True
    depth = _indent(rows[-1])
    if _LEAVE_OUT.search(rows[-1]):
        return True
    for row in reversed(rows[:-1]):
        if row.strip() and (_indent(row) < depth or row.startswith(b"[")):
            depth = _indent(row)
            if _LEAVE_OUT.search(re.split(rb"[:=]", row)[0]):
                return True
            if row.startswith(b"["):
                return False
    return False


def _indent(row: bytes) -> int:
    return len(row) - len(row.lstrip())


def _may_hold(tree: Tree, path: str, reference: Reference, data: bytes) -> bool:
    """An import that another file may answer, or that is tried only."""
    if scripts.uncertain(tree, path, reference.target):
        return True
    rows = data.split(b"\n", reference.start)[: reference.start]
    return scripts.optional(b"\n".join(rows).rpartition(encode_path(reference.target))[0])


def _built(tree: Tree, then: Found) -> bool:
    """A document that is written by a program from a file of its name: name.rst.j2, name.ipynb."""
    return bool(tree.stems.get(then.path.rpartition(".")[0]))


def _finding(tree: Tree, path: str, reference: Reference, then: Found, renamed: dict[str, str]) -> Finding:
    target = renamed.get(then.path, "")
    if tree.exists(then.path):  # the file that refers to it has moved
        goal, why = then.path, f"{then.path} is not found from here"
    elif target:
        goal, why = target, f"{then.path} is now {target}"
    else:
        goal, why = "", f"{then.path} is gone"
    fix = ""
    if reference.kind == "import":
        fix = scripts.renamed(path, then.suffix, goal) if goal else ""
        code, message = BROKEN_IMPORT, f"cannot import {reference.target}: {why}"
    else:
        if goal and goal.endswith(then.suffix):
            fix = _written(path, reference, then, goal)
        code, message = BROKEN_LINK, f"{reference.target} leads nowhere: {why}"
    return Finding(
        path, reference.start, code, message, reference.target,
        written=reference.target if fix else "", replacement=fix,
    )  # fmt: skip


def _written(path: str, reference: Reference, then: Found, goal: str) -> str:
    """The new target, in the manner of the old."""
    if then.suffix:
        goal = goal[: -len(then.suffix)]
    here = path.rpartition("/")[0]
    if reference.target.startswith("/"):
        if then.base and not goal.startswith(then.base + "/"):
            return ""
        return "/" + (goal[len(then.base) + 1 :] if then.base else goal)
    if not then.base and here:
        return goal  # as it was: from the root
    text = posixpath.relpath(goal, here or ".")
    if reference.target.startswith("./") and not text.startswith("../"):
        text = "./" + text
    return text
