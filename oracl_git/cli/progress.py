"""A bar on stderr for long work: when it is a terminal, after half a second.

Knows rich, and imports it only then. Knows nothing of the work.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

_PATIENCE = 0.5


class Bar:
    """Use as a context manager; `Bar.tell(step, done, total)` draws."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: Any = None
        self._step = ""
        self._task: Any = None

    def __enter__(self) -> Callable[[str, int, int], None]:
        return self.tell

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, step: str, done: int, total: int) -> None:
        """Draw, if anyone watches and it takes long."""
        if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb" or time.monotonic() - self._started < _PATIENCE:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description:>14}"), BarColumn(), MofNCompleteColumn(),
                console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._bar.start()
        if step != self._step:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._step, self._task = step, self._bar.add_task(step, total=total)
        self._bar.update(self._task, completed=done, total=total)
