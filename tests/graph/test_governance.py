"""The tracked files that tune the graph come from anyone: they are read as written, and never take long."""

from __future__ import annotations

import random
import time

import pytest

from oracl_git.graph.governance import CONSTRAINTS, LEARNED_EDGES, LEARNED_TAGS, ORACL_TOML, parse
from oracl_git.graph.learned import loads

_OVERRIDE = "[[override]]\nusage = 7\npaths = ["


@pytest.mark.parametrize(
    "text",
    [
        "a." * 20_000 + "a = 1\n",
        "[" + "a . " * 20_000 + "a]\n",
        '"a".' * 20_000 + "a = 1\n",
        "a.'b' . " * 20_000 + "a = 1\n",
        "x = {" + "a." * 20_000 + "a = 1}\n",
    ],
    ids=["bare", "a table", "quoted", "mixed", "inline"],
)
def test_names_of_many_parts_are_not_read(text: str) -> None:
    started = time.process_time()
    (problem,) = parse({ORACL_TOML: text.encode()}).problems
    assert "parts (at line 1)" in problem
    assert time.process_time() - started < 2


def test_a_line_with_many_dots_is_no_such_name() -> None:
    paths = ", ".join(f'"src/module_{number}/a.b.py"' for number in range(400))
    found = parse({ORACL_TOML: f"{_OVERRIDE}{paths}] # {'.' * 100}\n".encode()})
    assert found.problems == () and found.overridden("src/module_399/a.b.py") == {"usage": 7}


def test_as_many_patterns_as_can_be_asked_of_every_path() -> None:
    many = ", ".join(f'"*a{number}*"' for number in range(6_000))
    text = f'{_OVERRIDE}{many}]\n[[override]]\nusage = 8\npaths = ["*.py"]\n'
    found = parse({ORACL_TOML: text.encode()})
    assert found.overridden("a5999.py") == {"usage": 8}
    assert found.problems == (f"{ORACL_TOML}: only the last 1 of 2 rules are read (5,000 patterns)",)
    rule = '[[constraint]]\nid = "{0}"\nrule = "r"\npaths = [{1}]\n'
    found = parse({CONSTRAINTS: (rule.format("few", '"a"') + rule.format("many", many)).encode()})
    assert [constraint.id for constraint in found.constraints] == ["few"]
    assert len(found.problems) == 1 and "5,000 patterns" in found.problems[0]


def test_a_path_that_many_lines_tag_is_read_in_time_that_grows_with_them() -> None:
    def text(count: int) -> bytes:
        rows = [f'"p": {{"t{n}": "x", "asked": {{"q{n}": 0.5}}}}' for n in range(count)]
        random.Random(count).shuffle(rows)
        return ("{" + ",\n".join(rows) + "}").encode()

    assert loads(text(37)) == {
        "p": {**{f"t{n}": "x" for n in range(37)}, "asked": {f"q{n}": 0.5 for n in range(37)}}
    }  # fmt: skip
    started = time.process_time()
    found = parse({LEARNED_TAGS: text(3_000)})
    assert len(found.learned_tags["p"]) == 3_000 and len(found.asked) == 2_000
    assert time.process_time() - started < 5  # a third of a second; a line at a time takes thirty


def test_owners_are_read_line_by_line_and_byte_by_byte() -> None:
    text = b"\xef\xbb\xbfdocs/ @d\nwith\\ space/ @s\n# words\xe2\x80\xa8* @nobody\r\n"
    text += b"caf\xe9.txt @l # note\x0c* @nobody\nfree\\ of/\n"
    owned = parse({"CODEOWNERS": text}).owned
    assert owned("docs/a") and owned("with space/a") and owned("caf\udce9.txt")
    assert not owned("src/a") and not owned("with") and not owned("free of/a")


def test_true_is_no_number() -> None:
    found = parse({ORACL_TOML: b'[[override]]\nusage = true\npaths = ["a"]\n'})
    assert found.overridden("a") == {} and len(found.problems) == 1
    found = parse({LEARNED_EDGES: b'[{"source": "a", "target": "b", "confidence": true}]'})
    assert found.learned_edges == {} and len(found.problems) == 1
