"""git oracl keys: make one, and say whom to trust."""

from __future__ import annotations

import argparse
import os

from ..errors import UsageError
from ..service import Oracl
from . import output
from .parser import machine


def configure_keys(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="generate | list | trust | revoke", help="what to do with keys"
    )
    generate = actions.add_parser("generate", help="make an Ed25519 key that only you can read")
    generate.add_argument("--out", default="", metavar="FILE", help="default ~/.config/oracl-git/signing-key")
    generate.add_argument("--openssh", action="store_true", help="in OpenSSH's form; it then signs as ssh-keygen does")
    machine(generate)
    listing = actions.add_parser("list", help="your key, and whom this repository trusts")
    listing.add_argument("--base", default="", metavar="REF", help="whose allowed_signers count (default origin/HEAD)")
    listing.add_argument("--trust", default="", metavar="FILE", help="an allowed_signers file instead")
    machine(listing)
    trust = actions.add_parser("trust", help="add a key to allowed_signers; commit that for it to count")
    trust.add_argument("key", nargs="?", default="", metavar="KEY", help="a .pub file or a key (default: yours)")
    trust.add_argument("--principal", default="", metavar="NAME", help="whose it is (default: git's user.email)")
    trust.add_argument("--valid-after", default="", metavar="DATE", help="from YYYYMMDD[HHMM][Z] on")
    trust.add_argument("--valid-before", default="", metavar="DATE", help="until YYYYMMDD[HHMM][Z]")
    trust.add_argument("--file", default="", metavar="FILE", help="default .agentlas/allowed_signers")
    machine(trust)
    revoke = actions.add_parser("revoke", help="add a key to revoked_signers; nothing it signed counts any more")
    revoke.add_argument("key", metavar="KEY", help="a .pub file, the key itself, or its SHA256: fingerprint")
    revoke.add_argument("--file", default="", metavar="FILE", help="default .agentlas/revoked_signers")
    machine(revoke)


def run_keys(args: argparse.Namespace) -> int:
    """One action. A private key is shown nowhere."""
    if args.action == "generate":
        return _generate(args)
    with Oracl.at() as oracl:
        return _list(oracl, args) if args.action == "list" else _add(oracl, args)


def _generate(args: argparse.Namespace) -> int:
    from ..vault import keys

    path = os.path.abspath(args.out or keys.default_place())
    made = keys.generate(path, args.openssh)
    if args.json:
        output.emit({"file": path, "public": made.openssh, "key_id": made.id, "fingerprint": made.fingerprint})
        return 0
    print(f"Wrote {output.plain(path)} (mode 0600) and {output.plain(path)}.pub\n{made.fingerprint}\n{made.openssh}")
    print(f"Use it:    git config --global oracl.signingKey {output.plain(path)}")
    print(f"Trust it:  git oracl keys trust {output.plain(path)}.pub, and commit .agentlas/allowed_signers")
    return 0


def _list(oracl: Oracl, args: argparse.Namespace) -> int:
    found = oracl.keys(trust=args.trust, base=args.base)
    if args.json:
        rows = [row._asdict() for row in found.trusted]
        output.emit({
            "own": found.own, "policy": found.policy, "trust": found.source, "keys": rows, "notes": found.notes,
        })  # fmt: skip
        return 0
    print(f"yours      {found.own or 'none: git oracl keys generate'}")
    print(f"oracl.sign {found.policy}")
    print(f"trust      {output.plain(found.source)}")
    for row in found.trusted:
        state = "trusted" if row.trusted else row.problem
        print(f"  {row.fingerprint}  {output.plain(row.principals)}  {state}")
    output.note(found.notes)
    return 0


def _add(oracl: Oracl, args: argparse.Namespace) -> int:
    if args.action == "trust":
        path, line = oracl.trust_key(
            args.key, principal=args.principal, after=args.valid_after, before=args.valid_before, file=args.file
        )
    else:
        path, line = oracl.revoke_key(args.key, file=args.file)
    if not line:
        raise UsageError(f"{path} has that line already", "git oracl keys list")
    if args.json:
        output.emit({"file": path, "line": line})
        return 0
    print(f"Added to {output.plain(path)}:\n{output.plain(line)}")
    if not args.file:
        print("It counts once it is committed and on the base ref (origin/HEAD, or verify --base).")
    return 0
