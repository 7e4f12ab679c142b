"""The page of the ontology: what is in it, that nothing in it runs or is fetched, and how a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from oracl_git.ontology import drawing

from .browser import CHROMIUM, Browser, browsing
from .conftest import World

HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">&amp;"
OPEN = f"# Project Helios\n\nProject Helios depends on Project Selene,\nas all of it does: {HOSTILE}\n"
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


def graph(data: Any) -> tuple[dict[str, str], list[tuple[str, str, str, str]]]:
    """(name → kind, edges by name) of the graph in a page."""
    drawn = data["graph"]
    names = [row[0] for row in drawn["nodes"]]
    return {name: drawn["kinds"][kind] for name, kind, *_ in drawn["nodes"]}, [
        (names[source], drawn["relations"][relation], names[target], where)
        for source, relation, target, where in drawn["edges"]
    ]  # fmt: skip


CODE: dict[str, str | bytes] = {
    "shop/cart.py": "from shop import prices\n\n\ndef total() -> int:\n    return prices.of()\n",
    "shop/prices.py": "def of() -> int:\n    return 3\n",
    "shop/__init__.py": "",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total() -> None:\n    assert total()\n",
    "docs/guide.md": "# Guide\n\nProject Helios sums in `shop/cart.py`.\n",
    "docs/secret.md": "# Project Kraken\n\nProject Kraken depends on Project Selene, see `shop/prices.py`.\n",
}


@pytest.fixture
def shop(world: World) -> World:
    world.commit(CODE)
    world.register("docs")
    world.register("docs/secret.md", "private")
    world.ingest()
    return world


def test_the_graph_holds_files_domains_and_what_documents_name(shop: World) -> None:
    data = held(page(shop))
    nodes, edges = graph(data)
    assert nodes["shop/cart.py"] == "code" and nodes["tests/test_cart.py"] == "tests" and nodes["docs/guide.md"] == "docs"
    assert nodes["shop"] == "hub" and ("shop/cart.py", "belongs_to", "shop", "") in edges
    assert ("shop/cart.py", "imports", "shop/prices.py", "L1") in edges
    (document,) = (edge for edge in edges if edge[1] == "documents")
    assert document[0] == "docs/guide.md" and document[2] == "shop/cart.py" and document[3].endswith(": shop/cart.py")
    assert ("docs/guide.md", "names", "Project Helios", "1 times") in edges
    assert data["graph"]["commit"] == shop.git("rev-parse", "HEAD")


def test_a_private_document_that_git_tracks_is_no_file_of_the_graph(shop: World) -> None:
    assert not re.search("Kraken|secret", page(shop))
    nodes, edges = graph(held(page(shop, "--private")))
    assert nodes["docs/secret.md"] == "docs" and "Project Kraken" in nodes
    assert {edge[0] for edge in edges if edge[1] == "documents"} == {"docs/guide.md", "docs/secret.md"}


def test_what_is_left_out_of_a_large_graph_is_said(shop: World, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = held(page(shop))["graph"]
    files = sum(whole["kinds"][kind] in ("code", "tests", "docs", "config") for _, kind, *_ in whole["nodes"])
    assert whole["of"]["files"] == [files, files] and whole["of"]["edges"] == [len(whole["edges"])] * 2
    hubs = whole["of"]["domains"][0]
    monkeypatch.setattr(drawing, "NODES", hubs + whole["of"]["names"][0] + 2)
    monkeypatch.setattr(drawing, "EDGES", 1)
    monkeypatch.chdir(shop.path)
    from oracl_git.cli import main

    assert main(["dashboard"]) == 0
    cut = held((shop.path / ".agentlas/ontology-gui/index.html").read_text())["graph"]
    assert cut["of"]["files"] == [2, files] and cut["of"]["edges"][0] == len(cut["edges"]) == 1 < cut["of"]["edges"][1]
    # The two of the greatest rank, as `hub` orders the members of each domain.
    ranks = {}
    for domain in json.loads(shop.run("hub", "--json"))["domains"]:
        for row in json.loads(shop.run("hub", domain["domain"], "--json"))["results"]:
            ranks[row["path"]] = float(re.search(r"-?[\d.]+$", row["reasons"][0]["text"])[0])  # type: ignore[index]
    shown = {name for name, kind, *_ in cut["nodes"] if cut["kinds"][kind] in ("code", "tests", "docs", "config")}
    assert min(ranks[name] for name in shown) >= max(ranks[name] for name in ranks.keys() - shown - {"docs/secret.md"})


def test_before_the_first_commit_the_page_is_without_files(filled: World) -> None:
    filled.run("dashboard")
    assert "without files: there is no commit to index yet" in filled.err


def test_an_ontology_that_is_not_active_is_told_of_before_anything_is_made(shop: World) -> None:
    (shop.path / ".agentlas").rename(shop.path / "away")
    shop.run("dashboard", code=None)
    assert "git oracl ontology init" in shop.err and not list((shop.path / ".git/oracl").glob("index*"))


def test_the_page_shows_what_is_held(filled: World) -> None:
    data = held(page(filled))
    assert [(row["uri"], row["status"]) for row in data["sources"]] == [
        ("docs/broken.pdf", "parser_error"), ("docs/open.md", "parsed"),
    ]  # fmt: skip
    nodes, edges = graph(data)
    assert nodes == {"Project Helios": "project", "Project Selene": "project", "docs/open.md": "document"}
    (said,) = (where for source, relation, target, where in edges if (source, relation) == ("Project Helios", "depends_on"))
    assert said.startswith("docs/open.md ") and ("docs/open.md", "names", "Project Selene", "1 times") in edges
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
    assert not re.findall(r"https?://[^\s\"']*", text)
    assert HOSTILE[:9] in json.dumps(held(text)["tickets"])


def test_it_is_the_same_each_time_and_git_leaves_it_out(filled: World) -> None:
    assert page(filled) == page(filled)
    assert "ontology-gui" not in filled.git("status", "--short", "-uall")


def test_a_link_in_its_place_is_not_followed(filled: World, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (filled.path / ".agentlas/ontology-gui").symlink_to(tmp_path / "elsewhere")
    filled.run("dashboard", code=128)
    assert "symlink" in filled.err and not list((tmp_path / "elsewhere").iterdir())


# -- in a browser ----------------------------------------------------------------------------

BAD = b"odd/</script><img src=x onerror=\"document.title='ran'\">'&\xe2\x80\xaefdp.\x1b[31m\n\xff.py"  # and not UTF-8


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("no Chromium")
    with browsing(tmp_path_factory.mktemp("browser")) as found:
        found.look()
        yield found


@pytest.fixture
def odd(shop: World) -> Path:
    """A page of a repository that means harm, and of documents that do."""
    shop.write(BAD.decode("utf-8", "surrogateescape"), "import shop.cart\n")
    shop.write("docs/open.md", OPEN)
    shop.commit()
    shop.ingest()
    shop.run("ontology", "query", "what does Project Helios depend on", "--no-code", "--record-memory")
    page(shop)
    return shop.path / ".agentlas/ontology-gui/index.html"


TEXT = "document.querySelector('main').innerText"


def put(browser: Browser, label: str, value: str) -> None:
    """Fill in a field, as a person does."""
    browser.ask(
        f"(() => {{ const field = [...document.querySelectorAll('label')].find((each) => each.textContent.startsWith("
        f"{json.dumps(label)})).querySelector('input, select'); field.value = {json.dumps(value)};"
        " field.dispatchEvent(new Event('input', { bubbles: true }));"
        " field.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )
    browser.settle()


@pytest.mark.slow
@pytest.mark.parametrize(("view", "shown"), [
    ("overview", "Scopes in this page: public, internal."), ("graph", "Shown: all 10 files; all 5 domains; all 2 names; all "),
    ("sources", "docs/open.md"), ("query", "git oracl ontology query -n 10 -- ''"),
    ("memory", "git oracl curate approve tkt_"), ("commands", "git oracl curate apply"),
])  # fmt: skip
def test_a_browser_shows_every_view_and_nothing_else_happens(browser: Browser, odd: Path, view: str, shown: str) -> None:
    for width in (1280, 400):
        browser.look(width)
        browser.open(odd, view)
        assert shown in browser.ask(TEXT)
        assert browser.ask("document.documentElement.scrollWidth") <= width, "nothing hangs over"
    assert "\\u{a}" not in browser.ask(TEXT) or view == "graph", "what is said may run over lines"
    assert browser.ask("document.title") == "Ontology" and not browser.ask("document.images.length")
    assert {address.partition("#")[0] for address in browser.asked} == {odd.as_uri()} and not browser.said
    assert browser.ask("document.getAnimations().length") == 0, "nothing moves by itself"


@pytest.mark.slow
def test_a_name_that_means_harm_is_spelled_out_and_cannot_be_copied(browser: Browser, odd: Path) -> None:
    browser.open(odd, "graph")
    put(browser, "Search", "odd/")
    browser.ask("document.querySelector('main ul button').click()")
    browser.settle()
    shown = browser.ask(TEXT)
    assert "</script><img src=x" in shown and "\\u{202e}fdp.\\u{1b}[31m\\u{a}\\u{dcff}.py" in shown
    assert "imports → shop/cart.py (L1)" in shown and "cannot stand in a command" in shown and "Copy" not in shown
    assert browser.ask("document.title") == "Ontology"


@pytest.mark.slow
def test_a_path_between_two_and_what_is_around_one(browser: Browser, odd: Path) -> None:
    browser.look(prefers_color_scheme="dark")
    browser.open(odd, "graph")
    put(browser, "Path from", "test_cart.py")
    put(browser, "to", "shop/prices.py")
    browser.ask("document.querySelectorAll('form')[1].requestSubmit()")
    browser.settle()
    shown = browser.ask(TEXT)
    assert "2 steps." in shown and re.search(r"tests/test_cart.py (imports|tests) → shop/cart.py", shown)
    assert "shop/cart.py imports → shop/prices.py (L1)" in shown
    put(browser, "Relation", "belongs_to")
    browser.ask("document.querySelectorAll('form')[1].requestSubmit()")
    assert "No path joins them." in browser.ask(TEXT)
    put(browser, "Relation", "")
    put(browser, "Domain", "shop")
    put(browser, "Search", "a")
    assert set(browser.ask("[...document.querySelectorAll('main ul button')].map((each) => each.innerText)")) >= {"shop/cart.py"}
    assert "tests/" not in browser.ask("document.querySelector('main ul').innerText")


@pytest.mark.slow
def test_the_map_is_used_by_keys_alone_and_is_named_for_who_hears_it(browser: Browser, odd: Path) -> None:
    browser.open(odd, "graph")
    named = browser.ask("(() => { const map = document.querySelector('.map > canvas'); map.focus(); return [map.tabIndex,"
                        " map.getAttribute('aria-label'), document.getElementById(map.getAttribute('aria-describedby')).innerText]; })()")
    assert named[0] == 0 and re.match(r"\d+ nodes and \d+ edges", named[1]) and "Enter chooses" in named[2]
    for key in ("+", "-", "ArrowLeft", "ArrowRight", "Enter"):
        browser.press(key)
    assert re.search(r"\d+ edges? at ", browser.ask("document.querySelector('[role=status]').innerText"))
    browser.press("Escape")
    assert "Shown: " in browser.ask("document.querySelector('[role=status]').innerText")
    unnamed = browser.ask("[...document.querySelectorAll('button, input, select, a')].filter((each) => !each.innerText &&"
                          " !each.getAttribute('aria-label') && !each.closest('label')).length")
    assert unnamed == 0


@pytest.mark.slow
def test_light_and_dark_are_both_readable(browser: Browser, odd: Path) -> None:
    def light(colour: str) -> float:
        """Its relative luminance, as WCAG has it."""
        parts = [part / 255 for part in bytes.fromhex(colour[1:])]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    drawn = (
        "(() => {{ const map = document.querySelector('.map > canvas'), all = map.getContext('2d').getImageData(0, 0, map.width,"
        " map.height).data; let count = 0; for (let n = 0; n < all.length; n += 4) count += all[n] === {} && all[n + 1] === {}"
        " && all[n + 2] === {}; return count; }})()"
    )
    grounds = []
    for scheme in ("light", "dark"):
        browser.look(prefers_color_scheme=scheme)
        browser.open(odd, "graph")
        names = "ground ink quiet mark code tests docs config domain name".split()
        values = {
            name: browser.ask(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()") for name in names
        }
        for name in ("code", "tests", "docs", "domain"):
            assert browser.ask(drawn.format(*bytes.fromhex(values[name][1:]))) > 50, "each is drawn in its own colour"
        ground, *inks = map(light, values.values())
        assert all((max(ink, ground) + 0.05) / (min(ink, ground) + 0.05) >= 4.5 for ink in inks)
        grounds.append(ground)
    assert grounds[0] > 0.9 and grounds[1] < 0.05
