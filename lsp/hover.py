"""`textDocument/hover`, on request: a card of the file that the reference under the cursor leads to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.service import Oracl

from . import convert, links
from .roots import Place

if TYPE_CHECKING:
    from .server import Server

_RELATED, _TERMS = 3, 4


async def hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    """Tags, priority, and what goes with it."""
    formats = server.client_capabilities.text_document and server.client_capabilities.text_document.hover
    kinds = formats.content_format if formats else None
    markdown = not kinds or types.MarkupKind.Markdown in kinds

    def ask(oracl: Oracl, place: Place) -> types.Hover | None:
        found = links.at(oracl, place, server.text(params.text_document.uri, oracl, place), params.position)
        if found is None:
            return None
        text = "\n\n".join(_card(oracl, found[1].targets[0].path, markdown))
        kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(kind, text), found[0])

    return await server.ask(params.text_document.uri, ask, pinned=True)


def _card(oracl: Oracl, path: str, markdown: bool) -> list[str]:
    def code(text: str) -> str:
        text = "".join(char if char.isprintable() else "�" for char in text)
        fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))  # which the text cannot close
        return f"{fence} {text} {fence}" if markdown else text

    shown = oracl.show(":/" + path)
    tags = " ".join(f"{name}={value}" for name, value in shown.node.tags.items() if value)
    terms = sorted(((n / d, bucket) for bucket, (n, d) in shown.terms.items() if n), reverse=True)[:_TERMS]
    lines = [
        code(convert.path(path)),
        code(tags),
        f"priority {shown.blended / 1e6:.2f}: " + ", ".join(f"{bucket} {value:.2f}" for value, bucket in terms),
    ]
    for result in oracl.related([":/" + path], limit=_RELATED).results:
        says = convert.because(result.reasons)
        lines.append(f"{code(convert.path(result.path))} {code(says) if says else ''}".rstrip())
    return lines
