"""Other processes read beside the first: the same rows, whatever happens to them, and nothing of them stays."""

from __future__ import annotations

import array
import errno
import fcntl
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator

import pytest

import oracl_git
from oracl_git.extract.facts import decode
from oracl_git.store import helper, readers
from oracl_git.store.helper import Answer, Piece, read_piece
from oracl_git.store.readers import Witness
from tests.worlds import Commit, found, plain

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


def read_all(pieces: Iterator[Piece], size: int) -> Iterator[tuple[Piece, Answer]]:
    return readers.read_all(pieces, size, Witness(""))


def rows(answers: Iterator[tuple[Piece, Answer]]) -> Rows:
    return [(piece, [row for row, _ in answer]) for piece, answer in answers]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """A helper from the first byte on, small batches; the processes that were started."""
    monkeypatch.setattr(readers, "WORTH", 1)
    monkeypatch.setattr(readers, "_BATCH", 2_000)
    monkeypatch.setattr(readers, "_cores", lambda: 2)
    started: list[subprocess.Popen[bytes]] = []
    start: Callable[..., subprocess.Popen[bytes]] = subprocess.Popen

    def note(*args: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(start(*args, **options))
        return started[-1]

    monkeypatch.setattr(helper.subprocess, "Popen", note)
    return started


def alone() -> Rows:
    return rows((piece, read_piece(piece)) for piece in pieces())


def test_two_processes_say_what_one_says(eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    together = list(read_all(pieces(), 1))
    read_there = sum(said is None for _, answer in together for _, said in answer)
    assert len(eager) == 1
    assert 0 < read_there < 400, "both have a part of it"
    assert eager[0].returncode is not None, "it has ended"
    assert rows(iter(together)) == alone()
    monkeypatch.setattr(readers, "WORTH", 1 << 60)
    assert rows(read_all(pieces(), 1)) == alone()
    assert len(eager) == 1, "a small text starts none"


@pytest.mark.parametrize(
    ("cores", "size", "count"), [(1, 9, 0), (2, 9, 1), (3, 9, 2), (64, 9, 3), (64, 2, 2), (64, 0, 0)]
)
def test_there_are_as_many_as_cores_and_text_are_worth(
    eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, cores: int, size: int, count: int
) -> None:
    monkeypatch.setattr(readers, "_cores", lambda: cores)
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
    monkeypatch.setattr(readers, "_cores", lambda: 9)
    found = []
    for number, pair in enumerate(read_all(pieces(), 9)):
        found.append(pair)
        if number in (40, 200):
            eager[number // 100].kill()
    assert rows(iter(found)) == alone()


def test_one_that_is_stopped_and_goes_on_says_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    batch: list[Piece] = [("", ["python"], b"".join(b"def name_%d():\n    pass\n" % n for n in range(9_000)))]
    other = helper.Helper()
    try:
        assert other.send(batch)
        wait_until_full(other.number)
        for sent in (signal.SIGSTOP, signal.SIGCONT):
            os.kill(other._process.pid, sent)
        answers: list[list[Answer] | None] = []
        waiting = threading.Thread(target=lambda: answers.append(other.receive(1)), daemon=True)
        waiting.start()
        waiting.join(60)
        assert answers == [[[(row, None) for row, _ in read_piece(batch[0])]]]
    finally:
        other.close()


def wait_until_full(pipe: int) -> None:
    """Until whoever writes to a pipe waits for its reader."""
    held = array.array("i", [-1])
    for _ in range(600):
        before = held[0]
        time.sleep(0.05)
        fcntl.ioctl(pipe, termios.FIONREAD, held)
        if held[0] == before > 0:
            return
    pytest.fail("nothing was written")


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
        read_piece(piece)  # what reading loads is loaded
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
        "from test_readers import pieces, read_all\nfrom oracl_git.store import helper, readers\n"
        "readers.WORTH, readers._BATCH, readers._cores = 1, 2000, lambda: 2\n"
        "start = helper.subprocess.Popen\n"
        "def note(*a, **k):\n    made = start(*a, **k)\n    print(made.pid, flush=True)\n    return made\n"
        "helper.subprocess.Popen = note\n"
        "import time\nfor _ in read_all(pieces(), 1):\n    time.sleep(60)\n"
    )
    here = pathlib.Path(__file__)
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(here.parent), str(here.parents[2])], stdout=subprocess.PIPE, cwd=tmp_path
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


# A parser that ends its process: one word in a text is enough.
_DEADLY = """
import os
from oracl_git.extract import extractor
_read = extractor.read
def read(data, language, parse=True):
    if parse and b"deadly" in data:
        os.abort()
    return _read(data, language, parse)
extractor.read = read
"""


@pytest.fixture
def deadly(monkeypatch: pytest.MonkeyPatch) -> str:
    """What helpers run first; the other processes of a test can run it, too."""
    start, after = helper._RUN.split("; ", 2)[:2], helper._RUN.split("; ", 2)[2]
    run = "\n".join((*start, _DEADLY, after))
    monkeypatch.setattr(helper, "_RUN", run)
    return run


def test_what_no_process_survives_is_read_without_a_parser(deadly: str) -> None:
    text = b"def deadly():\n    return 'docs/page.md'\n"
    piece: Piece = ("5" * 40, ["python", "text"], text)
    others = list(pieces(20))
    with readers._Guard() as guard:
        found = [guard.read(each) for each in (*others[:10], piece, *others[10:])]
    crashed = found.pop(10)
    assert rows(iter(zip(others, found, strict=True))) == rows((each, read_piece(each)) for each in others)
    facts = [decode(row[1], row[2]) for row, _ in crashed]
    assert [each.error for each in facts] == ["crash", "crash"]
    assert [d.name for d in facts[0].definitions] == ["deadly"], "what can be told without a parser"
    assert [r.target for r in facts[0].references] == ["docs/page.md"]
    assert b"page" in crashed[0][0][3], "its words are found"


@pytest.fixture
def poor() -> Iterator[None]:
    """Somebody's limit: half of the memory that a file may take."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + helper._MEMORY // 2, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def test_where_memory_is_short_nothing_is_said_of_a_file(deadly: str, poor: None) -> None:
    """It may be a file like others: what is said of it is kept, and is to be the same on every machine."""
    with readers._Guard() as guard, pytest.raises(MemoryError):
        guard.read(("5" * 40, ["python"], b"def deadly():\n    pass\n"))


@pytest.mark.parametrize(
    "error", [MemoryError(), OSError(errno.EMFILE, os.strerror(errno.EMFILE)), ImportError("no grammar")], ids=repr
)
def test_what_this_process_lacks_is_not_said_of_a_file(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: object, language: str) -> None:
        raise error

    monkeypatch.setattr("oracl_git.extract.extractor._extractor", lambda module: fail)
    with pytest.raises(type(error)):
        read_piece(next(pieces(1)))


def test_a_helper_that_lacks_something_leaves_it_to_us(
    eager: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = "from oracl_git.extract import extractor\ndef read(*_): raise MemoryError\nextractor.read = read"
    start, after = helper._RUN.split("; ", 2)[:2], helper._RUN.split("; ", 2)[2]
    monkeypatch.setattr(helper, "_RUN", "\n".join((*start, lacking, after)))
    assert rows(read_all(pieces(), 1)) == alone()
    assert len(eager) == 1


def test_a_guard_that_somebody_ends_is_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    piece = next(pieces(1))
    with readers._Guard() as guard:
        assert guard.read(piece) == [(row, None) for row, _ in read_piece(piece)]
        assert guard._helper is not None
        guard._helper._process.kill()
        assert guard.read(piece) == [(row, None) for row, _ in read_piece(piece)]
    monkeypatch.setattr(helper, "_RUN", "raise SystemExit(3)")
    with readers._Guard() as guard:
        assert guard.read(piece)[0][0] == read_piece(piece)[0][0], "read here: it never worked"


def test_a_file_that_ends_the_update_does_so_once(tmp_path: pathlib.Path, deadly: str) -> None:
    files = {f"a{n}.py": f"def fine_{n}():\n    pass\n" for n in range(5)}
    tree = plain({**files, "b.py": "def deadly():\n    pass\n", "c.py": "import b\n"})
    place = found(tmp_path / "repo", [Commit(tree)])
    script = (
        f"{_DEADLY}\nimport sys\nfrom oracl_git.store import helper\nhelper._RUN = {deadly!r}\n"
        "from oracl_git.cli import main\nsys.argv = ['git-oracl', 'update']\nsys.exit(main())\n"
    )
    first, second, third = (
        subprocess.run([sys.executable, "-c", script], cwd=place, capture_output=True, text=True) for _ in range(3)
    )
    assert first.returncode == -signal.SIGABRT
    assert (second.returncode, third.returncode) == (0, 0), second.stderr
    with oracl_git.open(place) as oracl:
        nodes = {path: oracl.index.node(path) for _, path in oracl.index.paths()}
        assert {path: oracl.index.facts(node).error for path, node in nodes.items() if node} == {
            **dict.fromkeys(files, ""), "b.py": "crash", "c.py": "",
        }  # fmt: skip
    said = subprocess.run(["git-oracl", "stats", "--skipped"], cwd=place, capture_output=True, text=True, check=True)
    assert said.stdout == "text, crash      b.py\n"
    (left,) = (place / "oracl").glob("*-reading")
    assert left.read_bytes() == b""


def test_a_text_that_fills_the_memory_ends_one_update_at_most(tmp_path: pathlib.Path) -> None:
    """Lines that a parser can repair in many ways: 6,000 of them would take sixteen gigabytes."""
    tree = plain({"a.py": "x = 1\n", "b.py": "/* # a comment\n" * 6_000})
    place = found(tmp_path / "repo", [Commit(tree)])
    first, second = (subprocess.run(["git-oracl", "update"], cwd=place, capture_output=True) for _ in range(2))
    assert first.returncode in (0, -signal.SIGABRT, -signal.SIGSEGV), "what a parser does without memory"
    assert second.returncode == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1_600_000, "kilobytes"
    said = subprocess.run(["git-oracl", "stats", "--skipped"], cwd=place, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"text, (crash|too broken) +b\.py\n", said.stdout)
