"""Bad input: files, settings, questions, names, terminals. Nothing runs, nothing leaks, nothing ends in a bug."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import sqlite3
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from pytest import mark, skip

from oracl_git.store.schema import VERSIONS

Place = Any  # conftest's
VERBS = (
    ["search", "discount", "--snippet"], ["search", "discount", "--ranker", "classic"], ["related", "shop/cart.py"],
    ["related", "--why", "shop/cart.py", "shop/prices.py"], ["trace", "shop/cart.py"], ["trace", "--impact", "shop/cart.py"],
    ["show", "shop/cart.py"], ["hub", "shop"], ["open", "1", "--print"], ["status"], ["stats", "--skipped"], ["doctor"],
    ["graph", "export"],
)  # fmt: skip

DEEP = {
    "paren.py": b"(" * 100_000, "bracket.py": b"x = " + b"[" * 100_000 + b"]" * 100_000, "brace.py": b"{" * 100_000,
    "plus.py": b"a" + b"+a" * 100_000, "dots.py": b"a" + b".a" * 100_000, "else.py": b"if a: pass\nelif b: pass\n" * 20_000,
    "deep.json": b"[" * 100_000, "deep2.json": b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "deep.yaml": b"- " * 50_000,
    "deep2.yaml": b"".join(b" " * n + b"a:\n" for n in range(700)), "flow.yaml": b"[" * 50_000, "deep.toml": b"a=" + b"[" * 50_000,
    "bomb.yaml": b"a: &a [x,x]\n" + b"".join(b"%c: &%c [*%c,*%c]\n" % (n, n, n - 1, n - 1) for n in range(98, 120)),
    "deep.md": b"> " * 50_000, "links.md": b"[" * 100_000, "stars.md": b"*a_" * 30_000, "deep.rst": b"`" * 100_000,
    "line.py": b"x = '" + b"y" * 1_000_000 + b"'", "line.md": b"wombat " * 140_000, "line.txt": b"a" * 1_000_000,
    "latin.py": b"# caf\xe9\nWOMBAT = '\xff\xfe'\n", "nul.py": b"x = 1\0\n", "late.py": b"x = 1\n" * 2000 + b"\0",
    "utf16.txt": "wombat".encode("utf-16"), "cr.py": b"a = 1\rb = 2\r", "empty.py": b"", "bom.py": b"\xef\xbb\xbfX = 1\n",
    "big.py": b"x = 1\n" * 200_000, "slow.py": b"(lambda: " * 3000 + b"x = [\n" * 3000, "fstring.py": b'f"{' * 5000,
    "esc.py": b"def \x1b]0;owned\x07(): ...\n# wombat \x1b[31m red\n", "strings.py": b'"""' * 33_333, "sh.sh": b"$(" * 50_000,
    "def.py": b"def f():\n " * 3000, "continued.py": b"x = 1 + \\\n" * 50_000, "at.py": b"@" * 100_000, "not.py": b"not " * 100_000,
}  # fmt: skip


def test_files_made_to_hurt(place: Callable[..., Place]) -> None:
    repo = place().init()
    repo.fast_import([(b"Hurt", [(b"h/" + name.encode(), data) for name, data in DEEP.items()])])
    started = time.process_time()
    repo.oracl("init", "--no-hooks")
    assert time.process_time() - started < 30
    state = repo.state()
    assert state["artifacts"] + sum(state["skipped"].values()) == len(DEEP)
    assert state["skipped"]["over 1 MiB"] == 1 and state["skipped"]["binary"] == 1 and state["root"]
    for name in list(DEEP)[::5]:
        done = repo.oracl("show", f"h/{name}", code=None)
        assert done.code in (0, 1) and "\x1b" not in done.out
    assert "\x1b" not in repo.oracl("search", "wombat", "--snippet").out
    repo.same_as_fresh()


# -- settings the repository brings -----------------------------------------------------------

