"""Java and Kotlin: definitions, imports by full names, names of the own package, and both languages across."""

from __future__ import annotations

from .reading import Tree, definitions, facts

JAVA = """\
    package com.foo;

    import java.util.*;

    /** A shape. */
    @Marked
    public abstract class Shape<T> extends Base {
        private static final int K = 1, L = 2;
        public Shape() {}
        protected abstract void draw(String s);
        void hidden() { Object o = new Object() { void inside() {} }; }
        enum Colour { RED; void mix() {} }
        record Point(int a) { Point {} }
        @interface Mark { int value() default 1; }
        interface Area { int size(); }
        public static void main(String[] args) {}
    }
    """

KOTLIN = """\
    package com.foo

    /** A shape. */
    class Shape<T>(val x: Int) : Base() {
        companion object {
            const val K = 1
            fun make() {}
        }
        internal fun hidden(): String = "a ${Other.text()} $x"
        inner class Inner
    }

    private val count = 1
    sealed interface Area
    object Single
    typealias Names = List<String>
    fun String.shout(): Int = 1
    @Retention(RUNTIME) annotation class Marked
    fun main(args: Array<String>) {}
    """


def test_java_definitions() -> None:
    assert definitions("Shape.java", JAVA) == [
        ("Shape", "class", 6, 17),
        ("Shape.K", "constant", 8, 8),
        ("Shape.L", "constant", 8, 8),
        ("Shape.Shape", "method", 9, 9),
        ("Shape.draw", "method", 10, 10),
        ("Shape.hidden", "method", 11, 11),
        ("Shape.Colour", "class", 12, 12),
        ("Shape.Colour.mix", "method", 12, 12),
        ("Shape.Point", "class", 13, 13),
        ("Shape.Point.Point", "method", 13, 13),
        ("Shape.Mark", "interface", 14, 14),
        ("Shape.Mark.value", "method", 14, 14),
        ("Shape.Area", "interface", 15, 15),
        ("Shape.Area.size", "method", 15, 15),
        ("Shape.main", "method", 16, 16),
    ]
    found = facts("Shape.java", JAVA)
    assert {d.name for d in found.definitions if d.public} == {"Shape", "Shape.Shape", "Shape.draw", "Shape.main"}
    assert {d.name for d in found.definitions if d.documented} == {"Shape"}
    assert found.entry_point


def test_kotlin_definitions() -> None:
    found = facts("Shape.kt", KOTLIN)
    assert [(d.name, d.kind, d.start, d.end) for d in found.definitions] == [
        ("Shape", "class", 4, 11),
        ("Shape.K", "constant", 6, 6),
        ("Shape.make", "method", 7, 7),
        ("Shape.hidden", "method", 9, 9),
        ("Shape.Inner", "class", 10, 10),
        ("count", "constant", 13, 13),
        ("Area", "interface", 14, 14),
        ("Single", "class", 15, 15),
        ("Names", "type", 16, 16),
        ("shout", "function", 17, 17),
        ("Marked", "class", 18, 18),
        ("main", "function", 19, 19),
    ]
    assert {d.name for d in found.definitions if not d.public} == {"Shape.hidden", "count"}
    assert {d.name for d in found.definitions if d.documented} == {"Shape"}
    assert found.entry_point
    assert not facts("Other.kt", "package a\n\nclass A { fun main() {} }\n").entry_point


MODULES = {
    "core/src/main/java/com/foo/Bar.java": "package com.foo;\n\npublic class Bar { static class In {} static int baz() {} }\n",
    "core/src/main/java/com/foo/Own.java": """\
        package com.foo;

        import com.foo.util.*;
        import static com.foo.util.Strings.*;

        class Own extends Bar {
            // Commented is no use
            Helper h = Helper.of("Quoted"); Missing m; Own o; UtilKt x;
        }
        """,
    "core/src/main/java/com/foo/Commented.java": "package com.foo;\n\nclass Commented {}\n",
    "core/src/main/java/com/foo/Quoted.java": "package com.foo;\n\nclass Quoted {}\n",
    "core/src/main/java/com/foo/util/Helper.java": "package com.foo.util;\n\npublic class Helper {}\n",
    "core/src/main/java/com/foo/util/Strings.java": "package com.foo.util;\n\npublic class Strings {}\n",
    "core/src/test/java/com/foo/BarTest.java": "package com.foo;\n\nclass BarTest { Bar b; OnlyTests t; }\n",
    "core/src/test/java/com/foo/OnlyTests.java": "package com.foo;\n\nclass OnlyTests {}\n",
    "app/src/main/kotlin/Main.kt": """\
        package com.app

        import com.foo.Bar
        import com.foo.Bar.In
        import com.foo.util.Strings as S
        import com.lib.shout
        import com.lib.LIMIT
        import com.lib.Maker.Companion.make
        import com.foo.nothing.Here
        import org.else.Where

        fun main() { Bar(); helper(1) }
        """,
    "app/src/main/kotlin/Helpers.kt": "package com.app\n\nfun helper(x: Int) = x\n",
    "lib/src/commonMain/kotlin/Text.kt": "package com.lib\n\nfun String.shout() = 1\n\nconst val LIMIT = 1\n",
    "lib/src/commonMain/kotlin/Maker.kt": "package com.lib\n\nexpect class Maker { companion object { fun make() } }\n",
    "lib/src/jvmMain/kotlin/Maker.jvm.kt": "package com.lib\n\nactual class Maker\n",
    "lib/src/jvmMain/kotlin/Named.kt": '@file:JvmName("Renamed")\npackage com.lib\n\nfun named() = 1\n',
    "app/src/main/java/com/app/Old.java": """\
        package com.app;

        import com.lib.Maker;
        import static com.lib.TextKt.shout;
        import com.lib.Renamed;
        import com.foo.*;

        class Old { Bar bar; }
        """,
}  # fmt: skip


