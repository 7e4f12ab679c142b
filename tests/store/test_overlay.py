"""What is known of an index while files are typed into stays what a copy made anew would say."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

from pytest import mark

from oracl_git.recall.model import Answer
from oracl_git.service import Oracl

WORDS = "retry budget retries budgets parser parse parsing zebra quagga Handler handlerError".split()
FILES = [f"{'tests/test_' * (n % 2)}part{n // 2}.py" for n in range(8)]


def repository(path: Path, rnd: random.Random) -> str:
    """Eight files, over four commits; returns the top."""
    identity = ["-c", "user.name=A U Thor", "-c", "user.email=author@example.com"]
    subprocess.run(["git", "init", "-q"], cwd=path, check=True)
    (path / "tests").mkdir()
    for number in range(4):
        for name in FILES if number == 0 else rnd.sample(FILES, 3):
            (path / name).write_text(text(rnd))
        subprocess.run(["git", "add", "-A"], cwd=path, check=True)
        subject = " ".join(rnd.sample(WORDS, 3))
        subprocess.run(["git", *identity, "commit", "-q", "-m", f"{subject} {number}"], cwd=path, check=True)
    return str(path)


def text(rnd: random.Random) -> str:
    return "".join(
        f"def {rnd.choice(WORDS)}_{n}():\n    return '{' '.join(rnd.choices(WORDS, k=6))}'\n\n\n" for n in range(4)
    )


def plain(answer: Answer) -> object:
    return answer.total, answer.notes, answer.results


@mark.parametrize("seed", range(4))
def test_typed_on_and_made_anew_answer_alike(tmp_path: Path, seed: int, monkeypatch: Any) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    rnd = random.Random(seed)
    (tmp_path / "r").mkdir()
    top = repository(tmp_path / "r", rnd)
    with Oracl.at(top) as oracl:
        oracl.update()
    kept = Oracl.at(top, worktree=True)
    typed: dict[str, bytes | None] = {}
    for step in range(25):
        name = rnd.choice([*FILES, "fresh.py", "data.py"])
        draw = rnd.random()
        if draw < 0.15:
            typed[name] = None
        elif draw < 0.25:
            typed[name] = b"\0 not a text \0" * 9  # no artifact any more, though the file is there
        elif draw < 0.6:
            before = (typed.get(name) or text(rnd).encode()).split(b"\n")
            before[rnd.randrange(len(before))] += f"  # {rnd.choice(WORDS)}".encode()
            typed[name] = b"\n".join(before)
        else:
            typed[name] = text(rnd).encode()
        anew = Oracl.at(top, worktree=True)
        for oracl in (kept, anew):
            oracl.log = False
            assert oracl.uncommitted is not None
            for path, data in typed.items() if oracl is anew else [(name, typed[name])]:
                if data is None:
                    oracl.uncommitted.forget(path)
                else:
                    oracl.uncommitted.type(path, data)
        for query in rnd.sample(WORDS, 2):
            assert plain(kept.search(query)) == plain(anew.search(query)), (step, query)
        there = [path for _, path in anew.index.paths()]
        assert there == [path for _, path in kept.index.paths()]
        for path in rnd.sample(there, 2):
            assert plain(kept.related([":/" + path])) == plain(anew.related([":/" + path])), (step, path)
        anew.close()
    kept.close()
