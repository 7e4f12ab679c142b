"""Where the server starts and ends.

Knows the ways to a client, the log, and that the process must be gone when the
client is: no thread that still works may hold it.
"""

from __future__ import annotations

import gc
import logging
import os
import sys

from oracl_git.inherited import THREAD, endings, require_memory, too_many_files

from . import transport
from .ahead import Ahead
from .server import Server

HOST = "127.0.0.1"
_THREADS = 2  # at least: one that listens, one that answers


def serve(ahead: Ahead | None = None, tcp: int | None = None, ws: int | None = None, log: str = "warning") -> int:
    """Answer one client until it leaves; ends the process."""
    require_memory(_THREADS * THREAD)
    if short := too_many_files():  # a loop of events that gets none of its own leaves a traceback when it goes
        raise short
    endings(False)  # nobody waits for what other threads are at
    logging.basicConfig(stream=sys.stderr, level=log.upper(), format="git-oracl lsp: %(levelname)s %(message)s")
    logging.getLogger("pygls").setLevel(logging.ERROR)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    server = Server(ahead)
    gc.freeze()  # what was imported stays: to look through it again would show among the slowest answers
    gc.enable()
    if tcp is not None:
        code = transport.serve_tcp(server, HOST, tcp)
    elif ws is not None:
        code = transport.serve_ws(server, HOST, ws)
    else:
        code = transport.serve_stdio(server)
    sys.stderr.flush()
    os._exit(code)
