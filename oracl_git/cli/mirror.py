"""git oracl mirror: ask and check the SQLite bundle of an export, without an index or a repository."""

from __future__ import annotations

import argparse

from ..service import check_mirror, query_mirror
from . import output
from .parser import machine, positive

_LIMIT = 20


def configure_mirror(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="query | verify", help="what to do with it")
    query = actions.add_parser("query", help="look a file up: path:, prefix:, file:, filename:, or a bare name")
    query.add_argument("directory", metavar="DIR", help="what git oracl snapshot export wrote, or its mirror/")
    query.add_argument("query", metavar="QUERY", help="path:src/a.py, prefix:src/, file:a.py")
    query.add_argument("-n", "--limit", type=positive, default=_LIMIT, metavar="N", help=f"default {_LIMIT}")
    machine(query)
    verify = actions.add_parser("verify", help="whether pointer, manifest, bundle and rows agree; 11 when they do not")
    verify.add_argument("directory", metavar="DIR", help="what git oracl snapshot export wrote, or its mirror/")
    machine(verify)


def run_mirror(args: argparse.Namespace) -> int:
    """Look up (1 when there is none), or check."""
    if args.action == "verify":
        manifest = check_mirror(args.directory)
        if args.json:
            output.emit({"commit": manifest["commit"], "root": manifest["root"], "tables": manifest["tables"]})
        else:
            counts = ", ".join(f"{table['rows']:,} {name}s" for name, table in manifest["tables"].items())
            print(f"consistent  {output.short(manifest['commit'])}  root {manifest['root'][:12]}…  {counts}")
            print("Who vouches for that root: git oracl verify --export DIR")
        return 0
    rows = query_mirror(args.directory, args.query, args.limit)
    if args.json:
        output.emit(
            {"query": args.query, "results": [{**row._asdict(), "score": 1.0, "source": "mirror"} for row in rows]}
        )
    else:
        for row in rows:
            print(f"{output.paint(output.plain(row.path), 'path')}  {row.priority / 1e6:.2f}  {row.id[:12]}")
    return 0 if rows else 1
