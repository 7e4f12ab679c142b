"""`oracl.pick`: related files for a client without a plugin: a question to the person, then the file.

`window/showMessageRequest`, then `window/showDocument`; where a client cannot
show one, the path is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from oracl_git.recall.model import Answer
from oracl_git.service import Oracl

from . import convert, messages
from .roots import Place

if TYPE_CHECKING:
    from .server import Server

_OFFERED = 8  # buttons, or lines of a list
_WIDE = 100


def register(server: Server) -> None:
    """Offer the request and the command."""
    server.offer(messages.BY_NAME["pick"], pick)


async def pick(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Ask, and open what was chosen."""
    uri, limit = params["uri"], min(params.get("limit", _OFFERED), server.options.limit)

    def ask(oracl: Oracl, place: Place) -> tuple[Place, Answer]:
        return place, oracl.related([place.name], limit=limit)

    place, answer = await server.ask(uri, ask)
    if not answer.results:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, "nothing is related"))
        return {"uri": None}
    titles = {}
    for result in answer.results:
        says = f"{convert.path(result.path)} ({convert.because(result.reasons)})"
        titles[says if len(says) <= _WIDE else says[: _WIDE - 1] + "…"] = result
    chosen = await server.window_show_message_request_async(
        types.ShowMessageRequestParams(
            types.MessageType.Info, f"Related to {convert.path(place.path)}",
            actions=[types.MessageActionItem(title) for title in titles],
        )
    )  # fmt: skip
    found = titles.get(chosen.title) if chosen else None
    if found is None:
        return {"uri": None}
    goal = place.root.uri(found.path)
    if server.can("window.show_document.support"):
        selection = convert.lines(found.fragment)
        if selection is not None:
            selection = types.Range(selection.start, selection.start)
        await server.window_show_document_async(
            types.ShowDocumentParams(uri=goal, take_focus=True, selection=selection)
        )  # fmt: skip
    else:
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, convert.path(found.path)))
    return {"uri": goal}
