"""Go: definitions, packages, modules, and the names a file takes from its own package."""

from __future__ import annotations

from .reading import Tree, definitions, facts

SHAPES = """\
    // Package shapes draws.
    package shapes

    // Area is one.
    type Area interface {
    	Size() int
    }

    type (
    	Square struct{ side int }
    	Names  = []string
    )

    const Unit, half = 2, 1

    // Size tells.
    func (s *Square) Size() int {
    	local := func() int { return 1 }
    	return local()
    }

    func (b Box[T]) put(t T) {}

    func New() *Square { return nil }
    """


def test_definitions() -> None:
    assert definitions("shapes.go", SHAPES) == [
        ("Area", "interface", 5, 7),
        ("Square", "class", 10, 10),
        ("Names", "type", 11, 11),
        ("Unit", "constant", 14, 14),
        ("half", "constant", 14, 14),
        ("Square.Size", "method", 17, 20),
        ("Box.put", "method", 22, 22),
        ("New", "function", 24, 24),
    ]


def test_public_and_documented() -> None:
    found = facts("shapes.go", SHAPES)
    assert {d.name for d in found.definitions if not d.public} == {"half", "Box.put"}
    assert {d.name for d in found.definitions if d.documented} == {"Area", "Square.Size"}


def test_a_program_is_an_entry_point() -> None:
    assert facts("m.go", "package main\n\nfunc main() {}\n").entry_point
    assert not facts("m.go", "package mainly\n\nfunc main() {}\n").entry_point


def test_risks() -> None:
    code = 'package x\n\nimport "crypto/md5"\n\nvar apiKey = "abcdef"\n\nfunc f() { exec.Command("ls").Run() }\n'
    assert dict(facts("x.go", code).risk) == {"process_spawn": 1, "cryptography": 1, "credential_constant": 1}


MODULES = {
    "go.mod": "module example.com/top\n\nrequire example.com/other v1.0.0\n\nreplace example.com/other => ./other\n",
    "main.go": """\
        package main

        import (
        	"fmt"
        	"example.com/top/pkg/draw"
        	d "example.com/other/deep"
        	_ "example.com/top/pkg/draw/v2"
        	"example.com/top/nothing"
        	"github.com/else/where"
        )

        func main() { fmt.Println(draw.Line(), d.Deep, draw.Unknown); help(); where.Is() }
        """,
    "help.go": "package main\n\nfunc help() {}\n",
    "pkg/draw/draw.go": "package draw\n\ntype Pen struct{}\n",
    "pkg/draw/line.go": "package draw\n\nfunc Line() Pen { return Pen{} }\n",
    "pkg/draw/line_test.go": "package draw\n\nfunc TestLine() { Line() }\n",
    "pkg/draw/v2/a.go": "package draw\n",
    "other/go.mod": "module example.com/other\n",
    "other/deep/x.go": 'package deep\n\nimport "example.com/top/pkg/draw"\n\nvar Deep = draw.Pen{}\n',
    "vendor/github.com/else/where/w.go": "package where\n\nfunc Is() {}\n",
}


def test_imports_lead_to_the_files_that_define_what_is_used() -> None:
    assert Tree(MODULES).follow("main.go") == {
        "fmt Println": "external",
        "example.com/top/pkg/draw Line": ["pkg/draw/line.go"],
        "example.com/top/pkg/draw Unknown": ["pkg/draw/draw.go"],
        "example.com/other/deep Deep": ["other/deep/x.go"],
        "example.com/top/pkg/draw/v2": ["pkg/draw/v2/a.go"],
        "example.com/top/nothing": "unresolved",
        "github.com/else/where Is": ["vendor/github.com/else/where/w.go"],
    }


def test_another_module_of_the_tree_is_found_by_its_name() -> None:
    assert Tree(MODULES).follow("other/deep/x.go") == {"example.com/top/pkg/draw Pen": ["pkg/draw/draw.go"]}


def test_names_of_the_own_package_need_no_import() -> None:
    tree = Tree(MODULES)
    assert tree.follow("main.go", "use")["help"] == ["help.go"]
    assert tree.follow("pkg/draw/line.go", "use")["Pen"] == ["pkg/draw/draw.go"]
    assert tree.follow("pkg/draw/line_test.go", "use")["Line"] == ["pkg/draw/line.go"]


def test_embedded_files() -> None:
    files = dict.fromkeys(
        "w/a.txt w/s/x.html w/s/_y.html w/s/deep/z.html w/s/.git/c w/all/_q.html w/t/1.sql w/t/2.sql w/n/m.txt".split(), ""
    )
    text = 'package w\n\n//go:embed a.txt "n/m.txt" gone\nvar a string\n\n//go:embed s t/*.sql\n//go:embed all:all\nvar f embed.FS\n'
    assert Tree(files | {"w/w.go": text}).follow("w/w.go", "use") == {
        "a.txt": ["w/a.txt"], "n/m.txt": ["w/n/m.txt"], "gone": "external", "s": ["w/s/deep/z.html", "w/s/x.html"],
        "t/*.sql": ["w/t/1.sql", "w/t/2.sql"], "all:all": ["w/all/_q.html"],
    }  # fmt: skip


