"""`oracl/related`: what goes with this file, and why; with its unsaved text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oracl_git.service import Oracl

from . import convert, messages
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


def register(server: Server) -> None:
    """Offer the request and the command."""
    server.offer(messages.BY_NAME["related"], related)


async def related(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """One question of all the files."""
    uri, limit = params["uri"], params.get("limit", server.options.limit)
    more = [server.roots.locate(other) for other in params.get("uris", ())]
    document = server.documents.get(uri)

    def ask(oracl: Oracl, place: Place) -> dict[str, Any]:
        names = dict.fromkeys([place.name, *(other.name for other in more if other.root is place.root)])
        answer = oracl.related(names, limit=limit, kind=params.get("kind", ""))
        return {
            "results": [convert.result(place.root, result) for result in answer.results],
            "total": answer.total,
            "notes": [*oracl.notes, *answer.notes],
            "commit": oracl.index.commit,
            "version": document.version if document else None,
        }

    return await server.ask(uri, ask)
