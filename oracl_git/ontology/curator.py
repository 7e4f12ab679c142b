"""The Memory Curator: approved tickets as files that git tracks, for a person to review and commit.

Knows the files, and that lines of two branches must merge: one entry a line, no two
lines alike, and a union merge asked for in `.agentlas/.gitattributes`. What people
write is left alone: their lines may be alike, and a union of two branches would mix
them. Takes back what a later decision took back. Never commits, and never writes a
private ticket unless told to.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from typing import Any

from ..graph import learned as learned_tags
from ..learn.tracked import wrong
from ..store.taking import alone
from . import evidence, memory, store
from .memory import Ticket
from .model import CONSTRAINT, EDGE, EXPERIENCE, FACT, PRIVATE, SCOPES, TAG
from .project import HOME, Project, read_json, unlinked, write_whole
from .store import Connection
from .words import folded

MEMORY = "memory"
EDGES, TAGS, CONSTRAINTS = "learned_edges.json", "learned_tags.json", "learned_constraints.toml"
ATTRIBUTES, BY_HAND = ".gitattributes", "constraints.toml"
_UNION = (EDGES, TAGS, CONSTRAINTS)
_ODD = re.compile("[\x7f-\x9f\u2028\u2029]")
_SLUG = re.compile(r"[^\w]+", re.UNICODE)


@dataclass
class Applied:
    """What an apply wrote and what it took back."""

    written: list[str] = field(default_factory=list)  # paths, relative to the project
    removed: list[str] = field(default_factory=list)
    tickets: list[str] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)  # private ones


def apply(
    db: Connection, project: Project, *, actor: str, allow_private: bool = False, dry_run: bool = False
) -> Applied:
    """Bring the tracked files to what the approved tickets say; nothing is committed."""
    memory.expire(db)
    evidence.refresh(db, project)
    with alone(project.place(EDGES), make=True):  # another who writes there waits, and reads what is written here
        return _apply(db, project, actor, allow_private, dry_run)


def _apply(db: Connection, project: Project, actor: str, allow_private: bool, dry_run: bool) -> Applied:
    approved = list(memory.tickets(db, status="approved", scopes=SCOPES, experience=True))
    done = Applied()
    done.withheld = [t.ref for t in approved if t.scope == PRIVATE and not allow_private]
    wanted = [t for t in approved if t.ref not in set(done.withheld)]
    known = {ref for (ref,) in db.execute("SELECT ref FROM memory_candidates")}
    withdrawn = known - {t.ref for t in approved}  # a private one that is not written now stays where it was
    files = _memories(project, wanted, withdrawn) | _learned(project, wanted, withdrawn | _proposals(db, withdrawn))
    files |= _by_hand(project, known)
    files |= _attributes(project) if files else {}
    for path, content in sorted(files.items()):
        if content is None:
            done.removed.append(path)
        elif _held(project, path) != content:
            done.written.append(path)
    if dry_run:
        return done
    for path in done.written:
        content = files[path]
        assert content is not None
        full = os.path.join(project.root, path)
        unlinked(project, os.path.dirname(path))
        write_whole(full, content)
    for path in done.removed:
        os.unlink(os.path.join(project.root, path))
    _note(db, wanted, done, actor)
    return done


def _note(db: Connection, wanted: list[Ticket], done: Applied, actor: str) -> None:
    """An event for each ticket that is in a file now and was not before."""
    with store.transaction(db):
        for ticket in wanted:
            last = db.execute(
                "SELECT event FROM memory_candidate_events WHERE candidate=? ORDER BY id DESC LIMIT 1", (ticket.id,)
            ).fetchone()
            if last is None or last[0] != "apply":
                evidence.record(
                    db, ticket.id, "apply", ticket.status, ticket.status, "written for review", f"curator:{actor}"
                )
                done.tickets.append(ticket.ref)


def _held(project: Project, path: str) -> bytes | None:
    full = os.path.join(project.root, path)
    if os.path.islink(full) or not os.path.isfile(full):
        return None
    with open(full, "rb") as file:
        return file.read()


# -- memory as prose --------------------------------------------------------------------------


def slug(text: str) -> str:
    """A short file name of the first words of a text."""
    words = [word for word in _SLUG.split(folded(text).lower()) if word][:6]
    return "-".join(words)[:60] or "memory"


def _memories(project: Project, wanted: list[Ticket], withdrawn: set[str]) -> dict[str, bytes | None]:
    """path → content of each memory file; None for one whose ticket stands no more."""
    files: dict[str, bytes | None] = {}
    for ticket in wanted:
        if ticket.type in (FACT, EXPERIENCE):
            files[f"{HOME}/{MEMORY}/{slug(ticket.text)}-{ticket.ref.partition('_')[2][:6]}.md"] = _page(ticket)
    place = os.path.join(project.root, HOME, MEMORY)
    for name in sorted(os.listdir(place)) if os.path.isdir(place) and not os.path.islink(place) else ():
        path = f"{HOME}/{MEMORY}/{name}"
        match = re.search(rb"^ticket: (\w+)$", (_held(project, path) or b"")[:4096], re.MULTILINE)
        if match and match[1].decode() in withdrawn and path not in files:
            files[path] = None
    return files


def _page(ticket: Ticket) -> bytes:
    """A memory as Markdown with front matter; every line of it is the ticket's own."""
    lines = [
        "---",
        f"ticket: {ticket.ref}",
        f"type: {' '.join(ticket.memory_kind.split())}",
        f"scope: {ticket.scope}",
        f"confidence: {ticket.confidence:.2f}",
    ]
    if ticket.agent:
        lines.append(f"agent: {json.dumps(ticket.agent, ensure_ascii=False)}")
    if ticket.tags:
        lines.append(f"tags: {json.dumps(list(ticket.tags), ensure_ascii=False)}")
    if ticket.source_refs:
        lines.append("sources:")
        for ref in ticket.source_refs:
            kept = {key: ref[key] for key in ("uri", "path", "location", "lines", "blob", "checksum") if ref.get(key)}
            lines.append(f"  - {json.dumps(kept, ensure_ascii=False, sort_keys=True)}")
    return ("\n".join([*lines, "---", "", ticket.text.strip(), ""])).encode("utf-8", "replace")


