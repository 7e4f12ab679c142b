"""Where the words of a file lead: to a line of another, when they say one."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import worlds

from oracl_git.git import discover
from oracl_git.recall.references import places
from oracl_git.store.index import Index
from oracl_git.store.update import update


def test_anchors_and_lines_of_links(tmp_path: Path) -> None:
    files = {
        "a.md": "[x](b.py#L2) [y](b.py#L2-L3) [z](b.py#L9) [t](c.md#two) [u](c.md#no) [v](b.py#L2x) [l](c.md#L1)\n",
        "b.py": "a = 1\nb = 2\nc = 3\n",
        "c.md": "# One\n\n## Two\n\n<a id='L1'></a>\n",
    }
    repo = discover(str(worlds.found(tmp_path / "repo", [worlds.Commit(worlds.plain(files))])))
    update(repo)
    with Index(repo) as index:
        node = index.node("a.md")
        assert node is not None
        found = {(t.path, t.symbol): t.line for place in places(index, node) for t in place.targets}
    assert found == {
        ("b.py", "L2"): 2, ("b.py", "L2-L3"): 2, ("b.py", "L9"): 0, ("b.py", "L2x"): 0,
        ("c.md", "two"): 3, ("c.md", "no"): 0, ("c.md", "L1"): 5,
    }  # fmt: skip
