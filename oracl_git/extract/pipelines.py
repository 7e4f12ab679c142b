"""Pipelines: what GitLab's include, the files whose change starts a job, and those that steps name.

All are named from the top: that of the repository, or of a project within it. Knows `include` at the
top of a file and below a trigger, and which of its entries are of this repository. A name without a
directory is looked for at the top and where some step goes, never by its looks elsewhere. Paths that
scripts name are found as in any configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .source import Findings, Source, blank

_PIPELINE = re.compile(
    rb"^include[ \t]*+:[ \t]*+[\"']?[\w./*-]{1,300}+(?<=ml)[\"']?[ \t]*+$|"
    rb"^[ \t]++(?:script|stage|extends|trigger)[ \t]*+:|^(?:stages|workflow|default|before_script)[ \t]*+:"
    rb"|^[ \t]*+(?:-[ \t]++)?(?:local|project|template|component|remote)[ \t]*+:",
    re.MULTILINE,
)
_COMPOSITION = re.compile(rb"^services[ \t]*+:[ \t]*+\n(?:[ \t]*+\n)*+[ \t]++[\w\"']", re.MULTILINE)  # a list elsewhere
_INCLUDE = re.compile(
    rb"^([ \t]*+)include:([^\n]*+(?:\n(?:\1[ \t]++[^\n]*+|\1-[ \t][^\n]*+|[ \t]*+(?=\n|\Z)))*)", re.MULTILINE
)
_ITEM = re.compile(rb"^([ \t]*+)-[ \t]", re.MULTILINE)
_FLOW = re.compile(rb"\{[^{}\n]*+\}|[^\s\[\]{},][^\n\[\]{},]*+")
_LOCAL = re.compile(rb"(?<![\w.-])local[\"']?[ \t]*+:[ \t]*+([^\n,}]*+)")
_ELSEWHERE = re.compile(rb"(?<![\w.-])(?:project|remote|template|component|artifact)[\"']?[ \t]*+:(?=\s)")
_STEPS = re.compile(rb"(?<=[\s_])(?:run|script|uses|rules):")
# Where a step goes, and what is named with its slash, as before a variable; each begins with a letter that is rare.
_GOES = re.compile(
    rb"(?:cd(?<!\wcd)|pushd(?<!\wpushd)|-C(?<=[ \t]-C)|-directory:(?<=working-directory:))[ \t]++[\"']?(?:\./|/)?"
    rb"([\w.-]{1,100}+(?:/[\w.-]{1,100}+){0,20})"
)
_SLASH = re.compile(rb"/(?=[\s$\"'])")
_BEFORE = re.compile(rb"(?:[\w.-]{1,100}/){0,20}[\w.-]{1,100}\Z")
_LONGEST = 200  # bytes of a directory's name
_MOST_DIRECTORIES = 20  # of one file
# Names of files whose suffix says nothing, by what they have in common.
_KNOWN = {
    b"ockerfile": re.compile(rb"Dockerfile(?<![\w./-]Dockerfile)(?:[.-]\w[\w-]{0,60}+)?(?![\w./-])"),
    b"Makefile": re.compile(rb"Makefile(?<![\w./-]Makefile)(?![\w./-])"),
    b"VERSION": re.compile(rb"VERSION(?<![\w./-]VERSION)(?![\w./-])"),
    b".nvmrc": re.compile(rb"\.nvmrc(?<![\w./-]\.nvmrc)(?![\w./-])"),
    b"-version": re.compile(rb"\.(?<![\w./-]\.)[a-z]{2,9}-version(?![\w./-])"),
}
_TRIGGERS = re.compile(
    rb"^[ \t]*+(?:-[ \t]++)?(?:(?:changes|exists|paths)[ \t]*+:|[\w.\"'-]{1,100}+:[ \t]++&[\w.-]++)[ \t]*+"
    rb"(?:\[([^\[\]\n]{1,2000})\]|((?:\n(?:[ \t]*+-[ \t][^\n]*+|[ \t]*+(?=\n|\Z)))++))",
    re.MULTILINE,
)
_NAME = re.compile(rb"(?<![\w./*!{$-])/?((?:[\w.+-]{1,100}+/){0,20}(?:\*?\.?[\w+-][\w.+-]{0,100}))(?=[\s,\"']|\Z)")
_FILE = re.compile(rb"(?:\./|/)?([\w.*+@-][\w./*+@-]{0,300}\.ya?ml)")


def is_one(text: bytes) -> bool:
    """Whether a document has steps that run something, or rules for them."""
    spoken = b"run:" in text or b"uses:" in text or b"script:" in text or b"rules:" in text
    return spoken and _STEPS.search(text) is not None


def refer_names(source: Source, text: bytes, names: list[tuple[int, str]], found: Findings) -> None:
    """Note files that steps name without a directory: from the top, or where some step goes."""
    known = [pattern for word, pattern in _KNOWN.items() if word in text]
    names = names + [(match.start(), match[0].decode()) for pattern in known for match in pattern.finditer(text)]
    places = list(_directories(text))[:_MOST_DIRECTORIES] if names else []
    for offset, name in names:
        found.refer("file", name, "above", source.line(offset))
        for place in places:
            found.refer("file", f"/{place}/{name}", "above", source.line(offset))


def _directories(text: bytes) -> dict[str, None]:
    """The directories that steps go to, or name."""
    said = [match[1] for match in _GOES.finditer(text)]
    for match in _SLASH.finditer(text):
        before = _BEFORE.search(text, max(0, match.start() - _LONGEST), match.start())
        said += [before[0]] if before else []
    return {each.decode().strip("/").removeprefix("./"): None for each in said}


def refer_triggers(source: Source, text: bytes, found: Findings) -> None:
    """Note the files whose change or being there starts a job, and those of a suffix in one directory."""
    if b"changes:" in text or b"exists:" in text or b"paths:" in text:
        for block in _TRIGGERS.finditer(text):
            for match in _NAME.finditer(text, *block.span(block.lastindex or 0)):
                found.refer("file", f"/{match[1].decode()}", "above", source.line(match.start()))


def refer(source: Source, text: bytes, found: Findings) -> bytes:
    """Note what a pipeline includes, `text` being one without comments; returns it without those entries."""
    if b"include:" not in text or not _PIPELINE.search(text) or _COMPOSITION.search(text):
        return text
    taken = []
    for block in _INCLUDE.finditer(text):
        for start, end in _entries(text, *block.span(2)):
            entry = text[start:end]
            local = _LOCAL.search(entry)
            value = local[1] if local else b"" if _ELSEWHERE.search(entry) else entry
            path = _FILE.fullmatch(value.strip(b" \t\n\"'-"))
            if path:
                name = re.sub(r"\*\*(?=[^/])", "**/*", path[1].decode())  # as GitLab has it
                found.refer("file", f"/{name}", "above", source.line(start))
            if path or value != entry:
                taken.append((start, end))
    return blank(text, taken)


def _entries(text: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each entry of an `include` stands: the items of a list, or all of it."""
    line = text.find(b"\n", start, end)
    if text[start : line if line >= 0 else end].strip():
        yield from (match.span() for match in _FLOW.finditer(text, start, line if line >= 0 else end))
        return
    items = list(_ITEM.finditer(text, start, end))
    if not items:
        yield start, end
        return
    starts = [match.start() for match in items if match[1] == items[0][1]]
    yield from zip(starts, [*starts[1:], end], strict=True)
