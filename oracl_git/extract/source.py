"""The text of a blob, ready to scan, and the buckets an extractor fills.

Knows encodings, line ends and how offsets become 1-based lines. Knows no
language. All text is UTF-8 bytes with "\\n" line ends; masked copies of it keep
its length, so that an offset means the same place in every copy.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from .facts import Chunk, Definition, Reference

MAX_REFERENCES = 5_000  # of one file; the first ones stay

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_TO_SPACES = bytes(10 if byte == 10 else 32 for byte in range(256))


class Source:
    """Normalised text and its lines."""

    __slots__ = ("encoding_error", "ends", "rows", "text")

    def __init__(self, data: bytes) -> None:
        self.text, self.encoding_error = normalise(data)
        self.rows: list[bytes] = self.text.splitlines(keepends=True)
        self.ends: list[int] = list(accumulate(map(len, self.rows)))

    @property
    def lines(self) -> int:
        """How many lines there are; an unfinished last line counts."""
        return len(self.rows)

    def line(self, offset: int) -> int:
        """The 1-based line an offset lies in."""
        row = bisect_right(self.ends, offset)
        return row + 1 if row < len(self.rows) else len(self.rows) or 1

    def start(self, line: int) -> int:
        """The offset at which a 1-based line starts."""
        return self.ends[line - 2] if line > 1 else 0


def normalise(data: bytes) -> tuple[bytes, bool]:
    """UTF-8 with "\\n" line ends, and whether the encoding had to be guessed.

    Bytes without NUL in the wrong encoding are read as Latin-1, which cannot fail.
    """
    wrong = False
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            body = data[len(bom) :]
            if encoding != "utf-8":
                text = body.decode(encoding, "replace")
                wrong = "\ufffd" in text
                body = text.encode("utf-8", "replace")
            data = body
            break
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            data, wrong = data.decode("latin-1").encode(), True
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data, wrong


def blank(text: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """A copy of the same length, the ranges (sorted by start) turned into spaces and line ends."""
    parts: list[bytes] = []
    position = 0
    for start, end in ranges:
        if end <= position:
            continue
        if start > position:
            parts.append(text[position:start])
            position = start
        parts.append(text[position:end].translate(_TO_SPACES))
        position = end
    parts.append(text[position:])
    return b"".join(parts)


def only(text: bytes, ranges: Iterable[tuple[int, int]]) -> bytes:
    """A copy of the same length, all but the ranges (sorted by start, apart) turned into spaces and line ends."""
    gaps = []
    position = 0
    for start, end in ranges:
        gaps.append((position, start))
        position = end
    return blank(text, [*gaps, (position, len(text))])


class Findings:
    """What an extractor found, before it is frozen into Facts."""

    __slots__ = (
        "_references",
        "anchors",
        "declares",
        "definitions",
        "entry_point",
        "error",
        "exports",
        "headings",
        "risk",
        "sections",
        "tags",
    )

    def __init__(self) -> None:
        self._references: dict[tuple[str, str, str], tuple[int, int]] = {}
        self.anchors: list[tuple[str, int]] = []
        self.declares: list[tuple[str, str]] = []
        self.definitions: list[Definition] = []
        self.entry_point = False
        self.error = ""
        self.exports: list[tuple[str, str, str]] = []
        self.headings: list[tuple[str, int]] = []
        self.risk: list[tuple[str, int]] = []
        self.sections: Sequence[Chunk] | None = None  # None: by number of lines
        self.tags: list[tuple[str, str]] = []

    def refer(self, kind: str, target: str, name: str, start: int, end: int = 0) -> None:
        """Note a reference; of equal ones the first place stays."""
        key, place = (kind, target, name), (start, end or start)
        known = self._references.get(key)
        if known is None or place < known:
            self._references[key] = place

    def rebase(self, place: Callable[[str, str], str | None]) -> None:
        """Name by another path what references name: of kind and target the new target, None to leave it out."""
        known, self._references = self._references, {}
        for (kind, target, name), lines in known.items():
            moved = place(kind, target)
            if moved is not None:
                self.refer(kind, moved, name, *lines)

    def targets(self, kind: str) -> set[str]:
        """What the references of one kind name."""
        return {target for known, target, _ in self._references if known == kind}

    def references(self) -> tuple[Reference, ...]:
        """All of them in order of place, bounded."""
        rows = sorted((start, end, *key) for key, (start, end) in self._references.items())
        return tuple(Reference(kind, target, name, s, e) for s, e, kind, target, name in rows[:MAX_REFERENCES])
