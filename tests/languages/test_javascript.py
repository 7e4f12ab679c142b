"""JavaScript and TypeScript: definitions, what is public, and modules as node, tsc and bundlers find them."""

from __future__ import annotations

import json

import pytest

from oracl_git.graph.governance import Governance
from oracl_git.graph.link import link

from .reading import Tree, definitions, facts

SHOP = """\
    import React, { useState as state, memo } from "react";

    /** Shows one. */
    export function Card() { return <b/>; }
    export const Tile = memo(function Tile() { return <i/>; });
    const helper = () => 1;
    const LIMIT = 3;
    export const api = {
      get() {},
      post: () => {},
    };
    class Base {
      #hidden() {}
      private own() {}
      shown = () => {};
    }
    /** Sells. */
    @Injectable()
    export class Shop extends Base {
      static async open() {}
      protected close() {}
    }
    export { Base, LIMIT as limit };
    export default () => 1;
    export interface Row { x: 1 }
    export type Id = string;
    export enum Kind {}
    export namespace Inner { export function f() {} function g() {} }
    export abstract class Plan { abstract draw(): void }
    declare function outside(): void;
    export function add(a: string): void;
    export function add(a: any) {}
    """


def test_definitions_of_typescript() -> None:
    assert definitions("shop.tsx", SHOP) == [
        ("Card", "component", 4, 4),
        ("Tile", "component", 5, 5),
        ("helper", "function", 6, 6),
        ("LIMIT", "constant", 7, 7),
        ("api", "constant", 8, 11),
        ("api.get", "method", 9, 9),
        ("api.post", "method", 10, 10),
        ("Base", "class", 12, 16),
        ("Base.#hidden", "method", 13, 13),
        ("Base.own", "method", 14, 14),
        ("Base.shown", "method", 15, 15),
        ("Shop", "class", 18, 22),
        ("Shop.open", "method", 20, 20),
        ("Shop.close", "method", 21, 21),
        ("default", "function", 24, 24),
        ("Row", "interface", 25, 25),
        ("Id", "type", 26, 26),
        ("Kind", "type", 27, 27),
        ("Inner", "module", 28, 28),
        ("Inner.f", "function", 28, 28),
        ("Inner.g", "function", 28, 28),
        ("Plan", "class", 29, 29),
        ("Plan.draw", "method", 29, 29),
        ("outside", "function", 30, 30),
        ("add", "function", 31, 31),
        ("add", "function", 32, 32),
    ]


def test_what_is_exported_is_public_and_comments_above_document_it() -> None:
    found = facts("shop.tsx", SHOP)
    hidden = {d.name for d in found.definitions if not d.public}
    assert hidden == {"helper", "Base.#hidden", "Base.own", "Shop.close", "Inner.g"}
    assert {d.name for d in found.definitions if d.documented} == {"Card", "Shop"}


def test_exports_from_before_modules() -> None:
    text = """\
        const fs = require('fs'), path = require("path");
        exports.a = function () {};
        module.exports = { foo, bar: baz, qux() {}, z: () => 1 };
        function foo() {}
        function baz() {}
        function hidden() {}
        Foo.prototype.run = function () {};
        Foo.stat = () => 1;
        module.exports = function createApp() {};
        exports.LIMIT = 5;
        """
    found = facts("a.js", text)
    assert [(d.name, d.kind) for d in found.definitions] == [
        ("a", "function"), ("qux", "method"), ("z", "method"), ("foo", "function"), ("baz", "function"),
        ("hidden", "function"), ("Foo.run", "method"), ("Foo.stat", "method"), ("createApp", "function"),
        ("LIMIT", "constant"),
    ]  # fmt: skip
    assert [d.name for d in found.definitions if not d.public] == ["hidden"]


def test_a_script_that_is_no_module_is_for_everyone() -> None:
    found = facts("a.js", "function f() {}\nfunction _g() {}\n")
    assert [(d.name, d.public) for d in found.definitions] == [("f", True), ("_g", False)]


