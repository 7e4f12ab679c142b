"""PHP: definitions, `use` in every form, names of the own namespace, and required files."""

from __future__ import annotations

from .reading import Tree, definitions, facts

SHAPES = """\
    <?php
    namespace A\\B;

    /** A shape. */
    #[Marked]
    abstract class Shape extends Base
    {
        const ONE = 1, TWO = 2;
        private const THREE = 3;
        private function hidden() {}
        public static function make() { $local = function () {}; }
    }
    interface Area {}
    trait Drawn {}
    enum Colour: string { case Red = 'r'; public function mix() {} }
    function help() {}
    const TOP = 1;
    """


def test_definitions() -> None:
    assert definitions("Shape.php", SHAPES) == [
        ("Shape", "class", 5, 12),
        ("Shape.ONE", "constant", 8, 8),
        ("Shape.TWO", "constant", 8, 8),
        ("Shape.THREE", "constant", 9, 9),
        ("Shape.hidden", "method", 10, 10),
        ("Shape.make", "method", 11, 11),
        ("Area", "interface", 13, 13),
        ("Drawn", "trait", 14, 14),
        ("Colour", "class", 15, 15),
        ("Colour.mix", "method", 15, 15),
        ("help", "function", 16, 16),
        ("TOP", "constant", 17, 17),
    ]
    found = facts("Shape.php", SHAPES)
    assert {d.name for d in found.definitions if not d.public} == {"Shape.THREE", "Shape.hidden"}
    assert {d.name for d in found.definitions if d.documented} == {"Shape"}


PACKAGE = {
    "composer.json": """\
        {
            "name": "a/b",
            "autoload": {"psr-4": {"A\\\\": "src/"}, "psr-0": {"Old_": "old"}, "files": ["src/functions.php"]},
            "autoload-dev": {"psr-4": {"A\\\\Tests\\\\": ["tests/"]}}
        }
        """,
    "src/Main.php": """\
        <?php
        namespace A;

        use A\\Sub\\One;
        use A\\Sub\\{Two, Three as Drei};
        use function A\\help;
        use const A\\LIMIT;
        use A\\Sub as Below, Else\\Where;

        require_once __DIR__ . '/functions.php';
        require 'plain.php';
        include dirname(__DIR__) . "/tests/fixture.php";
        require $unknown . '/x.php';

        class Main extends Near implements \\A\\Sub\\Four
        {
            use Mixed_;
            function go() { new Below\\Five(); other(1); Drei::x(); $this->Quoted(); return "{$a} Quoted"; } // Quoted
        }
        """,
    "src/Near.php": "<?php\nnamespace A;\n\nclass Near {}\n",
    "src/Quoted.php": "<?php\nnamespace A;\n\nclass Quoted {}\n",
    "src/Mixed_.php": "<?php\nnamespace A;\n\ntrait Mixed_ {}\n",
    "src/functions.php": "<?php\nnamespace A;\n\nfunction help() {}\nfunction other() {}\nconst LIMIT = 1;\n",
    "src/plain.php": "<?php\n",
    "src/Sub/One.php": "<?php\nnamespace A\\Sub;\n\nclass One {}\n",
    "src/Sub/Two.php": "<?php\nnamespace A\\Sub { class Two {} }\n",
    "src/Sub/Three.php": "<?php\nnamespace A\\Sub;\n\nenum Three {}\n",
    "src/Sub/Four.php": "<?php\nnamespace A\\Sub;\n\ninterface Four {}\n",
    "src/Sub/Five.php": "<?php\nnamespace A\\Sub;\n\nclass Five {}\n",
    "stubs/One.php": "<?php\nnamespace A\\Sub;\n\nclass One {}\n",
    "stubs/more/One.php": "<?php\nnamespace A\\Sub;\n\nclass One {}\n",
    "tests/fixture.php": "<?php\n",
    "tests/MainTest.php": "<?php\nnamespace A\\Tests;\n\nuse A\\Main;\n\nclass MainTest {}\n",
    "old/Old/Thing.php": "<?php\nclass Old_Thing {}\n",
    "copy/Thing.php": "<?php\nclass Old_Thing {}\n",
    "src/Old.php": "<?php\nnew Old_Thing();\n",
}


def test_imports() -> None:
    assert Tree(PACKAGE).follow("src/Main.php") == {
        "A\\Sub\\One": ["src/Sub/One.php"],
        "A\\Sub\\Two": ["src/Sub/Two.php"],
        "A\\Sub\\Three": ["src/Sub/Three.php"],
        "A\\help": ["src/functions.php"],
        "A\\LIMIT": ["src/functions.php"],
        "A\\Sub": "external",
        "Else\\Where": "external",
        "./functions.php file": ["src/functions.php"],
        "plain.php file": ["src/plain.php"],
        "../tests/fixture.php file": ["tests/fixture.php"],
    }


def test_names_are_completed_by_namespace_and_aliases() -> None:
    uses = Tree(PACKAGE).follow("src/Main.php", "use")
    assert uses["A Near"] == ["src/Near.php"]
    assert uses["A\\Sub\\Four"] == ["src/Sub/Four.php"]
    assert uses["A\\Sub\\Five"] == ["src/Sub/Five.php"]
    assert uses["A Mixed_"] == ["src/Mixed_.php"]
    assert uses["A other"] == ["src/functions.php"]
    assert not {"A Quoted", "A Drei"} & set(uses)


def test_of_namesakes_composer_decides() -> None:
    assert Tree(PACKAGE).follow("src/Main.php")["A\\Sub\\One"] == ["src/Sub/One.php"]
    assert Tree(PACKAGE).follow("src/Old.php", "use")["Old_Thing"] == ["old/Old/Thing.php"]
    without = {path: text for path, text in PACKAGE.items() if path not in ("composer.json", "src/Sub/One.php")}
    user = "<?php\nnamespace A\\Sub;\n\nnew One();\n"
    assert Tree(without | {"x/User.php": user}).follow("x/User.php", "use")["A\\Sub One"] == "external"


def test_tests_import_their_subjects() -> None:
    assert Tree(PACKAGE).follow("tests/MainTest.php") == {"A\\Main": ["src/Main.php"]}


def test_risks() -> None:
    code = (
        "<?php\nexec($a); eval($x); unserialize($y); stream_socket_server($z); "
        '$db->query("select $x"); $db->exec($prepared);\n'
    )
    assert dict(facts("a.php", code).risk) == {
        "process_spawn": 1, "dynamic_eval": 1, "unsafe_deserialisation": 1, "network_listener": 1, "raw_sql": 1,
    }  # fmt: skip


def test_cases_of_an_enumeration_name_no_class() -> None:
    found = facts("Role.php", "<?php\nnamespace App;\nenum Role: string { case User = 'user'; case Guest = 'guest'; }\n")
    assert [r for r in found.references if r.kind == "use"] == []
