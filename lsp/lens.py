"""`textDocument/codeLens`: who uses this file and what it uses, above line 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.errors import OraclError
from oracl_git.service import Oracl

from . import convert
from .roots import Place

if TYPE_CHECKING:
    from .server import Server


async def lens(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    """One, whose numbers come when it is shown."""
    server.roots.locate(params.text_document.uri, server.documents.get(params.text_document.uri) is not None)
    return [types.CodeLens(convert.top(), data={"uri": params.text_document.uri})]


async def resolve(server: Server, params: types.CodeLens) -> types.CodeLens:
    """The numbers."""
    uri = params.data.get("uri") if isinstance(params.data, dict) else None
    title = "related files"
    if isinstance(uri, str):
        try:
            title = await server.ask(uri, _numbers)
        except (OraclError, ValueError):
            pass
    params.command = types.Command(title, server.options.lensCommand, arguments=[{"uri": uri}])
    return params


def _numbers(oracl: Oracl, place: Place) -> str:
    users = oracl.neighbours(place.name, "in")
    tests = sum(any(edge[0] == "tests" for edge in user.edges) for user in users)
    uses = len(oracl.neighbours(place.name, "out"))
    says = [f"{len(users)} {'file uses' if len(users) == 1 else 'files use'} this"]
    if tests:
        says.append(f"{tests} {'test' if tests == 1 else 'tests'}")
    return " · ".join([*says, f"uses {uses}", "related files"])
