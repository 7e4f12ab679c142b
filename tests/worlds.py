"""Small worlds for laws: trees dense with cross-references, and histories of them.

Knows names and lines that refer to each other in every way linking knows, and
how a history becomes a bare repository in one `git fast-import`. Imports nothing
from the product.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

EPOCH = 1_700_000_000
FILE, SCRIPT, LINK, MODULE = "100644", "100755", "120000", "160000"

Tree = dict[bytes, tuple[str, bytes]]  # path → (mode, content)


@dataclass
class Commit:
    """One commit of a generated history; parents are indexes of earlier ones."""

    tree: Tree
    parents: list[int] = field(default_factory=list)
    message: str = "change"
    oid: str = ""
    skew: int = 0  # how many seconds the committer's clock was wrong


def found(path: Path, commits: list[Commit], *options: str) -> Path:
    """Make a bare repository of a history; HEAD is the last commit."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", *options, str(path)], check=True)
    stream = bytearray()
    for number, commit in enumerate(commits, 1):
        when = f"{EPOCH + 60 * number + commit.skew} +0000"
        stream += b"commit refs/heads/main\nmark :%d\n" % number
        stream += f"author A <a@example.com> {when}\ncommitter A <a@example.com> {when}\n".encode()
        message = commit.message.encode()
        stream += b"data %d\n%b\n" % (len(message), message)
        if commit.parents:
            stream += b"from :%d\n" % (commit.parents[0] + 1)
            stream += b"".join(b"merge :%d\n" % (parent + 1) for parent in commit.parents[1:])
        else:
            stream = stream.replace(
                b"commit refs/heads/main\nmark :%d\n" % number,
                b"reset refs/heads/main\ncommit refs/heads/main\nmark :%d\n" % number,
            )
        stream += b"deleteall\n"
        for name, (mode, content) in commit.tree.items():
            if mode == MODULE:
                stream += b"M %b %b %b\n" % (mode.encode(), content, quoted(name))
            else:
                stream += b"M %b inline %b\ndata %d\n%b\n" % (mode.encode(), quoted(name), len(content), content)
    done = subprocess.run(
        ["git", "fast-import", "--quiet", "--force", f"--export-marks={path}/marks"],
        cwd=path, input=bytes(stream), capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    for line in (path / "marks").read_text().splitlines():
        mark, oid = line.split()
        commits[int(mark[1:]) - 1].oid = oid
    return path


def quoted(path: bytes) -> bytes:
    """A path as fast-import reads it."""
    return b'"' + b"".join(
        bytes((byte,)) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte for byte in path
    ) + b'"'  # fmt: skip


def plain(files: dict[str | bytes, str | bytes]) -> Tree:
    """A tree of ordinary files."""
    return {
        (path.encode() if isinstance(path, str) else path): (
            FILE, content.encode() if isinstance(content, str) else content,
        )
        for path, content in files.items()
    }  # fmt: skip


# ------------------------------------------------------------------ what may stand where

PYTHON_PATHS = """
    src/pkg/__init__.py src/pkg/a.py src/pkg/b.py src/pkg/A.py src/pkg/sub/__init__.py src/pkg/sub/c.py
    src/pkg/types.pyi src/__init__.py lib/pkg/__init__.py pkg/a.py pkg.py pkg/sub.py ns/x/one.py ns/y/two.py
    other/__init__.py other/pkg/__init__.py other/pkg/a.py scripts/tool.py scripts/util.py util.py json.py
    tests/__init__.py tests/test_a.py tests/sub/test_c.py tests/test_sub_c.py tests/test_dup.py tests/conftest.py
    test_b.py pkg/__main__.py legacy/a.py auth/login.py
    c1/dup.py c2/dup.py c3/dup.py c4/dup.py c5/dup.py c6/dup.py c1/__init__.py
""".split()
PROSE_PATHS = """
    README.md README docs/index.md docs/guide.rst docs/todo.md docs/api/README.md docs/public/p.md docs/index.rst
    drafts/plan.md c1/dup.md c2/dup.md notes.txt docs/reports/audit.md index.md
""".split()
CONFIG_PATHS = "pyproject.toml setup.cfg config/app.yaml package.json conf/x.ini tox.ini".split()
OTHER_PATHS = """
    app/main.js app/util.ts app/util/index.js app/lib.test.js Makefile run.sh go.mod include/dup.h include/dup.txt
    package-lock.json image.png data.json app/Main.java app/MainTest.java
    cmd/run.go app/one.go app/two.go app/two_test.go app/deep/one.go sub/go.mod sub/three.go
    infra/main.tf infra/vars.tf infra/net/main.tf templates/base.html pkg/templates/page.html note.ipynb
    tools/pyproject.toml mkdocs.yml compose.yaml web/Dockerfile templates/index.html
    app/Other.java app/One.kt lib/Two.kt app/Three.cs lib/Four.cs lib/Lib.csproj app/GlobalUsings.cs
    lib/x.rb lib/x/y.rb spec/x_spec.rb php/src/One.php php/Two.php php/composer.json
    CMakeLists.txt app/CMakeLists.txt cmake/own.cmake api/a.proto api/sub/b.proto q/a.graphql q/b.graphql
    compile_commands.json cmd/compile_flags.txt app/c/one.c app/c/dup.h
    Cargo.toml crates/a/Cargo.toml crates/b/Cargo.toml
""".split()
ODD_PATHS = [b"we ird/sp ace.md", b"a/new\nline.md", "caf\u00e9/\u540d.md".encode(), b"pkg/n\xc3\xa9.py", b"-x/--y.md"]

PYTHON_LINES = [
    "import pkg", "import pkg.a", "import pkg.sub.c as c", "from pkg import a", "from pkg import b as bee",
    "from pkg import f", "from pkg import c", "from pkg import thing", "from pkg import sub", "from pkg import *",
    "from pkg.sub import c, f", "from pkg.sub.c import f", "from pkg.a import K", "from pkg.missing import x",
    "from . import a", "from . import b, sub", "from . import *", "from .a import *", "from .a import f, K",
    "from .b import thing", "from .sub import *", "from .sub import f as f", "from .sub.c import f as thing",
    "from .. import a", "from ..a import *", "from ..b import thing", "from ..pkg import f", "from ...too import far",
    "import json", "import requests", "import ns", "import ns.x.one", "from ns.y import two", "from ns import y",
    "import other.pkg", "from other.pkg import thing", "import util", "from util import f", "import dup",
    "from dup import f", "import c1.dup", "from c1 import dup", "import auth.login",
    "def f():\n    '''Doc.'''\n    return 1", "class K:\n    '''Doc.'''\n    def m(self):\n        pass",
    "thing = 3", "def thing(): pass", "def _private(): pass", "def m(): pass",
    "import subprocess\nsubprocess.run('x', shell=True)", "eval('1')", "eval('2')", "PASSWORD = 'hunter22'",
    "if __name__ == '__main__':\n    pass", "# see docs/guide.rst and src/pkg/a.py", "# dup.py", "P = 'docs/index.md'",
    "Q = 'dup.py'", "R = 'pkg/a.py'", "import importlib\nimportlib.import_module('pkg.sub')",
    "render(request, 'page.html')",
    "async def g(): pass", "def broken(:", "''':class:`pkg.a.K` and :func:`pkg.f`'''", "S = 'src/pkg/b.py'",
]  # fmt: skip
MARKDOWN_LINES = [
    "# Title", "## Install", "## Install", "[a](guide.rst)", "[b](../README.md#install)", "[c](/docs/index.md)",
    "[d](api/)", "[e](docs)", "[f](todo.md#x)", "[g](docs/todo.md)", "[h](sub%20dir/x.md)", "`pkg.a.f`",
    "`pkg.sub.c.K.m`", "`K.m`", "`pkg.thing`", "`pkg.f`", "see src/pkg/a.py", "see dup.py", "dup.md", "TODO", "TBD",
    "A placeholder.", "a.py", "<a href='todo.md'>x</a>", "pkg/a.py", "c1/dup.py", "[i](dup.md)", "words and words",
    "README.md", "```\nsrc/pkg/b.py\n```", "<!-- docs/index.md -->", "[j](docs/guide.rst)", "sub/c.py",
]  # fmt: skip
RST_LINES = [
    "Title\n=====\n", ".. toctree::\n\n   index\n   api/README\n   /guide\n   todo\n", ":doc:`/docs/index`",
    ":doc:`index`", ":class:`~pkg.a.K`", ":func:`pkg.f`", ".. include:: ../README.md", "`x <index.md>`_", "``dup.py``",
    "TODO", ".. _there:\n", ":meth:`K.m`", ".. automodule:: pkg.sub.c\n", "see src/pkg/a.py",
]  # fmt: skip
CONFIG_LINES = {
    "toml": [
        "[project.scripts]\ntool = \"pkg.a:f\"", "[tool.x]\npath = \"src/pkg/a.py\"", "module = \"pkg.sub.c\"",
        "files = [\"dup.py\", \"docs/index.md\"]", "backend = \"pkg.b\"", "# docs/guide.rst", "x = \"other.pkg:thing\"",
        "[project]\nname = \"pkg\"\ndependencies = [\"tool-box\"]", "[project]\nname = \"Tool_Box\"",
        '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/b"]', '[workspace]\nmembers = ["**/Cargo.toml"]',
        "[project.entry-points.y]\nz = \"pkg:f\"", "name = \"scripts/tool.py\"",
    ],
    "cfg": ["[options.entry_points]\nconsole_scripts =\n    t = pkg.a:f", "[x]\nfile = dup.py", "m = pkg.sub.c"],
    "yaml": ["run: scripts/tool.py", "mod: pkg.a", "entry: pkg.a:f", "# README.md", "f: dup.py", "d: docs/index.md",
             "build: ./web", "  - ./conf/x.ini:/etc/x.ini"],
    "json": ['{"main": "app/main.js"}', '{"x": ["pkg.a", "dup.py"]}', '{"y": "docs/todo.md"}', "{}", ""],
    "ini": ["[s]\npath = src/pkg/a.py", "; dup.md", "mod = pkg.b"],
}  # fmt: skip
SCRIPT_LINES = [
    "import x from './util'", "const u = require('./util.js')", "import {y} from '../app/main'",
    "import z from './gone'", "import q from 'lodash'", "export function main() {}", "// docs/index.md",
    "const p = 'src/pkg/a.py'",
    "export * from './util/index.js'", "class Main {}",
]  # fmt: skip
MORE_LINES = {
    "go": [
        "package app", "package main", 'import "x.org/top/app"', 'import d "x.org/top/app/deep"', 'import "x.org/sub"',
        'import "fmt"', "func One() {}", "func Two() { One(); app.One(); d.Deep() }", "type Deep struct{}",
        "var Three = 3",
        "//go:embed deep\nvar x string", "//go:embed *.js util",
        "func help() { sub.Three; help(); Deep{} }", "func One() { broken(",
    ],
    "mod": ["module x.org/top", "module x.org/sub", "require x.org/sub v1.0.0", "require x.org/top v1.0.0",
            "replace x.org/sub => ./sub"],
    "tf": ['variable "a" {}', 'resource "aws_x" "y" {\n  v = var.a\n}', 'module "net" {\n  source = "./net"\n}',
           "locals {\n  b = module.net.z\n}", 'output "o" {\n  value = aws_x.y.id\n}', "# ../compose.yaml"],
    "html": ['{% extends "base.html" %}', "{% include 'page.html' %}", "<a href='x'>",
             "<a href='../docs/'>", "<a href='../templates'>",
             "{% import './base.html' as b %}"],
    "ipynb": ['{"cells": [{"cell_type": "code",\n"source": [\n"from pkg import a\\n",\n"x = 1"\n]}]}'],
    "java": ["package org.x;", "import org.x.Main;", "import org.x.one.*;", "import static org.x.one.OneKt.go;",
             "public class Main { Other o; }", "class Other { Deep d; }", "class MainTest { Main m; }"],
    "kt": ["package org.x.one", "package org.x", "import org.x.Main", "import org.x.one.go as went",
           "fun go() { run() }", "class Deep { val m = Main() }", "fun run() {}"],
    "cs": ["using Top;", "global using Top.Low;", "namespace Top;", "namespace Top.Low;",
           "partial class Three { Four f; }", "class Four { Three<int> t; }", "class Three<T> { }",
           "using F = Top.Low.Four;"],
    "csproj": ['<Using Include="Top.Low" />', '<ProjectReference Include="..\\lib\\Lib.csproj" />'],
    "rb": ["require 'x'", "require_relative 'x/y'", "module X", "class Y; end", "end", "X::Y.new", "Y = 1",
           "autoload :Y"],
    "php": ["<?php", "namespace A;", "use A\\Two;", "class One extends Two {}", "class Two {}", "require 'Two.php';",
            "function go() { new \\A\\One(); go(); }"],
    "c": ['#include "dup.h"', "#include <dup.h>", "#include <c/dup.h>", "int one(void) { return 1; }"],
    "proto": ['import "sub/b.proto";', 'import "top/api/a.proto";', "message M {\n}", 'import "b.proto";', "// dup.md"],
    "graphql": ['#import "./b.graphql"', "type A {\n  b: B\n}", "type B { a: A }", "{ ...part }",
                "fragment part on A { b }"],
    "cmake": [
        "project(top)", "add_subdirectory(app)", "include(own)", "add_library(a ${CMAKE_CURRENT_SOURCE_DIR}/one.go)",
        "include(${PROJECT_SOURCE_DIR}/cmake/own.cmake)", "set(P_DIR app)", "list(APPEND CMAKE_MODULE_PATH cmake)",
        "add_executable(b ${P_DIR}/two.go util.ts)", "target_link_libraries(b a)", "file(GLOB X app/*.js pkg/*)",
        "file(GLOB_RECURSE Y *.py)", "function(own)\nendfunction()", "own(x)", "# docs/index.md",
    ],
    "yml": ["site_name: x", "nav:\n  - index.md\n  - docs/index.md", "uses: ./web", "docs_dir: notes",
            "include:\n  - local: docs/../a.yml\n  - local: /**/d*.yml", "  - local: '*/*.yml'",
            "a:\n  script: ./run.sh", '{{ define "a.b" }}\n{{ end }}', 'a: {{ include "a.b" . }}'],
}  # fmt: skip
COMPILED = [
    '[{"directory": "/w/top/b", "file": "../app/c/one.c", "command": "cc -I../include -I /w/top/app -c x"}]',
    "-Iinclude",
    '[{"directory": ".", "file": "app/c/one.c", "arguments": ["cc", "-I", "c2", "-isystem", "include"]}]', "-I../app",
]
SHELL_LINES = [
    "#!/bin/sh", ". ./run.sh", "python scripts/tool.py", "python -m pkg", "python -m pkg.sub", "cat docs/index.md",
    "all:\n\tpython scripts/util.py", "sh run.sh", "# dup.py",
]  # fmt: skip
GOVERNANCE_LINES: dict[bytes, list[str]] = {
    b".agentlas/oracl.toml": [
        "[[override]]\npaths = ['src/**', 'docs/*.md']\nclassification = 'sensitive'\n",
        "[[override]]\npaths = 'a.py'\nsensitivity = 'high'\nusage = 70\n",
        "[[override]]\npaths = ['/src/pkg/']\nestimated_savings = 400\nreview = 'approved'\n",
        "[[override]]\npaths = ['*.md']\nclassification = 'secretish'\nreview = 'draft'\n",
        "[domains]\nsrc = 'product'\nns = 'root'\nscripts = 'core'\n", "broken = [",
    ],
    b".agentlas/constraints.toml": [
        "[[constraint]]\nid = 'one'\nrule = 'r'\npaths = ['src/**', 'docs/']\n",
        "[[constraint]]\nid = 'two'\nrule = 'r'\npaths = ['*.py']\n",
        "[[constraint]]\nid = 'a: b/\u00e9'\nrule = 'r'\npaths = ['dup.*', 'c?/dup.md', '**/sub/*.py']\n",
        "[[constraint]]\nid = 'none'\nrule = 'r'\n", "[[constraint]]\nid = ''\nrule = 'r'\n",
    ],
    b".agentlas/learned_constraints.toml": [
        "[[constraint]]\nid = 'two'\nrule = 'r'\npaths = ['src/']\n",
        "[[constraint]]\nid = 'three'\nrule = 'r'\npaths = ['README.md', '*.txt']\n", "[[constraint]", "",
    ],
    b".agentlas/learned_edges.json": [
        ('[{"source": "src/pkg/a.py", "target": "README.md", "confidence": 0.25},'
         ' {"source": "README.md", "target": "src/pkg/b.py"}]'),
        ('{"edges": [{"source": "docs/index.md", "target": "src/pkg/a.py", "confidence": 0.333},'
         ' {"source": "tests/test_a.py", "target": "src/pkg/a.py", "confidence": 1}]}'),
        '[{"source": "a", "target": "b", "confidence": 2}, 3]', "{", "[]",
    ],
    b".agentlas/learned_tags.json": [
        '{"src/pkg/a.py": {"classification": "confidential", "confidence": 0.5, "source": "x", "topic": "parsing"}}',
        ('{"tags": {"README.md": {"domain": "product", "classification": "public", "sensitivity": "medium"},'
         ' "src/pkg/b.py": {"sensitivity": "low", "done": true, "n": 4}}}'),
        '{"README.md": 1}', "null",
    ],
    b"CODEOWNERS": ["* @all", "src/ @core", "*.md", "/docs/ @docs", "# nothing", "[Section]", "a.py @one @two"],
    b".github/CODEOWNERS": ["*.py @py", "/src/pkg/sub/", "**/sub @x"],
}  # fmt: skip


def lines_for(path: bytes) -> list[str]:
    """The lines that a generated file of that name is made of."""
    if path in GOVERNANCE_LINES:
        return GOVERNANCE_LINES[path]
    suffix = path.rpartition(b".")[2].decode("latin-1")
    if suffix in ("py", "pyi"):
        return PYTHON_LINES
    if suffix == "rst":
        return RST_LINES
    if suffix in ("js", "ts"):
        return SCRIPT_LINES
    if path in (b"Makefile", b"run.sh"):
        return SHELL_LINES
    if path.rpartition(b"/")[2].startswith(b"compile_"):
        return COMPILED
    if path.endswith(b"CMakeLists.txt"):
        return MORE_LINES["cmake"]
    return CONFIG_LINES.get(suffix) or MORE_LINES.get(suffix) or MARKDOWN_LINES


PATHS = sorted(
    [path.encode() for path in [*PYTHON_PATHS, *PROSE_PATHS, *CONFIG_PATHS, *OTHER_PATHS]]
    + ODD_PATHS
    + list(GOVERNANCE_LINES)
)
JSON_GOVERNANCE = {path for path in GOVERNANCE_LINES if path.endswith(b".json")}


@st.composite
def contents(draw: st.DrawFn, path: bytes) -> tuple[str, bytes]:
    """(mode, content) for a path."""
    shape = draw(st.integers(0, 39))
    if shape == 0:
        return LINK, draw(st.sampled_from([b"README.md", b"/etc/passwd", b"gone"]))
    if shape == 1:
        return MODULE, draw(st.sampled_from([b"1" * 40, b"2" * 40]))
    if shape == 2:
        odd = [b"", b"\0binary", b"\xff\xfe\xfa latin \xe9\n", b"x" * 3000, b"# @generated\n"]
        return FILE, draw(st.sampled_from(odd))
    most = 1 if path in JSON_GOVERNANCE or path == b"compile_commands.json" else 6
    lines = draw(st.lists(st.sampled_from(lines_for(path)), max_size=most, unique=True))
    return (SCRIPT if shape == 3 else FILE), "".join(line + "\n" for line in lines).encode()


def fits(tree: Tree, path: bytes) -> bool:
    """Whether a path can be added: it lies below no file, and nothing lies below it."""
    parts = path.split(b"/")
    above = (b"/".join(parts[:depth]) for depth in range(1, len(parts)))
    return not any(place in tree for place in above) and not any(other.startswith(path + b"/") for other in tree)


@st.composite
def trees(draw: st.DrawFn, least: int = 4, most: int = 30) -> Tree:
    """A tree."""
    tree: Tree = {}
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=least, max_size=most, unique=True)):
        if fits(tree, path):
            tree[path] = draw(contents(path))
    return tree


