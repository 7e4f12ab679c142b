"""The product's graph equals the oracle's, row for row, on trees of every kind.

`oracle.py` is a second implementation of the design, slow and independent; what
a file says is the only thing both take from the product. Real repositories:
ORACL_TEST_REPOS=PATH[:PATH…] adds theirs (each is cloned first, never written).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

sys.path.insert(0, os.path.dirname(__file__))
import oracle
import rows
import worlds

from oracl_git.git import discover
from oracl_git.store.update import update

HERE = Path(__file__).resolve().parent.parent
OTHERS = [Path(path) for path in os.environ.get("ORACL_TEST_REPOS", "").split(os.pathsep) if path]
laws = settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def agree(place: Path, commit: str | None = None) -> dict[str, object]:
    """Index a commit and compare; the graph, for more to be said about it."""
    repo = discover(str(place))
    update(repo, commit=commit)
    graph = rows.graph(repo)
    rows.same_graph(graph, rows.expected(repo, commit or repo.head), "product | oracle")
    return graph


def graph_of(tree: worlds.Tree, tmp_path: Path) -> dict[str, object]:
    return agree(worlds.found(tmp_path / "repo", [worlds.Commit(tree)]))


def edges(graph: dict, relation: str = "") -> set[tuple[str, str, str, int]]:
    """(source, target, symbol, κ) of a graph's edges, hubs left out."""
    return {
        (edge["source"][1], edge["target"][1], edge["tfrag"], edge["kappa"])
        for edge in graph["edges"]
        if edge["target"][0] == "artifact" and relation in ("", edge["relation"])
    }


# ------------------------------------------------------------------ the oracle itself


def test_the_oracle_knows_the_published_weights():
    assert sum(oracle.BUCKETS.values()) == 1
    assert oracle.millionths(oracle.Fraction(5, 10**7)) == 0  # half to even
    assert oracle.millionths(oracle.Fraction(15, 10**7)) == 2


def test_the_oracle_imports_nothing_of_the_product():
    assert "oracl_git" not in Path(oracle.__file__).read_text().replace("oracl_git/", "")


# ------------------------------------------------------------------ features, one tree each

