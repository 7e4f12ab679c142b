"""C and C++: definitions, includes by their roots, and the two halves of a part."""

from __future__ import annotations

import pytest

from .reading import Tree, definitions, facts

HEADER = """\
    #ifndef BOX_H
    #define BOX_H
    #include <vector>
    #define MAX_N 10
    #define SQUARE(x) ((x) * (x))

    namespace ns {
    /// A box.
    template <typename T> class Box : public Base<T> {
     public:
      T* get() const;
      int run(int a) { return a; }
    };
    enum class Kind { A };
    using Row = std::vector<int>;
    int free_function(int a);
    static int hidden() { return 1; }
    }
    #endif
    """
SOURCE = """\
    #include "box.h"
    static int twice(int a);
    struct point { int x, y; };
    typedef struct point point_t;
    typedef int (*callback)(int);

    /* Doubles. */
    static int twice(int a)
    {
        return 2 * a;
    }

    char *name_of(struct point *p)
    {
        int local(int);
        return 0;
    }

    int main(void) { return twice(1); }
    """


def test_definitions_of_c_plus_plus() -> None:
    expected = [
        ("MAX_N", "constant", 4, 4),
        ("SQUARE", "function", 5, 5),
        ("ns", "module", 7, 18),
        ("ns.Box", "class", 9, 13),
        ("ns.Box.get", "method", 11, 11),
        ("ns.Box.run", "method", 12, 12),
        ("ns.Kind", "class", 14, 14),
        ("ns.Row", "type", 15, 15),
        ("ns.free_function", "function", 16, 16),
        ("ns.hidden", "function", 17, 17),
    ]
    assert definitions("box.hpp", HEADER) == expected
    assert definitions("box.h", HEADER) == expected  # what it is written in, the text says
    assert {d.name for d in facts("box.h", HEADER).definitions if not d.public} == {"ns.hidden"}


def test_definitions_of_c() -> None:
    assert definitions("x.c", SOURCE) == [
        ("point", "class", 3, 3),
        ("point_t", "type", 4, 4),
        ("callback", "type", 5, 5),
        ("twice", "function", 8, 11),
        ("name_of", "function", 13, 17),
        ("main", "function", 19, 19),
    ]
    found = facts("x.c", SOURCE)
    assert found.entry_point
    assert {d.name for d in found.definitions if d.documented} == {"twice"}
    assert {d.name for d in found.definitions if not d.public} == {"twice"}


def test_methods_that_stand_outside_of_their_class() -> None:
    code = "#include <box>\nint ns::Box<int>::run(int a) { return a; }\nBox& Box::self() { return *this; }\n"
    assert definitions("box.cc", code) == [("ns.Box.run", "method", 2, 2), ("Box.self", "method", 3, 3)]


def test_operators_in_and_outside_of_a_class() -> None:
    text = """\
    struct Box {
      Box(int);
      ~Box() {}
      static Box make() { return Box(1); }
      bool operator<(const Box& b) const { return true; }
      int& at(int i) { return x[i]; }
    };
    bool operator==(const Box& a, const Box& b) { return true; }
    Box& Box::operator=(const Box& b) { return *this; }
    static Box* first(int (*filter)(int)) { return 0; }
    static const Box& last(Box x) { return x; }
    int *numbers[3];
    int table[2] = {1, 2};
    """
    assert [(d.name, d.kind, d.public) for d in facts("box.cc", text).definitions] == [
        ("Box", "class", True),
        ("Box.Box", "method", True),
        ("Box.~Box", "method", True),
        ("Box.make", "method", True),
        ("Box.operator<", "method", True),
        ("Box.at", "method", True),
        ("operator==", "function", True),
        ("Box.operator=", "method", True),
        ("first", "function", False),
        ("last", "function", False),
    ]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("template <class T> void Box<T>::run() {}", "Box.run"),
        ("template <class T> void ns::Box<Pair<T, int>>::run() {}", "ns.Box.run"),
        ("template <> int size<int>() { return 4; }", "size"),
        ("bool operator<(A a, A b) { return true; }", "operator<"),
        ("A operator>>(A a, int b) { return a; }", "operator>>"),
        ("int operator<=>(A a, A b) { return 0; }", "operator<=>"),
        ("bool ns::Box<int>::operator<(const A& b) { return true; }", "ns.Box.operator<"),
    ],
)
def test_names_have_no_arguments(code: str, name: str) -> None:
    assert [d.name for d in facts("box.cc", code).definitions] == [name]


