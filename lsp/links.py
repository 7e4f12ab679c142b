"""`textDocument/documentLink`: links, imports, test targets and paths that lead to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.errors import UnknownPath
from oracl_git.recall.references import Place as Spot
from oracl_git.service import Oracl

from . import convert
from .documents import Text
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


async def links(server: Server, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Every reference of a file that leads to one other."""

    def ask(oracl: Oracl, place: Place) -> list[types.DocumentLink]:
        return [
            types.DocumentLink(
                range=spot, target=_target(place, each),
                tooltip=f"{each.targets[0].relation} {convert.path(each.targets[0].path)}"
                if server.can("text_document.document_link.tooltip_support") else None,
            )
            for spot, each in spotted(oracl, place, server.text(params.text_document.uri, oracl, place))
        ]  # fmt: skip

    return await server.ask(params.text_document.uri, ask, pinned=True)


def spotted(oracl: Oracl, place: Place, text: Text) -> list[tuple[types.Range, Spot]]:
    """(where, reference) of a file, no two in one place; the first that stands there wins."""
    try:
        found = oracl.places(place.name)
    except UnknownPath:
        return []
    seen: dict[tuple[int, int], tuple[types.Range, Spot]] = {}
    for each in found:
        for spot in convert.spots(text, each):
            seen.setdefault((spot.start.line, spot.start.character), (spot, each))
    return [seen[key] for key in sorted(seen)]


def _target(place: Place, each: Spot) -> str:
    best = each.targets[0]
    return place.root.uri(best.path) + (f"#L{best.line}" if best.line else "")


def at(oracl: Oracl, place: Place, text: Text, position: types.Position) -> tuple[types.Range, Spot] | None:
    """The reference under the cursor."""
    for spot, each in spotted(oracl, place, text):
        ends = (spot.start.line, spot.start.character), (spot.end.line, spot.end.character)
        if ends[0] <= (position.line, position.character) <= ends[1]:
            return spot, each
    return None
