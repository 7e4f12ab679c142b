"""What is stored: out, in and out again, and sound.

Knows exports.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from .. import clock, store, transfer
from ..runtime import Runtime
from .check import Check


def storage(runtime: Runtime) -> Iterator[Check]:
    root = runtime.project.root
    first, second, copy = (os.path.join(root, name) for name in ("first.json", "second.json", "copy.sqlite"))
    transfer.export(runtime.reader, first)
    with store_at(copy) as db:
        transfer.load(db, first)
    with store_at(copy) as db:
        transfer.export(db, second)
        sound = store.check(db)
    with open(first, "rb") as one, open(second, "rb") as other:
        same = one.read() == other.read()
    yield Check("export, import, export", same and not sound, "the same bytes, and a sound store")
    shutil.copyfile(first, second)
    wrong = store.check(runtime.reader)
    yield Check("the store", not wrong, wrong[0] if wrong else f"sound at {clock.now()}")


class store_at:
    """A store at a path, open for writing inside a `with`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> store.Connection:
        self.db = store.connect(self.path, write=True)
        return self.db

    def __exit__(self, *exception: object) -> None:
        self.db.close()
