"""`ontology verify`: documents run through everything, in a place of their own, and what holds said line by line.

Knows the lines, in the words and the order of the source's list, and what may be
published. How each promise is tried knows `trial`. Touches neither the project's
store nor its files; what it would commit is only looked at.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile

from ..errors import OraclError
from . import files
from .embedding import AUTO
from .project import HOME, Project
from .runtime import Runtime
from .trial import formats, remembering, sources, storage, vectors
from .trial.check import Check, Step

EXAMPLES = "examples/ontology-corpus"
_TESTS = os.path.join("tests", "ontology")
# What the source's verification covers, and what is beyond it, each with the steps that try it.
LINES: tuple[tuple[str, tuple[Step, ...]], ...] = (
    ("end-to-end sample ingest/query/graph/memory-cache flow", (sources.ingest, sources.flow)),
    ("idempotency", (sources.idempotency,)),
    ("source lineage", (sources.lineage,)),
    ("TTL eviction", (remembering.eviction,)),
    ("privacy scope filtering", (sources.privacy,)),
    ("exact-agent experience isolation and governance-before-ranking", (remembering.isolation,)),
    ("adaptive all-relevant versus budgeted top-k experience selection", (remembering.selection,)),
    ("full eligible-set ranking without a pre-ranking recency cap", (remembering.full_ranking,)),
    ("semantic-only automatic similar_to relation maintenance", (remembering.similar,)),
    (
        "verified Model2Vec hybrid selection and visible degraded-hash fallback",
        (vectors.own_table, vectors.hybrid, vectors.fallback),
    ),
    ("direct durable-memory write prevention", (remembering.durable,)),
    ("PDF, HWP, HWPX, DOCX, XLSX, PPTX, and image OCR adapter ingest", (formats.formats,)),
    ("unsupported adapter status reporting when a required local parser is missing", (formats.missing,)),
    ("beyond the list: policy and storage", (sources.policy, storage.storage)),
)
UNIT, SAFETY = "unit and integration tests", "public safety"
_SMALL = {
    "helios.md": (
        "# Project Helios\n\nOwner: Mina Park\n\nProject Helios depends on Project Selene. Mina Park manages"
        " Project Helios.\n\n"
        "## Refunds\n\nA refund is paid within seven days after the goods came back.\n"
    ),
    "환불.txt": "환불은 물건을 돌려받은 날부터 7일 이내에 합니다.\n",
    "limits.json": '{"retry": {"budget": 3, "unit": "attempts"}}\n',
    "prices.csv": "item,price\nlamp,40\nchair,75\n",
    "old.xls": "not read by any adapter\n",
}
_SECRETS = (
    ("a private key", re.compile(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY")),
    ("an access token", re.compile(rb"\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|xox[abpr]-[0-9A-Za-z-]{20,})\b")),
    ("a password", re.compile(rb"(?i)\b(?:password|passwd|secret)\s*[:=]\s*[\"']?[A-Za-z0-9!@#$%^&*_-]{8,}")),
    ("a resident number", re.compile(rb"\b\d{6}-[1-4]\d{6}\b")),
    ("a card number", re.compile(rb"\b(?:4\d{3}|5[1-5]\d{2})[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b")),
    (
        "a mail address outside example domains",
        re.compile(rb"[\w.+-]+@(?!(?:[\w-]+\.)*example\.(?:com|org|net)\b)[\w-]+\.(?:com|net|io|kr)\b"),
    ),
    ("a home directory", re.compile(rb"(?:/home/|/Users/|C:\\Users\\)\w+")),
)


def run(project: Project, corpus: str = "", embedding: str = "", *, tests: bool = False) -> list[Check]:
    """Every check, in the order of the source's list. `tests`: the suite of a checkout, too."""
    given = corpus or (
        os.path.join(project.root, EXAMPLES) if os.path.isdir(os.path.join(project.root, EXAMPLES)) else ""
    )
    if given and not os.path.isdir(given):
        raise OraclError(f"{given} is not a directory", "git oracl ontology verify DIRECTORY")
    checks = [_suite(tests)]
    with tempfile.TemporaryDirectory(prefix="oracl-verify-") as place:
        root = os.path.realpath(place)
        _fill(os.path.join(root, "corpus"), given)
        with Runtime(Project(root), embedding=embedding or AUTO) as runtime:
            runtime.init()
            for line, steps in LINES:
                checks += [check._replace(line=line) for step in steps for check in _tried(runtime, step)]
    return [*checks, *(check._replace(line=SAFETY) for check in _safety(project, given))]