@st.composite
def edits(draw: st.DrawFn, tree: Tree) -> Tree:
    """The tree after one or several edits."""
    tree = dict(tree)
    for _ in range(draw(st.integers(1, 4))):
        action = draw(st.sampled_from("write write write delete rename copy chmod swap".split()))
        standing = sorted(tree)
        if action == "write" or not standing:
            path = draw(st.sampled_from(PATHS))
            if fits(tree, path) or path in tree:
                tree[path] = draw(contents(path))
            continue
        path = draw(st.sampled_from(standing))
        mode, content = tree[path]
        if action == "delete":
            del tree[path]
        elif action == "chmod":
            tree[path] = ({FILE: SCRIPT, SCRIPT: FILE}.get(mode, mode), content)
        else:
            other = draw(st.sampled_from(PATHS))
            if action == "swap" and other in tree:
                tree[path], tree[other] = tree[other], tree[path]
            elif fits(tree, other):
                tree[other] = (mode, content)
                if action == "rename":
                    del tree[path]
    return tree


@st.composite
def histories(draw: st.DrawFn, most: int = 7) -> list[Commit]:
    """A history with branches, merges and reverts; commits come after their parents."""
    commits = [Commit(draw(trees()))]
    for number in range(1, draw(st.integers(2, most))):
        shape = draw(st.integers(0, 9))
        parent = number - 1 if shape < 7 else draw(st.integers(0, number - 1))
        if shape == 9 and number > 1:
            other = draw(st.integers(0, number - 1).filter(lambda n, parent=parent: n != parent))
            merged = {**commits[parent].tree, **_mergeable(commits, parent, other)}
            commits.append(Commit(merged, [parent, other], "merge"))
        elif shape == 8:
            back = draw(st.integers(0, number - 1))
            commits.append(Commit(dict(commits[back].tree), [parent], "revert"))
        else:
            message = draw(st.sampled_from(["change", "fix the parser", "docs: say more about pkg", ""]))
            commits.append(Commit(draw(edits(commits[parent].tree)), [parent], message))
    return commits


def _mergeable(commits: list[Commit], parent: int, other: int) -> Tree:
    tree = dict(commits[parent].tree)
    return {path: value for path, value in commits[other].tree.items() if path in tree or fits(tree, path)}
