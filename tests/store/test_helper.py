"""Other processes read beside the first: the same rows, whatever happens to them, and nothing of them stays."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from oracl_git.store import helper
from oracl_git.store.helper import Answer, Piece, read_all

Rows = list[tuple[Piece, list[tuple[str, bytes, bytes, bytes]]]]


def pieces(count: int = 400) -> Iterator[Piece]:
    """Many small files, one that is missing, one of two languages, one that is binary."""
    for number in range(count):
        text = f"import os\n\n\ndef name_{number}():\n    return 'docs/page{number}.md'\n" * (1 + number % 7)
        yield f"{number:040x}", ["python"], text.encode()
        if number % 100 == 50:
            yield f"{number:038x}aa", ["python"], None
            yield f"{number:038x}bb", ["text", "markdown"], b"# A title\n\nand `pkg.module.name` in words\n"
            yield f"{number:038x}cc", ["text"], b"\0\1\2"


def rows(answers: Iterator[tuple[Piece, Answer]]) -> Rows:
    return [(piece, [row for row, _ in answer]) for piece, answer in answers]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """A helper from the first byte on, small batches; the processes that were started."""
    monkeypatch.setattr(helper, "WORTH", 1)
    monkeypatch.setattr(helper, "_BATCH", 2_000)
    monkeypatch.setattr(helper, "_cores", lambda: 2)
    started: list[subprocess.Popen[bytes]] = []
    start: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen

    def note(*args: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(start(*args, **options))
        return started[-1]

    monkeypatch.setattr(helper.subprocess, "Popen", note)
    return started


def alone() -> Rows:
    return rows((piece, helper._read(piece)) for piece in pieces())


def test_two_processes_say_what_one_says(eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    together = list(read_all(pieces(), 1))
    read_there = sum(said is None for _, answer in together for _, said in answer)
    assert len(eager) == 1
    assert 0 < read_there < 400, "both have a part of it"
    assert eager[0].returncode is not None, "it has ended"
    assert rows(iter(together)) == alone()
    monkeypatch.setattr(helper, "WORTH", 1 << 60)
    assert rows(read_all(pieces(), 1)) == alone()
    assert len(eager) == 1, "a small text starts none"


@pytest.mark.parametrize(
    ("cores", "size", "count"), [(1, 9, 0), (2, 9, 1), (3, 9, 2), (64, 9, 3), (64, 2, 2), (64, 0, 0)]
)
def test_there_are_as_many_as_cores_and_text_are_worth(
    eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, cores: int, size: int, count: int
) -> None:
    monkeypatch.setattr(helper, "_cores", lambda: cores)
    assert rows(read_all(pieces(), size)) == alone()
    assert len(eager) == count
    assert all(process.returncode is not None for process in eager), "they have ended"


def test_a_slow_reader_of_answers_keeps_nobody_from_work(eager: list[subprocess.Popen[bytes]]) -> None:
    together = []
    for pair in read_all(pieces(), 1):
        time.sleep(0.005)  # as long as rows are written
        together.append(pair)
    read_there = sum(said is None for _, answer in together for _, said in answer)
    assert read_there > 200, "while rows are written, the other reads"
    assert rows(iter(together)) == alone()


def test_all_but_one_are_killed(eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "_cores", lambda: 9)
    found = []
    for number, pair in enumerate(read_all(pieces(), 9)):
        found.append(pair)
        if number in (40, 200):
            eager[number // 100].kill()
    assert rows(iter(found)) == alone()


def test_one_that_is_killed_costs_nothing_but_time(eager: list[subprocess.Popen[bytes]]) -> None:
    found = []
    for number, pair in enumerate(read_all(pieces(), 1)):
        found.append(pair)
        if number == 90:
            eager[0].kill()
    assert rows(iter(found)) == alone()


@pytest.mark.parametrize("command", ["/does/not/exist", "/bin/false", "7", "700"])
def test_one_that_cannot_be_started_or_talks_nonsense(
    eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    if command.isdigit():
        monkeypatch.setattr(helper, "_RUN", f"import sys; sys.stdout.buffer.write(b'x' * {command})")
    else:
        monkeypatch.setattr(helper.sys, "executable", command)
    found = rows(read_all(pieces(), 1))
    assert found == alone()


def test_no_files_left_to_open(eager: list[subprocess.Popen[bytes]]) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for piece in pieces():
        helper._read(piece)  # what reading loads is loaded
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        found = rows(read_all(pieces(), 1))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert eager == []
    assert found == alone()


def test_who_stops_listening_leaves_no_process(eager: list[subprocess.Popen[bytes]]) -> None:
    answers = read_all(pieces(), 1)
    next(iter(answers))
    answers.close()  # type: ignore[attr-defined]
    assert eager[0].returncode is not None


def test_it_dies_with_its_parent(tmp_path: pathlib.Path) -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from test_helper import pieces\nfrom oracl_git.store import helper\n"
        "helper.WORTH, helper._BATCH, helper._cores = 1, 2000, lambda: 2\n"
        "start = helper.subprocess.Popen\n"
        "def note(*a, **k):\n    made = start(*a, **k)\n    print(made.pid, flush=True)\n    return made\n"
        "helper.subprocess.Popen = note\n"
        "import time\nfor _ in helper.read_all(pieces(), 1):\n    time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, os.path.dirname(__file__)], stdout=subprocess.PIPE, cwd=tmp_path
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while _runs(child):
        assert time.monotonic() < deadline, "it outlives who started it"
        time.sleep(0.05)


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_nothing_in_the_current_directory_is_run(
    eager: list[subprocess.Popen[bytes]], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("marshal", "gc", "signal", "json", "re", "oracl_git", "sqlite3"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    together = list(read_all(pieces(), 1))
    assert any(said is None for _, answer in together for _, said in answer), "it did read"
    assert not (tmp_path / "ran").exists()