def test_a_component_needs_markup_and_a_capital() -> None:
    text = "export const Row = () => <tr/>\nexport const row = () => <tr/>\nexport function Maker() { return 1 < 2 }\n"
    kinds = [(name, kind) for name, kind, _, _ in definitions("a.jsx", text)]
    assert kinds == [("Row", "component"), ("row", "function"), ("Maker", "function")]
    assert definitions("a.ts", "export function Maker() { return <T>(x) }\n")[0][1] == "function"


IMPORTS = """\
    /** @jsxImportSource ./jsx */
    /// <reference path="globals.d.ts" />
    import one, { two, type Three as T } from "./names";
    import * as ns from './star';
    import "./effect.js";
    export * from "./all";
    export * as more from './more';
    export { a, b as c } from './ab';
    import old = require("./old");
    const late = () => import('./late');
    const plain = require('./plain'), where = require.resolve('./where');
    let typed: import("./typed").Foo;
    jest.mock('./mocked', () => ({}));
    const file = new URL('./file.txt', import.meta.url);
    """


def test_every_way_to_name_a_module() -> None:
    found = [(r.kind, r.target, r.name) for r in facts("a.ts", IMPORTS).references if r.kind in ("import", "use")]
    assert found == [
        ("import", "./jsx/jsx-runtime", ""),
        ("import", "./globals.d.ts", ""),
        ("import", "./names", "Three"),
        ("import", "./names", "two"),
        ("import", "./star", ""),
        ("import", "./effect.js", ""),
        ("import", "./all", "*"),
        ("import", "./more", ""),
        ("import", "./ab", "a"),
        ("import", "./ab", "b"),
        ("import", "./old", ""),
        ("import", "./late", ""),
        ("import", "./plain", ""),
        ("import", "./where", ""),
        ("import", "./typed", ""),
        ("use", "./mocked", ""),
        ("use", "./file.txt", ""),
    ]


def test_risks() -> None:
    text = """\
        import { createHash } from 'node:crypto'
        import { exec } from 'node:child_process'
        const apiKey = "abcdef"
        exec(`ls ${x}`); /re/.exec(y); eval(z); new Function('a')
        db.query(`select * from t where a = ${b}`)
        http.createServer(app).listen(80)
        """
    assert dict(facts("a.ts", text).risk) == {
        "credential_constant": 1, "cryptography": 1, "dynamic_eval": 2, "network_listener": 2, "process_spawn": 1,
        "raw_sql": 1,
    }  # fmt: skip


# ------------------------------------------------------------------ where modules lie


def follow(source: str, text: str, *others: str, **manifests: object) -> dict[str, object]:
    """Where a file's imports lead in a tree of empty files and manifests (name with "__" for "/", "_json" for ".json")."""
    files = dict.fromkeys(others, "")
    for name, said in manifests.items():
        files[name.replace("__", "/").replace("_json", ".json")] = json.dumps(said)
    return Tree(files | {source: text}).follow(source)


@pytest.mark.parametrize(("written", "there", "wins"), [
    ("./x", ["x.ts", "x.js"], "x.ts"),
    ("./x", ["x.tsx"], "x.tsx"),
    ("./x", ["x.d.ts", "x.js"], "x.d.ts"),
    ("./x", ["x/index.ts"], "x/index.ts"),
    ("./x.js", ["x.ts", "x.js"], "x.ts"),
    ("./x.js", ["x.js"], "x.js"),
    ("./x.jsx", ["x.tsx"], "x.tsx"),
    ("./x.mjs", ["x.mts"], "x.mts"),
    ("./x.cjs", ["x.cts"], "x.cts"),
    ("./x.json", ["x.json"], "x.json"),
    ("./x.css?inline", ["x.css"], "x.css"),
    ("./X.vue", ["X.vue"], "X.vue"),
    ("./X", ["X.svelte"], "X.svelte"),
    ("raw-loader!./x.txt", ["x.txt"], "x.txt"),
    (".", ["index.ts"], "index.ts"),
    ("./x.config", ["x.config.ts"], "x.config.ts"),
])  # fmt: skip
def test_paths(written: str, there: list[str], wins: str) -> None:
    assert follow("a.ts", f"import {written!r}\n", *there) == {written: [wins]}


