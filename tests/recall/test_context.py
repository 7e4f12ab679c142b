"""Context: never over the budget, every line where it says it is and only once, the same each time."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracl_git
from oracl_git.recall.context import Context
from oracl_git.recall.tokens import estimate
from oracl_git.service import Oracl

QUESTIONS = ["where is the basket emptied", "basket", "apple pear plum", "Basket.take_3", "docs about fruit", "zzz",
             'File "shop/basket.py", line 30, in take_3', "filename:basket.py", "type:docs", "take_7 in shop/other.py",
             "fence", "long line", "shop/crlf.py"]  # fmt: skip
FENCES = "# Fences\n\n```sh\nls\n```\n\n`````\nfence in a fence\n`````\n"


def module(name: str, functions: int) -> str:
    rows = [f'"""The {name}: apples, pears and plums."""', "", "import os", "", "", f"class {name.title()}:",
            f'    """A {name}."""', ""]  # fmt: skip
    for number in range(functions):
        rows += [f"    def take_{number}(", "        self, apple: int,", "    ) -> int:",
                 f'        """Take plum {number} out of the {name}."""'] + \
                [f"        pear = apple + {line}  # the {name} is emptied" for line in range(number * 4)] + \
                ["        return apple", ""]  # fmt: skip
    return "\n".join(rows) + "\n"


RULES = (
    '"""The discount rules, in many words.\n\n' + "A discount of so many pears is a rule of ours, no apple. " * 16
    + '\n"""\n\nMOST = 3\n\n\ndef rule(number: int) -> int:\n' + "    number += 1\n" * 60 + "    return number\n"
)  # fmt: skip


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracl]:
    path = tmp_path_factory.mktemp("context") / "shop"
    files = {
        "shop/basket.py": module("basket", 12), "shop/other.py": module("other", 30),
        "shop/small.py": module("small", 1), "shop/rules.py": RULES,
        "docs/fruit.md": "# Fruit\n\n" + "An apple, a pear, a plum; the basket.\n" * 30 + "\n## Baskets\n\nEmpty.\n",
        "docs/fences.md": FENCES, "long.js": "const long_line = '" + "basket " * 9000 + "'\n",
        "shop/crlf.py": module("crlf", 3).replace("\n", "\r\n"), "empty.py": "",
        "shop/odd.py": "# basket \x0c \u2028 \x85\ndef odd_basket():\n    return 'basket'\n",
    }  # fmt: skip
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text.encode())
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "A basket"]):
        subprocess.run(["git", *words], cwd=path, check=True)
    with oracl_git.open(str(path)) as oracl:
        oracl.update()
        oracl.fill()  # or a worker does, between two answers that are to be the same
        yield oracl


def check(oracl: Oracl, packed: Context) -> None:
    """What must hold of every answer."""
    assert packed.tokens == estimate(packed.text) <= packed.budget
    heads = re.findall(r"^## (\S+)#L(\d+)-(\d+)( \(outline\))?$", packed.text, re.MULTILINE)
    assert [(h[0], int(h[1]), int(h[2])) for h in heads] == [(p.path, *p.lines) for p in packed.pieces]
    seen: set[tuple[str, int]] = set()
    for piece in packed.pieces:
        start, stop = piece.lines
        data = subprocess.run(
            ["git", "show", f"HEAD:{piece.path}"], cwd=oracl.repo.work_tree, capture_output=True, check=True
        ).stdout.decode()
        rows = [row.removesuffix("\r") for row in data.split("\n")]
        assert 1 <= start <= stop <= len(rows)
        lines = {(piece.path, line) for line in range(start, stop + 1)}
        assert not lines & seen, "a line is sent twice"
        seen |= lines
        if piece.form == "outline":
            for row in piece.text.split("\n"):
                assert row.strip() == "…" or any(whole.startswith(row) for whole in rows[start - 1 : stop])
            assert piece.text.strip("… \n"), "an outline says something"
        else:
            assert piece.text == "\n".join(rows[start - 1 : stop])
        assert piece.text in packed.text


@given(st.sampled_from(QUESTIONS), st.integers(1, 3000) | st.integers(3000, 40_000))
@settings(max_examples=120, deadline=None)
def test_never_over_the_budget(shop: Oracl, question: str, budget: int) -> None:
    packed = shop.context(question, budget=budget)
    check(shop, packed)
    assert packed == shop.context(question, budget=budget)


def test_definitions_are_whole_where_they_fit(shop: Oracl) -> None:
    packed = shop.context("where is the basket emptied", budget=4000)
    code = [p for p in packed.pieces if p.path.endswith(".py") and p.form == "whole"]
    assert code
    for piece in code:
        inside = {d[1:3] for d in shop.index.definitions(shop.index.node(piece.path).id) if d[3] != "constant"}  # type: ignore[union-attr]
        a, b = piece.lines
        assert all(a <= x and y <= b for x, y in inside if not (y < a or b < x) and not (x <= a and b <= y))
    assert packed.tokens > 2500, "the budget is used"


