"""`textDocument/publishDiagnostics`: references of open buffers that lead nowhere.

Knows when a buffer is looked at (once it has rested), and what was told of it
last. What is broken, `oracl_git.check` says.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from oracl_git.check.model import SEVERITIES, Finding
from oracl_git.errors import UnknownPath
from oracl_git.service import Oracl

from . import convert
from .documents import Text
from .roots import Place, Stale

if TYPE_CHECKING:
    from .server import Server

SOURCE = "oracl"
_LEVELS = dict(zip(
    SEVERITIES,
    (types.DiagnosticSeverity.Information, types.DiagnosticSeverity.Warning, types.DiagnosticSeverity.Warning),
    strict=True,
))  # fmt: skip


@dataclass(frozen=True)
class Published:
    """What was told, and what it is of."""

    diagnostic: types.Diagnostic
    finding: Finding


class Diagnostics:
    """What is told of open buffers."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._told: dict[str, list[Published]] = {}

    def soon(self, uri: str) -> None:
        """Look at a buffer when it has rested."""
        if uri in self._waiting:
            self._waiting[uri].cancel()
        loop = asyncio.get_running_loop()
        self._waiting[uri] = loop.call_later(self._server.options.debounce / 1000, self._look, uri)

    def all(self) -> None:
        """Look at all of them: something else has changed."""
        for document in self._server.documents.all():
            self.soon(document.uri)

    def clear(self, uri: str) -> None:
        """A buffer was closed."""
        if uri in self._waiting:
            self._waiting.pop(uri).cancel()
        if self._told.pop(uri, None):
            self._publish(uri, [], None)

    def stop(self) -> None:
        """No more."""
        for handle in self._waiting.values():
            handle.cancel()

    def at(self, uri: str, span: types.Range) -> list[Published]:
        """What was told of these lines."""
        first, last = span.start.line, span.end.line
        return [
            each for each in self._told.get(uri, ())
            if each.diagnostic.range.start.line <= last and first <= each.diagnostic.range.end.line
        ]  # fmt: skip

    def _look(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        self._server.later(self._judge(uri))

    async def _judge(self, uri: str) -> None:
        document = self._server.documents.get(uri)
        if document is None:
            return
        self._server.received()
        found: list[Published] = []
        if self._server.options.diagnostics:

            def ask(oracl: Oracl, place: Place) -> list[Finding]:
                try:
                    return oracl.broken(place.name)
                except UnknownPath:
                    return []

            try:
                broken = await self._server.ask(uri, ask, pinned=True)
                found = [_published(document.text, finding) for finding in broken]
            except Stale:
                return  # it will have rested again
        else:
            await self._server.ask(uri, lambda oracl, place: None)  # what is typed is laid over meanwhile
        if found or self._told.get(uri):
            self._told[uri] = found
            self._publish(uri, [each.diagnostic for each in found], document.version)

    def _publish(self, uri: str, rows: list[types.Diagnostic], version: int | None) -> None:
        if not self._server.can("text_document.publish_diagnostics.version_support"):
            version = None
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, rows, version))


def _published(text: Text, finding: Finding) -> Published:
    """The words themselves where they stand on the line, else the line."""
    words = (finding.written, finding.target)
    spots = (spot for word in words if word for spot in convert.between(text, finding.line, finding.line, word)[:1])
    spot = next(spots, None)
    place = text.range(*spot) if spot else text.lines_range(finding.line, finding.line)
    return Published(
        types.Diagnostic(place, finding.message, _LEVELS[finding.severity], code=finding.code, source=SOURCE), finding
    )
