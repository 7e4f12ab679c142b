"""Same commit, same question → same bytes: across processes, hash seeds, locales and clones, at every cap.

The world is made of equals: files with one text, commits with one message, more of each than any pool
holds. What is cut where must not depend on the order in which a clone came to know them.
"""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from oracl_git.recall import tables
from tests.worlds import Commit, found, plain

QUESTIONS = [
    "search apple", "search pear", "search fruit basket", "search apple -n 100", "search make_pear",
    "search 'pear -docs'", "search type:docs", "search recent", "search basket/f0003.py:2:", "search f0100.py",
    "search apple --ranker classic",
    "related basket/f0003.py", "related basket/f0003.py docs/d0004.md -n 50",
    "trace basket/f0000.py --both --depth 3", "hub", "hub basket", "show basket/f0003.py", "stats",
]  # fmt: skip
CODE = "import sys; from oracl_git.cli import main; sys.exit(main())"
ROOT = Path(__file__).parents[2]


def history() -> list[Commit]:
    """Many equal files that appear in an order of their own, many equal commits, edges of one weight."""
    chance = random.Random(7)
    files: dict[str, str] = {}
    for number in range(max(tables.POOL, tables.FILE_POOL, tables.CHUNK_POOL) + 150):
        files[f"basket/f{number:04}.py"] = "import basket.f0000\n\n\ndef make_pear():\n    return 'apple'\n"
    for number in range(30):
        files[f"docs/d{number:04}.md"] = "# Fruit basket\n\nAn apple and a pear; see `basket/f0000.py`.\n"
    names = list(files)
    chance.shuffle(names)
    tree: dict[str | bytes, str | bytes] = {}
    commits = []
    for number in range(tables.COMMIT_POOL + 60):
        for name in names[number * 8 : number * 8 + 8]:
            tree[name] = files[name]
        touched = chance.choice(sorted(tree))
        tree[touched] = f"{files[str(touched)]}{'# ' if str(touched).endswith('.py') else ''}{number % 3}\n"
        commits.append(Commit(plain(tree), [number - 1] if number else [], "An apple for the basket"))
    return commits


def ask(repo: Path, question: str, **env: str) -> bytes:
    """What the command line prints, less how long it took."""
    words = shlex.split(question)
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words, *([] if words[0] in ("show", "stats") else ["--json"])], cwd=repo,
        capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **env},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def update(repo: Path, commit: str = "") -> None:
    """Move HEAD and the index."""
    if commit:
        subprocess.run(["git", "update-ref", "refs/heads/main", commit], cwd=repo, check=True)
    subprocess.run([sys.executable, "-c", CODE, "update"], cwd=repo, check=True, capture_output=True)


def aside(repo: Path, trees: list[str]) -> str:
    """A branch with these commits' trees, whose messages speak of the same things in other words: its tip."""
    tip = trees[0]
    for number, tree in enumerate(trees * 20):
        message = f"Apple, pear {number}: a longer word on how the fruit comes into a basket, and a test of make_pear"
        words = ["commit-tree", f"{tree}^{{tree}}", "-p", tip, "-m", message]
        who = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"]
        tip = subprocess.check_output(["git", *who, *words], cwd=repo, text=True).strip()
    return tip


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(a clone indexed at once, a clone whose index went back and forth, and aside)."""
    place = tmp_path_factory.mktemp("same")
    commits = history()
    origin = found(place / "origin", commits)
    for name in ("once", "wandering"):
        subprocess.run(["git", "clone", "-q", "--bare", str(origin), str(place / name)], check=True)
    update(place / "once")
    chance = random.Random(3)
    for number in [*chance.sample(range(len(commits)), 3), len(commits) // 2]:
        update(place / "wandering", commits[number].oid)
    update(place / "wandering", aside(place / "wandering", [commits[3].oid, commits[40].oid, commits[9].oid]))
    update(place / "wandering", commits[-1].oid)
    for name in ("once", "wandering"):  # until then each has vectors for the passages it came by first, and says so
        subprocess.run([sys.executable, "-c", CODE, "update", "--vectors"], cwd=place / name, check=True)
    return place / "once", place / "wandering"


@pytest.mark.parametrize("question", QUESTIONS)
def test_clones_answer_alike(clones: tuple[Path, Path], question: str) -> None:
    once, wandering = (ask(clone, question) for clone in clones)
    assert once and once == wandering


def test_processes_seeds_and_locales_answer_alike(clones: tuple[Path, Path]) -> None:
    settings: list[dict[str, str]] = [
        {"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "4242", "LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Japan"},
    ]  # fmt: skip
    for question in QUESTIONS[:3] + QUESTIONS[11:14]:
        assert len({ask(clones[0], question, **env) for env in settings}) == 1, question


def test_the_world_reaches_every_cap(clones: tuple[Path, Path]) -> None:
    from oracl_git.git import discover
    from oracl_git.store.index import Index

    with Index(discover(str(clones[0]))) as index:
        assert len(index.match_chunks("apple", 1.0, 1.0, -1)) > tables.CHUNK_POOL
        assert len(index.match_files("pear", 1.0, 1.0, -1)) > tables.FILE_POOL
        assert len(index.match_commits(["apple"], 10_000)) > tables.COMMIT_POOL
        for pool in (1, 37, tables.CHUNK_POOL):
            spans = index.match_chunks("apple", 1.0, 1.0, pool)
            assert len(spans) == pool
            assert [s.node for s in spans] == [s.node for s in index.match_chunks("apple", 1.0, 1.0, -1)][:pool]
