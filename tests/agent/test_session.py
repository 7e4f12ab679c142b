"""A session: what it remembers, what leaves it, and what of others' it believes. Two clones, a remote, real keys."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracl_git
from oracl_git import telemetry
from oracl_git.agent import bundle, record
from oracl_git.agent.kept import Kept
from oracl_git.agent.record import Asked, Decided, File, Opened, Session
from oracl_git.agent.session import SessionMemory, forget_all
from oracl_git.errors import OraclError, UnknownPath, Unverified, UsageError
from oracl_git.vault import canonical, envelope, keys
from oracl_git.vault.envelope import Envelope, Signature

sys.path.insert(0, str(Path(__file__).parents[1] / "vault"))
from vaults import KEY, Vault, make, new_key

SECRET = ".agentlas/oracl.toml", '[[override]]\npaths = ["vault/"]\nclassification = "confidential"\n'
REFS = "refs/oracl/sessions/"


@pytest.fixture(autouse=True)
def debuggable(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the vault's tests have it: a process that signed could not be looked into."""
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr("oracl_git.vault.keys.no_core_file", lambda: None)


class Clones:
    """A remote, and two who clone it: alice, whom its list of signers names, and bob."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.key, self.other = new_key(root / "alice.key"), new_key(root / "mallory.key")
        first = make(root / "first", self.key)
        first.commit("secrets", {SECRET[0]: SECRET[1], "vault/pin.py": "PIN = 1234\n"})
        self.remote = root / "remote.git"
        subprocess.run(["git", "clone", "-q", "--bare", str(first.path), str(self.remote)], check=True)
        self.alice, self.bob = (self._clone(name) for name in ("alice", "bob"))

    def _clone(self, name: str) -> Vault:
        subprocess.run(["git", "clone", "-q", f"file://{self.remote}", str(self.root / name)], check=True)
        return Vault(self.root / name, self.key)

    def refs(self) -> list[str]:
        out = subprocess.run(
            ["git", "for-each-ref", "--format=%(refname)", REFS], cwd=self.remote, capture_output=True, check=True
        )
        return out.stdout.decode().split()


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


@pytest.fixture
def alice(clones: Clones) -> Iterator[SessionMemory]:
    """Alice's session, in which something was asked, opened and decided."""
    with oracl_git.open(str(clones.alice.path)) as oracl:
        memory = SessionMemory.start(oracl, "review")
        memory.query_knowledge_graph("where are prices summed")
        memory.open("shop/prices.py#L1-4")
        memory.decide("Prices are summed in one place", ["shop/prices.py"])
        yield memory


@pytest.fixture
def bob(clones: Clones) -> Iterator[SessionMemory]:
    with oracl_git.open(str(clones.bob.path)) as oracl:
        yield SessionMemory(oracl)


@pytest.fixture
def signing(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, str(clones.key))


def failing(code: int, run: Callable[[], object]) -> OraclError:
    with pytest.raises(OraclError) as failed:
        run()
    assert failed.value.exit_code == code, failed.value
    assert failed.value.message and failed.value.hint and "\n" not in failed.value.message
    return failed.value


# -- what is remembered -----------------------------------------------------------------------


def test_a_session_begins_with_what_was_asked_opened_and_decided(alice: SessionMemory, clones: Clones) -> None:
    with oracl_git.open(str(clones.alice.path)) as oracl:
        again = SessionMemory(oracl)
        assert again.name == "review" and again.session == alice.session
        (asked,), (opened,), (decided,) = again.asked, again.opened, again.decided
    assert (asked.kind, asked.question) == ("search", "where are prices summed")
    assert asked.files[0].path == "shop/prices.py"
    assert (opened.file.path, opened.fragment) == ("shop/prices.py", "L1-4")
    assert decided.text == "Prices are summed in one place"
    assert decided.files == (File("shop/prices.py", clones.alice.git("rev-parse", "HEAD:shop/prices.py")),)


def test_what_verbs_ask_and_open_belongs_to_the_session(clones: Clones) -> None:
    alice = clones.alice
    alice.cli("session", "start", "one")
    alice.cli("search", "cart")
    alice.cli("open", "1", "--print")
    alice.cli("related", "shop/cart.py")
    alice.cli("session", "ask", "shop/cart.py:1")
    alice.cli("open", "1", "--print")
    found = alice.cli("session", "show", "--json")
    assert [row["kind"] for row in found["asked"]] == ["search", "related", "node"]
    assert len(found["opened"]) == 2 and found["opened"][1]["path"] == "shop/cart.py"
    alice.cli("search", "prices", env={"ORACL_SESSION": "two"})
    alice.cli("session", "decide", "Two it is", env={"ORACL_SESSION": "two"})
    assert alice.cli("session", "show", "--json") == found | {
        "before": [alice.cli("session", "show", "two", "--json")["decided"][0] | {"session": "two", "by": ""}],
        "sessions": ["two"],
    }
    assert [row["question"] for row in alice.cli("session", "show", "two", "--json")["asked"]] == ["prices"]
    assert alice.git("status", "--porcelain") == ""


