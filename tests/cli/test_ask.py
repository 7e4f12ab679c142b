"""The verbs that answer, each option, in every form."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import Any

from pytest import mark

Place = Any  # conftest's
RESULT = {"path", "fragment", "focus", "title", "kind", "score", "source", "reasons", "commit"}


# -- search ------------------------------------------------------------------------------


def test_search_says_where_and_why(shop: Place) -> None:
    lines = shop.oracl("search", "where is the discount threshold decided").out.splitlines()
    said = "\n".join(lines[:2])  # place and score, the reasons beside them or on the next line
    assert re.match(r" 1  \S+(#L\d+(-\d+)?)? +\d\.\d\d(  |\n    )\w", said), said
    assert "prices" in lines[0]
    assert re.fullmatch(r"\d+ of \d+, index at [0-9a-f]{7}\. git oracl open 1 · --explain · --snippet", lines[-1])
    assert all(len(line) <= 80 for line in lines)


def test_search_in_several_words_is_one_question(shop: Place) -> None:
    assert shop.oracl("search", "discount", "threshold").raw == shop.oracl("search", "discount threshold").raw


def test_search_json(shop: Place) -> None:
    data = shop.oracl("search", "discount threshold", "--json").json
    assert set(data) == {"schema", "query", "commit", "total", "parsed", "results"}
    assert data["query"] == "discount threshold"
    assert data["commit"] == shop.git("rev-parse", "HEAD")
    assert data["total"] >= len(data["results"]) > 0
    for result in data["results"]:
        assert set(result) == RESULT
        assert re.fullmatch(r"(L\d+-\d+)?", result["fragment"])
        assert {key for reason in result["reasons"] for key in reason} == {"signal", "text", "share"}
        assert abs(sum(reason["share"] for reason in result["reasons"]) - result["score"]) < 1e-5
    scores = [result["score"] for result in data["results"]]
    assert scores == sorted(scores, reverse=True)


def test_search_machine_forms_agree(shop: Place) -> None:
    question = ("search", "discount threshold")
    results = shop.oracl(*question, "--json").json["results"]
    assert [p.decode() for p in shop.oracl(*question, "-z").paths] == [r["path"] for r in results]
    rows = [line.split("\t") for line in shop.oracl(*question, "--porcelain").out.splitlines()]
    assert rows == [[f"{r['score']:.6f}", r["path"], r["fragment"]] for r in results]


def test_search_limit(shop: Place) -> None:
    assert len(shop.oracl("search", "cart", "-n", "2", "-z").paths) == 2
    assert len(shop.oracl("search", "cart", "--limit", "1", "-z").paths) == 1


def test_search_explain_adds_up(shop: Place) -> None:
    out = shop.oracl("search", "type:tests discount -integration", "--explain").out
    assert "directives: type:tests" in out and "leaves out: integration" in out
    terms, blocks = [], 0
    for line in out.splitlines():
        if total := re.fullmatch(r" +(-?\d+\.\d+)  = the score", line):
            assert abs(sum(terms) - float(total[1])) < 1e-3
            terms, blocks = [], blocks + 1
        elif term := re.match(r" {4} +(-?\d+\.\d{4})  \w+", line):
            terms.append(float(term[1]))
    assert blocks > 0


def test_search_snippet(shop: Place) -> None:
    out = shop.oracl("search", "discount threshold", "--snippet", "-n", "3").out
    assert re.search(r"^ +\d+  .*threshold", out, re.MULTILINE)
    data = shop.oracl("search", "discount threshold", "--snippet", "-n", "3", "--json").json
    assert any("threshold" in result.get("snippet", "") for result in data["results"])


def test_lines_end_at_line_feeds_alone(shop: Place) -> None:
    """A form feed, as old C and Python files have, or a separator of Unicode ends no line of a fragment."""
    shop.commit("Feeds", {"feeds.py": "x = 1\n\f\n# a\u2028b\n\n\ndef wombat_burrow():\n    return 'wombat burrow'\n"})
    found = shop.oracl("search", "wombat burrow", "--snippet", "--json").json["results"][0]
    rows = shop.path.joinpath("feeds.py").read_bytes().decode().split("\n")
    shown = found["snippet"].split("\n")
    assert shown == rows[found["snippet_line"] - 1 :][: len(shown)] and "def wombat_burrow():" in shown
    for verb in (["search", "wombat burrow", "--snippet"], ["show", "feeds.py"]):
        assert re.search(r"^ +6  def wombat_burrow", shop.oracl(*verb).out, re.MULTILINE)


def test_what_is_left_out_is_written_in_any_case(shop: Place) -> None:
    shop.commit("Names", {"WOMBAT.md": "# Wombat\n", "Docs/Wombat.md": "# Wombat\n", "notes/wombat.txt": "wombat\n"})
    found = shop.oracl("search", "wombat -WOMBAT.md -Docs/*", "-z").paths
    assert found == [b"notes/wombat.txt"]
    assert b"WOMBAT.md" not in shop.oracl("search", "wombat -wombat.md", "-z").paths


def test_an_absolute_path_may_begin_with_a_dot(shop: Place) -> None:
    shop.commit("Hidden", {".github/workflows/ci.yml": "on: push\n", "github/workflows/ci.yml": "on: pull\n"})
    out = shop.oracl("show", str(shop.path / ".github/workflows/ci.yml"), "--json").json
    assert out["path"] == ".github/workflows/ci.yml"


def test_search_classic(shop: Place) -> None:
    data = shop.oracl("search", "cart", "--ranker", "classic", "--json").json
    assert data["results"][0]["source"] == "classic"


@mark.parametrize("persona", ["developer", "reviewer", "writer", "operator", "agent"])
def test_search_persona(shop: Place, persona: str) -> None:
    assert shop.oracl("search", "discount", "--persona", persona, "-z").paths


def test_search_persona_moves_documents(shop: Place) -> None:
    def score(persona: str) -> float:
        rows = shop.oracl("search", "discount threshold", "--persona", persona, "--json").json["results"]
        return next(row["score"] for row in rows if row["path"] == "docs/guide.md")

    assert score("writer") > score("developer")


def test_search_lookups_skip_the_ranking(shop: Place) -> None:
    for question in ("filename:cart.py", "shop/cart.py", "path:shop/cart.py", "prefix:shop/ca"):
        data = shop.oracl("search", question, "--json").json
        assert [(r["path"], r["source"], r["score"]) for r in data["results"]] == [("shop/cart.py", "lookup", 1.0)]


def test_search_filters(shop: Place) -> None:
    assert {p.partition(b"/")[0] for p in shop.oracl("search", "type:tests cart", "-z").paths} == {b"tests"}
    assert sorted(shop.oracl("search", "lang:markdown", "-z").paths) == [b"README.md", b"docs/guide.md"]
    assert b"shop/cart.py" not in shop.oracl("search", "discount -shop", "-z").paths


def test_search_nothing(shop: Place) -> None:
    done = shop.oracl("search", "zzyzzyva", code=1)
    assert done.raw == b""
    assert done.err.splitlines() == [
        "git-oracl: nothing matches",
        "hint: fewer words, or: git oracl search prefix:src/",
    ]
    data = shop.oracl("search", "zzyzzyva", "--json", code=1).json
    assert data["results"] == [] and data["total"] == 0
    assert shop.oracl("search", "zzyzzyva", "-z", code=1).raw == b""


@mark.parametrize("question", ["", "   ", '"', "((", "a AND", "NEAR(", "*", "-", "--", "\\", "file:", "🎈", "a\nb\tc"])
def test_every_string_is_a_question(shop: Place, question: str) -> None:
    code = shop.oracl("search", "--json", "--", question, code=None).code
    assert code == 2 if question.strip() in ("", "-") else code in (0, 1)  # "-" reads standard input


def test_search_stdin(shop: Place) -> None:
    questions = [
        b"discount threshold",
        b'{"query": "Traceback (most recent call last):\\n  File \\"shop/cart.py\\", line 12, in add_item\\nKeyError"}',
        b'{"query": malformed',
        b"zzyzzyva",
        b"\xff\xfe cart",
        b"",
        b'{"no query": 1}',
        b'["cart"]',
    ]
    rows = [json.loads(line) for line in shop.oracl("search", "--stdin", input=b"\n".join(questions)).raw.splitlines()]
    assert len(rows) == len(questions)
    assert all(row["schema"] == 1 and isinstance(row["results"], list) for row in rows)
    assert rows[0]["query"] == "discount threshold"
    assert set(rows[0]["results"][0]) == RESULT
    assert rows[1]["query"].startswith("Traceback") and rows[1]["query"].count("\n") == 2
    assert rows[1]["results"][0]["path"] == "shop/cart.py"
    assert rows[2]["query"] == '{"query": malformed'
    assert rows[3]["results"] == []
    assert rows[4]["query"] == "\ufffd\ufffd cart" and rows[4]["results"]
    assert rows[5]["query"] == ""


def test_search_stdin_answers_line_by_line(shop: Place) -> None:
    """A program may wait for each answer before it asks again."""
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    with subprocess.Popen(
        ["git", "oracl", "search", "--stdin"],
        cwd=shop.path,
        env={**os.environ, "PATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin and process.stdout
        for _ in range(2):
            process.stdin.write(b"discount\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["results"]
        process.stdin.close()


def test_search_no_update(shop: Place) -> None:
    before = shop.git("rev-parse", "HEAD")
    shop.commit("More", {"shop/voucher.py": "def redeem_voucher(): ...\n"})
    assert shop.oracl("search", "redeem voucher", "--no-update", "--json", code=None).json["commit"] == before
    assert shop.oracl("search", "redeem voucher", "-z").paths[0] == b"shop/voucher.py"


def test_search_usage(shop: Place) -> None:
    for words in ([], ["x", "--nonsense"], ["x", "-n", "0"], ["x", "-n", "many"], ["x", "--ranker", "best"]):
        done = shop.oracl("search", *words, code=2)
        assert done.raw == b""
        assert done.err.startswith("git-oracl: ") and done.err.splitlines()[-1] == "hint: git oracl search -h"


# -- related -----------------------------------------------------------------------------


def test_related_says_why(shop: Place) -> None:
    out = shop.oracl("related", "shop/prices.py").out
    first = out.splitlines()[0]
    assert re.match(r"(tests/test_prices|shop/cart)\.py", first)
    assert re.search(r"changed together in \d+ of \d+ commits|imports|tests", out)
    assert not re.search(r"L(\d+)-\1\b", out)
    assert all(len(line) <= 80 for line in out.splitlines())


def test_related_json_and_machine_forms(shop: Place) -> None:
    question = ("related", "shop/prices.py")
    data = shop.oracl(*question, "--json").json
    assert set(data) == {"schema", "query", "commit", "total", "results"}
    assert data["query"] == ["shop/prices.py"]
    for result in data["results"]:
        assert set(result) == RESULT and result["source"] == "related"
        assert abs(sum(reason["share"] for reason in result["reasons"]) - result["score"]) < 1e-5
        assert result["path"] != "shop/prices.py"
    assert [p.decode() for p in shop.oracl(*question, "-z").paths] == [r["path"] for r in data["results"]]
    assert len(shop.oracl(*question, "--porcelain").out.splitlines()) == len(data["results"])


def test_related_kind(shop: Place) -> None:
    for kind, start in (("tests", b"tests/"), ("docs", b""), ("config", b""), ("code", b"shop/")):
        paths = shop.oracl("related", "shop/prices.py", "--kind", kind, "-z", code=None).paths
        assert all(path.startswith(start) for path in paths)
    assert b"tests/test_prices.py" in shop.oracl("related", "shop/prices.py", "--kind", "tests", "-z").paths


def test_related_several_paths_are_one_question(shop: Place) -> None:
    data = shop.oracl("related", "shop/prices.py", "shop/cart.py", "--json").json
    assert not {"shop/prices.py", "shop/cart.py"} & {result["path"] for result in data["results"]}


def test_related_of_a_change(shop: Place) -> None:
    shop.write("shop/cart.py", "# empty\n")
    shop.git("add", "-A")
    assert shop.oracl("related", "--staged", "--json").json["query"] == ["shop/cart.py"]
    assert shop.oracl("related", "--commit", "HEAD", "--json").json["query"] == ["shop/cart.py", "shop/prices.py"]
    assert shop.oracl("related", "--diff", "HEAD~1..HEAD", "--json").json["query"] == ["shop/cart.py", "shop/prices.py"]
    assert shop.oracl("related", "--diff", "HEAD~1", "--json").json["query"] == ["shop/cart.py", "shop/prices.py"]
    done = shop.oracl("related", "--commit", "no-such-commit", code=2)
    assert "no commit is named 'no-such-commit'" in done.err


def test_related_of_nothing_staged(shop: Place) -> None:
    assert shop.oracl("related", "--staged", code=1).err == "git-oracl: nothing is staged; git add comes first\n"


def test_related_staged_from_a_subdirectory(shop: Place) -> None:
    shop.write("shop/cart.py", "# empty\n")
    shop.git("add", "-A")
    data = shop.oracl("related", "--staged", "--json", cwd="docs").json
    assert data["query"] == ["shop/cart.py"]


def test_related_of_an_untracked_file(shop: Place) -> None:
    shop.write(
        "shop/voucher.py", '"""A voucher lowers the discount threshold of prices."""\nfrom .prices import Price\n'
    )
    assert b"shop/prices.py" in shop.oracl("related", "shop/voucher.py", "-z").paths
    done = shop.oracl("related", "shop/nowhere.py", code=1)
    assert done.err.startswith(
        "git-oracl: shop/nowhere.py is neither in the indexed commit nor in the work tree.\nhint:"
    )


def test_related_of_a_change_that_deletes_and_renames(shop: Place) -> None:
    """A commit whose files are no more can be asked like any other: what went with them is known."""
    shop.git("rm", "-q", "docs/guide.md")
    shop.git("mv", "shop/prices.py", "shop/sums.py")
    shop.git("commit", "-q", "-m", "No guide, and sums")
    done = shop.oracl("related", "--commit", "HEAD", "--json")
    assert done.json["query"] == ["docs/guide.md", "shop/prices.py", "shop/sums.py"] and not done.err
    found = [row["path"] for row in done.json["results"]]
    assert {"README.md", "tests/test_prices.py"} <= set(found) and "shop/sums.py" not in found
    impact = shop.oracl("trace", "--impact", "--commit", "HEAD", code=1)
    assert impact.err.startswith("git-oracl: docs/guide.md is not in the indexed commit; ")


def test_a_deleted_file_is_asked_about(shop: Place) -> None:
    shop.git("rm", "-q", "docs/guide.md")
    shop.git("commit", "-q", "-m", "No guide")
    last = shop.git("rev-parse", "HEAD")[:7]
    done = shop.oracl("related", "docs/guide.md", "-z")
    assert done.paths[0] == b"README.md"
    assert done.err == "git-oracl: docs/guide.md was deleted: its path and its history are known, its text is not\n"
    for verb in ("show", "trace"):
        assert shop.oracl(verb, "docs/guide.md", code=1).err == (
            f"git-oracl: docs/guide.md is not in the indexed commit; {last} touched it last.\n"
            f"hint: git show --stat {last}\n"
        )


@mark.parametrize("verb", ["show", "related", "trace"])
def test_the_old_name_of_a_file(shop: Place, verb: str) -> None:
    """It means the file, as long as nothing else has it."""
    done = shop.oracl(verb, "shop/basket.py", "--json")
    assert done.err == "git-oracl: shop/basket.py is called shop/cart.py now\n"
    now = shop.oracl(verb, "shop/cart.py", "--json")
    assert {**done.json, "query": 0} == {**now.json, "query": 0}
    shop.write("shop/basket.py", "BASKETS = 3\n")
    assert "is called" not in shop.run("git", "oracl", verb, "shop/basket.py").err


@mark.parametrize("verb", ["show", "related", "trace"])
def test_a_mistyped_path(shop: Place, verb: str) -> None:
    assert shop.oracl(verb, "shop/prcies.py", code=1).err.endswith("\nhint: the nearest name is shop/prices.py\n")
    assert shop.oracl(verb, "prices.py", code=1).err.endswith("\nhint: git oracl search filename:prices.py\n")
    shop.write("cart/shop/prices.py", "PRICES = 2\n")
    shop.commit("A namesake")
    for place in ("cart/shop", "shop"):  # of two of that name the one whose place is more alike
        hint = shop.oracl(verb, f"{place}/prcies.py", code=1).err.rpartition(" ")[2]
        assert hint == f"{place}/prices.py\n"
    outside = shop.oracl(verb, "/etc/passwd", code=1).err
    assert outside.startswith("git-oracl: /etc/passwd is outside of this repository.\nhint: ")


def test_related_of_a_file_that_is_left_out(shop: Place) -> None:
    """It has a path, and a history: what changed with it is told, and none of its bytes are taken for words."""
    shop.write("docs/price.png", b"\x89PNG\0\x1adiscount threshold")
    shop.write("docs/prices.md", "# Prices\n\nAs on the picture.\n")
    shop.commit("Draw the prices")
    shop.oracl("update")
    answer = shop.oracl("related", "docs/price.png", "--json").json
    first = answer["results"][0]
    assert first["path"] == "docs/prices.md"
    assert {"changed together in 1 of 1 commits", "has docs in its path"} & {r["text"] for r in first["reasons"]}
    assert not any("shares" in r["text"] for result in answer["results"] for r in result["reasons"])
    (shop.path / "docs/price.png").unlink()
    assert shop.oracl("related", "docs/price.png", "--json").json["results"][0]["path"] == "docs/prices.md"
    for verb in ("show", "trace"):
        done = shop.oracl(verb, "docs/price.png", code=1)
        assert done.err == (
            "git-oracl: docs/price.png is left out of the graph: binary.\nhint: git oracl related docs/price.png\n"
        )


@mark.parametrize("verb", ["show", "related", "trace"])
def test_a_directory_is_called_one(shop: Place, verb: str) -> None:
    shop.write("drafts/plan.txt", "x")
    done = shop.oracl(verb, "shop", code=1)
    assert done.err == "git-oracl: shop is a directory.\nhint: git oracl search prefix:shop/\n"
    done = shop.oracl("related", "drafts/", code=1)
    assert done.err == "git-oracl: drafts/ is a directory.\nhint: git oracl search prefix:drafts/\n"
    for top in (".", "./", "shop/..", ":/", str(shop.path)):
        assert shop.oracl(verb, top, code=1).err == f"git-oracl: {top} is a directory.\nhint: git ls-files\n"


@mark.parametrize("verb", ["show", "related", "trace"])
@mark.parametrize("name", ["", "..", "../..", "/"])
def test_the_hint_of_what_is_no_path_finds_something(shop: Place, verb: str, name: str) -> None:
    done = shop.oracl(verb, name, code=1)
    why = "is outside of this repository" if name else "is n"
    assert done.err.startswith(f"git-oracl: {name or 'an empty path'} {why}")
    assert done.err.endswith("\nhint: git ls-files\n")


def test_a_change_of_a_directory_is_one_of_its_files(shop: Place) -> None:
    paths = [str(path.relative_to(shop.path)) for path in sorted((shop.path / "shop").glob("*.py"))]
    whole = shop.oracl("trace", "--impact", "shop", "--json").json["impact"]
    assert whole == shop.oracl("trace", "--impact", *paths, "--json").json["impact"]
    assert {row["path"] for row in whole} > {"tests/test_prices.py"}
    assert shop.oracl("trace", "--impact", "shop").err == ""
    every = shop.oracl("trace", "--impact", ".", "--tests", "-z").paths
    assert every == sorted(path for path in every if path.startswith(b"tests/")) and every


def test_a_way_may_be_longer_than_python_recurses(shop: Place) -> None:
    last = 1_100
    chain = {f"chain/m{n}.py": f"import chain.m{n + 1}\n" for n in range(last)}
    shop.commit("A chain", {**chain, f"chain/m{last}.py": ""})
    shop.oracl("update")  # takes longer than a question may
    ways = shop.oracl("trace", "chain/m0.py", "--to", f"chain/m{last}.py", "--json").json["paths"]
    assert [step["path"] for step in ways[0]] == [f"chain/m{n}.py" for n in range(last + 1)] and len(ways) == 1


def test_a_merge_is_what_it_brought(shop: Place) -> None:
    shop.git("checkout", "-q", "-b", "side")
    shop.commit("Cheaper", {"shop/prices.py": (shop.path / "shop/prices.py").read_text() + "# now\n"})
    shop.git("checkout", "-q", "-")
    shop.commit("Elsewhere", {"docs/elsewhere.md": "# Elsewhere\n"})
    shop.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    merged = shop.oracl("trace", "--impact", "--commit", "HEAD", "--json").json
    assert [row["path"] for row in merged["changed"]] == ["shop/prices.py"]
    assert merged["impact"] == shop.oracl("trace", "--impact", "shop/prices.py", "--json").json["impact"] != []
    assert shop.oracl("related", "--commit", "HEAD", "--json").json["query"] == ["shop/prices.py"]
    shop.commit("Nothing")
    for words in (["trace", "--impact"], ["related"]):
        assert shop.oracl(*words, "--commit", "HEAD", code=1).err == "git-oracl: that change touches no file\n"
    assert shop.oracl("trace", "--impact", code=2).err.startswith("git-oracl: --impact needs a path or a change.")


def test_from_below_the_top_names_are_read_from_there(shop: Place) -> None:
    def below(*words: str) -> list[bytes]:
        return shop.oracl(*words, cwd=shop.path / "tests").paths

    assert b"tests/test_cart.py" in below("trace", "--impact", "test_cart.py", "--tests", "-z")
    names = ["test_cart.py", "../shop/cart.py", "shop", ":/shop/prices.py", "new.py"]
    meant = ["tests/test_cart.py", "shop/cart.py", "shop", "shop/prices.py", "tests/new.py"]
    told = shop.oracl("trace", "--impact", *names, "--json", cwd=shop.path / "tests").json
    assert told["changed"] == [{"path": path} for path in meant]
    answer = shop.oracl("context", "price", "--path", ".", "--json", cwd=shop.path / "tests").json
    assert {part["path"].split("/")[0] for part in answer["fragments"]} == {"tests"}
    top = shop.oracl("context", "price", "--path", "..", "--json", cwd=shop.path / "tests").json
    assert top["fragments"] == shop.oracl("context", "price", "--json").json["fragments"]


def test_a_file_without_a_suffix_has_words_in_its_path(shop: Place) -> None:
    shop.commit("Roll it out", {"tools/rollout": "echo\n"})
    shop.commit("Say how", {"docs/rollout.md": "# By hand\n"})
    results = shop.oracl("related", "tools/rollout", "--json").json["results"]
    said = {result["path"]: {r["text"] for r in result["reasons"]} for result in results}
    assert "has rollout in its path" in said["docs/rollout.md"]


def test_related_why(shop: Place) -> None:
    out = shop.oracl("related", "--why", "shop/prices.py", "tests/test_prices.py").out
    assert "changed together in" in out and "imports total" in out
    data = shop.oracl("related", "--why", "shop/prices.py", "tests/test_prices.py", "--json").json
    assert set(data) == {"schema", "paths", "score", "reasons"}
    assert abs(sum(r["share"] for r in data["reasons"]) - data["score"]) < 1e-5
    assert shop.oracl("related", "--why", "shop/prices.py", code=2).err.startswith("git-oracl: --why takes two paths")
    for paths in ("-z", "--porcelain"):  # what reads paths gets none of our sentences
        refused = shop.oracl("related", "--why", "shop/prices.py", "tests/test_prices.py", paths, code=2)
        assert (refused.out, refused.err.split("\n")[0]) == ("", "git-oracl: --why gives reasons, no paths.")


def test_related_explain(shop: Place) -> None:
    assert "= the score" in shop.oracl("related", "shop/prices.py", "--explain").out


def test_related_stdin(shop: Place) -> None:
    lines = [b"shop/prices.py", b"no/such.py", b'{"query": ["shop/prices.py", "shop/cart.py"]}', b"{broken"]
    rows = [json.loads(line) for line in shop.oracl("related", "--stdin", input=b"\n".join(lines)).raw.splitlines()]
    assert [row["query"] for row in rows] == [
        "shop/prices.py",
        "no/such.py",
        ["shop/prices.py", "shop/cart.py"],
        "{broken",
    ]
    assert rows[0]["results"] and rows[2]["results"]
    assert rows[1]["results"] == [] and "no/such.py" in rows[1]["error"] and rows[1]["hint"]
    assert rows[3]["results"] == [] and "error" in rows[3]


def test_related_usage(shop: Place) -> None:
    assert shop.oracl("related", code=2).err.startswith("git-oracl: related needs a path")
    assert shop.oracl("related", "shop/cart.py", "--kind", "poems", code=2).raw == b""


# -- trace -------------------------------------------------------------------------------


def test_trace_out_and_in(shop: Place) -> None:
    out = shop.oracl("trace", "shop/cli.py").out.splitlines()
    assert out[0] == "shop/cli.py"
    assert any(re.fullmatch(r"[├└]─ shop/store\.py  imports save", line) for line in out), out
    inward = shop.oracl("trace", "shop/prices.py", "--in", "--depth", "1").out
    assert "tests/test_prices.py#L1  imports total" in inward
    assert "docs/guide.md#L5  references" in inward
    assert "config/settings.yaml#L1  configures" in inward


def test_trace_json(shop: Place) -> None:
    data = shop.oracl("trace", "shop/cli.py", "--json").json
    assert set(data) == {"schema", "direction", "depth", "tree"}
    todo = [data["tree"]]
    while todo:
        step = todo.pop()
        assert {"path", "fragment", "relation", "symbol", "cycle", "children"} <= set(step)
        todo += step["children"]
    assert data["direction"] == "out" and data["depth"] == 2


def test_trace_shows_a_cycle_once(shop: Place) -> None:
    out = shop.oracl("trace", "shop/store.py", "--out", "--depth", "9").out
    assert out.count("shop/events.py") == 1
    data = shop.oracl("trace", "shop/store.py", "--both", "--depth", "9", "--json").json
    assert json.dumps(data).count('"children"') < 60


def test_trace_relation(shop: Place) -> None:
    out = shop.oracl("trace", "shop/prices.py", "--in", "--depth", "1", "--relation", "references", "configures", "-z")
    assert sorted(out.paths) == [b"config/settings.yaml", b"docs/guide.md"]
    assert shop.oracl("trace", "--in", "--depth", "1", "--relation", "tests", "shop/prices.py", "-z").paths == [
        b"tests/test_prices.py"
    ]


def test_trace_to(shop: Place) -> None:
    out = shop.oracl("trace", "shop/cli.py", "--to", "shop/prices.py").out
    assert out.splitlines()[0] == "shop/cli.py" and out.splitlines()[-1].endswith("→ shop/prices.py")
    data = shop.oracl("trace", "shop/cli.py", "--to", "shop/prices.py", "--json").json
    assert set(data) == {"schema", "direction", "paths"}
    assert [step["path"] for step in data["paths"][0]][:: len(data["paths"][0]) - 1] == [
        "shop/cli.py",
        "shop/prices.py",
    ]
    assert shop.oracl("trace", "shop/cli.py", "--to", "shop/prices.py", "-z").paths[0] == b"shop/cli.py"
    assert shop.oracl("trace", "shop/prices.py", "--to", "docs/guide.md", code=1).err == (
        "git-oracl: no path in that direction\n"
    )


def test_trace_dot(shop: Place) -> None:
    out = shop.oracl("trace", "shop/cli.py", "--dot").out
    assert out.startswith("digraph oracl {") and out.endswith("}\n")
    nodes = dict(re.findall(r'^  (n\d+) \[label="(.*)"\];$', out, re.MULTILINE))
    edges = re.findall(r'^  (n\d+) -> (n\d+) \[label="(\w+)"\];$', out, re.MULTILINE)
    assert ("shop/cli.py", "shop/store.py", "imports") in {(nodes[a], nodes[b], how) for a, b, how in edges}
    inward = shop.oracl("trace", "shop/store.py", "--in", "--dot").out
    nodes = dict(re.findall(r'^  (n\d+) \[label="(.*)"\];$', inward, re.MULTILINE))
    edges = re.findall(r"^  (n\d+) -> (n\d+)", inward, re.MULTILINE)
    assert ("shop/cli.py", "shop/store.py") in {(nodes[a], nodes[b]) for a, b in edges}


def test_trace_mermaid(shop: Place) -> None:
    out = shop.oracl("trace", "shop/cli.py", "--mermaid").out
    assert out.startswith("graph LR\n")
    assert re.search(r'^  n0\["shop/cli.py"\]$', out, re.MULTILINE)
    assert re.search(r"^  n0 -->\|imports\| n\d+$", out, re.MULTILINE)


def test_trace_impact_of_a_change(shop: Place) -> None:
    shop.write("shop/prices.py", "PRICE = 1\n")
    shop.git("add", "-A")
    assert shop.oracl("trace", "--impact", "--staged", "--tests", "-z").paths == [
        b"tests/test_prices.py", b"tests/test_cart.py",
    ]  # fmt: skip
    rows = shop.oracl("trace", "--impact", "--staged").out.splitlines()
    assert rows[0] == "1  tests/test_prices.py#L1  imports shop/prices.py"
    data = shop.oracl("trace", "--impact", "--staged", "--json").json
    assert set(data) == {"schema", "changed", "impact"} and data["changed"] == [{"path": "shop/prices.py"}]
    assert {key for row in data["impact"] for key in row} == {"path", "kind", "distance", "relation", "fragment", "via"}
    assert shop.oracl("trace", "--impact", "--commit", "HEAD", "-z").paths
    assert shop.oracl("trace", "--impact", "--diff", "HEAD~1..HEAD", "-z").paths
    assert shop.oracl("trace", "--impact", "shop/prices.py", "-z").paths


def test_trace_impact_runs_the_tests(shop: Place) -> None:
    """git oracl trace --impact --staged --tests -z | xargs -0 pytest"""
    shop.write("shop/prices.py", "class Price(int): ...\n\n\ndef total(prices):\n    return sum(prices)\n")
    shop.git("add", "-A")
    done = shop.run(
        "sh", "-c", "git oracl trace --impact --staged --tests -z | xargs -0 python -m pytest -q -p no:cacheprovider",
        env={"PYTHONPATH": str(shop.path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.code == 0 and "2 passed" in done.out, done


def test_trace_impact_includes_a_changed_test(shop: Place) -> None:
    shop.write("tests/test_cart.py", "def test_nothing(): ...\n")
    shop.git("add", "-A")
    assert shop.oracl("trace", "--impact", "--staged", "--tests", "-z").paths == [b"tests/test_cart.py"]


def test_trace_usage(shop: Place) -> None:
    for words in ([], ["a", "b"], ["shop/cli.py", "--staged"], ["--in", "--out", "shop/cli.py"], ["x", "--depth", "0"]):
        assert shop.oracl("trace", *words, code=2).err.splitlines()[-1] == "hint: git oracl trace -h"
    assert shop.oracl("trace", "no/such.py", code=1).err.startswith(
        "git-oracl: no/such.py is not in the indexed commit."
    )


def test_trace_nothing(shop: Place) -> None:
    done = shop.oracl("trace", "shop/prices.py", "--out", code=1)
    assert done.out == "shop/prices.py\n" and done.err == "git-oracl: nothing in that direction\n"


# -- show, hub, open ---------------------------------------------------------------------


def test_show(shop: Place) -> None:
    out = shop.oracl("show", "shop/prices.py").out
    assert out.startswith("shop/prices.py  python, ")
    assert "priority 0." in out and "lifecycle" in out
    assert "← imports tests/test_prices.py#L1  1.00  total" in out
    assert "class Price(int):" in out


def test_show_has_a_row_for_each_file_and_way(shop: Place) -> None:
    """What is taken of one file does not hide who uses this one."""
    names = [f"name_{number}" for number in range(40)]
    shop.write("shop/names.py", "".join(f"{name} = 1\n" for name in names))
    shop.write("shop/first.py", f"from .names import {', '.join(names)}\nFIRST = 1\n")
    shop.write("shop/second.py", "from .first import FIRST\n\n\ndef f():\n    from .first import FIRST as g\n")
    shop.commit("Names")
    edges = shop.oracl("show", "shop/first.py").out.partition("\nedges\n")[2].partition("\n\n")[0].splitlines()
    assert edges[0].startswith("  → imports shop/names.py at L1  1.00  name_0, name_1, ")
    rest = [line.split("  ")[1] for line in edges[1:]]
    assert rest == ["→ belongs_to hub:domain:shop", "← imports shop/second.py#L1"]


def test_show_json(shop: Place) -> None:
    data = shop.oracl("show", "shop/prices.py", "--json").json
    assert set(data) == {
        "schema", "path", "id", "blob", "checksum", "size", "lines", "language", "kind", "unparsed", "tags", "priority",
        "priority_blended", "association", "delta", "terms", "multiplier", "degree", "imports", "commits",
        "last_commit_time", "edges", "definitions", "start", "end", "text",
    }  # fmt: skip
    assert data["blob"] == shop.git("rev-parse", "HEAD:shop/prices.py")
    assert data["commits"] == int(shop.git("rev-list", "--count", "HEAD", "--", "shop/prices.py"))
    assert [d["name"] for d in data["definitions"] if d["kind"] == "class"] == ["Price"]


@mark.parametrize("tail", ["L8-10", "L8", "total"])
def test_show_a_part(shop: Place, tail: str) -> None:
    out = shop.oracl("show", f"shop/prices.py#{tail}").out
    assert re.search(r"^ +8  def total", out, re.MULTILINE)
    assert not re.search(r"^ +1  ", out, re.MULTILINE)


def test_show_unknown(shop: Place) -> None:
    assert shop.oracl("show", "nowhere", code=1).err.startswith(
        "git-oracl: nowhere is not in the indexed commit.\nhint:"
    )
    assert shop.oracl("show", "shop/prices.py#nothing", code=1).err.startswith(
        "git-oracl: shop/prices.py defines no nothing"
    )


def test_what_is_no_file_is_told_apart(shop: Place) -> None:
    done = shop.oracl("show", "shop", code=1)
    assert done.err == "git-oracl: shop is a directory.\nhint: git oracl search prefix:shop/\n"
    assert b"shop/prices.py" in shop.oracl("search", "-z", "prefix:shop/").paths
    done = shop.oracl("show", "shop/prices.py#", code=1)
    assert done.err.startswith("git-oracl: shop/prices.py# names no lines and no definition.\nhint: git oracl show")


def test_a_trace_says_which_imports_are_not_read(shop: Place) -> None:
    shop.commit("Swift", {"native/lib.swift": "import Kit\nfunc run() {}\n"})
    assert "imports of swift are not read yet" in shop.oracl("trace", "native/lib.swift", code=None).err
    assert shop.oracl("trace", "shop/cart.py").err == ""


def test_hub(shop: Place) -> None:
    assert re.search(r"^ +\d+  tests$", shop.oracl("hub").out, re.MULTILINE)
    out = shop.oracl("hub", "tests").out.splitlines()
    assert re.match(r"tests/test_\w+\.py +priority -?\d\.\d\d$", out[0]) and out[-1] == "2 of 2 in tests"
    assert len(shop.oracl("hub", "shop", "-n", "1", "-z").paths) == 1
    domains = shop.oracl("hub", "--json").json["domains"]
    assert {"domain": "tests", "members": 2} in domains
    assert [d["domain"].encode() for d in domains] == shop.oracl("hub", "-z").paths
    assert "2\ttests" in shop.oracl("hub", "--porcelain").out.splitlines()
    data = shop.oracl("hub", "tests", "--json").json
    assert set(data) == {"schema", "domain", "total", "results"} and set(data["results"][0]) == RESULT
    assert len(shop.oracl("hub", "tests", "--porcelain").out.splitlines()) == 2
    assert shop.oracl("hub", "poems", code=1).err.startswith("git-oracl: there is no domain 'poems'.\nhint: known:")


def test_open(shop: Place) -> None:
    assert "no question was asked here yet" in shop.oracl("open", "1", code=2).err
    first = shop.oracl("search", "discount threshold", "-z").paths[0].decode()
    assert shop.oracl("open", "1", "--print").out == f"{shop.path / first}\n"
    assert shop.oracl("open", "1", env={"GIT_EDITOR": "false"}).out == f"{shop.path / first}\n", "no terminal"
    assert "the last question had" in shop.oracl("open", "99", code=2).err
    assert shop.oracl("open", "0", code=2).raw == b""
    records = (shop.path / ".git/oracl/search_history.jsonl").read_text().splitlines()
    chosen = json.loads(records[-1])
    assert (chosen["class"], chosen["path"], chosen["rank"]) == ("open", first, 1)


def test_open_what_is_gone(shop: Place) -> None:
    first = shop.oracl("search", "discount threshold", "-z").paths[0].decode()
    (shop.path / first).unlink()
    assert shop.oracl("open", "1", code=1).err == (
        f"git-oracl: {first} is not in the work tree.\nhint: git show HEAD:{first}\n"
    )


# -- telemetry ---------------------------------------------------------------------------


def test_a_question_is_recorded_here_and_stopped_by_a_setting(shop: Place) -> None:
    log = shop.path / ".git/oracl/search_history.jsonl"
    shop.oracl("search", "discount threshold", env={"ORACL_SESSION": "desk"})
    shop.oracl("related", "shop/prices.py")
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [row["class"] for row in rows] == ["search", "related"]
    assert rows[0].keys() >= {
        "time", "class", "query", "parsed", "count", "latency_ms", "load_ms", "rss_before", "rss_after", "cost_usd",
        "session", "results",
    }  # fmt: skip
    assert rows[0]["query"] == "discount threshold" and rows[0]["session"] == "desk"
    assert rows[0]["results"] == [p.decode() for p in shop.oracl("search", "discount threshold", "-z").paths]
    shop.git("config", "oracl.telemetry", "false")
    size = log.stat().st_size
    shop.oracl("search", "discount threshold")
    assert log.stat().st_size == size
    assert log.stat().st_mode & 0o077 == 0


def test_a_document_ends_the_way_of_a_change(shop: Place) -> None:
    """What speaks of a document is not broken by what the document speaks of; by a change of itself it may be."""
    shop.write("shop/levy.py", "def levy():\n    return 1\n")
    shop.write("NOTES.md", "See `shop/levy.py`.\n")
    shop.write("more.md", "See [the notes](NOTES.md).\n")
    shop.write("tests/test_levy.py", "from shop.levy import levy\n")
    shop.commit("Notes")
    rows = shop.oracl("trace", "--impact", "shop/levy.py", "--json").json["impact"]
    assert {row["path"]: row["distance"] for row in rows} == {"tests/test_levy.py": 1, "NOTES.md": 1}
    assert [row["path"] for row in shop.oracl("trace", "--impact", "NOTES.md", "--json").json["impact"]] == ["more.md"]