HUGE = b"9" * 400
SETTINGS = {
    "huge numbers": {
        "learned_edges.json": b'[{"source":"shop/cart.py","target":"README.md","confidence":' + HUGE + b"},"
        b'{"source":"shop/cart.py","target":"README.md","confidence":NaN},{"source":"a","target":"b","confidence":-Infinity}]',
        "oracl.toml": b'[[override]]\npaths=["**"]\nusage=' + HUGE + b"\nestimated_savings=9223372036854775808\n",
    },
    "too many digits": {"learned_edges.json": b"[" + b"9" * 9000 + b"]", "oracl.toml": b"a=" + b"9" * 9000},
    "deep": {
        "learned_edges.json": b"[" * 100_000, "learned_tags.json": b'{"a":' * 100_000, "oracl.toml": b"a=" + b"[" * 50_000,
        "constraints.toml": b"a=" + b"{a=" * 50_000,
    },
    "long": {
        "oracl.toml": b'[[override]]\npaths=["a"]\nclassification="' + b"z" * 500_000 + b'"\n',
        "learned_tags.json": json.dumps({"k" * 300_000: 1, "shop/cart.py": {"domain": "\x1b[31m", "x": "y" * 100_000}}).encode(),
        "constraints.toml": b'[[constraint]]\nid="' + b"i" * 300_000 + b'"\nrule="r"\npaths="**"\n',
    },
    "many": {"learned_edges.json": b"[" + b"{}," * 20_000 + b"{}]"},
    "wrong types": {
        "oracl.toml": b'domains=1979-05-27\noverride=[[1],{paths=1,usage=true,classification=[]},{paths=["a"],sensitivity=1.5}]\n',
        "constraints.toml": b"constraint=1\n", "learned_edges.json": b'{"edges":{"a":1}}', "learned_tags.json": b"[1]",
    },
    "not text": dict.fromkeys(("oracl.toml", "constraints.toml", "learned_edges.json", "learned_tags.json"), b"\xff\xfe\x00"),
    "far away": {
        "oracl.toml": b'[domains]\n"../../etc"="\\u001b[31m"\n[[override]]\npaths=["../../**","/etc/passwd"]\nusage=1\n',
        "constraints.toml": b'[[constraint]]\nid="\\u001b[31m"\nrule="a\\nb"\npaths=["../../etc/passwd","/etc/*","**"]\n',
        "learned_edges.json": b'[{"source":"../../etc/passwd","target":"/etc/shadow","confidence":1}]',
        "learned_tags.json": b'{"../../x":{"domain":"../../../etc"},"shop/cart.py":{"domain":"../../../\\u0000etc\\ud800"}}',
    },
}  # fmt: skip


@mark.parametrize("name", SETTINGS)
def test_settings_made_to_hurt(shop: Place, name: str) -> None:
    shop.commit("Settings", {f".agentlas/{file}": data for file, data in SETTINGS[name].items()})
    shop.update()
    for words in (["search", "discount"], ["show", "shop/cart.py"], ["hub"], ["stats"]):
        done = shop.oracl(*words, code=None)
        assert done.code in (0, 1) and "\x1b" not in done.out + done.err, done
        assert max(map(len, (done.out + done.err).splitlines()), default=0) < 1_000, done
    assert len(shop.state()["problems"]) <= 60
    shop.same_as_fresh()


def test_owners_made_to_hurt(shop: Place) -> None:
    lines = [b"/d%d/**/x*%d* @me" % (n, n) for n in range(20_000)]
    lines += [
        b"*a" * 5000 + b" @x",
        b"**/" * 5000 + b"q @x",
        b"[a-" * 3000 + b" @m",
        b"{a,b}" * 200 + b" @n",
        b"\xff\0 @y",
    ]
    shop.commit("Owners", {"CODEOWNERS": b"\n".join(lines)})
    shop.oracl("update", "--full")
    assert any("only the last 5,000" in problem for problem in shop.state()["problems"])


# -- programs a repository names --------------------------------------------------------------


