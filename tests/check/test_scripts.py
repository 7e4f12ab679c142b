"""Relative imports of JavaScript and TypeScript that a change breaks, and those that may still hold."""

from __future__ import annotations

from typing import Any

import pytest

World = Any
FILES = {
    "src/app.ts": "import { add } from './math/add'\nimport type { T } from \"./types.js\"\nexport * from './ui'\n",
    "src/math/add.ts": "export const add = 1\n",
    "src/math/add.test.ts": "import { add } from './add'\nimport { T } from '../types'\n",
    "src/types.ts": "export type T = 1\n",
    "src/ui/index.tsx": "import './ui.css'\n",
    "src/ui/ui.css": "a {}\n",
    "lib/old.js": "const { load } = require('./load')\nconst late = () => import('./late.mjs')\n",
    "lib/load.js": "exports.load = 1\n",
    "lib/late.mjs": "export default 1\n",
}  # fmt: skip


@pytest.fixture
def scripts(world: World) -> World:
    for path, text in FILES.items():
        world.write(path, text)
    world.commit()
    return world


def test_a_module_that_is_gone(scripts: World) -> None:
    scripts.git("rm", "-q", "src/math/add.ts", "lib/load.js", "lib/late.mjs", "src/ui/ui.css")
    assert scripts.check() == [
        "lib/old.js:1: broken-import: cannot import ./load: lib/load.js is gone",
        "lib/old.js:2: broken-import: cannot import ./late.mjs: lib/late.mjs is gone",
        "src/app.ts:1: broken-import: cannot import ./math/add: src/math/add.ts is gone",
        "src/math/add.test.ts:1: broken-import: cannot import ./add: src/math/add.ts is gone",
        "src/ui/index.tsx:1: broken-import: cannot import ./ui.css: src/ui/ui.css is gone",
    ]


def test_a_rename_is_fixed_in_the_manner_of_each_import(scripts: World) -> None:
    scripts.git("mv", "src/math/add.ts", "src/math/sum.ts")
    scripts.git("mv", "src/types.ts", "src/shapes.ts")
    scripts.git("mv", "src/ui/index.tsx", "src/ui/main.tsx")
    lines = scripts.check()
    assert "src/app.ts:2: broken-import: cannot import ./types.js: src/types.ts is now src/shapes.ts" in lines
    assert len(lines) == 5 and any("./ui" in line for line in lines)
    scripts.run("--fix", code=1)
    assert (scripts.path / "src/app.ts").read_text().startswith(
        "import { add } from './math/sum'\nimport type { T } from \"./shapes.js\"\n"
    )
    assert (scripts.path / "src/math/add.test.ts").read_text() == (
        "import { add } from './sum'\nimport { T } from '../shapes'\n"
    )
    assert "export * from './ui/main'\n" in (scripts.path / "src/app.ts").read_text()
    assert scripts.check() == []


def test_a_file_that_moves_takes_its_imports_along(scripts: World) -> None:
    (scripts.path / "src/deep/er").mkdir(parents=True)
    scripts.git("mv", "src/app.ts", "src/deep/er/app.ts")
    assert len(scripts.check()) == 3
    scripts.run("--fix", code=1)
    assert (scripts.path / "src/deep/er/app.ts").read_text().splitlines()[:2] == [
        "import { add } from '../../math/add'", "import type { T } from \"../../types.js\"",
    ]  # fmt: skip
    scripts.git("add", "-A")
    assert scripts.check() == []


@pytest.mark.parametrize("name", [
    "src/math/add.js", "src/math/add/index.ts", "src/math/add/package.json", "src/math/add.native.ts",
    "src/math/add.vue", "src/math/add.ts.ejs", "src/math/add.d.ts", "src/math/add.wasm",
])  # fmt: skip
def test_what_takes_the_place_of_a_module(scripts: World, name: str) -> None:
    scripts.git("rm", "-q", "src/math/add.ts")
    scripts.write(name, "{}\n")
    assert scripts.check() == []


@pytest.mark.parametrize("text", [
    "// import { add } from './math/add'\n",
    "/*\nimport { add } from './math/add'\n*/\n",
    "import { add } from '@/math/add'\nimport { x } from 'src/math/add'\n",
    "try {\n  require('./math/add')\n} catch (e) {}\n",
    "let a\ntry { a = require('./math/add') } catch { a = 1 }\n",
    "import { never } from './math/never'\n",
    "import x from `./math/${add}`\n",
    "import { add } from './math/add' // oracl: ignore[broken-import]\n",
])  # fmt: skip
def test_imports_that_are_no_alarm(scripts: World, text: str) -> None:
    scripts.write("src/app.ts", text)
    scripts.commit()
    scripts.git("rm", "-q", "src/math/add.ts", "src/math/add.test.ts")
    assert scripts.check() == []


def test_a_module_that_is_made(scripts: World) -> None:
    scripts.write(".gitignore", "src/math/add.ts\n")
    scripts.git("rm", "-q", "src/math/add.ts")
    assert scripts.check() == []