def test_a_new_session_knows_what_was_decided_before(alice: SessionMemory) -> None:
    new = SessionMemory.start(alice.oracl, "next")
    assert new.asked == new.opened == new.decided == ()
    assert [(row.session, row.by, row.decided.text) for row in new.before()] == [
        ("review", "", "Prices are summed in one place")
    ]
    SessionMemory.start(alice.oracl, "review")
    assert SessionMemory(alice.oracl).name == "review" and SessionMemory(alice.oracl).decided


def test_a_file_that_changed_since_is_told(alice: SessionMemory, clones: Clones) -> None:
    assert "(changed since)" not in clones.alice.cli("session", "show")
    clones.alice.commit("other prices", {"shop/prices.py": "def total(prices):\n    return 0\n"})
    assert "[shop/prices.py (changed since)]" in clones.alice.cli("session", "show")
    assert clones.alice.cli("session", "show", "--json")["decided"][0]["files"][0]["changed"] is True


def test_it_is_its_owners_alone(alice: SessionMemory, clones: Clones) -> None:
    home = clones.alice.path / ".git/oracl"
    assert stat.S_IMODE((home / "sessions").stat().st_mode) == 0o700
    private = [*(home / "sessions").glob("*.json"), home / "session", home / "search_history.jsonl"]
    assert len(private) == 3 and {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    tracked = clones.alice.git("ls-files")
    assert "session" not in tracked and clones.alice.git("status", "--porcelain", "--ignored") == ""


def test_without_telemetry_no_question_is_kept(clones: Clones) -> None:
    clones.alice.git("config", "oracl.telemetry", "false")
    with oracl_git.open(str(clones.alice.path)) as oracl:
        memory = SessionMemory.start(oracl, "quiet")
        for query in ("prices", "shop/prices.py:1", "domain:shop"):
            memory.query_knowledge_graph(query)
        memory.query_knowledge_graph("shop/prices.py", "neighbours")
        memory.open("shop/prices.py")
        memory.decide("Nothing is logged")
        assert memory.asked == memory.opened == () and len(memory.decided) == 1
    assert not (clones.alice.path / ".git/oracl/search_history.jsonl").exists()


def test_what_a_program_reads_teaches_nothing(alice: SessionMemory) -> None:
    for _ in range(5):
        alice.open("shop/prices.py")
    with oracl_git.open(alice.oracl.repo.work_tree) as oracl:
        mined = oracl.learn()[1]
        assert (mined.opens, mined.garbage) == (0, 0)


def test_decisions_have_bounds(alice: SessionMemory) -> None:
    failing(2, lambda: alice.decide(" "))
    failing(2, lambda: alice.decide("x" * (record.TEXT + 1)))
    failing(2, lambda: alice.decide("x", ["shop/prices.py"] * (record.PATHS + 1)))
    with pytest.raises(UnknownPath):
        alice.decide("x", ["nowhere.py"])
    for number in range(record.ENTRIES + 5):
        alice.decide(str(number))
    assert [d.text for d in alice.decided] == [str(number) for number in range(5, record.ENTRIES + 5)]


def test_old_sessions_go(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracl_git.agent.kept._OWN", 3)
    with oracl_git.open(str(clones.alice.path)) as oracl:
        for number in range(5):
            SessionMemory.start(oracl, f"s{number}")
            time.sleep(0.02)
        assert Kept(oracl.repo).names() == ["s4", "s3", "s2"]


@pytest.mark.usefixtures("signing")
def test_old_bundles_go(alice: SessionMemory, bob: SessionMemory, tmp_path: Path, clones: Clones) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("oracl_git.agent.kept._RECEIVED", 2)
        for number in range(4):
            value = statement(clones, session=f"{number:016x}", name=f"s{number}")
            (tmp_path / "b").write_bytes(sealed(canonical.dumps(value), clones.key))
            bob.load(str(tmp_path / "b"))
            time.sleep(0.02)
    assert sorted(session.name for session, _ in bob.received()) == ["s2", "s3"]


def test_names_of_sessions(clones: Clones) -> None:
    with oracl_git.open(str(clones.alice.path)) as oracl:
        for name in ("../x", "a/b", ".git", "-x", "x" * 65, "a b", "seen", "\n"):
            failing(2, lambda name=name: SessionMemory.start(oracl, name))
        assert SessionMemory.start(oracl).name[:2] == "20"
    assert not list((clones.alice.path / ".git").rglob("x*.json"))
    clones.alice.cli("session", "show", env={"ORACL_SESSION": "../../x"}, code=2)
    clones.bob.cli("session", "show", code=2)
    assert "git oracl session start" in clones.bob.err
    clones.bob.cli("session", "decide", "x", code=2)
    assert clones.bob.cli("session", "ask", "cart", "--json")["session"] == ""


def test_a_damaged_file_is_told_and_can_be_forgotten(alice: SessionMemory, clones: Clones) -> None:
    path = clones.alice.path / ".git/oracl/sessions/review.json"
    for text in ("", "{", "[" * 100_000, "{}", path.read_text().replace("internal", "eternal")):
        path.write_text(text)
        clones.alice.cli("session", "show", code=128)
        assert "git oracl session forget review" in clones.alice.err
    clones.alice.cli("session", "forget", "review")
    clones.alice.cli("session", "start", "review")


def test_forgetting_takes_the_questions_too(alice: SessionMemory, clones: Clones) -> None:
    log = clones.alice.path / ".git/oracl/search_history.jsonl"
    clones.alice.cli("search", "kept question", env={"ORACL_SESSION": "other"}, code=1)
    with open(log, "ab") as file:
        file.write(b'not json, but "review"\n')
    assert alice.forget() == (True, 2)
    rest = log.read_bytes()
    assert b"prices summed" not in rest and b"kept question" in rest and b"not json" in rest
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert not (clones.alice.path / ".git/oracl/sessions/review.json").exists()
    clones.alice.cli("session", "show", code=2)
    clones.alice.cli("session", "forget", "review", code=2)
    assert SessionMemory.start(alice.oracl, "review").session.asked == ()
    with oracl_git.open(str(clones.alice.path)) as oracl:
        SessionMemory.start(oracl, "more")
        assert forget_all(oracl) == 2 and Kept(oracl.repo).names() == []


def test_forgetting_loses_no_record_of_others(clones: Clones) -> None:
    """While one process forgets again and again, others ask."""
    git_dir = str(clones.alice.path / ".git")
    os.makedirs(f"{git_dir}/oracl", exist_ok=True)
    code = (
        "import os, sys; from oracl_git import telemetry\n"
        "for n in range(200): telemetry.record(sys.argv[1], 'search', f'{sys.argv[2]} {n}', (), [], named=sys.argv[2])"
    )
    asking = [subprocess.Popen([sys.executable, "-c", code, git_dir, name]) for name in ("keep", "drop")]
    while any(process.poll() is None for process in asking):
        telemetry.forget(git_dir, "drop")
    telemetry.forget(git_dir, "drop")
    assert len(list(telemetry.of_session(git_dir, "keep"))) == 200
    assert not list(telemetry.of_session(git_dir, "drop"))


def test_two_processes_decide_at_once(clones: Clones) -> None:
    code = (
        "import sys, oracl_git; from oracl_git.agent.session import SessionMemory\n"
        "with oracl_git.open() as oracl:\n"
        "    for n in range(20): SessionMemory(oracl, 'both').decide(sys.argv[1] + str(n))"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, name], cwd=clones.alice.path) for name in "ab"]
    assert [process.wait(60) for process in both] == [0, 0]
    with oracl_git.open(str(clones.alice.path)) as oracl:
        assert len(SessionMemory(oracl, "both").decided) == 40


