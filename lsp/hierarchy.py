"""`textDocument/prepareCallHierarchy` and its calls: files as items, edges as calls.

The kind of an edge stands in `detail`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from oracl_git.recall.references import Neighbour
from oracl_git.service import Oracl

from . import convert
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


def _item(uri: str, path: str, detail: str, place: types.Range | None = None) -> types.CallHierarchyItem:
    spot = place or convert.top()
    return types.CallHierarchyItem(
        name=convert.path(path), kind=types.SymbolKind.File, uri=uri, range=spot, selection_range=spot, detail=detail
    )


async def prepare(server: Server, params: types.CallHierarchyPrepareParams) -> list[types.CallHierarchyItem] | None:
    """The file itself, wherever in it the cursor stands."""

    def ask(oracl: Oracl, place: Place) -> list[types.CallHierarchyItem]:
        node = oracl.resolve(place.name)[0]
        return [_item(params.text_document.uri, node.path, node.role)]

    return await server.ask(params.text_document.uri, ask)


async def _neighbours(server: Server, uri: str, way: str) -> tuple[Place, list[Neighbour]]:
    def ask(oracl: Oracl, place: Place) -> tuple[Place, list[Neighbour]]:
        return place, oracl.neighbours(place.name, way)

    return await server.ask(uri, ask)


def _detail(neighbour: Neighbour) -> str:
    """imports Cart, tests"""
    texts = dict.fromkeys(f"{relation} {symbol}".strip() for relation, _, symbol in neighbour.edges)
    return ", ".join(list(texts)[:3])


def _places(neighbour: Neighbour) -> list[types.Range]:
    found = [convert.lines(fragment) for _, fragment, _ in neighbour.edges]
    return [place for place in found if place is not None] or [convert.top()]


async def incoming(server: Server, params: types.CallHierarchyIncomingCallsParams) -> list[Any]:
    """Who depends on it."""
    place, found = await _neighbours(server, params.item.uri, "in")
    return [
        types.CallHierarchyIncomingCall(
            _item(place.root.uri(each.path), each.path, _detail(each), _places(each)[0]), _places(each)
        )
        for each in found
    ]


async def outgoing(server: Server, params: types.CallHierarchyOutgoingCallsParams) -> list[Any]:
    """What it depends on; the places lie in the file that was asked about."""
    place, found = await _neighbours(server, params.item.uri, "out")
    return [
        types.CallHierarchyOutgoingCall(_item(place.root.uri(each.path), each.path, _detail(each)), _places(each))
        for each in found
    ]
