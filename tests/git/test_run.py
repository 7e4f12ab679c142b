"""No repository can make us run its programs, and no process is left behind."""

from __future__ import annotations

import os
import signal
import stat
import threading

import pytest

from oracl_git.errors import GitFailed, MissingObjects
from oracl_git.git import commits, discover, is_linear_extension, open_objects, reachable, resolve_commit, run, settings
from oracl_git.git.run import Stream, environment, failure
from oracl_git.git.run import git as run_git


@pytest.mark.parametrize("backend", ["git", "pygit2"])
def test_no_program_named_by_a_repository_runs(git, backend):
    repo = git.init()
    text = "line\n" * 30
    first = repo.commit("one", {"a.txt": text, "b.txt": "x", ".gitattributes": "* diff=evil filter=evil\n"})
    repo("mv", "a.txt", "c.txt")
    head = repo.commit("two", {"c.txt": text + "more\n"})
    trap = repo.path.parent / "trap.sh"
    sprung = repo.path.parent / "sprung"
    trap.write_text(f"#!/bin/sh\necho $0 $* >>'{sprung}'\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    hooks = repo.path.parent / "evil-hooks"
    hooks.mkdir()
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        (hooks / name).symlink_to(trap)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.gitProxy",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "gpg.program",
        "pager.log",
        "pager.config",
        "credential.helper",
        "alias.rev-parse",
    ):
        repo("config", key, str(trap))
    repo("config", "core.hooksPath", str(hooks))
    repo("config", "log.showSignature", "true")
    sprung.unlink(missing_ok=True)

    found = discover(str(repo.path))
    settings(found)
    assert resolve_commit(found, "HEAD") == head
    assert reachable(found, head, 10) == [head, first]
    assert is_linear_extension(found, first, head, 10) == [head]
    assert len(list(commits(found, [head, first]))) == 2
    with open_objects(found, backend) as objects:
        tree = objects.tree_of(head)
        assert len(list(objects.changes(objects.tree_of(first), tree))) == 2
        oids = [entry.oid for entry in objects.entries(tree)]
        assert all(data is not None for _, data in objects.blobs(oids))
        assert all(size is not None for _, size in objects.sizes(oids))
    run_git(found, "ls-files", index=True)
    run_git(found, "status", "--porcelain", "-z", "--ignore-submodules=all", index=True, check=False)
    assert not (sprung.exists() and b"fsmonitor" in sprung.read_bytes())
    repo("config", "core.fsmonitor", str(trap))
    repo("ls-files")
    assert sprung.exists(), "the trap works"


def test_git_config_of_display_does_not_matter(git):
    repo = git.init()
    repo.commit("one", {"a": "1\n" * 30})
    repo("mv", "a", "b")
    head = repo.commit("two")
    order = repo.path / "order"
    order.write_text("zzz\n")
    for key, value in {
        "diff.renames": "false",
        "diff.noprefix": "true",
        "diff.orderFile": str(order),
        "diff.relative": "true",
        "diff.renameLimit": "1",
        "log.showRoot": "false",
        "log.decorate": "full",
        "log.diffMerges": "separate",
        "core.abbrev": "5",
        "core.quotePath": "true",
        "color.ui": "always",
        "format.pretty": "fuller",
        "i18n.logOutputEncoding": "UTF-16",
    }.items():
        repo("config", key, value)
    newest, root = commits(discover(str(repo.path)), [head, repo("rev-parse", "HEAD~1")])
    assert newest.touched == ((b"b", "R", b"a"),)
    assert (root.subject, root.touched) == ("one", ((b"a", "A", b""),))


def test_environment(git, monkeypatch):
    repo = git.init()
    found = discover(str(repo.path))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/tmp/other")
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", "/tmp/objects")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'oracl.x=1'")
    env = environment(found)
    assert env["GIT_DIR"] == found.git_dir
    assert env["GIT_WORK_TREE"] == found.work_tree
    assert not os.path.exists(env["GIT_INDEX_FILE"])
    assert env["GIT_OBJECT_DIRECTORY"] == "/tmp/objects"
    assert env["GIT_CONFIG_PARAMETERS"] == "'oracl.x=1'"
    assert env["GIT_NO_REPLACE_OBJECTS"] == env["GIT_NO_LAZY_FETCH"] == "1"
    assert env["GIT_TERMINAL_PROMPT"] == env["GIT_OPTIONAL_LOCKS"] == "0"
    assert environment(found, index=True)["GIT_INDEX_FILE"] == "/tmp/other"
    assert environment(None)["GIT_DIR"] == "/nowhere"


