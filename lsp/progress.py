"""An index that is being made: one process a repository, and `$/progress` of it.

Knows how it is started, told of, cancelled and ended. Knows nothing of indexes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from typing import TYPE_CHECKING
from uuid import uuid4

from lsprotocol import types

from oracl_git.git.run import without_secrets

from . import status

if TYPE_CHECKING:
    from .roots import Root
    from .server import Server

log = logging.getLogger("oracl_git.lsp")
_AGAIN = 60.0  # seconds after a failure


class Indexing:
    """The processes that make indexes."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._processes: dict[Root, asyncio.subprocess.Process] = {}
        self._tokens: dict[str, Root] = {}
        self._failed: dict[Root, float] = {}

    def want(self, root: Root) -> None:
        """An index has to be made. Called in the root's thread."""
        loop = self._server.loop
        if loop is not None and not root.indexing and not root.closed:
            loop.call_soon_threadsafe(self._start, root)

    def _start(self, root: Root) -> None:
        loop = asyncio.get_running_loop()
        if root.indexing or root.closed or not self._server.options.index:
            return
        if loop.time() - self._failed.get(root, -_AGAIN) < _AGAIN:
            return
        root.indexing, root.message = True, "the index is being made"
        self._server.later(self._run(root))

    async def _run(self, root: Root) -> None:
        token = await self._begin(root)
        failure = "the index was not made"
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "oracl_git.service.indexer", root.top,  # -P: no modules of the folder's
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                env=without_secrets(),
            )  # fmt: skip
            self._processes[root] = process
            assert process.stdout is not None
            async for line in process.stdout:
                said = json.loads(line)
                if isinstance(said, str):
                    failure = said
                else:
                    self._report(root, token, *said)
            if await process.wait() == 0:
                failure = ""
        except (OSError, ValueError) as error:
            log.warning("%s", error)
        finally:
            self._processes.pop(root, None)
            root.indexing, root.percent, root.message = False, None, failure
            if failure:
                self._failed[root] = asyncio.get_running_loop().time()
            self._end(token, failure)
        await self._done(root)

    async def _done(self, root: Root) -> None:
        """Everything that was answered without it is to be asked again."""
        if not root.closed:
            self._server.warm(root)
            self._server.diagnostics.all()
            if self._server.can("workspace.code_lens.refresh_support"):
                await self._server.asked(self._server.workspace_code_lens_refresh_async(None))
            status.tell(self._server)

    # -- what the person sees ------------------------------------------------------------

    async def _begin(self, root: Root) -> str | None:
        status.tell(self._server)
        if not (self._server.options.progress and self._server.can("window.work_done_progress")):
            return None
        token = str(uuid4())

        async def create() -> object:
            await self._server.window_work_done_progress_create_async(types.WorkDoneProgressCreateParams(token=token))
            return token

        if await self._server.asked(create()) is None:
            return None
        self._tokens[token] = root
        self._send(token, types.WorkDoneProgressBegin(
            title=f"Indexing {os.path.basename(root.top)}", cancellable=True, percentage=0
        ))  # fmt: skip
        return token

    def _report(self, root: Root, token: str | None, step: str, done: int, total: int) -> None:
        percent = 100 * done // total if total else 0
        if percent != root.percent:
            root.percent = percent
            status.tell(self._server)
        if token:
            self._send(token, types.WorkDoneProgressReport(message=f"{step} {done:,} of {total:,}", percentage=percent))

    def _end(self, token: str | None, failure: str) -> None:
        if token:
            self._tokens.pop(token, None)
            self._send(token, types.WorkDoneProgressEnd(message=failure or "done"))

    def _send(self, token: str, value: object) -> None:
        self._server.progress(types.ProgressParams(token=token, value=value))

    def cancel(self, token: object) -> None:
        """The person wants it to stop."""
        root = self._tokens.get(str(token))
        if root is not None and root in self._processes:
            self._processes[root].terminate()

    def stop(self) -> None:
        """The server ends: so do they. What they read is kept."""
        for process in self._processes.values():
            try:
                process.terminate()
            except ProcessLookupError:
                pass
