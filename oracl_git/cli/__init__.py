"""The command line: one module per verb, found by name and imported when asked for.

Knows the verbs, the exit codes and how a failure is told. Knows nothing of
what a verb does.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress

from .. import inherited
from ..errors import MEMORY, OraclError, Shortage, shortage

# verb → (module, group, one line). The order is that of `git oracl -h`.
VERBS: dict[str, tuple[str, str, str]] = {
    "search": ("search", "Ask", "where is this? Free text, names, paths, filters"),
    "related": ("related", "Ask", "what goes with these files, and why"),
    "trace": ("trace", "Ask", "what depends on what; what a change can break"),
    "show": ("show", "Ask", "everything known of one file"),
    "hub": ("hub", "Ask", "the files of a domain, most important first"),
    "context": ("context", "Ask", "the best fragments for a question, packed into a token budget"),
    "open": ("open", "Ask", "open the Nth result of the last question"),
    "session": ("session", "Ask", "what was asked, opened and decided: keep it, sign it, hand it on"),
    "learn": ("learn", "Ask", "what your choices suggest: proposals to approve, and to commit"),
    "check": ("check", "Ask", "what does this change break? References, rules, secrets"),
    "verify": ("verify", "Vouch", "who vouches for this commit's graph, and whether they are right"),
    "snapshot": ("snapshot", "Vouch", "sign what the graph of a commit is; send, fetch, prove, export"),
    "keys": ("keys", "Vouch", "make a signing key; whom to trust, and whom no more"),
    "health": ("health", "Vouch", "whether the graph is sound, and how it changed"),
    "mirror": ("mirror", "Vouch", "ask or check the SQLite bundle of an export"),
    "ontology": ("ontology", "Remember", "documents, entities and memory beside the graph"),
    "curate": ("curate", "Remember", "what is to be remembered: propose, list, decide, apply"),
    "dashboard": ("dashboard", "Remember", "the graph and what is remembered, as one page for any browser"),
    "lsp": ("lsp", "Serve", "the language server: all of this in an editor"),
    "mcp": ("mcp", "Serve", "the server for agents: all of this as tools that only read"),
    "init": ("init", "Set up", "index this repository"),
    "update": ("update", "Set up", "bring the index to HEAD"),
    "status": ("status", "Set up", "where the index stands"),
    "stats": ("stats", "Set up", "what the graph holds; every parameter"),
    "doctor": ("doctor", "Set up", "check the installation and the index"),
    "hooks": ("hooks", "Set up", "let git keep the index at HEAD; install, uninstall, status"),
    "deinit": ("init", "Set up", "remove the index and leave no trace"),
    "graph": ("graph", "Set up", "rebuild with other parameters, or export the graph"),
    "help": ("help", "Set up", "help on a verb"),
    "completion": ("help", "Set up", "completion for bash, zsh or fish"),
}


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)


def main(argv: list[str] | None = None) -> int:
    """Run one verb; the exit code."""
    if argv is None:  # the bytes that were typed, read as UTF-8 whatever the locale says: paths are git's bytes
        argv = [os.fsencode(arg).decode("utf-8", "surrogateescape") for arg in sys.argv[1:]]
    args = argv
    inherited.signals()
    inherited.endings()
    inherited.streams()
    inherited.last_words()
    try:
        return _answer(args)
    except OraclError as error:
        _complain(error.message, error.hint)
        return error.exit_code
    except BrokenPipeError:
        return 141
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Python is about to end: the same ^C may come once more
        print("git-oracl: interrupted; what was read so far is kept", file=sys.stderr)
        return 130
    except inherited.Ended as end:
        inherited.die(end.args[0])
        return 128
    except inherited.Lost as error:
        what = "read stdin" if error.filename == "stdin" else "write"
        hint = "free some space, then ask again" if error.errno in _FULL else f"see where {error.filename} leads"
        _complain(f"cannot {what}: {error.strerror}", hint)
        return 128
    except OSError as error:
        if error.errno in _REFUSED and error.filename:
            path = os.fsdecode(error.filename)
            _complain(f"{path}: {error.strerror}", f"check what it is, and who owns it: ls -ld {path}")
            return 128
        if error.errno not in _FULL:
            return _bug(args, error)
        _complain(f"cannot write: {error.strerror}", "free some space, then ask again")
        return 128
    except MemoryError:
        pass  # told when what the answer held has been given back
    except Exception as error:
        return _bug(args, error)
    finally:
        with suppress(OSError):  # why there is no answer has been said
            sys.stdout.flush()
    return _lack(Shortage(*MEMORY))


def _answer(args: list[str]) -> int:
    """Run one verb until all it said is written."""
    try:
        code = _dispatch(args)
    except SystemExit as end:  # argparse, after a help text or a complaint
        code = int(end.code or 0)
    inherited.finish()
    return code


def _bug(args: list[str], error: Exception) -> int:
    """The last line of defence: one sentence, and a log to report."""
    behind: BaseException | None = error
    while behind:  # what was handled when this one came
        if short := shortage(behind):
            error.with_traceback(None).__context__ = None  # and with them what the answer held
            return _lack(short)
        behind = behind.__context__
    if isinstance(error, ImportError):
        _complain(f"a module cannot be loaded: {error}", "install oracl-git anew")
        return 128
    try:
        os.getcwd()
    except OSError:
        from ..git.repository import gone

        _complain(gone().message, gone().hint)
        return gone().exit_code
    from .bug import report

    _complain(f"this is a bug ({type(error).__name__})", report(args))
    return 3


def _lack(short: Shortage) -> int:
    _complain(short.message, short.hint)
    return short.exit_code


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help"):
        from .help import overview
        from .output import width

        print(overview(min(width(), 80)))
        return 0 if args else 2
    if args[0] == "--version":
        from .. import __version__

        print(f"git-oracl {__version__}")
        return 0
    verb, rest = args[0], args[1:]
    if verb not in VERBS:
        from .help import nearest

        _complain(f"there is no verb {verb!r}", nearest(verb))
        return 2
    from importlib import import_module

    module = import_module(f".{VERBS[verb][0]}", __name__)
    from .parser import build

    parser = build(verb)
    getattr(module, f"configure_{verb}")(parser)
    run = getattr(module, f"run_{verb}")
    code: int = run(parser.parse_args(rest))
    return code


def _complain(message: str, hint: str) -> None:
    from .output import plain

    print(f"git-oracl: {plain(message).rstrip('.')}.", file=sys.stderr)
    if hint:
        print(f"hint: {plain(hint)}", file=sys.stderr)
