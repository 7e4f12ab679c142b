"""git oracl snapshot: vouch for the graph of a commit, look at snapshots, send and fetch them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..errors import OraclError, Unverified
from ..service import Oracl
from . import output
from .parser import machine, positive
from .progress import Bar

if TYPE_CHECKING:
    from ..vault.chain import Chain, Snapshot
    from ..vault.use import Transfer

_REMOTE = "origin"


def configure_snapshot(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION",
        help="what to do with snapshots",
    )  # fmt: skip
    create = actions.add_parser("create", help="sign what the graph of a commit is, and add that to this clone's chain")
    create.add_argument("rev", nargs="?", default="HEAD", metavar="REV", help="the commit (default HEAD)")
    create.add_argument("--hmac", action="store_true", help="local integrity with ORACALL_HMAC_KEY; no signature")
    machine(create)
    machine(actions.add_parser("list", help="the chains in this clone, one for each key and clone"))
    show = actions.add_parser("show", help="what is said of a commit, and by whom; nothing is believed")
    show.add_argument("rev", nargs="?", default="HEAD", metavar="REV", help="the commit (default HEAD)")
    show.add_argument("--payload", action="store_true", help="the bytes of the statement, as they were signed")
    show.add_argument("--envelope", action="store_true", help="the envelope, as it is stored")
    machine(show)
    prove = actions.add_parser("prove", help="a proof that a file is in the graph of HEAD (verify --proof)")
    prove.add_argument("path", metavar="PATH", help="a file, hub:domain:NAME or constraint:ID")
    export = actions.add_parser("export", help="write the graph of a commit as artefacts that can be checked")
    export.add_argument("directory", metavar="DIR", help="where to; made when it is not there")
    export.add_argument("rev", nargs="?", default="HEAD", metavar="REV", help="the commit (default HEAD)")
    export.add_argument("--hmac", action="store_true", help="HMAC sidecars with ORACALL_HMAC_KEY")
    export.add_argument(
        "--keep", type=positive, default=10, metavar="N", help="how many dated copies stay (default 10)"
    )
    machine(export)
    push = actions.add_parser("push", help="send this clone's chains to a remote, never by force")
    push.add_argument("--all", action="store_true", help="the chains of other clones too, as for a mirror")
    fetch = actions.add_parser("fetch", help="bring the chains of a remote; one that split stays outside")
    for each in (push, fetch):
        each.add_argument("remote", nargs="?", default=_REMOTE, help=f"a remote or URL (default {_REMOTE})")
        machine(each)


def run_snapshot(args: argparse.Namespace) -> int:
    """One action."""
    with Oracl.at() as oracl:
        code: int = globals()[f"_{args.action}"](oracl, args)
        return code


def _create(oracl: Oracl, args: argparse.Namespace) -> int:
    with Bar() as tell:
        made = oracl.snapshot(args.rev, hmac=args.hmac, progress=tell)
    said = made.snapshot.statement
    if args.json:
        output.emit({**_described(made.chain, made.snapshot), "fresh": made.fresh, "scheme": made.scheme})
        return 0
    word = "signed" if made.scheme not in ("unsigned", "hmac-sha256") else made.scheme
    print(f"{word}  {output.short(said.commit)}  root {said.root[:12]}…  {_who(made.chain)}  seq {said.seq}")
    if not made.fresh:
        print("It was there already; nothing was added.")
    elif made.scheme == "unsigned":
        print("No key is configured, so nobody vouches for it: git oracl keys generate")
    else:
        print("Next: git oracl snapshot push")
    return 0


def _list(oracl: Oracl, args: argparse.Namespace) -> int:
    found = oracl.chains()
    if args.json:
        rows = []
        for chain in found:
            head = chain.snapshots[-1]
            rows.append({**_described(chain, head), "snapshots": len(chain.snapshots), "ref": chain.ref})
        output.emit({"chains": rows})
        return 0
    if not found:
        output.note(["there is no snapshot in this clone"])
        print("hint: git oracl snapshot create, or git oracl snapshot fetch", file=sys.stderr)
        return 1
    for chain in found:
        said = chain.snapshots[-1].statement
        count = output.plural(len(chain.snapshots), "snapshot")
        print(_who(chain))
        print(f"    clone {chain.writer}  {count}, the last is seq {said.seq} of {output.short(said.commit)}")
    return 0


def _show(oracl: Oracl, args: argparse.Namespace) -> int:
    found = oracl.snapshots_of(args.rev)
    if not found:
        output.note([f"there is no snapshot of {args.rev} in this clone"])
        print("hint: git oracl snapshot fetch", file=sys.stderr)
        return 1
    if args.payload or args.envelope:
        from ..vault.envelope import encode

        sys.stdout.flush()
        kept = found[0][1].envelope
        sys.stdout.buffer.write(kept.payload if args.payload else encode(kept))
        return 0
    if args.json:
        rows = [{**_described(chain, snapshot), "schema": snapshot.statement.schema} for chain, snapshot in found]
        output.emit({"snapshots": rows})
        return 0
    for chain, snapshot in found:
        said = snapshot.statement
        counts = said.schema["counts"]
        print(f"commit       {said.commit}\ntree         {said.tree}\nroot         {said.root}")
        print(f"source root  {said.source_root}\nby           {_who(chain)}, clone {chain.writer}, seq {said.seq}")
        print(
            f"graph        {output.plural(counts['artifacts'], 'artifact')}, {output.plural(counts['edges'], 'edge')},"
            f" extractor {said.schema['extractor'][:12]}"
        )
    print("Nothing of this has been checked: git oracl verify")
    return 0


def _prove(oracl: Oracl, args: argparse.Namespace) -> int:
    from ..vault.canonical import dumps

    print(dumps(oracl.prove(args.path)).decode("ascii"))
    return 0


def _export(oracl: Oracl, args: argparse.Namespace) -> int:
    with Bar() as tell:
        made = oracl.export_snapshot(args.directory, args.rev, hmac=args.hmac, keep=args.keep, progress=tell)
    if args.json:
        output.emit({"directory": made.directory, "files": made.files, "bytes": made.size, "scheme": made.signed})
        return 0
    print(f"Wrote {output.plural(made.files, 'file')}, {made.size / 1e6:,.1f} MB, to {output.plain(made.directory)}.")
    if made.signed == "unsigned":
        print("No key is configured, so there is no .sig: git oracl keys generate")
    print(f"Next: git oracl verify --export {output.plain(made.directory)}")
    return 0


def _push(oracl: Oracl, args: argparse.Namespace) -> int:
    return _transfer(oracl.push_snapshots(args.remote, everything=args.all), args, ("rejected",))


def _fetch(oracl: Oracl, args: argparse.Namespace) -> int:
    return _transfer(oracl.fetch_snapshots(args.remote), args, ("split", "broken"))


def _transfer(rows: list[Transfer], args: argparse.Namespace, bad: tuple[str, ...]) -> int:
    """14 when a chain went back or split, 11 when one is broken, 128 when the remote refused one for another reason."""
    if args.json:
        output.emit({"chains": [row._asdict() for row in rows]})
    else:
        for row in rows:
            text = f"  {output.plain(row.text)}" if row.text else ""
            print(f"{row.state:9} {row.ref.removeprefix('refs/oracl/snapshots/')}{text}")
        if not rows:
            print("There are no snapshots there.")
    states = {row.state for row in rows}
    if "broken" in states:
        return Unverified.TAMPERED
    if "refused" in states:
        return OraclError.exit_code
    return Unverified.ROLLBACK if states & set(bad) else 0


def _who(chain: Chain) -> str:
    from ..vault.keys import fingerprint

    return fingerprint(chain.key_id)


def _described(chain: Chain, snapshot: Snapshot) -> dict[str, Any]:
    said = snapshot.statement
    return {
        "commit": said.commit, "tree": said.tree, "root": said.root, "source_root": said.source_root, "seq": said.seq,
        "previous": said.previous or None, "writer": said.writer, "key_id": chain.key_id, "fingerprint": _who(chain),
    }  # fmt: skip
