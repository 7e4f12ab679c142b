"""The learning loop: what is opened rises for the same question, by a person's word, and nothing else moves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracl_git
from oracl_git import telemetry
from oracl_git.cli.open import at_line
from oracl_git.graph import governance
from oracl_git.learn import mine, tickets, tracked
from oracl_git.recall import tables
from oracl_git.recall.lines import stems

QUESTION = "where is the retry budget decided"
OTHERS = ["retry", "budget", "where is the budget", "how long does a retry wait", "deadline of a request", "README",
          "shop/limits.py", "type:docs", "recent", "where is the retry budget spent by clients",
          "File \"shop/retry.py\", line 2, in retry_budget\nKeyError"]  # fmt: skip
WORDS = "retry budget wait client deadline request server decide limit spend".split()


class Shop:
    """A repository with a history in which every date is fixed."""

    def __init__(self, path: Path) -> None:
        self.path, self.commits = path, 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        for number in range(30):
            a, b, c = (WORDS[(number * step + step) % len(WORDS)] for step in (1, 3, 7))
            text = f'"""The {a} {b}."""\n\n\ndef {c}_{a}():\n    # {b} {c}\n    return {number}\n'
            self.write(f"shop/part{number}.py", text)
        self.write("shop/retry.py", '"""The retry budget is decided here."""\n\n\ndef retry_budget(): ...\n')
        self.write("shop/limits.py", "CEILING = 3  # how often a client may try again\n")
        self.write("docs/guide.md", "# Guide\n\nThe retry budget is decided by the limits.\n")
        self.commit("The retry budget")

    def git(self, *args: str) -> str:
        date = f"{1_700_000_000 + 86_400 * self.commits} +0000"
        env = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        return subprocess.run(["git", *args], cwd=self.path, env=env, capture_output=True, text=True, check=True).stdout

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def commit(self, message: str) -> None:
        self.commits += 1
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def oracl(self, *words: str, code: int = 0, **env: str) -> str:
        start = "import sys; from oracl_git.cli import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", start, *words], cwd=self.path, capture_output=True, text=True,
            env={**os.environ, "ORACL_SESSION": "one", **env}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout

    def answers(self) -> dict[str, list[tuple[str, float, str]]]:
        """Every question's full list of results."""
        with oracl_git.open(str(self.path)) as oracl:
            found = {
                question: [(r.path, r.score, r.fragment) for r in oracl.search(question, limit=1000).results]
                for question in (QUESTION, *OTHERS)
            }
            for path in ("shop/retry.py", "shop/part3.py"):
                answer = oracl.related([path], limit=99)
                found[path + " related"] = [(r.path, r.score, r.fragment) for r in answer.results]
            return found


def rank(answers: list[tuple[str, float, str]], path: str) -> int:
    return next((place for place, row in enumerate(answers, 1) if row[0] == path), 10_000)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path / "shop")
    shop.oracl("init", "--no-hooks")
    return shop


def opens(shop: Shop, path: str, times: int, question: str = QUESTION) -> None:
    """So many searches, each followed by opening that file, wherever it stands."""
    with oracl_git.open(str(shop.path)) as oracl:
        for _ in range(times):
            results = oracl.search(question).results
            place = next((n for n, r in enumerate(results, 1) if r.path == path), 11)
            telemetry.opened(oracl.repo.git_dir, question, path, place)


def learned(shop: Shop) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(shop.oracl("learn", "--json"))
    return data


@pytest.mark.parametrize("path", ["shop/limits.py", "docs/guide.md", "shop/part7.py"])
def test_fifty_opens_raise_the_file_and_nothing_else_moves(shop: Shop, path: str, tmp_path: Path) -> None:
    before = shop.answers()
    assert rank(before[QUESTION], path) > 1
    opens(shop, path, 50)
    shop.git("worktree", "prune")
    proposed = learned(shop)["tickets"]
    assert [(t["kind"], t["change"], t["status"]) for t in proposed] == [
        ("learned_tag", {"path": path, "question": QUESTION}, "proposed")
    ]
    assert shop.answers() == before, "a proposal changes nothing"
    shop.oracl("learn", "--approve", proposed[0]["id"][:6])
    assert shop.answers() == before, "nor does approval"
    shop.oracl("learn", "--apply")
    assert shop.git("status", "--porcelain").split() == ["??", ".agentlas/"], "written, not committed"
    assert shop.answers() == before, "nor what is not committed"

    control = tmp_path / "control"  # the same commit, with nothing learned in it
    subprocess.run(["cp", "-r", str(shop.path), str(control)], check=True)
    (control / ".agentlas/learned_tags.json").write_text("{}\n")
    twin = Shop.__new__(Shop)
    twin.path, twin.commits = control, shop.commits
    shop.commit("Learn")
    twin.commit("Learn")
    after, without = shop.answers(), twin.answers()

    assert rank(after[QUESTION], path) == 1
    assert [row[0] for row in after[QUESTION] if row[0] != path] == [r[0] for r in without[QUESTION] if r[0] != path]
    for question in without:
        if question != QUESTION:
            assert after[question] == without[question], question
    with oracl_git.open(str(shop.path)) as oracl:
        first = oracl.search("Where is the retry budgets decided?").results[0]  # the same question in other letters
        assert first.path == path
        reason = next(reason for reason in first.reasons if reason.signal == "asked")
        said = json.loads(shop.git("show", "HEAD:.agentlas/learned_tags.json"))["tags"][path]["asked"]
        assert reason.text == f"opened for: {next(iter(said))}"
        assert abs(sum(r.share for r in first.reasons) - first.score) < 1e-9
    assert not learned(shop)["tickets"], "what is learned is not proposed again"


