"""Both back-ends read every repository alike, and neither touches anything else."""

from __future__ import annotations

import os

import pytest

from oracl_git.errors import GitFailed, MissingObjects, UsageError
from oracl_git.git import Change, Entry, GitObjects, commits, discover, open_objects, reachable
from oracl_git.git.libgit2 import Pygit2Objects
from oracl_git.git.objects import BATCH

BACKENDS = ("git", "pygit2")


def everything(objects, oids):
    """All that one back-end says about a chain of commits."""
    trees = [objects.tree_of(oid) for oid in oids]
    entries = [list(objects.entries(tree)) for tree in trees]
    changes = [list(objects.changes(old, new)) for old, new in zip([None, *trees], [*trees, trees[0]], strict=True)]
    blobs = sorted({entry.oid for leaves in entries for entry in leaves})
    return trees, entries, changes, list(objects.blobs(blobs)), list(objects.sizes(blobs))


def test_back_ends_agree(odd, odd_paths):
    found = discover(str(odd.path))
    oids = reachable(found, found.head, 100)[::-1]
    answers = []
    for backend in BACKENDS:
        with open_objects(found, backend) as objects:
            answers.append(everything(objects, oids))
    assert answers[0] == answers[1]
    _, entries, changes, blobs, sizes = answers[0]
    assert {entry.path for entry in entries[0]} >= set(odd_paths)
    contents = dict(blobs)
    for entry in entries[0]:
        if entry.path in odd_paths:
            assert contents[entry.oid] == b"content of " + entry.path + b"\0\xff\n"
    assert contents["1" * 40] is None
    modes = {entry.path: entry.mode for entry in entries[1]}
    assert (modes[b"link"], modes[b"script"], modes[b"module"]) == (0o120000, 0o100755, 0o160000)
    assert sizes == [(oid, None if data is None else len(data)) for oid, data in blobs]
    # added from nothing is the whole tree
    assert changes[0] == [Change(path, 0, "", mode, oid) for path, mode, oid in entries[0]]
    differ = {change.path: change for change in changes[2]}
    assert (differ[b"swap"].new_mode, differ[b"swap"].new_oid) == (0, "")
    assert (differ[b"swap/inside"].old_mode, differ[b"swap/inside"].old_oid) == (0, "")
    assert differ[b"swapped"].old_mode == 0 and differ[b"swapped/one"].new_mode == 0
    assert (differ[b"script"].old_mode, differ[b"script"].new_mode) == (0o100755, 0o100644)
    assert (differ[b"link"].old_mode, differ[b"link"].new_mode) == (0o120000, 0o100644)
    assert differ[b"plain.py"].new_mode == 0 and differ[b"renamed.py"].old_mode == 0
    assert [change.path for change in changes[3]] == [b"module"]
    assert [change.path for change in changes[4]] == [b"module"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_subdirectory_does_not_narrow_the_answers(git, backend, monkeypatch):
    repo = git.init()
    repo.commit("one", {"a/b": "1", "c": "2"})
    head = repo.commit("two", {"a/b": "2", "c": "3"})
    monkeypatch.chdir(repo.path / "a")
    with open_objects(discover(), backend) as objects:
        assert [entry.path for entry in objects.entries(objects.tree_of(head))] == [b"a/b", b"c"]
        old, new = objects.tree_of(head + "~1"), objects.tree_of(head)
        assert [change.path for change in objects.changes(old, new)] == [b"a/b", b"c"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_submodules_told_to_be_ignored_are_not(git, backend):
    repo = git.init()
    repo.commit("one", {".gitmodules": '[submodule "m"]\n\tpath = m\n\turl = x\n\tignore = all\n'})
    for digit in "12":
        repo("update-index", "--add", "--cacheinfo", f"160000,{digit * 40},m")
        repo("commit", "-qm", digit)
    with open_objects(discover(str(repo.path)), backend) as objects:
        old, new = objects.tree_of(repo("rev-parse", "HEAD~1")), objects.tree_of(repo("rev-parse", "HEAD"))
        assert list(objects.changes(old, new)) == [Change(b"m", 0o160000, "1" * 40, 0o160000, "2" * 40)]


@pytest.mark.parametrize("backend", BACKENDS)
def test_trees_old_tools_wrote(git, backend):
    repo = git.init()
    blob = repo("hash-object", "-w", "--stdin", input=b"x")
    raw = b"100664 a\0" + bytes.fromhex(blob) + b"100775 b\0" + bytes.fromhex(blob)
    old = repo("hash-object", "-t", "tree", "-w", "--literally", "--stdin", input=raw)
    new = repo("mktree", input=f"100644 blob {blob}\ta\n100755 blob {blob}\tb\n".encode())
    empty = repo("mktree", input=b"")
    with open_objects(discover(str(repo.path)), backend) as objects:
        assert list(objects.entries(old)) == [Entry(b"a", 0o100644, blob), Entry(b"b", 0o100755, blob)]
        assert list(objects.changes(old, new)) == []
        assert list(objects.entries(empty)) == []
        assert [change.path for change in objects.changes(new, empty)] == [b"a", b"b"]
        assert list(objects.changes(None, empty)) == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_very_deep_trees(git, backend):
    repo = git.init()
    blob = repo("hash-object", "-w", "--stdin", input=b"x")
    depth = 1500  # deeper than Python recurses; git itself stops at 2048
    lines = [f"blob\nmark :1\ndata 1\nx\ncommit refs/heads/main\ncommitter a <a> 1 +0000\ndata 0\nM 100644 {blob} "]
    repo("fast-import", "--quiet", input=(lines[0] + "d/" * depth + "f\n\n").encode())
    head = repo("rev-parse", "main")
    with open_objects(discover(str(repo.path)), backend) as objects:
        tree = objects.tree_of(head)
        assert [entry.path for entry in objects.entries(tree)] == [b"d/" * depth + b"f"]
        assert len(list(objects.changes(repo("mktree", input=b""), tree))) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_blobs_come_in_the_order_asked_whatever_their_size(git, backend):
    repo = git.init()
    contents = [os.urandom(1 << 20), b"", b"\n", b"x" * 100_000, b"missing\n"]
    oids = [repo("hash-object", "-w", "--stdin", input=data) for data in contents]
    absent = "d" * 40
    asked = [*oids, absent, *oids[::-1]] * 3
    known = dict(zip(oids, contents, strict=True))
    with open_objects(discover(str(repo.path)), backend) as objects:
        assert list(objects.blobs(iter(asked))) == [(oid, known.get(oid)) for oid in asked]
        assert list(objects.sizes(asked)) == [(oid, len(known[oid]) if oid in known else None) for oid in asked]
        assert list(objects.blobs([])) == []
        abandoned = objects.blobs(oids * 100)
        next(abandoned)
        abandoned.close()
        many = objects.sizes([oids[1]] * (BATCH + 5))  # more names than a pipe, or a batch, holds
        assert sum(size == 0 for _, size in many) == BATCH + 5
        tree = objects.tree_of(repo.commit("x", {"a": "1"}))
        assert list(objects.blobs([tree])) == [(tree, None)]


def test_choice(git, monkeypatch):
    repo = git.init()
    found = discover(str(repo.path))
    assert isinstance(open_objects(found), GitObjects)
    assert isinstance(open_objects(found, "pygit2"), Pygit2Objects)
    monkeypatch.setenv("ORACL_BACKEND", "pygit2")
    assert isinstance(open_objects(found), Pygit2Objects)
    assert isinstance(open_objects(found, "git"), Pygit2Objects)
    monkeypatch.setenv("ORACL_BACKEND", "svn")
    with pytest.raises(UsageError, match="svn"):
        open_objects(found)


def test_sha256(git):
    repo = git.init("repo", "--object-format=sha256")
    first = repo.commit("one", {"a/b": "1", "c": "x" * 100})
    head = repo.commit("two", {"a/b": "2"})
    found = discover(str(repo.path))
    assert (found.object_format, found.head) == ("sha256", head)
    assert len(head) == 64
    with open_objects(found) as objects:
        assert isinstance(objects, GitObjects)
        (change,) = objects.changes(objects.tree_of(first), objects.tree_of(head))
        assert change.path == b"a/b" and len(change.new_oid) == 64
        assert list(objects.blobs([change.new_oid, "d" * 64])) == [(change.new_oid, b"2"), ("d" * 64, None)]
    assert [commit.oid for commit in commits(found, [head, first])] == [head, first]
    with pytest.raises(GitFailed, match="sha256"):
        open_objects(found, "pygit2")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_partial_clone_never_fetches(git, backend, object_format):
    if backend == "pygit2" and object_format == "sha256":
        pytest.skip("libgit2 reads SHA-1 only")
    source = git.init("source", f"--object-format={object_format}")
    source("config", "uploadpack.allowFilter", "true")
    source.commit("one", {"a": "1\n" * 50, "b": "2\n"})
    source("mv", "a", "moved")
    head = source.commit("two", {"moved": "1\n" * 49 + "3\n"})
    clone = git.clone(source, "clone", "--no-checkout", "--filter=blob:none")
    found = discover(str(clone.path))
    with open_objects(found, backend) as objects:
        entries = list(objects.entries(objects.tree_of(head)))
        assert [entry.path for entry in entries] == [b"b", b"moved"]
        oids = [entry.oid for entry in entries]
        assert list(objects.blobs(oids)) == [(oid, None) for oid in oids]
        assert list(objects.sizes(oids)) == [(oid, None) for oid in oids]
        assert len(list(objects.changes(objects.tree_of(head + "~1"), objects.tree_of(head)))) == 2
    # by content it would be one rename; without the contents it is what the ids say
    assert [touched.status for touched in next(commits(found, [head])).touched] == ["D", "A"]
    assert len(list((clone.path / ".git/objects/pack").glob("*.pack"))) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_missing_trees_are_an_error_with_a_way_out(git, backend):
    source = git.init("source")
    source("config", "uploadpack.allowFilter", "true")
    source.commit("one", {"d/e/a": "1"})
    head = source.commit("two", {"d/e/a": "2"})
    clone = git.clone(source, "clone", "--no-checkout", "--filter=tree:1")
    found = discover(str(clone.path))
    with open_objects(found, backend) as objects:
        with pytest.raises(MissingObjects) as raised:
            list(objects.entries(objects.tree_of(head)))
        assert raised.value.hint == "git fetch --refetch --no-filter"
        with pytest.raises(MissingObjects):
            list(objects.changes(objects.tree_of(head + "~1"), objects.tree_of(head)))
        with pytest.raises(MissingObjects):
            list(objects.changes(None, objects.tree_of(head)))
        with pytest.raises(MissingObjects):
            objects.tree_of("d" * 40)
    with pytest.raises(MissingObjects):
        list(commits(found, [head]))
    clone("fetch", "-q", "--refetch", "--no-filter")
    with open_objects(discover(str(clone.path)), backend) as objects:
        assert [entry.path for entry in objects.entries(objects.tree_of(head))] == [b"d/e/a"]
    assert len(list(commits(found, [head]))) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_sparse_index_does_not_matter(git, backend):
    repo = git.init()
    head = repo.commit("one", {"in/a": "1", "out/b": "2", "out/deep/c": "3"})
    repo("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not (repo.path / "out").exists()
    with open_objects(discover(str(repo.path)), backend) as objects:
        assert [entry.path for entry in objects.entries(objects.tree_of(head))] == [b"in/a", b"out/b", b"out/deep/c"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_damaged_index_does_not_matter(git, backend):
    repo = git.init()
    first = repo.commit("one", {"a": "1"})
    head = repo.commit("two", {"a": "2"})
    (repo.path / ".git/index").write_bytes(b"garbage")
    found = discover(str(repo.path))
    with open_objects(found, backend) as objects:
        assert len(list(objects.changes(objects.tree_of(first), objects.tree_of(head)))) == 1
    assert len(list(commits(found, [head]))) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_replace_refs_and_grafts_do_not_matter(git, backend):
    repo = git.init()
    first = repo.commit("one", {"a": "1"})
    head = repo.commit("two", {"a": "2"})
    other = repo.commit("three", {"b": "3"})
    blob = repo("rev-parse", f"{head}:a")
    repo("replace", head, other)
    repo("replace", blob, repo("rev-parse", f"{other}:b"))
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/grafts").write_text(f"{head}\n")
    found = discover(str(repo.path))
    with open_objects(found, backend) as objects:
        assert list(objects.entries(objects.tree_of(head))) == [Entry(b"a", 0o100644, blob)]
        assert list(objects.blobs([blob])) == [(blob, b"2")]
    assert reachable(found, head, 10) == [head, first]
    (commit,) = commits(found, [head])
    assert (commit.subject, commit.parents, commit.touched) == ("two", (first,), ((b"a", "M", b""),))