def test_imports_lead_to_what_declares_a_name_or_is_around_it() -> None:
    assert Tree(MODULES).follow("app/src/main/kotlin/Main.kt") == {
        "com.foo.Bar": ["core/src/main/java/com/foo/Bar.java"],
        "com.foo.Bar.In": ["core/src/main/java/com/foo/Bar.java"],
        "com.foo.util.Strings": ["core/src/main/java/com/foo/util/Strings.java"],
        "com.lib.shout": ["lib/src/commonMain/kotlin/Text.kt"],
        "com.lib.LIMIT": ["lib/src/commonMain/kotlin/Text.kt"],
        "com.lib.Maker.Companion.make": ["lib/src/commonMain/kotlin/Maker.kt"],
        "com.foo.nothing.Here": "external",
        "org.else.Where": "external",
    }


def test_java_names_what_kotlin_makes() -> None:
    assert Tree(MODULES).follow("app/src/main/java/com/app/Old.java") == {
        "com.lib.Maker": ["lib/src/commonMain/kotlin/Maker.kt"],
        "com.lib.TextKt.shout": ["lib/src/commonMain/kotlin/Text.kt"],
        "com.lib.Renamed": ["lib/src/jvmMain/kotlin/Named.kt"],
        "com.foo *": "external",
    }


def test_names_of_the_own_package_and_of_whole_imports() -> None:
    uses = Tree(MODULES).follow("core/src/main/java/com/foo/Own.java", "use")
    assert uses["Bar"] == ["core/src/main/java/com/foo/Bar.java"]
    assert uses["Helper"] == ["core/src/main/java/com/foo/util/Helper.java"]
    assert uses["Missing"] == "external"
    assert not {"Commented", "Quoted", "Own"} & set(uses)
    assert Tree(MODULES).follow("app/src/main/java/com/app/Old.java", "use")["Bar"] == [
        "core/src/main/java/com/foo/Bar.java"
    ]
    assert Tree(MODULES).follow("app/src/main/kotlin/Main.kt", "use")["helper"] == ["app/src/main/kotlin/Helpers.kt"]


def test_a_full_name_in_the_code_needs_no_import() -> None:
    code = "com.foo.Bar b = new com.foo.util.Helper(this.Helper, x.com.foo.Own, f().foo.Own); com.foo.Bar.In i;"
    said = '\n// com.foo.Own\nString s = "com.foo.Own"; java.util.List<com.foo.Bar> l;'
    tree = Tree(MODULES | {
        "core/src/main/java/com/far/Far.java": f"package com.far;\n\nclass Far {{ {code} {said} }}\n",
        "app/src/main/kotlin/far/Far.kt": "package com.far\n\nval b: com.foo.Bar = com.foo.util.Helper.of(com.lib.Maker())\n",
        "core/src/main/java/com/far/Wrong.java": "package com.far;\n\nclass Wrong { com.foo.OnlyTests t; }\n",
    })  # fmt: skip
    bar, helper = "core/src/main/java/com/foo/Bar.java", "core/src/main/java/com/foo/util/Helper.java"
    uses = tree.follow("core/src/main/java/com/far/Far.java", "use")
    assert {name: files for name, files in uses.items() if files != "external"} == {
        "com.foo Bar": [bar], "com.foo.util Helper": [helper],
    }  # fmt: skip
    uses = tree.follow("app/src/main/kotlin/far/Far.kt", "use")
    assert {name: files for name, files in uses.items() if files != "external"} == {
        "com.foo Bar": [bar], "com.foo.util Helper": [helper],
        "com.lib Maker": ["lib/src/commonMain/kotlin/Maker.kt"],
    }  # fmt: skip
    assert tree.follow("core/src/main/java/com/far/Wrong.java", "use")["com.foo OnlyTests"] == "external"


def test_a_static_star_is_an_import_of_its_class() -> None:
    found = Tree(MODULES).follow("core/src/main/java/com/foo/Own.java")
    assert found["com.foo.util.Strings *"] == ["core/src/main/java/com/foo/util/Strings.java"]


