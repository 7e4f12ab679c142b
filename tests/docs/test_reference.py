"""The reference is generated, complete and current."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oracl_git.cli import VERBS, help
from oracl_git.graph import governance

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"
AGAIN = "make man writes it anew"


def test_the_command_line_reference_is_current() -> None:
    assert (REFERENCE / "cli.md").read_text(encoding="utf-8") == help.reference(), AGAIN


def test_the_man_page_is_current() -> None:
    assert (ROOT / "docs/man/git-oracl.1").read_text(encoding="utf-8") == help.man_page(), AGAIN


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_is_documented(verb: str) -> None:
    """Against what argparse itself says of the verb, not against our own reading of it."""
    page = (REFERENCE / "cli.md").read_text(encoding="utf-8")
    section = page.partition(f"### git oracl {verb}\n")[2].partition("\n### ")[0]
    assert section.strip(), f"{verb} has no section"
    parser = help.parser_of(verb)
    pages = [parser.format_help(), *(action.format_help() for action in help.actions(parser).values())]
    flags = {flag for text in pages for flag in re.findall(r"(?<![\w-])--?[a-z][\w-]*", text.partition("options:")[2])}
    flags = {flag for flag in flags if flag in {f for p in _all(parser) for a in p._actions for f in a.option_strings}}
    for flag in flags - {"-h", "--help"}:
        assert re.search(rf"(?<![\w-]){flag}(?![\w-])", section), f"{verb} {flag}"
    for each in _all(parser):
        for action in each._actions:
            assert action.help, f"{verb}: {action.dest} has no help"


def _all(parser: Any) -> list[Any]:
    return [parser, *help.actions(parser).values()]


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
def test_the_man_page_renders() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-ww", "-K", "utf8", str(ROOT / "docs/man/git-oracl.1")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr
    shown = re.sub(r"\x1b\[[\d;]*m|.\x08", "", done.stdout)
    for word in ("NAME", "search", "--impact", "EXIT STATUS", "oracl.historyDepth"):
        assert word in shown, word


def test_exit_codes_are_documented() -> None:
    page = (REFERENCE / "exit-codes.md").read_text(encoding="utf-8")
    for code, _ in help.EXIT_CODES:
        assert f"| {code} |" in page


def test_settings_are_documented() -> None:
    page = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "oracl_git").rglob("*.py"))
    for key in set(re.findall(r'settings\.get\("oracl\.(\w+)"', source)):
        assert f"oracl.{key}" in page.lower(), key
    for name in set(re.findall(r'environ\.get\("(ORACL_\w+)"', source)):
        assert f"`{name}`" in page, name
    for name in governance.FILES:
        assert name in page, name


def test_examples_of_tracked_files_are_believed() -> None:
    page = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    files = {}
    for body in re.findall(r"^```(?:toml|json)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        first, _, rest = body.partition("\n")
        files[first.lstrip("#/ ")] = rest.encode()
    assert set(files) == {name for name in governance.FILES if name.startswith(".agentlas/")}
    rules = governance.parse(files)
    assert not rules.problems
    assert rules.domains and rules.overrides and rules.constraints and rules.learned_edges and rules.learned_tags


def _keys(value: object, free: tuple[str, ...]) -> set[str]:
    """All keys of a JSON value, but not those inside tables whose keys are data."""
    if isinstance(value, list):
        return {key for item in value for key in _keys(item, free)}
    if isinstance(value, dict):
        inner = {key for name, item in value.items() if name not in free for key in _keys(item, free)}
        return set(value) | inner
    return set()


def test_every_key_of_every_json_output_is_documented(tmp_path: Path) -> None:
    page = (REFERENCE / "json.md").read_text(encoding="utf-8")
    shop = tmp_path / "shop"
    subprocess.run(["sh", str(ROOT / "examples/shop.sh"), str(shop)], check=True, capture_output=True)
    start = [sys.executable, "-c", "import sys; from oracl_git.cli import main; sys.exit(main())"]
    free = (
        "skipped",
        "tags",
        "relations",
        "kinds",
        "languages",
        "domains",
        "parameters",
        "evidence",
        "imports",
        "terms",
    )
    undocumented = set()
    for line in (
        "context discount", "learn", "session start one", "session decide yes --path shop/prices.py",
        "session ask shop/prices.py:1", "session ask --neighbours shop/prices.py", "session start two",
        "session show one",
        "init", "search discount --snippet", "related shop/prices.py", "update", "status", "doctor", "hub", "hub shop",
        "related --why shop/prices.py shop/cart.py", "trace shop/prices.py --in", "show shop/prices.py",
        "trace shop/cli.py --to shop/prices.py", "trace --impact shop/prices.py", "stats --deep --parameters --skipped",
        "graph rebuild --two-layer", "hooks install", "hooks status", "hooks uninstall", "check HEAD~1",
    ):  # fmt: skip
        words = line.split()
        done = subprocess.run([*start, *words, "--json"], cwd=shop, capture_output=True, text=True)
        assert done.returncode == 0, (words, done.stderr)
        undocumented |= {(words[0], key) for key in _keys(json.loads(done.stdout), free) if f"`{key}`" not in page}
    assert not undocumented
