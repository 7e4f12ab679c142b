"""git oracl doctor: is everything as it should be, and what to do if not."""

from __future__ import annotations

import argparse

from ..service import Oracl
from . import output
from .parser import machine


def configure_doctor(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    machine(parser)


def run_doctor(args: argparse.Namespace) -> int:
    """Run every check; 1 when one fails."""
    with Oracl.at() as oracl:
        checks = oracl.diagnose()
    if args.json:
        output.emit({"checks": [{"name": c.name, "ok": c.ok, "text": c.text, "hint": c.hint} for c in checks]})
    else:
        for check in checks:
            mark = output.paint("ok  ", "good") if check.ok else output.paint("bad ", "bad")
            print(f"{mark} {check.name:12} {output.plain(check.text)}")
            if check.hint and not check.ok:
                print(f"     hint: {check.hint}")
    return 0 if all(check.ok for check in checks) else 1
