"""Pages, single-file components and style sheets: what they load, show and define."""

from __future__ import annotations

import pytest

from .reading import Tree, definitions, facts

VUE = """\
    <script setup lang="ts">
    import Card from './Card.vue'
    const props = () => 1
    </script>

    <template>
      <Card :x="a > b" /><img src="./logo.html">
    </template>

    <style lang="scss">
    @use "./vars"; // @use "./no"
    </style>
    """


def test_a_component_file() -> None:
    tree = Tree({"src/A.vue": VUE, "src/Card.vue": "", "src/_vars.scss": "", "src/logo.html": ""})
    assert tree.follow("src/A.vue") == {"./Card.vue": ["src/Card.vue"], "./vars": ["src/_vars.scss"]}
    assert definitions("A.vue", VUE) == [("props", "function", 3, 3)]
    assert [r.target for r in facts("A.vue", VUE).references if r.kind == "link"] == ["./logo.html"]


def test_svelte_and_astro() -> None:
    tree = Tree({
        "S.svelte": "<script context='module'>\nexport function load() {}\n</script>\n<script>\nimport A from './A.astro'\n",
        "A.astro": "---\nimport S from './S.svelte'\n---\n<h1>Hello</h1>\n<script src='./x.ts'></script>\n",
        "x.ts": "",
    })  # fmt: skip
    assert tree.follow("S.svelte") == {"./A.astro": ["A.astro"]}
    assert tree.follow("A.astro") == {"./S.svelte": ["S.svelte"], "./x.ts": ["x.ts"]}
    assert [(d.name, d.start) for d in tree.facts["S.svelte"].definitions] == [("load", 2)]
    assert tree.facts["A.astro"].headings == (("Hello", 4),)


PAGE = """\
    <!doctype html>
    <title>A page</title>
    <link rel="stylesheet" href="style.css?v=2">
    <link rel=modulepreload href=./main.mjs>
    <script src="js/app.js"></script>
    <script type="module">
      import { go } from './main.mjs'
      function start() {}
    </script>
    <script type="text/template"><script src="no.js"></script>
    <script src="https://x.y/z.js"></script>
    <script src="/src/main.ts"></script>
    <!-- <script src="no.js"></script> -->
    <h2 id="top">First</h2>
    <a href="other.html#part">x</a> <img srcset="a.html 1x, b.html 2x" src='{{ no }}'>
    """


def test_a_page() -> None:
    there = dict.fromkeys(("w/style.css", "w/js/app.js", "w/main.mjs", "w/src/main.ts", "w/no.js"), "")
    tree = Tree(there | {"w/index.html": PAGE})
    assert tree.follow("w/index.html") == {
        "./style.css": ["w/style.css"], "./js/app.js": ["w/js/app.js"], "./main.mjs": ["w/main.mjs"],
        "./main.mjs go": ["w/main.mjs"], "/src/main.ts": ["w/src/main.ts"],
    }  # fmt: skip
    found = tree.facts["w/index.html"]
    assert [r[1:3] for r in found.references if r.kind == "link"] == [
        ("a.html", ""), ("b.html", ""), ("other.html", "part"),
    ]  # fmt: skip
    assert found.headings == (("A page", 2), ("First", 14)) and found.anchors == (("top", 14),)
    assert [(d.name, d.start) for d in found.definitions] == [("start", 8)]


@pytest.mark.parametrize(("base", "script", "link"), [
    ("app/", ["w/app/x.js"], ["w/app/y.html"]),
    ("./app/index.html?a=b#c", ["w/app/x.js"], ["w/app/y.html"]),
    ("app", ["w/x.js"], ["w/y.html"]),  # what is behind the last slash is no directory
    ("..", ["x.js"], ["y.html"]),
    ("/", ["w/x.js"], ["y.html"]),  # what is served may begin at any directory above
    ("/w/app/", ["w/app/x.js"], ["w/app/y.html"]),
    ("https://x.y/app/", "", ""),
    ("//x.y/app/", "", ""),
    ("{{ root }}", ["w/x.js"], ["w/y.html"]),
])  # fmt: skip
def test_a_base_is_where_addresses_begin(base: str, script: object, link: object, edges) -> None:
    there = {f"{place}{name}": "1" for place in ("", "w/", "w/app/") for name in ("x.js", "y.html")}
    page = f"""\
        <base target="_blank"><base href="{base}"><base href="no/">
        <script src="x.js"></script><a href="y.html#a">y</a><a href="#here">h</a><a href="/top.html">t</a>
        <script type="module">import './x.js'</script>
        """
    found = edges(there | {"w/index.html": page, "top.html": "1"})
    assert found == {
        ("references", "w/index.html", "top.html"),
        *(("imports", "w/index.html", each) for each in script),
        *(("references", "w/index.html", each) for each in link),
    }


