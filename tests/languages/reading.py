"""A tree of a few files, and where what they say leads: the helper of the tests of each language."""

from __future__ import annotations

import os
import sys
from textwrap import dedent

sys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))
import oracle
import rows

from oracl_git.extract.extractor import extract
from oracl_git.extract.facts import Facts
from oracl_git.extract.languages import language_of
from oracl_git.graph.names import Recorder
from oracl_git.graph.resolve import Resolution, resolve


def facts(path: str, text: str | bytes) -> Facts:
    """What one file says."""
    data = text if isinstance(text, bytes) else dedent(text).encode()
    return extract(data, language_of(path.encode()))


def definitions(path: str, text: str) -> list[tuple[str, str, int, int]]:
    """(name, kind, first line, last line) of what it defines."""
    return [tuple(d)[:4] for d in facts(path, text).definitions]


class Tree:
    """Files by their paths."""

    def __init__(self, files: dict[str, str]) -> None:
        self.facts = {path: facts(path, text) for path, text in files.items()}
        tree = oracle.Tree({path: rows.plain(f) for path, f in self.facts.items()}, rows.followed)
        self.names = Recorder(rows.Slow(tree), {})

    def follow(self, path: str, kind: str = "import") -> dict[str, object]:
        """`target` or `target name` of each import of a file → the paths it leads to, or how it does not."""
        found: dict[str, object] = {}
        for reference in self.facts[path].references:
            if reference.kind == kind:
                result: Resolution = resolve(self.facts[path].language, self.names, path, reference)
                said = f"{reference.target} {reference.name}".strip()
                found[said] = sorted({t.path for t in result.targets}) or result.how
        return found
