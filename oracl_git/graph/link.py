"""One file's facts → its outgoing edges.

Knows the paper's two producers (the repository graph; the static generator and
its six providers), which relation each kind of reference becomes, and how
edges with one key merge. Pure: the rest of the tree is asked through `Names`.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import NamedTuple

from ..extract.facts import Facts, Reference
from .governance import Constraint, Governance
from .model import ARTIFACT, HUB, OVERLAY, REPOSITORY, STATIC, Edge, fragment, hub_of
from .names import Names
from .numbers import rounded
from .parameters import DIRECTORY_MANIFESTS, EXACT, ONE, RELATION_WEIGHTS, UNIQUE_SUFFIX, UNKNOWN_RELATION_WEIGHT
from .resolve import resolve
from .resolve.model import above, listed, spread
from .resolve.python import resolve_dotted
from .stems import is_test, mirrored, normalised_stem, split_name, tested_stem

RESOLUTIONS = ("exact", "suffix", "ambiguous", "unresolved", "external")
PHASES = ("repository", "imports", "links", "config", "tests", "mentions", "comments", "learned", "constraints")

_DOC_SUFFIXES = (".rst", ".md", ".txt", "/index.rst", "/index.md", "/README.md")
_DIRECTORY_PAGES = ("README.md", "index.md", "index.rst", "README.rst")
_PAGE_SUFFIXES = (".md", ".mdx")  # of a page that sites name without one
_SERVED_PAGES = ("index.html", "index.htm")  # for a directory that another page names
_CONFIG_LANGUAGES = frozenset(("json", "yaml", "toml", "ini", "cargo", "composer", "maven", "msbuild"))

Fraction = tuple[int, int]


class Links(NamedTuple):
    """What linking one file gives: edges by canonical key, and how its imports resolved."""

    edges: tuple[Edge, ...]
    resolutions: tuple[int, ...]  # counts, in the order of RESOLUTIONS


class _Merge:
    """Edges under construction, deduplicated by canonical key."""

    def __init__(self, source: str, skip: frozenset[str]) -> None:
        self.source = source
        self.skip = skip
        self.edges: dict[tuple[int, str, str, str, str], Edge] = {}

    def add(
        self, phase: str, relation: str, target: str, confidence: Fraction, partition: int,
        source_fragment: str = "", target_fragment: str = "", kind: int = ARTIFACT,
    ) -> None:  # fmt: skip
        if phase in self.skip or (kind == ARTIFACT and target == self.source):
            return
        if partition == REPOSITORY and "repository" in self.skip:
            partition = STATIC
        weight = RELATION_WEIGHTS.get(relation, UNKNOWN_RELATION_WEIGHT)
        numerator, denominator = confidence
        edge = Edge(
            kind, target, source_fragment, target_fragment, relation,
            rounded(weight * numerator, denominator), rounded(ONE * numerator, denominator), partition,
        )  # fmt: skip
        standing = self.edges.get(edge.key)
        if standing is None or (edge.partition, -edge.weight) < (standing.partition, -standing.weight):
            self.edges[edge.key] = edge


def link(
    path: str, facts: Facts, tags: dict[str, str], governance: Governance, names: Names,
    skip: frozenset[str] = frozenset(),
) -> Links:  # fmt: skip
    """The outgoing edges of one artifact, sorted by canonical key."""
    merge = _Merge(path, skip)
    counts = dict.fromkeys(RESOLUTIONS, 0)
    imported: set[str] = set()
    for reference in facts.references:
        how = _follow(merge, reference, facts.language, names, imported)
        if how:
            counts[how] += 1
    if is_test(path):
        for target, confidence in _tested(path, imported, names):
            merge.add("tests", "tests", target, confidence, STATIC)
    for target, kappa in governance.learned_edges.get(path, ()):
        if names.exists(target):
            merge.add("learned", "learned_association", target, (kappa, ONE), OVERLAY)
    merge.add("hub", "belongs_to", hub_of(tags["domain"]), EXACT, REPOSITORY, kind=HUB)
    return Links(tuple(sorted(merge.edges.values(), key=lambda e: e.key)), tuple(counts[name] for name in RESOLUTIONS))


def follow(path: str, language: str, reference: Reference, names: Names) -> tuple[Edge, ...]:
    """The edges that one reference of a file makes, best first."""
    merge = _Merge(path, frozenset())
    _follow(merge, reference, language, names, set())
    return tuple(sorted(merge.edges.values(), key=lambda e: (-e.weight, e.key)))


def _follow(merge: _Merge, reference: Reference, language: str, names: Names, imported: set[str]) -> str:
    """Add what a reference leads to; how an import resolved, "" for what is none."""
    if reference.kind in ("import", "use", "template"):
        return _import(merge, reference, language, names, imported)
    _OTHERS[reference.kind](merge, reference, language, names)
    return ""


def govern(constraint: Constraint, names: Names, skip: frozenset[str] = frozenset()) -> tuple[Edge, ...]:
    """The `governs` edges of a constraint node."""
    merge = _Merge("", skip)
    for pattern in constraint.paths:
        for path in names.matching(pattern):
            merge.add("constraints", "governs", path, EXACT, OVERLAY)
    return tuple(sorted(merge.edges.values(), key=lambda e: e.key))


def _import(merge: _Merge, reference: Reference, language: str, names: Names, imported: set[str]) -> str:
    """What an import names, or a name of its own package that is used without one."""
    found, how = resolve(language, names, merge.source, reference)
    here = fragment(reference.start, reference.end)
    named = reference.kind != "use"
    relation, partition = ("imports", REPOSITORY) if named else ("references", STATIC)
    for target in found:
        merge.add("imports", relation, target.path, target.confidence, partition, here, target.symbol)
        imported.add(target.path)
    return how if reference.kind == "import" else ""


def _inside(source: str, target: str) -> str | None:
    """A path written relative to a file, normalised; None when it leaves the tree."""
    directory = source.rpartition("/")[0]
    joined = normpath(f"{directory}/{target}" if directory else target)
    return None if joined.startswith(("..", "/")) or joined == "." else joined


def _exact_path(source: str, target: str, names: Names) -> str | None:
    """A file that is exactly there: relative to the source, or to the root of the tree."""
    if target.startswith("/"):
        places = [normpath(target.lstrip("/"))] if target.strip("/") else []
    else:
        places = [place for place in (_inside(source, target), normpath(target)) if place]
    for place in dict.fromkeys(places):
        if not place.startswith("..") and names.exists(place):
            return place
    return None


def _linked(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A hyperlink or include: relative to the file or the root, or a directory's page.

    What begins with "/" may begin at any directory above, for sites and their sources have tops of their own.
    """
    target = reference.target
    if not target:
        return
    found = next(filter(None, (_exact_path(merge.source, each, names) for each in _pages(target, language))), None)
    if found is None and target.startswith("/"):
        places = (f"/{place}{each}" for place in above(merge.source) if place for each in _pages(target, language))
        found = next(filter(None, (_exact_path(merge.source, each, names) for each in places)), None)
    if found:
        _refer(merge, reference, found, names)