def test_a_kill_leaves_a_whole_session(clones: Clones) -> None:
    code = (
        "import oracl_git; from oracl_git.agent.session import SessionMemory\n"
        "with oracl_git.open() as oracl:\n"
        "    memory = SessionMemory(oracl, 'cut')\n"
        "    while True: memory.decide('x' * 1000); print(flush=True)"
    )
    for lines in range(1, 6):
        with subprocess.Popen([sys.executable, "-c", code], cwd=clones.alice.path, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(lines):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        with oracl_git.open(str(clones.alice.path)) as oracl:
            memory = SessionMemory(oracl, "cut")
            assert len(memory.decided) >= lines
            memory.decide("and on")


# -- what leaves ------------------------------------------------------------------------------


@pytest.mark.usefixtures("signing")
def test_a_bundle_is_what_was_shared(alice: SessionMemory, bob: SessionMemory, tmp_path: Path) -> None:
    path = tmp_path / "review.session"
    sent = alice.save(str(path), questions=True)
    assert sent.kept_back == () and sent.session.asked and sent.session.opened and sent.session.decided
    read = bob.load(str(path))
    assert read.session == sent.session and read.by == "dev@example.com"
    assert read.session.decided == alice.decided
    assert [a.question for a in read.session.asked] == [a.question for a in alice.asked]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [(row.session, row.by) for row in bob.before()] == [("review", "dev@example.com")]
    assert bob.look("review") == bob.look(sent.session.id) == (sent.session, "dev@example.com")


@pytest.mark.usefixtures("signing")
def test_questions_stay_unless_they_are_sent(alice: SessionMemory, bob: SessionMemory, tmp_path: Path) -> None:
    path = tmp_path / "b"
    sent = alice.save(str(path))
    assert sent.session.asked == () and sent.kept_back == ("1 question (--questions sends them)",)
    assert bob.load(str(path)).session.asked == ()
    assert "summed" not in envelope.decode(path.read_bytes(), "b").payload.decode().replace("Prices are summed", "")


@pytest.mark.usefixtures("signing")
def test_no_text_of_a_file_leaves(alice: SessionMemory, tmp_path: Path) -> None:
    alice.query_knowledge_graph("shop/prices.py::total")
    alice.save(str(tmp_path / "b"), questions=True)
    payload = envelope.decode((tmp_path / "b").read_bytes(), "b").payload.decode()
    assert "shop/prices.py" in payload and "def total" not in payload and "return sum" not in payload


@pytest.mark.usefixtures("signing")
def test_what_names_a_delicate_file_stays(alice: SessionMemory, clones: Clones, tmp_path: Path) -> None:
    alice.decide("The PIN gets longer", ["vault/pin.py"])
    alice.decide("vault/pin.py is never logged")
    alice.open("vault/pin.py")
    alice.query_knowledge_graph("what reads vault/pin.py")
    alice.query_knowledge_graph("vault/pin.py:1")
    (clones.alice.path / "notes.txt").write_text("not tracked")
    telemetry.read(alice.oracl.repo.git_dir, "notes.txt", "", "review")
    sent = alice.save(str(tmp_path / "b"), questions=True)
    payload = envelope.decode((tmp_path / "b").read_bytes(), "b").payload
    assert b"pin" not in payload and b"PIN" not in payload and b"notes" not in payload
    assert sent.kept_back == (
        "2 questions about files above internal or not in the commit",
        "2 opened files about files above internal or not in the commit",
        "2 decisions about files above internal or not in the commit",
    )
    SessionMemory.start(alice.oracl, "review", "confidential")
    assert b"vault/pin.py" in envelope.decode(_saved(alice, tmp_path), "b").payload
    SessionMemory.start(alice.oracl, "review", "public")
    assert "nothing" in failing(2, lambda: alice.save(str(tmp_path / "c"))).message  # no file here is public
    failing(2, lambda: SessionMemory.start(alice.oracl, "review", "cosmic"))


def _saved(memory: SessionMemory, tmp_path: Path) -> bytes:
    memory.save(str(tmp_path / "again"))
    return (tmp_path / "again").read_bytes()


def test_nothing_leaves_unsigned(alice: SessionMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(2, lambda: alice.save(str(tmp_path / "b")))
    failing(2, alice.push)
    monkeypatch.setenv("ORACALL_HMAC_KEY", "x" * 40)
    failing(2, lambda: alice.save(str(tmp_path / "b")))
    assert not (tmp_path / "b").exists()


@pytest.mark.usefixtures("signing")
def test_an_empty_bundle_is_not_made(alice: SessionMemory, tmp_path: Path) -> None:
    new = SessionMemory.start(alice.oracl, "new")
    assert "decide" in failing(2, lambda: new.save(str(tmp_path / "b"))).hint
    new.query_knowledge_graph("cart")
    assert "--questions" in failing(2, new.push).hint
    assert not (tmp_path / "b").exists()
    assert new.save(str(tmp_path / "b"), questions=True).session.asked


@pytest.mark.usefixtures("signing")
def test_a_very_long_session_fits(alice: SessionMemory, bob: SessionMemory, tmp_path: Path) -> None:
    for number in range(record.ENTRIES):
        question = f"{number} " + "ä" * record.QUESTION
        telemetry.record(alice.oracl.repo.git_dir, "search", question, (), [("shop/prices.py", "")], named="review")
        alice.kept.decide("review", Decided(1, f"{number} " + "x" * 1_000))
    sent = alice.save(str(tmp_path / "b"), questions=True)
    assert (tmp_path / "b").stat().st_size <= bundle.LIMIT and len(sent.session.decided) == record.ENTRIES
    assert bob.load(str(tmp_path / "b")).session == sent.session


@pytest.mark.usefixtures("signing")
def test_save_says_what_goes_out(alice: SessionMemory, clones: Clones, tmp_path: Path) -> None:
    out = clones.alice.cli("session", "save", str(tmp_path / "b"))
    assert "1 decision, 0 questions, 1 path (internal at most), no text of files" in out
    assert "stays here 1 question" in out
    told = clones.alice.cli("session", "save", str(tmp_path / "b"), "--json")
    assert told["paths"] == ["shop/prices.py"] and (told["asked"], told["opened"], told["decided"]) == (0, 1, 1)
    clones.alice.cli("session", "save", str(tmp_path / "no" / "b"), code=128)
    os.symlink(tmp_path / "b", tmp_path / "link")
    for name in ("shop/prices.py", "shop", str(tmp_path / "link")):
        clones.alice.cli("session", "save", name, code=2)
    assert clones.alice.git("status", "--porcelain") == ""


# -- load(save(x)) = x ------------------------------------------------------------------------

blobs = st.from_regex(r"[0-9a-f]{40}", fullmatch=True)
paths = st.lists(
    st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=8), min_size=1, max_size=4
).map("/".join).filter(record.is_inside)  # fmt: skip
files = st.builds(File, paths, blobs)
times = st.integers(0, record.YEAR_10000 - 1)
words = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
sessions = st.builds(
    Session,
    st.from_regex(r"[0-9a-f]{16}", fullmatch=True), st.from_regex(record.NAME, fullmatch=True), times,
    st.sampled_from(["public", "internal", "confidential", "sensitive"]),
    st.lists(st.builds(
        Asked, times, st.sampled_from(telemetry.QUESTIONS), words, st.lists(files, max_size=5).map(tuple)
    ), max_size=3).map(tuple),
    st.lists(st.builds(Opened, times, files, st.sampled_from(["", "L1-2", "L10-999999999"])), max_size=3).map(tuple),
    st.lists(st.builds(Decided, times, words, st.lists(files, max_size=5).map(tuple)), max_size=3).map(tuple),
)  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Clones, bundle.Judge, str, str]]:
    clones = Clones(tmp_path_factory.mktemp("judged"))
    with oracl_git.open(str(clones.bob.path)) as oracl:
        commit, tree = clones.bob.git("rev-parse", "HEAD"), clones.bob.git("rev-parse", "HEAD^{tree}")
        yield clones, bundle.Judge(oracl.repo), commit, tree


