"""Which commits there are and what each of them says and touched."""

from __future__ import annotations

import os
import time

import pytest

from oracl_git.errors import MissingObjects
from oracl_git.git import commits, discover, is_linear_extension, reachable
from oracl_git.git.history import split_message
from oracl_git.git.refs import commit_time


def read(repo, *oids):
    return list(commits(discover(str(repo.path)), oids))


def test_one_commit(git):
    repo = git.init()
    root = repo.commit("First\nof two lines\n\nThe body\nof it.\n\nMore.", {"a": "1", "d/b": "2"})
    head = repo.commit("second", {"a": "2"})
    second, first = read(repo, head, root)
    assert first == (
        root,
        (),
        1_700_000_000,
        "First of two lines",
        "The body\nof it.",
        ((b"a", "A", b""), (b"d/b", "A", b"")),
    )
    assert (second.parents, second.time, second.subject, second.body) == ((root,), 1_700_000_060, "second", "")
    assert second.touched == ((b"a", "M", b""),)
    assert read(repo) == []


def test_exactly_what_was_asked_in_the_order_asked(git):
    repo = git.init()
    oids = [repo.commit(f"c{number}", {"a": str(number)}) for number in range(300)]
    asked = oids[::7][::-1] + oids[1:3]
    assert [commit.oid for commit in read(repo, *asked)] == asked


def test_renames_deletions_and_type_changes(git):
    repo = git.init()
    text = "".join(f"line {number}\n" for number in range(40))
    repo.commit("one", {"old name": text, "gone": "x", "kind": "y"})
    (repo.path / "old name").rename(repo.path / "new\nname")
    repo.write("new\nname", text + "one more\n")
    (repo.path / "gone").unlink()
    (repo.path / "kind").unlink()
    os.symlink("gone", repo.path / "kind")
    (commit,) = read(repo, repo.commit("two"))
    assert set(commit.touched) == {(b"new\nname", "R", b"old name"), (b"gone", "D", b""), (b"kind", "T", b"")}


def test_a_commit_that_moves_the_world_stays_bounded(git):
    repo = git.init()
    repo.commit("one", {f"a/{number}": f"{number}\n" * 20 for number in range(500)})
    repo("mv", "a", "b")
    repo.write("b/7", "7\n" * 19 + "8\n")
    (commit,) = read(repo, repo.commit("two"))
    kinds = [touched.status for touched in commit.touched]
    assert kinds.count("R") >= 499


def test_merges_touch_nothing(git):
    repo = git.init()
    base = repo.commit("base", {"a": "1"})
    tree = repo("rev-parse", "HEAD^{tree}")
    sides = [repo.commit_tree(tree, f"side {number}", base) for number in range(3)]
    merge = repo.commit_tree(tree, "merge", base, sides[0])
    evil = repo.commit_tree(repo("mktree", input=b""), "octopus", *sides)
    found = read(repo, merge, evil, base)
    assert [commit.touched for commit in found[:2]] == [(), ()]
    assert found[0].parents == (base, sides[0])
    assert found[1].parents == tuple(sides)
    assert len(found[2].touched) == 1


def test_empty_commits_and_odd_messages(git):
    repo = git.init()
    repo.commit("one", {"a": "1"})
    tree = repo("rev-parse", "HEAD^{tree}")
    head = repo("rev-parse", "HEAD")
    empty = repo.commit_tree(tree, "", head)
    colon = repo.commit_tree(tree, ":100644 not a diff line\n\n:000000 nor this", empty)
    latin = b"tree %s\nauthor a <a> 1 +0000\ncommitter a <a> 2 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n" % tree.encode()
    bad = b"tree %s\nauthor a <a> 1 +0000\ncommitter a <a> 3 +0000\n\ncaf\xe9\n" % tree.encode()
    oids = [repo("hash-object", "-t", "commit", "-w", "--stdin", input=raw) for raw in (latin, bad)]
    found = read(repo, empty, colon, *oids)
    assert [commit.subject for commit in found] == ["", ":100644 not a diff line", "caf\u00e9", "caf\ufffd"]
    assert found[1].body == ":000000 nor this"
    assert [commit.touched for commit in found[:2]] == [(), ()]


def test_odd_paths(odd):
    found = read(odd, *reachable(discover(str(odd.path)), "HEAD", 10))
    paths = {touched.path for touched in found[-1].touched}
    assert {b"new\nline", b"tab\there", b"-rf", b"caf\xe9 latin1", b'quo"te\\back'} <= paths
    assert (b"renamed.py", "R", b"plain.py") in found[2].touched
    assert found[1].touched == ((b"module", "M", b""),)


