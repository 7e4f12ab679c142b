"""The verbs that set up, measure, export and remove."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import sqlite3
import subprocess
import xml.dom.minidom
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import networkx
from pytest import MonkeyPatch, fail, mark, skip

import oracl_git
from oracl_git.store.schema import VERSIONS

Place = Any  # conftest's


def snapshot(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a directory: its mode and bytes."""
    found = {}
    for root, folders, files in os.walk(directory):
        for name in folders:
            found[os.path.relpath(os.path.join(root, name), directory) + "/"] = (0, b"")
        for name in files:
            path = Path(root, name)
            found[os.path.relpath(path, directory)] = (path.lstat().st_mode, path.read_bytes())
    return found


# -- init and deinit ----------------------------------------------------------------------


def test_init_tells_what_it_did_and_leaves_the_work_tree_alone(shop: Place) -> None:
    shop.oracl("deinit")
    before = snapshot(shop.path)
    out = shop.oracl("init", "--no-hooks").out
    assert re.match(
        r"Indexed \d+ files of shop at [0-9a-f]{7} in \d+\.\d s:\n\d+ artifacts, \d+ edges, 9 commits of history\.\n",
        out,
    )
    assert "Left out: 1 binary (git oracl stats --skipped)." in out
    assert all(len(line) <= 80 for line in out.splitlines())
    after = snapshot(shop.path)
    assert {path for path in after if after[path] != before.get(path)} <= {
        p for p in after if p.startswith(".git/oracl")
    }
    assert shop.git("status", "--porcelain") == ""


def test_deinit_leaves_git_as_it_was(shop: Place) -> None:
    shop.oracl("deinit")
    before = snapshot(shop.path)
    shop.oracl("init")
    shop.oracl("search", "discount threshold")
    shop.oracl("related", "shop/prices.py")
    shop.oracl("graph", "rebuild", "--two-layer")
    shop.oracl("open", "1", "--print")
    out = shop.oracl("deinit").out
    assert out == (
        "Removed the hooks post-commit, post-checkout, post-merge, post-rewrite.\n"
        f"Removed {shop.path / '.git/oracl'}.\n"
    )
    assert snapshot(shop.path) == before
    assert shop.oracl("deinit").out == "There was nothing to remove.\n"


def test_init_json(shop: Place) -> None:
    data = shop.oracl("init", "--json").json
    known = {"schema", "commit", "root", "artifacts", "edges", "skipped", "unparsed", "history", "pending", "seconds"}
    assert set(data) == known and not data["pending"]
    assert data["commit"] == shop.git("rev-parse", "HEAD") and data["history"] == 9 and data["skipped"] == {"binary": 1}


def test_the_first_question_makes_the_index(shop: Place) -> None:
    shop.oracl("deinit")
    assert "there is no index yet" in shop.oracl("search", "cart", "--no-update", code=128).err
    assert shop.oracl("search", "cart", "-z").paths


# -- update and status --------------------------------------------------------------------


def test_update(shop: Place) -> None:
    assert re.fullmatch(r"Up to date at [0-9a-f]{7}\.\n", shop.oracl("update").out)
    shop.commit("More", {"shop/voucher.py": "VOUCHER = 1\n"})
    assert shop.oracl("status").out.startswith("index      ")
    assert "1 commit behind HEAD" in shop.oracl("status").out
    assert re.match(
        r"Now at [0-9a-f]{7}: 1 path changed, 1 parsed, \d+ linked,\n1 commit of history", shop.oracl("update").out
    )
    assert "at HEAD" in shop.oracl("status").out
    assert shop.oracl("update", "-q").raw == b"" == shop.oracl("update", "--quiet").raw
    data = shop.oracl("update", "--json").json
    assert set(data) == {"schema", "commit", "changed", "parsed", "linked", "commits", "rebuilt", "copied", "seconds"}


def test_update_full_gives_the_same_root(shop: Place) -> None:
    for number in range(3):
        shop.commit("Change", {"shop/prices.py": f"PRICE = {number}\n", f"docs/{number}.md": "See shop/prices.py.\n"})
        shop.oracl("update")
    before = shop.oracl("status", "--json").json
    assert shop.oracl("update", "--full", "--json").json["rebuilt"] == "asked for"
    assert shop.oracl("status", "--json").json == before
    assert before["root"]


