"""A repository that holds everything a tree can hold."""

from __future__ import annotations

import os

import pytest

ODD_PATHS = [
    b"plain.py",
    b"new\nline",
    b"tab\there",
    b"-rf",
    b"--end",
    b"caf\xe9 latin1",
    "caf\u00e9 utf8".encode(),
    b'quo"te\\back',
    b":(top)magic",
    b" lead and trail ",
    b"dir/a",
    b"dir.b",
    b"dir-c",
    b"dir/sub/deep/x",
    b"*",
    "\u202egpj.exe".encode(),
]


@pytest.fixture
def odd_paths():
    return ODD_PATHS


@pytest.fixture
def odd(git):
    """A small history with everything a tree can hold."""
    repo = git.init()
    for path in ODD_PATHS:
        repo.write(path, b"content of " + path + b"\0\xff\n")
    repo.write("empty", b"")
    repo.write("script", "#!/bin/sh\n")
    os.chmod(repo.path / "script", 0o755)
    os.symlink("/etc/passwd", repo.path / "link")
    repo.write("swap", "a file")
    repo.write("swapped/one", "1")
    repo.write("swapped/two", "2")
    repo.commit("everything")
    gitlink = "1" * len(repo("rev-parse", "HEAD"))
    repo("update-index", "--add", "--cacheinfo", f"160000,{gitlink},module")
    repo("commit", "-qm", "a submodule")
    (repo.path / "swap").unlink()
    repo.write("swap/inside", "now a directory")
    repo("rm", "-rqf", "--cached", "swapped")
    os.remove(repo.path / "swapped/one")
    os.remove(repo.path / "swapped/two")
    os.rmdir(repo.path / "swapped")
    repo.write("swapped", "now a file")
    os.chmod(repo.path / "script", 0o644)
    os.remove(repo.path / "link")
    repo.write("link", "now a file")
    (repo.path / "plain.py").rename(repo.path / "renamed.py")
    repo("add", "-A", "--", ".", ":!module")
    repo("commit", "-qm", "all of it differs")
    repo("update-index", "--cacheinfo", f"160000,{gitlink.replace('1', '2')},module")
    repo("commit", "-qm", "the submodule moved")
    repo("rm", "-q", "--cached", "module")
    repo("commit", "-qm", "the submodule went")
    return repo
