"""`oracl.pick` and `oracl.open`: related files for a client without a plugin: a choice of the person, then the file.

`window/showMessageRequest` asks, `window/showDocument` shows; where a client
cannot show a file, its path is told. Clients know more than they declare, so
what one answers counts. Where none asks, the code actions are the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from oracl_git.recall.model import Answer, Result
from oracl_git.service import Oracl

from . import convert, messages
from .roots import Place

if TYPE_CHECKING:
    from .server import Server

_OFFERED = 8  # buttons, or lines of a list
_WIDE = 100


def register(server: Server) -> None:
    """Offer the requests and the commands."""
    server.offer(messages.BY_NAME["pick"], pick)
    server.offer(messages.BY_NAME["open"], open_file)


async def offered(server: Server, uri: str, limit: int = _OFFERED) -> tuple[Place, dict[str, Result]]:
    """The file that is asked about, and what goes with it by the line that a person reads."""

    def ask(oracl: Oracl, place: Place) -> tuple[Place, Answer]:
        return place, oracl.related([place.name], limit=min(limit, server.options.limit))

    place, answer = await server.ask(uri, ask)
    titles = {}
    for result in answer.results:
        says = f"{convert.path(result.path)} ({convert.because(result.reasons)})"
        titles[says if len(says) <= _WIDE else says[: _WIDE - 1] + "…"] = result
    return place, titles


async def pick(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Ask, and open what was chosen."""
    place, titles = await offered(server, params["uri"], params.get("limit", _OFFERED))
    if not titles:
        _tell(server, "nothing is related")
        return {"uri": None}
    about = f"Related to {convert.path(place.path)}"
    try:
        chosen = await server.window_show_message_request_async(
            types.ShowMessageRequestParams(
                types.MessageType.Info, about, actions=[types.MessageActionItem(title) for title in titles]
            )
        )
    except JsonRpcException:  # it does not know how to ask
        _tell(server, f"{about}: {', '.join(convert.path(result.path) for result in titles.values())}")
        return {"uri": None}
    found = titles.get(chosen.title) if chosen else None
    if found is None:
        return {"uri": None}
    goal = place.root.uri(found.path)
    await _show(server, goal, convert.path(found.path), convert.lines(found.focus))
    return {"uri": goal}


async def open_file(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Show a file of the workspace."""
    place = server.roots.locate(params["uri"])
    line = max(0, params.get("line", 1) - 1)
    at = types.Position(line, 0)
    await _show(server, params["uri"], convert.path(place.path), types.Range(at, at))
    return {"uri": params["uri"]}


async def _show(server: Server, uri: str, path: str, span: types.Range | None) -> None:
    selection = types.Range(span.start, span.start) if span is not None else None
    shown = await server.asked(
        server.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True, selection=selection))
    )
    if shown is None or not shown.success:
        _tell(server, path)


def _tell(server: Server, text: str) -> None:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
