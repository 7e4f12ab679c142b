"""What tickets rest on: references pinned to passages and blobs, and what happens when those change.

Knows that a ticket whose evidence changed or vanished is stale, and that a source
made more private takes what was learned from it along.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from ..git import Repository
from ..git.run import attempt
from . import files, store
from .clock import now
from .model import narrower
from .project import Project
from .store import Connection

_OPEN = ("candidate", "quarantined", "approved")
_BATCH = 500
# Whether a ticket `t` was written to a file since a decision on it was last taken back.
_WRITTEN = (
    "EXISTS(SELECT 1 FROM memory_candidate_events e WHERE e.candidate=t.id AND e.event='apply' AND NOT EXISTS("
    "SELECT 1 FROM memory_candidate_events u WHERE u.candidate=t.id AND u.event='undo' AND u.id>e.id))"
)


def of_chunk(db: Connection, chunk: int, start: int = 0, stop: int = 0) -> dict[str, Any]:
    """A reference to a passage, pinned to its text."""
    ref, checksum, location, uri, source, blob, scope = db.execute(
        "SELECT c.ref, c.checksum, c.location, s.uri, s.ref, s.blob, s.scope FROM chunks c"
        " JOIN sources s ON s.id=c.source WHERE c.id=?",
        (chunk,),
    ).fetchone()
    found = {"chunk": ref, "checksum": checksum, "uri": uri, "source": source, "location": location, "scope": scope}
    if blob:
        found["blob"] = blob
    if stop > start:
        found["characters"] = [start, stop]
    return found


def blobs_at_head(repo: Repository | None, paths: Iterable[str]) -> dict[str, str]:
    """path → blob of HEAD, for those that are there."""
    found: dict[str, str] = {}
    wanted = [path for path in dict.fromkeys(paths) if path and "\0" not in path]
    if repo is None or repo.head is None:
        return found
    for start in range(0, len(wanted), _BATCH):
        names = [os.fsencode(path).decode("utf-8", "surrogateescape") for path in wanted[start : start + _BATCH]]
        code, out, _ = attempt(repo, "ls-tree", "-z", "--full-tree", repo.head, "--", *names)
        for record in out.split(b"\0") if code == 0 else ():
            head, _, path = record.partition(b"\t")
            if b" blob " in head:
                found[os.fsdecode(path)] = head.split(b" ")[2].decode("ascii")
    return found


def unread(db: Connection, project: Project, refs: Iterable[str] | None = None) -> list[str]:
    """The sources open tickets rest on that are not as they were when they were read; `refs`: of these tickets."""
    wanted = None if refs is None else set(refs)
    marks = ",".join("?" * len(_OPEN))
    rows = db.execute(
        "SELECT DISTINCT m.ref, s.uri, s.origin, s.blob, s.checksum, s.root FROM memory_candidates m,"
        " json_each(m.source_refs) r JOIN sources s ON s.uri=json_extract(r.value, '$.uri')"
        f" WHERE m.status IN ({marks})",
        _OPEN,
    ).fetchall()
    held = {row[1]: row[2:] for row in rows if wanted is None or row[0] in wanted}
    heads = blobs_at_head(project.repo, [uri for uri, row in held.items() if row[0] == "git"])
    return sorted(
        uri
        for uri, (origin, blob, checksum, root) in held.items()
        if (heads.get(uri) != blob if origin == "git" else _on_disk(project, root, uri) != checksum)
    )


def _on_disk(project: Project, root: str, uri: str) -> str:
    """SHA-256 of a file as it lies there now; "" when it cannot be read."""
    import tempfile  # what no question needs

    base = os.path.dirname(root) if os.path.isabs(root) else project.root
    relative = os.path.relpath(uri, base) if os.path.isabs(uri) else uri
    with tempfile.TemporaryFile(prefix="oracl-") as copy:
        try:
            return files.copy(base, relative, copy).checksum
        except files.Unreadable:
            return ""


def refresh(db: Connection, project: Project, refs: Iterable[str] | None = None) -> int:
    """Mark open tickets stale whose evidence is not what it was, and working memory invalid; how many tickets."""
    wanted = None if refs is None else set(refs)
    with store.transaction(db):
        pinned = [(row, json.loads(row[3])) for row in _resting(db) if wanted is None or row[1] in wanted]
        paths = [ref["path"] for _, refs_ in pinned for ref in refs_ if "path" in ref]
        heads = blobs_at_head(project.repo, paths)
        stale = [(row, why) for row, refs_ in pinned for why in [_changed(db, refs_, heads)] if why]
        for row, why in stale:
            record(db, row[0], "stale", row[2], "stale", why, "runtime")
        held = db.execute("SELECT id, source_refs FROM working_memory WHERE status='active'").fetchall()
        for number, rests in held if wanted is None else ():
            if why := _changed(db, json.loads(rests), {}):
                db.execute(
                    "UPDATE working_memory SET status='invalidated', invalidation_reason=? WHERE id=?", (why, number)
                )
    return len(stale)


def _resting(db: Connection) -> list[tuple[int, str, str, str]]:
    """(id, name, status, references) of the open tickets that rest on something and are in no file yet."""
    marks = ",".join("?" * len(_OPEN))
    return db.execute(
        f"SELECT id, ref, status, source_refs FROM memory_candidates t WHERE status IN ({marks}) AND source_refs"
        f" <> '[]' AND NOT {_WRITTEN}",
        _OPEN,
    ).fetchall()


def forget(db: Connection, uris: Iterable[str]) -> int:
    """Take away what was learned from sources that are to be forgotten: their words stand there too; how many tickets.

    What was written to a file for git to track stays: it is no secret of this store any more.
    The caller holds the transaction.
    """
    holds = "EXISTS(SELECT 1 FROM json_each(t.source_refs) r WHERE json_extract(r.value, '$.uri')=?)"
    gone = 0
    for uri in uris:
        gone += db.execute(
            f"DELETE FROM memory_candidates AS t WHERE {holds} AND NOT {_WRITTEN}",
            (uri,),
        ).rowcount
        db.execute(f"DELETE FROM working_memory AS t WHERE {holds}", (uri,))
    return gone


def _changed(db: Connection, refs: list[dict[str, Any]], heads: dict[str, str]) -> str:
    """What happened to the evidence of a ticket; "" when nothing did."""
    for ref in refs:
        if "chunk" in ref:
            held = db.execute(
                "SELECT count(*), sum(c.checksum=?) FROM sources s LEFT JOIN chunks c ON c.source=s.id WHERE s.uri=?",
                (ref.get("checksum"), ref.get("uri")),
            ).fetchone()
            if not held[0]:
                return f"{ref.get('uri')} is no longer there"
            if not held[1]:
                return f"{ref.get('uri')} {ref.get('location', '')} has changed"
        elif "path" in ref:
            now_at = heads.get(ref["path"])
            if now_at is None:
                return f"{ref['path']} is no longer there"
            if ref.get("blob") and now_at != ref["blob"]:
                return f"{ref['path']} has changed"
    return ""


def record(db: Connection, ticket: int, event: str, old: str, new: str, reason: str, actor: str) -> None:
    """Write a review event and the status it leads to. The caller holds the transaction."""
    at = now()
    db.execute(
        "INSERT INTO memory_candidate_events(candidate, event, old_status, new_status, reason, actor, at)"
        " VALUES(?,?,?,?,?,?,?)",
        (ticket, event, old, new, reason, actor, at),
    )
    db.execute("UPDATE memory_candidates SET status=?, updated_at=? WHERE id=?", (new, at, ticket))


def rescope(db: Connection, uri: str, scope: str) -> None:
    """A source has another scope now: what was learned from it becomes as private. The caller holds the transaction."""
    holds = "EXISTS(SELECT 1 FROM json_each({}.source_refs) r WHERE json_extract(r.value, '$.uri')=?)"
    for number, refs, old, status in db.execute(
        f"SELECT id, source_refs, scope, status FROM memory_candidates WHERE {holds.format('memory_candidates')}",
        (uri,),
    ).fetchall():
        refs, new = _rescoped(refs, uri, scope, old)
        db.execute(
            "UPDATE memory_candidates SET source_refs=?, scope=?, suggested_scope=? WHERE id=?",
            (refs, new, new, number),
        )
        if new != old:
            db.execute("DELETE FROM memory_links WHERE source=? OR target=?", (number, number))
            record(db, number, "rescope", status, status, f"{uri} is {scope} now", "runtime")
    for number, refs, old in db.execute(
        f"SELECT id, source_refs, scope FROM working_memory WHERE {holds.format('working_memory')}", (uri,)
    ).fetchall():
        refs, new = _rescoped(refs, uri, scope, old)
        db.execute("UPDATE working_memory SET source_refs=?, scope=? WHERE id=?", (refs, new, number))


def _rescoped(refs: str, uri: str, scope: str, old: str) -> tuple[str, str]:
    """(references with the new scope, the scope that follows from all of them)."""
    rows = json.loads(refs)
    for row in rows:
        if row.get("uri") == uri:
            row["scope"] = scope
    scopes = [row["scope"] for row in rows if "scope" in row]
    new = scopes[0] if scopes else old
    for each in scopes[1:]:
        new = narrower(new, each)
    return json.dumps(rows, sort_keys=True), new
