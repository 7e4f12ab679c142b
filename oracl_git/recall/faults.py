"""What the places of a trace mean in this repository: files, lines, and which is the fault.

Knows how a written path is matched to indexed ones by its end, that installed code is
ours only when it is named from its top, and which lines around a place are worth
reading. Knows nothing of texts (`frames`) or of other signals.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..store.index import Index, Span
from . import tables
from .frames import PACKAGE, PYTHON, Frame, parts_of

_NAMED = 5_000  # files of one name that are looked at
_MEANINGS = 5  # a frame that may mean more files than this says nothing


class Fault(NamedTuple):
    """A file that a trace points at: how much (1 the fault itself), where, and by which frame."""

    value: float
    span: Span | None
    frame: Frame


def faults(index: Index, found: Iterable[Frame]) -> dict[int, Fault]:
    """Node → fault, the innermost frame of this repository first; empty when no frame is ours."""
    named: dict[str, list[tuple[int, str]]] = {}
    sure: list[tuple[Frame, list[int]]] = []
    loose: list[tuple[Frame, list[int]]] = []
    for frame in found:
        parts, kind = parts_of(frame.path)
        if not parts or kind == "":
            continue
        if parts[-1] not in named:
            named[parts[-1]] = index.named(parts[-1], _NAMED)
        hits, certain = _meant(index, parts, kind, named[parts[-1]])
        if 0 < len(hits) <= _MEANINGS:
            (sure if certain else loose).append((frame, hits))
    values: dict[int, Fault] = {}
    place = 0
    for frame, hits in sure or loose:
        hits = _defining(index, hits, frame.name) if len(hits) > 1 else hits
        fresh = [node for node in hits if node not in values]
        for node in fresh:
            values[node] = Fault(1 / (1 + place) / len(hits), around(index, node, frame), frame)
        place += bool(fresh)
    return values


def _meant(
    index: Index, parts: list[str], kind: str | None, named: list[tuple[int, str]]
) -> tuple[list[int], bool]:  # fmt: skip
    """(artifacts a path may mean, whether that is sure), by its longest end that exists."""
    whole = "/".join(parts)
    if kind == PYTHON:  # named from the top of what is installed: the directory above must be no package
        return [n for n, p in named if _below(p, whole) is not None and not _package(index, _below(p, whole))], True
    if kind == PACKAGE:
        return [n for n, p in named if p == whole], False
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        hits = [node for node, path in named if _below(path, tail) is not None]
        if hits:
            return hits, start < len(parts) - 1 or len(parts) == 1 or [p for _, p in named] == [tail]
    return [], False


def _below(path: str, tail: str) -> str | None:
    """The directory that `path` is `tail` in, or None."""
    if path == tail:
        return ""
    return path[: -len(tail) - 1] if path.endswith("/" + tail) else None


def _package(index: Index, directory: str | None) -> bool:
    return bool(directory) and index.node(f"{directory}/__init__.py") is not None


def _defining(index: Index, hits: list[int], name: str) -> list[int]:
    """Of several files, those that define the function the frame names."""
    if not name:
        return hits
    mine = [node for node in hits if any(d.rpartition(".")[2] == name for d, *_ in index.definitions(node))]
    return mine or hits


def around(index: Index, node: int, frame: Frame) -> Span | None:
    """The lines to read: the function around the line, cut to a window where it is long."""
    lines = index.nodes([node])[node].lines
    code = [row for row in index.definitions(node) if row[3] != "constant"]
    inside = [row for row in code if row[1] <= frame.line <= row[2]]
    named = [row for row in code if frame.name and row[0].rpartition(".")[2] == frame.name]
    within = [row for row in named if row in inside]
    if not within and len(named) == 1 and named[0][3] != "class":  # the file changed since: the name is what stayed
        title, start, stop, _ = named[0]
        line = start
    elif frame.line > lines:
        return None
    else:
        best = min(within or inside, key=lambda row: (row[2] - row[1], row[1]), default=("", 1, lines, ""))
        title, start, stop, _ = best
        line = frame.line
        if not title:
            start, stop = line - tables.TRACE_LINES // 4, line + tables.TRACE_LINES // 4
    if stop - start + 1 > tables.TRACE_LINES:
        start, stop = max(start, line - tables.TRACE_LINES // 2), min(stop, line + tables.TRACE_LINES // 2 - 1)
    return Span(0, node, max(1, start), min(stop, lines), title, 0.0)
