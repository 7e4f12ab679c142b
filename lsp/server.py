"""The server: what it knows of its client, and what it registers for it.

Knows the features, the open buffers and the repositories, and passes questions
to the latter. Knows nothing of what any feature answers.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from oracl_git import __version__
from oracl_git.errors import OraclError
from oracl_git.service import Oracl

from . import configuration, features, messages, sync
from .ahead import Ahead
from .diagnostics import Diagnostics
from .documents import Document, Documents, Text
from .options import Options, read
from .progress import Indexing
from .protocol import Protocol, explain
from .roots import Place, Root, Roots
from .uris import Refused

T = TypeVar("T")
log = logging.getLogger("oracl_git.lsp")
_REST = 1.0  # seconds after a buffer was opened
_PATIENCE = 3.0  # seconds a client has to say what only it knows
Handler = Callable[["Server", Any], Awaitable[Any]]
_received: ContextVar[dict[str, Document]] = ContextVar("received")


class Server(LanguageServer):
    """One client's server."""

    protocol: Protocol

    def __init__(self, ahead: Ahead | None = None) -> None:
        super().__init__("git-oracl", __version__, protocol_cls=Protocol)
        self.options = Options()
        self.documents = Documents()
        self.indexing = Indexing(self)
        self.roots = Roots(self.indexing.want, lambda: self.watched, ahead)
        self.diagnostics = Diagnostics(self)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._aside: set[asyncio.Future[None]] = set()  # asyncio keeps no reference of its own
        self.watched = math.inf  # since when the client tells of changed files

        def initialize(params: types.InitializeParams) -> None:
            self._initialize(params)

        async def initialized(params: types.InitializedParams) -> None:
            await self._initialized()

        self.feature(types.INITIALIZE)(initialize)
        self.feature(types.INITIALIZED)(initialized)
        features.always(self)
        sync.register(self)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Failures go to the log, not into the person's face."""
        explain(error)

    def can(self, capability: str) -> bool:
        """Whether the client says that it can."""
        return bool(get_capability(self.client_capabilities, capability))

    def has(self, capability: str) -> bool:
        """Whether the client speaks of a feature at all."""
        return get_capability(self.client_capabilities, capability) is not None

    # -- life --------------------------------------------------------------------------

    def _initialize(self, params: types.InitializeParams) -> None:
        self.loop = asyncio.get_running_loop()
        self.options, problems = read(params.initialization_options)
        for problem in problems:
            log.warning("%s", problem)
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self.documents.encoding = str(getattr(encoding, "value", encoding))
        folders = [folder.uri for folder in params.workspace_folders or ()]
        alone = params.root_uri or (self.workspace.root_uri if params.root_path else None)
        for uri in folders or ([alone] if alone else []):
            self.roots.add(uri)
        self.roots.alone = not folders and not alone
        features.register(self)

    async def _initialized(self) -> None:
        for root in self.roots.all():
            self.warm(root)
        await configuration.start(self)

    def warm(self, root: Root) -> None:
        """Open an index, and look at the work tree, before anybody waits for it."""
        self.later(root.ask(lambda oracl: None))

    async def asked(self, work: Awaitable[T]) -> T | None:
        """What the client says when it is asked; None when it refuses, or says nothing."""
        try:
            return await asyncio.wait_for(work, _PATIENCE)
        except (TimeoutError, JsonRpcException) as error:
            log.info("the client did not answer: %s", error)
            return None

    def later(self, work: Awaitable[Any]) -> None:
        """Do it aside; a failure that is nobody's goes to the log."""

        async def run() -> None:
            try:
                await work
            except (OraclError, Refused) as error:
                log.info("%s", error)
            except Exception as error:
                explain(error)

        task = asyncio.ensure_future(run())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def stop(self) -> None:
        """Let go of everything."""
        self.diagnostics.stop()
        self.indexing.stop()
        self.roots.close()

    # -- buffers -------------------------------------------------------------------------

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        """A buffer was opened."""
        document = self.documents.open(params.text_document)
        self.typed(document)
        place = self.place(document.uri)
        if place is not None:
            self.later(self._expect(place.root))

    async def _expect(self, root: Root) -> None:
        """Be ready for what will be typed; what is asked first is not to wait for that."""
        await asyncio.sleep(_REST)
        await root.ask(Oracl.copy_meanwhile)

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        """A buffer was edited."""
        document = self.documents.change(params)
        if document is None:
            log.warning("a change of a buffer that is not open was passed over")
        else:
            self.typed(document)

    def closed(self, uri: str) -> None:
        """A buffer was closed."""
        if self.documents.close(uri):
            self.diagnostics.clear(uri)
            place = self.place(uri)
            if place is not None:
                place.root.type(place.path, None)

    def typed(self, document: Document) -> None:
        """Hand a buffer to its repository."""
        place = self.place(document.uri)
        if place is not None:
            place.root.type(place.path, document.text.source)
            self.diagnostics.soon(document.uri)

    def received(self) -> None:
        """A request came in: what it says of positions holds for the buffers as they are now."""
        _received.set({document.uri: document for document in self.documents.all()})

    def place(self, uri: str, touched: bool = False) -> Place | None:
        """The file a URI names, if it is one of ours; `touched`: it may be gone."""
        try:
            return self.roots.locate(uri, self.documents.get(uri) is not None, touched)
        except Refused:
            return None

    # -- questions -------------------------------------------------------------------------

    async def ask(self, uri: str, question: Callable[[Oracl, Place], T], *, pinned: bool = False) -> T:
        """Ask the repository of a file; `pinned`: the answer is of this version of the buffer, or Stale."""
        place = self.roots.locate(uri, self.documents.get(uri) is not None)
        before = _received.get({}).get(uri)
        stale = (lambda: self.documents.get(uri) is not before) if pinned else None
        return await place.root.ask(lambda oracl: question(oracl, place), stale)

    def text(self, uri: str, oracl: Oracl, place: Place) -> Text:
        """The text of a file: of its buffer, or as the answers have it."""
        document = self.documents.get(uri)
        return document.text if document else Text(oracl.text(place.name), self.documents.encoding)

    def answer(self, method: str, handler: Handler, options: Any = None) -> None:
        """Register a feature of the protocol: what cannot be answered is null."""

        async def handle(params: Any) -> Any:
            try:
                return await handler(self, params)
            except (OraclError, Refused) as error:
                log.info("%s: %s", method, error)
                return None

        if method not in self.protocol.fm.features:
            self.feature(method, options)(handle)

    def offer(self, message: messages.Message, handler: Callable[[Server, dict[str, Any]], Awaitable[Any]]) -> None:
        """Register a request of our own, and the command of the same name."""

        async def handle(params: Any) -> Any:
            return await handler(self, messages.read(message, params))

        self.feature(message.method)(handle)
        self.command(message.command)(lambda params: handle(params))
