"""Python names that are no longer where they are imported from.

Knows how an import is judged on one side: it holds, it does not, or that cannot
be told. Broken is what held before the change and certainly does not after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..graph.parameters import EXACT
from ..graph.resolve import python as python_imports
from . import python
from .model import BROKEN_IMPORT, Finding
from .tree import Tree

Read = Callable[[str], bytes | None]  # path → text
HOLDS, FAILS, UNKNOWN = "holds", "fails", "unknown"


class Side(NamedTuple):
    """One side: its paths and how to read them."""

    tree: Tree
    read: Read
    known: Callable[[str], python.Module | None] | None = None  # what files bind, if that is kept

    def module(self, path: str) -> python.Module | None:
        """What a Python file binds."""
        if self.known is not None:
            return self.known(path)
        data = self.read(path)
        return python.read(data) if data is not None else None

    def imports(self, path: str) -> tuple[python.Import, ...]:
        """What it imports, less what may fail."""
        data = self.read(path)
        return tuple(each for each in python.imports(data) if not each.optional) if data is not None else ()


class Verdict(NamedTuple):
    """How an import stands on one side, and the file it leads to ("" when none)."""

    state: str
    path: str = ""
    module_found: bool = False


def judge(side: Side, importer: str, module: str, name: str) -> Verdict:
    """How one import stands."""
    verdict = _judge(side, importer, module, name)
    if verdict.state != FAILS:
        return verdict
    words = {name, *module.split(".")} - {""}
    for path in _packages(side, importer, module):
        data = side.read(path) or b""
        if python.is_built(data) or any(python.promises(data, word) for word in words):
            return Verdict(UNKNOWN, verdict.path, verdict.module_found)
    return verdict


def _packages(side: Side, importer: str, module: str) -> Iterator[str]:
    """The `__init__` of every package on the way to a module."""
    parts = module.lstrip(".").split(".")
    if module.startswith("."):
        above = importer.split("/")[: -(len(module) - len(module.lstrip("."))) or None]
        places = ["/".join(above[:end]) for end in range(1, len(above) + 1)]
        starts = ["/".join(above)]
    else:
        places, starts = [], list(side.tree.roots(parts[0]))
    places += ["/".join(filter(None, (start, *parts[:end]))) for start in starts for end in range(1, len(parts) + 1)]
    yield from (path for place in places if side.tree.exists(path := f"{place}/__init__.py"))


def _judge(side: Side, importer: str, module: str, name: str) -> Verdict:
    tree = side.tree
    found, internal = python_imports.modules(tree, importer, module)
    if not found:
        return Verdict(FAILS if internal and not _made(tree, importer, module) else UNKNOWN)
    if len(found) != 1 or found[0][1] != EXACT:
        return Verdict(UNKNOWN)
    target = found[0][0]
    if name in ("", "*"):
        return Verdict(HOLDS, target.path, True)
    if target.package:
        stem = f"{target.directory}/{name}" if target.directory else name
        for path in (f"{stem}/__init__.py", f"{stem}.py", f"{stem}/__init__.pyi", f"{stem}.pyi"):
            if tree.exists(path):
                return Verdict(HOLDS, path, True)
        if tree.is_directory(stem) or tree.stems.get(stem):
            return Verdict(UNKNOWN)
    if not target.path:
        return Verdict(UNKNOWN if module.strip(".") == "" else FAILS)
    if target.path.endswith(".pyi") or tree.exists(target.path + "i"):
        return Verdict(UNKNOWN, target.path)
    known = side.module(target.path)
    if known is None or (known.open and name not in known.bound):
        return Verdict(UNKNOWN, target.path, True)
    return Verdict(FAILS if known.lacks(name) else HOLDS, target.path, True)


def _made(tree: Tree, importer: str, module: str) -> bool:
    """Whether something else than a Python file may be the module: an extension, a generated file, a template."""
    directory = importer.rpartition("/")[0]
    rest = module.lstrip(".")
    for _ in range(len(module) - len(rest) - 1):
        directory = directory.rpartition("/")[0]
    parts = rest.split(".") if rest else []
    if module.startswith("."):
        stem = "/".join([*([directory] if directory else []), *parts])
        return bool(tree.stems.get(stem)) or tree.is_directory(stem)
    return tree.has_stem("/".join(parts))


class Affected(NamedTuple):
    """What a change takes away: the last names of the modules that lost something, and the names they lost."""

    modules: frozenset[str]  # of modules that are gone, or lost a name
    gone: frozenset[str]  # of those that are gone
    names: frozenset[str]  # that were lost, and names of modules that are gone
    packages: bool  # whether an `__init__` is among them: `from . import x` names no module

    def patterns(self) -> list[str]:
        """Patterns of lines in files that may import any of it."""
        words = "|".join(sorted(word for word in self.modules if word.isidentifier()))
        end = "([^[:alnum:]_]|$)"
        found = []
        if words:
            found = [
                f"(from|import)[[:space:]].*[^[:alnum:]_]({words}){end}",
                f"^[[:space:]]*({words})([[:space:]]+as[[:space:]].*)?[[:space:]]*([,)#].*)?$",
            ]
        return [*found, "from[[:space:]]+[.]+[[:space:]]+import"] if self.packages else found

    def suspects(self, data: bytes) -> Iterator[tuple[str, str]]:
        """(module, name) of what a text may import of it, by its looks; "" for a module as a whole."""
        for match in _STATEMENT.finditer(data):
            module = (match[1] or b"").decode("utf-8", "replace")
            parts = set(module.split("."))
            if match[3] is not None:
                for part in match[3].decode("utf-8", "replace").replace(";", " ").split(","):
                    name = part.split()[0] if part.strip() else ""
                    if self.gone.intersection(name.split(".")):
                        yield name, ""
                continue
            for name in dict.fromkeys(_WORD.findall(match[2].decode("utf-8", "replace"))):
                if self._named(parts, name):
                    yield module, name

    def _named(self, parts: set[str], name: str) -> bool:
        if name in self.gone:
            return True
        return name in self.names and (bool(parts & self.modules) or (self.packages and parts == {""}))

    def concerns(self, each: python.Import) -> bool:
        """Whether an import names any of it."""
        parts = set(each.module.split("."))
        if not each.name:
            return bool(parts & self.gone)
        return self._named(parts, each.name)


_STATEMENT = re.compile(
    rb"\b(?:from[ \t]+([.\w]+)[ \t]+import\b[ \t]*(\([^)]*\)|(?:[^\n\\]|\\\n?)*)|import[ \t]+([^\n]+))"
)
_WORD = re.compile(r"\w+")


def broken(
    old: Side, new: Side, importers: dict[str, str], affected: Affected, renamed: dict[str, str],
    ignored: Callable[[list[str]], set[str]],
) -> Iterator[Finding]:  # fmt: skip
    """The imports of these files (path → path before) that held and do not. All imports of a moved file are judged."""
    rows = []
    for path, before in importers.items():
        if path == before and not any(
            judge(new, path, *suspect).state == FAILS for suspect in affected.suspects(new.read(path) or b"")
        ):
            continue
        for each in new.imports(path):
            if path == before and not affected.concerns(each):
                continue
            now = judge(new, path, each.module, each.name)
            if now.state != FAILS:
                continue
            then = judge(old, before, each.module, each.name)
            if then.state == HOLDS and then.path:
                rows.append((path, each, then, now))
    made = ignored([then.path for _, _, then, _ in rows])
    for path, each, then, now in rows:
        if then.path not in made and not _elsewhere(new.tree, then.path, renamed.get(then.path, "")):
            yield _finding(new, path, each, then, now, renamed)


def dangling(side: Side, ignored: Callable[[list[str]], set[str]]) -> Iterator[Finding]:
    """All imports that certainly fail, whoever broke them."""
    rows = []
    for path in sorted(side.tree.paths):
        for each in side.imports(path) if path.endswith(".py") else ():
            now = judge(side, path, each.module, each.name)
            if now.state == FAILS:
                rows.append((path, each, now, _guess(path, each.module)))
    made = ignored([guess for *_, guess in rows])
    for path, each, now, guess in rows:
        if now.module_found or guess not in made:
            yield _never(path, each, now)


def failing(
    side: Side, ever: Tree, path: str, renamed: dict[str, str], ignored: Callable[[list[str]], set[str]]
) -> Iterator[Finding]:
    """The imports of one file that certainly fail, and where each led once (`ever`: all paths there were)."""
    before = Side(ever, side.read, side.known)
    rows = []
    for each in side.imports(path):
        now = judge(side, path, each.module, each.name)
        if now.state == FAILS:
            then = judge(before, path, each.module, each.name)
            rows.append((each, then, now, then.path or _guess(path, each.module)))
    made = ignored([guess for *_, guess in rows])
    for each, then, now, guess in rows:
        if then.path and not side.tree.exists(then.path):
            if then.path not in made and not _elsewhere(side.tree, then.path, renamed.get(then.path, "")):
                yield _finding(side, path, each, then, now, renamed)
        elif now.module_found or guess not in made:
            yield _never(path, each, now)


def _never(path: str, each: python.Import, now: Verdict) -> Finding:
    """An import that leads nowhere, whatever it did before."""
    message = f"{each.module} does not define {each.name}" if now.module_found else f"there is no module {each.module}"
    dotted = each.module + ("" if each.module.endswith(".") or not each.name else ".") + each.name
    return Finding(path, each.line, BROKEN_IMPORT, message, dotted)


def _guess(importer: str, module: str) -> str:
    """The file a module would be, as far as its dots say."""
    rest = module.lstrip(".")
    base = importer.split("/")[: -(len(module) - len(rest))] if module.startswith(".") else []
    return "/".join([*base, *rest.split(".")]) + ".py"


def _elsewhere(tree: Tree, path: str, renamed: str) -> bool:
    """Whether a file that is made into the module is there: a template, a source of an extension, its namesake.

    A namesake (the same name in a directory of the same name) is how plugins and
    vendored copies are found by loaders of their own; where git sees a rename, it is none.
    """
    if tree.exists(path):
        return False
    if tree.stems.get(path.removesuffix(".py")):
        return True
    tail = "/".join(path.split("/")[-3 if path.endswith("/__init__.py") else -2 :])
    return not renamed and "/" in tail and tree.has_below(tail)


def _finding(
    side: Side, path: str, each: python.Import, then: Verdict, now: Verdict, renamed: dict[str, str]
) -> Finding:
    dotted = each.module + ("" if each.module.endswith(".") or not each.name else ".") + each.name
    gone = not side.tree.exists(then.path)
    target = renamed.get(then.path, "")
    submodule = each.name and then.path.removesuffix("/__init__.py").removesuffix(".py").endswith("/" + each.name)
    if now.module_found and not (gone and submodule):
        return Finding(path, each.line, BROKEN_IMPORT, f"{each.module} no longer defines {each.name}", dotted)
    if gone:
        where = f"{then.path} is now {target}" if target else f"{then.path} is gone"
    else:  # the file that imports it has moved
        where = f"{then.path} is not found from here"
    written = each.module if now.state == FAILS and not now.module_found else dotted
    fix = ""
    if target and each.name and written == each.module:
        fix = _renamed_module(path, each.module, then.path, target)
    return Finding(
        path, each.line, BROKEN_IMPORT, f"cannot import {dotted}: {where}", dotted,
        written=written if fix else "", replacement=fix,
    )  # fmt: skip


def _renamed_module(importer: str, module: str, old: str, new: str) -> str:
    """How the module is called under its new path; "" when that is not plain."""
    if old.endswith("/__init__.py") or new.endswith("/__init__.py") or not new.endswith(".py"):
        return ""
    before, after = old.removesuffix(".py").split("/"), new.removesuffix(".py").split("/")
    if not all(part.isidentifier() for part in after[-1:]):
        return ""
    words = module.lstrip(".").split(".")
    if module.startswith("."):
        dots = len(module) - len(module.lstrip("."))
        base = importer.split("/")[:-dots] if dots else []
        if after[: len(base)] != base:
            return ""
        return "." * dots + ".".join(after[len(base) :])
    root = before[: len(before) - len(words)]
    if before[len(root) :] != words or after[: len(root)] != root:
        return ""
    return ".".join(after[len(root) :])
