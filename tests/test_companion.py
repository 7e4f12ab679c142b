"""What documents name is found among any number of files of that name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import worlds

from oracl_git.companion import GraphNames
from oracl_git.service import Oracl


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files: worlds.Tree = {b"p%03d/__init__.py" % n: ("100644", b"x%d = 1\n" % n) for n in range(230)}
    files[b"zoo/deep/__init__.py"] = ("100644", b"z = 1\n")
    files[b"a.py"] = ("100644", b"def run(x):\n    return x\n\n\n" * 9)
    files[b"b.py"] = ("100644", b"def run():\n    pass\n")
    top = tmp_path_factory.mktemp("crowd")
    base = worlds.found(top / "base", [worlds.Commit(files)])
    subprocess.run(["git", "clone", "-q", base, str(top / "clone")], check=True)
    return top / "clone"


def test_a_path_is_found_behind_two_hundred_of_its_name(crowd: Path) -> None:
    with Oracl.at(str(crowd)) as oracl:
        oracl.update()
        names = GraphNames(oracl.index)
        assert names.by_path("deep/__init__.py") == ["zoo/deep/__init__.py"]
        assert names.by_path("p000/__init__.py") == ["p000/__init__.py"]


def test_one_file_does_not_hide_another_that_defines_the_name(crowd: Path) -> None:
    with Oracl.at(str(crowd)) as oracl:
        oracl.update()
        assert sorted(GraphNames(oracl.index).by_symbol("run")) == ["a.py", "b.py"]
