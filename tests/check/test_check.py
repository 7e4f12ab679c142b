"""What `git oracl check` reports, and what it must be silent about."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

World = Any
KEY = """\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ
-----END OPENSSH PRIVATE KEY-----
"""


# -- references that break ------------------------------------------------------------------


def test_nothing_changed(world: World) -> None:
    assert world.check() == [] == world.check("--all")


def test_links_to_a_deleted_file(world: World) -> None:
    world.git("rm", "-q", "docs/guide.md")
    assert world.check() == [
        "README.md:3: broken-link: docs/guide.md leads nowhere: docs/guide.md is gone",
        "docs/index.md:3: broken-link: guide.md leads nowhere: docs/guide.md is gone",
    ]


def test_a_rename_is_named_and_fixed(world: World) -> None:
    world.git("mv", "docs/guide.md", "docs/manual.md")
    assert world.check() == [
        "README.md:3: broken-link: docs/guide.md leads nowhere: docs/guide.md is now docs/manual.md",
        "docs/index.md:3: broken-link: guide.md leads nowhere: docs/guide.md is now docs/manual.md",
    ]
    done = world.run("--fix", code=1)
    assert "[now docs/manual.md]" in done.stdout and "2 references rewritten in the work tree" in done.stderr
    assert "[Guide](manual.md#start)" in (world.path / "docs/index.md").read_text()
    assert "[guide](docs/manual.md)" in (world.path / "README.md").read_text()
    assert world.check() == []


def test_a_file_that_moves_takes_its_links_along(world: World) -> None:
    (world.path / "docs/old").mkdir()
    world.git("mv", "docs/index.md", "docs/old/index.md")
    lines = world.check()
    assert "docs/old/index.md:3: broken-link: guide.md leads nowhere: docs/guide.md is not found from here" in lines
    assert any(line.startswith("docs/guide.md:5: broken-link: index.md") for line in lines)
    world.run("--fix", code=1)
    assert "[Guide](../guide.md#start) and [Core](../../pkg/core.py)" in (world.path / "docs/old/index.md").read_text()
    assert "[Back](old/index.md)" in (world.path / "docs/guide.md").read_text()
    assert world.check() == []


def test_only_references_are_rewritten(world: World) -> None:
    """The same letters in prose, in code, in a comment or as another name are no reference."""
    files = {
        "docs/notes.md": "Some [a](guide.md) and [b](guide.md).\n\nguide.md is `guide.md`: the guide.\n\n"
        "```sh\ncat guide.md\n```\n\n[c]: guide.md#start\n",
        "docs/notes.rst": "The :doc:`guide` is the guide.\n\n.. include:: guide.md\n",
        "setup.cfg": "[metadata]\nlong_description = file: docs/guide.md\n# docs/guide.md is read\n",
        "mkdocs.yml": "site_name: x\nnav:\n  - Guide: guide.md\n",
        "pkg/steps.py": "def steps():\n    return 1\n\n\nMORE = 2\n",
        "pkg/user.py": "from pkg.steps import (\n    MORE,\n    steps,\n)\n"
        "from pkg.steps import steps as other  # of pkg.steps\n"
        'print("pkg.steps")\ntry:\n    from pkg.steps import nothing\nexcept ImportError:\n    pass\n',
        "web/b.ts": "export const a = 1\n",
        "web/a.ts": "import {\n  a,\n} from './b'\nconsole.log('./b')\n",
    }
    for name, text in files.items():
        (world.path / name).parent.mkdir(exist_ok=True)
        (world.path / name).write_text(text)
    world.git("add", "-A")
    world.git("commit", "-qm", "more")
    world.git("mv", "docs/guide.md", "docs/manual.md")
    world.git("mv", "pkg/steps.py", "pkg/stairs.py")
    world.git("mv", "web/b.ts", "web/c.ts")
    before = json.loads(world.run("--json", code=1).stdout)["findings"]
    fixed = json.loads(world.run("--fix", "--json", code=1).stdout)["findings"]
    assert len(before) == len(fixed) and all(finding["fixed"] for finding in fixed)
    right = {
        "docs/notes.md": "Some [a](manual.md) and [b](manual.md).\n\nguide.md is `guide.md`: the guide.\n\n"
        "```sh\ncat guide.md\n```\n\n[c]: manual.md#start\n",
        "docs/notes.rst": "The :doc:`manual` is the guide.\n\n.. include:: manual.md\n",
        "setup.cfg": "[metadata]\nlong_description = file: docs/manual.md\n# docs/guide.md is read\n",
        "mkdocs.yml": "site_name: x\nnav:\n  - Guide: manual.md\n",
        "pkg/user.py": files["pkg/user.py"].replace("from pkg.steps import (", "from pkg.stairs import (").replace(
            "from pkg.steps import steps as", "from pkg.stairs import steps as"
        ),
        "web/a.ts": "import {\n  a,\n} from './c'\nconsole.log('./b')\n",
    }
    assert {name: (world.path / name).read_text() for name in right} == right
    assert world.check() == []


def test_a_module_is_rewritten_and_not_the_name_it_shares(world: World) -> None:
    (world.path / "pkg/same.py").write_text("def same():\n    return 1\n")
    (world.path / "pkg/user.py").write_text("from pkg.same import same\nfrom .same import same as again\nsame()\n")
    world.git("add", "-A")
    world.git("commit", "-qm", "more")
    world.git("mv", "pkg/same.py", "pkg/other.py")
    world.run("--fix", code=1)
    assert (world.path / "pkg/user.py").read_text() == (
        "from pkg.other import same\nfrom .other import same as again\nsame()\n"
    )


def test_rst(world: World) -> None:
    world.git("mv", "docs/more.rst", "docs/less.rst")
    world.git("rm", "-q", "docs/part.rst")
    assert world.check() == [
        "docs/api.rst:4: broken-link: part.rst leads nowhere: docs/part.rst is gone",
        "docs/api.rst:8: broken-link: more leads nowhere: docs/more.rst is now docs/less.rst",
    ]
    world.run("--fix", code=1)
    text = (world.path / "docs/api.rst").read_text()
    assert "   less\n" in text and ":doc:`less`" in text


def test_configured_paths_scripts_images_and_directories(world: World) -> None:
    world.git("rm", "-q", "scripts/step.py", "docs/img/plan.txt")
    world.git("mv", "README.md", "READ.md")
    lines = world.check()
    assert "scripts/build.sh:2: broken-link: scripts/step.py leads nowhere: scripts/step.py is gone" in lines
    assert "docs/index.md:5: broken-link: img/plan.txt leads nowhere: docs/img/plan.txt is gone" in lines
    assert "pyproject.toml:3: broken-link: README.md leads nowhere: README.md is now READ.md" in lines
    world.git("rm", "-qrf", "docs")
    assert "READ.md:3: broken-link: docs/ leads nowhere: docs/index.md is gone" in world.check()


def test_names_that_are_no_longer_defined(world: World) -> None:
    world.edit("pkg/core.py", "def helper():\n    return LIMIT\n", "def assist():\n    return LIMIT\n")
    assert world.check() == ["tests/test_core.py:1: broken-import: pkg.core no longer defines helper"]


def test_a_module_that_becomes_a_package_without_the_name(world: World) -> None:
    (world.path / "pkg/core").mkdir()
    world.git("mv", "pkg/core.py", "pkg/core/_old.py")
    world.write("pkg/core/__init__.py", "from ._old import LIMIT, run\n")
    assert world.check()[1:] == ["tests/test_core.py:1: broken-import: pkg.core no longer defines helper"]


def test_modules_that_are_gone(world: World) -> None:
    world.git("mv", "pkg/util.py", "pkg/tools.py")
    assert world.check() == [
        "pkg/sub/deep.py:1: broken-import: cannot import ..util.tidy: pkg/util.py is now pkg/tools.py",
        "tests/test_core.py:2: broken-import: cannot import pkg.util: pkg/util.py is now pkg/tools.py",
    ]
    world.run("--fix", code=1)
    assert (world.path / "pkg/sub/deep.py").read_text().startswith("from ..tools import tidy\n")
    world.git("checkout", "-q", "-f", "HEAD", ".")
    world.git("rm", "-qf", "pkg/core.py", "pkg/tools.py")
    lines = world.check()
    assert "pkg/__init__.py:1: broken-import: cannot import .core.run: pkg/core.py is gone" in lines
    assert "pkg/sub/deep.py:2: broken-import: cannot import ...core: pkg/core.py is gone" in lines or any(
        line.startswith("pkg/sub/deep.py:2: broken-import: cannot import ") for line in lines
    )


@pytest.mark.parametrize("text", [
    "try:\n    from pkg.util import tidy\nexcept ImportError:\n    tidy = None\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pkg.util import tidy\n",
    "import pytest\ndef test():\n    with pytest.raises(ImportError):\n        from pkg.util import tidy\n",
    "import contextlib\nwith contextlib.suppress(ImportError):\n    import pkg.util\n",
    "'''\nfrom pkg.util import tidy\n'''\n",
    "from pkg.util import tidy  # oracl: ignore\n",
    "# oracl: ignore[broken-import]\nfrom pkg.util import tidy\n",
    "from pkg.util import never_was\n",
    "import pkg.util.x as = broken syntax\n",
])  # fmt: skip
def test_imports_that_are_no_alarm(world: World, text: str) -> None:
    world.write("pkg/user.py", text)
    world.commit()
    world.git("rm", "-qr", "pkg/util.py", "pkg/sub", "tests/test_core.py")
    assert world.check() == []


@pytest.mark.parametrize("text", [
    "from os import *\n",
    "def __getattr__(name):\n    return name\n",
    "globals()['helper'] = 1\n",
    "import sys\nsys.modules[__name__] = object()\n",
    "if 1:\n    def helper():\n        pass\nelse:\n    LIMIT = 1\n",
    "try:\n    from fast import helper, LIMIT\nexcept ImportError:\n    pass\n",
    "def set():\n    global helper, LIMIT\n",
    "for helper in range(3):\n    with open('x') as LIMIT:\n        pass\n",
    "print(helper := 3, LIMIT := 4)\n",
    "def (\n",
])  # fmt: skip
def test_modules_that_may_still_define_it(world: World, text: str) -> None:
    world.write("pkg/core.py", "def run(): pass\n" + text)
    assert world.check() == []


def test_a_namesake_that_a_loader_may_find(world: World) -> None:
    world.write("plugins/pkg/util.py", "def tidy(quickly): return quickly\n")
    world.write("plugins/modules/user.py", "from pkg.util import tidy\n")
    world.commit()
    world.git("rm", "-q", "pkg/util.py", "tests/test_core.py", "pkg/sub/deep.py")
    assert world.check() == []


def test_what_takes_the_place_of_a_module(world: World) -> None:
    for name in ("pkg/util/__init__.py", "pkg/util.pyx", "pkg/util.pyi", "pkg/util.py.in", "pkg/util.c"):
        world.git("rm", "-qf", "pkg/util.py")
        world.write(name, "def tidy(): ...\n")
        assert world.check() == [], name
        world.git("reset", "-q", "--hard")


def test_a_generated_file_is_not_missing(world: World) -> None:
    world.write(".gitignore", "util.py\n/docs/guide.md\n")
    world.git("rm", "-q", "pkg/util.py", "docs/guide.md")
    assert world.check() == []


def test_a_vendored_package_that_becomes_a_dependency(world: World) -> None:
    world.write("vendored.py", "def f(): pass\n")
    world.write("app.py", "from vendored import f\n")
    world.commit()
    world.git("rm", "-q", "vendored.py")
    assert world.check() == []  # it may be installed


def test_links_that_are_no_alarm(world: World) -> None:
    world.write("docs/odd.md", """# Odd