def test_shallow_edge_is_not_an_addition_of_everything(git):
    source = git.init("source")
    for number in range(5):
        source.commit(f"c{number}", {"a": str(number), f"f{number}": "x"})
    clone = git.clone(source, "clone", "--depth=2")
    found = discover(str(clone.path))
    assert found.shallow
    oids = reachable(found, found.head, 100)
    assert len(oids) == 2
    newest, edge = commits(found, oids)
    assert [touched.path for touched in newest.touched] == [b"a", b"f4"]
    assert (edge.subject, edge.parents, edge.touched) == ("c3", (), ())
    with pytest.raises(MissingObjects) as raised:
        list(commits(found, [source("rev-parse", "HEAD~3")]))
    assert raised.value.hint == "git fetch --unshallow"
    clone("worktree", "add", "-q", "--detach", "../linked")
    linked = discover(str(clone.path.parent / "linked"))
    assert linked.shallow and next(commits(linked, [edge.oid])).touched == ()
    clone("fetch", "-q", "--unshallow")
    assert len(reachable(discover(str(clone.path)), found.head, 100)) == 5


def test_missing_commits(git):
    repo = git.init()
    head = repo.commit("one", {"a": "1"})
    for absent in ("d" * 40, repo("rev-parse", "HEAD^{tree}")):
        reading = commits(discover(str(repo.path)), [head, absent, head])
        assert next(reading).oid == head
        with pytest.raises(MissingObjects, match=absent):
            next(reading)


def test_reachable(git):
    repo = git.init()
    base = repo.commit("base", {"a": "1"})
    repo("checkout", "-qb", "side")
    side = repo.commit("side", {"b": "1"})
    repo("checkout", "-q", "main")
    main = repo.commit("main", {"c": "1"})
    repo("merge", "-q", "--no-edit", "side")
    head = repo("rev-parse", "HEAD")
    found = discover(str(repo.path))
    assert reachable(found, head, 100) == [head, main, side, base]
    assert reachable(found, head, 2) == [head, main]
    assert reachable(found, side, 100) == [side, base]
    with pytest.raises(MissingObjects):
        reachable(found, "d" * 40, 10)


def test_linear_extension(git):
    repo = git.init()
    oids = [repo.commit(f"c{number}", {"a": str(number)}) for number in range(6)]
    found = discover(str(repo.path))
    assert is_linear_extension(found, oids[2], oids[5], 10) == [oids[5], oids[4], oids[3]]
    assert is_linear_extension(found, oids[2], oids[5], 3) == [oids[5], oids[4], oids[3]]
    assert is_linear_extension(found, oids[2], oids[5], 2) is None
    assert is_linear_extension(found, oids[2], oids[2], 2) == []
    assert is_linear_extension(found, oids[5], oids[2], 10) is None
    assert is_linear_extension(found, "d" * 40, oids[5], 10) is None
    tree = repo("rev-parse", "HEAD^{tree}")
    merge = repo.commit_tree(tree, "merge", oids[5], oids[3])
    after = repo.commit_tree(tree, "after", merge)
    assert is_linear_extension(found, oids[5], after, 10) is None
    assert is_linear_extension(found, merge, after, 10) == [after]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("", ("", "")),
        ("\n\n  s  \n", ("s", "")),
        ("s\n\nb\n\nc", ("s", "b")),
        ("s\n\nSigned-off-by: A <a>\nCo-authored-by: B <b>\nCc: x", ("s", "")),
        ("s\n\nwhy\nReviewed-by: A <a>", ("s", "why")),
        ("s\r\n\r\nb\r\n", ("s", "b")),
        ("s\n\nstand-by: read on\nNote that by: x", ("s", "Note that by: x")),
        ("s\n\nFixes: #12", ("s", "Fixes: #12")),
    ],
)
def test_split_message(message, expected):
    assert split_message(message) == expected


def test_a_commit_that_has_no_time_is_of_no_time(git):
    repo = git.init()
    repo.commit("one", {"a": "1"})
    tree = repo("rev-parse", "HEAD^{tree}")
    for committer in ("a <a>", "a <a> -5 +0000"):
        raw = f"tree {tree}\nauthor a <a> 1 +0000\ncommitter {committer}\n\nhi\n"
        oid = repo("hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=raw.encode())
        assert [(commit.time, commit.subject) for commit in read(repo, oid)] == [(0, "hi")]
        assert commit_time(discover(str(repo.path)), oid) == 0


def test_a_message_without_an_end_costs_as_much_as_it_is_long(git):
    repo = git.init()
    repo.commit("one", {"a": "1"})
    tree = repo("rev-parse", "HEAD^{tree}")
    raw = f"tree {tree}\nauthor a <a> 1 +0000\ncommitter a <a> 7 +0000\n\n".encode() + b"x" * (48 << 20)
    oid = repo("hash-object", "-t", "commit", "-w", "--literally", "--stdin", input=raw)
    started = time.process_time()
    (commit,) = read(repo, oid)
    assert len(commit.subject) == 48 << 20
    assert time.process_time() - started < 3  # half a second; looking at all of it for each piece takes twenty


def test_paragraphs_end_at_line_feeds_alone():
    found = split_message("a\u2028\u2028b\x0c\x0cc\r\n\r\nbody\x85\x85more\n")
    assert found == ("a\u2028\u2028b\x0c\x0cc", "body\x85\x85more")
