"""What one Python text binds and imports, as far as that is certain.

Knows Python's syntax through `ast`, which never runs anything. A text it
cannot parse is not judged. A name bound anywhere at module level counts as
defined, whatever the condition; a module that can make names at run time is
open: nothing is missing from it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

_MAX_BYTES = 1 << 20
# What can put names into a module, or lead its imports elsewhere.
_OPEN = re.compile(
    rb"__getattr__|\b(?:globals|locals|vars|exec|eval|setattr)[ \t]*\(|\bsys\.modules\b|__dict__|__path__|extend_path"
    rb"|declare_namespace|import_submodules|\bcython\b",
)
# What can put modules beside those of the tree: a package that a helper builds (`attach(__name__, …)`), or that moves.
_BUILT = re.compile(
    rb"^[\w.]+\(\s*__name__\s*,|\bsys\.modules\b|__path__|extend_path|declare_namespace", re.MULTILINE
)
_PROMISED = re.compile(rb"^__all__[ \t]*\+?=[ \t]*[\[(]([^\])]{0,20000})[\])]", re.MULTILINE)
_ELSEWHERE = re.compile(rb"^[ \t]+global[ \t]+([^\n#]+)|(\w+)[ \t]*:=", re.MULTILINE)
_IMPLICIT = frozenset("__name__ __doc__ __file__ __path__ __package__ __spec__ __loader__ __dict__ __builtins__ "
                      "__annotations__ __class__".split())  # fmt: skip
_OPTIONAL = re.compile(r"TYPE_CHECKING|version_info|platform|\bPY\d|\bos\.name|sys\.|find_spec|HAS_|HAVE_")
_EXPECTED = re.compile(r"suppress|raises|Error|Exception|warns|skip")
_FAILURES = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError"))


# Where a statement at module level begins: not a comment, nor what goes on with the one before.
_STATEMENT = re.compile(rb"^(?![\s#)\]}'\"]|(?:else|elif|except|finally)\b)", re.MULTILINE)
_DEFINITION = re.compile(rb"(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)")


class Import(NamedTuple):
    """One imported name: `name` is "" for `import module`. `optional` when its failure is provided for."""

    line: int
    module: str
    name: str
    optional: bool


class Module(NamedTuple):
    """What a text binds at module level; `open` when more may be bound at run time."""

    bound: frozenset[str]
    open: bool

    def lacks(self, name: str) -> bool:
        """Whether the name is certainly not there."""
        return not self.open and name not in self.bound and name not in _IMPLICIT


@lru_cache(maxsize=64)
def _parse(data: bytes) -> ast.Module | None:
    if len(data) > _MAX_BYTES or b"\0" in data:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


@lru_cache(maxsize=4096)
def read(data: bytes) -> Module | None:
    """A text's bindings; None when it cannot be told."""
    tree = _parse(data)
    if tree is None:
        return None
    bound: set[str] = set()
    try:
        opened = _bind(tree.body, bound) or _OPEN.search(data) is not None or is_built(data)
    except RecursionError:
        return None
    bound.update(_elsewhere(data))
    return Module(frozenset(bound), opened)


def _elsewhere(data: bytes) -> Iterator[str]:
    """Names bound within functions and expressions, by their looks: to bind too much is to stay silent."""
    for match in _ELSEWHERE.finditer(data):
        yield from (match[1] or match[2]).decode("utf-8", "replace").replace(",", " ").split()


def is_built(data: bytes) -> bool:
    """Whether a package's `__init__` may bring along names and modules that no file shows."""
    return _BUILT.search(data) is not None


def promises(data: bytes, name: str) -> bool:
    """Whether `__all__` names it: what a package promises and does not define, something else gives it."""
    return any(re.search(rf"['\"]{re.escape(name)}['\"]".encode(), match[1]) for match in _PROMISED.finditer(data))


def lost(old: bytes, new: bytes) -> frozenset[str]:
    """The names that one version of a text binds and the next does not, as far as that is certain.

    Most changes rebind what they touch. Only statements that differ are looked
    at first; the new text as a whole is read when a name is left over.
    """
    if _OPEN.search(new) or is_built(new):
        return frozenset()
    before, after = Counter(_statements(old)), Counter(_statements(new))
    left = _bound_by(before - after)
    if left is None:  # no statement by itself
        left = known.bound if (known := read(old)) else frozenset()
    left -= _bound_by(after - before) or frozenset()
    now = read(new) if left else None
    return left - now.bound if now and not now.open else frozenset()


def _statements(data: bytes) -> list[bytes]:
    """A text cut where statements at module level begin."""
    places = [*(match.start() for match in _STATEMENT.finditer(data)), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


def _bound_by(statements: Iterable[bytes]) -> frozenset[str] | None:
    """The names that statements bind, each read alone; None when one of them cannot be."""
    bound: set[str] = set()
    for text in statements:
        definition = _DEFINITION.match(text)
        if definition:
            bound.add((definition[1] or definition[2]).decode("utf-8", "replace"))
            bound.update(_elsewhere(text))
        elif not text.startswith(b"@"):  # a decorator is of the next one
            known = read(text)
            if known is None:
                return None
            bound |= known.bound
    return frozenset(bound)


@lru_cache(maxsize=4096)
def imports(data: bytes) -> tuple[Import, ...]:
    """What a text imports, wherever it does."""
    tree = _parse(data)
    if tree is None:
        return ()
    try:
        return tuple(_imports(tree))
    except RecursionError:
        return ()


def forget() -> None:
    """Let go of the texts that were read: for who lives long and sees every version of one."""
    for cache in (_parse, read, imports):
        cache.cache_clear()


def _bind(body: list[ast.stmt], bound: set[str]) -> bool:
    """Note what statements bind; whether one imports everything from somewhere."""
    star = False
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                _names(target, bound)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
            _names(node.target, bound)
        elif isinstance(node, ast.Import):
            bound.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            bound.update(alias.asname or alias.name for alias in node.names)
            star = star or any(alias.name == "*" for alias in node.names)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    _names(item.optional_vars, bound)
        elif isinstance(node, ast.Try):
            for handler in node.handlers:
                if handler.name:
                    bound.add(handler.name)
                star = _bind(handler.body, bound) or star
        elif isinstance(node, ast.Match):
            star = True
        elif node.__class__.__name__ == "TypeAlias":
            _names(node.name, bound)  # type: ignore[attr-defined]
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list) and not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                star = _bind(inner, bound) or star
    return star


def _names(target: ast.AST, bound: set[str]) -> None:
    bound.update(node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _imports(tree: ast.AST) -> Iterator[Import]:
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, optional = stack.pop()
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, "", optional)
            continue
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                line = getattr(alias, "lineno", node.lineno)
                yield Import(line, "." * node.level + (node.module or ""), alias.name, optional)
            continue
        if isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.Try):
            optional = optional or any(_catches(handler) for handler in node.handlers)
        elif isinstance(node, ast.If):
            optional = optional or _OPTIONAL.search(ast.unparse(node.test)) is not None
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            optional = optional or any(_EXPECTED.search(ast.unparse(item.context_expr)) for item in node.items)
        stack.extend((child, optional) for child in ast.iter_child_nodes(node))


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(kind).rpartition(".")[2] in _FAILURES for kind in kinds)
