"""`textDocument/references`, where there is no call hierarchy: who refers to a file.

Of the file that the reference under the cursor leads to; elsewhere, of the file itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.service import Oracl

from . import convert, links
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


async def references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    """The lines that refer to it."""

    def ask(oracl: Oracl, place: Place) -> list[types.Location]:
        found = links.at(oracl, place, server.text(params.text_document.uri, oracl, place), params.position)
        name = ":/" + found[1].targets[0].path if found else place.name
        rows = [types.Location(place.root.uri(oracl.resolve(name)[0].path), convert.top())]
        if not params.context.include_declaration:
            rows.clear()
        for each in oracl.neighbours(name, "in"):
            for fragment in dict.fromkeys(edge[1] for edge in each.edges):
                rows += [types.Location(place.root.uri(each.path), convert.lines(fragment) or convert.top())]
        return rows

    return await server.ask(params.text_document.uri, ask, pinned=True)
