"""A file is replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from pytest import raises

from oracl_git import whole


def test_what_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole.write(str(path), b"one")
    with raises(OSError), whole.replacing(str(path)) as file:
        file.write(b"half of")
        raise OSError
    assert path.read_bytes() == b"one" and os.listdir(tmp_path) == ["file"]


def test_a_link_at_either_name_is_replaced(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"mine")
    path = tmp_path / "file"
    path.symlink_to(other)
    (tmp_path / f"file.{os.getpid()}.tmp").symlink_to(other)
    whole.write(os.fsencode(path), b"new")
    assert other.read_bytes() == b"mine" and path.read_bytes() == b"new" and not path.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]


def test_modes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole.write(str(path), b"", 0o600)
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o775)
    whole.write(str(path), b"", None)
    assert path.stat().st_mode & 0o777 == 0o775