@mark.parametrize("made_by", ["extractor", "graph"])
def test_an_index_that_other_code_made_is_made_anew(shop: Place, made_by: str) -> None:
    before = shop.oracl("status", "--json").json
    with closing(sqlite3.connect(shop.path / ".git/oracl/index.sqlite")) as index, index:
        index.execute("UPDATE header SET value='another' WHERE key=?", (made_by,))
        index.execute("DELETE FROM edge")
    assert "imports" in shop.oracl("trace", "shop/cart.py").out
    assert shop.oracl("status", "--json").json == before
    with closing(sqlite3.connect(shop.path / ".git/oracl/index.sqlite")) as index, index:
        index.execute("UPDATE header SET value='another' WHERE key=?", (made_by,))
    assert shop.oracl("update", "--json").json["rebuilt"] == "another version of oracl-git or Python"


def test_a_large_index_that_other_code_made_is_asked_at_once(shop: Place, monkeypatch: MonkeyPatch) -> None:
    """To make it anew takes longer than a question may: each would spend its budget, and none have anything of it."""
    monkeypatch.setattr("oracl_git.service.opened._ANEW", 1)
    with closing(sqlite3.connect(shop.path / ".git/oracl/index.sqlite")) as index, index:
        index.execute("UPDATE header SET value='another' WHERE key='graph'")
    with oracl_git.open(str(shop.path)) as oracl:
        monkeypatch.setattr(oracl, "update", lambda **_: fail("the index was made anew"))
        assert oracl.search("price").results
        told = "the index was made by another version of oracl-git or Python (git oracl update brings it up to date)"
        assert oracl.notes == [told]
    assert f"\nstale      {told}" in shop.oracl("status").out
    monkeypatch.undo()
    assert "imports" in shop.oracl("trace", "shop/cart.py").out
    with oracl_git.open(str(shop.path)) as oracl:
        assert oracl.search("price").results and not oracl.notes


def test_status_json(shop: Place) -> None:
    data = shop.oracl("status", "--json").json
    assert set(data) == {
        "schema", "commit", "head", "tree", "root", "artifacts", "edges", "behind", "skipped", "unparsed", "pending",
        "problems", "stale", "shallow", "history", "hooks", "snapshots",
    }  # fmt: skip
    assert data["hooks"] == {"last_run": None, "queued": 0, "failures": 0}
    assert data["commit"] == data["head"] and data["behind"] == 0 and data["shallow"] is False
    assert data["stale"] == ""
    shop.oracl("deinit")
    data = shop.oracl("status", "--json", code=1).json
    assert data["commit"] is None and data["stale"] == "there is no index yet"
    done = shop.oracl("status", code=1)
    assert done.raw == b"" and done.err == "git-oracl: there is no index yet\nhint: git oracl init\n"


def test_status_tells_of_settings_it_did_not_believe(shop: Place) -> None:
    shop.commit("Settings", {".agentlas/oracl.toml": "[[override]]\npaths = ['shop/']\nclassification = 'royal'\n"})
    assert "unknown classification 'royal'" in shop.oracl("init").out
    assert "problem    .agentlas/oracl.toml: unknown classification 'royal'" in shop.oracl("status").out


def test_history_depth(shop: Place) -> None:
    shop.git("config", "oracl.historyDepth", "3")
    shop.oracl("update")
    assert shop.oracl("status", "--json").json["history"] == 3
    shop.git("config", "oracl.historyDepth", "all")
    done = shop.oracl("update", code=2)
    assert "oracl.historyDepth must be a whole number above 0, not 'all'" in done.err
    assert done.err.endswith("hint: git config --unset oracl.historyDepth\n")


# -- stats and doctor ---------------------------------------------------------------------


def test_stats(shop: Place) -> None:
    out = shop.oracl("stats").out
    assert re.search(r"^relations .*imports \d+", out, re.MULTILINE)
    assert all(len(line) <= 80 for line in out.splitlines())
    data = shop.oracl("stats", "--json").json
    assert set(data) == {
        "schema", "commit", "root", "nodes", "edges", "mu", "sigma", "max_r", "extractor", "imports", "relations",
        "kinds", "languages", "domains", "skipped", "unparsed",
    }  # fmt: skip
    assert set(data["imports"]) == {"exact", "suffix", "ambiguous", "unresolved", "external"}


