"""From documents to rows: read, parse, cut, encode, and replace a source's own rows in one transaction.

Knows the order, that a file fails alone, and that a kill at any instant leaves
whole sources. What there is to read `gather.py` says; what it means, the parsers.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import IO, Any

from ..git import open_objects
from . import entities, evidence, files, gather, held, mentions, store
from .chunking import Chunk, chunks, ref_of
from .clock import now
from .embedding import Adapter, Vector, sketch
from .gather import Found, Roots
from .model import PARSED, PARSER_ERROR, UNSUPPORTED, Counts, narrower
from .project import Project, Root
from .store import Connection
from .text_index import add, rebuild
from .words import VERSION

Progress = Callable[[str, int, int], None]
OCR_SECONDS = 60.0  # of wall time, for all pictures and scanned pages of one ingest
_REVISION = "4"  # of how documents become rows; another one reads everything again


@dataclass
class Known:
    """A source as the store holds it."""

    id: int
    ref: str
    checksum: str
    blob: str
    version: int
    status: str
    scope: str
    root: str
    origin: str
    left_out: bool = False  # it holds pictures that there was no time to read


@dataclass(frozen=True)
class Prepared:
    """A source ready to be written."""

    found: Found
    checksum: str
    size: int
    source_type: str
    status: str
    reason: str = ""
    title: str = ""
    warnings: tuple[str, ...] = ()
    metadata: tuple[tuple[str, str], ...] = ()
    rows: tuple[Chunk, ...] = ()


def source_ref(uri: str) -> str:
    """The name of a source: the same in every clone."""
    return "src_" + hashlib.sha256(f"source\0{uri}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


class Ingest:
    """One ingest under way."""

    def __init__(
        self,
        db: Connection,
        project: Project,
        adapter: Adapter,
        progress: Progress | None = None,
        ocr: float | None = None,
    ) -> None:
        self.db, self.project, self.adapter = db, project, adapter
        self.tell: Progress = progress or (lambda step, done, total: None)
        self.counts = Counts()
        self.ocr_left = OCR_SECONDS if ocr is None else ocr
        self.ocr_asked = ocr is not None  # who names a time wants what was left out, too
        self.meta: dict[str, str] = dict(db.execute("SELECT key, value FROM meta"))

    def run(self, registered: Iterable[Root], *, allow: bool = False, only_tracked: bool = False) -> Counts:
        """Bring the store to what the roots hold. `allow`: their owner named them just now."""
        roots = Roots(self.project, registered, self.counts, allow)
        anew = self._revise()
        self.counts.rescoped += held.rescope(self.db, roots)
        self.counts.removed += held.forget(self.db, held.unregistered(self.db, roots))
        known = self._known()
        same_roots = self.meta.get("roots") == roots.signature() and not anew
        blobs = {uri: row.blob for uri, row in known.items() if row.origin == "git" and not self._retry(row, anew)}
        start = (
            self.meta.get("tree", "")
            if same_roots and len(blobs) == sum(r.origin == "git" for r in known.values())
            else ""
        )
        in_git = gather.tracked(self.project, roots, start, blobs, self.counts)
        beside: list[Found] = []
        if not only_tracked:
            paths = gather.tracked_paths(self.project.repo, roots)
            beside = list(gather.on_disk(self.project, roots, paths, self.counts))
        self._read(in_git.found, beside, known, anew)
        seen = {found.uri for found in (*in_git.found, *beside)}
        gone = {uri for uri in in_git.gone if uri in known and known[uri].origin == "git"}
        if not only_tracked:
            gone |= {uri for uri, row in known.items() if row.origin == "file"}
        self.counts.removed += held.forget(self.db, sorted(gone - seen))
        self._remember(tree=in_git.tree, roots=roots.signature(), table=self.adapter.seen)
        self.counts.stale += evidence.refresh(self.db, self.project)
        return self.counts

    # -- what is held ------------------------------------------------------------------------

    def _known(self) -> dict[str, Known]:
        rows = self.db.execute(
            "SELECT uri, id, ref, checksum, blob, version, status, scope, root, origin, reason LIKE 'left_out:%' OR"
            " json_extract(metadata, '$.ocr_left') IS NOT NULL FROM sources"
        )
        return {uri: Known(*rest) for uri, *rest in rows}

    def _revise(self) -> bool:
        """Whether everything has to be read again: another way to make rows, or another embedding."""
        made = f"{_REVISION} words={VERSION} vectors={self.adapter.name}"
        if self.meta.get("made") == made:
            return False
        with store.transaction(self.db):
            if "made" in self.meta:  # or taking old rows away would not match what the full-text index holds
                rebuild(self.db)
            self.db.execute("INSERT OR REPLACE INTO meta VALUES('made', ?)", (made,))
        return "made" in self.meta

    def _retry(self, row: Known, anew: bool) -> bool:
        """Whether a source is to be read although its bytes are the same."""
        if anew or (self.ocr_asked and row.left_out):
            return True
        return bool(row.status == UNSUPPORTED and self.meta.get("adapters") != adapters_signature())

    def _remember(self, **values: str) -> None:
        with store.transaction(self.db):
            self.db.executemany("INSERT OR REPLACE INTO meta VALUES(?,?)", values.items())

    # -- reading ------------------------------------------------------------------------------

    def _read(self, in_git: list[Found], beside: list[Found], known: dict[str, Known], anew: bool) -> None:
        total = len(in_git) + len(beside)
        blobs = {found.blob for found in in_git}
        done = 0
        with tempfile.TemporaryFile(prefix="oracl-") as copy:
            if blobs and self.project.repo is not None:
                by_blob: dict[str, list[Found]] = {}
                for found in in_git:
                    by_blob.setdefault(found.blob, []).append(found)
                with open_objects(self.project.repo) as objects:
                    sizes = dict(objects.sizes(list(by_blob)))
                    large = [oid for oid in by_blob if (sizes[oid] or 0) > files.MAX_BYTES]  # is not even unpacked
                    for found in (each for oid in large for each in by_blob.pop(oid)):
                        self._one(found, known.get(found.uri), anew, copy, None, sizes[found.blob] or 0)
                        done += 1
                    for oid, data in objects.blobs(list(by_blob)):
                        for found in by_blob[oid]:
                            self._one(found, known.get(found.uri), anew, copy, data)
                            done += 1
                            self.tell("reading documents", done, total)
            for found in beside:
                self._one(found, known.get(found.uri), anew, copy, None)
                done += 1
                self.tell("reading documents", done, total)
        self._remember(adapters=adapters_signature())

    def _one(
        self, found: Found, known: Known | None, anew: bool, copy: IO[bytes], data: bytes | None, size: int = 0
    ) -> None:
        """One document: whatever is wrong with it is its own affair. `size`: of a blob that is too large to be read."""
        try:
            checksum, size = self._fetch(found, copy, data, size)
        except files.Unreadable as error:
            if str(error) == "not there" or (str(error) == "changed while it was read" and known is not None):
                self.counts.skip(str(error))  # what was held stays for now
                return
            self._write(Prepared(found, "", 0, _suffix(found.uri), PARSER_ERROR, str(error)), known)
            return
        self.counts.read += 1
        if known is not None and known.checksum == checksum and not self._retry(known, anew):
            self.counts.unchanged += 1
            if known.blob != found.blob:
                with store.transaction(self.db):
                    self.db.execute(
                        "UPDATE sources SET blob=?, origin=? WHERE id=?",
                        (found.blob, "git" if found.blob else "file", known.id),
                    )
            return
        self._write(self._parse(found, checksum, size, copy), known)

    def _fetch(self, found: Found, copy: IO[bytes], data: bytes | None, size: int) -> tuple[str, int]:
        """Put the bytes into `copy`; (SHA-256, size)."""
        if not found.blob:
            got = files.copy(found.base, found.relative, copy)
            return got.checksum, got.size
        if size > files.MAX_BYTES:
            raise files.Unreadable(f"larger than {files.MAX_BYTES >> 20} MiB")
        if data is None:
            raise files.Unreadable("not in this clone")
        copy.seek(0)
        copy.truncate()
        copy.write(data)
        copy.flush()
        return hashlib.sha256(data).hexdigest(), len(data)

    def _parse(self, found: Found, checksum: str, size: int, copy: IO[bytes]) -> Prepared:
        from .parsers import LIMITS, SUFFIXES, Refused, parse

        suffix = os.path.splitext(found.uri)[1].lower()
        limits = replace(LIMITS, ocr_seconds=max(0.0, self.ocr_left))
        started = time.monotonic()
        try:
            document = parse(copy.fileno(), suffix=suffix, limits=limits)
            if "ocr" in document.metadata:
                self.ocr_left -= time.monotonic() - started
            if "ocr_left" in document.metadata:
                self.counts.left_out.append(found.uri)
        except Refused as error:
            if suffix in SUFFIXES and SUFFIXES[suffix].tool:
                self.ocr_left -= time.monotonic() - started
            if error.reason_code == "left_out":
                self.counts.left_out.append(found.uri)
            return Prepared(
                found, checksum, size, _suffix(found.uri), error.status, f"{error.reason_code}: {error.message}"
            )
        rows = tuple(chunks(document))
        if not rows:
            return Prepared(
                found, checksum, size, document.format, PARSED, "no text in it", document.title, document.warnings
            )
        return Prepared(
            found,
            checksum,
            size,
            document.format,
            PARSED,
            "",
            document.title or os.path.basename(found.uri),
            document.warnings,
            tuple(sorted(document.metadata.items())),
            rows,
        )

    # -- writing --------------------------------------------------------------------------------

    def _write(self, source: Prepared, known: Known | None) -> None:
        """Replace the source's rows, in one transaction."""
        encoded = [(chunk, self.adapter.encode(f"{chunk.heading}\n{chunk.text}")) for chunk in source.rows]
        graph = entities.extract(source.rows)
        uri, root = source.found.uri, source.found.root
        with store.transaction(self.db):
            row = self.db.execute("SELECT id, version, checksum, status FROM sources WHERE uri=?", (uri,)).fetchone()
            if (
                row
                and (row[2], row[3]) == (source.checksum, source.status)
                and (known is None or known.checksum != row[2])
            ):
                self.counts.unchanged += 1
                return  # another ingest was faster
            if row:
                held.clear(self.db, row[0])
            changed = row is not None and row[2] != source.checksum
            version = (row[1] + changed) if row else 1
            values = (
                source_ref(uri),
                uri,
                root.path,
                "git" if source.found.blob else "file",
                root.kind,
                source.source_type,
                source.title,
                root.scope,
                source.checksum,
                source.found.blob,
                source.size,
                version,
                source.status,
                source.reason,
                json.dumps(source.warnings),
                json.dumps(dict(source.metadata), sort_keys=True),
                now(),
            )
            names = (
                "ref, uri, root, origin, kind, source_type, title, scope, checksum, blob, size, version, status,"
                " reason,"
                " warnings, metadata, ingested_at"
            )
            if row:
                sets = ", ".join(f"{name.strip()}=?" for name in names.split(","))
                self.db.execute(f"UPDATE sources SET {sets} WHERE id=?", (*values, row[0]))
                source_id = row[0]
            else:
                source_id = self.db.execute(
                    f"INSERT INTO sources({names}) VALUES({','.join('?' * len(values))})", values
                ).lastrowid
            self._lineage(uri, source, changed, row)
            ids = [self._chunk(source_id, source, chunk, vector) for chunk, vector in encoded]
            found, related = entities.save(self.db, ids, graph)
        self.counts.chunks += len(ids)
        self.counts.entities += found
        self.counts.relations += related
        self.counts.new += row is None
        self.counts.changed += changed
        if source.status != PARSED and not source.reason.startswith("left_out:"):
            self.counts.failed.append((uri, source.status, source.reason))

    def _chunk(self, source_id: int, source: Prepared, chunk: Chunk, vector: Vector) -> int:
        uri = source.found.uri
        cursor = self.db.execute(
            "INSERT INTO chunks(ref, source, ordinal, heading, kind, location, text, tokens, checksum, vector,"
            " norm, sketch)"
            " VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                ref_of(uri, source.checksum, chunk.ordinal),
                source_id,
                chunk.ordinal,
                chunk.heading,
                chunk.kind,
                chunk.location,
                chunk.text,
                chunk.tokens,
                chunk.checksum,
                vector.data,
                vector.norm,
                sketch(vector),
            ),
        )
        number = int(cursor.lastrowid or 0)
        add(self.db, number, uri, source.title, chunk.heading, chunk.text)
        self.db.executemany(
            "INSERT INTO mentions VALUES(?,?)", ((number, name) for name in mentions.names_in(chunk.text))
        )
        return number

    def _lineage(self, uri: str, source: Prepared, changed: bool, row: tuple[Any, ...] | None) -> None:
        """Where this comes from: its earlier bytes, or the same bytes elsewhere."""
        ref, at = source_ref(uri), now()
        rows = []
        if row and changed:
            rows.append((ref, ref, "version_of", row[2], at))
        if source.checksum:
            twins = self.db.execute(
                "SELECT ref, uri, scope FROM sources WHERE checksum=? AND uri<>? ORDER BY uri", (source.checksum, uri)
            )
            scope = source.found.root.scope
            for twin, other, seen in twins.fetchall()[:20]:
                if self._present(other):
                    rows.append((ref, twin, "same_content_as", source.checksum, at))
                elif narrower(scope, seen) == scope:  # or who may see this could learn of a name that was hidden
                    rows.append((ref, twin, "moved_from", source.checksum, at))
        self.db.executemany(
            "INSERT OR IGNORE INTO source_lineage(source, parent, relation, checksum, observed_at) VALUES(?,?,?,?,?)",
            rows,
        )

    def _present(self, uri: str) -> bool:
        """Whether a file is still where a source says it was."""
        return os.path.lexists(os.path.join(self.project.root, uri))


def _suffix(uri: str) -> str:
    return os.path.splitext(uri)[1].lstrip(".").lower() or "none"


def adapters_signature() -> str:
    """The same while the same formats can be read."""
    from .parsers import FORMATS

    return " ".join(sorted(name for name, form in FORMATS.items() if not form.unavailable()))


def record_adapters(db: Connection, adapter: Adapter) -> None:
    """Write which parsers and which vectors this machine has."""
    from .parsers import FORMATS

    at = now()
    rows = [
        (name, "parser", "unavailable" if (why := form.unavailable()) else "available", why or form.title, at)
        for name, form in FORMATS.items()
    ]
    rows.append((adapter.name, "vector", adapter.status, adapter.detail or f"{adapter.dimensions} dimensions", at))
    with store.transaction(db):
        db.execute("DELETE FROM runtime_adapters")
        db.executemany("INSERT INTO runtime_adapters VALUES(?,?,?,?,?)", rows)
