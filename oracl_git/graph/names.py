"""The questions linking may ask about the rest of the tree, and a record of them.

Linking reads the outside world only through `Names`. `Recorder` notes each
question as a 32-bit key, so that an update can find every file whose links
could come out differently: those that asked a question whose answer changed.
Two questions that share a key cost a needless re-link, never a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar, TypeVarTuple
from zlib import crc32

from .model import encode_path
from .parameters import MAX_CANDIDATES

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Memo = dict[tuple[Any, ...], tuple[Any, set[int]]]  # (function, *arguments) → (result, keys of the questions it took)
Candidates = tuple[str, ...] | None  # at most MAX_CANDIDATES paths, sorted; None = more than that


class Names(Protocol):
    """What one tree holds, as far as links can depend on it."""

    def exists(self, path: str) -> bool:
        """Whether the path is an artifact."""

    def named(self, suffix: str) -> Candidates:
        """The artifacts whose path is, or ends with "/" + suffix."""

    def implementations(self, stem: str) -> Candidates:
        """The code files, tests apart, of that normalised stem."""

    def roots(self, top: str) -> tuple[str, ...]:
        """The directories that hold a Python module or package called `top`, sorted."""

    def python_under(self, directory: str) -> bool:
        """Whether any Python file lies below the directory."""

    def export(self, path: str, name: str) -> tuple[str, str] | None:
        """How a file binds a name: ("", "") defines it (of Python alone), (module, name) imports it, None neither."""

    def stars(self, path: str) -> tuple[str, ...]:
        """The modules a file imports everything from."""

    def placeholder(self, path: str) -> bool:
        """Whether the artifact says of itself that it is not there yet."""

    def symbols(self, name: str) -> Candidates:
        """The artifacts that define the qualified name."""

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The artifacts that match a governance pattern, sorted."""

    def files(self, directory: str, suffix: str) -> tuple[str, ...]:
        """The artifacts right in a directory ("" for the top) whose suffix (".go") is this one, sorted."""

    def below(self, directory: str, name: str) -> tuple[str, ...]:
        """The artifacts anywhere below a directory ("" for the top) of that file name ("" for any), sorted."""

    def members(self, path: str) -> frozenset[str]:
        """The names a file defines, as qualified within it."""

    def declared(self, path: str, label: str) -> tuple[str, ...]:
        """What a file declares under a label, in its order."""

    def declaring(self, label: str, value: str) -> Candidates:
        """The artifacts that declare a value under a label."""

    def once(self, ask: Callable[[Names, *Ts], T], *args: *Ts) -> T:
        """What a function of the tree and of these arguments alone gives; many files want the same."""


class _Seeds(dict[str, int]):
    """Question → what the key of each of its arguments begins with."""

    def __missing__(self, question: str) -> int:
        seed = self[question] = crc32(question.encode())
        return seed


_seeds = _Seeds()


def key(question: str, argument: str) -> int:
    """The 32-bit key of a question."""
    return crc32(encode_path(argument), _seeds[question])


class Recorder:
    """`Names` that remembers the key of every question asked through it."""

    def __init__(self, names: Names, memo: Memo) -> None:
        self._names = names
        self._memo = memo
        self.keys: set[int] = set()

    def once(self, ask: Callable[[Names, *Ts], T], *args: *Ts) -> T:
        known = self._memo.get((ask, *args))
        if known is None:
            inner = Recorder(self._names, self._memo)
            known = self._memo[(ask, *args)] = (ask(inner, *args), inner.keys)
        self.keys |= known[1]
        result: T = known[0]
        return result

    def exists(self, path: str) -> bool:
        self.keys.add(key("exists", path))
        return self._names.exists(path)

    def named(self, suffix: str) -> Candidates:
        self.keys.add(key("named", suffix))
        return self._names.named(suffix)

    def implementations(self, stem: str) -> Candidates:
        self.keys.add(key("implementations", stem))
        return self._names.implementations(stem)

    def roots(self, top: str) -> tuple[str, ...]:
        self.keys.add(key("roots", top))
        return self._names.roots(top)

    def python_under(self, directory: str) -> bool:
        self.keys.add(key("python_under", directory))
        return self._names.python_under(directory)

    def export(self, path: str, name: str) -> tuple[str, str] | None:
        self.keys.add(key("export", f"{path}\0{name}"))
        return self._names.export(path, name)

    def stars(self, path: str) -> tuple[str, ...]:
        self.keys.add(key("export", f"{path}\0*"))
        return self._names.stars(path)

    def placeholder(self, path: str) -> bool:
        self.keys.add(key("placeholder", path))
        return self._names.placeholder(path)

    def symbols(self, name: str) -> Candidates:
        self.keys.add(key("symbols", name))
        return self._names.symbols(name)

    def matching(self, pattern: str) -> tuple[str, ...]:
        self.keys.add(key("matching", pattern))
        return self._names.matching(pattern)

    def files(self, directory: str, suffix: str) -> tuple[str, ...]:
        self.keys.add(key("files", f"{directory}\0{suffix}"))
        return self._names.files(directory, suffix)

    def below(self, directory: str, name: str) -> tuple[str, ...]:
        self.keys.add(key("below", f"{directory}\0{name}"))
        return self._names.below(directory, name)

    def members(self, path: str) -> frozenset[str]:
        self.keys.add(key("members", path))
        return self._names.members(path)

    def declared(self, path: str, label: str) -> tuple[str, ...]:
        self.keys.add(key("declared", f"{path}\0{label}"))
        return self._names.declared(path, label)

    def declaring(self, label: str, value: str) -> Candidates:
        self.keys.add(key("declaring", f"{label}\0{value}"))
        return self._names.declaring(label, value)


def suffixes(path: str) -> Iterator[str]:
    """The path and each of its proper suffixes at a slash, longest first."""
    yield path
    start = 0
    while (start := path.find("/", start) + 1) > 0:
        yield path[start:]


def place(path: str) -> tuple[str, str]:
    """(directory, suffix with its dot) of a path, as `Names.files` takes them."""
    directory, _, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    return directory, dot + suffix if stem else ""


def top_levels(path: str) -> Iterator[tuple[str, str]]:
    """(top-level name, root directory) pairs under which a Python file can be imported."""
    segments = path.split("/")
    segments[-1] = segments[-1].rpartition(".")[0]
    for depth, segment in enumerate(segments):
        if segment.isidentifier() and not (segment == "__init__" and depth == len(segments) - 1):
            yield segment, "/".join(segments[:depth])


def is_python(path: str) -> bool:
    """Whether the import system could load it."""
    return path.endswith((".py", ".pyi"))


def capped(paths: list[str]) -> Candidates:
    """Sorted candidates, or None when there are too many to mean anything."""
    return tuple(sorted(paths, key=encode_path)) if len(paths) <= MAX_CANDIDATES else None
