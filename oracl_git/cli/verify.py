"""git oracl verify: is what was signed of a commit true, and who says so?"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ..errors import NotARepository, OraclError, Unverified, UsageError
from ..service import Oracl
from . import output
from .parser import machine, positive
from .progress import Bar

if TYPE_CHECKING:
    from ..vault.use import Checked

_EPILOG = """\
exit codes:
    0   verified
    2   usage or configuration
   10   no snapshot for this commit (--allow-missing makes it 0)
   11   tampered: a digest or a signature does not match
   12   not trusted: unknown, expired, revoked, wrong algorithm, unsigned
   13   of another commit or tree
   14   rollback or fork: the chain's newest went back, or split
   15   the rebuilt graph differs
   16   cannot be checked here: objects, extractor version, lock, read-only"""


def configure_verify(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.epilog = _EPILOG
    parser.add_argument("rev", nargs="?", default="HEAD", metavar="REV", help="the commit (default HEAD)")
    parser.add_argument("--rebuild", action="store_true", help="recompute the graph from git alone and compare")
    parser.add_argument("--against", default="", metavar="DIR", help="an export of the signer, to name what differs")
    parser.add_argument("--base", default="", metavar="REF", help="whose allowed_signers count (default origin/HEAD)")
    parser.add_argument("--trust", default="", metavar="FILE", help="an allowed_signers file instead")
    parser.add_argument("--revoked", default="", metavar="FILE", help="more keys that do not count")
    parser.add_argument("--threshold", type=positive, default=1, metavar="N", help="so many different keys (default 1)")
    parser.add_argument("--at", default="", metavar="DATE", help="judge validity dates as of YYYYMMDD[HHMM][Z]")
    parser.add_argument("--accept-tree", action="store_true", help="a snapshot of another commit of this tree will do")
    parser.add_argument("--allow-missing", action="store_true", help="a commit without a snapshot passes")
    parser.add_argument("--hmac", action="store_true", help="local integrity with ORACALL_HMAC_KEY, no more")
    parser.add_argument("--memory", default="", metavar="FILE", help="where the newest of each chain is remembered")
    parser.add_argument("--proof", default="", metavar="FILE", help="check an inclusion proof against the signed root")
    parser.add_argument("--export", default="", metavar="DIR", help="check what snapshot export wrote")
    machine(parser)


def run_verify(args: argparse.Namespace) -> int:
    """Verify; the exit code says how it went, and is never 1."""
    try:
        with Oracl.at() as oracl:
            files = 0
            with Bar() as tell:
                if args.export:
                    checked, files = oracl.verify_export(args.export, args.rev, _options(args), progress=tell)
                else:
                    checked = oracl.verify(
                        args.rev, _options(args), rebuild=args.rebuild, against=args.against,
                        proof=_proof(args.proof), progress=tell,
                    )  # fmt: skip
            output.note(checked.verdict.notes)
    except OraclError as error:
        own = isinstance(error, (Unverified, UsageError, NotARepository))
        return _refused(args, error, error.exit_code if own else Unverified.UNCHECKED)
    if args.json:
        output.emit({**_as_json(checked), "files": files or None})
    else:
        _say(checked)
        if files:
            print(f"{output.plural(files, 'file')} of the export are what this graph gives.")
    return 0


def _options(args: argparse.Namespace) -> Any:
    from ..vault.verify import Options

    return Options(
        trust=args.trust, base=args.base, revoked=args.revoked, at=args.at, threshold=args.threshold,
        accept_tree=args.accept_tree, allow_missing=args.allow_missing, hmac=args.hmac, memory=args.memory,
    )  # fmt: skip


def _proof(path: str) -> bytes:
    """The bytes of a proof; none when none is to be checked."""
    if not path:
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "git oracl snapshot prove PATH") from None


def _refused(args: argparse.Namespace, error: OraclError, code: int) -> int:
    if args.json:
        difference = getattr(error, "difference", None)
        output.emit({
            "verified": False, "exit": code, "message": error.message, "hint": error.hint,
            "difference": difference._asdict() if difference else None,
        })  # fmt: skip
        return code
    print(f"git-oracl: {output.plain(error.message).rstrip('.')}.", file=sys.stderr)
    if error.hint:
        print(f"hint: {output.plain(error.hint)}", file=sys.stderr)
    return code


def _say(checked: Checked) -> None:
    verdict = checked.verdict
    if verdict.missing:
        print(f"no snapshot  {output.short(verdict.commit)}  and none is asked for")
        return
    from ..vault.keys import fingerprint

    for voucher in verdict.vouchers:
        said = voucher.statement
        word = "unchanged" if voucher.scheme == "hmac-sha256" else "verified"
        who = f"{voucher.principals} " if voucher.principals else ""
        line = f"{word}  {output.short(verdict.commit)}  root {said.root[:12]}…  signed by {output.plain(who)}"
        line += f"({voucher.scheme} {fingerprint(voucher.key_id)})  seq {said.seq}"
        if checked.rebuilt is not None:
            line += f"  rebuilt {output.plural(checked.rebuilt, 'artifact')} in {checked.seconds:.1f} s"
        if checked.proven:
            line += f"  holds {checked.proven}"
        if said.commit != verdict.commit:
            line += f"  as {output.short(said.commit)}, which has the same tree"
        print(line)
        if voucher.scheme == "hmac-sha256":
            print("Local integrity only: nobody else can check this.")


def _as_json(checked: Checked) -> dict[str, object]:
    from ..vault.keys import fingerprint

    verdict = checked.verdict
    said = verdict.statement if verdict.vouchers else None
    return {
        "verified": bool(verdict.vouchers), "exit": 0, "commit": verdict.commit, "tree": verdict.tree,
        "root": said.root if said else None, "source_root": said.source_root if said else None,
        "trust": verdict.source, "rebuilt": checked.rebuilt, "proven": checked.proven or None,
        "seconds": round(checked.seconds, 3),
        "signers": [
            {"principals": v.principals, "scheme": v.scheme, "key_id": v.key_id, "fingerprint": fingerprint(v.key_id),
             "seq": v.statement.seq, "writer": v.statement.writer, "commit": v.statement.commit}
            for v in verdict.vouchers
        ],
        "notes": verdict.notes,
    }  # fmt: skip
