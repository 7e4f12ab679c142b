"""Constraints, and what a repository asks not to be told.

Knows what `forbid` in constraints.toml means for a change, the `[[ignore]]`
tables of oracl.toml, and the comment that silences one line. Patterns come from
the repository, so they are matched without backtracking (graph.globs).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from ..graph import globs
from ..graph.governance import Constraint, load_toml
from .model import CODES, CONSTRAINT, SEVERITIES, Edit, Finding

_COMMENT = re.compile(rb"\boracl:[ \t]*ignore(?:\[([\w, -]{1,200})\])?")
_IMPORT = "import:"


def violations(edits: Iterable[Edit], constraints: Iterable[Constraint]) -> list[Finding]:
    """What the edits of a change may not be: "edit" and "delete"."""
    found = []
    rules = [rule for rule in constraints if rule.forbid]
    for edit in edits if rules else ():
        for rule in rules:
            if "delete" in rule.forbid and edit.status in "DR" and governs(rule, edit.source):
                what = "deletes" if edit.status == "D" else "moves away"
                found.append(
                    violation(rule, edit.source if edit.status == "D" else edit.path, 1, f"{what} {edit.source}")
                )
            elif "edit" in rule.forbid and edit.status != "D" and governs(rule, edit.path):
                found.append(
                    violation(rule, edit.path, 1, f"{'adds' if edit.status == 'A' else 'changes'} {edit.path}")
                )
    return found


def governs(rule: Constraint, path: str) -> bool:
    """Whether the rule is about the path."""
    return any(globs.matches(pattern, path) for pattern in rule.paths)


def violation(rule: Constraint, path: str, line: int, what: str) -> Finding:
    """A finding in the words of the rule."""
    severity = rule.severity if rule.severity in SEVERITIES else "warn"
    owner = f" (ask {rule.owner})" if rule.owner else ""
    return Finding(path, line, CONSTRAINT, f"{rule.id}: {rule.rule}{owner}; this change {what}", rule.id, severity)


def forbidden_imports(rule: Constraint) -> list[str]:
    """The patterns of `import:GLOB`."""
    return [entry[len(_IMPORT) :] for entry in rule.forbid if entry.startswith(_IMPORT) and len(entry) > len(_IMPORT)]


def import_matches(pattern: str, module: str, path: str) -> bool:
    """Whether an import is of a forbidden file, or module."""
    if path and globs.matches(pattern, path):
        return True
    return "/" not in pattern and (fnmatchcase(module, pattern) or module.startswith(pattern + "."))


class Ignored:
    """What is not to be reported: tables of oracl.toml."""

    def __init__(self, data: bytes) -> None:
        self.rows: list[tuple[tuple[str, ...], frozenset[str]]] = []
        try:
            tables = load_toml(data).get("ignore", [])
        except (ValueError, RecursionError):
            return  # `status` tells of it
        for table in tables if isinstance(tables, list) else ():
            paths = _strings(table.get("paths")) if isinstance(table, dict) else ()
            codes = _strings(table.get("codes")) if isinstance(table, dict) else ()
            if paths:
                self.rows.append((paths, frozenset(codes or CODES)))

    def covers(self, finding: Finding) -> bool:
        """Whether the repository asks not to be told of it."""
        return any(
            finding.code in codes and any(globs.matches(pattern, finding.path) for pattern in paths)
            for paths, codes in self.rows
        )


def _strings(value: object) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    return tuple(item for item in values if isinstance(item, str) and item)


def silenced(finding: Finding, rows: list[bytes]) -> bool:
    """Whether the line, or a comment on the line above it, says `oracl: ignore[code]`."""
    for number in (finding.line, finding.line - 1):
        if 0 < number <= len(rows) and (match := _COMMENT.search(rows[number - 1])):
            codes = {code.strip() for code in match[1].decode().split(",")} if match[1] else set(CODES)
            alone = number == finding.line or not re.sub(rb"[\W_]|<!--|-->", b"", rows[number - 1][: match.start()])
            if finding.code in codes and alone:
                return True
    return False