# -- learned edges, tags and constraints ------------------------------------------------------


def _proposals(db: Connection, refs: set[str]) -> set[str]:
    """The names that `learn` has for tickets: what it wrote bears them."""
    rows = db.execute("SELECT ref, json_extract(payload, '$.proposal') FROM memory_candidates")
    return {str(name) for ref, name in rows if name and ref in refs}


def _learned(project: Project, wanted: list[Ticket], withdrawn: set[str]) -> dict[str, bytes | None]:
    files: dict[str, bytes | None] = {}
    for name, type_, make in ((EDGES, EDGE, _edges), (TAGS, TAG, _tags), (CONSTRAINTS, CONSTRAINT, _constraints)):
        path = f"{HOME}/{name}"
        old = _held(project, path)
        tickets = [ticket for ticket in wanted if ticket.type == type_]
        if tickets or (old is not None and any(ref.encode() in old for ref in withdrawn)):
            files[path] = make(project, tickets, withdrawn)
    return files


def _edges(project: Project, tickets: list[Ticket], withdrawn: set[str]) -> bytes:
    """{"edges": […]}, an edge a line; `null` ends the list, so that every edge's line ends alike."""
    data = read_json(project.place(EDGES))
    rows = data.get("edges", []) if isinstance(data, dict) else data or []
    if not isinstance(rows, list):
        raise wrong(f"{HOME}/{EDGES}")
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    for row in filter(None, rows):
        source, target = (row.get("source"), row.get("target")) if isinstance(row, dict) else (None, None)
        if not isinstance(source, str) or not isinstance(target, str):
            raise wrong(f"{HOME}/{EDGES}")
        if str(row.get("ticket")) not in withdrawn:
            key = (source, target)
            kept[key] = max(kept.get(key, row), row, key=_confidence)
    for ticket in tickets:
        row = {
            "source": str(ticket.payload["source"]),
            "target": str(ticket.payload["target"]),
            "confidence": round(float(ticket.payload.get("confidence", ticket.confidence)), 6),
            "ticket": ticket.ref,
        }
        key = (row["source"], row["target"])
        kept[key] = max(row, kept.get(key, row), key=_confidence)
    lines = [json.dumps(kept[key], ensure_ascii=False) + "," for key in sorted(kept)]
    return ("\n".join(['{"edges": [', *lines, "null", "]}", ""])).encode("utf-8", "surrogateescape")