def test_a_body_that_does_not_fit_is_outlined(shop: Oracl) -> None:
    packed = shop.context("take_29 in shop/other.py", budget=420)
    outlines = [piece for piece in packed.pieces if piece.form == "outline"]
    assert outlines and any("def take_" in piece.text and "…" in piece.text for piece in outlines)
    assert packed.left_out


def test_an_outline_has_heads(shop: Oracl) -> None:
    """What defines a constant alone has none to show."""
    for budget in range(100, 700, 50):
        check(shop, shop.context("discount rules", budget=budget))


def test_a_fence_in_the_text_does_not_end_ours(shop: Oracl) -> None:
    packed = shop.context("fence in a fence", budget=2000, paths=["docs"])
    opened = [row for row in packed.text.splitlines() if row.startswith("``````")]
    assert len(opened) == 2, packed.text


@pytest.mark.parametrize("paths", [["docs"], ["docs/"], ["docs/*.md"], ["./docs", "nowhere"]])
def test_only_some_paths(shop: Oracl, paths: list[str]) -> None:
    packed = shop.context("basket", budget=3000, paths=paths)
    assert packed.pieces and all(piece.path.startswith("docs/") for piece in packed.pieces)


def test_from_the_shell(shop: Oracl) -> None:
    def run(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        code = "import sys; from oracl_git.cli import main; sys.exit(main(['context', *sys.argv[1:]]))"
        return subprocess.run(
            [sys.executable, "-c", code, *words], cwd=shop.repo.work_tree, input=stdin, capture_output=True
        )

    done = run("where is the basket emptied", "--budget", "900")
    assert done.returncode == 0 and done.stdout.decode() == shop.context("where is the basket emptied", budget=900).text
    assert b"did not fit in 900 tokens" in done.stderr
    assert run("-", stdin=b'Traceback\n  File "/x/shop/basket.py", line 30, in take_3\nKeyError').stdout.startswith(
        b"# Traceback"
    )
    import json

    data = json.loads(run("basket", "--json", "--budget", "900").stdout)
    assert data["tokens"] <= data["budget"] == 900 and data["fragments"] and data["left_out"]
    assert run("zzzyzx").returncode == 1
    assert run("").returncode == 2
    assert run("basket", "--budget", "0").returncode == 2


# -- tokens ------------------------------------------------------------------------------------


@given(st.text(max_size=200))
def test_an_estimate_is_bounded_by_bytes(text: str) -> None:
    assert 0 <= estimate(text) <= len(text.encode("utf-8", "replace"))
    assert (estimate(text) > 0) == bool(text.replace(" ", "")) or " " in text


@given(st.lists(st.text(max_size=60), max_size=8))
def test_parts_never_count_less_than_the_whole(parts: list[str]) -> None:
    lines = [part.replace("\n", " ") + "\n" for part in parts]
    assert estimate("".join(lines)) <= sum(map(estimate, lines)) + 1


# What three byte-pair encoders in use (100k, 200k and 65k entries) count at most, taken down once.
COUNTED = [
    ("def send(self, request: Request, *, stream: bool = False) -> Response:\n    return self._send(request)\n", 25),
    ("The request is sent as-is, unmodified. Typically you'll want to build one with `Client.build_request()`.\n", 24),
    ("日本語のテキストです。" * 5, 50), ("한국어 문장입니다. " * 5, 46), ("Ünïcödé wörds çà et là " * 5, 71),
    ("Привет, как дела? " * 5, 50), ("नमस्ते दुनिया " * 5, 80), ("🎈🎉🔥" * 5, 45), ("qzxvkjwpqmbtrz" * 3, 27),
    ("deadbeef0123456789abcdef" * 4, 32),
]  # fmt: skip


@pytest.mark.parametrize(("text", "count"), COUNTED)
def test_an_estimate_errs_upwards(text: str, count: int) -> None:
    assert count <= estimate(text) <= 3.2 * count


@pytest.mark.slow
def test_no_file_here_costs_more_than_estimated(tmp_path: Path) -> None:
    """Against a real encoder, fetched for this test, on every text file of this repository."""
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(tmp_path),
         "bpe-openai==0.1.4"], check=True,
    )  # fmt: skip
    root = Path(__file__).parents[2]
    code = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); import bpe_openai\n"
        "encoders = [bpe_openai.get_encoding(name) for name in ('cl100k_base', 'o200k_base')]\n"
        "for path in json.load(sys.stdin):\n"
        "    text = open(path, encoding='utf-8').read()\n"
        "    print(max(len(encoder.encode(text)) for encoder in encoders))\n"
    )
    import json

    files = [
        str(path) for path in sorted(root.rglob("*"))
        if path.suffix in (".py", ".md", ".toml", ".scm", ".sh", ".1") and not {".venv", "build"} & set(path.parts)
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], input=json.dumps(files), capture_output=True, text=True, check=True
    )
    counts = [int(row) for row in done.stdout.split()]
    assert len(counts) == len(files) > 150
    for path, count in zip(files, counts, strict=True):
        assert estimate(Path(path).read_text(encoding="utf-8")) >= count, path
