"""`workspace/symbol`: files and definitions by the letters of their names.

Clients filter what they get once more by the same letters: so names only. Free
text is `oracl.search`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.recall.symbols import Symbol

from . import convert
from .roots import Root

if TYPE_CHECKING:
    from .server import Server

_MOST = 100
_KINDS = {
    "file": types.SymbolKind.File, "class": types.SymbolKind.Class, "method": types.SymbolKind.Method,
    "function": types.SymbolKind.Function, "constant": types.SymbolKind.Constant,
}  # fmt: skip


async def symbols(server: Server, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """Of all repositories, each one's best first."""

    async def ask(root: Root) -> list[types.SymbolInformation]:
        found = await root.ask(lambda oracl: oracl.symbols(params.query, limit=_MOST))
        return [
            types.SymbolInformation(
                _location(root, each), name=each.name, kind=_KINDS.get(each.kind, types.SymbolKind.Variable),
                container_name=convert.path(each.path),
            )
            for each in found
        ]  # fmt: skip

    answers = await asyncio.gather(*map(ask, server.roots.all()), return_exceptions=True)
    if answers and all(isinstance(answer, BaseException) for answer in answers):
        raise next(answer for answer in answers if isinstance(answer, BaseException))
    return [row for answer in answers if not isinstance(answer, BaseException) for row in answer]


def _location(root: Root, each: Symbol) -> types.Location:
    return types.Location(root.uri(each.path), convert.lines(f"L{each.start}-{each.end}") or convert.top())