def test_stats_count_imports_of_every_language(shop: Place) -> None:
    before = shop.oracl("stats", "--json").json["imports"]
    importer = 'package b\n\nimport "x.org/m/a"\nimport "x.org/m/gone"\n\nvar B = a.A\n'
    imported = "package a\n\nfunc A() {}\n"
    shop.commit("Go", {"go.mod": "module x.org/m\n", "a/a.go": imported, "b/b.go": importer})
    after = shop.oracl("stats", "--json").json["imports"]
    assert (after["exact"], after["unresolved"]) == (before["exact"] + 1, before["unresolved"] + 1)


def test_stats_parameters(shop: Place) -> None:
    out = shop.oracl("stats", "--parameters").out
    assert "alpha = 350000" in out and "imports = 1000000" in out and "half_life" in out
    data = shop.oracl("stats", "--parameters", "--json").json
    assert set(data["parameters"]) == {"graph", "recall"}
    assert data["parameters"]["graph"]["blend"]["beta"] == 500_000


def test_stats_deep(shop: Place) -> None:
    assert re.search(r"^pagerank\n +\d\.\d{4}  ", shop.oracl("stats", "--deep").out, re.MULTILINE)
    data = shop.oracl("stats", "--deep", "--json").json["centralities"]
    assert set(data) == {"pagerank", "betweenness", "core"}


def test_stats_skipped(shop: Place) -> None:
    assert shop.oracl("stats", "--skipped").out == "binary           logo.png\n"
    assert shop.oracl("stats", "--skipped", "--json").json["skipped_paths"] == [
        {"path": "logo.png", "reason": "binary"}
    ]


def test_files_known_by_their_text_alone_are_counted(shop: Place) -> None:
    (shop.path / "deep.py").write_text("(" * 100_000)
    (shop.path / "odd.py").write_text("def still_read(:\n    pass\n")
    shop.git("add", "deep.py", "odd.py")
    shop.git("commit", "-qm", "two that are no Python")
    assert "Known by their text alone: 1 too deep (git oracl stats --skipped).\n" in shop.oracl("init").out
    assert shop.oracl("init", "--json").json["unparsed"] == {"too deep": 1}
    assert "\ntext only  1 too deep\n" in shop.oracl("status").out
    assert "\nunparsed       too deep 1\n" in shop.oracl("stats").out
    assert shop.oracl("stats", "--skipped").out == "binary           logo.png\ntext, too deep   deep.py\n"
    assert shop.oracl("stats", "--skipped", "--json").json["unparsed_paths"] == [
        {"path": "deep.py", "reason": "too deep"}
    ]
    assert "; known by its text alone: too deep\n" in shop.oracl("show", "deep.py").out
    assert shop.oracl("show", "odd.py", "--json").json["unparsed"] == ""


def test_doctor(shop: Place) -> None:
    assert all(line.startswith("ok ") for line in shop.oracl("doctor").out.splitlines())
    shop.commit("More")
    out = shop.oracl("doctor", code=1).out
    assert re.search(r"^bad +freshness +behind HEAD\n +hint: git oracl update$", out, re.MULTILINE)
    data = shop.oracl("doctor", "--json", code=1).json
    assert {key for check in data["checks"] for key in check} == {"name", "ok", "text", "hint"}
    shop.oracl("update")
    assert shop.oracl("doctor", "--json").json["checks"]


# -- graph --------------------------------------------------------------------------------


def test_rebuild_with_other_parameters(shop: Place) -> None:
    before = shop.oracl("stats", "--json").json
    assert "from nothing" in shop.oracl("graph", "rebuild", "--alpha", "0.5", "--beta", "0.25").out
    table = shop.oracl("stats", "--parameters", "--json").json["parameters"]["graph"]["blend"]
    assert (table["alpha"], table["beta"]) == (500_000, 250_000)
    shop.commit("More")
    shop.oracl("update")
    assert shop.oracl("stats", "--parameters", "--json").json["parameters"]["graph"]["blend"] == table
    shop.oracl("graph", "rebuild")
    after = shop.oracl("stats", "--json").json
    assert {**after, "commit": ""} == {**before, "commit": ""}


def test_rebuild_without_a_phase(shop: Place) -> None:
    shop.oracl("graph", "rebuild", "--skip-phase", "imports", "--skip-phase", "mentions")
    relations = shop.oracl("stats", "--json").json["relations"]
    assert "imports" not in relations and "mentions" not in relations and "belongs_to" in relations