def test_the_loop_by_hand(shop: Shop) -> None:
    """search, open, learn, approve, apply, commit: as a person types it."""
    for session in ("monday", "tuesday", "friday"):
        paths = [p for p in shop.oracl("search", QUESTION, "-z", ORACL_SESSION=session).split("\0") if p]
        number = str(paths.index("docs/guide.md") + 1)
        opened = shop.oracl("open", number, ORACL_SESSION=session).strip()
        assert opened == str(shop.path / "docs/guide.md"), "without a terminal the path is printed"
        shop.oracl("open", "1", ORACL_SESSION=session)
    found = learned(shop)["tickets"]
    kinds = {t["kind"]: t for t in found}
    assert set(kinds) == {"learned_edge", "learned_tag"}
    assert kinds["learned_edge"]["evidence"]["sessions"] == 3
    shop.oracl("learn", "--reject", kinds["learned_tag"]["id"])
    shop.oracl("learn", "--approve", "all")
    assert "git commit" in shop.oracl("learn", "--apply")
    assert not (shop.path / ".agentlas/learned_tags.json").exists()
    shop.commit("Learn")
    pair = kinds["learned_edge"]["change"]
    assert "a person linked them" in shop.oracl("related", "--why", pair["source"], pair["target"])
    assert "rejected" in shop.oracl("learn", "--all") and "Nothing to propose" in shop.oracl("learn")
    shop.oracl("learn", "--approve", "ffffffffffff", code=2)


def test_only_what_is_opened_counts(shop: Shop) -> None:
    for _ in range(20):
        shop.oracl("search", QUESTION) if _ < 2 else opens(shop, "shop/limits.py", 0)
    opens(shop, "shop/limits.py", mine.LEAST - 1)
    opens(shop, "gone.py", 50)
    opens(shop, "shop/limits.py", 50, "filename:limits.py")
    opens(shop, "shop/limits.py", 50, OTHERS[-1])
    assert not learned(shop)["tickets"]


def test_telemetry_off_learns_nothing(shop: Shop) -> None:
    shop.git("config", "oracl.telemetry", "false")
    shop.oracl("search", QUESTION)
    assert not os.path.exists(telemetry.place(str(shop.path / ".git")))
    assert "Nothing to propose" in shop.oracl("learn")


GARBAGE = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"class": "open"}', b'{"class": 3}', b"[" * 100_000, b"9" * 9_000,
           b'{"class":"open","query":"' + QUESTION.encode() + b'","path":7,"rank":2,"session":"s","time":"t"}',
           b'{"class":"open","query":{},"path":"shop/limits.py","rank":2,"session":"s","time":"t"}',
           b'{"class":"open","query":["a",3],"path":"shop/limits.py","rank":2,"session":"s","time":"t"}',
           b'{"class":"open","query":"x","path":"\\ud800","rank":true,"session":"s","time":"t"}']  # fmt: skip


def test_a_log_of_garbage(shop: Shop) -> None:
    opens(shop, "shop/limits.py", 4)
    with open(telemetry.place(str(shop.path / ".git")), "ab") as file:
        file.write(b"\n".join([*GARBAGE, b"x" * (3 << 20)]) + b"\n")
    data = learned(shop)
    assert len(data["tickets"]) == 1 and data["garbage"] == len(GARBAGE)
    shop.oracl("search", QUESTION)
    shop.oracl("open", "1")


@given(st.lists(st.binary(max_size=80) | st.sampled_from(GARBAGE) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["open", "search", "class", "s"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["class", "time", "session", "query", "path", "rank"]), inner, max_size=6), max_leaves=12,
).map(lambda value: json.dumps(value).encode()), max_size=12))
@settings(max_examples=200, deadline=None)  # fmt: skip
def test_mining_never_raises(lines: list[bytes]) -> None:
    found = mine.mine(lines, stems, lambda path: True)
    assert found.garbage <= len(lines)
    assert all(0 < ticket.confidence <= 1 for ticket in found.tickets)


