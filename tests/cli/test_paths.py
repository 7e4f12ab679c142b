"""Names of files as git allows them: every byte but NUL and the slash."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from pytest import fixture, mark

Place = Any  # conftest's

ODD = {
    "newline": b"src/new\nline.py",
    "tab": b"src/tab\there.py",
    "quotes": b'src/it\'s "quoted" `here` $HOME.py',
    "backslash": b"src/back\\slash.py",
    "rtl": "src/\u202egnp.exe\u202c.py".encode(),
    "dash": b"-n.py",
    "option": b"--json",
    "latin1": b"src/caf\xe9.py",
    "emoji": "src/🎈.py".encode(),
    "hash": b"src/a#b.py",
    "hash lines": b"src/x.py#L1-2",
    "colon": b"src/a:b.py",
    "percent": b"src/100%.py",
    "space": b"src/ lead and trail ",
    "glob": b"src/[a]*?.py",
    "escape": b"src/\x1b[31mred.py",
    "hub": b"hub:domain:src",
}


@fixture(scope="module")
def odd(tmp_path_factory: Any, template: Place) -> Place:
    place = type(template)(tmp_path_factory.mktemp("odd") / "repo").init()
    for number, path in enumerate(ODD.values()):
        place.write(path, f'"""Wombat number {number}."""\n\n\ndef wombat_{number}(): ...\n')
    place.write("plain.md", "A wombat, and [another](src/a%23b.py).\n")
    place.commit("Wombats")
    place.write(b"src/caf\xe9.py", "def wombat_7(): return 1\n")
    place.write(b"src/new\nline.py", "def wombat_0(): return 1\n")
    place.commit("Change wombats")
    place.oracl("init")
    return place


def test_z_gives_the_bytes(odd: Place) -> None:
    found = odd.oracl("search", "wombat", "-n", "100", "-z").paths
    assert set(ODD.values()) <= set(found)
    listed = set(odd.run("git", "ls-files", "-z").paths)
    assert set(found) <= listed


def test_json_gives_text_and_the_bytes_where_they_are_not_text(odd: Place) -> None:
    done = odd.oracl("search", "wombat", "-n", "100", "--json")
    assert done.raw.isascii() and b"\\udc" not in done.raw
    rows = done.json["results"]
    got = {base64.b64decode(row["path_b64"]) if "path_b64" in row else row["path"].encode() for row in rows}
    assert set(ODD.values()) <= got
    assert [row["path"] for row in rows if "path_b64" in row] == ["src/caf\ufffd.py"]


def test_people_see_one_harmless_line_each(odd: Place) -> None:
    out = odd.oracl("search", "wombat", "-n", "100").out
    assert not set(out) & set("\x1b\u202e\u202c\t")
    assert "src/new\\x0aline.py" in out and "src/caf\\xe9.py" in out and "\\x1b[31mred.py" in out and "src/🎈.py" in out
    porcelain = odd.oracl("search", "wombat", "-n", "100", "--porcelain").out
    assert all(line.count("\t") == 2 for line in porcelain.splitlines())
    assert len(porcelain.splitlines()) == len(odd.oracl("search", "wombat", "-n", "100", "-z").paths)


@mark.parametrize("name", ODD)
def test_every_verb_takes_every_name(odd: Place, name: str) -> None:
    path = ODD[name]
    for words in (
        ["related"],
        ["trace", "--both"],
        ["trace", "--impact"],
        ["show"],
        ["related", "--json"],
        ["show", "--json"],
    ):
        done = odd.oracl(*words, "--", path, code=None)
        assert done.code in (0, 1), done
        assert "is not in the indexed commit" not in done.err and "neither" not in done.err, done
        assert "\x1b" not in done.out and "\u202e" not in done.out
    data = odd.oracl("show", "--json", "--", path).json
    assert base64.b64decode(data["path_b64"]) == path if "path_b64" in data else data["path"].encode() == path


def test_stdin_takes_names_of_a_line(odd: Place) -> None:
    lines = [path for path in ODD.values() if b"\n" not in path and not path.startswith(b"{")]
    rows = [json.loads(line) for line in odd.oracl("related", "--stdin", input=b"\n".join(lines)).raw.splitlines()]
    assert len(rows) == len(lines)
    assert not [row for row in rows if "error" in row]
    row = json.loads(odd.oracl("related", "--stdin", input=json.dumps({"query": ["src/new\nline.py"]}).encode()).raw)
    assert row["results"] and row["query"] == ["src/new\nline.py"]


def test_drawings_and_exports_are_well_formed(odd: Place) -> None:
    import io

    import networkx

    graph = networkx.read_graphml(io.BytesIO(odd.oracl("graph", "export").raw))
    assert (
        "src/caf%E9.py" in graph
        and "src/new%0Aline.py" in graph
        and "hub%3Adomain%3Asrc" in graph
        and "hub:domain:core" in graph
    )
    assert odd.oracl("trace", "plain.md", "--dot", code=None).out.count("\n") >= 3
    assert odd.oracl("graph", "export", "--format", "dot").out.isascii()


def test_exports_hold_no_letters_that_xml_cannot(shop: Place) -> None:
    from xml.etree import ElementTree

    shop.commit("Odd anchors", {"plain.md": "# A\n", "odd.md": "See [it](plain.md#se\x01c\x1ftion).\n"})
    assert '"#se?c?tion"' in shop.oracl("graph", "export", "--format", "node-link").out
    for form in ("graphml", "gexf"):
        assert ElementTree.fromstring(shop.oracl("graph", "export", "--format", form).raw) is not None


def test_open_prints_the_name_as_it_is(odd: Place) -> None:
    paths = odd.oracl("search", "wombat", "-z").paths
    for number, path in enumerate(paths, 1):
        odd.oracl("search", "wombat", "-z")
        assert odd.oracl("open", str(number), "--print").raw == bytes(odd.path) + b"/" + path + b"\n"


def test_changes_of_odd_names(odd: Place) -> None:
    changed = {ODD["latin1"], ODD["newline"]}
    data = odd.oracl("trace", "--impact", "--commit", "HEAD", "--json", code=None).json
    assert {
        base64.b64decode(c["path_b64"]) if "path_b64" in c else c["path"].encode() for c in data["changed"]
    } == changed
    done = odd.oracl("related", "--commit", "HEAD", "--json")
    assert b"\\udc" not in done.raw and done.json["results"]


def test_a_name_that_is_not_there(odd: Place, place: Callable[..., Place]) -> None:
    done = odd.oracl("show", b"no/\x1b[31m\xff\n.py", code=1)
    assert done.err.startswith("git-oracl: no/\\x1b[31m\\xff\\x0a.py is not in the indexed commit.\n")
