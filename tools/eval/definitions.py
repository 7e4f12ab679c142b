"""How many definitions of SQL are found that PostgreSQL's own parser finds, by name, and how many more.

    python tools/eval/definitions.py REPOSITORY PATTERN …

Needs `pglast`. Files that it cannot parse are left out; lines for the client (`\\\\i x`) are taken out first.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from oracl_git.extract.extractor import extract

_CLIENT = re.compile(r"^\\.*$", re.MULTILINE)


def defined(statement: Any) -> str:
    """The name that a statement defines, or ""."""
    kind = type(statement).__name__
    if kind in ("CreateStmt", "CreateForeignTableStmt"):
        return _name((statement if kind == "CreateStmt" else statement.base).relation)
    if kind in ("CreateFunctionStmt", "CreateEnumStmt", "CreateRangeStmt", "CreateDomainStmt"):
        names = {"CreateFunctionStmt": "funcname", "CreateDomainStmt": "domainname"}
        return ".".join(part.sval for part in getattr(statement, names.get(kind, "typeName")))
    if kind == "DefineStmt":
        return ".".join(part.sval for part in statement.defnames) if statement.kind.name.endswith("TYPE") else ""
    relations = {"ViewStmt": "view", "CreateSeqStmt": "sequence", "CompositeTypeStmt": "typevar"}
    if kind in relations:
        return _name(getattr(statement, relations[kind]))
    if kind == "CreateTableAsStmt":
        return _name(statement.into.rel)
    names = {"CreateTrigStmt": "trigname", "CreateSchemaStmt": "schemaname"}
    return str(getattr(statement, names.get(kind, ""), "") or "")  # a schema can have its owner's name


def _name(relation: Any) -> str:
    return ".".join(filter(None, (relation.schemaname, relation.relname)))


def _cut(name: str) -> str:
    """A name as long as PostgreSQL keeps it."""
    return name.encode()[:63].decode("utf-8", "ignore")


def main() -> None:
    """Print recall, precision, and what differs."""
    from pglast import parse_sql

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("patterns", nargs="+")
    options = parser.parse_args()
    listed = ["git", "-C", str(options.repository), "ls-files", "--", *options.patterns]
    hits, wanted, made, unparsed = 0, 0, 0, 0
    for path in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.splitlines():
        data = (options.repository / path).read_bytes()
        try:
            statements = parse_sql(_CLIENT.sub("", data.decode("utf-8", "replace")))
        except Exception:  # a template, or another dialect
            unparsed += 1
            continue
        facts = extract(data, "sql")
        if facts.skip:
            continue
        truth = Counter(name.lower() for each in statements if (name := defined(each.stmt)))
        ours = Counter(".".join(map(_cut, each.name.lower().split("."))) for each in facts.definitions)
        hits, wanted, made = hits + (truth & ours).total(), wanted + truth.total(), made + ours.total()
        for sign, names in (("missing", truth - ours), ("more", ours - truth)):
            for name in names:
                print(f"{path}: {sign}: {name}")
    print(f"recall {hits} of {wanted}, precision {hits} of {made}; {unparsed} files were not parsed")


if __name__ == "__main__":
    main()
