"""A log that a full disk cut loses the line that was cut, and no other."""

from __future__ import annotations

from pathlib import Path

from oracl_git.hooks import journal


def test_a_line_that_was_cut_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / "oracl").mkdir()
    git_dir = str(tmp_path)
    journal.write(git_dir, 1, "a" * 40, 2, 0.5)
    with open(journal.place(git_dir, journal.LOG), "ab") as file:
        file.write(b'{"time": "2')
    journal.write(git_dir, 3, "b" * 40, 4, 0.5)
    assert [run.events for run in journal.runs(git_dir)] == [1, 3]