MAP = """\
    <base href="lib/"><script type="importmap">
    {"imports": {"shop": "./shop/main.js", "shop/": "./shop/", "far": "https://x.y/z.js", "gone": "./gone.js"}}
    </script>
    <script type="module">import { a } from "shop"; import "react"</script>
    """


def test_an_import_map_says_what_modules_are_called() -> None:
    tree = Tree({
        "w/index.html": MAP, "w/lib/shop/main.js": "import 'shop/part.js'; import 'far'; import 'shop/none.js'\n",
        "w/lib/shop/part.js": "", "other/x.js": "import 'shop'\n",
    })  # fmt: skip
    assert tree.follow("w/index.html") == {
        "./lib/shop/main.js": ["w/lib/shop/main.js"], "./lib/gone.js": "unresolved", "shop a": ["w/lib/shop/main.js"],
        "react": "external",
    }  # fmt: skip
    assert tree.follow("w/lib/shop/main.js") == {
        "shop/part.js": ["w/lib/shop/part.js"], "far": "external", "shop/none.js": "external",
    }  # fmt: skip
    assert tree.follow("other/x.js") == {"shop": ["w/lib/shop/main.js"]}


def test_pages_that_do_not_agree_map_nothing_for_the_files_of_neither() -> None:
    page = '<script type="importmap">{"imports": {"shop": "./shop.js"}}</script>\n'
    tree = Tree({
        **{f"p{n}/index.html": page for n in range(7)}, **{f"p{n}/shop.js": "" for n in range(7)},
        "p3/in/x.js": "import 'shop'\n", "x.js": "import 'shop'\n",
    })  # fmt: skip
    assert tree.follow("p3/in/x.js") == {"shop": ["p3/shop.js"]}
    assert tree.follow("x.js") == {"shop": "external"}
    few = {f"p{n}/{name}": text for n in range(2) for name, text in (("index.html", page), ("shop.js", ""))}
    assert Tree(few | {"x.js": "import 'shop'\n"}).follow("x.js") == {"shop": "external"}


@pytest.mark.parametrize(("source", "text", "there", "wins"), [
    ("a/m.css", '@import url("b.css") screen;', ["a/b.css"], "a/b.css"),
    ("a/m.css", "@import 'b.css';", ["a/b.css"], "a/b.css"),
    ("a/m.css", ".x { composes: y from './b.css'; }", ["a/b.css"], "a/b.css"),
    ("a/m.css", '@config "../tw.config.js";', ["tw.config.js"], "tw.config.js"),
    ("a/m.scss", '@use "b" with ($c: "d");', ["a/_b.scss", "a/d.scss"], "a/_b.scss"),
    ("a/m.scss", '@forward "./b" show x;', ["a/b.scss"], "a/b.scss"),
    ("a/m.scss", '@use "b";', ["a/b/_index.scss"], "a/b/_index.scss"),
    ("a/m.scss", 'a { @include meta.load-css("b", $with: $c); }', ["a/_b.scss"], "a/_b.scss"),
    ("a/m.scss", '@import "../c/b";', ["c/_b.scss"], "c/_b.scss"),
    ("a/m.sass", "@import b\n", ["a/_b.sass"], "a/_b.sass"),
    ("a/m.less", '@import (reference) "b";', ["a/b.less"], "a/b.less"),
    ("a/m.scss", '@use "styles/b";', ["a/_x.scss", "src/styles/_b.scss"], "src/styles/_b.scss"),
    ("a/m.scss", '@import "~@/b";', ["src/b.scss"], "src/b.scss"),
])  # fmt: skip
def test_style_sheets(source: str, text: str, there: list[str], wins: str) -> None:
    found = Tree(dict.fromkeys(there, "") | {source: text}).follow(source)
    assert list(found.values()) == [[wins]]


