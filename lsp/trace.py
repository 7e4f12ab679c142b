"""`oracl/trace`: what depends on what, as a tree or as the shortest paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oracl_git.service import Oracl

from . import convert, messages
from .roots import Place
from .uris import Refused

if TYPE_CHECKING:
    from .server import Server

_DEPTH, _DEEPEST = 2, 20


def register(server: Server) -> None:
    """Offer the request and the command."""
    server.offer(messages.BY_NAME["trace"], trace)


async def trace(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Walk the graph."""
    direction, relations = params.get("direction", "out"), params.get("relations", ())
    depth = max(1, min(params.get("depth", _DEPTH), _DEEPEST))
    goal = server.roots.locate(params["to"]) if "to" in params else None
    document = server.documents.get(params["uri"])

    def ask(oracl: Oracl, place: Place) -> dict[str, Any]:
        data: dict[str, Any] = {"version": document.version if document else None}
        if goal is not None:
            if goal.root is not place.root:
                raise Refused("`to` is a file of another repository")
            found = oracl.paths_between(place.name, goal.name, direction=direction, relations=relations)
            data["paths"] = [[convert.step(place.root, step) for step in way] for way in found]
        else:
            tree = oracl.trace(place.name, direction=direction, depth=depth, relations=relations)
            data["tree"] = convert.step(place.root, tree)
        return {**data, "commit": oracl.index.commit, "notes": list(oracl.notes)}

    return await server.ask(params["uri"], ask)