def test_no_program_ever_runs(shop: Place, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\nexit 0\n')
    trap.chmod(0o755)
    shop.write("shop/cart.py", "# changed\n")
    shop.write(".gitattributes", "* diff=evil filter=evil merge=evil\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "Attributes")
    shop.write("shop/cart.py", "# staged\n")
    shop.git("add", "-A")
    keys = (
        "core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
        "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.smudge", "filter.evil.clean",
        "filter.evil.process", "merge.evil.driver", "interactive.diffFilter", "gpg.program", "gpg.ssh.program",
        "credential.helper", "core.editor", "sequence.editor", "uploadpack.packObjectsHook", "remote.origin.uploadpack",
    )  # fmt: skip
    for key in keys:
        shop.git("config", key, str(trap))
    shop.git("config", "core.hooksPath", str(tmp_path / "hooks"))
    (tmp_path / "hooks").mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(trap, tmp_path / "hooks" / hook)
    shop.git("config", "log.showSignature", "true")
    shop.git("config", "diff.ignoreSubmodules", "none")
    env = {"GIT_EXTERNAL_DIFF": str(trap), "GIT_PAGER": str(trap), "PAGER": str(trap), "LESSOPEN": f"|{trap} %s"}
    (tmp_path / "ran").unlink(missing_ok=True)
    for words in (
        ["init", "--no-hooks"], ["update", "--full"], *VERBS, ["related", "--staged"], ["related", "--commit", "HEAD"],
        ["related", "--diff", "HEAD~2..HEAD"], ["trace", "--impact", "--staged"], ["search", "cart before HEAD~1 since v1"],
        ["graph", "rebuild", "--two-layer"], ["related", "../x"], ["deinit"],
    ):  # fmt: skip
        shop.oracl(*words, code=None, env=env)
        assert not (tmp_path / "ran").exists(), (words, (tmp_path / "ran").read_text())


# -- questions --------------------------------------------------------------------------------

UNITS = (
    "a", "`", "a/", 'File "', "a.", "-", '"', '" a', "aA", "_", "not ", "a:", "file:x ", "-x ", "since v1 ", " ", " \n",
    "lang:python ", "a-", "/", "\\", "w1 w2 w3 ", 'NEAR( " ) * ^ : AND OR ', "\u202e", "é", "🎈", "a_b.c", "x.py:1 ",
)  # fmt: skip


def test_questions_of_a_megabyte(shop: Place) -> None:
    asked = [json.dumps({"query": (unit * 1_000_000)[:1_000_000]}) for unit in UNITS]
    started = time.monotonic()
    done = shop.oracl("search", "--stdin", input="\n".join(asked).encode())
    assert len(done.raw.splitlines()) == len(UNITS)
    assert time.monotonic() - started < 30
    long = " ".join(f"w{n}" for n in range(20_000))[:120_000]
    assert "the first and of the last 5,000 characters" in shop.oracl("search", f"discount {long}", "--json").out
    shop.oracl("related", "a/" * 60_000, code=1)


ODD = (
    "".join(map(chr, range(1, 10))) + "".join(map(chr, range(11, 32))), 'NEAR( " ) * ^ : AND OR', "title : cart", "cart*",
    "{path} : cart", "^cart", "NOT cart", '"cart', "cart AND (NOT", "''; DROP TABLE node; --", "%s%n", "file:", 'file:""',
    "file:*", "file:[", "path:**/**/**", "prefix:/", "prefix:..", "-", "--", "-a -b", "before 9999-99-99 cart", "lang:",
    "since 0000 cart", "since v999 cart", "type:",
)  # fmt: skip


def test_odd_questions(shop: Place) -> None:
    for ranker in ("hybrid", "classic"):
        done = shop.oracl("search", "--ranker", ranker, "--stdin", input="\n".join(ODD).encode())
        assert [json.loads(line)["query"] for line in done.raw.splitlines()] == list(ODD)
    for text in ODD[:2]:
        done = shop.oracl("search", "--explain", "--", text, code=None)
        assert done.code in (0, 1) and not re.search("[\0-\x09\x0b-\x1f]", done.out + done.err)


def test_questions_that_are_not_text(shop: Place) -> None:
    asked = (
        b"\xff",
        b'"\xff" cart',
        b"file:\xff",
        b"cart -\xff",
        b"`\xed\xa0\x80`",
        b"before v1\xff cart",
        b"\xff.py:3",
    )
    for words in (["search"], ["search", "--ranker", "classic"], ["related"]):
        assert len(shop.oracl(*words, "--stdin", input=b"\n".join(asked)).raw.splitlines()) == len(asked)
    for text in asked[:2]:
        shop.oracl("search", "--explain", text, code=None)
        shop.oracl("hub", text, code=1)
        shop.oracl("related", "--commit", text, code=2)
        assert shop.oracl("show", b"shop/cart.py#" + text, code=1).err.startswith("git-oracl: shop/cart.py defines no ")


def test_json_that_spells_no_text(shop: Place) -> None:
    rows = ['{"query": "\\ud800 cart"}', '{"query": "file:\\ud800"}', '{"query": "\\"\\udfff\\" cart"}', '{"query": "a\\u0000b"}',
            '{"query": ["\\ud800"]}', '{"query": ["/a\\u0000b"]}', '{"query": [1, null, {}]}', '{"query": []}', '{"query": ' + "[" * 50_000,
            "[" * 100_000, '{"query": 1}', '{"query": "' + "9" * 10_000 + '"}', "{", ""]  # fmt: skip
    for verb in ("search", "related"):
        out = shop.oracl(verb, "--stdin", input="\n".join(rows).encode()).raw.splitlines()
        assert len(out) == len(rows) - 1
        assert all(json.loads(line)["schema"] == 1 for line in out)


def test_a_file_that_no_one_has(shop: Place) -> None:
    """A filter that nothing passes is no filter that everything passes."""
    for text in (
        "file:nosuch.py",
        "filename:nosuch.py",
        "path:no/such.py",
        "file:*.nosuch",
        "prefix:nosuch/",
        "file:nosuch type:code",
    ):
        assert shop.oracl("search", "-z", text, code=1).raw == b""


def test_limits(shop: Place) -> None:
    for limit in ("0", "-1", "99999999999999999999", "1e3", "²", ""):
        shop.fails("search", "cart", f"--limit={limit}", code=2)
    for words in (
        ["related", "shop/cart.py", "-n0"],
        ["hub", "shop", "-n0"],
        ["trace", "shop/cart.py", "--depth=0"],
        ["open", "0"],
    ):
        shop.fails(*words, code=2)


def test_the_largest_limit(shop: Place) -> None:
    assert shop.oracl("search", "cart", "-n", "100000", "-z").paths
    assert shop.oracl("trace", "shop/cart.py", "--depth", "100000", "--both").out


def test_fragments(shop: Place) -> None:
    for tail in (
        "",
        "L0",
        "L5-3",
        "L99999999999999999999",
        "L1-",
        "\x1b[31m",
        "' OR 1=1 --",
        "a#b",
        "🎈",
        "x" * 100_000,
    ):
        done = shop.oracl("show", f"shop/cart.py#{tail}", code=None)
        assert done.code in (0, 1) and "\x1b" not in done.out + done.err


def test_paths_that_are_none(shop: Place) -> None:
    names = (
        "../../etc/passwd",
        "/etc/passwd",
        "/",
        "..",
        ".",
        ":/",
        ":/../x",
        "no/such",
        "a" * 5000,
        "a/" * 3000,
        "~",
        "-",
    )
    for name in ("", *names):
        done = shop.oracl("show", "--", name, code=1)
        assert done.raw == b"" and done.err.count("\n") <= 3
    rows = shop.oracl("related", "--stdin", input="\n".join(names).encode()).raw.splitlines()
    assert len(rows) == len(names) and all(json.loads(row)["error"] for row in rows)
    shop.oracl("trace", "--impact", "../../etc/passwd", code=1)


# -- words that move the cursor ---------------------------------------------------------------


def test_messages_never_reach_the_terminal_raw(place: Callable[..., Place]) -> None:
    repo = place().init()
    evil = b"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b31m \r over \x08 \xe2\x80\xae rtl \xff wombat"
    repo.fast_import((evil, [(b"a.py", b"import b\nX=%d\n" % n), (b"b.py", b"Y=%d\n" % n)]) for n in range(4))
    repo.oracl("init", "--no-hooks")
    for words in (["search", "wombat"], ["search", "wombat", "--explain", "--snippet"], ["search", "wombat", "--json"], ["show", "a.py"],
                  ["related", "a.py", "--explain"], ["related", "--why", "a.py", "b.py"], ["search", "a.py recent", "--ranker", "classic"]):  # fmt: skip
        done = repo.oracl(*words)
        assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\udc80-\udcff]", done.out + done.err), done


def test_commits_from_the_end_of_time(place: Callable[..., Place]) -> None:
    repo = place().init()
    for number, when in enumerate((1, 2**63 - 1, 2**64 - 1, 10**14, 0)):
        repo.fast_import([(b"wombat", [(b"f%d.py" % number, b"X=1\n"), (b"g.py", b"Y=%d\n" % number)])], start=when)
    log = repo.git("rev-list", "--count", "HEAD")
    repo.oracl("init", "--no-hooks")
    assert str(repo.state()["history"]) == log
    for words in (["search", "wombat"], ["search", "recent wombat"], ["search", "wombat since 2020"], ["search", "last week"],
                  ["show", "g.py"], ["related", "g.py"], ["search", "wombat before HEAD"]):  # fmt: skip
        repo.oracl(*words, code=None)


# -- databases --------------------------------------------------------------------------------


DAMAGE = (
    "magic",
    "header",
    "nothing",
    "zeros",
    "half",
    "directory",
    "foreign",
    "impostor",
    "page 1",
    "page 4",
    "journal",
)
CACHES = [(name, damage) for name in ("facts", "history") for damage in ("half", "directory", "impostor")]


@mark.parametrize(("name", "damage"), [*(("index", damage) for damage in DAMAGE), *CACHES])
def test_a_damaged_database(shop: Place, name: str, damage: str) -> None:
    expected = shop.state()["root"]
    path = shop.settled(name)
    data = bytearray(path.read_bytes())
    if damage in ("directory", "foreign", "impostor"):
        path.unlink()
    if damage == "directory":
        (path / "inside").mkdir(parents=True)
    elif damage in ("foreign", "impostor"):
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE mine(x)")
            db.execute(f"PRAGMA user_version={VERSIONS[name] * (damage == 'impostor')}")
    elif damage == "journal":
        path.with_name(path.name + "-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(50_000))
    else:
        noise = b"\xa5\x5a\x00\xff" * 2048
        page = int(damage[-1]) * 8192 if damage.startswith("page") else 0
        if damage == "magic":
            data[:16] = noise[:16]
        elif damage == "header":
            data[16:100] = noise[:84]
        elif damage == "nothing":
            data = bytearray()
        elif damage == "zeros":
            data = bytearray(len(data))
        elif damage == "half":
            del data[len(data) // 2 + 77 :]
        else:
            data[page : page + 8192] = noise[: len(data[page : page + 8192])]
        path.write_bytes(data)
    shop.oracl("doctor", code=None)
    done = shop.oracl("show", "shop/cart.py")
    if name == "index" and damage in ("magic", "half", "zeros", "impostor"):
        assert done.err == "git-oracl: the index was damaged and has been made anew\n"
    shop.update("--full")
    assert shop.state()["root"] == expected and shop.oracl("doctor").code == 0


@mark.parametrize("name, table", [("index", "node"), ("facts", "facts"), ("history", "entry")])
@mark.parametrize("what", ["view", "trigger"])
def test_a_database_that_has_no_end(shop: Place, name: str, table: str, what: str) -> None:
    """A directory that came along: its format is ours, what it computes is not."""
    expected = shop.state()["root"]
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    with closing(sqlite3.connect(shop.settled(name))) as db:
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        if what == "view":
            db.execute(f"DROP TABLE {table}")
            db.execute(f"CREATE VIEW {table} AS {endless} SELECT {', '.join(f'x {each}' for each in columns)} FROM c")
        else:
            db.execute(f"CREATE TRIGGER mine BEFORE INSERT ON {table} BEGIN SELECT count(*) FROM ({endless}"
                       " SELECT x FROM c); END")  # fmt: skip
    shop.commit("More", {"shop/more.py": "import shop.cart\n"})
    assert shop.oracl("search", "discount threshold", "-z").paths
    shop.git("reset", "-q", "--hard", "HEAD~1")
    shop.update()
    assert shop.state()["root"] == expected


@mark.parametrize("name", ["index", "facts", "history"])
def test_bytes_that_changed_by_themselves(shop: Place, name: str) -> None:
    """Any answer may come of it, or none; but no bug, and no state that is never left."""
    expected = shop.state()["root"]
    good = shop.settled(name).read_bytes()
    chance = random.Random(name)
    for number in range(4):
        path, data = shop.settled(name), bytearray(good)
        if number == 3:
            some = chance.sample(range(1, len(data) // 8192), 2)
            one, other = (slice(page * 8192, page * 8192 + 8192) for page in some)
            data[one], data[other] = data[other], data[one]
        for _ in range((1, 40, 400, 0)[number]):
            data[chance.randrange(4096, len(data))] = chance.randrange(256)
        path.write_bytes(data)
        for words in (["search", "discount threshold"], ["related", "shop/cart.py"], ["update", "--full"]):
            done = shop.oracl(*words, code=None)
            assert done.code in (0, 1), (number, words, done.err)
    shop.oracl("deinit")
    shop.oracl("init", "--no-hooks")
    assert shop.state()["root"] == expected


@mark.parametrize("name", ["index", "facts", "history"])
@mark.parametrize("what", ["pipe", "loop", "device"])
@mark.parametrize("part", ["", "-wal", "-shm"])
def test_what_is_no_file_stands_where_a_database_was(shop: Place, name: str, what: str, part: str) -> None:
    expected = shop.state()["root"]
    path = shop.settled(name).with_name(f"{name}.sqlite{part}")
    path.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if what == "loop" else "/dev/zero")
    shop.commit("More", {"more.txt": "more\n"})
    assert shop.oracl("search", "discount threshold", "-z").paths
    shop.oracl("update")
    assert (part or path.is_file()) and not path.is_symlink() and not path.is_fifo()
    shop.git("reset", "-q", "--hard", "HEAD~1")
    shop.oracl("update")
    assert shop.state()["root"] == expected


def test_nobody_waits_for_a_pipe_where_a_file_of_ours_was(shop: Place) -> None:
    names = (
        "search_history.jsonl", "search_history.jsonl.1", "seen.json", "seen.json.lock", "writer", "writer.lock", "chain.lock",
        "keyring.lock", "graph_health_history.jsonl", "proposals.json", "index.sqlite-reading", "spool", "spool.taken", "worker",
        "worker.log", "worker.log.1", "config-unended", "hooks-made", "hook.sh",
    )  # fmt: skip
    for name in names:
        path = shop.path / ".git/oracl" / name
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    shop.commit("More", {"more.txt": "more\n"})
    assert shop.oracl("search", "discount threshold", "-z").paths
    refused = []
    for words in (
        ["open", "1", "--print"], ["learn"], ["check"], ["verify"], ["snapshot", "create"], ["snapshot", "list"], ["health"],
        ["keys", "list"], ["status"], ["doctor"], ["hooks", "status"], ["hooks", "install"], ["update", "--full"], ["deinit"],
    ):  # fmt: skip
        done = shop.oracl(*words, code=None)
        refused += [" ".join(words)] if "it is no file" in done.err else []
        assert done.err.count("\n") <= 2, done
    assert refused == ["verify", "snapshot create"]
    assert not (shop.path / ".git/oracl").exists()


@mark.parametrize("what", ["file", "link"])
def test_what_is_no_directory_stands_where_all_lies(shop: Place, tmp_path: Path, what: str) -> None:
    place, elsewhere = shop.path / ".git/oracl", tmp_path / "elsewhere"
    place.rename(elsewhere)
    if what == "file":
        place.write_text("mine\n")
        assert shop.fails("search", "discount").endswith("File exists.\nhint: git oracl deinit\n")
    else:
        place.symlink_to(elsewhere)
        assert shop.oracl("search", "discount", "-z").paths
    shop.oracl("deinit")
    assert not os.path.lexists(place) and (elsewhere / "index.sqlite").is_file()


def test_an_index_of_an_older_format_is_told_as_what_it_is(shop: Place) -> None:
    def age() -> None:
        with closing(sqlite3.connect(shop.settled("index"))) as db:
            db.execute(f"PRAGMA user_version={VERSIONS['index'] - 1}")

    age()
    told = "the index was made by an older version; the next question makes it anew"
    assert shop.oracl("status", code=1).err == f"git-oracl: {told}\nhint: git oracl update\n"
    assert shop.oracl("status", "--json", code=1).json["stale"] == told
    assert shop.fails("search", "cart", "--no-update") == f"git-oracl: {told}.\nhint: git oracl update\n"
    assert f"{told}\n" in shop.oracl("doctor", code=1).out
    assert "from nothing: the index was made by an older version" in shop.oracl("update").out
    assert shop.oracl("status").out.splitlines()[0].endswith(", at HEAD")
    age()
    done = shop.oracl("show", "shop/cart.py")
    assert done.err == "git-oracl: the index was made by an older version and has been made anew\n"


@mark.parametrize("name", ["facts", "history"])
def test_a_cache_of_a_newer_format(shop: Place, name: str) -> None:
    path = shop.settled(name)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version=99")
    shop.commit("More")
    assert "newer oracl-git" in shop.fails("update")
    shop.oracl("deinit")
    shop.oracl("init")


def test_a_full_disk_under_the_index(shop: Place) -> None:
    place = shop.path / ".git/oracl"
    shop.oracl("deinit")
    place.mkdir()
    if os.geteuid() or shop.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)).code:
        skip("no file system can be mounted here")
    try:
        shop.oracl("init", "--no-hooks")
        root = shop.state()["root"]
        assert root
        for number in range(400):
            shop.write(f"more/m{number}.py", f"def wombat_{number}(): ...\n" * 200)
        shop.commit("Much")
        err = shop.fails("update")
        assert "the disk is full" in err
        assert shop.state()["root"] == root  # the previous index is whole
        shop.oracl("search", "discount threshold", code=None)
        shop.oracl("doctor", code=None)
        shop.git("reset", "-q", "--hard", "HEAD~1")
    finally:
        shop.run("umount", str(place))
    shop.oracl("init", "--no-hooks")
    shop.same_as_fresh()


def _fill(path: Path) -> None:
    with open(path, "ab", buffering=0) as pad, suppress(OSError):
        while True:
            pad.write(bytes(4096))


def test_deinit_makes_room_on_a_full_disk(shop: Place, place: Callable[..., Place]) -> None:
    small = place("small")
    small.path.mkdir()
    if os.geteuid() or shop.run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(small.path)).code:
        skip("no file system can be mounted here")
    try:
        small.git("clone", "-q", str(shop.path), ".")
        small.oracl("init", "--no-hooks")
        root = small.state()["root"]
        _fill(small.path / "pad")
        assert "free some space" in small.fails("update", "--full")
        _fill(small.path / "pad")  # what that took is free again
        small.oracl("deinit")
        assert not os.path.exists(small.path / ".git/oracl")
        os.unlink(small.path / "pad")
        small.oracl("init", "--no-hooks")
        assert small.state()["root"] == root
    finally:
        shop.run("umount", str(small.path))


def test_a_disk_without_room_for_what_readers_share(shop: Place) -> None:
    """Nothing can be written, not even the few pages beside the index that its readers share."""
    asked = shop.oracl("search", "discount threshold", "-z").raw
    for name in ("index", "facts", "history"):
        shop.settled(name)
    done = shop.run("sh", "-c", "ulimit -f 0 && exec git oracl search 'discount threshold' -z")
    assert (done.code, done.raw) == (0, asked)


# -- surroundings -----------------------------------------------------------------------------


@mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(shop: Place, closed: str) -> None:
    for words in ("search cart", "search zzyzzyva", "search cart --json", "search cart -z", "search --stdin", "related --stdin",
                  "graph export", "update --full", "show nowhere"):  # fmt: skip
        done = shop.run("sh", "-c", f"git-oracl {words} {closed}", input=b"cart\n")
        assert done.code in (0, 1, 2, 128) and "Traceback" not in done.err, (words, done)
        if closed == "2>&-":
            assert "hint:" not in done.out  # talk does not land among the data
    shop.oracl("doctor")


def test_homes(powerless: Place, tmp_path: Path) -> None:
    closed = tmp_path / "home"
    closed.mkdir()
    closed.chmod(0o555)
    odd = ({"HOME": "/no/such/home"}, {"HOME": str(closed)}, {"HOME": ""}, {"HOME": str(closed), "XDG_CONFIG_HOME": "/no/such"},
           {"TMPDIR": "/no/such/tmp", "TMP": "", "TEMP": ""}, {"TERM": ""}, {"COLUMNS": "-5"}, {"COLUMNS": "9" * 30}, {"LC_ALL": "no_SUCH"})  # fmt: skip
    for env in odd:
        for words in (["update", "--full"], ["search", "discount"]):
            done = powerless.oracl(*words, env=env, code=None)
            assert done.code in (0, 1) and done.err == "", done
    assert not list(closed.iterdir()) and stat.S_IMODE(closed.stat().st_mode) == 0o555


def test_no_place_for_temporary_files(powerless: Place, place: Callable[..., Place]) -> None:
    shared = place("shared")
    powerless.git("clone", "-q", "--shared", str(powerless.path), str(shared.path))
    shared.wrapper = powerless.wrapper
    shared.oracl("init", "--no-hooks")
    for words in VERBS[::3]:
        shared.oracl(*words, env={"TMPDIR": "/no/such/tmp"}, code=None)


def test_a_plain_locale_and_paths_that_are_not(place: Callable[..., Place]) -> None:
    repo = place("répö 🎈").init()
    repo.commit("Wömbat", {"src/größe.py": "def wombat(): ...\n", "src/é/ü.py": "from src import größe\n"})
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    repo.oracl("init", "--no-hooks", env=env)
    assert repo.oracl("search", "wombat", "-z", env=env).paths[0] == "src/größe.py".encode()
    for words in (["show"], ["related"], ["trace"]):
        repo.oracl(*words, "src/größe.py", env=env, code=None)
    assert "src/größe.py".encode() in repo.oracl("search", "größe", "-z", env=env).paths
    assert repo.state() == repo.state(env=env)


def test_an_unreadable_file(powerless: Place) -> None:
    powerless.write("late.py", "from shop import cart\n")
    (powerless.path / "late.py").chmod(0)
    assert "late.py cannot be read: Permission denied" in powerless.fails("related", "late.py")


def test_interrupted_reading_is_kept(place: Callable[..., Place]) -> None:
    import signal
    import sys

    repo = place().init()
    repo.fast_import([(b"Many", ((b"d%d/f%d.py" % (n % 30, n), b"def f%d(): ...\n" % n * 30) for n in range(6000)))])
    process = subprocess.Popen(
        ["git-oracl", "update"], cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )  # fmt: skip
    repo.wait_for_facts(process)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130 and err == b"git-oracl: interrupted; what was read so far is kept\n"
    report = repo.update()
    assert 0 < report["parsed"] < 6000 and repo.state()["artifacts"] == 6000
