"""The last question is found again whatever the disk, the question or the size of the file did."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from oracl_git import telemetry


@pytest.fixture
def git_dir(tmp_path: Path) -> str:
    (tmp_path / "oracl").mkdir()
    return str(tmp_path)


def last(git_dir: str) -> list[str]:
    found = telemetry.last(git_dir)
    return found["results"] if found else []


def test_a_record_that_a_full_disk_cut_spoils_no_other(git_dir: str) -> None:
    telemetry.record(git_dir, "search", "one", (), [("a", "")])
    with open(telemetry.place(git_dir), "ab") as file:
        file.write(b'{"time": "2')
    telemetry.record(git_dir, "search", "two", (), [("b", "")])
    assert last(git_dir) == ["b"]


def test_who_holds_the_log_holds_no_question_up(git_dir: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry._log, "__defaults__", (0.05,))
    with open(telemetry.place(git_dir), "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        telemetry.record(git_dir, "search", "one", (), [("a", "")])
    telemetry.record(git_dir, "search", "two", (), [("b", "")])
    assert last(git_dir) == ["b"] and len(list(telemetry.lines(git_dir))) == 1


def test_a_long_question_is_the_last_one(git_dir: str) -> None:
    telemetry.record(git_dir, "search", "one", (), [("a", "")])
    telemetry.record(git_dir, "related", ["x" * 100] * 4_000, (), [("b", "")])
    assert last(git_dir) == ["b"]


def test_a_file_that_was_put_aside_still_has_the_last_question(git_dir: str) -> None:
    with open(telemetry.place(git_dir), "wb") as file:
        file.write((json.dumps({"class": "open", "query": "x" * 1_000}).encode() + b"\n") * 4_200)
    telemetry.record(git_dir, "search", "one", (), [("a", "")])  # puts the file aside
    assert last(git_dir) == ["a"]
    with open(telemetry.place(git_dir), "ab") as file:
        file.write((json.dumps({"class": "open", "query": "x" * 1_000}).encode() + b"\n") * 4_200)
    telemetry.record(git_dir, "search", "nothing is like this", (), [])
    assert last(git_dir) == ["a"]