D = "def f(): pass\n"
FEATURES: dict[str, dict[str | bytes, str | bytes]] = {
    "nothing": {},
    "one file": {"README.md": "# Title\n"},
    "one empty file": {"README.md": ""},
    "src layout": {
        "src/pkg/__init__.py": "",
        "src/pkg/a.py": D,
        "tests/test_a.py": "from pkg import a\nimport pkg.a\n",
        "script.py": "import pkg.a as x, pkg\nfrom pkg.a import f\n",
    },
    "two packages of one name": {
        "one/src/pkg/__init__.py": D,
        "one/tests/t.py": "from pkg import f\n",
        "two/src/pkg/__init__.py": D,
        "two/tests/t.py": "from pkg import f\n",
        "else.py": "from pkg import f\n",
    },
    "namespace packages": {
        "ns/x/one.py": D,
        "lib/ns/y/two.py": D,
        "use.py": "import ns\nimport ns.x\nimport ns.x.one\nfrom ns import x\n"
        "from ns.x import one\nfrom ns.y import two\nfrom ns.x.one import f\n",
        "ns/x/peer.py": "from . import one\n",
    },
    "a loose module": {
        "tools/util.py": D,
        "tools/run.py": "import util\n",
        "app/util.py": D,
        "app/b/c.py": "import util",
    },
    "re-exports": {
        "pkg/__init__.py": "from .a import f\nfrom .b import *\nfrom . import c as see\nfrom .sub import deep as d\n",
        "pkg/a.py": D,
        "pkg/b.py": "def g(): pass\n",
        "pkg/c.py": "",
        "pkg/sub/__init__.py": "from .x import deep\n",
        "pkg/sub/x.py": "def deep(): pass\n",
        "main.py": "from pkg import f, g, see, d, c, nothing, sub\n",
        "doc.md": "`pkg.f` `pkg.d` `pkg.see` `pkg.sub.deep` `pkg.sub.x.deep.more`\n",
    },
    "fixtures of pytest": {
        "conftest.py": "import pytest\nfrom helpers.stars import *\nfrom helpers.named import shop\n"
        "@pytest.fixture\ndef top(): pass\n@pytest.fixture\ndef near(): pass\n",
        "helpers/__init__.py": "",
        "helpers/stars.py": "def bright(): pass\n",
        "helpers/named.py": "def shop(): pass\n",
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef near(near, top): pass\n",
        "tests/test_a.py": "def test_x(top, near, shop, bright, tmp_path, own, *, late=1): pass\ndef own(): pass\n",
        "near.py": D,
    },
    "stars in a chain": {
        "p/__init__.py": "from .q import *\n",
        "p/q/__init__.py": "from .r import *\n",
        "p/q/r/__init__.py": "from .s import t\n",
        "p/q/r/s.py": "def t(): pass\n",
        "m.py": "from p import t, u\n",
    },
    "a cycle of re-exports": {
        "a/__init__.py": "from b import x\nfrom b import *\n",
        "b/__init__.py": "from a import x\nfrom a import *\n",
        "m.py": "from a import x, y\nfrom b import x\n",
    },
    "an __init__ that imports its submodules": {
        "pkg/__init__.py": "from . import sub\nfrom .sub import f\n",
        "pkg/sub.py": D,
        "m.py": "from pkg import sub\nfrom pkg import f\nfrom pkg.sub import f\n",
        "d.md": "`pkg.sub.f` `pkg.sub`\n",
    },
    "stub files and shadows": {
        "pkg/__init__.pyi": "",
        "pkg/a.pyi": D,
        "pkg/b.py": "",
        "pkg/b.pyi": "",
        "pkg/b/__init__.py": "",
        "m.py": "import pkg, pkg.a, pkg.b\nimport json\nimport re\n",
        "json.py": "",
        "lib/re.py": "",
    },
    "relative imports that go too far": {
        "a/b.py": "from ... import c\nfrom .... import d\nfrom .. import e\n",
        "e.py": "",
    },
    "module and package": {"x.py": D, "x/__init__.py": D, "m.py": "from x import f\nimport x\n"},
    **{
        f"{count} candidates": {
            **{f"c{n}/dup.py": "def dup(): pass\ndef only(): pass\n" for n in range(count)},
            "see.md": "`dup` dup.py\n`K.dup` `only`\n",
            "tests/test_dup.py": "P = 'dup.py'\n",
            "run.sh": "python dup.py\n",
            "x.toml": "f = 'dup.py'\nm = 'c0.dup'\n",
            "m.py": "import dup\nfrom c0 import dup\n",
        }
        for count in range(1, 8)
    },
    "links and anchors": {
        "README.md": "# A\n[x](docs/b.md#c) [y](docs) [z](/docs/b.md) [w](docs/b.md) [v](#a) [u](gone.md)\n",
        "docs/b.md": "# C\n[up](../README.md) [self](b.md) [todo](t.md#x)\n",
        "docs/t.md": "# T\nTODO\n",
        "docs/index.md": "[e](e.md)\n",
        "docs/e.md": "",
        "docs/r.rst": "T\n=\n\n.. toctree::\n\n   b\n   /docs/t\n   /sub/p\n   gone\n\n:doc:`b` `x <b.md>`_\n",
        "docs/sub/p.rst": "P\n=\n:doc:`/docs/b` :doc:`/sub/p` :doc:`../r`\n",
        "docs/__init__.py": "'docs/b.md'\n",
    },
    "placeholders": {
        "a.md": "[x](e.md) [y](t.md) [z](full.md)\n",
        "e.md": "",
        "t.md": "# T\n\nTBD\n",
        "full.md": "# F\nDone TODO" + "x" * 500,
        "e.toml": "",
        "e.py": "",
        "white.txt": " \n\t\n",
        "b.md": "[x](white.txt) [y](e.toml) [z](e.py)\n",
    },
    "configuration": {
        "pyproject.toml": "[project.scripts]\nt = 'pkg.cli:main'\n[x]\npath = 'src/pkg/cli.py'\nm = 'pkg.cli'\n"
        "f = ['cli.py']\n",
        "src/pkg/__init__.py": "",
        "src/pkg/cli.py": "def main(): pass\n",
        "src/pkg/__main__.py": "",
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    u = pkg.cli:main\n    v = pkg:gone\n",
        "ci.yaml": "run: src/pkg/cli.py\nentry: pkg.cli:main\n",
        "package.json": '{"main": "src/pkg/cli.py"}',
        "Makefile": "all:\n\tpython src/pkg/cli.py\n",
        "Dockerfile": "COPY src/pkg/cli.py /x\n",
    },
    "scripts": {
        "app/main.js": "import a from './a'\nconst b = require('./b.js')\nimport c from './c'\nimport x from './gone'\n"
        "import l from 'lodash'\n",
        "app/a.ts": "export * from './main'\n",
        "app/b.ts": "",
        "app/c/index.tsx": "",
        "run.sh": ". ./lib.sh\npython app/tool.py\n",
        "lib.sh": "",
        "app/tool.py": "#!/usr/bin/env python\n",
        "main.go": 'package main\nimport "fmt"\n',
    },
    "tests of everything": {
        "src/ext/auto.py": "",
        "src/auto.py": "",
        "src/b_c.py": "",
        "src/widget/__init__.py": "",
        "src/Main.java": "",
        "tests/test_ext_auto.py": "",
        "tests/test_auto.py": "from src.ext import auto\n",
        "tests/test_b_c.py": "",
        "tests/widget_test.py": "",
        "src/MainTest.java": "",
        "tests/test_.py": "",
        "tests/test_none.py": "",
        "web/x-y.js": "",
        "web/x-y.test.js": "",
        "tests/conftest.py": "",
    },
    "learned": {
        "a.py": "",
        "b.py": "import a\n",
        "c.md": "# C\n",
        ".agentlas/learned_edges.json": '{"edges": [{"source": "a.py", "target": "b.py", "confidence": 0.3333335},'
        '{"source": "a.py", "target": "b.py", "confidence": 0.9}, {"source": "a.py", "target": "gone"},'
        '{"source": "c.md", "target": "c.md"}, {"source": "c.md", "target": "a.py", "confidence": 0.0000005},'
        '{"source": "c.md", "target": "b.py", "confidence": 1e-9},'
        '{"source": "b.py", "target": "c.md", "confidence": true},'
        '{"source": 1}, "x"]}',
        ".agentlas/learned_tags.json": '{"a.py": {"domain": "elsewhere", "confidence": 1, "source": "s", "x": "y"},'
        '"b.py": {"classification": "public", "sensitivity": "high", "component": true, "n": 1, "l": []},'
        '"c.md": {"classification": "sensitive", "placeholder": "true"}}',
    },
    "settings": {
        "a/x.py": "",
        "a/b/x.py": "",
        "b/x.md": "# X\n",
        "docs/public/y.md": "",
        "auth/deploy.py": "eval('1')\n",
        ".agentlas/oracl.toml": "[domains]\na = 'b'\nauth = ''\n[[override]]\npaths = 'a/'\n"
        "classification = 'confidential'\n"
        "usage = 33\n[[override]]\npaths = ['**/b/**', '/b']\nsensitivity = 'medium'\nclassification = 'public'\n"
        "estimated_savings = 5000\n[[override]]\npaths = ['*.p?']\nreview = 'approved'\n"
        "usage = -1\nsensitivity = 'no'\n",
        ".agentlas/constraints.toml": "[[constraint]]\nid = 'c'\nrule = 'r'\npaths = ['a/**', '*.md', 'nothing']\n"
        "[[constraint]]\nid = 'c'\nrule = 'again'\n[[constraint]]\nid = 'd'\n[[constraint]]\nid = 'e'\nrule = 'x'\n",
        "CODEOWNERS": "* @a\n/a/b/\nb/ @b # why\n# c\n[S]\n*.md\n",
        "docs/CODEOWNERS": "* @never\n",
    },
    "broken settings": {
        "a.py": "",
        ".agentlas/oracl.toml": "[",
        ".agentlas/constraints.toml": b"\xff",
        ".agentlas/learned_edges.json": "{",
        ".agentlas/learned_tags.json": "[1]",
        ".github/CODEOWNERS": b"\xff* @x\n",
    },
    "the same bytes under two suffixes": {
        "a.h": "#define X\n",
        "a.txt": "#define X\n",
        "b.md": "# t\n",
        "b.rst": "# t\n",
    },
    "case twins": {"Lib/a.py": D, "lib/A.py": D, "m.py": "import a\nfrom lib import A\nimport Lib.a\n'a.py' 'A.py'\n"},
    "odd names": {
        "CODEOWNERS": "* @a\n/we\\ ird/\n",
        "we ird/sp ace.md": "# t\n",
        "a/new\nline.md": "",
        "caf\u00e9/\u540d.md": "[x](../we%20ird/sp%20ace.md)\n",
        "-x/--y.md": "",
        "q'uo\"te.py": "",
        "back\\slash.md": "",
        "%41.md": "",
        "a+b/~c.md": "",
        "..x/y.md": "",
        "tab\t.md": "",
    },
    "names that are not UTF-8": {
        b"caf\xe9.md": "# t\n",
        b"d\xff/x.py": "",
        b"d\xff/y.md": "[x](x.py)\n",
        "m.md": "x.py\n",
    },
    "a domain with a colon": {"a:b/c.md": "# t\n", "b/c.md": "# t\n", "m.md": "[x](b/c.md)\n"},
    "a colon and bytes that are not UTF-8": {b"\xff:b/c.md": "# t\n"},
    "what stays out": {
        "x.png": b"\x89PNG",
        "package-lock.json": "{}",
        "a.min.js": "",
        "bin.txt": b"a\0b",
        "gen.py": "# @generated\n",
        ".agentlas/ontology-runtime.sqlite": "",
        "node_modules/x.js": "",
        "m.md": "[x](x.png) [y](gen.py) bin.txt\n",
    },
    "risks": {
        "auth/secret.py": "import subprocess, pickle, hashlib\nsubprocess.run('x', shell=True)\nsubprocess.Popen('y')\n"
        "pickle.loads(b'')\neval('1')\nexec('2')\nTOKEN = 'abcdefgh'\nPASSWORD = 'x1234567'\n",
        "legacy/oauth/login.py": "eval('1')\n",
        "site/versioned_docs/version-1/a.md": "",
        "draft/archive/x.md": "",
        "WIP/y.md": "",
    },
}