ROWS = st.tuples(st.sampled_from("ab"), st.sampled_from(["x.py", "y.py", "z.py"]), st.integers(1, 9))


@given(st.lists(ROWS, max_size=40), st.randoms())
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_log_does_not_matter(rows: list[tuple[str, str, int]], chance: Any) -> None:
    same = {"class": "open", "session": "s", "time": "2026"}
    lines = [json.dumps({**same, "query": f"{q} question", "path": p, "rank": r}).encode() for q, p, r in rows]
    shuffled = list(lines)
    chance.shuffle(shuffled)
    found = mine.mine(lines, stems, lambda path: True).tickets
    assert found == mine.mine(shuffled, stems, lambda path: True).tickets
    for ticket in found:
        assert ticket.opens >= mine.LEAST and ticket.confidence < 1


@pytest.mark.parametrize("content", ["[", "[1]", '{"tags": []}', '{"tags": {"shop/limits.py": 3}}', "\udcff",
                                     '{"tags": {"shop/limits.py": {"asked": "x"}}}'])  # fmt: skip
def test_a_file_that_is_not_understood_is_left_alone(shop: Shop, content: str) -> None:
    opens(shop, "shop/limits.py", 5)
    name = shop.path / ".agentlas/learned_tags.json"
    name.parent.mkdir()
    name.write_bytes(content.encode("utf-8", "surrogateescape"))
    before = name.read_bytes()
    shop.oracl("learn", "--approve", "all")
    shop.oracl("learn", "--apply", code=2)
    assert name.read_bytes() == before
    name.unlink()
    shop.oracl("learn", "--apply")
    assert governance.parse({governance.LEARNED_TAGS: name.read_bytes()}).asked


def test_a_link_is_not_followed(shop: Shop, tmp_path: Path) -> None:
    opens(shop, "shop/limits.py", 5)
    shop.oracl("learn", "--approve", "all")
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop.path / ".agentlas").symlink_to(outside)
    shop.oracl("learn", "--apply", code=2)
    assert not list(outside.iterdir())
    (shop.path / ".agentlas").unlink()
    (shop.path / ".agentlas").mkdir()
    (shop.path / ".agentlas/learned_tags.json").symlink_to(outside / "file")
    shop.oracl("learn", "--apply", code=2)
    assert not list(outside.iterdir())


def test_what_stands_in_the_files_stays() -> None:
    tag = tickets.Ticket(tickets.TAG, ("b.py", "why"), 0.5, 4, 1, "", "", tickets.APPROVED)
    edge = tag._replace(kind=tickets.EDGE, subject=("a.py", "b.py"))
    files = {
        governance.LEARNED_TAGS: b'{"a.py": {"domain": "x"}, "b.py": {"topic": "y"}}',
        governance.LEARNED_EDGES: b'[{"source": "b.py", "target": "a.py", "confidence": 1, "note": "n"},'
        b' {"source": "c", "target": "d"}]',
    }  # fmt: skip
    changed = tracked.changed(files, [tag, edge])
    assert json.loads(changed[governance.LEARNED_TAGS])["tags"] == {
        "a.py": {"domain": "x"},
        "b.py": {"topic": "y", "asked": {"why": 0.5}, "source": {"asked": {"why": f"ticket {tag.id}"}}}, "": {},
    }  # fmt: skip
    assert json.loads(changed[governance.LEARNED_EDGES])["edges"] == [
        {"source": "b.py", "target": "a.py", "confidence": 0.5, "note": "n"}, {"source": "c", "target": "d"}, None,
    ]  # fmt: skip
    assert not tracked.changed(changed, [tag, edge]), "once is enough"
    rules = governance.parse(changed)
    assert not rules.problems and rules.asked == (("b.py", "why", 500_000),)
    assert rules.learned_tags["b.py"] == {"topic": "y"}, "a question is no tag"


def test_what_is_rejected_after_it_was_written_is_taken_back_and_nothing_else() -> None:
    tag = tickets.Ticket(tickets.TAG, ("b.py", "why"), 0.5, 4, 1, "", "", tickets.APPROVED)
    edge = tag._replace(kind=tickets.EDGE, subject=("a.py", "b.py"))
    files = {
        governance.LEARNED_TAGS: b'{"b.py": {"topic": "y", "asked": {"who": 0.3}}, "c.py": {"asked": "?"}}',
        governance.LEARNED_EDGES: b'[{"source": "c", "target": "d"}]',
    }  # fmt: skip
    written = tracked.changed(files, [tag, edge])
    assert b"why" in written[governance.LEARNED_TAGS] and b"a.py" in written[governance.LEARNED_EDGES]
    back = tracked.changed(written, [], [tag.id, edge.id])
    assert json.loads(back[governance.LEARNED_TAGS])["tags"] == {
        "b.py": {"topic": "y", "asked": {"who": 0.3}}, "c.py": {"asked": "?"}, "": {},
    }  # fmt: skip
    assert json.loads(back[governance.LEARNED_EDGES])["edges"] == [{"source": "c", "target": "d"}, None]
    assert not tracked.changed(back, [], [tag.id, edge.id])