def _confidence(row: dict[str, Any]) -> tuple[float, str]:
    value = row.get("confidence", 1)
    return (float(value) if isinstance(value, (int, float)) else 0.0, str(row.get("ticket", "")))


def _tags(project: Project, tickets: list[Ticket], withdrawn: set[str]) -> bytes:
    """{"tags": {…}}, a file a line; an empty name ends the table, for the same reason."""
    data = read_json(project.place(TAGS), loads=learned_tags.loads)
    rows = data.get("tags", data) if isinstance(data, dict) else data or {}
    if not isinstance(rows, dict):
        raise wrong(f"{HOME}/{TAGS}")
    kept: dict[str, dict[str, Any]] = {
        path: left
        for path, tags in rows.items()
        if path and isinstance(tags, dict) and (left := learned_tags.without(tags, withdrawn))
    }
    for ticket in tickets:
        path = str(ticket.payload["path"])
        # What this ticket said before is taken back first: a tag of its own is not compared with itself.
        others = learned_tags.without(kept.get(path, {}), [ticket.ref])
        kept[path] = learned_tags.united(others, learned_tags.tagged(ticket.payload["tags"], ticket.ref))
    lines = [
        f"{json.dumps(path, ensure_ascii=False)}: {json.dumps(kept[path], ensure_ascii=False, sort_keys=True)},"
        for path in sorted(kept)
    ]
    return ("\n".join(['{"tags": {', *lines, '"": {}', "}}", ""])).encode("utf-8", "surrogateescape")


def _constraints(project: Project, tickets: list[Ticket], withdrawn: set[str]) -> bytes:
    """The file as it is, without blocks of tickets that stand no more, and with a block for each that is new."""
    lines = _without(_held(project, f"{HOME}/{CONSTRAINTS}") or b"", {ticket.ref for ticket in tickets} | withdrawn)
    for ticket in tickets:
        rows = [("id", ticket.payload.get("id") or ticket.ref), ("rule", ticket.payload.get("rule") or ticket.text)]
        rows += [
            (key, ticket.payload[key]) for key in ("paths", "severity", "owner", "forbid") if ticket.payload.get(key)
        ]
        lines.append(f"[[constraint]]  # {ticket.ref}")
        lines += [f"{key} = {_toml(value)}  # {ticket.ref}" for key, value in rows]
    return ("\n".join([*lines, ""])).encode("utf-8", "surrogateescape")


def _toml(value: object) -> str:
    """A string, or a list of them, on one line; what TOML does not take as it is, or may end a line, is escaped."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    return _ODD.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _rows(data: bytes) -> list[str]:
    """The lines of a text file."""
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n").removesuffix("\n").split("\n") if data else []


def _without(data: bytes, refs: set[str]) -> list[str]:
    """The lines of a file that are of none of these tickets."""
    ends = tuple(f"# {ref}" for ref in refs)
    lines = [line for line in _rows(data) if not line.endswith(ends)]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _by_hand(project: Project, known: set[str]) -> dict[str, bytes | None]:
    """What people wrote, without the blocks that an earlier version put among it."""
    path = f"{HOME}/{BY_HAND}"
    old = _held(project, path)
    if old is None or not any(ref.encode() in old for ref in known):
        return {}
    lines = _without(old, known)
    return {path: ("\n".join([*lines, ""])).encode("utf-8", "surrogateescape") if lines else None}


def _attributes(project: Project) -> dict[str, bytes | None]:
    """Lines of two branches are both kept when they merge."""
    path = f"{HOME}/{ATTRIBUTES}"
    lines = _rows(_held(project, path) or b"")
    kept = [line for line in lines if line != f"{BY_HAND} merge=union"]  # an earlier version asked for it
    wanted = [*kept, *(line for name in _UNION if (line := f"{name} merge=union") not in kept)]
    return {path: ("\n".join([*wanted, ""])).encode("utf-8", "surrogateescape")} if wanted != lines else {}