def test_before_modules_a_path_is_known_by_its_end() -> None:
    tree = Tree({
        "cmd/x/main.go": 'package main\n\nimport "github.com/a/b/pkg/y"\n\nvar _ = y.Y\n',
        "pkg/y/y.go": "package y\n\nvar Y = 1\n",
    })  # fmt: skip
    assert tree.follow("cmd/x/main.go") == {"github.com/a/b/pkg/y Y": ["pkg/y/y.go"]}


def test_a_method_is_none_of_the_functions_of_its_package() -> None:
    tree = Tree(
        {
            "go.mod": "module example.com/m\n",
            "a.go": "package m\n\nfunc (b *Box) Open() error { return nil }\n",
            "b.go": "package m\n\nfunc Open() error { return nil }\n\ntype Box struct{}\n",
            "c.go": "package m\n\nfunc (b Box) Close() { Open() }\n",
        }
    )
    assert tree.follow("a.go", "use") == {"Box": ["b.go"]}
    assert tree.follow("c.go", "use") == {"Box": ["b.go"], "Open": ["b.go"]}


def test_tests_use_what_tests_of_their_package_define() -> None:
    tree = Tree({
        "go.mod": "module example.com/m\n",
        "a/a.go": "package a\n\nfunc A() { helper() }\n",
        "a/a_test.go": "package a\n\nfunc TestA() { helper(); A(); outside() }\n",
        "a/help_test.go": "package a\n\nfunc helper() {}\n",
        "a/out_test.go": 'package a_test\n\nimport "example.com/m/a"\n\nfunc TestB() { a.A(); outside(); helper() }\n',
        "a/outside_test.go": "package a_test\n\nfunc outside() {}\n",
    })
    assert tree.follow("a/a_test.go", "use") == {
        "helper": ["a/help_test.go"], "A": ["a/a.go"], "outside": "external",
    }  # fmt: skip
    assert tree.follow("a/out_test.go", "use") == {"outside": ["a/outside_test.go"], "helper": "external"}
    assert tree.follow("a/out_test.go") == {"example.com/m/a A": ["a/a.go"]}
    assert tree.follow("a/a.go", "use") == {"helper": "external"}


def test_a_program_beside_a_package_is_no_part_of_it() -> None:
    tree = Tree({
        "go.mod": "module example.com/m\n",
        "a/a.go": "package a\n\nfunc A() { made() }\n",
        "a/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() { A() }\n\nfunc made() {}\n",
        "cmd/main.go": 'package main\n\nimport "example.com/m/a"\n\nfunc main() { a.made(); a.A() }\n',
    })
    assert tree.follow("a/gen.go", "use") == {"A": "external"}
    assert tree.follow("a/a.go", "use") == {"made": "external"}
    assert tree.follow("cmd/main.go") == {"example.com/m/a made": ["a/a.go"], "example.com/m/a A": ["a/a.go"]}


def test_words_in_strings_are_no_names() -> None:
    text = 'package a\n\nvar s = "the Pen" + `\nthe "Pen` + string(\'"\') // Pen\n\nvar t = "\\"Pen"\n'
    assert not Tree({"a/a.go": text, "a/pen.go": "package a\n\ntype Pen struct{}\n"}).follow("a/a.go", "use")
    assert [r.start for r in facts("a.go", text + "var p Pen\n").references if r.name == "Pen"] == [7]


def test_modules_are_where_manifests_say_and_the_nearest_of_a_name() -> None:
    far = 'package x\n\nimport (\n\t"example.com/bar/x"\n\t"example.com/m/api/v1"\n)\n\nfunc B() { x.X(); v1.V() }\n'
    main = 'package main\n\nimport "example.com/dup/l"\n\nfunc main() { l.L() }\n'
    tree = Tree({
        "go.mod": "module example.com/m\n\nrequire (\n\texample.com/bar v1.0.0\n)\n\nreplace (\n"
                  "\texample.com/bar v1.0.0 => ./forks/baz\n)\n",
        "b/b.go": far,
        "forks/baz/go.mod": "module example.com/baz\n",
        "forks/baz/x/x.go": "package x\n\nfunc X() {}\n",
        "apis/go.mod": "module example.com/m/api\n",
        "apis/v1/v.go": "package v1\n\nfunc V() {}\n",
        **{f"t{n}/go.mod": "module example.com/dup\n" for n in (1, 2)},
        **{f"t{n}/l/l.go": "package l\n\nfunc L() {}\n" for n in (1, 2)},
        "t2/sub/go.mod": "module example.com/sub\n\nrequire example.com/dup v0.0.0\n",
        "t2/sub/main.go": main,
        "t3/go.mod": "module example.com/t3\n",
        "t3/main.go": main,
    })  # fmt: skip
    assert tree.follow("b/b.go") == {
        "example.com/bar/x X": ["forks/baz/x/x.go"], "example.com/m/api/v1 V": ["apis/v1/v.go"],
    }  # fmt: skip
    assert tree.follow("t2/sub/main.go") == {"example.com/dup/l L": ["t2/l/l.go"]}
    assert tree.follow("t2/sub/go.mod", "depends") == {"example.com/dup go module": ["t2/go.mod"]}
