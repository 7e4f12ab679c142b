"""`textDocument/codeAction`: related files, and the fix of a reference that a rename broke.

A client that can ask the person gets one action, which asks. Another, such as
Helix before 25.07, gets an action a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.check.fix import rewrite
from oracl_git.errors import OraclError

from . import convert, messages, pick
from .diagnostics import Published

if TYPE_CHECKING:
    from .documents import Document
    from .server import Server

RELATED = "source.oracl.related"
_TITLE = "Find related artifacts"


async def actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
    """What can be done here, of the kinds that are asked for."""
    uri, only = params.text_document.uri, params.context.only
    server.roots.locate(uri, server.documents.get(uri) is not None)
    found: list[types.CodeAction | types.Command] = []
    literal = server.can("text_document.code_action.code_action_literal_support")
    document = server.documents.get(uri)
    if document is not None and literal and _asked(types.CodeActionKind.QuickFix.value, only):
        for published in server.diagnostics.at(uri, params.range):
            fix = _fix(document, published)
            if fix is not None:
                found.append(fix)
    if _asked(RELATED, only):
        found += [
            types.CodeAction(command.title, RELATED, command=command) if literal else command
            for command in await _related(server, uri)
        ]
    return found


async def _related(server: Server, uri: str) -> list[types.Command]:
    ask = types.Command(_TITLE, server.options.lensCommand, arguments=[{"uri": uri}])
    if server.has("window.show_message"):
        return [ask]
    try:
        place, titles = await pick.offered(server, uri)
    except OraclError:
        return [ask]  # which says why there is no answer
    commands = []
    for title, result in titles.items():
        span = convert.lines(result.focus)
        given = {"uri": place.root.uri(result.path), "line": span.start.line + 1 if span else 1}
        commands.append(types.Command(title, messages.BY_NAME["open"].command, arguments=[given]))
    return commands


def _asked(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a kind is below one that was asked for; all are when none was."""
    if only is None:
        return True
    wanted = [str(getattr(each, "value", each)) for each in only]
    return any(each == "" or kind == each or kind.startswith(each + ".") for each in wanted)


def _fix(document: Document, published: Published) -> types.CodeAction | None:
    """The reference, rewritten to where its target is now."""
    finding = published.finding
    if not finding.replacement:
        return None
    before = document.text.source.encode("utf-8", "surrogatepass")
    after, done = rewrite(before, [finding])
    if not done:
        return None
    edits, offset = [], 0
    for old_row, new_row in zip(before.splitlines(True), after.splitlines(True), strict=True):
        old, new = old_row.decode("utf-8", "surrogatepass"), new_row.decode("utf-8", "surrogatepass")
        if old != new:
            start = _shared(old, new)
            tail = _shared(old[start:][::-1], new[start:][::-1])
            place = document.text.range(offset + start, offset + len(old) - tail)
            edits.append(types.TextEdit(place, new[start : len(new) - tail]))
        offset += len(old)
    title = f"Change to {finding.replacement}"
    return types.CodeAction(
        title, types.CodeActionKind.QuickFix, diagnostics=[published.diagnostic], is_preferred=True,
        edit=types.WorkspaceEdit(changes={document.uri: edits}),
    )  # fmt: skip


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))
