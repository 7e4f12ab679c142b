"""`textDocument/definition`, on request: the file that the reference under the cursor leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.service import Oracl

from . import convert, links
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


async def definition(server: Server, params: types.DefinitionParams) -> list[types.Location] | None:
    """All the files it may mean, the likeliest first."""

    def ask(oracl: Oracl, place: Place) -> list[types.Location] | None:
        found = links.at(oracl, place, server.text(params.text_document.uri, oracl, place), params.position)
        if found is None:
            return None
        return [
            types.Location(place.root.uri(target.path), convert.lines(f"L{target.line}") or convert.top())
            for target in found[1].targets
        ]

    return await server.ask(params.text_document.uri, ask, pinned=True)