def _suite(asked: bool) -> Check:
    """The tests of a checkout; an installed package has none."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if not os.path.isdir(os.path.join(top, _TESTS)):
        return Check(UNIT, None, f"{_TESTS} is part of a checkout of oracl-git", UNIT)
    if not asked:
        return Check(UNIT, None, "--tests runs them; it takes a minute or two", UNIT)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", _TESTS]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True)
    told = [*done.stderr.splitlines(), *done.stdout.strip().splitlines()]
    return Check(UNIT, done.returncode == 0, told[-1] if told else "", UNIT)


def _fill(target: str, given: str) -> None:
    os.makedirs(target)
    if not given:
        for name, text in _SMALL.items():
            with open(os.path.join(target, name), "w", encoding="utf-8") as file:
                file.write(text)
        return
    base = os.path.realpath(given)
    for relative in files.walk(base, ".", lambda reason: None):
        full = os.path.join(target, relative)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w+b") as out:
            try:
                files.copy(base, relative, out)
            except files.Unreadable:
                continue


def _tried(runtime: Runtime, step: Step) -> list[Check]:
    """The checks of one step; one that cannot even be made has failed."""
    try:
        return list(step(runtime))
    except Exception as error:  # whatever it is, it is the answer
        return [Check(step.__name__.replace("_", " "), False, f"{type(error).__name__}: {error}")]


# -- public safety ------------------------------------------------------------------------------


def _safety(project: Project, given: str) -> list[Check]:
    """Whether the corpus, and what git would commit under .agentlas, holds nothing that is nobody's business."""
    found: list[str] = []
    count = 0
    places = (
        [(os.path.realpath(given), path) for path in files.walk(os.path.realpath(given), ".", lambda reason: None)]
        if given
        else []
    )
    checks = []
    for base, path in places:
        count += 1
        found += [f"{path}: {what}" for what in secrets_in(os.path.join(base, path))]
    if given:
        checks.append(
            Check(
                "public safety of the corpus",
                not found,
                "; ".join(found[:5]) or f"{count} files, nothing private in them",
            )
        )
    private, leaks, tracked = [], [], _would_commit(project)
    for path in tracked:
        name = path.removeprefix(f"{HOME}/")
        if name.startswith(("ontology-runtime.sqlite", "ontology-inbox/", "ontology-gui/")):
            private.append(path)
        leaks += [f"{path}: {what}" for what in secrets_in(os.path.join(project.root, path))]
    text = "; ".join([*(f"{path} is private" for path in private), *leaks][:5])
    checks.append(
        Check(
            "public safety of what would be committed",
            not (private or leaks),
            text or f"{len(tracked)} files under {HOME}",
        )
    )
    return checks


def secrets_in(path: str) -> list[str]:
    """What a file holds that should not be published, in words."""
    if os.path.islink(path) or not os.path.isfile(path):
        return []
    with open(path, "rb") as file:
        data = file.read(4 << 20)
    return [what for what, pattern in _SECRETS if pattern.search(data)]


def _would_commit(project: Project) -> list[str]:
    """What git tracks, or would add, under .agentlas."""
    from ..git.run import attempt

    repo = project.repo
    if repo is None or repo.work_tree is None:
        return []
    _, out, _ = attempt(
        repo, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", HOME, cwd=repo.work_tree, index=True
    )
    return [os.fsdecode(raw) for raw in out.split(b"\0") if raw]
