"""Protocol Buffers, Thrift and GraphQL: the file an import names, and the one that declares a type.

Knows the roots that compilers of schemas are told, by their looks: an import is
a path below one of them, and may begin with how the repository itself is called.
"""

from __future__ import annotations

from posixpath import commonpath

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, parent
from .packages import beside, declared, nearest_of, only

# Where schemas lie, in any directory above the one that imports.
_ROOTS = ("", "proto", "protos", "protobuf", "api", "src", "src/main/proto", "idl", "include", "third_party", "vendor")
_GRAPHQL = (".graphql", ".gql", ".graphqls")
_LEAST = 2  # segments of a path that may be all that is left of an import


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The schema that is imported; the one that declares a name of GraphQL's."""
    _, target, name, *_ = reference
    if not target:
        return only(source, _defining(names, source, name), name.lstrip("@."))
    place = inside(parent(source), target)
    if place and place != source and names.exists(place):
        return exact(place)
    if target.startswith(".") or source.endswith(_GRAPHQL):
        return UNRESOLVED
    for directory in above(source):
        for root in _ROOTS:
            path = join(join(directory, root), target)
            if path != source and names.exists(path):
                return exact(path)
    rest = target
    while rest:
        found = tuple(path for path in names.named(rest) or () if path != source)
        if found:
            return likely(nearest_of(source, found) if "/" in target else _shallowest(source, found))
        rest = rest.partition("/")[2]
        if rest.count("/") + 1 < _LEAST:
            break
    return EXTERNAL


def _defining(names: Names, source: str, name: str) -> tuple[str, ...]:
    """The files that define a name; of very many, as of `Query` in examples, those beside the file or above it."""
    if names.declaring("graphql", name) is not None:
        return declared(names, "graphql", source, name)
    for directory in above(source):
        if found := beside(names, "graphql", directory, _GRAPHQL).get(name):
            return tuple(path for path in found if path != source)
    return ()


def _shallowest(source: str, found: tuple[str, ...]) -> tuple[str, ...]:
    """Those the fewest directories below one that holds the importer, too: roots lie near the trunk."""
    down = {path: path.removeprefix(commonpath((parent(source), path))).strip("/").count("/") for path in found}
    least = min(down.values())
    return nearest_of(source, (path for path in found if down[path] == least))
