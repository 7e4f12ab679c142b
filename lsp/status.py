"""`oracl/status`: where each repository stands; and telling the client when that changes."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from oracl_git.errors import OraclError
from oracl_git.service import Oracl

from . import messages
from .roots import Root

if TYPE_CHECKING:
    from .server import Server

CHANGED = "oracl/didChangeStatus"


def register(server: Server) -> None:
    """Offer the request and the command."""
    server.offer(messages.BY_NAME["status"], status)


async def status(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Of one repository, or of all."""
    roots = [server.roots.root_of(params["uri"])] if "uri" in params else server.roots.all()
    return {"roots": list(await asyncio.gather(*map(_row, roots)))}


async def _row(root: Root) -> dict[str, Any]:
    def ask(oracl: Oracl) -> dict[str, Any]:
        index, uncommitted = oracl.index, oracl.uncommitted
        return {
            "commit": index.commit, "head": oracl.repo.head, "artifacts": index.count(),
            "message": "; ".join(oracl.notes), "changed": uncommitted.count() if uncommitted else 0,
        }  # fmt: skip

    row = {"uri": root.uri("").rstrip("/"), "name": os.path.basename(root.top), "state": "ready", "message": "",
           "commit": None, "head": None, "artifacts": 0, "changed": 0, "percent": root.percent}  # fmt: skip
    if root.indexing:
        return {**row, "state": "indexing", "message": root.message}
    try:
        return {**row, **await root.ask(ask)}
    except OraclError as error:
        state = "indexing" if root.indexing else "waiting" if root.message == "" else "failed"
        return {**row, "state": state, "message": root.message or error.message}


def tell(server: Server) -> None:
    """Send where everything stands, to a client that asked for it."""

    async def send() -> None:
        server.protocol.notify(CHANGED, await status(server, {}))

    if server.options.statusNotifications:
        server.later(send())