def _pages(target: str, language: str) -> Iterator[str]:
    """What an address may mean: the file, a directory's page, or, in Markdown, a page as a site calls it."""
    bare = target.rstrip("/")
    yield target
    for page in _SERVED_PAGES if language == "html" else _DIRECTORY_PAGES:
        yield f"{bare}/{page}"
    if language == "markdown" and ("." not in bare.rpartition("/")[2] or bare.endswith(".html")):
        for suffix in _PAGE_SUFFIXES:
            yield bare.removesuffix(".html") + suffix


def _document(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A document named without its suffix; "/" starts at any directory above. Without a target: one with a label."""
    if not reference.target:
        for each in resolve(language, names, merge.source, reference).targets:
            _refer(merge, reference, each.path, names)
        return
    places = []
    if reference.target.startswith("/"):
        place = merge.source.rpartition("/")[0]
        while True:
            places.append(f"{place}{reference.target}" if place else reference.target.lstrip("/"))
            if not place:
                break
            place = place.rpartition("/")[0]
    else:
        stem = _inside(merge.source, reference.target)
        places = [stem] if stem else []
    for place in places:
        for suffix in ("", *_DOC_SUFFIXES):
            if names.exists(place + suffix):
                _refer(merge, reference, place + suffix, names)
                return


def _refer(merge: _Merge, reference: Reference, target: str, names: Names) -> None:
    relation = "references_placeholder" if names.placeholder(target) else "references"
    anchor = f"#{reference.name}" if reference.name else ""
    merge.add("links", relation, target, EXACT, REPOSITORY, fragment(reference.start, reference.end), anchor)


def _candidates(source: str, target: str, names: Names) -> Iterator[tuple[str, Fraction]]:
    """A path-like word: exactly there, else by unique suffix, else the one nearest above, else ambiguous."""
    exact = _exact_path(source, target, names)
    if exact:
        yield exact, EXACT
        return
    suffix = normpath(target.lstrip("/"))
    if suffix.startswith(".."):
        return
    found = names.named(suffix)
    if found and len(found) > 1:  # "/" is the top of the project that the file is in
        around = (f"{place}/{suffix}" if place else suffix for place in above(source))
        found = next(((place,) for place in around if place in found), found)
    if found:
        confidence = UNIQUE_SUFFIX if len(found) == 1 else (1, len(found))
        for path in found:
            yield path, confidence


def _configured(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A path-like value: `configures` from configuration, `references` from a script."""
    relation = "configures" if language in _CONFIG_LANGUAGES else "references"
    here = fragment(reference.start, reference.end)
    found = list(_candidates(merge.source, reference.target, names))
    if not found:
        found = [(path, EXACT) for path in _manifest_in(merge.source, reference.target, names)]
    for target, confidence in found:
        merge.add("config", relation, target, confidence, STATIC, here)


def _named_file(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """What is read at a place and nowhere else, "/" being the top, or from a directory above, as a container's.

    From the top, "above" means that of a project within the tree if it is not there.
    """
    relation = "configures" if language in _CONFIG_LANGUAGES else "references"
    here = fragment(reference.start, reference.end)
    target = reference.target.lstrip("/")
    top = ("",) if target != reference.target else ()
    for place in top if top and reference.name != "above" else (*top, *above(merge.source)):
        path = normpath(f"{place}/{target}" if place else target)
        if path.startswith(("../", "/")) or path in (".", "..", place):
            continue
        found = listed(names, path) if "*" in path or "?" in path else (path,) if names.exists(path) else ()
        if not found and reference.name != "above":
            found = tuple(each for name in DIRECTORY_MANIFESTS if names.exists(each := f"{path}/{name}"))[:1]
        for each in found:
            merge.add("config", relation, each, EXACT, STATIC, here)
        if found or reference.name != "above":
            return


def _manifest_in(source: str, target: str, names: Names) -> Iterator[str]:
    """What stands for a directory that is named as a whole: the file that tools look for in it."""
    if target.startswith(("./", "../")) or ("/" in target and "." not in target.rpartition("/")[2]):
        for manifest in DIRECTORY_MANIFESTS:
            path = _exact_path(source, f"{target.rstrip('/')}/{manifest}", names)
            if path:
                yield path
                return


def _module_value(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    relation = "configures" if language in _CONFIG_LANGUAGES else "references"
    here = fragment(reference.start, reference.end)
    for target in resolve_dotted(names, merge.source, reference.target):
        merge.add("config", relation, target.path, target.confidence, STATIC, here, target.symbol)


def _entry(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    here = fragment(reference.start, reference.end)
    dotted = f"{reference.target}.{reference.name}" if reference.name else reference.target
    for target in resolve_dotted(names, merge.source, dotted):
        merge.add("config", "provides", target.path, target.confidence, STATIC, here, target.symbol)


def _symbol(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A dotted name in code markup: in the module spoken of if it has it, through its own, else by its symbol."""
    here = fragment(reference.start, reference.end)
    spoken = resolve_dotted(names, merge.source, f"{reference.name}.{reference.target}") if reference.name else []
    targets = [each for each in spoken if each.symbol.partition(".")[0] in names.members(each.path)]
    targets = targets or resolve_dotted(names, merge.source, reference.target)
    if targets:
        for target in targets:
            merge.add("comments", "references", target.path, target.confidence, STATIC, here, target.symbol)
        return
    found = names.symbols(reference.target) if len(reference.target) > 3 else ()
    for path in found or ():
        confidence = UNIQUE_SUFFIX if found and len(found) == 1 else (1, len(found or ()))
        merge.add("comments", "references", path, confidence, STATIC, here, reference.target)


def _mention(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    phase = "comments" if reference.kind == "comment" else "mentions"
    here = fragment(reference.start, reference.end)
    for target, confidence in _candidates(merge.source, reference.target, names):
        merge.add(phase, "mentions", target, confidence, STATIC, here)


def _depends(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A package or project that a manifest of the tree stands for."""
    here = fragment(reference.start, reference.end)
    for target in resolve(language, names, merge.source, reference).targets:
        merge.add("config", "depends_on", target.path, target.confidence, STATIC, here)


def _provided(merge: _Merge, reference: Reference, language: str, names: Names) -> None:
    """A file that a manifest offers, or those that a pattern takes in but for what lies in the directories named."""
    place = _inside(merge.source, reference.target)
    if not place:
        return
    there = (place,) if "*" not in place and names.exists(place) else spread(names, place) if "*" in place else ()
    but = [_inside(merge.source, each) for each in reference.name.split("\t") if each]
    for path in there:
        if not any(each and path.startswith(f"{each}/") for each in but):
            merge.add("config", "provides", path, EXACT, STATIC, fragment(reference.start, reference.end))


_OTHERS = {
    "link": _linked,
    "doc": _document,
    "symbol": _symbol,
    "path": _configured,
    "file": _named_file,
    "module": _module_value,
    "entry": _entry,
    "mention": _mention,
    "comment": _mention,
    "depends": _depends,
    "provides": _provided,
}


def _tested(path: str, imported: set[str], names: Names) -> Iterator[tuple[str, Fraction]]:
    """What a test file tests, by its name; an import of one candidate decides among several, else its place.

    A test by its place alone (tests/parse.js) tests what it imports of its name.
    """
    stem = tested_stem(path)
    if not stem:
        own = [p for p in names.implementations(normalised_stem(split_name(path)[1])) or () if p in imported]
        yield from ((target, (1, len(own))) for target in own)
    words = stem.split("_") if stem else []
    for cut in range(len(words)):
        found = names.implementations("_".join(words[cut:]))
        if found and cut:  # test_ext_autodoc → …/ext/autodoc.py: what was cut must name a directory
            found = tuple(p for p in found if words[cut - 1] in p.lower().split("/")[:-1])
        if not found:
            continue
        direct = tuple(p for p in found if p in imported)
        chosen = direct or mirrored(path, found)
        confidence = EXACT if len(direct) == 1 else UNIQUE_SUFFIX if len(chosen) == 1 else (1, len(chosen))
        for target in chosen:
            yield target, confidence
        return


def is_package_root(path: str, names: Names) -> bool:
    """Whether the file is the `__init__.py` of a package that lies in no other package."""
    directory, _, name = path.rpartition("/")
    if name != "__init__.py" or not directory:
        return False
    above = directory.rpartition("/")[0]
    return not names.exists(f"{above}/__init__.py" if above else "__init__.py")
