"""The words of a page in the order they are read, line by line.

A PDF says where words stand, not in which order they are read; the order they were drawn in mostly
is that order. Knows when it is not: what stands above is read before what is below it, what was
filled into a form after what it answers, and text at an angle along its own lines. Columns and rows
are otherwise left as they were drawn. Knows no PDF library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

_TURNS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}  # cosine and sine
_GAP = 1.5  # line heights: a wider gap parts a line
_MOST = 800  # pieces of a page that are compared with each other: on a page of more, a drawing, none is moved
_BACK = 0.3  # line heights that a word may begin before the end of the last one


@dataclass(frozen=True, slots=True)
class Word:
    """A word and its box, in points of a frame in which its line runs to the right and lines go down.

    `turn` is the line's angle, clockwise by quarters, in degrees; only words of one angle can be compared.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    turn: int = 0
    filled: bool = False  # into a form: drawn after the page, wherever it stands
    glued: bool = False  # the rest of a word that was broken at the end of a line


def framed(turn: int, corners: Iterable[tuple[float, float]]) -> tuple[float, float, float, float]:
    """(left, bottom, right, top) of points of a page in the frame of a line turned clockwise by 0, 90, 180, 270."""
    along, across = _TURNS[turn]
    points = [(x * along - y * across, x * across + y * along) for x, y in corners]
    columns, rows = zip(*points, strict=True)
    return min(columns), min(rows), max(columns), max(rows)


@dataclass(slots=True)
class _Piece:
    """Words that stand on one line without a wide gap."""

    words: list[Word]
    left: float = field(init=False)
    bottom: float = field(init=False)
    right: float = field(init=False)
    top: float = field(init=False)

    def __post_init__(self) -> None:
        first = self.words[0]
        self.left, self.bottom, self.right, self.top = first.left, first.bottom, first.right, first.top

    @property
    def middle(self) -> float:
        return (self.bottom + self.top) / 2

    def add(self, word: Word) -> None:
        self.words.append(word)
        self.left, self.right = min(self.left, word.left), max(self.right, word.right)
        self.bottom, self.top = min(self.bottom, word.bottom), max(self.top, word.top)

    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def in_order(words: Iterable[Word]) -> str:
    """The text of words that are given in the order they were drawn."""
    placed: list[_Piece] = []
    lowest: dict[int, float] = {}  # by angle: the middle of the lowest piece that is placed
    pieces = list(_pieces(words))
    if len(pieces) > _MOST:
        return "".join(_written(pieces))
    at, last = 0, None
    for piece in pieces:
        turn, middle = piece.words[0].turn, piece.middle
        if last and piece.words[0].glued:
            at += 1
        elif piece.words[0].filled:
            at = _answer(piece, placed)
        elif last and _goes_on(last, piece):
            at += 1  # a row moves as a whole
        elif turn or middle > lowest.get(turn, middle):  # else nothing stands below it
            at = _first(placed, partial(_before, piece))
        else:
            at = len(placed)
        placed.insert(at, piece)
        last = piece
        lowest[turn] = min(lowest.get(turn, middle), middle)
    return "".join(_written(placed))


def _pieces(words: Iterable[Word]) -> Iterator[_Piece]:
    piece: _Piece | None = None
    for word in words:
        if piece and not word.glued and _continues(piece, word):
            piece.add(word)
            continue
        if piece:
            yield piece
        piece = _Piece([word])
    if piece:
        yield piece


def _continues(piece: _Piece, word: Word) -> bool:
    last = piece.words[-1]
    height = max(last.top - last.bottom, word.top - word.bottom)
    fits = -_BACK * height <= word.left - last.right <= _GAP * height
    return fits and _comparable(piece, word) and last.filled == word.filled and _one_row(last, word)


def _comparable(one: _Piece, other: Word | _Piece) -> bool:
    return one.words[0].turn == (other.turn if isinstance(other, Word) else other.words[0].turn)


def _one_row(one: Word | _Piece, other: Word | _Piece) -> bool:
    shared = min(one.top, other.top) - max(one.bottom, other.bottom)
    return shared >= 0.5 * min(one.top - one.bottom, other.top - other.bottom)


def _goes_on(one: _Piece, other: _Piece) -> bool:
    """Whether a piece stands further right on the same line."""
    return _comparable(one, other) and _one_row(one, other) and one.left <= other.left


def _above(one: _Piece, other: _Piece) -> bool:
    """Whether it stands above, by more than an exponent does."""
    return one.bottom > other.middle and other.top < one.middle


def _shared(one: _Piece, other: _Piece) -> float:
    """How much of a line both stand over; negative: the gap between them."""
    return min(one.right, other.right) - max(one.left, other.left)


def _before(piece: _Piece, other: _Piece) -> bool:
    """Whether a piece is read before one that was drawn before it."""
    if not _comparable(piece, other):
        return False
    if _above(piece, other):
        # By more than the end of a line that is too long for its column.
        narrow = 0.5 * min(piece.right - piece.left, other.right - other.left)
        return _shared(piece, other) >= min(narrow, other.top - other.bottom)
    # Pieces of one line come sorted by where they stand on the page, which is their order only where lines are level.
    return bool(piece.words[0].turn) and _one_row(piece, other) and piece.right <= other.left


def _first(placed: list[_Piece], holds: Callable[[_Piece], bool]) -> int:
    return next((at for at, other in enumerate(placed) if holds(other)), len(placed))


def _answer(piece: _Piece, placed: list[_Piece]) -> int:
    """Where what was filled into a form belongs: behind what stands left of it, or else above it."""
    near = [(at, other) for at, other in enumerate(placed) if _comparable(piece, other)]
    left = [(other.right, at) for at, other in near if _one_row(piece, other) and other.right <= piece.left]
    if left:
        return max(left)[1] + 1
    above = [(-other.bottom, at) for at, other in near if _above(other, piece) and _shared(piece, other) >= 0]
    if above:
        return max(above)[1] + 1
    return _first(placed, lambda other: _comparable(piece, other) and _above(piece, other))


def _written(placed: list[_Piece]) -> Iterator[str]:
    last: _Piece | None = None
    for piece in placed:
        if last and not piece.words[0].glued:
            yield " " if _goes_on(last, piece) else "\n"
        yield piece.text()
        last = piece
