"""git oracl ontology init, auto, sources, add, ingest, status: what may be read, and reading it."""

from __future__ import annotations

import argparse
import os
import time

from ..errors import UsageError
from ..ontology.model import SCOPES
from ..ontology.runtime import Runtime
from . import ontology_show as show
from . import output
from .ontology_options import actions_of, allowed, scopes, seconds
from .parser import machine
from .progress import Bar


def configure_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--restore", action="store_true", help="put the rolling backup in the place of a store that is gone or broken"
    )
    parser.add_argument("--anew", action="store_true", help="start empty although there is a backup")
    machine(parser)


def run_init(runtime: Runtime, args: argparse.Namespace) -> int:
    made, offered = runtime.init(restore=args.restore)
    if offered and args.anew:
        with runtime.writing(make=True):
            made, offered = [*made, runtime.path], False
    if args.json:
        output.emit({"made": made, "backup": runtime.backup_place if offered else ""})
    elif offered:
        output.note(
            [
                "there was a store here, and a backup of it is kept; nothing has been made in its place",
                "git oracl ontology init --restore brings it back, git oracl ontology init --anew starts empty",
            ]
        )
    else:
        print(
            f"The ontology is active in {output.plain(runtime.project.root)}"
            + (f" ({len(made)} made)." if made else ", as it was.")
        )
        lost = runtime.lost() if args.restore else 0
        if lost:
            what = output.plural(lost, "document")
            output.note([f"{what} of the inbox lie there no more; the next ingest forgets them"])
        print("Only .agentlas/ontology-inbox/ and registered sources are ever read.")
        print("Try: git oracl ontology sources add docs; git oracl ontology ingest")
    return 1 if offered else 0


def configure_auto(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", nargs="?", default=".", help="the project (default: here)")
    machine(parser)


def run_auto(runtime: Runtime, args: argparse.Namespace) -> int:
    made, offered = runtime.init()
    if offered:
        runtime.init(restore=True)
    counts = runtime.ingest()
    show.counts(counts, 0.0, args, made=made)
    return 0


def configure_sources(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
        parser,
        {
            "add": "register a file or directory",
            "list": "what is registered, and whether it may be read here",
            "remove": "take a source out of the register",
        },
    )
    configure_add(actions["add"])
    actions["remove"].add_argument("path", help="as it is registered")
    machine(actions["list"])
    # The source names these two with --project behind the action.
    for action in actions.values():
        action.add_argument(
            "--project", default=argparse.SUPPRESS, metavar="DIR", help="the project (default: the repository here)"
        )


def configure_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", help="inside the project, or anywhere with --allow-outside")
    parser.add_argument("--scope", choices=SCOPES, default="internal", help="who may see it (default internal)")
    parser.add_argument(
        "--kind", default="project", help="a word for what it is: project, company, personal (default project)"
    )
    parser.add_argument(
        "--allow-outside",
        action="store_true",
        help="approve, on this machine, a place outside the project or one for keys",
    )


def run_sources(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "list":
        return show.sources(runtime.sources(), args)
    if args.what == "remove":
        root = runtime.root_of(args.path, scope="internal", kind="", base=os.getcwd())
        gone = runtime.remove_source(root.path)
        if gone is None:
            gone = runtime.remove_source(os.path.normpath(args.path))
        if gone is None:
            raise UsageError(f"{args.path} is not registered", "git oracl ontology sources list")
        print(f"{output.plain(args.path)} is no longer registered; {output.plural(gone, 'document')} forgotten.")
        return 0
    root = runtime.root_of(args.path, scope=args.scope, kind=args.kind, base=os.getcwd())
    new = runtime.add_source(root, allow_outside=args.allow_outside)
    print(
        f"{output.plain(root.path)} is registered as {root.scope}{'' if new else ', as it was'}. Read it: git"
        " oracl ontology ingest"
    )
    return 0


def run_add(runtime: Runtime, args: argparse.Namespace) -> int:
    args.what = "add"
    return run_sources(runtime, args)


def configure_ingest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="register these first; none: the inbox and what is registered"
    )
    parser.add_argument("--scope", choices=SCOPES, default="internal", help="of the paths given (default internal)")
    parser.add_argument("--kind", default="project", help="of the paths given (default project)")
    parser.add_argument(
        "--allow-outside", action="store_true", help="approve, on this machine, places outside the project or for keys"
    )
    parser.add_argument(
        "--ocr",
        type=seconds,
        default=None,
        metavar="SECONDS",
        help="time for pictures and scanned pages, those left out before too; or all, or 0 (default: 60 for new ones)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="say nothing")
    machine(parser)


def run_ingest(runtime: Runtime, args: argparse.Namespace) -> int:
    roots = [runtime.root_of(path, scope=args.scope, kind=args.kind, base=os.getcwd()) for path in args.paths]
    for root in roots:
        if runtime.own:
            runtime.add_source(root, allow_outside=args.allow_outside)
        else:
            runtime.permit(root, args.allow_outside)
    started = time.monotonic()
    with Bar() as tell:
        counts = runtime.ingest(roots, progress=tell, ocr=args.ocr)
    if not args.quiet:
        show.counts(counts, time.monotonic() - started, args)
    return 1 if counts.refused else 0


def configure_status(parser: argparse.ArgumentParser) -> None:
    scopes(parser)
    machine(parser)


def run_status(runtime: Runtime, args: argparse.Namespace) -> int:
    return show.status(runtime.status(allowed(args)), args)
