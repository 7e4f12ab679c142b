"""Every reason of `related` and `search`, re-derived from git itself on a generated history.

The product is asked for answers only. What they claim is checked with `git log`,
`git show` and `git grep`; a reason in words this test does not know fails it.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import oracl_git
from oracl_git.embedding import LENGTH, find
from oracl_git.extract.words import split_identifiers
from oracl_git.recall import tables
from oracl_git.recall.model import Reason, Result
from oracl_git.service import Oracl

WORDS = "wombat quokka numbat bilby potoroo dunnart bandicoot kowari mulgara antechinus".split()
EPOCH = 1_700_000_000


class World:
    """A repository of Python modules, tests and documents, with a merge or a rename now and then."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.random, self.commits = path, random.Random(seed), 0
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        self.names = [f"zoo/{word}.py" for word in WORDS[:6]]
        for place, name in enumerate(self.names):
            self.write(name, self.module(place))
            stem = Path(name).stem
            self.write(
                f"tests/test_{stem}.py", f"from zoo.{stem} import find_{stem}\n\n\ndef test_it(): assert find_{stem}\n"
            )
            self.write(f"docs/{stem}.md", f"# The {stem}\n\nSee [its code](../{name}) and `{name}`.\n")
        self.write("zoo/__init__.py", "")
        self.write("config/zoo.yaml", f"first: {self.names[0]}\nsecond: {self.names[1]}\n")
        self.commit("The zoo opens")
        for step in range(40):
            self.step(step)

    def module(self, place: int) -> str:
        stem = Path(self.names[place]).stem
        lines = [f'"""All about the {stem}."""', ""]
        if place:
            other = Path(self.names[self.random.randrange(place)]).stem
            lines.insert(1, f"from zoo.{other} import find_{other}")
        return "\n".join([*lines, "", f"def find_{stem}():", f'    """Where the {stem} sleeps."""', "    return 1", ""])

    def step(self, step: int) -> None:
        chosen = self.random.sample(self.files(), self.random.randint(1, 4))
        if step % 9 == 8:  # another name for a document; its links stay
            old = self.random.choice([name for name in self.files() if name.startswith("docs/")])
            new = f"docs/{self.random.choice(WORDS)}-{step}.md"
            self.git("mv", old, new)
            self.commit(f"Rename a page of the {self.random.choice(WORDS)}")
        elif step % 7 == 6:  # a branch that is merged
            self.git("checkout", "-q", "-b", "side")
            self.touch(chosen[:2], step)
            self.commit(f"On a branch: {self.random.choice(WORDS)}")
            self.git("checkout", "-q", "main")
            self.touch([name for name in self.files() if name not in chosen][:1], step)
            self.commit(f"Meanwhile: {self.random.choice(WORDS)}")
            self.git("merge", "-q", "--no-ff", "-m", "Merge side wombat", "side")
            self.git("branch", "-q", "-D", "side")
        elif step == 21:  # too large a commit to say anything
            for number in range(tables.COMMIT_FILES):
                self.write(f"data/{number}.txt", f"Cage {number}\n")
            self.touch(chosen, step)
            self.commit("Cages for every wombat")
        else:
            self.touch(chosen, step)
            self.commit(f"Feed the {self.random.choice(WORDS)} and the {self.random.choice(WORDS)}")

    def touch(self, names: list[str], step: int) -> None:
        for name in names:
            with open(self.path / name, "a", encoding="utf-8") as file:
                file.write(
                    f"# {self.random.choice(WORDS)} {step}\n" if name.endswith((".py", ".yaml")) else f"Fed {step}.\n"
                )

    def files(self) -> list[str]:
        listed = self.git("ls-files", "zoo", "tests", "docs", "config").split("\n")
        return [name for name in listed if name != "zoo/__init__.py"]

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def commit(self, message: str) -> None:
        self.commits += 1
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def git(self, *args: str) -> str:
        date = f"{EPOCH + 86_400 * self.commits} +0000"
        values = {"NAME": "A U Thor", "EMAIL": "author@example.com", "DATE": date}
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in values.items()}
        env = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
        done = subprocess.run(["git", *args], cwd=self.path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout.rstrip("\n")


class Truth:
    """What git says: who changed with whom, under the names of today."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.texts: dict[str, str] = {}
        self.today = set(world.git("ls-files").split("\n"))
        log = world.git("log", "--no-merges", "--format=%x00%H%x01%s", "--name-status", "-M", "--diff-merges=off")
        self.touched: list[tuple[str, set[str]]] = []  # (subject, paths as they were called then), newest first
        self.oids: list[str] = []
        moves: list[tuple[str, str]] = []
        for record in log.split("\0")[1:]:
            head, _, body = record.partition("\n")
            paths = set()
            for line in body.strip().split("\n"):
                status, *names = line.split("\t")
                paths.add(names[-1])
                if status[0] == "R":
                    moves.append((names[0], names[1]))
            self.touched.append((head.partition("\1")[2], paths))
            self.oids.append(head.partition("\1")[0])
        self.now = {path: path for path in self.today}
        newest: dict[str, str] = {}
        for old, new in moves:  # newest first: the newest move of a name decides
            newest.setdefault(old, new)
        for old in newest:
            at, hops = old, 0
            while at not in self.today and at in newest and hops < 20:
                at, hops = newest[at], hops + 1
            if at in self.today:
                self.now.setdefault(old, at)
        self.commits = [(s, {self.now[p] for p in paths if p in self.now}, len(paths)) for s, paths in self.touched]

    def days(self, path: str) -> int:
        """Whole days from the last commit that touched a path, as it is called today, to HEAD."""
        (last,) = [oid for oid, (_, paths, _) in zip(self.oids, self.commits, strict=True) if path in paths][:1]
        times = self.world.git("show", "-s", "--format=%ct", "HEAD", last).split()
        return (int(times[0]) - int(times[-1])) // 86_400

    def text(self, path: str) -> str:
        """A file as the commit has it."""
        if path not in self.texts:
            self.texts[path] = self.world.git("show", f"HEAD:{path}")
        return self.texts[path]

    def lines(self, path: str, fragment: str) -> str:
        """Some lines of a file as the commit has them."""
        first, _, last = fragment.lstrip("L").partition("-")
        rows = self.text(path).split("\n")
        assert 1 <= int(first) <= int(last or first) <= len(rows), (path, fragment)
        return "\n".join(rows[int(first) - 1 : int(last or first)])

    def together(self, a: str, b: str) -> tuple[int, int]:
        """(commits of `a` that touched `b` and were not too large, commits of `a`)."""
        mine = [(paths, size) for _, paths, size in self.commits if a in paths]
        return sum(b in paths and size <= tables.COMMIT_FILES for paths, size in mine), len(mine)

    def walk(self, a: str, b: str) -> bool:
        """Whether some third file changed with both."""
        small = [paths for _, paths, size in self.commits if size <= tables.COMMIT_FILES]
        friends = {path for paths in small if a in paths for path in paths} - {a}
        return any(b in paths and (paths - {b}) & friends for paths in small) or b in friends

    def words(self, path: str) -> set[str]:
        text = self.text(path) + " " + path
        return {word for word in re.split(r"[\W_]+", text.lower()) if len(word) > 2}


@pytest.fixture(scope="module", params=[1, 2, 3])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Truth, Oracl]]:
    world = World(tmp_path_factory.mktemp("reasons") / "zoo", request.param)
    with oracl_git.open(str(world.path)) as oracl:
        oracl.update()
        oracl.fill()
        yield Truth(world), oracl


def test_the_history_has_what_it_is_meant_to_have(asked: tuple[Truth, Oracl]) -> None:
    truth, _ = asked
    assert any(old not in truth.today for old in truth.now)
    assert int(truth.world.git("rev-list", "--count", "--merges", "HEAD")) >= 3
    assert any(size > tables.COMMIT_FILES for _, _, size in truth.commits)


# -- related ---------------------------------------------------------------------------------

Check = Callable[[Truth, str, Result, "re.Match[str]"], bool]


def _imports(truth: Truth, importer: str, imported: str, symbol: str, fragment: str) -> bool:
    line = truth.lines(importer, fragment)
    stem = Path(imported).stem
    named = symbol in ("", "it") or re.search(rf"\b{re.escape(symbol)}\b", line) is not None
    return "import" in line and stem in line and named


def _names(truth: Truth, source: str, target: str, fragment: str) -> bool:
    """The line holds the path, its tail, or its name in dotted form."""
    line = truth.lines(source, fragment) if fragment else truth.text(source)
    return Path(target).name in line or ".".join(Path(target).with_suffix("").parts) in line


def _in_path(a: str, b: str, word: str) -> bool:
    """The one path has the word, and the other it, or a form of it."""
    mine, other = (set(re.split(r"[\W_]+", path.lower())) for path in (a, b))
    start = word[: max(3, len(word) - 4)]
    return word in mine and any(part.startswith(start) for part in other)


AT = r"(?: at (L\d+(?:-\d+)?))?"
RELATED: list[tuple[str, Check]] = [
    (r"changed together in (\d+) of (\d+) commits",
     lambda t, a, r, m: t.together(a, r.path) == (int(m[1]), int(m[2]))),
    (r"imports (\S+)" + AT, lambda t, a, r, m: _imports(t, r.path, a, m[1], m[2])),
    (r"imports it" + AT, lambda t, a, r, m: _imports(t, r.path, a, "", m[1])),
    (r"imported by it(?: \((\S+)\))?" + AT, lambda t, a, r, m: _imports(t, a, r.path, m[1] or "", m[2])),
    (r"tests it", lambda t, a, r, m: Path(r.path).stem == f"test_{Path(a).stem}"),
    (r"tested by it", lambda t, a, r, m: Path(a).stem == f"test_{Path(r.path).stem}"),
    (r"(?:refers to|names|configures) (?:it|\S+)" + AT, lambda t, a, r, m: _names(t, r.path, a, m[1])),
    (r"(?:named|configured|referred to) by it(?: \(\w+\))?(?: \(\S+\))?" + AT,
     lambda t, a, r, m: _names(t, a, r.path, m[1])),
    (r"changes with what changes with it", lambda t, a, r, m: t.walk(a, r.path)),
    (r"commit (\w{7}) on it speaks of (\w+(?:, \w+)*)",
     lambda t, a, r, m: _speaks(t, a, r.path, m[1], m[2].split(", "))),
    (r"shares (\w+(?:, \w+)*)", lambda t, a, r, m: all(_shared(t, a, r.path, w) for w in m[1].split(", "))),
    (r"has (\w+(?:, \w+)*) in its path",
     lambda t, a, r, m: all(_in_path(a, r.path, w) for w in m[1].split(", "))),
    (r"alike in meaning \(cosine (\d\.\d\d)\)",
     lambda t, a, r, m: abs(_cosine(t.text(a), t.text(r.path)) - float(m[1])) < 0.15),
    (r"last changed (?:(\d+) days?|less than a day) before", lambda t, a, r, m: t.days(r.path) == int(m[1] or 0)),
]  # fmt: skip


def _shared(truth: Truth, a: str, b: str, word: str) -> bool:
    """The word stands in the one file, and it, or a form of it, in the other."""
    start = word[: max(3, len(word) - 4)]
    return word in truth.words(a) and any(other.startswith(start) for other in truth.words(b))


def _speaks(truth: Truth, a: str, b: str, oid: str, words: list[str]) -> bool:
    """The commit touched `b`, and its subject holds the words, or forms of them, that subjects of `a` hold."""
    (number,) = [number for number, known in enumerate(truth.oids) if known.startswith(oid)]
    subject, paths, _ = truth.commits[number]
    mine = {word for said, touched, _ in truth.commits if a in touched for word in re.findall(r"\w+", said.lower())}
    starts = [word[: max(3, len(word) - 4)] for word in words]
    return b in paths and set(words) <= mine and all(start in subject.lower() for start in starts)


def test_every_reason_of_related(asked: tuple[Truth, Oracl]) -> None:
    truth, oracl = asked
    seen: dict[str, int] = defaultdict(int)
    for path in truth.world.files():
        for result in oracl.related([path], limit=100).results:
            for reason in result.reasons:
                _verify(RELATED, truth, path, result, reason, seen)
    assert sum(seen.values()) > 500
    for pattern, _ in RELATED[:2] + RELATED[8:]:
        assert seen[pattern], f"no reason ever said: {pattern}"


def _verify(
    table: list[tuple[str, Check]], truth: Truth, asked: str, result: Result, reason: Reason, seen: dict[str, int]
) -> None:
    said = [(pattern, check, match) for pattern, check in table if (match := re.fullmatch(pattern, reason.text))]
    assert said, f"unknown reason: {reason.text!r}"
    assert any(check(truth, asked, result, match) for _, check, match in said), (asked, result.path, reason)
    seen[said[0][0]] += 1


def test_what_changed_together_is_not_left_out(asked: tuple[Truth, Oracl]) -> None:
    """The other way round: every pair that git knows is answered with its number."""
    truth, oracl = asked
    for path in truth.world.files()[:8]:
        answer = oracl.related([path], limit=10_000)
        said = {r.path: {reason.text for reason in r.reasons if reason.signal == "together"} for r in answer.results}
        for other in truth.today - {path}:
            count, of = truth.together(path, other)
            if count:
                assert said.get(other) == {f"changed together in {count} of {of} commits"}, (path, other)
            else:
                assert not said.get(other), (path, other)


def test_shares_add_up(asked: tuple[Truth, Oracl]) -> None:
    truth, oracl = asked
    asked_for = [oracl.search(question) for question in SUMS]
    for answer in (oracl.related([truth.world.files()[0]]), *asked_for):
        assert answer.results
        for result in answer.results:
            assert abs(sum(reason.share for reason in result.reasons) - result.score) < 1e-9


# -- search ----------------------------------------------------------------------------------


def _spoken(truth: Truth, question: str, path: str) -> int:
    """Commits whose message holds a word of the question and that touched the file."""
    words = set(re.split(r"[\W_]+", question.lower())) - tables.STOP_WORDS
    return sum(
        path in paths and size <= tables.COMMIT_FILES and bool(words & set(re.split(r"\W+", subject.lower())))
        for subject, paths, size in truth.commits
    )


def _any_word(question: str, text: str) -> bool:
    words = set(re.split(r"[\W_]+", question.lower())) - tables.STOP_WORDS - {""}
    return any(word in text.lower() for word in words)


def _pointed(truth: Truth, question: str, result: Result, line: int, name: str | None) -> bool:
    """The text names the file with that line, and the function there; the fragment holds the line, or the function."""
    tail = result.path.split("/")[-1]
    said = re.search(rf"{re.escape(tail)}\W+(?:line )?{line}\b", question) is not None and (name or "") in question
    first, _, last = result.fragment.lstrip("L").partition("-")
    held = int(first) <= line <= int(last) or f"def {name}(" in truth.lines(result.path, result.fragment)
    return said and held


def _cosine(*texts: str) -> float:
    """Of two texts; a chunk's vector knows its title as well, so what is said is about that."""
    encoder = find().encoder(find().seen)
    codes = [array("b", encoder.encode(split_identifiers(text))) for text in texts]
    return sum(a * b for a, b in zip(*codes, strict=True)) / LENGTH**2


SEARCH: list[tuple[str, Check]] = [
    (r"alike in meaning: (L\d+(?:-\d+)?) \(cosine (-?\d\.\d\d)\)",
     lambda t, q, r, m: abs(_cosine(q, t.lines(r.path, m[1])) - float(m[2])) < 0.15),
    (r"(\d+) commits? speaks? of it", lambda t, q, r, m: _spoken(t, q, r.path) == int(m[1])),
    (r"words in its path", lambda t, q, r, m: _any_word(q, r.path)),
    (r"words in its names", lambda t, q, r, m: _any_word(q, t.text(r.path))),
    (r"words in (?:one passage|its text)", lambda t, q, r, m: _any_word(q, t.text(r.path) + r.path)),
    (r"in (.+?)(?: at (L\d+-\d+))?", lambda t, q, r, m: all(
        re.search(re.escape(part.strip().rpartition(".")[2]), t.text(r.path))
        for part in m[1].split(" / ")) and (not m[2] or _any_word(q, t.lines(r.path, m[2])))),
    (r"defines (\S+)", lambda t, q, r, m: re.search(
        rf"(def|class) {re.escape(m[1])}\b", t.lines(r.path, r.fragment)) is not None),
    (r"(\S+) is named", lambda t, q, r, m: m[1] in q and r.path.endswith(m[1])),
    (r"the message's words in a row", lambda t, q, r, m: any(
        row in re.sub(r"[\W_]+", " ", t.lines(r.path, r.fragment).lower())
        for words in [re.split(r"[\W_]+", q.partition(": ")[2].lower())]
        for row in (" ".join(words[at:at + tables.MESSAGE_ROW]) for at in range(len(words) - tables.MESSAGE_ROW + 1)))),
    (r"changed lately", lambda t, q, r, m: any(r.path in paths for _, paths, _ in t.commits)),
    (r"the path itself", lambda t, q, r, m: q == r.path),
    (r"line (\d+) of it(?:, in (\w+),)? is in the text", lambda t, q, r, m: _pointed(t, q, r, int(m[1]), m[2])),
    (r"(\w+):(\S+)", lambda t, q, r, m: m[2] in r.path),
]  # fmt: skip


TRACE = """Traceback (most recent call last):
  File "/srv/zoo/numbat.py", line 6, in find_numbat
  File "/srv/zoo/wombat.py", line 900, in find_wombat
  File "/opt/site-packages/json/decoder.py", line 355, in raw_decode
KeyError: 'quokka'"""


SUMS = ("where the wombat sleeps", TRACE, "Error: all about the wombat")


def test_every_reason_of_search(asked: tuple[Truth, Oracl]) -> None:
    truth, oracl = asked
    seen: dict[str, int] = defaultdict(int)
    questions = [*WORDS, "wombat quokka", "where the numbat sleeps", "find_wombat", "zoo/wombat.py", "cage", "zoo.yaml",
                 "filename:wombat.py", "find_quokka in zoo/quokka.py", TRACE,
                 "zoo/bilby.py:5:1: error: wombat", "ValueError: where the wombat sleeps"]  # fmt: skip
    for question in questions:
        for result in oracl.search(question, limit=100).results:
            for reason in result.reasons:
                _verify(SEARCH, truth, question, result, reason, seen)
    for pattern, _ in SEARCH:
        if pattern != r"(\S+) is named":
            assert seen[pattern], f"no reason ever said: {pattern}"
