"""git oracl ontology storage, model, verify: whether what is kept is sound, and copies of it."""

from __future__ import annotations

import argparse

from ..ontology import store, transfer
from ..ontology.embedding import Adapter
from ..ontology.runtime import Runtime
from . import ontology_show as show
from . import output
from .ontology_options import actions_of
from .parser import machine


def configure_storage(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
        parser,
        {
            "backup": "copy the store whole",
            "export": "write everything as one JSON file",
            "import": "read an export, whole or not at all",
            "vacuum": "give unused space back",
            "check": "is the store sound?",
        },
    )
    for name in ("backup", "export", "import"):
        actions[name].add_argument("file", help="where to" if name != "import" else "where from")
    actions["import"].add_argument("--replace", action="store_true", help="in place of what the store holds")
    actions["check"].add_argument(
        "--migrate", action="store_true", help="bring a store of an older format up to date first"
    )


def run_storage(runtime: Runtime, args: argparse.Namespace) -> int:
    if args.what == "backup":
        runtime.reader.execute("SELECT 1")
        print(f"{store.backup(runtime.path, args.file):,} bytes in {output.plain(args.file)}.")
    elif args.what == "export":
        print(f"{transfer.export(runtime.reader, args.file):,} rows in {output.plain(args.file)}.")
    elif args.what == "import":
        with runtime.writing(make=not runtime.own) as db:
            print(f"{transfer.load(db, args.file, replace=args.replace):,} rows read.")
    elif args.what == "vacuum":
        before, after = store.vacuum(runtime.path)
        print(f"{before:,} bytes before, {after:,} after.")
    else:
        if args.migrate:
            with runtime.writing():
                pass
        wrong = store.check(runtime.reader)
        for line in wrong:
            print(output.plain(line))
        if not wrong:
            print("The store is sound.")
        return 1 if wrong else 0
    return 0


def configure_model(parser: argparse.ArgumentParser) -> None:
    actions = actions_of(
        parser, {"verify": "check every byte of the table that encodes", "status": "which adapter encodes, and why"}
    )
    actions["verify"].add_argument("path", nargs="?", default="", help="an asset's directory (default: what is in use)")
    for action in actions.values():
        machine(action)


def run_model(runtime: Runtime, args: argparse.Namespace) -> int:
    from ..ontology import embedding

    if args.what == "status":
        return show.adapter(runtime.adapter, args)
    checked: Adapter = embedding.verify(args.path)
    return show.adapter(checked, args)


def configure_verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpus",
        nargs="?",
        default="",
        help="a directory of documents (default: examples/ontology-corpus here, else a small one made for it)",
    )
    parser.add_argument("--tests", action="store_true", help="run the test suite of a checkout, too")
    machine(parser)


def run_verify(runtime: Runtime, args: argparse.Namespace) -> int:
    from ..ontology import verify

    return show.checks(verify.run(runtime.project, args.corpus, args.embedding_adapter, tests=args.tests), args)
