"""Where the graph and the ontology meet: documents of artifacts, and artifacts of documents.

Knows how a name resolves in the index, and how a passage becomes a result beside
files. Private passages never come this way.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .errors import NoIndex, NotARepository, UsageError
from .extract.words import split_identifiers
from .git import discover
from .graph.model import encode_path
from .ontology import documents
from .ontology.model import DEFAULT_SCOPES
from .ontology.project import Project
from .ontology.runtime import Asked, Runtime
from .ontology.words import terms, words
from .recall.model import Answer, Reason, Result

if TYPE_CHECKING:
    from .service import Oracl
    from .store.index import Index, Node

_MANY = 200  # artifacts, or definitions, of one name that are looked at
_NAMED, _SPOKEN = 0.30, 0.20  # what a passage that names the file adds, and one that speaks of its subject
_PASSAGES = 3  # of each kind beside the files
_LINES = re.compile(r"L\d+(?:-\d+)?")


def ontology_at(path: str = "", *, db: str = "", embedding: str = "", model_path: str = "") -> Runtime:
    """The ontology of the project at a path (default: here), or of a database file."""
    place = os.path.realpath(path or os.curdir)
    if not os.path.isdir(place):
        raise UsageError(f"{path} is not a directory", "name a directory with --project")
    try:
        repo = discover(place)
    except NotARepository:
        if not db and not path and not os.path.isdir(os.path.join(place, ".agentlas")):
            raise
        return Runtime(Project(place), db=db, embedding=embedding, model_path=model_path)
    if repo.work_tree is None and not db:
        raise UsageError("a bare repository has no files to keep an ontology in", "ask in a clone of it")
    return Runtime(Project(repo.work_tree or place, repo), db=db, embedding=embedding, model_path=model_path)


class GraphNames:
    """What the artifacts of an index are called."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def symbols(self, path: str) -> Sequence[str]:
        """The names an artifact defines."""
        node = self.index.node(path)
        return [name for name, *_ in self.index.definitions(node.id)] if node else ()

    def by_path(self, suffix: str) -> Sequence[str]:
        """The artifacts whose path is, or ends in, so many segments; an exact one stands alone."""
        if self.index.node(suffix):
            return [suffix]
        rows = self.index.paths("name=?", encode_path(posixpath.basename(suffix)))
        return [path for _, path in rows if path.endswith("/" + suffix)][:_MANY]

    def by_symbol(self, name: str) -> Sequence[str]:
        """The artifacts that define a name; one may do so many times."""
        nodes = dict.fromkeys(node for _, node, _, _ in self.index.symbols_named([name], _MANY))
        return [node.path for node in self.index.nodes(nodes).values()]


def with_documents(index: Index, runtime: Runtime, nodes: Sequence[Node], answer: Answer, limit: int) -> Answer:
    """The answer of `related`, with the passages of the ontology that belong to these files."""
    asked = {node.path for node in nodes}
    rows = {result.path: result for result in answer.results}
    added: dict[str, Result] = {}
    names = GraphNames(index)
    for node in nodes:
        for edge in documents.of_artifact(runtime.reader, node.path, names, DEFAULT_SCOPES):
            text = f"documents {posixpath.basename(node.path)}: names it {edge.name}" + (
                f" in {edge.heading}" if edge.heading else ""
            )
            _add(
                rows,
                added,
                edge.uri,
                edge.location,
                edge.heading,
                edge.text,
                Reason("documents", text, _NAMED * edge.confidence),
            )
        for hit in runtime.search(_subject(index, node), limit=_PASSAGES):
            if hit.uri not in asked:
                text = f"speaks of {', '.join(_said(hit.reasons)) or 'the same'}" + (
                    f" in {hit.heading}" if hit.heading else ""
                )
                _add(
                    rows,
                    added,
                    hit.uri,
                    hit.location,
                    hit.heading,
                    hit.text,
                    Reason("subject", text, _SPOKEN * hit.score * hit.confidence),
                )
    best = sorted(added.values(), key=lambda result: (-result.score, result.path))[: 2 * _PASSAGES]
    merged = sorted([*rows.values(), *(r for r in best if r.path not in asked)], key=lambda r: (-r.score, r.path))
    return answer._replace(results=tuple(merged[:limit]), total=answer.total + len(best))


def _add(
    rows: dict[str, Result], added: dict[str, Result], uri: str, location: str, heading: str, text: str, reason: Reason
) -> None:
    """A reason more for a file that is among the results, or a passage beside them."""
    old = rows.get(uri) or added.get(uri)
    if old is None:
        where = location if _LINES.fullmatch(location) else ""
        title = " / ".join(filter(None, [heading, "" if where else location]))
        added[uri] = Result(uri, reason.share, where, where, title, "docs", "ontology", (reason,), "", text[:600])
    elif not any(r.signal == reason.signal for r in old.reasons):
        table = rows if uri in rows else added
        table[uri] = old._replace(score=old.score + reason.share, reasons=(*old.reasons, reason))


def _said(reasons: Sequence[tuple[str, str, float]]) -> list[str]:
    return [text.removeprefix("says ") for signal, text, _ in reasons if signal == "words" and text.startswith("says ")]


_GENERIC = frozenset(
    "init main index test tests conftest utils util helpers common base core types setup src lib".split()
)


def _subject(index: Index, node: Node) -> str:
    """What a file is about, in a few words: its name, and the beginning of its text."""
    stem = split_identifiers(posixpath.splitext(posixpath.basename(node.path))[0]).replace("_", " ")
    names = " ".join(word for word in stem.split() if word.lower() not in _GENERIC)
    texts = index.texts(node)
    opening = " ".join(texts[0][1].split()[:12]) if texts else ""
    return f"{names} {opening if node.role != 'code' or len(names) < 4 else ''}".strip()


def add_artifacts(oracl: Oracl, runtime: Runtime, asked: Asked) -> None:
    """Put to an answer of the ontology the artifacts its passages document, and the code that answers the question."""
    try:
        index = oracl.present()
    except NoIndex as error:
        asked.notes.append(f"without code: {error.message} ({error.hint})")
        return
    names = GraphNames(index)
    seen: set[tuple[str, str]] = set()
    for hit in asked.hits:
        for edge in documents.of_chunk(runtime.reader, hit.chunk, names):
            if (edge.ref, edge.path) not in seen:
                seen.add((edge.ref, edge.path))
                asked.documents.append(edge)
    hidden = runtime.hidden(asked.scopes)
    wanted = [set(term.parts) for term in terms(asked.question)]
    for result in oracl.search(asked.question, limit=5, snippet=True, update=False).results if wanted else ():
        held = set(words(f"{result.path} {result.title} {result.snippet}"))
        if sum(parts <= held for parts in wanted) >= 0.6 * len(wanted) and result.path not in hidden | {
            hit.uri for hit in asked.hits
        }:
            asked.artifacts.append(result)