def sealed(payload: bytes, key: Path) -> bytes:
    signer = keys._from_file(str(key), "test")
    return envelope.encode(
        Envelope(payload, (Signature(signer.key_id, signer.sign(envelope.pae(envelope.PAYLOAD_TYPE, payload))),))
    )


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=sessions, seq=st.integers(1, 1 << 37))
def test_load_of_save_is_the_same(judged: tuple[Clones, bundle.Judge, str, str], session: Session, seq: int) -> None:
    clones, judge, commit, tree = judged
    payload, kept = bundle.fitting(session, seq, commit, tree)
    read = judge.believe(sealed(payload, clones.key), "it")
    assert (read.session, read.seq, read.commit) == (session, seq, commit) and kept == session


# -- what comes -------------------------------------------------------------------------------


def statement(clones: Clones, **changes: Any) -> dict[str, Any]:
    """What a bundle of alice's says, with other values in its predicate."""
    session = Session("0" * 15 + "1", "evil", 1, "internal", decided=(Decided(1, "x"),))
    commit, tree = clones.alice.git("rev-parse", "HEAD"), clones.alice.git("rev-parse", "HEAD^{tree}")
    value: dict[str, Any] = json.loads(bundle.encode(session, 1, commit, tree))
    value["predicate"].update(changes)
    return value