def test_rebuild_in_two_layers(shop: Place) -> None:
    out = shop.oracl("graph", "rebuild", "--two-layer").out
    assert "in phase2_repo_edges" in out and out.endswith("the committed view is equal.\n")
    data = shop.oracl("graph", "rebuild", "--two-layer", "--json").json
    assert set(data["evidence"]) == {"phase2_repo_edges", "phase3_static_edges", "overlay"}
    view = (shop.path / ".git/oracl/evidence/all_edges.jsonl").read_text().splitlines()
    assert len(view) == shop.oracl("stats", "--json").json["edges"] == sum(data["evidence"].values())
    for stream in (shop.path / ".git/oracl/evidence").glob("phase*.jsonl"):
        stream.write_bytes(stream.read_bytes()[:-9])  # a kill in the middle of an event
    again = shop.oracl("graph", "rebuild", "--two-layer", "--json").json
    assert again["evidence"] == data["evidence"]
    assert (shop.path / ".git/oracl/evidence/all_edges.jsonl").read_text().splitlines() == view


def test_graph_usage(shop: Place) -> None:
    for words in (
        [],
        ["mend"],
        ["rebuild", "--alpha", "much"],
        ["rebuild", "--skip-phase", "x"],
        ["export", "--format", "x"],
    ):
        assert shop.oracl("graph", *words, code=2).err.startswith("git-oracl: ")
    assert "alpha must lie between 0 and 10" in shop.oracl("graph", "rebuild", "--alpha", "-1", code=2).err
    done = shop.oracl("graph", "export", "-o", "no/such/place", code=2)
    assert done.err.startswith("git-oracl: cannot write no/such/place: No such file or directory.")


def test_export_is_read_back(shop: Place) -> None:
    stats = shop.oracl("stats", "--json").json
    expected = (stats["nodes"], stats["edges"])
    shop.oracl("graph", "export", "-o", "graph.xml")
    graph = networkx.read_graphml(shop.path / "graph.xml", force_multigraph=True)
    assert (len(graph), graph.number_of_edges()) == expected
    assert graph.nodes["shop/cart.py"]["checksum"] and graph.nodes["shop/cart.py"]["kind"] == "artifact"
    raw = shop.oracl("graph", "export", "--format", "graphml").raw
    assert raw == (shop.path / "graph.xml").read_bytes()
    node_link = json.loads(shop.oracl("graph", "export", "--format", "node-link").raw)
    graph = networkx.node_link_graph(node_link, edges="links")
    assert (len(graph), graph.number_of_edges()) == expected
    assert {data["relation"] for _, _, data in graph.edges(data=True)} == set(stats["relations"])
    gexf = shop.oracl("graph", "export", "--format", "gexf").raw
    document = xml.dom.minidom.parseString(gexf)
    assert len(document.getElementsByTagName("node")) == expected[0]
    assert len(networkx.read_gexf(io.BytesIO(gexf))) == expected[0]
    dot = shop.oracl("graph", "export", "--format", "dot").out
    assert dot.startswith("digraph oracl {") and dot.count(" -> ") == expected[1]
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain"], input=dot.encode(), check=True, capture_output=True)


# -- help and completion ------------------------------------------------------------------


def test_help(shop: Place, place: Callable[..., Place]) -> None:
    out = shop.oracl("-h").out
    assert out == shop.run("git-oracl", "--help").out == shop.oracl("help").out
    assert all(len(line) <= 80 for line in out.splitlines())
    verbs = re.findall(r"^  (\w+) ", out, re.MULTILINE)
    assert len(verbs) > 10
    for verb in verbs:
        page = shop.oracl(verb, "-h").out
        assert page.startswith(f"usage: git oracl {verb}") and page == shop.oracl("help", verb).out
        assert all(len(line) <= 80 or ":" in line for line in page.splitlines())
    done = shop.oracl(code=2)
    assert done.out == out
    assert re.fullmatch(r"git-oracl \d+\.\d+\.\d+\n", shop.oracl("--version").out)


def test_an_unknown_verb(shop: Place) -> None:
    assert shop.oracl("serach", "x", code=2).err == "git-oracl: there is no verb 'serach'.\nhint: git oracl search\n"
    assert shop.oracl("help", "serach", code=2).err == "git-oracl: there is no verb 'serach'.\nhint: git oracl search\n"
    assert "git oracl -h lists the verbs" in shop.oracl("\x1b[31m", code=2).err
    assert "\x1b" not in shop.oracl("\x1b[31m", code=2).err


