"""The ontology as one page that needs no server: `.agentlas/ontology-gui/index.html`.

Knows what of the store is put into the page, and that nothing in it may run or be fetched:
the page asks nobody for anything, its one script and style are named by their digests, and
what documents say comes as data. What of the graph is drawn is `drawing`'s; how it looks and
what it does is in `dashboard.html`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from . import drawing, memory
from .memory import Ticket
from .model import PRIVATE
from .project import DASHBOARD, HOME, unlinked, write_whole
from .runtime import Runtime
from .store import Connection

PAGE = "index.html"
_BLOCK = re.compile(r"<(script|style)>(.*?)</\1>", re.S)
_OPEN = ("candidate", "approved", "quarantined", "stale")
_COMMANDS = (
    ("Read what changed", "git oracl ontology ingest"),
    ("Register documents", "git oracl ontology sources add docs --scope internal"),
    ("What could not be read", "git oracl ontology status"),
    ("All that is named", "git oracl ontology graph entities"),
    ("The queue", "git oracl curate list"),
    ("Write what was approved, for review", "git oracl curate apply"),
    ("This page anew", "git oracl dashboard"),
)


def write(runtime: Runtime, scopes: Sequence[str], code: drawing.Artifacts | None = None) -> str:
    """Write the page, with the files of the index where there is one; where it is."""
    unlinked(runtime.project, f"{HOME}/{DASHBOARD}")
    place = os.path.join(runtime.project.place(DASHBOARD), PAGE)
    write_whole(place, page(contents(runtime, scopes, code)).encode(), 0o600)
    return place


def page(data: dict[str, Any]) -> str:
    """The page with data in it. Nothing in the data can end its block or be taken for markup."""
    text = files(__package__).joinpath("dashboard.html").read_text(encoding="utf-8")
    digests = {name: _digest(body) for name, body in _BLOCK.findall(text)}
    held = json.dumps(data, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    held = held.replace("<", "\\u003c").replace("&", "\\u0026")
    text = text.replace("@SCRIPT@", digests["script"], 1).replace("@STYLE@", digests["style"], 1)
    return text.replace("@DATA@", held, 1)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def contents(
    runtime: Runtime, scopes: Sequence[str], code: drawing.Artifacts | None = None
) -> dict[str, Any]:
    """What the page shows, of these scopes alone."""
    db = runtime.reader
    found = memory.tickets(db, scopes=scopes)
    return {
        "scopes": list(scopes),
        "counts": runtime.status(scopes)["counts"],
        "sources": _sources(db, scopes),
        "graph": drawing.drawn(db, scopes, code, runtime.hidden(scopes)),
        "tickets": [_ticket(ticket) for ticket in found if ticket.status in _OPEN],
        "commands": _COMMANDS,
    }


def _sources(db: Connection, scopes: Sequence[str]) -> list[dict[str, Any]]:
    rows = db.execute(
        "SELECT s.uri, s.scope, s.source_type, s.status, s.reason, (SELECT count(*) FROM chunks c WHERE c.source=s.id)"
        f" FROM sources s WHERE s.scope IN ({','.join('?' * len(scopes))}) ORDER BY s.uri",
        tuple(scopes),
    )
    return [dict(zip(("uri", "scope", "format", "status", "reason", "passages"), row, strict=True)) for row in rows]


def _ticket(ticket: Ticket) -> dict[str, Any]:
    """A ticket with its evidence, and the commands that decide it."""
    evidence = [
        f"{ref.get('uri') or ref.get('path') or ''} {ref.get('location') or ref.get('lines') or ''}".strip()
        for ref in ticket.source_refs
    ]
    told = ("id", "status", "type", "text", "scope", "confidence", "risk", "reason", "expires_at")
    words = ("approve", "reject", "quarantine") if ticket.status == "candidate" else ("undo",)
    private = " --private" if ticket.scope == PRIVATE else ""
    return {
        **{name: value for name, value in ticket.to_json().items() if name in told},
        "evidence": evidence,
        "commands": [
            f"git oracl curate show {ticket.ref}{private}",
            *(f'git oracl curate {word} {ticket.ref} --reason "…"' for word in words),
        ],
    }
