"""C and C++: what an include means, and the other half of a header.

Knows where headers are looked for: beside the file, below the roots that a
compilation database names, below usual roots of the directories above, and by
their last segments. Runs no build.
"""

from __future__ import annotations

from itertools import takewhile

from ...extract.facts import Reference
from ..names import Names, suffixes
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, nearest, parent

_RECORDS = ("compile_commands.json", "build/compile_commands.json", "compile_flags.txt")
_ROOTS = ("include", "src", "lib", "inc")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl")
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".m", ".mm")
# Directories for what others use or wrote, or what is no part of the product.
_ASIDE = frozenset(
    "contrib third_party thirdparty 3rdparty vendor external externals deps compat legacy old examples example samples "
    "test tests".split()
)
# Headers of the languages' own libraries and of POSIX: in angles never a file of the tree's by its name alone.
_STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
    "stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype "
    "dirent dlfcn fcntl fnmatch ftw getopt glob grp iconv langinfo libgen malloc memory monetary mqueue ndbm netdb "
    "poll pthread pwd regex sched search semaphore spawn strings syslog tar termios unistd utime windows winsock2 "
    "direct io process".split()
)


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The header that an include means; the sources of a header."""
    if reference.kind == "use":
        return _other_half(names, source)
    target = reference.target
    angled = target[:1] == "<"
    target = target.strip("<> ").replace("\\", "/")
    if not angled and not reference.name:
        place = inside(parent(source), target)
        if place and names.exists(place):
            return exact(place)
    for root in _roots(names, source):
        place = inside(root, target)
        if place and place != source and names.exists(place):
            return exact(place)
    if ".." in target.split("/"):
        return UNRESOLVED
    if angled and ("." not in target or target.removesuffix(".h") in _STANDARD):
        return EXTERNAL
    return _looked_for(names, source, target, angled)


def _roots(names: Names, source: str) -> tuple[str, ...]:
    """The directories that the nearest record of a compilation names, as paths of the tree."""
    record = nearest(names, source, *_RECORDS)
    return names.once(_read_roots, record) if record else ()


def _read_roots(names: Names, record: str) -> tuple[str, ...]:
    top = ""  # of the tree, on the machine that compiled it
    for file in names.declared(record, "c file"):
        rest = next((rest for rest in suffixes(file[1:]) if names.exists(rest)), "") if file.startswith("/") else ""
        if rest:
            top = file.removesuffix(rest)
            break
    found: dict[str, None] = {}
    for root in names.declared(record, "c root"):
        if not root.startswith("/"):
            place = inside(parent(record), root)
            if place is not None:
                found[place] = None
        elif top and f"{root}/".startswith(top):
            found[root[len(top) :]] = None
    return tuple(found)


def _looked_for(names: Names, source: str, target: str, angled: bool) -> Resolution:
    missing = EXTERNAL if angled else UNRESOLVED
    found = names.named(target)
    if found == ():
        return missing
    for place in above(source):
        for root in (place, *(join(place, name) for name in _ROOTS)):
            path = join(root, target)
            if path != source and (path in found if found else names.exists(path)):
                return exact(path)
    if found:
        found = tuple(path for path in found if path != source)
    return likely(_closest(source, found), missing=missing)


def _closest(source: str, found: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Those that share the most directories with a file, but for what lies to the side of its part of the tree."""
    if not found or len(found) == 1:
        return found
    around = frozenset(source.split("/"))
    found = tuple(path for path in found if _ASIDE.isdisjoint(frozenset(path.split("/")) - around)) or found
    ancestors = list(above(source))
    shared = {
        path: next(len(place) for place in ancestors if not place or path.startswith(place + "/")) for path in found
    }
    most = max(shared.values())
    return tuple(path for path in found if shared[path] == most)


def _other_half(names: Names, source: str) -> Resolution:
    stem, _, suffix = source.rpartition(".")
    if f".{suffix}" not in _HEADERS or "/" in suffix:
        return EXTERNAL
    beside = [stem + each for each in _SOURCES if names.exists(stem + each)]
    if beside:
        return exact(*beside)
    name = stem.rpartition("/")[2]
    named = [path for each in _SOURCES[:4] for path in names.named(name + each) or ()]
    found = _closest(source, tuple(path for path in named if _halves(names, source, path))) or ()
    return likely(found) if len(found) == 1 else EXTERNAL


def _halves(names: Names, header: str, source: str) -> bool:
    """Whether a source of the same stem is a header's: it lies in the root beside, or defines what that declares."""
    places = parent(header).split("/"), parent(source).split("/")
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*places, strict=False)))
    below = [[each.removeprefix("lib") for each in place[shared + 1 :]] for place in places]
    if all("".join(place[shared : shared + 1]) in ("", *_ROOTS) for place in places) and below[1] in ([], below[0]):
        return True
    return not names.members(header).isdisjoint(names.members(source))