def complete(shop: Place, *words: str) -> set[str]:
    """What bash offers for the last word."""
    script = shop.oracl("completion", "bash").out
    line = " ".join(f"'{word}'" for word in words)
    done = shop.run(
        "bash", "--norc", "-c",
        f'{script}\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _git_oracl; printf "%s\\n" "${{COMPREPLY[@]}}"',
    )  # fmt: skip
    assert done.code == 0 and not done.err, done
    return set(done.out.split("\n")) - {""}


def test_completion_for_bash(shop: Place) -> None:
    assert {"search", "related", "trace", "init"} <= complete(shop, "git", "oracl", "")
    assert complete(shop, "git-oracl", "sea") == {"search"}
    assert complete(shop, "git", "-C", "somewhere", "oracl", "tr") == {"trace"}
    assert complete(shop, "git", "oracl", "trace", "--im") == {"--impact"}
    assert complete(shop, "git", "oracl", "graph", "") == {"rebuild", "export"}
    assert complete(shop, "git", "oracl", "graph", "rebuild", "--al") == {"--alpha"}
    assert complete(shop, "git", "oracl", "show", "shop/c") == {"shop/cart.py", "shop/cli.py"}
    assert complete(shop, "git", "oracl", "help", "rel") == {"related"}
    assert complete(shop, "git", "oracl", "search", "--persona", "w") == {"writer"}
    assert complete(shop, "git", "oracl", "related", "--kind", "") == {"code", "tests", "docs", "config"}


@mark.parametrize("shell", ["zsh", "fish"])
def test_completion_for_other_shells(shop: Place, shell: str) -> None:
    script = shop.oracl("completion", shell).out
    for verb in ("search", "trace"):
        assert verb in script
    texts = {
        "zsh": ("this commit'\\''s graph", "[explain one pair\\: two PATHs]", ":value:(hybrid classic)"),
        "fish": ("this commit\\'s graph", "-d 'explain one pair: two PATHs'", "-l ranker -x -a 'hybrid classic'"),
    }
    for text in texts[shell]:
        assert text in script
    if not shutil.which(shell):
        skip(f"no {shell} here")
    flags = ["-f", "-c"] if shell == "zsh" else ["-N", "-c"]
    before = "autoload -U compinit; compinit -u; " if shell == "zsh" else ""
    done = shop.run(shell, *flags, before + script)
    assert done.code == 0 and not done.err, done


@mark.skipif(not shutil.which("fish"), reason="no fish here")
def test_fish_completes_what_is_written_through_git(shop: Place) -> None:
    script = shop.oracl("completion", "fish").out
    ask = "complete -C 'git '; complete -C 'git oracl sea'; complete -C 'git oracl search --persona w'"
    done = shop.run("fish", "-c", f"{script}\n{ask}")
    assert "search\twhere is this? Free text, names, paths, filters" in done.out.splitlines(), done
    assert "writer\twhose files weigh more" in done.out.splitlines()


def test_completion_usage(shop: Place) -> None:
    assert shop.oracl("completion", "tcsh", code=2).raw == b""


# -- damage -------------------------------------------------------------------------------


