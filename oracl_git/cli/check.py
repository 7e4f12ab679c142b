"""git oracl check: what does this change break?

Every commit waits for it, so it goes to the check itself: `service.Oracl` would
bring along the index, which is not asked.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys

from ..check.model import CODES, MEANINGS, Finding
from ..check.run import check
from ..errors import UsageError
from ..git import discover
from . import output

_LEVELS = {"info": "note", "warn": "warning", "error": "error"}


def configure_check(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("range", nargs="?", default="", metavar="RANGE", help="commits: A..B, A...B, or A up to HEAD")
    parser.add_argument("--staged", action="store_true", help="what is staged (default)")
    parser.add_argument("--all", action="store_true", help="everything that is tracked, old debt included")
    parser.add_argument("--fix", action="store_true", help="rewrite references to files that were renamed")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--sarif", action="store_true", help="SARIF 2.1.0, for code scanning")
    parser.add_argument("--baseline", metavar="FILE", default="", help="do not report what is listed in FILE")
    parser.add_argument("--write-baseline", metavar="FILE", default="", help="list what is found in FILE, and exit 0")
    width = max(map(len, CODES))
    parser.epilog = "codes:\n" + "\n".join(f"  {code:{width}}  {MEANINGS[code]}" for code in CODES) + (
        "\n\n`oracl: ignore[CODE]` in a comment on the line, or above it, silences it;\n"
        "[[ignore]] in .agentlas/oracl.toml silences files.\n"
        "examples:\n  git oracl check\n  git oracl check main...\n  git oracl check --fix\n"
        "  git oracl check --sarif origin/main...HEAD > oracl.sarif"
    )  # fmt: skip


def run_check(args: argparse.Namespace) -> int:
    """Report; 1 when something is wrong."""
    if (bool(args.range) + args.staged + args.all > 1) or (args.json and args.sarif):
        raise UsageError("one of RANGE, --staged and --all; one of --json and --sarif", "git oracl check -h")
    gc.disable()  # syntax trees are many objects without a cycle; looking for one is a third of the time
    if args.fix and args.range:
        raise UsageError("--fix works on what is staged", "git oracl check --fix")
    span = args.range or ("" if args.staged or args.all else _given_by_a_framework())
    known = _read_baseline(args.baseline) if args.baseline else frozenset()
    repo = discover()
    findings = [f for f in check(repo, span, whole=args.all) if f.fingerprint not in known]
    if args.write_baseline:
        _write_baseline(args.write_baseline, findings)
        return 0
    fixed: list[Finding] = []
    notes: list[str] = []
    if args.fix:
        from ..check.mend import mend

        fixed, notes = mend(repo, findings)
    if args.sarif:
        import json

        print(json.dumps(sarif(findings), ensure_ascii=True, indent=1))
    elif args.json:
        output.emit({
            "findings": [
                {"path": f.path, "line": f.line, "code": f.code, "severity": f.severity, "message": f.message,
                 "target": f.target, "replacement": f.replacement, "fixed": f in fixed}
                for f in findings
            ],
        })  # fmt: skip
    else:
        for finding in findings:
            print(told(finding, finding in fixed))
    if fixed:
        output.note([f"{output.plural(len(fixed), 'reference')} rewritten in the work tree: git add -u, then go on"])
    output.note(notes)
    return 1 if any(finding.severity == "error" for finding in findings) else 0


def told(finding: Finding, fixed: bool = False) -> str:
    """file:line: code: message."""
    level = "" if finding.severity == "error" else f" ({finding.severity})"
    done = f" [now {finding.replacement}]" if fixed else ""
    return output.plain(f"{finding.path}:{finding.line}: {finding.code}:{level} {finding.message}{done}")


def _given_by_a_framework() -> str:
    """pre-commit run --from-ref A --to-ref B says so in the environment."""
    old, new = (os.environ.get(f"PRE_COMMIT_{end}_REF", "") for end in ("FROM", "TO"))
    return f"{old}...{new}" if old and new else ""


def _read_baseline(path: str) -> frozenset[str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = [line.removesuffix("\n") for line in file if not line.startswith("#")]
        return frozenset([*lines, *(line.removesuffix("\r") for line in lines)])  # git may have made CRLF of the ends
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", f"git oracl check --write-baseline {path}") from None


def _write_baseline(path: str, findings: list[Finding]) -> None:
    lines = sorted({finding.fingerprint for finding in findings if "\n" not in finding.fingerprint})
    try:
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.write("# What git oracl check found and is not to report: code, file, target.\n")
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", "git oracl check --write-baseline FILE") from None
    print(f"Listed {output.plural(len(lines), 'finding')} in {output.plain(path)}.", file=sys.stderr)


def sarif(findings: list[Finding]) -> dict[str, object]:
    """The findings as SARIF 2.1.0."""
    from urllib.parse import quote

    from .. import __version__

    rules = [{"id": code, "shortDescription": {"text": MEANINGS[code]}} for code in CODES]
    results = [
        {
            "ruleId": f.code,
            "ruleIndex": CODES.index(f.code),
            "level": _LEVELS[f.severity],
            "message": {"text": output.plain(f.message)},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(f.path, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": f.line},
                },
            }],
            "partialFingerprints": {"oracl/v1": quote(f.fingerprint, errors="surrogateescape")},
        }
        for f in findings
    ]  # fmt: skip
    driver = {"name": "git-oracl", "version": __version__, "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }  # fmt: skip