def test_of_many_who_decide_at_once_no_word_is_lost(shop: Shop) -> None:
    rows = [
        tickets.Ticket(tickets.EDGE, (f"a{n}.py", f"b{n}.py"), 0.5, 4, 1, "2026-01-01", "2026-01-02") for n in range(24)
    ]
    tickets.save(str(shop.path / ".git"), rows)
    start = (
        "import sys; from oracl_git.learn import tickets\n"
        "for name in sys.argv[2:]:\n"
        "    with tickets.editing(sys.argv[1]) as known:\n"
        "        known[name] = known[name]._replace(status=tickets.REJECTED)\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", start, str(shop.path / ".git"), *(row.id for row in rows[n::4])])
        for n in range(4)
    ]
    assert [each.wait() for each in running] == [0] * 4
    assert {row.status for row in tickets.load(str(shop.path / ".git")).values()} == {tickets.REJECTED}


@pytest.mark.parametrize("asked", [
    3, [], {"q": 0}, {"q": 2}, {"q": "1"}, {"q": True}, {"q": None}, {"": 1}, {"x" * 300: 1}, {"\ud800": 1},
    {"q": float("nan")},
])  # fmt: skip
def test_hostile_learned_questions(shop: Shop, asked: object) -> None:
    text = json.dumps({"tags": {"shop/limits.py": {"asked": asked}, "../../etc/passwd": {"asked": {QUESTION: 1}}}})
    shop.write(".agentlas/learned_tags.json", text)
    shop.commit("Hostile")
    with oracl_git.open(str(shop.path)) as oracl:
        assert all(reason.signal != "asked" for r in oracl.search(QUESTION).results for reason in r.reasons)
        assert not any("passwd" in r.path for r in oracl.search(QUESTION).results)


def test_many_learned_questions_are_bounded(shop: Shop) -> None:
    rows = {"shop/limits.py": {"asked": {f"question {n} of the retry {n}": 1 for n in range(50_000)}}}
    shop.write(".agentlas/learned_tags.json", json.dumps({"tags": rows}))
    shop.commit("Many")
    with oracl_git.open(str(shop.path)) as oracl:
        oracl.search(QUESTION)
        assert len(oracl.index.asked) <= 2_000
        assert any("questions are read" in problem for problem in oracl.status().problems)


def test_another_question_is_another_question() -> None:
    def alike(a: str, b: str) -> bool:
        x, y = stems(a), stems(b)
        return len(x & y) / len(x | y) >= tables.ASKED_ALIKE

    assert alike(QUESTION, "where are the retry budgets decided?")
    assert not any(alike(QUESTION, other) for other in OTHERS)


@pytest.mark.parametrize(("editor", "words"), [
    ("vim", ["+7", "/r/a b{}.py"]), ("/usr/bin/nvim -p", ["+7", "/r/a b{}.py"]),
    ("code --wait", ["-g", "/r/a b{}.py:7"]), ("hx", ["/r/a b{}.py:7"]), ("idea", ["--line", "7", "/r/a b{}.py"]),
    ("my-editor", ["/r/a b{}.py"]), ("'", ["/r/a b{}.py"]), ("", ["/r/a b{}.py"]),
])  # fmt: skip
def test_editors_are_told_the_line(editor: str, words: list[str]) -> None:
    assert at_line(editor, "/r/a b{}.py", 7) == words
    assert at_line(editor, "/r/a b{}.py", 0) == ["/r/a b{}.py"]


def test_the_record_of_a_question_is_whole(shop: Shop) -> None:
    shop.oracl("search", QUESTION)
    row = telemetry.last(str(shop.path / ".git"))
    assert row is not None
    assert {"time", "class", "query", "parsed", "count", "latency_ms", "load_ms", "rss_before", "rss_after", "cost_usd",
            "session", "results", "fragments"} <= set(row)  # fmt: skip
    assert len(row["results"]) == len(row["fragments"]) and row["session"] == "one"
    shop.oracl("search", "x" * 100_000, code=1)
    shop.oracl("search", QUESTION)
    assert telemetry.last(str(shop.path / ".git"))["query"] == QUESTION  # type: ignore[index]