def test_what_sass_has_for_import_alone() -> None:
    tree = Tree({
        "old.scss": '@import "box";\n@import "all.scss";\n@import "parts/grid";\n@import "plain";\n',
        "new.scss": '@use "box";\n@use "all.scss";\n@forward "parts/grid";\n@use "only";\n',
        "same.sass": "@import box\n",
        "Card.vue": '<style lang="scss">\n@import "./box";\n</style>\n',
        "_box.scss": "", "_box.import.scss": "", "all.scss": "", "all.import.scss": "", "parts/grid/_index.scss": "",
        "pages/more.scss": '@forward "@org/ui";\n', "ui/_index.scss": "",
        "ui/package.json": '{"name": "@org/ui", "main": "./index.js"}', "ui/index.js": "",
        "parts/grid/_index.import.scss": "", "_plain.scss": "", "_only.import.scss": "",
    })  # fmt: skip
    assert tree.follow("old.scss") == {
        "box @import": ["_box.import.scss"], "all.scss @import": ["all.import.scss"], "plain @import": ["_plain.scss"],
        "parts/grid @import": ["parts/grid/_index.import.scss"],
    }  # fmt: skip
    assert tree.follow("new.scss") == {
        "box": ["_box.scss"], "all.scss": ["all.scss"], "parts/grid": ["parts/grid/_index.scss"], "only": "external",
    }  # fmt: skip
    assert tree.follow("pages/more.scss") == {"@org/ui": ["ui/_index.scss"]}
    assert tree.follow("same.sass") == {"box @import": ["_box.import.scss"]}
    assert tree.follow("Card.vue") == {"./box @import": ["_box.import.scss"]}


def test_several_imports_of_one_rule_and_a_package() -> None:
    tree = Tree({
        "m.scss": '@import "a",\n  "b";\n@import "~@org/ui/theme";\n@use "sass:math";\n// @use "no";\n',
        "_a.scss": "", "b.css": "", "ui/package.json": '{"name": "@org/ui", "main": "x.js"}', "ui/_theme.scss": "",
        "no.scss": "",
    })  # fmt: skip
    assert tree.follow("m.scss") == {
        "a @import": ["_a.scss"], "b @import": ["b.css"], "~@org/ui/theme @import": ["ui/_theme.scss"],
    }  # fmt: skip


def test_a_package_offers_style_sheets_beside_scripts() -> None:
    tree = Tree({
        "app/m.scss": '@use "@org/ui";\n@use "@org/ui/parts/card";\n@plugin "@org/plug";\n',
        "ui/package.json": '{"name": "@org/ui", "exports": {".": {"sass": "./_index.scss", "default": "./index.js"},'
        ' "./parts/*": {"style": "./css/*.css"}}}',
        "ui/_index.scss": "", "ui/index.js": "", "ui/css/card.css": "",
        "plug/package.json": '{"name": "@org/plug", "main": "plug.js"}', "plug/plug.js": "",
    })  # fmt: skip
    assert tree.follow("app/m.scss") == {
        "@org/ui": ["ui/_index.scss"], "@org/ui/parts/card": ["ui/css/card.css"], "@org/plug": ["plug/plug.js"],
    }  # fmt: skip


def test_comments_and_blocks_of_pages_are_not_looked_for_in_each_other() -> None:
    page = (
        "<!-- a <script> tag, b/c.html -->\n<a href='d.html'>x</a>\n{{#if x}}<a href='e.html'>x</a>{{/if}}\n"
        "<style>@media print{#nav{display:none}}</style><script>x = '<!--'</script>\n<a href='f.html'>x</a>{# g/h.html #}"
    )
    for path in ("a.html", "a.hbs"):
        assert [tuple(r)[:4] for r in facts(path, page).references] == [
            ("comment", "b/c.html", "", 1), ("link", "d.html", "", 2), ("link", "e.html", "", 3),
            ("comment", "g/h.html", "", 5), ("link", "f.html", "", 5),
        ]  # fmt: skip


def test_blocks_of_svelte_are_no_comments() -> None:
    page = "{#if user}\n<a href='b.html'>x</a>\n{/if}\n<!-- c/d.html -->\n"
    assert [r[:2] for r in facts("A.svelte", page).references] == [("link", "b.html"), ("comment", "c/d.html")]


def test_addresses_of_sites_are_followed(edges) -> None:
    found = edges({
        "web/docs/guide/a.md": "[b](./b#x) [c](/api/c) [d](/api/d/) [b](b.html) [r](/README.md) [e](../api/e.mdx) [n](none)",
        "web/docs/guide/b.md": "x", "web/docs/api/c.md": "x", "web/docs/api/d/index.md": "x", "web/docs/api/f.mdx": "x",
        "README.md": "[no](/api/c.md)", "web/README.md": "x", "web/docs/guide/p.rst": "p\n=\n\n.. include:: /api/q.rst\n",
        "web/docs/api/q.rst": "x", "web/site/index.html": "<a href='/sub/'>x</a> <a href='sub'>x</a> <a href='b'>x</a>",
        "web/site/sub/index.html": "x", "web/site/b.md": "x", "web/docs/guide/f.md": "[f](/api/f)",
    })  # fmt: skip
    assert found == {("references", f"web/{a}", b) for a, b in (
        ("docs/guide/a.md", "web/docs/guide/b.md"), ("docs/guide/a.md", "web/docs/api/c.md"),
        ("docs/guide/a.md", "web/docs/api/d/index.md"), ("docs/guide/a.md", "README.md"),
        ("docs/guide/p.rst", "web/docs/api/q.rst"), ("site/index.html", "web/site/sub/index.html"),
        ("docs/guide/f.md", "web/docs/api/f.mdx"),
    )}  # fmt: skip


