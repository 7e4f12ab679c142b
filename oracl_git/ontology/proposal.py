"""What a person proposes to be remembered: a fact, an edge, a tag or a rule, and what it rests on.

Knows what each kind needs to be of use once it is approved, and pins it to committed files and
passages. The ticket that comes of it waits for a decision like every other.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import UnknownPath, Unrecorded, UsageError
from ..git.run import attempt
from ..graph import learned as learned_tags
from ..graph import parameters
from . import evidence
from .model import CONSTRAINT, EDGE, FACT, TAG, narrower
from .project import Project
from .store import Connection

SEVERITIES = ("info", "warn", "error")
_LADDERS = {"classification": parameters.CLASSIFICATION, "sensitivity": parameters.SENSITIVITY}
_OWN = ("confidence", learned_tags.SOURCE, learned_tags.ASKED)  # names that mean something else among tags
_LINES = re.compile(r"(?P<path>.+?):(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?")
_PASSAGE = re.compile(r"chk_[0-9a-f]{4,16}")


@dataclass(frozen=True)
class Proposal:
    """What a ticket is made of. `rests_on` are paths below the project whose change makes it stale."""

    type: str
    text: str
    payload: dict[str, Any] = field(default_factory=dict)
    rests_on: tuple[str, ...] = ()


def fact(text: str) -> Proposal:
    """A sentence that is to be remembered as it is."""
    return Proposal(FACT, _said(text, "fact"))


def edge(source: str, target: str, confidence: float) -> Proposal:
    """That two files belong together. Raises UsageError."""
    if source == target:
        raise UsageError(f"{source} cannot go with itself", "name two files")
    if not confidence:
        raise UsageError("an edge needs a confidence above 0", "--confidence 0.8")
    payload = {"source": source, "target": target, "confidence": confidence}
    return Proposal(EDGE, f"{source} goes with {target}", payload, (source, target))


def tag(path: str, values: Iterable[str]) -> Proposal:
    """NAME=VALUE tags of a file. Raises UsageError for one that would not be read back."""
    tags = {}
    for value in values:
        name, given, text = value.partition("=")
        if not (name and given and text) or name in _OWN:
            raise UsageError(f"{value!r} is no tag", f"git oracl curate propose tag {path} domain=billing --reason WHY")
        if name in _LADDERS and text not in _LADDERS[name]:
            raise UsageError(f"there is no {name} {text!r}", f"one of: {' '.join(_LADDERS[name])}")
        tags[name] = text
    told = ", ".join(f"{name} {text}" for name, text in tags.items())
    return Proposal(TAG, f"{path} has {told}", {"path": path, "tags": tags}, (path,))


def constraint(rule: str, **values: str | Sequence[str]) -> Proposal:
    """A rule; `values` are those of a constraint: id, paths, severity, owner, forbid."""
    rule = _said(rule, "constraint")
    return Proposal(CONSTRAINT, rule, {"rule": rule, **{name: value for name, value in values.items() if value}})


def _said(text: str, kind: str) -> str:
    if not text.strip():
        raise UsageError(f"a {kind} needs words", f'git oracl curate propose {kind} "…" --reason WHY')
    return " ".join(text.split())


def pinned(
    db: Connection, project: Project, proposal: Proposal, given: Iterable[str], scope: str
) -> tuple[list[dict[str, Any]], str]:
    """(what the ticket rests on, its scope, which is as narrow as that of the passages).

    Raises UnknownPath, Unrecorded.
    """
    refs = []
    for one in (*proposal.rests_on, *given):
        ref = _passage(db, one) if _PASSAGE.fullmatch(one) else _file(project, one)
        scope = narrower(scope, ref.get("scope", scope))
        if ref not in refs:
            refs.append(ref)
    return refs, scope


def placed(project: Project, path: str) -> str:
    """A path as a person wrote it where they stand, from the top of the project (`:/` is the top)."""
    if path.startswith(":/"):
        return posixpath.normpath(path[2:])
    full = os.path.join(os.path.realpath(os.curdir), path)
    return os.path.relpath(os.path.normpath(full), os.path.realpath(project.root))


def _passage(db: Connection, name: str) -> dict[str, Any]:
    rows = db.execute("SELECT id FROM chunks WHERE ref=? OR substr(ref, 1, ?)=? LIMIT 2", (name, len(name), name))
    found = rows.fetchall()
    if len(found) != 1:
        what = "more than one passage begins with" if found else "there is no passage"
        raise Unrecorded(f"{what} {name}", "git oracl ontology query WORDS --json")
    return evidence.of_chunk(db, found[0][0])


def _file(project: Project, name: str) -> dict[str, Any]:
    """A committed file, or lines of it (PATH:10-20), pinned to its blob."""
    blobs = evidence.blobs_at_head(project.repo, [name])
    if name in blobs:
        return {"path": name, "blob": blobs[name]}
    match = _LINES.fullmatch(name)
    path = match["path"] if match else name
    blobs = evidence.blobs_at_head(project.repo, [path])
    if match is None or path not in blobs:
        raise UnknownPath(f"{path} is no file of the last commit", f"git add {path} && git commit")
    first, last = int(match["first"]), int(match["last"] or match["first"])
    assert project.repo is not None
    code, data, _ = attempt(project.repo, "cat-file", "blob", blobs[path])
    count = data.count(b"\n") + (not data.endswith(b"\n")) if code == 0 and data else 0
    if not 0 < first <= last <= count:
        raise UnknownPath(f"{path} has {count} lines, and not {first} to {last}", f"git oracl show {path}")
    return {"path": path, "blob": blobs[path], "lines": f"L{first}-{last}" if last > first else f"L{first}"}
