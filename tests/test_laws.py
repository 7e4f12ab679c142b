"""Laws of the index: incremental = full, the same everywhere, whole after a kill.

An index is compared row for row, ids replaced by what they name, with a fresh
one in another clone and now and then with the oracle. ORACL_TEST_REPOS adds the
histories of real repositories, ORACL_KILLS asks for more kills than CI has time
for, ORACL_LAWS for more generated histories, ORACL_REPLAYED for more commits of
each real one (40).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, os.path.dirname(__file__))
import rows
import worlds
from worlds import Commit, plain

import oracl_git.store.update as product
from oracl_git.git import Repository, discover, reachable
from oracl_git.git.worktree import blob_id
from oracl_git.recall.search import RANKERS, search
from oracl_git.service import Oracl
from oracl_git.store.edges import EdgeTable
from oracl_git.store.index import Index

HERE = Path(__file__).resolve().parent.parent
OTHERS = [Path(path) for path in os.environ.get("ORACL_TEST_REPOS", "").split(os.pathsep) if path]
KILLS = int(os.environ.get("ORACL_KILLS", "10"))
EXAMPLES = int(os.environ.get("ORACL_LAWS", "15"))
REPLAYED = int(os.environ.get("ORACL_REPLAYED", "40"))


def laws(examples: int) -> settings:
    """As many examples, the same ones each time."""
    return settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )


class Pair:
    """One history in two clones: one index is kept, the other made anew for each commit."""

    def __init__(self, kept: Path, other: Path, whole: int) -> None:
        self.kept, self.other = discover(str(kept)), discover(str(other))
        self.whole = whole  # from so many changed paths on, the kept one reads its tables whole

    @classmethod
    def of(cls, place: Path, commits: list[Commit], whole: int) -> Pair:
        kept = worlds.found(place / "kept", commits)
        shutil.copytree(kept, place / "other")
        return cls(kept, place / "other", whole)

    def go(self, commit: str) -> None:
        with mock.patch.object(product, "_WHOLE", self.whole):
            product.update(self.kept, commit=commit)

    def check(self, commit: str, oracle: bool, what: str = "") -> None:
        shutil.rmtree(Path(self.other.git_dir) / "oracl", ignore_errors=True)
        product.update(self.other, commit=commit)
        rows.check(rows.everything(self.kept), rows.everything(self.other), f"kept | made anew {what}")
        if oracle:
            rows.same_graph(rows.graph(self.kept), rows.expected(self.kept, commit), f"kept | oracle {what}")

    def walk(self, commits: Iterable[str], oracle_every: int = 3) -> None:
        for step, commit in enumerate(commits):
            self.go(commit)
            self.check(commit, oracle=step % oracle_every == 0, what=f"at step {step}")


# ------------------------------------------------------------------ incremental = full

ORDERS: dict[str, dict[str | bytes, str | bytes]] = {
    "Rust: a crate's parts in several directories": {
        "Cargo.toml": "[workspace]\nmembers = ['a', 'b']\n",
        "a/Cargo.toml": "[package]\nname = 'a'\n[dependencies]\nb = { path = '../b' }\n",
        "a/benches/bench.rs": "use b::f;\n",
        "a/src/lib.rs": "use b::f;\n",
        "b/Cargo.toml": "[package]\nname = 'b'\n",
        "b/src/lib.rs": "pub fn f() {}\n",
    },
    "Go: a module that tests have a twin of": {
        "go.mod": "module example.com/app\n",
        "a.go": 'package app\nimport "example.com/b"\nvar A = b.F()\n',
        "a_test.go": 'package app\nimport "example.com/b"\nvar T = b.F()\n',
        "b/go.mod": "module example.com/b\n",
        "b/b.go": "package b\nfunc F() int { return 1 }\n",
        "test/go.mod": "module example.com/b\n",
        "test/b.go": "package b\nfunc F() int { return 2 }\n",
    },
}


@laws(EXAMPLES)
@given(history=worlds.histories(), whole=st.sampled_from([0, 3, 400]), detours=st.lists(st.integers(0, 30), max_size=2))
def test_incremental_is_full(history, whole, detours):
    with tempfile.TemporaryDirectory() as place:
        pair = Pair.of(Path(place), history, whole)
        pair.walk([commit.oid for commit in history] + [history[number % len(history)].oid for number in detours])


def in_reverse(table: EdgeTable, nodes: list[int]) -> list[tuple[int, str, str, str, str]]:
    return list(linked_in_order(table, nodes))[::-1]


linked_in_order = EdgeTable._rows


@laws(EXAMPLES)
@given(history=worlds.histories(most=2))
def test_whoever_asks_first_learns_the_same(history):
    """Answers that many files share are worked out for the first that asks: what they took must not depend on it."""
    with tempfile.TemporaryDirectory() as place:
        last_first(worlds.found(Path(place) / "tree", history), history[-1].oid)


def test_whoever_asks_first_learns_the_same_of_this_repository(tmp_path):
    subprocess.run(["git", "clone", "-q", "--shared", "--bare", str(HERE), str(tmp_path / "here")], check=True)
    last_first(tmp_path / "here", "")


@pytest.mark.parametrize("tree", ORDERS.values(), ids=ORDERS)
def test_whoever_asks_first_learns_the_same_of(tree, git):
    repo = git.init()
    repo.commit("all", tree)
    last_first(repo.path, "")


def last_first(path: Path, commit: str) -> None:
    repo = discover(str(path))
    product.update(repo, commit=commit or repo.head)
    forward = rows.everything(repo)
    shutil.rmtree(Path(repo.git_dir) / "oracl")
    with mock.patch.object(EdgeTable, "_rows", in_reverse):
        product.update(repo, commit=commit or repo.head)
    rows.check(forward, rows.everything(repo), "first to last | last to first")


INIT = "src/pkg/__init__.py"
BASE = {
    INIT: "from .a import f\n",
    "src/pkg/a.py": "def f(): pass\ndef g(): pass\n",
    "src/pkg/b.py": "def f(): pass\n",
    "m.py": "from pkg import f\nimport pkg.a\n",
    "tests/test_a.py": "from pkg import f\n",
    "README.md": "# R\n`pkg.f` a.py\n",
}
STEPS: dict[str, list[dict[str | bytes, str | bytes | None]]] = {
    # Each step is laid over the one before; None deletes.
    "an __init__ swaps what it re-exports": [
        BASE,
        {INIT: "from .b import f\n"},
        {INIT: "from .b import *\n"},
        {INIT: ""},
        {INIT: "def f(): pass\n"},
        {INIT: None},
        {INIT: "from .a import *\n", "src/pkg/a.py": None},
    ],
    "a package root appears and goes": [
        BASE,
        {"src/__init__.py": ""},
        {"pkg/__init__.py": ""},
        {"src/__init__.py": None},
        {"pkg/__init__.py": None, "pkg.py": "def f(): pass\n"},
        {"pkg.py": None, "lib/pkg/a.py": "def f(): pass\n"},
    ],
    "the same bytes under two suffixes": [
        {"a.h": "#define X 1\n", "m.md": "a.h a.txt\n"},
        {"a.txt": "#define X 1\n"},
        {"a.h": None},
        {"a.h": "x\n", "a.txt": "x\n"},
    ],
    "case twins": [
        {"lib/a.py": "", "m.py": "import lib.a\nimport lib.A\n'A.py'\n"},
        {"lib/A.py": ""},
        {"lib/a.py": None},
        {"Lib/a.py": ""},
        {"lib/A.py": None},
    ],
    "more candidates than count": [
        {
            "m.md": "`dup` dup.py\n",
            "tests/test_dup.py": "",
            "c0/dup.py": "def dup(): pass\n",
            "m.sh": "python dup.py\n",
        },
        *[{f"c{n}/dup.py": "def dup(): pass\n"} for n in range(1, 7)],
        *[{f"c{n}/dup.py": None} for n in range(6)],
    ],
    "a file becomes a placeholder": [
        {"a.md": "[x](b.md) `pkg.a`\n", "b.md": "# B\nwords\n"},
        {"b.md": "# B\nTODO\n"},
        {"b.md": ""},
        {"b.md": None},
        {"b.md": "\0"},
        {"b.md": "# B\n"},
    ],
    "a test edge gives way to a mention of the same weight": [
        {"src/a.py": "", "tests/test_a.py": "import src.a\n"},
        {"tests/test_a.py": "import src.a\nP = 'src/a.py'\n", **{f"x{n}/a.py": "" for n in range(6)}},
        {f"x{n}/a.py": None for n in range(6)},
    ],
    "a test whose name leaves nothing": [
        {"x/test_y.py": "", "test_x-.py": "", "x/a.py": ""},
        {"x/test_z.py": ""},
        {"x/a.py": None},
        {"test_x-.py": "1\n"},
    ],
    "governance": [
        {**BASE, ".agentlas/oracl.toml": "[domains]\nsrc = 'x'\n"},
        {".agentlas/oracl.toml": "[domains]\nsrc = 'root'\n"},
        {".agentlas/constraints.toml": "[[constraint]]\nid = 'a'\nrule = 'r'\npaths = ['src/**']\n"},
        {"src/pkg/c.py": ""},
        {".agentlas/constraints.toml": "[[constraint]]\nid = 'b'\nrule = 'r'\npaths = ['*.md', 'src/']\n"},
        {".agentlas/learned_constraints.toml": "[[constraint]]\nid = 'b'\nrule = 's'\npaths = ['m.py']\n"},
        {".agentlas/learned_constraints.toml": "[[constraint]]\nid = 'l'\nrule = 's'\npaths = ['m.py']\n"},
        {".agentlas/learned_edges.json": '[{"source": "m.py", "target": "src/pkg/d.py", "confidence": 0.5}]'},
        {"src/pkg/d.py": ""},
        {"src/pkg/d.py": None},
        {".agentlas/learned_tags.json": '{"m.py": {"domain": "y", "z": "1"}}'},
        {"CODEOWNERS": "* @a\n"},
        {".github/CODEOWNERS": "src/ @b\n"},
        {".github/CODEOWNERS": None, "CODEOWNERS": "[\n"},
        {".agentlas/learned_tags.json": None, ".agentlas/constraints.toml": None, ".agentlas/oracl.toml": "["},
    ],
    "a file and a directory change places": [
        {"x": "# x\n", "y/z.md": "[a](../x)\n"},
        {"x": None, "x/w.md": "w\n", "y/z.md": None, "y": "[a](x/w.md)\n"},
        {"x/w.md": None, "x": "1\n"},
    ],
    "everything goes and comes": [BASE, dict.fromkeys(BASE), BASE, {}],
    "names that are not UTF-8": [
        {b"caf\xe9.py": "x = 1\n", "m.md": "# m\n"},
        {b"d\xff:b/t\xe9st_x.md": "# t\n"},
        {b"caf\xe9.py": None},
    ],
    "renames": [
        BASE,
        {"src/pkg/a.py": None, "src/pkg/c.py": BASE["src/pkg/a.py"]},
        {"src/pkg/c.py": None, "src/pkg/a.py": BASE["src/pkg/a.py"]},
        {"src/pkg/a.py": "def f(): return 1\ndef g(): pass\n"},
    ],
}


def steps_after(commits: list[Commit], changes: list[dict]) -> list[Commit]:
    """More of a history in one line."""
    tree = dict(commits[-1].tree)
    more = []
    for number, change in enumerate(changes, len(commits)):
        tree |= plain(change)
        more.append(Commit(dict(tree), [number - 1]))
    return more


def steps(changes: list[dict]) -> list[Commit]:
    """A history in one line."""
    files: dict[str | bytes, str | bytes] = {}
    commits = []
    for number, change in enumerate(changes):
        files = {path: content for path, content in {**files, **change}.items() if content is not None}
        commits.append(Commit(plain(files), [number - 1] if number else []))
    return commits


@pytest.mark.parametrize("whole", [0, 400])
@pytest.mark.parametrize("name", STEPS)
def test_step_by_step(name, whole, tmp_path):
    commits = steps(STEPS[name])
    pair = Pair.of(tmp_path, commits, whole)
    pair.walk([commit.oid for commit in [*commits, commits[0], commits[-1]]], oracle_every=1)


def test_modes_symlinks_and_submodules(tmp_path):
    first = plain({"a.sh": "#!/bin/sh\n. ./b.sh\n", "b.sh": "", "x.md": "[a](a.sh) [m](mod)\n"})
    kinds = [(worlds.SCRIPT, b""), (worlds.LINK, b"a.sh"), (worlds.MODULE, b"1" * 40), (worlds.MODULE, b"2" * 40)]
    trees = [first, *({**first, b"b.sh": kind, b"mod": kind} for kind in kinds), first]
    commits = [Commit(tree, [number - 1] if number else []) for number, tree in enumerate(trees)]
    Pair.of(tmp_path, commits, 400).walk([commit.oid for commit in [*commits, commits[2]]], oracle_every=1)


def test_around_the_cap(tmp_path):
    """More than 250 neighbours on both sides of a join, gained, lost and re-weighed one by one."""
    names = [f"m/m{n:03}.py" for n in range(253)]
    hub = "".join(f"import {name[:-3].replace('/', '.')}\n" for name in names) + "import pkg.a\n"
    files = dict.fromkeys(names, "import pkg.a\n") | {"pkg/__init__.py": "", "pkg/a.py": "", "all.py": hub}
    changes = [
        files,
        {names[0]: None},
        {names[1]: "'pkg/a.py'\n"},
        {"all.py": hub.replace("import m.m005\n", "")},
        {names[0]: "import pkg.a\n", "all.py": hub},
        {"m/l.py": "import pkg.a\n"},
        dict.fromkeys(names[240:]),
        {"all.py": hub + "import m.l\n"},
    ]
    commits = steps(changes)
    Pair.of(tmp_path, commits, 400).walk([commit.oid for commit in commits], oracle_every=3)


@pytest.mark.parametrize("skew", [0, 100_000])
def test_history_with_a_limit(skew, tmp_path):
    """Activity and old names when commits fall off the end of what is read, by a clock that was wrong too."""
    commits = steps([*STEPS["renames"], *STEPS["renames"][1:], {"m.py": "1\n"}])
    commits += steps_after(commits, [{"README.md": f"# {n}\n"} for n in range(5)])
    commits[4].skew = skew
    pair = Pair.of(tmp_path, commits, 400)
    for commit in commits:
        product.update(pair.kept, commit=commit.oid, depth=3)
        shutil.rmtree(Path(pair.other.git_dir) / "oracl", ignore_errors=True)
        product.update(pair.other, commit=commit.oid, depth=3)
        rows.check(rows.everything(pair.kept), rows.everything(pair.other), "kept | made anew")


def test_the_cache_is_only_a_cache(tmp_path):
    """Facts that were pruned are read again; a full rebuild changes nothing."""
    commits = steps(STEPS["an __init__ swaps what it re-exports"])
    pair = Pair.of(tmp_path, commits, 400)
    for old, new in pairwise(commit.oid for commit in commits):
        pair.go(old)
        for path in (Path(pair.kept.common_dir) / "oracl").glob("facts.sqlite*"):
            path.unlink()
        pair.go(new)
        pair.check(new, oracle=False)
    before = rows.everything(pair.kept)
    product.update(pair.kept, commit=commits[-1].oid, full=True)
    rows.check(before, rows.everything(pair.kept), "kept | rebuilt")


# ------------------------------------------------------------------ the same everywhere

SAY = """
import json, sys
sys.path[:0] = {paths!r}
import rows
from oracl_git.git import discover
from oracl_git.store.update import update
repo = discover(sys.argv[1])
update(repo)
print(json.dumps([sorted(rows.everything(repo)["header"].items()), rows.graph(repo)], default=repr))
"""


def told(place: Path, **env: str) -> object:
    """The header and the graph that another process makes of HEAD."""
    shutil.rmtree(Path(discover(str(place)).common_dir) / "oracl", ignore_errors=True)
    program = SAY.format(paths=[os.path.dirname(__file__), str(Path(product.__file__).parents[2])])
    done = subprocess.run(
        [sys.executable, "-c", program, str(place)], capture_output=True, env={**os.environ, **env}, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def busy(git) -> object:
    """A repository with a little of everything, two branches and a worktree."""
    repo = git.init()
    for number in range(2):
        for path, (_, content) in steps([BASE, *STEPS["governance"][1:7]])[-1].tree.items():
            repo.write(path, content + b"\n" * number)
        repo.write(b"caf\xc3\xa9.md", "# \u0130\u0131 \u00df\n")
        repo.write("\u0131/STRASSE.md", "[x](../README.md)\n")
        repo.commit(f"number {number}")
    return repo


def test_same_root_everywhere(git):
    repo = busy(git)
    repo("worktree", "add", "-q", "../tree", "HEAD")
    clone = git.clone(repo, "clone")
    first = told(repo.path)
    settings = [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4294967295"},
        {"LC_ALL": "C"},
        {"LC_ALL": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"},
        {"PYTHONUTF8": "0", "LC_ALL": "POSIX"},
        {"ORACL_BACKEND": "git"},
        {"ORACL_BACKEND": "pygit2"},
    ]
    for env in settings:
        assert told(repo.path, **env) == first, env
    assert told(git.root / "tree") == first
    assert told(clone.path) == first


def test_worktrees_keep_to_themselves(git):
    """Two worktrees at two commits, updated in turn, share facts and history and nothing else."""
    repo = busy(git)
    repo("worktree", "add", "-q", "../tree", "HEAD~1")
    other = git.at(git.root / "tree")
    for number in range(3):
        for place in (repo, other):
            product.update(discover(str(place.path)))
        git.at(git.root)("clone", "-q", "--shared", str(repo.path), f"clone{number}")
        clone = git.at(git.root / f"clone{number}")
        for place in (repo, other):
            clone("checkout", "-q", "--detach", place("rev-parse", "HEAD"))
            fresh = discover(str(clone.path))
            product.update(fresh, full=True)
            rows.check(rows.everything(discover(str(place.path))), rows.everything(fresh), "worktree | clone")
        (other if number % 2 else repo).commit("more", {f"n{number}.py": "import pkg.a\n"})


# ------------------------------------------------------------------ real histories


@pytest.mark.parametrize("source", [HERE, *OTHERS], ids=lambda path: path.name)
def test_replay(source, tmp_path):
    if not (source / ".git").exists() and not (source / "HEAD").exists():  # or a bare one
        pytest.skip("not in a clone")
    for name in ("kept", "other"):
        subprocess.run(["git", "clone", "-q", "--shared", "--bare", str(source), str(tmp_path / name)], check=True)
    pair = Pair(tmp_path / "kept", tmp_path / "other", 400)
    assert pair.kept.head
    commits = reachable(pair.kept, pair.kept.head, REPLAYED)[::-1]
    for step, commit in enumerate(commits):
        pair.go(commit)
        if step % 10 == 9 or commit == commits[-1]:
            pair.check(commit, oracle=True, what=commit)


# ------------------------------------------------------------------ any input


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    place = tmp_path_factory.mktemp("ready")
    repo = discover(str(worlds.found(place / "repo", steps([BASE, *STEPS["governance"][1:]]))))
    product.update(repo)
    return repo


words = st.sampled_from(
    'pkg a.py src/ README "f g" file: prefix:src lang:python -x NOT AND OR NEAR( * ? # : ^ " \' ( ) { } since:2d '
    "before:yesterday type:test domain:core \0 \ud800 \udcff %00 ../ // $HOME 0x1".split(" ")
)
queries = st.one_of(
    st.text(st.characters(), max_size=60), st.lists(words | st.text(max_size=5), max_size=8).map(" ".join)
)


@laws(150)
@given(text=queries, ranker=st.sampled_from(sorted(RANKERS)))
def test_any_string_is_a_query(ready, text, ranker):
    with Index(ready) as index:
        answer = search(index, text, ranker=ranker)
    assert answer.total >= 0


@laws(60)
@given(text=queries)
def test_any_string_is_a_question(ready, text):
    with Oracl(ready) as oracl:
        oracl.search(text)


SUFFIXES = "py pyi md rst txt toml yaml json cfg ini js ts go rs java c h sh sql html css xml".split()
scraps = st.sampled_from(
    [
        *worlds.PYTHON_LINES,
        *worlds.MARKDOWN_LINES,
        *worlds.RST_LINES,
        *worlds.CONFIG_LINES["toml"],
        *worlds.SCRIPT_LINES,
        "\ufeff",
        "\0",
        "\r",
        "\x0c",
        "\\",
        '"""',
        "'''",
        "(",
        "[x](",
        "```",
        "<!--",
        "\u2028",
        "=\n",
    ]
).map(lambda line: line.encode() + b"\n")
contents = st.one_of(
    st.binary(max_size=200),
    st.lists(st.one_of(scraps, st.binary(max_size=12)), max_size=12).map(b"".join),
    st.text(st.characters(codec="utf-8"), max_size=80).map(lambda text: text.encode("utf-16")),
)
segments = st.one_of(
    st.binary(min_size=1, max_size=12).filter(lambda raw: not set(raw) & set(b"\0/") and raw not in (b".", b"..")),
    st.sampled_from([b"test_a.py", b"__init__.py", b"README.md", b"\xff.py", b"a:b", b"src", b"tests", b"-.py", b"x."]),
).filter(lambda raw: not raw.lower().replace(b".", b"").startswith(b"git"))