def test_pages_of_mdx_import_what_they_show() -> None:
    page = (
        "import A from './A'\nimport {\n  b,\n} from \"../b.js\";\nimport './c.css'\nexport * from './d.mdx'\n\n"
        "# T\n\nWe import x from './x.js' here.\n\n```js\nimport X from './x.js'\n```\n"
    )
    tree = Tree(dict.fromkeys(("docs/A.tsx", "b.js", "docs/c.css", "docs/d.mdx", "docs/x.js"), "") | {"docs/p.mdx": page})
    assert tree.follow("docs/p.mdx") == {
        "./A": ["docs/A.tsx"], "../b.js": ["b.js"], "./c.css": ["docs/c.css"], "./d.mdx": ["docs/d.mdx"],
    }  # fmt: skip
    assert [r.start for r in tree.facts["docs/p.mdx"].references if r.kind == "import"] == [1, 4, 5, 6]


def test_headings_of_pages_with_markup_in_them() -> None:
    page = "<title>A</title><h1>Big <em>one</em>\n<a\nhref='b.html'>here</a></h1><h2></h2><h3>open <b>x\n<h2>B</h2>"
    assert facts("a.html", page).headings == (("A", 1), ("Big one here", 1), ("open x", 3), ("B", 4))


def test_labels_of_sphinx_lead_to_the_document_that_has_them(edges) -> None:
    found = edges({
        "docs/a.rst": ".. _Place One:\n\nA\n=\n\n:ref:`x <place one>` :ref:`twice`\n",
        "docs/b.md": "# B\n\n{ref}`place  one` {ref}`none`\n\n(twice)=\n## C\n",
        "docs/c.rst": "C\n=\n\n:ref:`place one` :ref:`twice`\n",
        "docs/d.rst": "D\n=\n\nTODO\n\n.. _later:\n", "docs/e.rst": "E\n=\n\n:ref:`later`\n",
        "other/d.rst": ".. _twice:\n\nD\n=\n",
    })  # fmt: skip
    assert found == {
        ("references", "docs/a.rst", "docs/b.md"), ("references", "docs/b.md", "docs/a.rst"),
        ("references", "docs/c.rst", "docs/a.rst"), ("references", "docs/c.rst", "docs/b.md"),
        ("references_placeholder", "docs/e.rst", "docs/d.rst"),
    }  # fmt: skip


def test_a_directory_is_served_as_its_index(edges) -> None:
    page = '<a href="sub/">x</a> <a href="other">y</a> <img src=".">'
    found = edges({"a.html": page, "sub/index.html": "x", "sub/README.md": "x", "other/README.md": "x", "README.md": "x"})
    assert found == {("references", "a.html", "sub/index.html")}


def test_definitions_of_sass_and_less() -> None:
    text = "/// Wide.\n@mixin big($a) {\n  x: y;\n}\n$w: 1px;\n$-own: 2px;\n@function f() { @return 1; }\n%ph { a: b }\n"
    assert definitions("m.scss", text) == [
        ("big", "function", 2, 4), ("$w", "constant", 5, 5), ("$-own", "constant", 6, 6), ("f", "function", 7, 7),
        ("%ph", "function", 8, 8),
    ]  # fmt: skip
    found = facts("m.scss", text).definitions
    assert [d.name for d in found if d.documented] == ["big"]
    assert [d.name for d in found if not d.public] == ["$-own"]
    assert definitions("m.less", ".big(@a) {\n  x: @a;\n}\n@w: 1px;\n@media x { a { b: c } }\n") == [
        ("big", "function", 1, 3), ("@w", "constant", 4, 4),
    ]  # fmt: skip
    assert definitions("m.sass", "=big($a)\n  x: y\n\na\n  b: c\n") == [("big", "function", 1, 3)]


def test_comments_of_style_sheets_spare_addresses() -> None:
    text = "a { b: url(//x.y/z.png) } /* see notes/a.md */\n@import 'c';\n"
    assert {r[:2] for r in facts("m.scss", text).references} == {("comment", "notes/a.md"), ("import", "c")}
