"""git oracl lsp: the language server."""

from __future__ import annotations

import argparse
import gc

from ..errors import UsageError

_EPILOG = """\
examples:
  git oracl lsp
  git oracl lsp --tcp 0

An editor starts it: see docs/how-to/use-in-an-editor.md. It answers for every
repository of the workspace. Nothing but protocol goes to stdout."""


def configure_lsp(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--stdio", action="store_true", help="on stdin and stdout (default)")
    way.add_argument("--tcp", type=_port, metavar="PORT", help="for one client on this port of the loopback; 0: any")
    way.add_argument("--ws", type=_port, metavar="PORT", help="the same over a WebSocket")
    parser.add_argument("--log", choices=("error", "warning", "info"), default="warning", help="what goes to stderr")


def run_lsp(args: argparse.Namespace) -> int:
    """Serve until the client leaves."""
    from oracl_git.lsp.ahead import begin

    ahead = begin()
    gc.disable()  # while much is imported that stays; `serve` enables it
    try:
        from oracl_git.lsp.main import serve
    except ModuleNotFoundError as error:
        raise UsageError(f"the language server needs {error.name}", "pip install 'oracl-git[lsp]'") from None
    code: int = serve(ahead, tcp=args.tcp, ws=args.ws, log=args.log)
    return code


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text[:6]) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)