def test_risks() -> None:
    code = '#include <openssl/evp.h>\nvoid f() { system("ls"); strcpy(a, b); listen(fd, 1); }\nconst char *api_key = "abcdef";\n'
    assert dict(facts("x.c", code).risk) == {
        "process_spawn": 1, "unsafe_deserialisation": 1, "network_listener": 1, "cryptography": 1, "credential_constant": 1,
    }  # fmt: skip


PROJECT = {
    "include/lib/api.h": "#include <stdio.h>\nint api(void);\n",
    "include/lib/sys/only.h": "",
    "src/api.c": """\
        #include <lib/api.h>
        #  include "inner/util.h"
        #include <string.h>
        #include "generated.h"
        #include "../tests/check.h"
        #include "../../outside.h"
        /* #include "not.h" */
        #ifdef X
        #include "common.h"
        #endif
        #embed "data.bin"
        """,
    "src/inner/util.h": "#include_next <util.h>\n#include CONFIG\n",
    "src/inner/util.cc": '#include "util.h"\n#include "lib/api.h"\n',
    "src/common.h": "int common;\n",
    "other/common.h": "",
    "other/deep/x.c": '#include "common.h"\n#include "only.h"\n#include "string.h"\n',
    "compat/string.h": "",
    "tests/check.h": "",
    "tests/test_api.c": "#include <api.h>\n",
    "src/data.bin.h": "",
}


def test_includes() -> None:
    tree = Tree(PROJECT)
    assert tree.follow("src/api.c") == {
        "<lib/api.h>": ["include/lib/api.h"],
        "inner/util.h": ["src/inner/util.h"],
        "<string.h>": "external",
        "generated.h": "unresolved",
        "../tests/check.h": ["tests/check.h"],
        "../../outside.h": "unresolved",
        "common.h": ["src/common.h"],
    }
    assert tree.follow("src/inner/util.cc") == {"util.h": ["src/inner/util.h"], "lib/api.h": ["include/lib/api.h"]}
    assert tree.follow("src/inner/util.h") == {"<util.h> next": "external"}
    assert tree.follow("other/deep/x.c") == {
        "common.h": ["other/common.h"],
        "only.h": ["include/lib/sys/only.h"],
        "string.h": ["compat/string.h"],
    }
    assert tree.follow("tests/test_api.c") == {"<api.h>": ["include/lib/api.h"]}


def test_a_header_leads_to_its_sources() -> None:
    tree = Tree(PROJECT)
    assert tree.follow("src/inner/util.h", "use") == {".": ["src/inner/util.cc"]}
    assert tree.follow("include/lib/api.h", "use") == {".": ["src/api.c"]}
    assert tree.follow("src/common.h", "use") == {".": "external"}
    assert tree.follow("src/api.c", "use") == {".": "external"}


def test_a_far_source_of_the_same_stem_is_a_headers_when_it_defines_what_that_declares() -> None:
    declares, defines, other = "int open_box(void);\n", "int open_box(void) { return 1; }\n", "int close_lid(void) { return 1; }\n"
    named = ["cli/error.h", "include/box/far.h", "include/git2/box.h", "include/box/flat.h", "a/near.h", "core/both.h"]
    tree = Tree(dict.fromkeys(named, declares) | {
        "util/win32/error.c": other, "src/deep/far.c": defines, "src/libgit2/box.c": other, "src/flat.cc": other,
        "a/src/near.c": other, "x/both.c": other, "z/both.c": defines,
    })  # fmt: skip
    assert {path: tree.follow(path, "use")["."] for path in named} == {
        "cli/error.h": "external", "include/box/far.h": ["src/deep/far.c"], "include/git2/box.h": ["src/libgit2/box.c"],
        "include/box/flat.h": ["src/flat.cc"], "a/near.h": ["a/src/near.c"], "core/both.h": ["z/both.c"],
    }  # fmt: skip


