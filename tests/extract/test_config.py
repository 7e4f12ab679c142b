"""YAML, TOML, JSON, INI: values that name files, modules and entry points, on their lines."""

from __future__ import annotations

from oracl_git.extract.extractor import extract


def rows(data: bytes, language: str) -> list[tuple[str, str, str, int]]:
    return [(r.kind, r.target, r.name, r.start) for r in extract(data, language).references]


def test_toml() -> None:
    data = b"""\
title = "x"
[project]
readme = "README.md"  # see docs/why.md
urls.home = "https://example.com/a.py"
[project.scripts]
tool = "pkg.cli:main"
short = "pkg:run"
[tool.mypy]
module = ["pkg.sub.*", "other.mod"]
version = "1.2.3"
"""
    assert rows(data, "toml") == [
        ("comment", "docs/why.md", "", 3),
        ("path", "README.md", "", 3),
        ("entry", "pkg.cli", "main", 6),
        ("entry", "pkg", "run", 7),
        ("module", "other.mod", "", 9),
        ("module", "pkg.sub", "", 9),
    ]
    assert extract(data, "toml").headings == (("title", 1), ("project", 2), ("project.scripts", 5), ("tool.mypy", 8))


def test_yaml() -> None:
    data = b"""\
on: push
"jobs":
  test:
    uses: ./actions/setup
    runs-on: ${{ matrix.os }}
    steps:
      - uses: actions/checkout@v4
      - run: scripts/test.sh --fast   # as in ci/README.md
      - run: python -m pkg.tool
        with: {image: "python:3", entry: pkg.mod:func}
"""
    assert rows(data, "yaml") == [
        ("path", "./actions/setup", "", 4),
        ("comment", "ci/README.md", "", 8),
        ("path", "scripts/test.sh", "", 8),
        ("module", "pkg.tool", "", 9),
        ("entry", "pkg.mod", "func", 10),
    ]
    assert extract(data, "yaml").headings == (("on", 1), ("jobs", 2))


def test_json() -> None:
    data = b"""\
{
  "main": "./lib/index.js",
  "bin": {"x": "bin/cli"},
  "scripts": {
    "build": "node scripts/build.js && tsc -p tsconfig.json"
  },
  "django": "app.settings.base",
  "license": "MIT"
}
"""
    assert rows(data, "json") == [
        ("path", "./lib/index.js", "", 2),
        ("provides", "./lib/index.js", "", 2),
        ("path", "bin/cli", "", 3),
        ("provides", "bin/cli", "", 3),
        ("path", "scripts/build.js", "", 5),
        ("path", "tsconfig.json", "", 5),
        ("module", "app.settings.base", "", 7),
    ]
    headings = extract(data, "json").headings
    assert headings == (("main", 2), ("bin", 3), ("scripts", 4), ("django", 7), ("license", 8))
    assert rows(b'{"a": "b/c.py"}\n{"a": "d/e.py"}\n', "json") == [("path", "b/c.py", "", 1), ("path", "d/e.py", "", 2)]


def test_ini() -> None:
    data = b"; from docs/a.txt\n[options.entry_points]\nconsole_scripts =\n  x = pkg.main:run\n[b]\nfile = src/x.cfg\n"
    assert rows(data, "ini") == [
        ("comment", "docs/a.txt", "", 1),
        ("entry", "pkg.main", "run", 4),
        ("path", "src/x.cfg", "", 6),
    ]
    assert extract(data, "ini").headings == (("options.entry_points", 2), ("b", 5))
