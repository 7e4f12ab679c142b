"""What tests of several languages build on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
import worlds

from oracl_git.git import discover
from oracl_git.store.index import Index
from oracl_git.store.update import update


@pytest.fixture
def edges(tmp_path: Path):
    """(relation, source, target) of every edge between the files of a tree, from a real index."""
    def build(files: dict[str, str]) -> set[tuple[str, str, str]]:
        repo = discover(str(worlds.found(tmp_path / "repo", [worlds.Commit(worlds.plain(files))])))
        update(repo)
        with Index(repo) as index:
            nodes = {node.id: node for node in index.all_nodes()}
            links = [(link.relation, nodes[link.source], nodes[link.target]) for link in index.all_links()]
        return {(relation, a.path, b.path) for relation, a, b in links if relation != "belongs_to"}

    return build
