"""`oracl/search`: where is this? Of all repositories of the workspace, or one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oracl_git.errors import OraclError
from oracl_git.recall import tables
from oracl_git.recall.model import Answer

from . import convert, messages
from .protocol import explain
from .roots import Root

if TYPE_CHECKING:
    from .server import Server


def register(server: Server) -> None:
    """Offer the request and the command."""
    server.offer(messages.BY_NAME["search"], search)


async def search(server: Server, params: dict[str, Any]) -> dict[str, Any]:
    """Ask each repository; the answers by score."""
    roots = [server.roots.root_of(params["root"])] if "root" in params else server.roots.all()
    if not roots:
        raise OraclError("no folder of the workspace lies in a git repository", "open one that does, or: git init")
    limit = params.get("limit", server.options.limit)
    persona = params.get("persona", tables.DEFAULT_PERSONA)
    query, snippet = params["query"], params.get("snippet", False)

    async def ask(root: Root) -> tuple[Root, Answer, str, list[str]]:
        return await root.ask(
            lambda oracl: (
                root, oracl.search(query, limit=limit, persona=persona, snippet=snippet), oracl.index.commit,
                list(oracl.notes),
            )
        )  # fmt: skip

    answers = await asyncio.gather(*map(ask, roots), return_exceptions=len(roots) > 1)
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    if len(failed) == len(roots):
        raise failed[0]
    found = [answer for answer in answers if not isinstance(answer, BaseException)]
    rows = [(-result.score, number, convert.result(root, result))
            for number, (root, answer, _, _) in enumerate(found) for result in answer.results]  # fmt: skip
    rows.sort(key=lambda row: row[:2])
    return {
        "results": [row[2] for row in rows[:limit]],
        "total": sum(answer.total for _, answer, _, _ in found),
        "notes": [
            *(note for _, answer, _, notes in found for note in (*notes, *answer.notes)),
            *(explain(error)[1] for error in failed),
        ],
        "commit": found[0][2] if len(found) == 1 else None,
    }