def test_a_class_that_is_imported_whole_has_its_classes() -> None:
    tree = Tree({
        "a/src/Many.kt": "package com.foo\n\nclass Many {\n    class One\n}\n",
        "a/src/User.kt": "package com.foo\n\nimport com.foo.Many.*\n\nval x = One()\nval y = Two()\n",
        "b/src/One.kt": "package com.foo\n\nclass One\n",
        "b/src/Two.kt": "package com.foo\n\nclass Two\n",
    })  # fmt: skip
    uses = tree.follow("a/src/User.kt", "use")
    assert uses["One"] == ["a/src/Many.kt"]  # not what another module has in a package of that name
    assert uses["Two"] == ["b/src/Two.kt"]


def test_tests_use_what_only_they_have_and_sources_do_not() -> None:
    tree = Tree(
        MODULES | {"core/src/main/java/com/foo/Wrong.java": "package com.foo;\n\nclass Wrong { OnlyTests t; }\n"}
    )
    assert tree.follow("core/src/test/java/com/foo/BarTest.java", "use")["OnlyTests"] == [
        "core/src/test/java/com/foo/OnlyTests.java"
    ]
    assert tree.follow("core/src/main/java/com/foo/Wrong.java", "use")["OnlyTests"] == "external"


def test_of_namesakes_the_nearest_is_meant_and_a_draw_is_nobody() -> None:
    bar = "package com.foo;\n\npublic class Bar {}\n"
    tree = Tree({
        "a/src/Bar.java": bar,
        "b/src/Bar.java": bar,
        "a/src/User.java": "package com.foo;\n\nclass User { Bar b; }\n",
        "c/src/User.java": "package com.foo;\n\nimport com.foo.Bar;\n\nclass User {}\n",
        "d/src/User.java": "package com.foo;\n\nclass User { Bar b; }\n",
    })  # fmt: skip
    assert tree.follow("a/src/User.java", "use")["Bar"] == ["a/src/Bar.java"]
    assert tree.follow("c/src/User.java") == {"com.foo.Bar": ["a/src/Bar.java", "b/src/Bar.java"]}
    assert tree.follow("d/src/User.java", "use")["Bar"] == "external"


def test_a_file_that_cannot_be_parsed_still_says_its_package() -> None:
    found = facts("Deep.java", "package com.foo;\n\nclass Deep {}\n" + "(" * 3_000)
    assert found.error == "too deep"
    assert ("jvm", "com.foo.Deep") in found.declares


def test_risks() -> None:
    java = (
        "import javax.crypto.Cipher;\nclass A { void f() { new ProcessBuilder(x); Class.forName(n); new ServerSocket(1);"
        ' st.executeQuery("select " + x); String password = "hunter22"; new ObjectInputStream(s); } }\n'
    )
    every = {
        "cryptography", "process_spawn", "dynamic_eval", "network_listener", "raw_sql", "credential_constant",
        "unsafe_deserialisation",
    }  # fmt: skip
    assert set(dict(facts("A.java", java).risk)) == every
    kotlin = 'import java.security.MessageDigest\n\nfun f() { ProcessBuilder("x"); ServerSocket(1) }\n'
    assert set(dict(facts("A.kt", kotlin).risk)) == {"cryptography", "process_spawn", "network_listener"}


def test_what_an_interface_holds_is_public_unless_it_says_otherwise() -> None:
    text = """\
        public interface Shape {
          void draw();
          private void helper() {}
          record Square(int a) implements Shape { public int size() { return a; } }
          interface Inner { void run(); }
          enum Kind { ROUND }
        }
        """
    found = facts("Shape.java", text)
    assert {d.name for d in found.definitions if not d.public} == {"Shape.helper"}
    assert "ROUND" not in {r.name for r in found.references}


def test_what_a_module_needs_and_offers_at_run_time() -> None:
    tree = Tree(
        {
            "src/module-info.java": "module app {\n  uses app.Codec;\n  provides app.Codec with app.json.Json, app.Xml;\n}\n",
            "src/app/Codec.java": "package app;\npublic interface Codec {}\n",
            "src/app/Xml.java": "package app;\npublic class Xml {}\n",
            "src/app/json/Json.java": "package app.json;\npublic class Json {}\n",
        }
    )
    assert tree.follow("src/module-info.java") == {
        "app.Codec": ["src/app/Codec.java"],
        "app.json.Json": ["src/app/json/Json.java"],
        "app.Xml": ["src/app/Xml.java"],
    }


def test_names_that_are_words_of_kotlin() -> None:
    tree = Tree(
        {
            "app/in/Reader.kt": "package app.`in`\n\nclass Reader\n",
            "app/Main.kt": "package app\n\nimport app.`in`.Reader\n\nval reader = Reader()\n",
            "app/Old.java": "package app;\nclass Old { Reader r; }\n",
        }
    )
    assert tree.follow("app/Main.kt") == {"app.in.Reader": ["app/in/Reader.kt"]}
