"""A failure nobody expected: where its log goes.

Knows how to write a traceback to a file of the repository, or a temporary one.
"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import time
import traceback


def report(args: list[str]) -> str:
    """Write the log; the hint that names it."""
    from .. import __version__

    text = (
        f"git-oracl {__version__}, Python {platform.python_version()}, {platform.system()}\n"
        f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} git oracl {' '.join(args)}\n\n{traceback.format_exc()}"
    )
    if os.environ.get("ORACL_DEBUG"):
        sys.stderr.write(text)
    for directory in (_beside_the_index(), tempfile.gettempdir()):
        try:
            descriptor, path = tempfile.mkstemp(prefix="bug-", suffix=".log", dir=directory)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            return f"the log is {path}; git oracl doctor checks the index"
        except OSError:
            continue
    return "ORACL_DEBUG=1 shows the traceback"


def _beside_the_index() -> str:
    from ..git import discover

    try:
        return os.path.join(discover().git_dir, "oracl")
    except Exception:
        return tempfile.gettempdir()
