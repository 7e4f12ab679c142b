"""git oracl hub: the files of a domain, most important first."""

from __future__ import annotations

import argparse

from ..service import Oracl
from . import output
from .parser import listing


def configure_hub(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("domain", nargs="?", default="", help="a domain; without one, all domains are listed")
    listing(parser)


def run_hub(args: argparse.Namespace) -> int:
    """List domains, or the files of one."""
    with Oracl.at() as oracl:
        if not args.domain:
            rows = oracl.fresh().domains()
            output.note(oracl.notes)
            if args.json:
                output.emit({"domains": [{"domain": name, "members": count} for name, count in rows]})
            elif args.z:
                output.write_paths(name for name, _ in rows)
            elif args.porcelain:
                for name, count in rows:
                    print(f"{count}\t{output.plain(name)}")
            else:
                for name, count in rows:
                    print(f"{count:7,}  {output.plain(name)}")
            return 0 if rows else 1
        answer = oracl.hub(args.domain, limit=args.limit)
        output.note(oracl.notes)
        if args.json:
            output.emit(
                {"domain": args.domain, "total": answer.total, "results": [r.to_json() for r in answer.results]}
            )
        elif args.z:
            output.write_paths(result.path for result in answer.results)
        elif args.porcelain:
            output.porcelain(answer)
        else:
            places = [output.fit(output.plain(r.path), output.width() - 15) for r in answer.results]
            column = max(map(len, places), default=0)
            for result, where in zip(answer.results, places, strict=True):
                print(f"{output.paint(where.ljust(column), 'path')}  {output.paint(result.reasons[0].text, 'dim')}")
            print(output.paint(f"{len(answer.results)} of {answer.total:,} in {args.domain}", "dim"))
        return 0 if answer.results else 1
