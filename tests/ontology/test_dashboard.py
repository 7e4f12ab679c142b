"""The page of the ontology: what is in it, that nothing in it runs or is fetched, and how a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .conftest import World

CHROMIUM = shutil.which("chromium")
HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">&amp;"
OPEN = f"# Project Helios\n\nProject Helios depends on Project Selene. {HOSTILE}\n"
SECRET = "# Project Kraken\n\nProject Kraken depends on Project Selene. The vault opens with periwinkle.\n"


@pytest.fixture
def filled(world: World) -> World:
    world.write("docs/open.md", OPEN)
    world.write("docs/secret.md", SECRET)
    world.write("docs/broken.pdf", "%PDF-1.4 broken")
    world.register("docs")
    world.register("docs/secret.md", "private")
    world.ingest()
    for words in ("what does Project Helios depend on", "what opens the vault periwinkle"):
        world.run("ontology", "query", words, "--no-code", "--private", "--record-memory")
    return world


def page(world: World, *args: str) -> str:
    place = Path(json.loads(world.run("dashboard", "--json", *args))["page"])
    assert place.stat().st_mode & 0o077 == 0
    return place.read_text()


def held(text: str) -> Any:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert match
    return json.loads(match[1])


def test_the_page_shows_what_is_held(filled: World) -> None:
    data = held(page(filled))
    assert [(row["uri"], row["status"]) for row in data["sources"]] == [
        ("docs/broken.pdf", "parser_error"), ("docs/open.md", "parsed"),
    ]  # fmt: skip
    assert {node["name"] for node in data["graph"]["nodes"]} == {"Project Helios", "Project Selene", "docs/open.md"}
    told = {(edge["relation"], edge["evidence"].partition(" ")[0]) for edge in data["graph"]["edges"]}
    assert ("depends_on", "docs/open.md") in told
    known = {node["id"] for node in data["graph"]["nodes"]}
    assert all(edge["source"] in known and edge["target"] in known for edge in data["graph"]["edges"])
    (ticket,) = data["tickets"]
    assert ticket["evidence"] and f"git oracl curate approve {ticket['id']} --reason" in ticket["commands"][1]


def test_private_things_are_in_it_only_when_asked_for(filled: World) -> None:
    assert not re.search("Kraken|periwinkle|secret", page(filled))
    text = page(filled, "--private")
    assert "Project Kraken" in text and "periwinkle" in text and len(held(text)["tickets"]) == 2


def test_nothing_in_it_runs_but_its_own_script_and_nothing_is_fetched(filled: World) -> None:
    text = page(filled)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    for name in ("script", "style"):
        (body,) = re.findall(rf"<{name}>(.*?)</{name}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert text.count("<script") == 2 and "<img" not in text and "document.title" not in text.partition("<script>")[2]
    assert set(re.findall(r"https?://[^\s\"']*", text)) == {"http://www.w3.org/2000/svg"}  # a name, not an address
    assert HOSTILE[:9] in json.dumps(held(text))


def test_it_is_the_same_each_time_and_git_leaves_it_out(filled: World) -> None:
    assert page(filled) == page(filled)
    assert "ontology-gui" not in filled.git("status", "--short", "-uall")


def test_a_link_in_its_place_is_not_followed(filled: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (filled.path / ".agentlas/ontology-gui").symlink_to(tmp_path / "elsewhere")
    filled.run("dashboard", code=128)
    assert "symlink" in filled.err and not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium")
@pytest.mark.parametrize(("view", "shown"), [
    ("overview", "Shown: public, internal."), ("graph", ">Project Selene</text>"), ("sources", "docs/broken.pdf"),
    ("query", "git oracl ontology query -n 10 -- ''"), ("memory", "git oracl curate approve tkt_"),
    ("commands", "git oracl curate apply"),
])  # fmt: skip
def test_a_browser_shows_it(filled: World, view: str, shown: str) -> None:
    page(filled)
    place = filled.path / ".agentlas/ontology-gui/index.html"
    assert CHROMIUM
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom")
    done = subprocess.run(
        [CHROMIUM, *options, f"{place.as_uri()}#{view}"], capture_output=True, text=True, timeout=120, check=True,
        env=filled.env,
    )  # fmt: skip
    drawn = re.search(r"<main[^>]*>(.*)</main>", done.stdout, re.S)
    assert drawn and shown in drawn[1] and "<title>Ontology</title>" in done.stdout