def load(clones: Clones, data: bytes, code: int) -> str:
    """One sentence and the exit code, and nothing is kept."""
    path = clones.root / "bundle"
    path.write_bytes(data)
    clones.bob.cli("session", "load", str(path), code=code)
    lines = clones.bob.err.splitlines()
    assert len(lines) == 2 and lines[0].startswith("git-oracl: ") and lines[1].startswith("hint: "), lines
    received = clones.bob.path / ".git/oracl/sessions/received"
    assert not received.exists() or not list(received.iterdir())
    return lines[0]


FILE = ["shop/prices.py", "0" * 40]
BAD = {
    "a path above": {"opened": [[1, ["../../etc/passwd", "0" * 40], ""]]},
    "an absolute path": {"opened": [[1, ["/etc/passwd", "0" * 40], ""]]},
    "a path into git": {"opened": [[1, [".git/hooks/pre-push", "0" * 40], ""]]},
    "a path into git, in capitals": {"decided": [[1, "x", [["a/.GIT/config", "0" * 40]]]]},
    "a path with NUL": {"opened": [[1, ["a\0b", "0" * 40], ""]]},
    "an empty path": {"opened": [[1, ["", "0" * 40], ""]]},
    "no blob": {"opened": [[1, ["a", ""], ""]]},
    "too many": {"opened": [[1, FILE, ""]] * (record.ENTRIES + 1)},
    "too many files": {"decided": [[1, "x", [FILE] * (record.PATHS + 1)]]},
    "a long text": {"decided": [[1, "x" * (record.TEXT + 1), []]]},
    "a long question": {"asked": [[1, "search", "x" * (record.QUESTION + 1), []]]},
    "a kind": {"asked": [[1, "shell", "x", []]]},
    "a fragment": {"opened": [[1, FILE, "L1-2; rm"]]},
    "a name": {"name": "../../hooks/x"},
    "an id": {"session": "../x"},
    "a number as text": {"seq": "1"},
    "a number below one": {"seq": 0},
    "a great number": {"seq": 1 << 60},
    "a time": {"started": -1},
    "truth as a number": {"seq": True},
    "a classification": {"classification": "cosmic"},
    "another field": {"run": "touch x"},
    "another shape": {"decided": {"x": 1}},
    "rows that are short": {"decided": [[1]]},
}


