"""Edges by key: both directions, whole and by prefix; fragments as text."""

from __future__ import annotations

from typing import Any

import oracl_git
from oracl_git.recall.keys import keys_of


def test_every_edge_is_found_by_both_of_its_keys(git: Any, tmp_path: Any) -> None:
    repo = git.init(tmp_path / "r")
    repo.commit(
        "One",
        {
            "src/a.py": "import b\nfrom b import f\n",
            "src/b.py": "def f():\n    return 1\n",
            "docs/x>y.md": "[a](../src/a.py)\n",
            "tests/test_b.py": "import b\n",
        },
    )
    with oracl_git.open(str(repo.path)) as oracl:
        oracl.fresh()
        nodes = {node.id: node for node in oracl.index.all_nodes()}
        links = list(oracl.index.all_links())
        assert len(links) > 6
        for link in links:
            source, target = nodes[link.source], nodes[link.target]
            for key in keys_of(link, source, target):
                found = [edge for _, edge in oracl.edges(key)]
                assert link in found
                assert all(edge.relation == link.relation for edge in found)
        under = oracl.edges("core:a:")
        assert under and all(key.startswith("core:a:") for key, _ in under)
        assert {link.relation for key, link in under if key.startswith("core:a:src/a.py>")} == {"imports", "belongs_to"}
        assert oracl.edges("nothing:") == []


def test_a_fragment_is_its_lines(git: Any, tmp_path: Any) -> None:
    repo = git.init(tmp_path / "r")
    repo.commit("One", {"b.py": "x = 1\n\n\ndef f():\n    return 1\n"})
    with oracl_git.open(str(repo.path)) as oracl:
        assert oracl.resolve_fragment("b.py#L4-5") == "def f():\n    return 1"
        assert oracl.resolve_fragment("b.py#f") == "def f():\n    return 1"
        assert oracl.resolve_fragment("b.py#L1") == "x = 1"