def test_includes_are_found_where_they_break_the_tree() -> None:
    code = "int table[] = {\n#include \"table.inc\"\n};\nenum {\n#  include \"names.def\"\n" + "}}}}((((" * 900
    found = facts("x.c", code)
    assert [r.target for r in found.references if r.kind == "import"] == ["table.inc", "names.def"]


COMMANDS = """\
[
{"directory": "/home/me/shop/build", "file": "/home/me/shop/src/a.c",
 "command": "/usr/bin/cc -DX=\\\\\\"y\\\\\\" -I/home/me/shop/deep/headers -isystem /usr/include/z -I../rel -c a.c"},
{"directory": "/home/me/shop/build", "file": "../src/b.c", "arguments": ["cc", "-iquote", "/home/me/shop/q", "-Igen"]}
]
"""


@pytest.mark.parametrize("place", ["compile_commands.json", "build/compile_commands.json"])
def test_roots_of_a_compilation(place: str) -> None:
    files = dict.fromkeys(
        "other/one.h deep/headers/one.h z/two.h rel/three.h x/three.h q/four.h x/four.h deep/headers/string.h".split(), ""
    )
    text = '#include "one.h"\n#include <three.h>\n#include "four.h"\n#include <string.h>\n#include "../deep/headers/one.h"\n'
    tree = Tree(files | {place: COMMANDS, "src/a.c": text, "x/one.h": ""})
    assert tree.follow("src/a.c") == {
        "one.h": ["deep/headers/one.h"], "<three.h>": ["rel/three.h"], "four.h": ["q/four.h"],
        "<string.h>": ["deep/headers/string.h"], "../deep/headers/one.h": ["deep/headers/one.h"],
    }  # fmt: skip


def test_flags_for_all_files() -> None:
    tree = Tree({"w/compile_flags.txt": "-xc\n-Ideep/in\n", "w/a/a.c": "#include <x.h>\n", "w/deep/in/x.h": "", "x.h": ""})
    assert tree.follow("w/a/a.c") == {"<x.h>": ["w/deep/in/x.h"]}


@pytest.mark.parametrize("text", ["[", "[" * 100_000, "[1]", '[{"directory": 1, "arguments": [2], "file": []}]', "[{}]", ""])
def test_a_record_that_is_broken_says_nothing(text: str) -> None:
    found = facts("compile_commands.json", text)
    assert found.error == "" and found.declares == ()


def test_what_lies_to_the_side_is_not_meant() -> None:
    files = dict.fromkeys(["contrib/linux/mem.h", "lib/common/mem.h"], "")
    tree = Tree(files | {"programs/a.c": '#include "mem.h"\n', "contrib/pz/b.c": '#include "mem.h"\n'})
    assert tree.follow("programs/a.c") == {"mem.h": ["lib/common/mem.h"]}
    assert tree.follow("contrib/pz/b.c") == {"mem.h": ["contrib/linux/mem.h"]}