@pytest.mark.parametrize("what", BAD)
def test_what_we_would_not_write_is_not_read(clones: Clones, what: str) -> None:
    payload = canonical.dumps(statement(clones, **BAD[what]))
    assert "is no session of ours" in load(clones, sealed(payload, clones.key), Unverified.TAMPERED)


def test_other_bytes_are_refused(clones: Clones) -> None:
    good = canonical.dumps(statement(clones))
    data = sealed(good, clones.key)
    half = good.replace(b'"x"', b'"y"')
    swapped = data.replace(canonical.to_base64(good).encode(), canonical.to_base64(half).encode())
    deep = b'{"a":' * 20_000 + b"1" + b"}" * 20_000
    for bad in (
        b"", b"{}", b"null", b"\xff\xfe", data[:-1], data + b"\n", b" " + data, deep, b"[" * 100_000, swapped,
        b'{"payload":"","payload":""}', b'{"a":1e999}', b"0" * (bundle.LIMIT + 1), sealed(deep, clones.key),
        sealed(good[:-1], clones.key), sealed(good.replace(b"session/v1", b"snapshot/v1"), clones.key),
        sealed(good + b" ", clones.key), data.replace(b"in-toto", b"in-tata"),
    ):  # fmt: skip
        load(clones, bad, Unverified.TAMPERED)


def test_who_is_not_trusted_is_not_read(clones: Clones) -> None:
    good = canonical.dumps(statement(clones))
    assert "unknown" in load(clones, sealed(good, clones.other), Unverified.UNTRUSTED)
    load(clones, envelope.encode(Envelope(good, ())), Unverified.UNTRUSTED)
    load(clones, sealed(b"not even JSON", clones.other), Unverified.UNTRUSTED)  # the signature comes first
    own = keys._from_file(str(clones.key), "test").key_id
    forged = envelope.encode(Envelope(good, (Signature(own, b"\0" * 64),)))
    load(clones, forged, Unverified.TAMPERED)
    clones.bob.git("remote", "set-head", "origin", "-d")
    load(clones, sealed(good, clones.key), Unverified.UNTRUSTED)


def test_a_snapshot_is_no_session_and_the_other_way_round(clones: Clones) -> None:
    clones.alice.create()
    chain = clones.alice.ref
    name = next(n for n in clones.alice.git("ls-tree", "-r", "--name-only", chain).splitlines() if "dsse" in n)
    load(clones, clones.alice.read(name), Unverified.TAMPERED)
    data = sealed(canonical.dumps(statement(clones)), clones.key)
    clones.alice.rewrite({name: data})
    assert clones.alice.code(base="HEAD") == Unverified.TAMPERED


def test_another_commit_is_told(clones: Clones) -> None:
    value = statement(clones)
    value["subject"][0]["digest"]["gitCommit"] = "1" * 40
    assert "not in this clone" in load(clones, sealed(canonical.dumps(value), clones.key), Unverified.MISMATCH)
    value = statement(clones)
    value["subject"][0]["digest"]["gitTree"] = "1" * 40
    load(clones, sealed(canonical.dumps(value), clones.key), Unverified.MISMATCH)


def test_files_that_are_none(clones: Clones, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "nowhere", "."):
        clones.bob.cli("session", "load", str(tmp_path / name), code=2)
    clones.bob.cli("session", "load", "/dev/zero", code=2)


@pytest.mark.usefixtures("signing")
def test_an_older_bundle_does_not_come_back(
    alice: SessionMemory, bob: SessionMemory, tmp_path: Path, clones: Clones
) -> None:
    alice.save(str(tmp_path / "1"))
    alice.decide("And more")
    alice.save(str(tmp_path / "2"))
    bob.load(str(tmp_path / "2"))
    assert "older" in failing(Unverified.ROLLBACK, lambda: bob.load(str(tmp_path / "1"))).message
    assert len(bob.look("review")[0].decided) == 2
    bob.load(str(tmp_path / "2"))  # the same is the same
    value = json.loads(envelope.decode((tmp_path / "2").read_bytes(), "2").payload)
    value["predicate"]["decided"] = []
    (tmp_path / "3").write_bytes(sealed(canonical.dumps(value), clones.key))
    failing(Unverified.ROLLBACK, lambda: bob.load(str(tmp_path / "3")))
    clones.bob.cli("session", "forget", "review")
    assert bob.received() == []
    failing(Unverified.ROLLBACK, lambda: bob.load(str(tmp_path / "1")))  # still