def test_plain_scripts_ask_for_plain_files_first() -> None:
    assert follow("a.js", "require('./x'); require('./y.js')", "x.ts", "x.js", "y.js", "y.d.ts") == {
        "./x": ["x.js"], "./y.js": ["y.js"],
    }  # fmt: skip
    assert follow("a.js", "require('.')\n", "main.js", "main.d.ts", package_json={"main": "main.js", "types": "main.d.ts"}) == {
        ".": ["main.js"],
    }  # fmt: skip


def test_what_is_not_there_is_unresolved_and_what_is_installed_external() -> None:
    text = "import './no'; import '../../out'; import 'react'; import 'node:fs'; import 'https://x.y/z.js'; import 'a/b'"
    assert follow("src/a.ts", text) == {
        "./no": "unresolved", "../../out": "unresolved", "react": "external", "node:fs": "external",
        "https://x.y/z.js": "external", "a/b": "external",
    }  # fmt: skip


def test_a_directory_with_a_manifest() -> None:
    assert follow("a.ts", "import './lib'", "lib/m.js", "lib/index.js", lib__package_json={"main": "./m"}) == {
        "./lib": ["lib/m.js"],
    }  # fmt: skip


PATHS = {"compilerOptions": {"baseUrl": ".", "paths": {"@app/*": ["src/*"], "@app/exact": ["other/x"], "two": ["no", "src/two"]}}}


def test_settings_map_names() -> None:
    text = "import '@app/a'; import '@app/exact'; import 'two'; import 'src/a'; import '@app/no'"
    there = ("src/a.ts", "other/x.ts", "src/two/index.ts")
    expected = {
        "@app/a": ["src/a.ts"], "@app/exact": ["other/x.ts"], "two": ["src/two/index.ts"], "src/a": ["src/a.ts"],
        "@app/no": "external",
    }  # fmt: skip
    assert follow("deep/er/m.ts", text, *there, tsconfig_json=PATHS) == expected
    assert follow("deep/er/m.js", text, *there, jsconfig_json=PATHS) == expected