[a](https://example.com/guide.md) [b](guide.html) [c](#guide.md) [d](mailto:guide.md) [e]({{ root }}/guide.md)
[f](../other-repository/guide.md) [g](*.md) [h](<never was/guide.md>) `guide.md`

    [i](guide.md)

```md
[j](guide.md)
```
<!-- [k](guide.md) -->
[l](guide.md) <!-- oracl: ignore[broken-link] -->
""".replace("    [i](guide.md)\n", ""))  # fmt: skip
    world.commit()
    world.git("rm", "-q", "docs/guide.md", "docs/index.md", "README.md", "pyproject.toml")
    assert world.check() == []


@pytest.mark.parametrize(("path", "text"), [
    ("setup.cfg", "[flake8]\nexclude = build,scripts/step.py\n"),
    ("setup.cfg", "[flake8]\nmax = 1\nexclude =\n    build\n    scripts/step.py\n"),
    ("ruff.toml", '[lint.per-file-ignores]\n"scripts/step.py" = ["E1"]\n'),
    ("pyproject.toml", '[tool.x]\nextend-exclude = [\n    "build",\n    "scripts/step.py",\n]\n'),
    (".github/workflows/a.yml", "on:\n  push:\n    paths-ignore:\n      - docs\n      - scripts/step.py\n"),
    (".pre-commit-config.yaml", "repos:\n- repo: x\n  hooks:\n  - id: y\n    exclude: scripts/step.py\n"),
    ("Makefile", "lint:\n\tlint --exclude=scripts/step.py .\n"),
    ("Makefile", "clean:\n\t-rm scripts/step.py\n"),
])  # fmt: skip
def test_what_is_left_out_may_be_gone(world: World, path: str, text: str) -> None:
    world.write(path, text)
    world.git("rm", "-q", "scripts/build.sh")
    world.commit()
    world.git("rm", "-q", "scripts/step.py")
    assert world.check() == []
    world.git("reset", "-q", "--hard")
    world.write(path, re.sub("(extend-)?exclude|paths-ignore|per-file-ignores", "include", text).replace("-rm", "cat"))
    world.commit()
    world.git("rm", "-q", "scripts/step.py")
    assert len(world.check()) == 1


def test_a_page_that_is_served_as_a_directory(world: World) -> None:
    world.write("docs/user/README.md", "x\n")
    world.write("docs/index.md", "[User](../user) [User](./user) [User](/docs/user) [Guide](/docs/guide)\n")
    world.commit()
    world.git("mv", "docs/user/README.md", "docs/user.md")
    assert world.check() == []
    world.git("mv", "docs/guide.md", "docs/manual.md")
    assert [line for line in world.check() if "/docs/guide " in line] == []  # a place of the site


def test_a_key_is_no_path(world: World) -> None:
    world.write("report.json", '{"files": {"scripts/step.py": {"lines": 3}}}\n')
    world.git("rm", "-q", "scripts/build.sh")
    world.commit()
    world.git("rm", "-q", "scripts/step.py")
    assert world.check() == []


def test_a_page_as_a_site_has_it(world: World) -> None:
    world.write("docs/guide/plan.txt", "x\n")
    world.write("docs/index.md", "[Guide](./guide) and [more](./more/)\n")
    world.commit()
    world.git("rm", "-q", "docs/guide/plan.txt")
    assert world.check() == []
    world.git("mv", "docs/guide.md", "docs/manual.md")
    assert [line.split(": ")[0] for line in world.check() if "index.md" in line] == ["docs/index.md:1"]
    world.run("--fix", code=1)
    assert "[Guide](./manual)" in (world.path / "docs/index.md").read_text()


@pytest.mark.parametrize("text", [
    "from pkg.lazy import attach\nattach(__name__, {'core.run': ('./core.py', 'run')})\n",
    "import sys\nsys.modules['pkg.core'] = sys\n",
    "__all__ = ['core']\n",
    "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n",
])  # fmt: skip
def test_a_package_that_is_built(world: World, text: str) -> None:
    world.write("pkg/__init__.py", text)
    world.commit()
    world.git("rm", "-q", "pkg/core.py")
    assert [line for line in world.check() if "broken-import" in line] == []


def test_data_is_no_configuration(world: World) -> None:
    world.write("tests/fixtures/page.json", '{"text": "See README.md and docs/guide.md"}\n')
    world.write("services/mail/app/conf.yaml", "about: README.md\n")
    world.write("packages/one/package.json", '{"scripts": {"build": "sh scripts/build.sh"}}\n')  # of its own scripts/
    world.commit()
    world.git("rm", "-q", "README.md", "docs/guide.md", "pyproject.toml", "docs/index.md", "scripts/build.sh")
    assert world.check() == []


def test_debt_is_not_reported_but_by_all(world: World) -> None:
    world.write("docs/debt.md", "[x](nowhere.md) [of the site](/index.md)\n")
    world.write("pkg/debt.py", "from .core import nothing\nfrom .nowhere import x\n")
    world.commit()
    world.write("pkg/debt.py", "from .core import nothing\nfrom .nowhere import x\n\nMORE = 1\n")
    assert world.check() == []
    assert world.check("--all") == [
        "docs/debt.md:1: broken-link: nowhere.md leads nowhere",
        "pkg/debt.py:1: broken-import: .core does not define nothing",
        "pkg/debt.py:2: broken-import: there is no module .nowhere",
    ]


# -- secrets --------------------------------------------------------------------------------


def test_keys_and_stores(world: World) -> None:
    world.write("deploy", KEY)
    world.write("rsa.pem", KEY.replace("OPENSSH", "RSA"))
    world.write("pkcs8.pem", KEY.replace("OPENSSH ", ""))
    world.write(".env", "DEBUG=1\nAPI_TOKEN=a81bc81bdead4e5d\n")
    world.write(".agentlas/ontology-runtime.sqlite", b"SQLite format 3\0")
    world.write(".agentlas/copy.db", b"SQLite format 3\0")
    lines = world.check(force="1")
    assert [line.split(": ")[:2] for line in lines] == [
        [".agentlas/copy.db:1", "private-store"], [".agentlas/ontology-runtime.sqlite:1", "private-store"],
        [".env:2", "key-file"], ["deploy:1", "key-file"], ["pkcs8.pem:1", "key-file"], ["rsa.pem:1", "key-file"],
    ]  # fmt: skip
    world.commit()
    world.edit(".env", "DEBUG=1", "DEBUG=0")
    assert world.check() == []  # it is there already


@pytest.mark.parametrize(("path", "text"), [
    ("tests/server.pem", KEY),
    ("public.pem", KEY.replace("PRIVATE", "PUBLIC")),
    ("docs/keys.md", "# Keys\n\n" + KEY),
    ("app.py", f"KEY = '''{KEY}'''\n"),
    ("marker.txt", "-----BEGIN PRIVATE KEY-----\n"),
    (".env.example", "API_TOKEN=a81bc81bdead4e5d\n"),
    (".env", "API_TOKEN=\nPASSWORD=changeme\nSECRET=${VAULT}\nTOKEN=<your token>\n"),
    ("deploy.env.py", "API_TOKEN=a81bc81bdead4e5d\n"),
])  # fmt: skip
def test_what_is_no_secret(world: World, path: str, text: str) -> None:
    world.write(path, text)
    assert world.check() == []


# -- rules ----------------------------------------------------------------------------------


def test_constraints(world: World) -> None:
    world.write(".agentlas/constraints.toml", """
[[constraint]]
id = "frozen"
rule = "The core is frozen."
paths = ["pkg/core.py"]
severity = "error"
owner = "@core"
forbid = ["edit", "delete"]
""")  # fmt: skip
    world.write(".agentlas/learned_constraints.toml", """
[[constraint]]
id = "no-core"
rule = "Tools stand alone."
paths = ["pkg/util.py"]
forbid = ["import:pkg/core.py", "import:requests"]
[[constraint]]
id = "keep"
rule = "People link here."
paths = ["docs/**"]
severity = "info"
forbid = ["delete"]
""")  # fmt: skip
    world.commit()
    world.edit("pkg/core.py", "LIMIT = 3", "LIMIT = 4")
    assert world.check() == [
        "pkg/core.py:1: constraint: frozen: The core is frozen. (ask @core); this change changes pkg/core.py"
    ]
    world.git("reset", "-q", "--hard")
    world.edit("pkg/util.py", "def", "import requests.sessions\nfrom . import core\nimport os\ndef")
    done = world.git("add", "-A") or world.run(code=0)  # a warning does not fail
    assert done.stdout.splitlines() == [
        "pkg/util.py:1: constraint: (warn) no-core: Tools stand alone.; this change imports requests.sessions",
        "pkg/util.py:2: constraint: (warn) no-core: Tools stand alone.; this change imports pkg/core.py",
    ]
    world.commit()
    world.edit("pkg/util.py", "import os\n", "import sys\n")
    assert world.check() == []  # they were there
    world.git("mv", "docs/part.rst", "docs/piece.rst")
    assert world.run(code=1).stdout.splitlines()[-1].startswith("docs/piece.rst:1: constraint: (info) keep: People")


# -- which change, which form ---------------------------------------------------------------


def test_ranges(world: World) -> None:
    base = world.git("rev-parse", "HEAD")
    world.git("checkout", "-q", "-b", "topic")
    world.git("rm", "-q", "docs/guide.md")
    world.commit()
    world.git("checkout", "-q", "main")
    world.write("pkg/new.py", "X = 1\n")
    world.commit()
    world.git("checkout", "-q", "topic")
    for span in (f"{base}..topic", "main...topic", "main...", "HEAD~1", "HEAD~1.."):
        lines = world.run(span, code=1).stdout.splitlines()
        assert [line.split(": ")[0] for line in lines] == ["README.md:3", "docs/index.md:3"], span
    assert world.run(code=0).stdout == ""
    assert world.run("nowhere..HEAD", code=2).stderr.startswith("git-oracl: no commit is named 'nowhere'")
    assert world.run("--staged", "HEAD~1", code=2)
    env = {"PRE_COMMIT_FROM_REF": "main", "PRE_COMMIT_TO_REF": "topic"}
    assert len(world.run(code=1, **env).stdout.splitlines()) == 2


def test_the_index_git_names(world: World) -> None:
    """`git commit FILE` and `git commit -a` make an index of their own for the hook."""
    hook = world.path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nexec git oracl check\n")
    hook.chmod(0o755)
    world.write("pkg/new.py", "X = 1\n")
    world.git("add", "-A")
    world.git("rm", "-q", "--cached", "docs/more.rst")
    world.git("commit", "-q", "-m", "only this", "pkg/new.py")
    assert world.git("show", "--name-only", "--format=", "HEAD") == "pkg/new.py"
    done = subprocess.run(["git", "commit", "-q", "-m", "x"], cwd=world.path, capture_output=True, text=True)
    assert done.returncode == 1 and "docs/api.rst:8: broken-link: more leads nowhere" in done.stdout + done.stderr


def test_from_a_subdirectory_a_bare_repository_and_without_a_commit(world: World, tmp_path: Path) -> None:
    world.git("rm", "-q", "docs/guide.md")
    assert len(world.run(code=1, cwd="docs").stdout.splitlines()) == 2
    world.commit()
    world.git("clone", "-q", "--bare", ".", "../bare.git")
    bare = type(world)(tmp_path / "bare.git")
    assert len(bare.run("HEAD~1..HEAD", code=1).stdout.splitlines()) == 2
    fresh = type(world)(tmp_path / "fresh")
    fresh.path.mkdir()
    fresh.git("init", "-q")
    fresh.write("id", KEY)
    assert fresh.check() == [
        "id:1: key-file: this is a private key: git rm --cached it, and replace the key if it was pushed"
    ]


def test_json_sarif_and_baseline(world: World) -> None:
    world.git("mv", "docs/guide.md", "docs/manual.md")
    data = json.loads(world.run("--json", code=1).stdout)
    assert data["schema"] == 1 and data["findings"][0] == {
        "path": "README.md", "line": 3, "code": "broken-link", "severity": "error", "target": "docs/guide.md",
        "message": "docs/guide.md leads nowhere: docs/guide.md is now docs/manual.md",
        "replacement": "docs/manual.md", "fixed": False,
    }  # fmt: skip
    log: Any = json.loads(world.run("--sarif", code=1).stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    result = run["results"][0]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "broken-link"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "README.md" and place["region"]["startLine"] == 3
    world.run("--write-baseline", "known.txt", code=0)
    assert world.run("--baseline", "known.txt", code=0).stdout == ""
    world.git("rm", "-q", "docs/more.rst")
    assert world.run("--baseline", "known.txt", code=1).stdout.startswith("docs/api.rst:8: broken-link")
    assert world.run("--baseline", "none.txt", code=2)


def test_a_baseline_holds_paths_with_a_carriage_return_and_may_have_such_ends(world: World) -> None:
    world.write("a\rb.md", "[x](docs/guide.md)\n")
    world.git("add", "-A")
    world.git("commit", "-qm", "odd")
    world.git("rm", "-q", "docs/guide.md")
    world.run("--write-baseline", "known.txt", code=0)
    assert world.run("--baseline", "known.txt", code=0).stdout == ""
    known = world.path / "known.txt"
    known.write_bytes(known.read_bytes().replace(b"\n", b"\r\n"))
    assert world.run("--baseline", "known.txt", code=0).stdout == ""


def test_sarif_has_what_its_schema_requires(world: World) -> None:
    """The schema is not ours to ship: the required properties of SARIF 2.1.0 and the values it allows, by hand."""
    world.git("mv", "docs/guide.md", "docs/a guide.md")
    world.write("deploy.pem", KEY)
    log: Any = json.loads(world.git("add", "-A") or world.run("--sarif", code=1).stdout)
    assert set(log) <= {"$schema", "version", "runs", "inlineExternalProperties", "properties"}
    assert log["version"] == "2.1.0" and log["$schema"].startswith("https://")
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert driver["name"] and re.fullmatch(r"[0-9]+(\.[0-9]+){1,3}.*", driver["version"])
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(set(ids)) == len(ids) and all(rule["shortDescription"]["text"] for rule in driver["rules"])
        assert len(run["results"]) == 3
        for result in run["results"]:
            assert result["message"]["text"] and result["level"] in ("none", "note", "warning", "error")
            assert ids[result["ruleIndex"]] == result["ruleId"]
            assert all(isinstance(value, str) and value for value in result["partialFingerprints"].values())
            for location in result["locations"]:
                place = location["physicalLocation"]
                uri = place["artifactLocation"]["uri"]
                assert re.fullmatch(r"[A-Za-z0-9._~%/!$&'()*+,;=:@-]+", uri) and not uri.startswith("/")
                assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%" and place["region"]["startLine"] >= 1


def test_every_code_has_a_page_with_an_example() -> None:
    from oracl_git.check.model import CODES

    pages = Path(__file__).parents[2] / "docs/reference/check-codes"
    assert {page.stem for page in pages.glob("*.md")} == set(CODES)
    for code in CODES:
        page = (pages / f"{code}.md").read_text()
        assert "git oracl check   # exit 1" in page and f": {code}:" in page


def test_files_are_silenced_by_oracl_toml(world: World) -> None:
    world.write(".agentlas/oracl.toml", '[[ignore]]\npaths = ["docs/"]\ncodes = ["broken-link"]\n')
    world.git("rm", "-q", "docs/guide.md")
    assert [line.split(":")[0] for line in world.check()] == ["README.md"]


def test_fix_leaves_alone_what_is_not_staged(world: World) -> None:
    world.git("mv", "docs/guide.md", "docs/manual.md")
    text = (world.path / "README.md").read_text() + "\nmore\n"
    world.write("README.md", text)
    done = world.run("--fix", code=1)
    assert "README.md has changes that are not staged" in done.stderr
    assert (world.path / "README.md").read_text() == text


def test_odd_names(world: World) -> None:
    world.write("docs/a b.md", "x\n")
    world.write(os.fsdecode(b"docs/\xff\n.md"), "x\n")
    world.write("docs/odd.md", "[a](a%20b.md) [b](<a b.md>)\n")
    world.commit()
    world.git("mv", "docs/a b.md", "docs/c d.md")
    world.git("rm", "-q", os.fsdecode(b"docs/\xff\n.md"))
    assert world.check() == ["docs/odd.md:1: broken-link: a b.md leads nowhere: docs/a b.md is now docs/c d.md"]
    world.run("--fix", code=1)
    assert "[a](c%20d.md)" in (world.path / "docs/odd.md").read_text()


def test_a_hostile_program_named_by_the_config_is_not_run(world: World) -> None:
    world.write("run.sh", "#!/bin/sh\ntouch ran\n")
    (world.path / "run.sh").chmod(0o755)
    world.git("config", "core.fsmonitor", "./run.sh")
    world.git("config", "diff.external", "./run.sh")
    world.git("-c", "core.fsmonitor=false", "rm", "-q", "docs/guide.md", "pkg/util.py")
    (world.path / "ran").unlink(missing_ok=True)
    world.run(code=1)
    assert not (world.path / "ran").exists()


def test_a_tree_that_climbs_writes_nothing(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No work tree holds `..`, but whoever writes a tree object by hand may name it so."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def stored(kind: str, data: bytes) -> bytes:
        command = ["git", "hash-object", "-w", "--literally", "-t", kind, "--stdin"]
        return bytes.fromhex(
            subprocess.run(command, input=data, cwd=world.path, capture_output=True, check=True).stdout.decode()
        )

    rules = stored("tree", b"100644 .gitignore\0" + stored("blob", b"*\n"))
    readme = bytes.fromhex(world.git("rev-parse", "HEAD:README.md"))
    top = stored("tree", b"40000 ..\0" + stored("tree", b"40000 out\0" + rules) + b"100644 README.md\0" + readme)
    commit = world.git("commit-tree", top.hex(), "-p", "HEAD", "-m", "x")
    assert "README.md:3: broken-link" in world.run(f"HEAD..{commit}", code=1).stdout
    assert os.listdir(tmp_path / "temporary") == [] and not (tmp_path / "out").exists()