@pytest.mark.parametrize("name", FEATURES)
def test_features(name, tmp_path):
    graph_of(worlds.plain(FEATURES[name]), tmp_path)


def test_what_git_holds_besides_files(tmp_path):
    tree = worlds.plain(
        {"README.md": "[a](link) [b](module) [c](run)\n", "x/__init__.py": "", "m.py": "import link, x\n"}
    )
    tree[b"link"] = tree[b"link.py"] = tree[b"x/y.py"] = (worlds.LINK, b"README.md")
    tree[b"module"] = (worlds.MODULE, b"1" * 40)
    tree[b"run"] = (worlds.SCRIPT, b"#!/bin/sh\n")
    tree[b"CODEOWNERS"] = (worlds.LINK, b"README.md")
    graph_of(tree, tmp_path)


def test_relations_reach_what_they_mean(tmp_path):
    graph = graph_of(worlds.plain(FEATURES["an __init__ that imports its submodules"]), tmp_path)
    assert edges(graph, "imports") >= {
        ("pkg/__init__.py", "pkg/sub.py", "", 1_000_000),
        ("m.py", "pkg/sub.py", "", 1_000_000),
        ("m.py", "pkg/sub.py", "f", 1_000_000),
    }


# ------------------------------------------------------------------ caps


def wide(count: int) -> worlds.Tree:
    """Many modules between a file that imports them all and two that all of them import."""
    between = {
        f"m/m{n:03}.py": "from pkg import a\nimport pkg.b\n" if n % 2 else "import pkg.a\n" for n in range(count)
    }
    everything = "".join(f"import m.m{n:03}\n" for n in range(count)) + "import pkg.a\nimport pkg.b\n"
    links = "".join(f"[x](../m/m{n:03}.py) m/m{n:03}.py\n" for n in range(0, count, 3))
    return worlds.plain(
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "import pkg.b\n",
            "pkg/b.py": "",
            "all.py": everything,
            "docs/i.md": f"# I\n{links}\n[a](../pkg/a.py) [b](../pkg/b.py)\n",
            **between,
            ".agentlas/constraints.toml": "[[constraint]]\nid = 'm'\nrule = 'r'\npaths = ['m/', 'pkg/']\n",
        }
    )


@pytest.mark.parametrize("count", [249, 250, 251, 262])
def test_ties_at_the_cap(count, tmp_path):
    graph = graph_of(wide(count), tmp_path)
    assert max(row["deg"] for row in graph["nodes"]) > 250


# ------------------------------------------------------------------ any tree


@laws
@given(tree=worlds.trees(most=45))
def test_any_tree(tree):
    with tempfile.TemporaryDirectory() as place:
        agree(worlds.found(Path(place) / "repo", [worlds.Commit(tree)]))


# ------------------------------------------------------------------ real repositories


@pytest.mark.parametrize("source", [HERE, *OTHERS], ids=lambda path: path.name)
def test_real_repositories(source, tmp_path):
    if not (source / ".git").exists():
        pytest.skip("not in a clone")
    subprocess.run(["git", "clone", "-q", "--shared", str(source), str(tmp_path / "clone")], check=True)
    agree(tmp_path / "clone")
