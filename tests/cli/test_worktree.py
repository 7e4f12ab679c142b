"""--worktree: answers as if everything were committed; the index and git are left as they were."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracl_git.git import discover, read, stored
from oracl_git.service import Oracl

Place = Done = Any  # conftest's
FROM_FILES = ("graph", "tests", "configures", "path")  # signals that history has no part in


def prices(shop: Place) -> str:
    return (shop.path / "shop/prices.py").read_text()


def change(shop: Place) -> None:
    """An edit, an addition, a deletion, a rename with an edit, and things git would not take."""
    shop.write("shop/prices.py", prices(shop) + "\n\ndef rebate_of(price: int) -> int:\n    return price // 7\n")
    shop.write("shop/rebates.py", "from .prices import rebate_of\n\n\ndef quarterly_rebate():\n    rebate_of(1)\n")
    shop.write("tests/test_rebates.py", "from shop.rebates import quarterly_rebate\n")
    (shop.path / "shop/events.py").unlink()
    os.rename(shop.path / "docs/guide.md", shop.path / "docs/handbook.md")
    with open(shop.path / "docs/handbook.md", "a") as file:
        file.write("\nRebates are in `shop/rebates.py`.\n")
    shop.write("README.md", "# Shop\n\n[Handbook](docs/handbook.md)\n")
    shop.write(".gitignore", "*.log\nscratch/\n")
    shop.write("scratch/zebra.py", "import shop.rebates\n")
    os.symlink("/etc/passwd", shop.path / "shop/link.py")


ASKED = [
    ["trace", "shop/prices.py", "--in", "--depth", "3"],
    ["trace", "shop/rebates.py", "--both"],
    ["trace", "docs/handbook.md"],
    ["trace", "--impact", "shop/prices.py"],
    ["trace", "shop/cli.py", "--to", "shop/prices.py"],
]


def links(done: Done) -> list[Any]:
    """Of each related file what the files themselves say."""
    return sorted(
        (row["path"], row["fragment"], sorted(r["text"] for r in row["reasons"] if r["signal"] in FROM_FILES))
        for row in done.json["results"]
        if any(r["signal"] in ("graph", "tests", "configures") for r in row["reasons"])
    )


def test_as_if_committed(shop: Place) -> None:
    change(shop)
    index = (shop.path / ".git/oracl/index.sqlite").read_bytes()
    status = shop.git("status", "--porcelain")
    traced = [shop.oracl(*words, "--worktree", "--json").json for words in ASKED]
    files = ("shop/prices.py", "shop/rebates.py", "tests/test_rebates.py", "docs/handbook.md", "README.md")
    related = [links(shop.oracl("related", path, "-n", "50", "--worktree", "--json")) for path in files]
    words = ("rebate quarterly", "rebate_of", "handbook", "file:shop/rebates.py", "notify", "discount threshold")
    found = [shop.oracl("search", word, "--worktree", "--json", code=None).json["results"] for word in words]
    shown = shop.oracl("show", "shop/rebates.py#quarterly_rebate", "--worktree", "--json").json
    assert (shop.path / ".git/oracl/index.sqlite").read_bytes() == index
    assert shop.git("status", "--porcelain") == status
    assert any("shop/rebates.py" in str(tree) for tree in traced)

    shop.commit("All of it")
    assert traced == [shop.oracl(*words, "--json").json for words in ASKED]
    assert related == [links(shop.oracl("related", path, "-n", "50", "--json")) for path in files]
    for word, before in zip(words, found, strict=True):
        after = shop.oracl("search", word, "--json", code=None).json["results"]
        assert {(r["path"], r["fragment"]) for r in before} <= {(r["path"], r["fragment"]) for r in after}, word
        spoken = {r["path"] for r in after if {reason["signal"] for reason in r["reasons"]} <= {"history", "recency"}}
        assert {r["path"] for r in after} - spoken == {r["path"] for r in before} - spoken, word
    again = shop.oracl("show", "shop/rebates.py#quarterly_rebate", "--json").json
    for key in ("text", "start", "end", "edges", "definitions", "priority", "priority_blended", "terms", "blob", "id"):
        assert shown[key] == again[key], key


def test_without_it_the_commit_answers(shop: Place) -> None:
    change(shop)
    assert shop.oracl("search", "rebate_of", "--json", code=1).json["results"] == []
    assert "not in the indexed commit" in shop.oracl("trace", "shop/rebates.py", code=1).err
    assert shop.oracl("trace", "shop/events.py").code == 0
    assert "not in the indexed commit" in shop.oracl("trace", "shop/events.py", "--worktree", code=1).err


def test_what_git_would_not_take_is_not_there(shop: Place) -> None:
    change(shop)
    found = shop.oracl("search", "prefix:", "--worktree", "-n", "100", "-z", code=None).paths
    listed = shop.oracl("search", "type:code", "--worktree", "-n", "100", "-z").paths
    assert b"scratch/zebra.py" not in [*found, *listed] and b"shop/link.py" not in [*found, *listed]
    answer = shop.oracl("related", "shop/link.py", "--worktree", "--json").json  # a link: its path is all that is known
    reasons = [r for result in answer["results"] for r in result["reasons"]]
    assert {r["signal"] for r in reasons} == {"path", "recency"}  # the latter is of what is found


def test_a_directory_that_became_a_symlink_leads_nowhere(shop: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    os.rename(shop.path / "shop", outside)
    os.symlink(outside, shop.path / "shop")
    assert "not in the indexed commit" in shop.oracl("trace", "shop/prices.py", "--worktree", code=1).err


def test_a_filter_that_a_repository_names_is_not_run(shop: Place) -> None:
    shop.git("config", "filter.evil.clean", f"touch {shop.path}/ran; cat")
    shop.git("config", "filter.evil.required", "true")
    shop.git("config", "core.fsmonitor", f"touch {shop.path}/ran")
    shop.write(".gitattributes", "*.py filter=evil\n")
    shop.write("shop/prices.py", prices(shop).replace("decided", "chosen"))
    shop.oracl("search", "threshold chosen", "--worktree")
    assert not (shop.path / "ran").exists()


ATTRIBUTES = ["", "text=auto", "text", "-text", "eol=crlf", "text=auto eol=lf", "crlf", "text=odd"]
LINES = b"FIRST = 1\r\nNEWLY = 2\r\n"
CONTENTS: list[tuple[bytes | None, bytes]] = [  # as committed, and as they lie in the work tree
    (None, LINES),
    (b"FIRST = 1\n", LINES),
    (b"FIRST = 1\r\n", LINES),
    (b"FIRST = 1\nOTHER = 1\r\n", LINES),
    (b"FIRST = 1\n", LINES + b"alone = '\r'\n"),
    (b"FIRST = 1\n", LINES + b"\x01\n"),
    (b"FIRST = 1\n", LINES + b"#" * 150 + b"\x01\x1a"),
]


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_line_ends_are_those_git_stores(place: Callable[..., Place], autocrlf: str) -> None:
    repo = place().init()
    names = {f"d{d}/f{f}.py": both for d in range(len(ATTRIBUTES)) for f, both in enumerate(CONTENTS)}
    for name, (committed, _) in names.items():
        (repo.path / name).parent.mkdir(exist_ok=True)
        if committed is not None:
            (repo.path / name).write_bytes(committed)
    repo.commit("first")
    repo.git("config", "core.autocrlf", autocrlf)
    (repo.path / ".gitattributes").write_text("".join(f"d{d}/* {said}\n" for d, said in enumerate(ATTRIBUTES)))
    for name, (_, now) in names.items():
        (repo.path / name).write_bytes(now)
    at = discover(str(repo.path))
    found = stored(at, {name.encode(): read(at, name.encode()) for name in names})
    repo.git("add", ".")
    rows = (row.split("\t") for row in repo.git("ls-files", "--stage", "d*").splitlines())
    assert {path: head.split()[1] for head, path in rows} == {
        path.decode(): entry.oid for path, entry in found.items() if entry
    }


def test_an_unsaved_text_has_the_line_ends_of_its_file(shop: Place) -> None:
    shop.write(".gitattributes", "* text=auto\n")
    text = (prices(shop) + "\n\nNEWLY = 1\n").replace("\n", "\r\n").encode()
    with Oracl.at(str(shop.path), worktree=True) as oracl:
        assert oracl.uncommitted is not None
        oracl.uncommitted.type("shop/prices.py", text)
        typed = oracl.fresh().node("shop/prices.py")
    (shop.path / "shop/prices.py").write_bytes(text)
    shop.commit("CRLF here, LF there")
    assert typed and typed.blob == shop.oracl("show", "shop/prices.py", "--json").json["blob"]


@pytest.mark.parametrize("verb", ["search x", "related x", "trace x", "show x"])
def test_a_bare_repository_has_none(place: Callable[..., Place], verb: str) -> None:
    bare = place().init("--bare")
    done = bare.oracl(*verb.split(), "--worktree", code=2)
    assert "no work tree" in done.err
