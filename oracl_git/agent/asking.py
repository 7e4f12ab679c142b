"""The one repository that is asked, chosen when the server starts and never again.

Knows that questions are asked in order, in one thread; that the index follows HEAD as for
every verb, and that a process of its own makes one where that would take too long. Knows
nothing of protocols.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..errors import NoIndex, OraclError
from ..git.run import without_secrets
from ..service import Oracl

T = TypeVar("T")
PATIENCE = 20.0  # seconds a question waits for the first index: clients give up after a minute
_AGAIN = 60.0  # seconds after a failure


class Indexing(OraclError):
    """There is no index yet; one is being made."""


class Asking:
    """One repository. Questions may come from anywhere; the thread has them one after the other."""

    def __init__(self, path: str | None = None) -> None:
        """The repository at a path (default: here). Raises NotARepository."""
        self._oracl = oracl = Oracl.at(path)
        oracl.repo = oracl.repo._replace(prefix="")  # paths are named as answers name them: from the top
        oracl.log = False  # `git oracl open 1` means what a person asked
        oracl.build = False
        oracl.strangers = False
        self.top = oracl.repo.work_tree or oracl.repo.git_dir
        self.making = ""  # how far an index is that is being made; "" while none is
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="oracl")
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._failed: tuple[float, str] = (-_AGAIN, "")

    def warm(self) -> None:
        """Open the index, and what most questions read, while others are still importing."""
        self._pool.submit(self._answer, lambda oracl: oracl.search("warm", limit=1))

    async def ask(self, question: Callable[[Oracl], T]) -> T:
        """The answer. Raises OraclError."""
        try:
            answer, behind = await self._in_thread(question)
        except NoIndex:
            await self._made()
            answer, behind = await self._in_thread(question)
        if behind:  # it was too much for a question, and the answer says so
            self._make()
        return answer

    async def _in_thread(self, question: Callable[[Oracl], T]) -> tuple[T, bool]:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, question)

    def _answer(self, question: Callable[[Oracl], T]) -> tuple[T, bool]:
        """(the answer, whether it is of an older commit than HEAD)."""
        oracl = self._oracl
        oracl.notes.clear()
        oracl.follow()
        answer = question(oracl)
        try:
            return answer, oracl.present().commit != oracl.repo.head
        except NoIndex:
            return answer, False  # it was about that

    async def _made(self) -> None:
        """Wait for the first index. Raises OraclError where it takes too long, or cannot be made."""
        task = self._make()
        if task is not None:
            await asyncio.wait({task}, timeout=PATIENCE)
            if not task.done():
                raise Indexing(f"the index is being made ({self.making})", "ask again in a minute")
        if why := self._failed[1]:
            raise OraclError(why, "git oracl update")

    def _make(self) -> asyncio.Task[None] | None:
        """The task that makes an index, begun unless there is one; None soon after it failed."""
        if self._task is None or self._task.done():
            if time.monotonic() - self._failed[0] < _AGAIN:
                return None
            self._failed = (-_AGAIN, "")
            self.making = "begun"
            self._task = asyncio.create_task(self._run())
        return self._task

    async def _run(self) -> None:
        why = "the index was not made"
        try:
            self._process = process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "oracl_git.service.indexer", self.top,  # -P: no modules of the folder's
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
                env=without_secrets(),
            )  # fmt: skip
            assert process.stdout is not None
            async for line in process.stdout:
                said = json.loads(line)
                if isinstance(said, str):
                    why = said
                else:
                    step, done, total = said
                    self.making = f"{step} {done:,} of {total:,}"
            if await process.wait() == 0:
                why = ""
        except (OSError, ValueError) as error:
            why = f"the index was not made: {type(error).__name__}"
        finally:
            self.making, self._process = "", None
            self._failed = (time.monotonic() if why else -_AGAIN, why)

    async def close(self) -> None:
        """End the process, which keeps what it read; the thread ends by itself."""
        if self._process is not None:
            try:
                self._process.terminate()
            except ProcessLookupError:
                pass
        if self._task is not None:
            await self._task
        self._pool.submit(self._oracl.close)
        self._pool.shutdown(wait=False)