def test_settings_begin_with_others() -> None:
    base = {"compilerOptions": {"paths": {"~lib/*": ["./lib/*"]}}}
    text = "import '~lib/a'"
    assert follow("app/m.ts", text, "cfg/lib/a.ts", app__tsconfig_json={"extends": "../cfg/base"}, cfg__base_json=base) == {
        "~lib/a": ["cfg/lib/a.ts"],
    }  # fmt: skip
    assert follow(
        "app/m.ts", text, "cfg/lib/a.ts", cfg__base_json=base, cfg__package_json={"name": "@org/cfg", "private": True},
        app__tsconfig_json={"extends": ["./none.json", "@org/cfg/base.json"]},
    ) == {"~lib/a": ["cfg/lib/a.ts"]}  # fmt: skip
    around = {"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "src"}}
    assert follow("m.ts", "import 'a'", "src/a.ts", tsconfig_json=around) == {"a": ["src/a.ts"]}


def test_settings_may_hold_comments_and_stand_for_projects() -> None:
    files = {
        "tsconfig.json": '{ "files": [], // none\n "references": [{ "path": "./tsconfig.app.json" },], }',
        "tsconfig.app.json": '{ /* here */ "compilerOptions": { "paths": { "@/*": ["./code/*"] } } }',
        "code/a.ts": "",
        "code/m.ts": "import '@/a'\n",
    }
    assert Tree(files).follow("code/m.ts") == {"@/a": ["code/a.ts"]}


def test_directories_that_are_one() -> None:
    roots = {"compilerOptions": {"rootDirs": ["src", "gen"]}}
    assert follow("src/m.ts", "import './made'", "gen/made.ts", tsconfig_json=roots) == {"./made": ["gen/made.ts"]}


def test_aliases_of_bundlers() -> None:
    text = "import '@/ui/B'; import '~/ui/B'; import 'src/ui/B'; import '/src/ui/B.tsx'; import '@scope/x'"
    assert follow("web/src/m.ts", text, "web/src/ui/B.tsx", web__package_json={"name": "web"}) == {
        "@/ui/B": ["web/src/ui/B.tsx"], "~/ui/B": ["web/src/ui/B.tsx"], "src/ui/B": ["web/src/ui/B.tsx"],
        "/src/ui/B.tsx": ["web/src/ui/B.tsx"], "@scope/x": "external",
    }  # fmt: skip


EXPORTS = {
    "name": "@org/lib",
    "exports": {
        ".": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs", "default": "./dist/index.js"},
        "./deep": "./dist/esm/deep.js",
        "./f/*": {"import": "./feature/*.ts"},
        "./f/hidden": None,
    },
    "imports": {"#own/*": "./src/own/*.js", "#cond": {"node": "./node.js", "default": "./other.js"}},
}
LIB = ("lib/src/index.ts", "lib/src/deep.ts", "lib/feature/a.ts", "lib/src/own/x.ts", "lib/node.js", "lib/extra.js")


def test_the_library_of_a_svelte_project() -> None:
    tree = Tree({
        "docs/package.json": '{"name": "docs"}',
        "docs/src/routes/page.svelte": "<script>\nimport { a } from '$lib/ui/index.js'\nimport B from '$lib/B.svelte'\n</script>\n",
        "docs/src/lib/ui/index.ts": "export const a = 1\n",
        "docs/src/lib/B.svelte": "<p>b</p>\n",
    })  # fmt: skip
    assert tree.follow("docs/src/routes/page.svelte") == {
        "$lib/ui/index.js a": ["docs/src/lib/ui/index.ts"], "$lib/B.svelte": ["docs/src/lib/B.svelte"],
    }  # fmt: skip


def test_packages_of_the_workspace() -> None:
    text = "import '@org/lib'; import '@org/lib/deep'; import '@org/lib/f/a'; import '@org/lib/extra'; import '@org/lib/no'"
    assert follow("app/m.ts", text, *LIB, lib__package_json=EXPORTS) == {
        "@org/lib": ["lib/src/index.ts"], "@org/lib/deep": ["lib/src/deep.ts"], "@org/lib/f/a": ["lib/feature/a.ts"],
        "@org/lib/extra": ["lib/extra.js"], "@org/lib/no": "unresolved",
    }  # fmt: skip


def test_a_package_names_itself_and_what_is_its_own() -> None:
    text = "import '@org/lib/deep'; import '#own/x'; import '#cond'; import '#no'"
    assert follow("lib/test/m.ts", text, *LIB, lib__package_json=EXPORTS) == {
        "@org/lib/deep": ["lib/src/deep.ts"], "#own/x": ["lib/src/own/x.ts"], "#cond": ["lib/node.js"],
        "#no": "unresolved",
    }  # fmt: skip


def test_the_main_file_of_a_package() -> None:
    said = {"name": "lib", "main": "./lib/index.js", "types": "./types.d.ts"}
    there = ("p/lib/index.js", "p/types.d.ts")
    assert follow("a.ts", "import 'lib'", *there, p__package_json=said) == {"lib": ["p/types.d.ts"]}
    assert follow("a.js", "import 'lib'", *there, p__package_json=said) == {"lib": ["p/lib/index.js"]}


def test_of_two_packages_of_one_name_the_nearer() -> None:
    said = {"name": "lib", "main": "i.js"}
    assert follow(
        "x/a/m.js", "import 'lib'", "x/lib/i.js", "y/lib/i.js", x__lib__package_json=said, y__lib__package_json=said
    ) == {"lib": ["x/lib/i.js"]}


# ------------------------------------------------------------------ manifests


def test_a_manifest_of_a_package() -> None:
    text = """\
        {
          "name": "app",
          "main": "./lib/a.js",
          "bin": { "app": "bin/app.js" },
          "scripts": { "build": "node scripts/build && tsx ./gen.ts" },
          "dependencies": {
            "@org/lib": "workspace:*"
          }
        }
        """
    found = facts("package.json", text)
    rows = [(r.kind, r.target, r.name, r.start) for r in found.references if r.kind in ("depends", "provides", "use")]
    assert rows == [
        ("provides", "./lib/a.js", "", 3),
        ("provides", "bin/app.js", "", 4),
        ("use", "./scripts/build", "", 5),
        ("depends", "@org/lib", "npm package", 7),
    ]
    assert found.declares == (("npm package", "app"), ("npm entry", ".\tmain\t./lib/a.js"))
    assert found.language == "json"
    tree = Tree({"package.json": text, "scripts/build.js": ""})
    assert tree.follow("package.json", "use") == {"./scripts/build": ["scripts/build.js"]}


@pytest.mark.parametrize("text", [
    "{", "[]", '{"name": 1, "main": 2, "exports": [1], "bin": 3, "dependencies": 4, "scripts": 5}',
    '{"compilerOptions": {"paths": [], "rootDirs": 1, "baseUrl": {}}, "references": 3, "extends": 4}',
    '{"exports": ' + '{"a":' * 5000, '{"name": "x/y", "require": {}, "scripts": {}}',
])  # fmt: skip
def test_other_json_declares_nothing(text: str) -> None:
    assert facts("a.json", text).declares == ()


# ------------------------------------------------------------------ tests and their subjects


@pytest.mark.parametrize(("test", "imports", "subject"), [
    ("src/cart.test.ts", "", "src/cart.ts"),
    ("src/cart.spec.tsx", "", "src/cart.ts"),
    ("src/__tests__/cart.ts", "import '../cart'", "src/cart.ts"),
    ("test/cart.js", "require('../src/cart')", "src/cart.ts"),
    ("test/cart.js", "", ""),
    ("cypress/integration/cart.cy.js", "", "src/cart.ts"),
    ("e2e/cart.e2e-spec.ts", "", "src/cart.ts"),
    ("packages/cart-test.js", "", "src/cart.ts"),
])  # fmt: skip
def test_tests_and_their_subjects(test: str, imports: str, subject: str) -> None:
    tree = Tree({"src/cart.ts": "export const a = 1\n", test: imports + "\n"})
    found = link(test, tree.facts[test], {"domain": "x"}, Governance(), tree.names)
    assert [edge.target for edge in found.edges if edge.relation == "tests"] == ([subject] if subject else [])


def test_what_is_exported_by_taking_apart() -> None:
    text = """\
        export const { useList, useOne: useSingle, three = 3, ...rest } = api;
        export const [first] = pair;
        const { own } = thing;
        """
    for path in ("api.js", "api.ts"):
        assert sorted((d.name, d.kind, d.public) for d in facts(path, text).definitions) == [
            (name, "constant", True) for name in ("first", "rest", "three", "useList", "useSingle")
        ]


def test_prototypes() -> None:
    text = """\
        Box.prototype = { open: function () {}, close() {} };
        App.View.prototype.render = function () {};
        $.fn.dialog = function () {};
        """
    assert [d.name for d in facts("box.js", text).definitions] == [
        "Box.open",
        "Box.close",
        "App.View.render",
        "$.dialog",
    ]


def test_modules_that_a_call_defines() -> None:
    tree = Tree(
        {
            "js/app.js": "define(['./a', 'exports', \"./b\"], function (a) {});\n",
            "js/main.js": "require(['./app'], function (app) {});\n",
            "js/a.js": "",
            "js/b.js": "",
        }
    )
    assert tree.follow("js/app.js") == {"./a": ["js/a.js"], "./b": ["js/b.js"]}
    assert tree.follow("js/main.js") == {"./app": ["js/app.js"]}


def test_what_is_declared_to_be_there() -> None:
    text = """\
        declare module "ext" { interface Row {} function f(): void }
        declare namespace Lib { class Box { open(): void } }
        declare global { interface Window { x: number } }
        export namespace Own { export const shown = 1; class Hidden {} }
        """
    found = {d.name: (d.kind, d.public) for d in facts("one.ts", text).definitions}
    assert found["ext.Row"] == ("interface", True)
    assert found["ext.f"] == ("function", True)
    assert found["Lib.Box"] == ("class", True)
    assert found["Window"] == ("interface", True)
    assert found["Own.shown"] == ("constant", True)
    assert found["Own.Hidden"] == ("class", False)