@pytest.mark.usefixtures("signing")
def test_what_was_believed_is_judged_each_time(alice: SessionMemory, bob: SessionMemory, clones: Clones) -> None:
    alice.push()
    assert [row.state for row in bob.load_remote()] == ["new"]
    assert bob.before()
    clones.bob.commit("revoked", {".agentlas/revoked_signers": keys.read_public(f"{clones.key}.pub").id + "\n"})
    with oracl_git.open(str(clones.bob.path)) as oracl:
        later = SessionMemory(oracl)
        assert later.before() == [] and "revoked" in later.notes[0] and "not used" in later.notes[0]
    kept = next((clones.bob.path / ".git/oracl/sessions/received").iterdir())
    clones.bob.git("reset", "-q", "--hard", "HEAD~1")
    kept.write_text(kept.read_text().replace("payload", "paylaod", 1))  # who can write there cannot make others say so
    with oracl_git.open(str(clones.bob.path)) as oracl:
        later = SessionMemory(oracl)
        assert later.before() == [] and later.notes


def test_a_list_that_was_named_is_asked_again(clones: Clones, tmp_path: Path, bob: SessionMemory) -> None:
    public = Path(f"{clones.other}.pub").read_text()
    (tmp_path / "signers").write_text(f'mallory namespaces="oracl-snapshot" {public}')
    data = sealed(canonical.dumps(statement(clones)), clones.other)
    (tmp_path / "b").write_bytes(data)
    assert bob.load(str(tmp_path / "b"), trust=str(tmp_path / "signers")).by == "mallory"
    assert [by for _, by in bob.received()] == ["mallory"]
    (tmp_path / "signers").write_text("")
    assert bob.received() == [] and "unknown" in bob.notes[-1]


# -- over git ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("signing")
def test_a_session_travels_with_push_and_fetch(alice: SessionMemory, clones: Clones) -> None:
    told = clones.alice.cli("session", "push", "--json")
    assert told["state"] == "new" and clones.refs() == [f"{REFS}{told['key_id']}/{told['id']}"]
    assert clones.alice.cli("session", "push", "--json")["state"] == "same"
    fetched = clones.bob.cli("session", "fetch", "--json")["sessions"]
    assert [(row["name"], row["by"], row["state"]) for row in fetched] == [("review", "dev@example.com", "new")]
    clones.alice.cli("session", "decide", "More")
    assert clones.alice.cli("session", "push", "--json")["state"] == "updated"
    assert [row["state"] for row in clones.bob.cli("session", "fetch", "--json")["sessions"]] == ["updated"]
    assert [row["state"] for row in clones.bob.cli("session", "fetch", "--json")["sessions"]] == ["same"]
    assert "More  (review, dev@example.com)" in clones.bob.cli("session", "start", "mine")
    assert [row["state"] for row in clones.alice.cli("session", "fetch", "--json")["sessions"]] == ["same"]
    for clone in (clones.alice, clones.bob):
        assert "incoming" not in clone.git("for-each-ref") and clone.git("status", "--porcelain") == ""
    assert clones.bob.git("for-each-ref", REFS) == ""
    assert clones.bob.cli("session", "show", told["id"], "--json")["by"] == "dev@example.com"
    clones.bob.cli("session", "forget", told["id"])
    clones.bob.cli("session", "show", told["id"], code=2)


def test_only_remotes_of_this_repository(alice: SessionMemory, clones: Clones, bob: SessionMemory) -> None:
    for remote in (f"file://{clones.remote}", str(clones.remote), "nowhere", "ext::sh -c 'touch x'", "--upload-pack=x"):
        assert "is no remote" in failing(2, lambda remote=remote: bob.load_remote(remote)).message
        failing(2, lambda remote=remote: alice.push(remote))


def put(clones: Clones, files: dict[str, bytes], name: str = "") -> None:
    """Push a ref of sessions by hand, as whoever can write to the remote could."""
    index = {"GIT_INDEX_FILE": str(clones.root / "forged-index")}
    alice = clones.alice
    alice.git("read-tree", "--empty", **index)
    for path, data in files.items():
        blob = alice.git("hash-object", "-w", "--stdin", input=data)
        alice.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", **index)
    commit = alice.git("commit-tree", alice.git("write-tree", **index), "-m", "x")
    name = name or f"{keys._from_file(str(clones.key), 'test').key_id}/{'0' * 15}1"
    alice.git("push", "-q", "-f", "origin", f"{commit}:{REFS}{name}")