def test_objects_of_a_push_in_progress(git, monkeypatch):
    """During pre-receive the new objects are in a directory of their own."""
    repo = git.init()
    repo.commit("one", {"a": "1"})
    found = discover(str(repo.path))
    quarantine = repo.path.parent / "quarantine"
    quarantine.mkdir()
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(quarantine))
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", str(repo.path / ".git/objects"))
    new = repo("hash-object", "-w", "--stdin", input=b"new")
    old = repo("rev-parse", "HEAD:a")
    with open_objects(found) as objects:
        assert list(objects.blobs([new, old])) == [(new, b"new"), (old, b"1")]


def test_a_git_that_was_interrupted_interrupts_us():
    with pytest.raises(KeyboardInterrupt):
        failure(None, ("log",), -signal.SIGINT, b"")
    assert "signal 9" in str(failure(None, ("log",), -signal.SIGKILL, b""))


def test_failures_are_sentences(git):
    repo = git.init()
    head = repo.commit("one", {"a": "1"})
    found = discover(str(repo.path))
    with pytest.raises(GitFailed) as raised:
        run_git(found, "rev-list", "--no-such-option", head)
    assert "\n" not in raised.value.message and not isinstance(raised.value, MissingObjects)
    assert run_git(found, "rev-list", "--no-such-option", head, check=False) == b""
    assert run_git(found, "cat-file", "--batch-check", input=b"HEAD\n").startswith(head.encode())


def test_a_stream_takes_and_gives_what_no_pipe_holds(git, monkeypatch):
    """Its input, its output and its complaints; and no thread sees to it, which could find no memory and hang."""
    monkeypatch.setattr(threading.Thread, "start", None)
    made = git.init()
    (made.path / "a").write_text("1\n")
    made("add", "-A")
    made("commit", "-q", "-m", "One")
    repo = discover(str(made.path))
    asked = b"HEAD:a\n" * 60_000
    with Stream(repo, "cat-file", "--batch-check", "--buffer", input=asked) as stream:
        assert len(stream.stdout.read().splitlines()) == 60_000
        stream.finish()
    with Stream(repo, "check-attr", "-z", "--stdin", "--bogus", input=asked) as stream:
        assert stream.stdout.read() == b""
        assert "bogus" in stream.failed().message
    lines = "yes complaint | head -n 40000 >&2; yes output | head -n 40000; exit 3"
    with Stream(repo, "-c", f"alias.talk=!{lines}", "talk") as stream:
        assert stream.stdout.read() == b"output\n" * 40_000
        assert "complaint" in stream.failed().message


def test_a_stream_ends_when_it_is_left(git):
    repo = git.init()
    blob = repo("hash-object", "-w", "--stdin", input=os.urandom(1 << 20))
    found = discover(str(repo.path))
    asked = f"{blob}\n".encode() * 5000
    with Stream(found, "cat-file", "--batch", "--buffer", input=asked) as stream:
        assert stream.stdout.readline().split()[0] == blob.encode()
    assert stream._process.returncode is not None
    with Stream(found, "no-such-command", input=asked) as stream:
        assert list(stream.records()) == []
        with pytest.raises(GitFailed, match="no-such-command"):
            stream.finish()


@pytest.mark.parametrize(
    "place", [".git/HEAD", ".git/config", ".git/packed-refs", ".git/index", ".git/refs/heads/main", ".git/info/exclude",
              ".git/objects/info/alternates", "sub/.gitattributes"],
)  # fmt: skip
def test_git_waits_for_nothing_that_has_no_end(git, monkeypatch, place):
    repo = git.init()
    repo.commit("one", {"sub/a.txt": "a", "b.txt": "b"})
    repo.write("sub/a.txt", "changed")
    found = discover(str(repo.path))
    (repo.path / place).unlink(missing_ok=True)
    os.mkfifo(repo.path / place)
    monkeypatch.setattr(run, "_PATIENCE", 0.3)
    with pytest.raises(GitFailed) as failed:
        discover(str(repo.path / "sub"))
        run_git(found, "status", "--porcelain", index=True, cwd=found.work_tree)
        run_git(found, "diff", index=True, cwd=found.work_tree)
    assert failed.value.message == f"git waits for {repo.path / place}, which is no file"
    if place == ".git/packed-refs":
        with pytest.raises(GitFailed, match="waits"), Stream(found, "for-each-ref") as stream:
            stream.finish()


def test_git_that_is_slow_is_waited_for(git, monkeypatch):
    repo = git.init()
    repo.commit("one", {"a.txt": "a"})
    os.mkfifo(repo.path / "pipe")
    monkeypatch.setattr(run, "_PATIENCE", 0.05)
    found = discover(str(repo.path))
    slow = ("-c", "alias.slow=!sleep 0.5; echo done", "slow")
    assert run_git(found, *slow, input=b"said") == b"done\n"
    with Stream(found, *slow) as stream:
        assert stream.stdout.read() == b"done\n"
        stream.finish()
