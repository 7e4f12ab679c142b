"""Ruby: features on the load path, and constants in the file that their names say.

Knows lib/ of each gem above a file or elsewhere in the tree, the helpers of tests, and
the convention of autoloaders: `A::BigName` is defined in a/big_name.rb.
"""

from __future__ import annotations

from ...extract.facts import Reference
from ...extract.views import underscore
from ..names import Candidates, Names
from .model import EXTERNAL, UNRESOLVED, Resolution, above, exact, inside, join, likely, parent
from .packages import outwards

_ROOTS = ("lib", "app", "test", "spec", "ext")


def resolve(names: Names, source: str, reference: Reference) -> Resolution:
    """The file that is required, or that defines a constant."""
    if reference.kind == "use":
        return _constant(names, source, reference.target, reference.name)
    target = reference.target if reference.target.endswith((".rb", ".rake")) else f"{reference.target}.rb"
    if target.startswith("."):
        place = inside(parent(source), target)
        return exact(place) if place and names.exists(place) else UNRESOLVED
    for place in above(source):
        for root in _ROOTS:
            found = join(join(place, root), target)
            if names.exists(found):
                return exact(found)
    return likely(tuple(p for p in names.named(f"lib/{target}") or () if p != source))


def _constant(names: Names, source: str, nesting: str, name: str) -> Resolution:
    """From the innermost module outwards; of `A::B` then the `A` that has it."""
    scopes = [scope for scope, _ in outwards(nesting, "::")]
    for part, _ in outwards(name, "::"):
        for scope in (*scopes, ""):
            full = f"{scope}::{part}" if scope else part
            found = names.declaring("ruby", full)
            if found == ():
                continue
            if found and source in found and len(found) > 1:
                return EXTERNAL
            chosen = _conventional(names, full, found)
            if not chosen and (part == name or found):  # what a module of many files has is in none that is known
                chosen = _only(names.declaring("ruby body", full))
            chosen = chosen or tuple(path for path in _only(found) if _is_of(path, full))
            return exact(*chosen, symbol=full.replace("::", ".")) if len(chosen) == 1 else EXTERNAL
    return EXTERNAL


def _only(found: Candidates) -> tuple[str, ...]:
    return found if found and len(found) == 1 else ()


def _is_of(path: str, full: str) -> bool:
    """Whether a file lies in what is called like a name: one that only opens a module of others does not make it."""
    return full.partition("::")[0].lower() in path.rpartition(".")[0].replace("_", "").split("/")


def _conventional(names: Names, full: str, found: Candidates) -> tuple[str, ...]:
    """Of the files that open a module, the one that is called like it; RuboCop may lie in rubocop, too."""
    spelled = {underscore(full): None}
    if found is None or len(found) > 1:
        first, joint, rest = full.partition("::")
        spelled |= {f"{first.lower()}{joint and '/'}{underscore(rest)}": None, full.replace("::", "/").lower(): None}
    for stem in spelled:
        hits = tuple(path for path in names.named(f"{stem}.rb") or () if full in names.declared(path, "ruby"))
        if hits:
            return hits
    return ()
