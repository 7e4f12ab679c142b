"""The tracked files that tune the graph, read from the commit being indexed.

Knows the formats of `.agentlas/oracl.toml`, `constraints.toml`,
`learned_edges.json`, `learned_tags.json` and CODEOWNERS, and what in them is
believed: a cloned repository is input, so a malformed entry is left out and
reported, and nothing here can name a command, a key or a place outside the tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeGuard, TypeVar

from . import globs, learned, parameters
from .model import decode_path

ORACL_TOML = ".agentlas/oracl.toml"
CONSTRAINTS = ".agentlas/constraints.toml"
LEARNED_CONSTRAINTS = ".agentlas/learned_constraints.toml"
LEARNED_EDGES = ".agentlas/learned_edges.json"
LEARNED_TAGS = ".agentlas/learned_tags.json"
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
FILES = (ORACL_TOML, CONSTRAINTS, LEARNED_CONSTRAINTS, LEARNED_EDGES, LEARNED_TAGS, *CODEOWNERS)

T = TypeVar("T")
P = TypeVar("P", bound=Sequence[str])
_MAX_RULES = 5_000  # patterns of a file
_MAX_DOTS = 200  # of a line's names in TOML: reading them costs the square
_MAX_PROBLEMS = 50
_MAX_ASKED = 2_000  # questions that are compared with each one asked
_MAX_QUESTION = 200  # characters of one
_OVERRIDES = ("classification", "sensitivity", "usage", "estimated_savings", "review")


class Constraint(NamedTuple):
    """A rule about paths. `id` is its name; the node is `constraint:<id>`."""

    id: str
    paths: tuple[str, ...]
    rule: str
    severity: str = "warn"
    owner: str = ""
    forbid: tuple[str, ...] = ()


_NONE: Mapping[str, Any] = MappingProxyType({})


class Governance(NamedTuple):
    """All tracked settings of one commit; `digest` names them."""

    domains: Mapping[str, str] = _NONE
    overrides: globs.Rules[dict[str, str | int]] = globs.Rules(())
    constraints: tuple[Constraint, ...] = ()
    learned_edges: Mapping[str, tuple[tuple[str, int], ...]] = _NONE  # source → (target, κ)
    learned_tags: Mapping[str, Mapping[str, str]] = _NONE
    asked: tuple[tuple[str, str, int], ...] = ()  # (path, a question it was opened for, κ): no tag, search reads it
    owners: globs.Rules[bool] = globs.Rules(())
    problems: tuple[str, ...] = ()
    digest: str = ""

    def owned(self, path: str) -> bool:
        """Whether CODEOWNERS names an owner for the path (the last match decides)."""
        return next(self.owners.matching(path), False)

    def overridden(self, path: str) -> dict[str, str | int]:
        """The per-path settings of oracl.toml, later entries winning."""
        found: dict[str, str | int] = {}
        for values in reversed(list(self.overrides.matching(path))):
            found.update(values)
        return found


def parse(files: Mapping[str, bytes]) -> Governance:
    """Read what the commit tracks; `files` maps the names in FILES to their bytes."""
    from hashlib import sha256  # asking a question reads no settings, and OpenSSL takes long to load

    problems: list[str] = []
    digest = sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + sha256(files[name]).digest())
    config = _toml(files, ORACL_TOML, problems)
    domains = config.get("domains", {})
    tags = _json(files, LEARNED_TAGS, problems)
    owners: Sequence[tuple[tuple[str], bool]] = ()
    for name in CODEOWNERS:
        if name in files:
            owners = _believed(name, _owners(files[name]), problems)
            break
    return Governance(
        domains={k: v for k, v in domains.items() if _is_text(v)} if isinstance(domains, dict) else {},
        overrides=globs.Rules(_believed(ORACL_TOML, _overrides(config.get("override", ()), problems), problems)),
        constraints=tuple(_constraints(files, problems)),
        learned_edges=_learned_edges(_json(files, LEARNED_EDGES, problems), problems),
        learned_tags=_learned_tags(tags, problems),
        asked=tuple(_asked(tags, problems)),
        owners=globs.Rules(owners),
        problems=_told(problems),
        digest=digest.hexdigest(),
    )


def _believed(name: str, rules: Sequence[tuple[P, T]], problems: list[str]) -> Sequence[tuple[P, T]]:
    """The last rules, which win, up to as many patterns as can be asked of every path."""
    patterns, start = 0, len(rules)
    while start and patterns + max(1, len(rules[start - 1][0])) <= _MAX_RULES:
        start -= 1
        patterns += max(1, len(rules[start][0]))
    if start:
        problems.append(
            f"{name}: only the last {len(rules) - start:,} of {len(rules):,} rules are read ({_MAX_RULES:,} patterns)"
        )
    return rules[start:]


def _told(problems: list[str]) -> tuple[str, ...]:
    """Problems as a person can read them: short, and not thousands."""
    more = [f"and {len(problems) - _MAX_PROBLEMS:,} more"] if len(problems) > _MAX_PROBLEMS else []
    return (*(text if len(text) <= 200 else text[:199] + "…" for text in problems[:_MAX_PROBLEMS]), *more)


def _toml(files: Mapping[str, bytes], name: str, problems: list[str]) -> dict[str, object]:
    try:
        return load_toml(files.get(name, b""))
    except (ValueError, RecursionError) as error:
        problems.append(f"{name}: {error}")
        return {}


_AFTER_QUOTE = re.compile(r"[\"'][ \t]*\.")


def load_toml(data: bytes) -> dict[str, object]:
    """TOML of a repository, in time that grows with its length. Raises ValueError, RecursionError."""
    import tomllib  # asking a question reads no settings, and this is 7 ms of it

    text = data.decode("utf-8")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MAX_DOTS:
            bare = max(piece.count(".") for piece in re.split(r"[\"'#]", line))
            if bare + len(_AFTER_QUOTE.findall(line)) > _MAX_DOTS:
                raise ValueError(f"a name of more than {_MAX_DOTS} parts (at line {number})")
    return tomllib.loads(text)


def _json(files: Mapping[str, bytes], name: str, problems: list[str]) -> object:
    if name not in files:
        return None
    try:
        return learned.loads(files[name])
    except (ValueError, RecursionError) as error:
        problems.append(f"{name}: {error}")
        return None


def _strings(value: object) -> tuple[str, ...]:
    if _is_text(value):
        return (value,)
    return tuple(item for item in value if _is_text(item)) if isinstance(value, list) else ()


def _overrides(entries: object, problems: list[str]) -> list[tuple[tuple[str, ...], dict[str, str | int]]]:
    found = []
    for entry in entries if isinstance(entries, list) else ():
        values: dict[str, str | int] = {}
        for name in _OVERRIDES:
            value = entry.get(name) if isinstance(entry, dict) else None
            if value is None:
                continue
            known = {"classification": parameters.CLASSIFICATION, "sensitivity": parameters.SENSITIVITY}.get(name)
            if known is not None and not (isinstance(value, str) and value in known):
                problems.append(f"{ORACL_TOML}: unknown {name} {value!r}")
            elif name in ("usage", "estimated_savings") and (type(value) is not int or value < 0):
                problems.append(f"{ORACL_TOML}: {name} must be a whole number, not {value!r}")
            elif isinstance(value, (str, int)):
                values[name] = value
        if isinstance(entry, dict) and values:
            found.append((_strings(entry.get("paths")), values))
    return found


def _constraints(files: Mapping[str, bytes], problems: list[str]) -> list[Constraint]:
    """What people wrote, then what a curator wrote; of two of one id the first counts."""
    found: dict[str, Constraint] = {}
    patterns = 0  # each is asked of every path
    for file in (CONSTRAINTS, LEARNED_CONSTRAINTS):
        entries = _toml(files, file, problems).get("constraint", ())
        for entry in entries if isinstance(entries, list) else ():
            name, rule = (entry.get("id"), entry.get("rule")) if isinstance(entry, dict) else (None, None)
            if not isinstance(name, str) or not name or not isinstance(rule, str) or name in found:
                problems.append(f"{file}: a constraint needs a rule and an id of its own (got {name!r})")
                continue
            paths = _strings(entry.get("paths"))
            patterns += len(paths)
            if patterns > _MAX_RULES:
                problems.append(f"{file}: only the first {_MAX_RULES:,} patterns of constraints are read")
                return list(found.values())
            found[name] = Constraint(
                name,
                paths,
                rule,
                str(entry.get("severity", "warn")),
                str(entry.get("owner", "")),
                _strings(entry.get("forbid")),
            )
    return list(found.values())


def _learned_edges(data: object, problems: list[str]) -> dict[str, tuple[tuple[str, int], ...]]:
    rows = data.get("edges", []) if isinstance(data, dict) else data
    found: dict[str, dict[str, int]] = {}
    for row in rows if isinstance(rows, list) else ():
        if row is None:  # ends a list whose lines of two branches are to merge
            continue
        source, target = (row.get("source"), row.get("target")) if isinstance(row, dict) else (None, None)
        confidence = row.get("confidence", 1) if isinstance(row, dict) else None
        confidence = None if isinstance(confidence, bool) else confidence
        if not _is_text(source) or not _is_text(target) or not isinstance(confidence, (int, float)):
            problems.append(f"{LEARNED_EDGES}: an edge needs source, target and a confidence (got {row!r:.80})")
            continue
        kappa = round(confidence * 1_000_000) if 0 < confidence <= 1 else 0
        if kappa:
            # Two branches may have learned one edge: which of the two lines is first says nothing.
            targets = found.setdefault(source, {})
            targets[target] = max(kappa, targets.get(target, 0))
        else:
            problems.append(f"{LEARNED_EDGES}: confidence must be above 0 and at most 1 (got {confidence!r})")
    return {source: tuple(sorted(targets.items())) for source, targets in found.items()}


def _learned_tags(data: object, problems: list[str]) -> dict[str, dict[str, str]]:
    rows = data.get("tags", data) if isinstance(data, dict) else {}
    found = {}
    for path, tags in rows.items() if isinstance(rows, dict) else ():
        if isinstance(tags, dict):
            found[path] = {
                name: str(value).lower() if isinstance(value, bool) else value
                for name, value in tags.items()
                if name not in ("confidence", "source")
                and _is_text(name)
                and (isinstance(value, bool) or _is_text(value))
            }
        else:
            problems.append(f"{LEARNED_TAGS}: tags of {path!r} are not an object")
    return found


def _asked(data: object, problems: list[str]) -> list[tuple[str, str, int]]:
    """The questions files were opened for: `"asked": {question: confidence}` among a path's tags."""
    rows = data.get("tags", data) if isinstance(data, dict) else {}
    found = []
    for path, tags in rows.items() if isinstance(rows, dict) else ():
        asked = tags.get("asked") if isinstance(tags, dict) else None
        for question, confidence in asked.items() if isinstance(asked, dict) else ():
            number = isinstance(confidence, (int, float)) and not isinstance(confidence, bool)
            texts = _is_text(path) and _is_text(question) and 0 < len(question) <= _MAX_QUESTION
            if texts and number and 0 < confidence <= 1:
                found.append((path, question, round(confidence * 1_000_000)))
            else:
                problems.append(f"{LEARNED_TAGS}: {path!r:.60} is asked for with {question!r:.60}: {confidence!r:.20}")
    found.sort()
    if len(found) > _MAX_ASKED:
        problems.append(f"{LEARNED_TAGS}: only the first {_MAX_ASKED:,} of {len(found):,} questions are read")
    return found[:_MAX_ASKED]


def _is_text(value: object) -> TypeGuard[str]:
    """Whether it is a string that has bytes: JSON can spell half a surrogate pair, which has none."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


_OWNER_WORD = re.compile(r"(?:\\ |\S)+")  # a space in a path stands behind a backslash


def _owners(data: bytes) -> list[tuple[tuple[str], bool]]:
    rows = []
    for line in decode_path(data.removeprefix(b"\xef\xbb\xbf")).split("\n"):
        words = _OWNER_WORD.findall(line.split("#", 1)[0])
        if words and not words[0].startswith(("[", "^[")):
            rows.append(((words[0].replace("\\ ", " "),), len(words) > 1))
    return rows
