"""Context: the best fragments for a question, packed into a budget of tokens.

Knows which lines of each answer are worth sending, when a definition is sent whole and
when only its outline, and how the packed text reads. The budget is never exceeded, by the
estimate of `tokens`. Knows nothing of where texts come from: it is given a way to read them,
and what it costs to write them where that is not as Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ..graph.model import fragment
from ..store.index import Index, Node, Span
from . import tables
from .hybrid import expression
from .model import Answer, Result, path_json
from .query import Query
from .tokens import estimate

Read = Callable[[Node], list[str]]  # the lines of an artifact at the indexed commit
Lines = tuple[int, int]  # first, last; 1-based, inclusive

WHOLE, PART, OUTLINE = "whole", "part", "outline"
_PASSAGES = 4  # of one file
_HALF = 0.5  # a further passage of a file must match half as well as its best
_DEFINITION = 200  # lines of a definition that may be sent whole
_GAP = 3  # lines between two ranges that are sent rather than skipped
_SMALL = 200  # tokens: with less than this left, one piece may take it all
_MEMBERS = 40  # definitions in one outline
_WIDTH = 200  # characters of a line of an outline
_ENDS = re.compile(r"[:{]\s*(?:#.*|//.*)?$|=>\s*$")  # how the head of a definition ends


class Piece(NamedTuple):
    """One packed fragment. `form`: a whole definition or section, a part of one, or its outline."""

    path: str
    lines: Lines
    title: str
    kind: str
    score: float
    form: str
    text: str
    why: str = ""

    def to_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return {
            **path_json(self.path), "fragment": fragment(*self.lines), "title": self.title, "kind": self.kind,
            "score": round(self.score, 6), "form": self.form, "tokens": estimate(self.text), "text": self.text,
        }  # fmt: skip


class Context(NamedTuple):
    """What fits: pieces in the order of their files, the text a model reads, and what did not fit."""

    question: str
    budget: int
    pieces: tuple[Piece, ...] = ()
    text: str = ""
    left_out: int = 0  # fragments that were found and did not fit
    notes: tuple[str, ...] = ()
    tokens: int = 0


class _Candidate(NamedTuple):
    """Lines that answer, of one file, and how well."""

    node: Node
    result: Result
    place: int  # of the file among the answers
    lines: Lines
    value: float


class Form(NamedTuple):
    """How fragments are written for who asked, in tokens."""

    around: Callable[[str, tuple[str, ...]], int]  # what stands around them: of the question, and its notes
    each: Callable[[Piece], int]


def pack(index: Index, answer: Answer, budget: int, read: Read, form: Form | None = None) -> Context:
    """The best fragments of an answer in at most `budget` tokens. A function of its arguments."""
    query, form = answer.query, form or MARKDOWN
    question = query.raw if isinstance(query, Query) else ""
    packed = _Packed(index, form.around(question, answer.notes), form.each, budget, read)
    out = 0
    for candidate in _candidates(index, answer):
        if not packed.holds(candidate) and not packed.add(candidate):
            out += 1
    pieces = packed.pieces()
    text = markdown(_headline(question), pieces) if pieces else ""
    return Context(question, budget, tuple(pieces), text, out, answer.notes, estimate(text))


def _candidates(index: Index, answer: Answer) -> Iterator[_Candidate]:
    """Every fragment worth sending, best first; equals in order of path and line."""
    nodes = [index.node(result.path) for result in answer.results]
    spans = _passages(index, answer, {node.id for node in nodes if node})
    rows: list[tuple[float, str, int, _Candidate]] = []
    for place, (result, node) in enumerate(zip(answer.results, nodes, strict=True)):
        if node is None or not node.lines:
            continue
        mine = spans.get(node.id, [])
        top = max((span.score for span in mine), default=0.0) or 1.0
        wanted: dict[Lines, float] = {_lines(result, node): 1.0}
        for span in mine[:_PASSAGES]:
            if span.score >= _HALF * top:
                wanted.setdefault((span.start, span.end), _HALF * span.score / top)
        for lines, share in wanted.items():
            value = result.score * share
            rows.append((-value, result.path, lines[0], _Candidate(node, result, place, lines, value)))
    rows.sort(key=lambda row: row[:3])
    for _, _, _, candidate in rows:
        yield candidate


def _passages(index: Index, answer: Answer, wanted: set[int]) -> dict[int, list[Span]]:
    """Node → its passages that match the question, best first."""
    asked = expression(answer.query) if isinstance(answer.query, Query) else ""
    found: dict[int, list[Span]] = {}
    for span in index.match_chunks(asked, tables.CHUNK_TITLE, tables.CHUNK_BODY, tables.CHUNK_POOL) if asked else ():
        if span.node in wanted:
            found.setdefault(span.node, []).append(span)
    return found


def _lines(result: Result, node: Node) -> Lines:
    first, _, last = result.focus[1:].partition("-")
    return (int(first), min(int(last or first), node.lines)) if first else (1, node.lines)


class _Packed:
    """What has been packed so far: ranges and outlines by file, and what they cost."""

    def __init__(self, index: Index, head: int, each: Callable[[Piece], int], budget: int, read: Read) -> None:
        self._index, self._head, self._each, self._budget, self._read = index, head, each, budget, read
        self._ranges: dict[str, dict[Lines, str]] = {}  # path → lines → form
        self._files: dict[str, _Candidate] = {}
        self._costs: dict[tuple[str, tuple[tuple[Lines, str], ...]], int] = {}
        self._texts: dict[str, list[str]] = {}
        self._definitions: dict[str, list[tuple[str, int, int, str]]] = {}

    def holds(self, candidate: _Candidate) -> bool:
        """Whether all of the lines are packed already."""
        a, b = candidate.lines
        ranges = self._ranges.get(candidate.node.path, {})
        return any(x <= a and b <= y for (x, y), form in ranges.items() if form != OUTLINE)

    def add(self, candidate: _Candidate) -> bool:
        """Pack the lines in the fullest form that fits; whether any did."""
        path = candidate.node.path
        self._files.setdefault(path, candidate)
        left = self._budget - self.cost()
        for lines, form in self._forms(candidate):
            ranges = self._merged(path, self._ranges.get(path, {}), lines, form)
            more = self._cost(path, ranges) - self._cost(path, self._ranges.get(path, {}))
            if more <= left and (more <= max(left // 2, _SMALL) or form == OUTLINE):
                self._ranges[path] = ranges
                return True
        if path not in self._ranges:
            del self._files[path]
        return False

    def cost(self) -> int:
        """Tokens of what is packed."""
        return self._head + sum(self._cost(path, ranges) for path, ranges in self._ranges.items())

    def _forms(self, candidate: _Candidate) -> Iterator[tuple[Lines, str]]:
        rows = self._rows(candidate)
        a, b = candidate.lines
        b = min(b, len(rows))
        while a < b and not rows[b - 1].strip():
            b -= 1
        while a < b and not rows[a - 1].strip():
            a += 1
        if a > len(rows):
            return
        around = [d for d in self._of(candidate) if d[1] <= a and b <= d[2] and d[3] != "constant"]
        if around:
            _, start, stop, _ = min(around, key=lambda d: (d[2] - d[1], d[1]))
            if stop - start < _DEFINITION:
                yield (start, stop), WHOLE
        yield (a, b), WHOLE if not around and self._complete(candidate) else PART
        if around:
            yield (start, stop), OUTLINE
        elif self._heads(candidate, a, b):
            yield (a, b), OUTLINE

    def _rows(self, candidate: _Candidate) -> list[str]:
        path = candidate.node.path
        if path not in self._texts:
            self._texts[path] = self._read(candidate.node)
        return self._texts[path]

    def _complete(self, candidate: _Candidate) -> bool:
        """Whether the lines hold every definition that they touch."""
        a, b = candidate.lines
        return all(a <= d[1] and d[2] <= b for d in self._of(candidate) if d[1] <= b and a <= d[2])

    def _of(self, candidate: _Candidate) -> list[tuple[str, int, int, str]]:
        path = candidate.node.path
        if path not in self._definitions:
            self._definitions[path] = self._index.definitions(candidate.node.id)
        return self._definitions[path]

    def _merged(self, path: str, ranges: dict[Lines, str], lines: Lines, form: str) -> dict[Lines, str]:
        """The ranges with one more: neighbours become one, no line is sent twice."""
        if form == OUTLINE:
            clear = all(lines[1] < a or b < lines[0] for a, b in ranges)
            ranges = {**ranges, lines: form} if clear else ranges
            return {key: ranges[key] for key in sorted(ranges)}
        kept: dict[Lines, str] = {}
        (a, b), forms = lines, {form}
        for (x, y), other in sorted(ranges.items()):
            if other == OUTLINE and not (y < a or b < x):
                continue  # the text replaces its outline
            if other != OUTLINE and x - _GAP - 1 <= b and a <= y + _GAP + 1:
                a, b = min(a, x), max(b, y)
                forms.add(other)
            else:
                kept[x, y] = other
        kept[a, b] = WHOLE if forms == {WHOLE} else PART
        return {key: kept[key] for key in sorted(kept)}

    # -- as pieces ------------------------------------------------------------------------

    def _cost(self, path: str, ranges: dict[Lines, str]) -> int:
        key = (path, tuple(ranges.items()))
        if key not in self._costs:
            self._costs[key] = sum(self._each(piece) for piece in self._of_file(path, ranges))
        return self._costs[key]

    def pieces(self) -> list[Piece]:
        """All pieces: files in the order of the answers, lines in order."""
        order = sorted(self._ranges, key=lambda path: self._files[path].place)
        return [piece for path in order for piece in self._of_file(path, self._ranges[path])]

    def _of_file(self, path: str, ranges: dict[Lines, str]) -> Iterator[Piece]:
        candidate = self._files[path]
        rows = self._rows(candidate)
        for number, ((a, b), form) in enumerate(ranges.items()):
            text = self._outline(candidate, a, b) if form == OUTLINE else "\n".join(rows[a - 1 : b])
            inside = self._heads(candidate, a, b)
            title = inside[0][0] if inside else candidate.result.title
            why = "; ".join(_reasons(candidate.result)) if number == 0 else ""
            yield Piece(path, (a, b), title, candidate.node.role, candidate.value, form, text, why)

    def _heads(self, candidate: _Candidate, a: int, b: int) -> list[tuple[str, int, int, str]]:
        """The definitions that lie whole in some lines."""
        return [d for d in self._of(candidate) if a <= d[1] and d[2] <= b and d[3] != "constant"]

    def _outline(self, candidate: _Candidate, a: int, b: int) -> str:
        """The heads of the definitions in some lines; … stands for what is left out."""
        rows = self._rows(candidate)
        heads = self._heads(candidate, a, b)[:_MEMBERS]
        shown: list[str] = []
        last = a - 1
        for _, start, stop, _ in heads:
            end = start
            while end < min(stop, start + 7) and not _ENDS.search(rows[end - 1]):
                end += 1
            if start > last + 1:
                shown.append(_indent(rows[start - 1]) + "…")
            for line in range(max(start, last + 1), end + 1):
                shown.append(rows[line - 1][:_WIDTH])
                last = line
        if last < b:
            shown.append("…")
        return "\n".join(shown)


def markdown(head: str, pieces: Iterable[Piece]) -> str:
    """Fragments as one text. Costs no more than its parts do."""
    return head + "".join(map(section, pieces))


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip())][:40]


def _reasons(result: Result) -> list[str]:
    """The two reasons of most weight that say more than that words match."""
    told = [r.text for r in result.reasons if r.share > 0 and not r.text.startswith("words in ")]
    return [_one_line(text)[:120] for text in dict.fromkeys(told)][:2]


def _headline(question: str) -> str:
    return f"# {_one_line(question)[:200]}\n"


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def section(piece: Piece) -> str:
    """A fragment as Markdown: where it is, why, and its text in a fence that the text cannot close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", piece.text)), default=2)
    fence = "`" * (longest + 1)
    suffix = piece.path.rpartition("/")[2].rpartition(".")
    language = suffix[2] if suffix[1] and suffix[2].isalnum() and len(suffix[2]) < 8 else ""
    path = "".join(char if char.isprintable() else "�" for char in piece.path)
    outline = " (outline)" if piece.form == OUTLINE else ""
    why = f"{piece.why}\n" if piece.why else ""
    return f"\n## {path}#{fragment(*piece.lines)}{outline}\n{why}\n{fence}{language}\n{piece.text}\n{fence}\n"


MARKDOWN = Form(lambda question, notes: estimate(_headline(question)), lambda piece: estimate(section(piece)))
