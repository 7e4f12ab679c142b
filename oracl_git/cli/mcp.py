"""git oracl mcp: the server for agents."""

from __future__ import annotations

import argparse
import gc
import os
import sys

from ..errors import UsageError
from ..inherited import output

_EPILOG = """\
Speaks the Model Context Protocol on stdin and stdout: see
docs/how-to/use-with-agents.md. Tools, all of which only read: oracl_agent_context,
oracl_search, oracl_related, oracl_trace, oracl_show, oracl_status; resources
oracl://artifact/PATH. It answers for this repository and can be asked about no other.

examples:
  git oracl mcp
  git -C ~/src/shop oracl mcp

as most clients are told of it:
  {"mcpServers": {"oracl":
    {"command": "git-oracl", "args": ["mcp", "/home/me/src/shop"]}}}"""


def configure_mcp(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("path", nargs="?", metavar="PATH", help="the repository (default: here)")
    parser.add_argument("--log", choices=("error", "warning", "info"), default="warning", help="what goes to stderr")


def run_mcp(args: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    wire = output(os.dup(1))
    os.dup2(2, 1)  # whatever prints, it is no protocol
    sys.stdout = sys.stderr
    gc.disable()  # while much is imported that stays; `serve` enables it
    from ..agent.asking import Asking

    asking = Asking(args.path)
    asking.warm()
    try:
        from ..agent.server import serve
    except ModuleNotFoundError:
        raise UsageError("the server for agents needs the library mcp", "pip install 'oracl-git[mcp]'") from None
    return serve(asking, sys.stdin.buffer, wire, args.log)
