"""Every command in the documentation is run, page by page, on the repository that examples/shop.sh makes.

```console blocks hold `$ command` lines and what they print, ```sh blocks are a script;
`# exit N` after a command is the code it must end with. ```python blocks are run too.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(console|sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What sets up a machine: installed before the tests run, or what runs them.
NOT_HERE = re.compile(r"(pip|pipx|make)\b")


class Command(NamedTuple):
    """A piece of shell, and the exit code it must have."""

    text: str
    code: int


def commands(kind: str, body: str) -> list[Command]:
    """The commands of a block, in order."""
    if kind == "console":
        lines = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
    else:
        lines, rest = [], body.splitlines()
        while rest:  # a here-document belongs to the line that opens it
            lines.append(rest.pop(0))
            if mark := re.search(r"<< '(\w+)'", lines[-1]):
                while rest and lines[-1].splitlines()[-1] != mark[1]:
                    lines[-1] += "\n" + rest.pop(0)
    found = []
    for line in lines:
        expected = re.search(r"# exit (\d+)$", line)
        if line.strip() and not line.startswith("#") and not NOT_HERE.match(line):
            found.append(Command(line, int(expected[1]) if expected else 0))
    return found


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository of the tutorial, made once; pages get clones of their own."""
    path: Path = tmp_path_factory.mktemp("docs") / "made"
    subprocess.run(["sh", str(ROOT / "examples/shop.sh"), str(path)], check=True, capture_output=True, env=_env(path))
    return path


def _env(home: Path) -> dict[str, str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "ORACL_", "COLUMNS"))}
    return {
        **clean,
        "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"],
        "HOME": str(home.parent),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_EDITOR": "true",
        "LC_ALL": "C.UTF-8",
        "ORACL_SKIP": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_runs(page: Path, shop: Path, tmp_path: Path) -> None:
    work = tmp_path / "shop"
    subprocess.run(["git", "clone", "-q", str(shop), str(work)], check=True, env=_env(work))
    for key, value in (("user.name", "A U Thor"), ("user.email", "author@example.com")):
        subprocess.run(["git", "config", key, value], cwd=work, check=True, env=_env(work))
    env = {**_env(work), "PYTHONPATH": os.pathsep.join(filter(None, [str(work), os.environ.get("PYTHONPATH", "")]))}
    for kind, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            done = subprocess.run(
                [sys.executable, "-W", "error", "-c", body], cwd=work, env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, (body, done.stderr)
            continue
        for command in commands(kind, body):
            if page.name == "first-questions.md" and command.text.startswith(("sh examples/", "cd ")):
                continue  # that is `work`
            done = subprocess.run(
                ["bash", "-c", f"set -o pipefail; {command.text}"], cwd=work, env=env, capture_output=True, text=True,
                timeout=120,
            )  # fmt: skip
            assert done.returncode == command.code, (command, done.stdout, done.stderr)
            assert "Traceback" not in done.stderr, (command, done.stderr)


def test_pages_were_found() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert {"README.md", "docs/tutorial/first-questions.md", "docs/reference/cli.md"} <= names
    assert sum(len(commands(kind, body)) for page in PAGES for kind, body in BLOCK.findall(page.read_text())) > 80


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        goal = page.parent / path if path else page
        assert goal.exists(), f"{page.name} links {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in slugs, f"{page.name} links {target}"


def test_every_page_is_reached_from_the_readme() -> None:
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop().resolve()
        if page in seen:
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)", page.read_text(encoding="utf-8"))
        todo += [page.parent / target for target in links if not target.startswith("http")]
    docs = {page.resolve() for page in ROOT.glob("docs/**/*.md")}
    assert docs <= seen