@mark.parametrize("damage", ["garbage", "empty", "truncated", "foreign"])
def test_a_damaged_index_is_made_anew(shop: Place, damage: str) -> None:
    index = shop.path / ".git/oracl/index.sqlite"
    root = shop.oracl("status", "--json").json["root"]
    for journal in ("-wal", "-shm"):
        index.with_name(index.name + journal).unlink(missing_ok=True)
    if damage == "garbage":
        index.write_bytes(b"this is no database" * 1000)
    elif damage == "empty":
        index.write_bytes(b"")
    elif damage == "truncated":
        index.write_bytes(index.read_bytes()[: index.stat().st_size // 3])
    else:
        index.unlink()
        with closing(sqlite3.connect(index)) as db, db:
            db.execute("CREATE TABLE mine(x)")
    assert shop.oracl("search", "discount threshold", "-z").paths
    assert shop.oracl("status", "--json").json["root"] == root


@mark.parametrize("name", ["facts", "history"])
def test_a_damaged_cache_is_made_anew(shop: Place, name: str) -> None:
    cache = shop.path / f".git/oracl/{name}.sqlite"
    root = shop.oracl("status", "--json").json["root"]
    for journal in ("-wal", "-shm"):
        cache.with_name(cache.name + journal).unlink(missing_ok=True)
    cache.write_bytes(b"this is no database" * 1000)
    assert shop.oracl("search", "discount threshold", "-z").paths
    assert shop.oracl("related", "shop/prices.py", "-z").paths
    shop.oracl("show", "shop/prices.py")
    shop.commit("More", {"shop/prices.py": "PRICE = 1\n"})
    shop.oracl("update")
    shop.oracl("update", "--full")
    assert shop.oracl("status", "--json").json["root"] != root
    assert b"tests/test_prices.py" in shop.oracl("related", "shop/prices.py", "-z").paths


@mark.parametrize("anew", [False, True])
def test_a_history_that_was_lost_is_read_again(shop: Place, anew: bool) -> None:
    """The store of history lies under all worktrees: gone, or made anew by another one, it knows our ids no more."""
    from oracl_git.git import discover
    from tests.rows import everything

    shop.oracl("update")
    before = everything(discover(str(shop.path)))
    names = shop.oracl("related", "shop/prices.py", "-z").paths
    for path in (shop.path / ".git/oracl").glob("history.sqlite*"):
        path.unlink()
    if anew:
        shop.git("worktree", "add", "-q", "../other", "HEAD~2")
        type(shop)(shop.path.parent / "other").oracl("update")
    assert shop.oracl("related", "shop/prices.py", "-z").paths == names
    after = everything(discover(str(shop.path)))
    assert after == before
    for path in (shop.path / ".git/oracl").glob("history.sqlite*"):
        path.unlink()
    shop.oracl("update")
    assert everything(discover(str(shop.path))) == before
    assert shop.oracl("related", "shop/prices.py", "-z", "--no-update").paths == names


def test_damage_in_the_middle_of_the_index(shop: Place) -> None:
    """Pages full of noise behind a sound header: a clear message or an answer, and a way back."""
    index = shop.path / ".git/oracl/index.sqlite"
    shop.oracl("update", "--full")
    for journal in ("-wal", "-shm"):
        index.with_name(index.name + journal).unlink(missing_ok=True)
    data = bytearray(index.read_bytes())
    data[8192:] = os.urandom(len(data) - 8192)
    index.write_bytes(data)
    shop.oracl("search", "discount threshold", "-z", code=None)
    shop.oracl("doctor", code=None)
    shop.oracl("update", "--full")
    assert shop.oracl("search", "discount threshold", "-z").paths


def test_an_index_of_a_newer_format(shop: Place) -> None:
    index = shop.path / ".git/oracl/index.sqlite"
    with closing(sqlite3.connect(index)) as db, db:
        db.execute("PRAGMA user_version=99")
    for words in (["search", "cart"], ["update"], ["status"], ["show", "shop/cart.py"]):
        done = shop.oracl(*words, code=128)
        assert (
            f"git-oracl: {index} was written by a newer oracl-git (format 99, this one knows {VERSIONS['index']}).\n"
            in done.err
        )
        assert done.err.endswith("hint: upgrade oracl-git, or start over with: git oracl deinit && git oracl init\n")
    assert shop.oracl("deinit").code == 0
    assert shop.oracl("init").code == 0


def test_an_index_of_an_older_format_is_made_anew(shop: Place) -> None:
    before = shop.oracl("search", "cart").out
    for name in ("index", "facts", "history"):
        with closing(sqlite3.connect(shop.path / f".git/oracl/{name}.sqlite")) as db, db:
            db.execute("PRAGMA user_version=1")
    assert shop.oracl("search", "cart", "-z").paths
    shop.oracl("update", "--vectors")
    assert shop.oracl("search", "cart").out == before


def test_another_extractor_version_is_noticed(shop: Place) -> None:
    """After an upgrade the same commit is read anew: the facts of the old version are not this version's."""
    index = shop.path / ".git/oracl/index.sqlite"
    for name, sql in (("index", "UPDATE header SET value='old' WHERE key='extractor'"), ("facts", "DELETE FROM facts")):
        with closing(sqlite3.connect(index.with_name(f"{name}.sqlite"))) as db, db:
            db.execute(sql)
    shop.oracl("show", "shop/prices.py")
    assert any("shares" in r["text"] for row in shop.oracl("related", "shop/prices.py", "--json").json["results"]
               for r in row["reasons"])  # fmt: skip
