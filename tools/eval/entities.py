"""How many of the entities and relations that are taken from real documents are right, by labels of people.

    python tools/eval/entities.py draw MIRRORS SAMPLE [--number 100]   # rows to judge, on standard output
    python tools/eval/entities.py run MIRRORS                          # precision on the judged ones

A row names a repository, a commit, a path, what was taken there and the words it was taken from.
`verdict` is `right` when these words alone say that the entity is a name of its kind, or that the
relation holds; else `wrong`, with why. Rows are drawn by hash, the same number from each repository,
and none that is judged already: a sample drawn after a change has not been looked at before it.
A row that is no longer taken counts for nothing, and is counted. Addresses are left out: their form
is all that there is to judge.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from oracl_git.ontology import entities
from oracl_git.ontology.chunking import Chunk, chunks
from oracl_git.ontology.model import CONTACT, NAME
from oracl_git.ontology.parsers import Refused, parse_bytes

LABELS = pathlib.Path(__file__).with_name("entities.jsonl")
SUFFIXES = (".md", ".rst", ".txt", ".adoc")
REPOSITORIES = (
    "pypa/pip", "wagtail/wagtail", "celery/celery", "ansible/ansible", "python-poetry/poetry", "sphinx-doc/sphinx",
    "scrapy/scrapy", "simonw/datasette", "git/git", "jgm/pandoc", "tox-dev/tox", "encode/httpx", "pallets/flask",
    "fastify/fastify", "vitejs/vite", "eslint/eslint", "astral-sh/ruff", "gin-gonic/gin", "pytest-dev/pytest",
    "apache/poi", "microsoft/markitdown", "py-pdf/pypdf", "fastapi/fastapi", "pre-commit/pre-commit",
)  # fmt: skip
ADDRESS = re.compile(r"<?[\w.+-]*@[\w.-]+>?")
LONGEST = 240  # characters of a span that are kept
Row = dict[str, Any]


def git(mirrors: pathlib.Path, name: str, *args: str) -> bytes:
    """What git prints in a mirror."""
    place = mirrors / name.replace("/", "+") / "repo"
    return subprocess.run(["git", "-C", str(place), *args], check=True, capture_output=True).stdout


def paths(mirrors: pathlib.Path, name: str, commit: str) -> list[str]:
    """The documents of a repository that are written in English."""
    listed = git(mirrors, name, "ls-tree", "-r", "--name-only", "-z", commit).decode("utf-8", "replace").split("\0")
    foreign = ("/locale", "/po/") if name != "fastapi/fastapi" else tuple(
        f"docs/{each}/" for each in {path.split("/")[1] for path in listed if path.startswith("docs/")} - {"en"}
    )  # fmt: skip
    return [p for p in listed if p.lower().endswith(SUFFIXES) and not any(part in p for part in foreign)]


def taken(mirrors: pathlib.Path, name: str, commit: str, path: str) -> Iterator[Row]:
    """The entities and relations of one document, each once."""
    try:
        data = git(mirrors, name, "cat-file", "blob", f"{commit}:{path}")
        rows = list(chunks(parse_bytes(data, suffix=os.path.splitext(path)[1])))
    except (Refused, subprocess.CalledProcessError):  # … or a large file that the mirror leaves out
        return
    graph = entities.extract(rows)
    about = {"repo": name, "commit": commit, "path": path}
    seen = set()
    for mention in graph.mentions:
        if mention.name not in seen and mention.kind != CONTACT:
            seen.add(mention.name)
            yield {**about, "what": "entity", "name": mention.name, "kind": mention.kind, "span": around(rows, mention)}
    for said in graph.statements:
        triple = (said.subject, said.relation, said.object)
        if triple not in seen:
            seen.add(triple)
            span = short(rows[said.chunk].text[said.start : said.stop])
            yield {**about, "what": "relation", "triple": list(triple), "span": span}


def around(rows: list[Chunk], mention: Any) -> str:
    """The words on both sides of a mention."""
    text = rows[mention.chunk].text
    return short(text[max(0, mention.start - 90) : mention.stop + 90])


def short(text: str) -> str:
    """Words as they are kept: on one line, not many, and without anybody's address."""
    return ADDRESS.sub("<address>", " ".join(text.split()))[:LONGEST]


def key(row: Row) -> tuple[Any, ...]:
    """What a row is about, without the words around it."""
    return (row["repo"], row["path"], row.get("name") or tuple(row["triple"]))


def labels() -> list[Row]:
    """The judged rows."""
    return [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()] if LABELS.exists() else []


def draw(mirrors: pathlib.Path, sample: str, number: int) -> None:
    """Print rows that nobody has judged, as many entities as relations."""
    judged = {key(row) for row in labels()}
    drawn: dict[str, list[list[Row]]] = defaultdict(list)
    for name in REPOSITORIES:
        commit = git(mirrors, name, "rev-parse", "HEAD").decode().strip()
        rows = [row for path in paths(mirrors, name, commit) for row in taken(mirrors, name, commit, path)]
        rows.sort(key=lambda row: hashlib.sha256(f"{sample}\0{key(row)}".encode()).digest())
        for what in ("entity", "relation"):
            once: dict[Any, Row] = {}  # a relation that a changelog repeats is judged once
            for row in rows:
                if row["what"] == what and key(row) not in judged:
                    once.setdefault(key(row)[2], row)
            drawn[what].append(list(once.values()))
    for what, lists in drawn.items():
        turns = [row for turn in zip_longest(*lists) for row in turn if row is not None]
        for row in turns[:number]:
            print(json.dumps({"sample": sample, **row, "verdict": ""}, ensure_ascii=False))
        print(f"{what}: {len(turns)} to draw from", file=sys.stderr)


def run(mirrors: pathlib.Path) -> None:
    """Print, for each sample, how many of the judged rows are still taken and right."""
    rows = labels()
    places = {(row["repo"], row["commit"], row["path"]) for row in rows}
    now = {(*place[:2], *key(row)[1:]) for place in sorted(places) for row in taken(mirrors, *place)}
    counts: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        held = (row["repo"], row["commit"], *key(row)[1:]) in now
        parts = [row["what"]]
        if row["what"] == "entity":
            parts.append("entity, by recurring" if row["kind"] == NAME else "entity, by definition")
        for part in parts:
            counts[row["sample"], part][row["verdict"] if held else f"{row['verdict']}, gone"] += 1
    for (sample, part), count in sorted(counts.items()):
        right, wrong = count["right"], count["wrong"]
        gone = f"; no longer taken: {count['right, gone']} right, {count['wrong, gone']} wrong"
        print(f"{sample:8} {part:22} {right:4} of {right + wrong:4} right: {right / max(1, right + wrong):.2f}{gone}")


def main() -> int:
    """Draw, or run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    for action in ("draw", "run"):
        actions.add_parser(action).add_argument("mirrors", type=pathlib.Path)
    actions.choices["draw"].add_argument("sample", help="a word for the sample; it decides what is drawn")
    actions.choices["draw"].add_argument("--number", type=int, default=100, metavar="N")
    options = parser.parse_args()
    if options.action == "draw":
        draw(options.mirrors, options.sample, options.number)
    else:
        run(options.mirrors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