@laws(12)
@given(first=contents, second=contents, third=contents)
def test_any_bytes_are_a_file(first, second, third):
    trees = [plain({f"d/x.{suffix}": data for suffix in SUFFIXES} | {"see.md": "x.py\n"}) for data in (first, second)]
    trees.append(
        plain(
            {
                **{f"d/x.{suffix}": second for suffix in SUFFIXES[::2]},
                **dict.fromkeys((path.decode() for path in worlds.GOVERNANCE_LINES), third),
            }
        )
    )
    commits = [Commit(tree, [number - 1] if number else []) for number, tree in enumerate(trees)]
    with tempfile.TemporaryDirectory() as place:
        Pair.of(Path(place), commits, 400).walk([commit.oid for commit in commits], oracle_every=1)


@laws(10)
@given(paths=st.lists(st.lists(segments, min_size=1, max_size=4).map(b"/".join), min_size=1, max_size=12, unique=True))
def test_any_bytes_are_a_path(paths):
    tree: worlds.Tree = {}
    for path in paths:
        if worlds.fits(tree, path):
            tree[path] = (worlds.FILE, b"import x\n# t\n")
    half = dict(list(tree.items())[::2])
    with tempfile.TemporaryDirectory() as place:
        commits = [Commit(tree), Commit(half, [0])]
        Pair.of(Path(place), commits, 400).walk([commit.oid for commit in commits], oracle_every=1)


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters(), max_size=6),
        st.sampled_from(["a.py", "b/c.md", "classification", "sensitive", "high", "\ud800", "x:y", ""]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "source",
                    "target",
                    "confidence",
                    "edges",
                    "tags",
                    "a.py",
                    "b/c.md",
                    "domain",
                    "classification",
                    "sensitivity",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
TOML_VALUES = st.sampled_from(
    "1 -1 1.5 inf nan true 'x' 'high' 'sensitive' 'approved' [] ['*'] {} {a=1} 1979-05-27 '\\ud800'".split()
)


@laws(25)
@given(
    edges=VALUES,
    tags=VALUES,
    settings=st.lists(
        st.tuples(
            st.sampled_from("paths classification sensitivity usage estimated_savings review".split()), TOML_VALUES
        ),
        max_size=4,
        unique_by=lambda x: x[0],
    ),
    rules=st.lists(
        st.tuples(st.sampled_from("id rule paths severity owner forbid".split()), TOML_VALUES),
        max_size=4,
        unique_by=lambda x: x[0],
    ),
)
def test_any_settings_are_survived(edges, tags, settings, rules):
    """A clone's tracked files are input: what makes no sense is left out, and said."""

    def table(name: str, items: list[tuple[str, str]]) -> str:
        return f"[[{name}]]\n" + "".join(f"{key} = {value}\n" for key, value in items)

    files = {
        "a.py": "",
        "b/c.md": "# c\n",
        ".agentlas/learned_edges.json": json.dumps(edges),
        ".agentlas/learned_tags.json": json.dumps(tags),
        ".agentlas/oracl.toml": table("override", settings),
        ".agentlas/constraints.toml": table("constraint", rules),
    }
    with tempfile.TemporaryDirectory() as place:
        commits = [Commit(plain(files))]
        Pair.of(Path(place), commits, 400).walk([commits[0].oid])


def test_packages_that_star_import_each_other_end(tmp_path):
    """Re-exports that lead in circles cost no more than others."""
    files = {f"p/q{n}/__init__.py": "".join(f"from ..q{m} import *\n" for m in range(8) if m != n) for n in range(8)}
    files |= {"p/__init__.py": "", "m.py": "from p.q0 import nothing\n"}
    repo = discover(str(worlds.found(tmp_path / "repo", [Commit(plain(files))])))
    done = subprocess.run(
        [sys.executable, "-c", UPDATE.format(path=str(Path(product.__file__).parents[2])), repo.git_dir], timeout=20
    )
    assert done.returncode == 0


def test_patterns_that_could_take_forever_end(tmp_path):
    """A pattern of a tracked file is input too."""
    deep = "/".join(["a" * 8] * 24) + "/b.md"
    hostile = "\n".join(["/" + "**/" * 24 + "x @a", "*a" * 24 + "*x @a", "**a" * 24 + "x @a"])
    repo = discover(str(worlds.found(tmp_path / "repo", [Commit(plain({deep: "# b\n", "CODEOWNERS": hostile}))])))
    done = subprocess.run(
        [sys.executable, "-c", UPDATE.format(path=str(Path(product.__file__).parents[2])), repo.git_dir], timeout=20
    )
    assert done.returncode == 0


# ------------------------------------------------------------------ kills

UPDATE = """
import sys
sys.path.insert(0, {path!r})
from oracl_git.git import discover
from oracl_git.store.update import update
update(discover(sys.argv[1]))
"""


@pytest.mark.parametrize("path", ["src/pkg/a.py", "README.md", "tsconfig.json"])
def test_killed_while_it_reads_a_file(path, tmp_path):
    """The next update has it read by a process that may die of it: what that says is what this one would say."""
    new = {
        "src/pkg/a.py": "from .b import f\ndef g(): pass\n",
        "README.md": "# R\n[b](src/pkg/b.py)\n",
        "tsconfig.json": '{"extends": "./base.json"}\n',
    }
    commits = steps([{**BASE, "base.json": "{}\n"}, new])
    pair = Pair.of(tmp_path, commits, 400)
    pair.go(commits[0].oid)
    _, content = commits[1].tree[path.encode()]
    Path(pair.kept.git_dir, "oracl", "index.sqlite-reading").write_text(blob_id(pair.kept, content).ljust(64))
    pair.go(commits[1].oid)
    pair.check(commits[1].oid, oracle=True)


def test_killed_at_any_instant(tmp_path):
    """SIGKILL during an update, again and again; the next one gives the right index and waits for nobody."""
    many = {f"p/m{n:03}.py": f"import p.m{(n * 7) % 200:03}\ndef f{n}(): pass\n" + "x = 1\n" * 60 for n in range(200)}
    changed = {path: content + "# more\nimport pkg\n" for path, content in list(many.items())[::2]}
    commits = steps([{**BASE, **many}, changed, dict.fromkeys(list(many)[::3]), BASE, many])
    place = worlds.found(tmp_path / "kept", commits)
    shutil.copytree(place, tmp_path / "other")
    pair = Pair(place, tmp_path / "other", 400)
    program = UPDATE.format(path=str(Path(product.__file__).parents[2]))

    def start(number: int) -> subprocess.Popen[bytes]:
        (place / "refs/heads/main").parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "update-ref", "HEAD", commits[number % len(commits)].oid], cwd=place, check=True)
        return subprocess.Popen([sys.executable, "-c", program, str(place)], stderr=subprocess.DEVNULL)

    began = time.monotonic()
    assert start(0).wait() == 0
    takes = time.monotonic() - began
    chance = random.Random(20)
    killed = 0
    for number in range(1, 10 * KILLS):
        child = start(number)
        time.sleep(takes * chance.random())
        child.send_signal(signal.SIGKILL)
        if child.wait() != -signal.SIGKILL:
            takes *= 0.9  # it was done before
            continue
        killed += 1
        if killed % 5 == 1:  # what a question sees meanwhile is one commit or another, whole
            with Index(discover(str(place))) as index:
                assert index.commit in {commit.oid for commit in commits}
                assert index.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if killed % 3 and killed < KILLS:  # else one killed update on top of another
            began = time.monotonic()
            product.update(discover(str(place)), wait=5)
            assert time.monotonic() - began < takes * 10 + 5
            pair.check(commits[number % len(commits)].oid, oracle=False, what=f"after kill {killed}")
            left = {path.name for path in (place / "oracl").iterdir()}
            assert all(".sqlite" in name for name in left), left
        if killed == KILLS:
            return
    raise AssertionError(f"only {killed} updates could be killed")