def test_what_a_remote_may_hold(clones: Clones) -> None:
    fetch = clones.bob.cli
    assert fetch("session", "fetch", "--json") == {"schema": 1, "sessions": []}
    good = sealed(canonical.dumps(statement(clones)), clones.key)
    other = keys._from_file(str(clones.other), "test").key_id
    strange = sealed(canonical.dumps(statement(clones)), clones.other)
    put(clones, {"session.dsse.json": strange}, f"{other}/{'0' * 15}1")
    put(clones, {"session.dsse.json": good}, "not/ours")
    rows = fetch("session", "fetch", "--json", code=Unverified.UNTRUSTED)["sessions"]
    assert [row["state"] for row in rows] == ["untrusted"]
    put(clones, {"session.dsse.json": good, "hooks/post-checkout": b"#!/bin/sh\ntouch x\n", "config": b"[alias]\n"})
    rows = fetch("session", "fetch", "--json")["sessions"]  # a stranger's, beside it, is told and no more
    assert sorted(row["state"] for row in rows) == ["new", "untrusted"]
    for bad in ({"other": good}, {"session.dsse.json/x": good}, {"session.dsse.json": b"0" * (bundle.LIMIT + 1)}):
        put(clones, bad)
        rows = fetch("session", "fetch", "--json", code=Unverified.TAMPERED)["sessions"]
        assert "broken" in [row["state"] for row in rows]
    put(clones, {"session.dsse.json": good}, f"{keys._from_file(str(clones.key), 'test').key_id}/{'0' * 15}2")
    rows = fetch("session", "fetch", "--json", code=Unverified.TAMPERED)["sessions"]
    assert any("ref of another session" in row["text"] for row in rows)
    assert "incoming" not in clones.bob.git("for-each-ref")


@pytest.mark.usefixtures("signing")
def test_a_replay_over_git_is_told(alice: SessionMemory, clones: Clones, bob: SessionMemory, tmp_path: Path) -> None:
    alice.save(str(tmp_path / "1"))
    sent = alice.push()[0]
    assert [row.state for row in bob.load_remote()] == ["new"]
    name = f"{sent.key_id}/{sent.session.id}"
    put(clones, {"session.dsse.json": (tmp_path / "1").read_bytes()}, name)
    clones.bob.cli("session", "fetch", code=Unverified.ROLLBACK)
    clones.alice.git("update-ref", "-d", REFS + name)
    alice.decide("More")
    state, text = alice.push()[1:]
    assert state == "rejected" and text


@pytest.mark.usefixtures("signing")
def test_no_hook_and_no_config_of_anyone_runs(alice: SessionMemory, clones: Clones, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    for clone in (clones.alice, clones.bob):
        for name in ("pre-push", "reference-transaction", "post-checkout", "post-merge"):
            hook = clone.path / ".git/hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
            hook.chmod(0o755)
        clone.git("config", "core.fsmonitor", f"touch {mark}")
    assert alice.push()[1] == "new"
    with oracl_git.open(str(clones.bob.path)) as oracl:
        assert [row.state for row in SessionMemory(oracl).load_remote()] == ["new"]
    assert not mark.exists()


@pytest.mark.usefixtures("signing")
def test_a_remote_that_refuses(alice: SessionMemory, clones: Clones) -> None:
    hook = clones.remote / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert clones.alice.cli("session", "push", "--json", code=128)["state"] == "refused"


def test_what_others_write_cannot_move_the_cursor(clones: Clones, tmp_path: Path) -> None:
    odd = statement(clones, decided=[[1, "\x1b[2Jgone \u202eback", [["a\x1b]0;x\x07.py", "0" * 40]]]])
    (tmp_path / "b").write_bytes(sealed(canonical.dumps(odd), clones.key))
    out = clones.bob.cli("session", "load", str(tmp_path / "b"))
    assert "\x1b" not in out and "\u202e" not in out and "gone" in out


def test_usage(clones: Clones) -> None:
    for words in (
        ["ask", "cart", "--in"], ["ask", "cart", "--depth", "2"], ["forget", "x", "--all"], ["show", "nowhere"],
        ["forget"], ["start", "--classification", "cosmic"], [],
    ):  # fmt: skip
        clones.alice.cli("session", *words, code=2)
    clones.alice.cli("session", "ask", "--node", "nowhere.py", code=1)
    clones.alice.cli("session", "ask", "--neighbours", "nowhere.py", code=1)
    with pytest.raises(UsageError):
        raise failing(2, lambda: SessionMemory.start(_no_oracl(clones), "x", "y"))


def _no_oracl(clones: Clones) -> Any:
    return oracl_git.open(str(clones.alice.path))