def test_macros_around_declarations() -> None:
    named = [row[0] for row in definitions("box.h", """\
        BOX_BEGIN_DECLS
        BOX_EXTERN(int) box_open(box **out, const char *path);
        BOX_API(const char *) box_name(void);
        XXH_PUBLIC_API XXH64_hash_t XXH64(const void *input, size_t length);
        static int BOX_PRINTF(2, 3) box_printf(const char *format, ...);
        BOX_EXTERN boxcode BOX_DEPRECATED(7.5, "Use (another)")
        box_form(int a);
        void BOX_CALL box_call(int a);
        int BOX_CALL box_old OF((int a, int (*f)(int)));
        BOX_API int (box_top) (box *b);
        __attribute__((noinline)) int box_far(int a);
        STATIC_ASSERT(sizeof(int) == 4);
        static unsigned int BOX_CLOCK(void) { return 1; }
        BOX_END_DECLS
        """)]  # fmt: skip
    assert named == (
        "box_open box_name XXH64 box_printf box_form box_call box_old box_top box_far BOX_CLOCK".split()
    )  # fmt: skip


def test_macros_of_classes_and_tests() -> None:
    assert definitions("box.cc", """\
        class BOX_EXPORT Writer final : public Base {
         public:
          void Lock() EXCLUSIVE_LOCK_FUNCTION(mutex_);
          int count GUARDED_BY(mutex_);
          DISALLOW_COPY(Writer);
        };
        struct DB {
          DB() = default;
        };
        TEST_F(WriterTest, Grows) {
          int x;
        }
        """) == [
        ("Writer", "class", 1, 6),
        ("Writer.Lock", "method", 3, 3),
        ("DB", "class", 7, 9),
        ("DB.DB", "method", 8, 8),
        ("WriterTest.Grows", "function", 10, 12),
    ]  # fmt: skip


def test_what_a_class_and_a_nameless_namespace_keep_to_themselves() -> None:
    text = """\
        class Box {
          void inner();
         public:
          void shown();
          struct Row { void cell(); };
         private:
          void hidden();
          struct Own { void cell(); };
        };
        struct Open { void shown(); };
        namespace { void own() {} class Mine { public: void run(); }; }
        void outside() {}
        """
    found = facts("box.cc", text).definitions
    assert {d.name for d in found if not d.public} == {
        "Box.inner",
        "Box.hidden",
        "Box.Own",
        "Box.Own.cell",
        "own",
        "Mine",
        "Mine.run",
    }
    assert {d.name: d.kind for d in found}["own"] == "function"


@pytest.mark.parametrize(
    "text",
    [
        "int first(int x)\n{\n#ifdef A\n  if (x) {\n#else\n  if (!x) {\n#endif\n    return 1;\n  }\n  return 2;\n}\n",
        "#ifdef A\nint first(int x) {\n#elif B\nint first(void) {\n#endif\n  return 1;\n}\n",
        "int first(int x) {\n  if (x) {\n#if 0\n  } else {\n    {\n#else\n  } else {\n#endif\n  }\n  return 2;\n}\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\nint first(int x);\n#ifdef __cplusplus\n}\n#endif\n',
    ],
)
def test_branches_that_do_not_close_what_they_open(text: str) -> None:
    found = facts("one.c", f"{text}int second(void) {{ return 1; }}\n")
    assert [d.name for d in found.definitions] == ["first", "second"]
    assert found.error == ""


def test_branches_that_a_tree_can_hold_all_stay() -> None:
    text = "#ifdef A\nint one(void) { return 1; }\n#else\nint two(void) { return 2; }\n#endif\n"
    assert [d.name for d in facts("one.c", text).definitions] == ["one", "two"]


def test_names_of_types_that_stand_within_their_declarators() -> None:
    text = "typedef unsigned char key_t[32];\ntypedef void (*callback)(int);\n"
    for path in ("one.c", "one.cc"):
        assert [(d.name, d.kind) for d in facts(path, text).definitions] == [("key_t", "type"), ("callback", "type")]


def test_chunks_are_titled_as_the_definitions_are_called() -> None:
    text = "template <class T> void Box<T>::run() {}\nnamespace a::inline v1 {\nvoid run();\n}\n"
    found = facts("one.cc", text)
    assert [d.name for d in found.definitions] == ["Box.run", "a.v1", "a.v1.run"]
    assert [chunk.title for chunk in found.chunks] == ["Box.run / a.v1"]
