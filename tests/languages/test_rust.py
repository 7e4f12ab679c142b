"""Rust: definitions, the tree of modules, paths of names, and crates."""

from __future__ import annotations

from time import process_time

from .reading import Tree, definitions, facts

SHAPES = """\
    //! Shapes.

    /// One that has a size.
    pub trait Area {
        fn size(&self) -> u32;
    }

    /// Four sides.
    #[derive(Debug)]
    pub struct Square<'a> {
        side: &'a u32,
    }

    impl<'a> Square<'a> {
        pub fn new(side: &'a u32) -> Self {
            fn local() {}
            Square { side }
        }
        fn hidden(&self) {}
    }

    impl Area for Square<'_> {
        fn size(&self) -> u32 { 1 }
    }

    pub(crate) enum Kind { A }
    pub type Names = Vec<String>;
    pub const UNIT: u32 = 1;

    pub mod prelude {
        pub fn all() {}
    }

    mod inner {
        pub fn unseen() {}
    }

    #[macro_export]
    macro_rules! shape {
        () => {};
    }

    gate! {
        /// Behind a feature.
        pub fn gated() {}
    }

    fn main() {}
    """


def test_definitions() -> None:
    assert definitions("shapes.rs", SHAPES) == [
        ("Area", "trait", 4, 6),
        ("Area.size", "method", 5, 5),
        ("Square", "class", 10, 12),
        ("Square.new", "method", 15, 18),
        ("Square.hidden", "method", 19, 19),
        ("Square.size", "method", 23, 23),
        ("Kind", "class", 26, 26),
        ("Names", "type", 27, 27),
        ("UNIT", "constant", 28, 28),
        ("prelude", "module", 30, 32),
        ("prelude.all", "function", 31, 31),
        ("inner", "module", 34, 36),
        ("inner.unseen", "function", 35, 35),
        ("shape", "function", 39, 41),
        ("gated", "function", 45, 45),
        ("main", "function", 48, 48),
    ]


def test_public_and_documented() -> None:
    found = facts("shapes.rs", SHAPES)
    assert {d.name for d in found.definitions if d.public} == {
        "Area", "Area.size", "Square", "Square.new", "Names", "UNIT", "prelude", "prelude.all", "shape", "gated",
    }  # fmt: skip
    assert {d.name for d in found.definitions if d.documented} == {"Area", "Square", "gated"}
    assert found.entry_point


def test_lifetimes_are_no_strings() -> None:
    found = facts("x.rs", "fn f<'a>(x: &'a str) {} // it's in docs/x.md\nfn g() { r#\"// not/a.md\"#; }\n")
    assert [r.target for r in found.references if r.kind == "comment"] == ["docs/x.md"]


def test_risks() -> None:
    code = 'use ring::digest;\nfn f() { Command::new("ls"); unsafe { transmute(x) }; TcpListener::bind(a); }\nlet api_key = "abcdef";\n'
    assert dict(facts("x.rs", code).risk) == {
        "process_spawn": 1, "unsafe_deserialisation": 1, "network_listener": 1, "cryptography": 1, "credential_constant": 1,
    }  # fmt: skip


CRATE = {
    "Cargo.toml": '[package]\nname = "top-level"\n\n[dependencies]\nshort = { package = "long-name", path = "crates/long" }\n',
    "src/lib.rs": """\
        pub mod draw;
        mod gone;
        #[path = "odd/place.rs"]
        mod odd;
        #[cfg_attr(unix, path = "imp/unix.rs")]
        #[cfg_attr(windows, path = "imp/windows.rs")]
        mod imp;
        pub mod outer { pub mod deep; }
        cfg_if! { if #[cfg(a)] { mod gated; } }
        pub use draw::{Pen as Quill, pen::*};
        pub use crate::outer::deep::Deep;
        """,
    "src/draw/mod.rs": "pub mod pen;\npub(crate) mod ink;\npub struct Pen;\n",
    "src/draw/pen.rs": "use super::ink::Ink;\nuse super::super::odd;\npub fn nib() {}\n",
    "src/draw/ink.rs": "pub struct Ink;\nimpl Ink { pub fn dry(&self) {} }\n",
    "src/odd/place.rs": "pub fn here() {}\n",
    "src/imp/unix.rs": "pub fn sys() {}\n",
    "src/imp/windows.rs": "pub fn sys() {}\n",
    "src/outer/deep.rs": "pub struct Deep;\n",
    "src/gated.rs": "pub fn now() {}\n",
    "src/user.txt": "",
    "src/main.rs": """\
        use std::io;
        use top_level::{Quill, nib, Deep, draw::{self, ink::Ink}};
        use short::Far;
        fn main() { short::near(); top_level::imp::sys(); }
        #[cfg(test)]
        mod tests { use super::*; use super::helper; }
        fn helper() {}
        """,
    "src/gated_user.rs": "",
    "crates/long/Cargo.toml": '[package]\nname = "long-name"\n[lib]\npath = "code/root.rs"\n[dependencies]\ntop-level = { path = "../.." }\n',
    "crates/long/code/root.rs": "mod part;\npub use part::Far;\npub fn near() {}\n",
    "crates/long/code/part.rs": "use crate::near;\nuse top_level::Quill;\nuse serde::Serialize;\npub struct Far;\n",
    "tests/all.rs": "mod common;\nuse common::setup;\nuse top_level::draw;\n",
    "tests/common/mod.rs": "pub fn setup() { crate::other(); }\n",
}  # fmt: skip


def test_modules_lie_where_their_declaration_says() -> None:
    found = Tree(CRATE).follow("src/lib.rs")
    assert {target: paths for target, paths in found.items() if target.startswith("self")} == {
        "self::draw": ["src/draw/mod.rs"],
        "self::gone": "unresolved",
        "self::odd": ["src/odd/place.rs"],
        "self::imp": ["src/imp/unix.rs", "src/imp/windows.rs"],
        "self::outer::deep": ["src/outer/deep.rs"],
        "self::gated": ["src/gated.rs"],
    }


def test_names_are_followed_to_their_definition() -> None:
    assert Tree(CRATE).follow("src/main.rs") == {
        "std io": "external",
        "top_level Quill": ["src/draw/mod.rs"],
        "top_level nib": ["src/draw/pen.rs"],
        "top_level Deep": ["src/outer/deep.rs"],
        "top_level draw": ["src/draw/mod.rs"],
        "top_level::draw::ink Ink": ["src/draw/ink.rs"],
        "short Far": ["crates/long/code/part.rs"],
        "short near": ["crates/long/code/root.rs"],
        "top_level::imp sys": ["src/imp/unix.rs"],
        "self *": ["src/main.rs"],
        "self helper": ["src/main.rs"],
    }


def test_super_and_crate_start_where_the_file_lies() -> None:
    tree = Tree(CRATE)
    assert tree.follow("src/draw/pen.rs") == {"super::ink Ink": ["src/draw/ink.rs"], "super::super odd": ["src/odd/place.rs"]}
    assert tree.follow("crates/long/code/part.rs") == {
        "crate near": ["crates/long/code/root.rs"],
        "top_level Quill": ["src/draw/mod.rs"],
        "serde Serialize": "external",
    }


def test_a_test_is_a_crate_of_its_own() -> None:
    tree = Tree(CRATE)
    assert tree.follow("tests/all.rs") == {
        "self::common": ["tests/common/mod.rs"],
        "common setup": ["tests/common/mod.rs"],
        "top_level draw": ["src/draw/mod.rs"],
    }
    assert tree.follow("tests/common/mod.rs") == {"crate other": ["tests/all.rs"]}


def test_a_path_begins_at_the_crate_by_itself_in_the_first_edition_alone() -> None:
    """Since 2018 `loom::…` below the root is another crate, whatever module of its own the crate calls so."""
    files = {
        "src/lib.rs": "mod loom;\nmod deep;\n",
        "src/loom.rs": "pub fn model() {}\n",
        "src/deep/mod.rs": "mod tests;\nmod near;\n",
        "src/deep/near.rs": "pub fn here() {}\n",
        "src/deep/tests.rs": "use super::*;\nuse loom::model;\nfn f() { near::here(); }\n",
    }
    expected = {"super *": ["src/deep/mod.rs"], "near here": ["src/deep/near.rs"]}
    for edition, found in (
        ('edition = "2021"', "external"), ("edition.workspace = true", "external"),
        ('edition = "2015"', ["src/loom.rs"]), ("", ["src/loom.rs"]),
    ):  # fmt: skip
        tree = Tree({"Cargo.toml": f"[package]\nname = 'a'\n{edition}\n", **files})
        assert tree.follow("src/deep/tests.rs") == {**expected, "loom model": found}


def test_texts_are_no_paths_but_for_those_of_attributes() -> None:
    text = """
        #[serde(with = "crate::times::short")]
        #[on_unimplemented(note = "Consider `#[axum::debug_handler]`, or axum::other")]
        struct A;
        fn f() {
            trace!(target: "runtime::resource::update", kind = "a::b", real::call());
            debug("blocking::Spawner", r#"raw::text "quoted::text" "#);
        }
        """
    assert [(r.target, r.name) for r in facts("x.rs", text).references if r.kind == "import"] == [
        ("crate::times", "short"), ("real", "call"),
    ]  # fmt: skip


def test_names_that_import_each_other_end() -> None:
    tree = Tree({
        "Cargo.toml": '[package]\nname = "a"\n',
        "src/lib.rs": "mod b;\nmod c;\npub use b::*;\npub use c::X;\npub use crate::Y as Y;\n",
        "src/b.rs": "pub use super::*;\npub use crate::c::*;\nuse crate::X;\n",
        "src/c.rs": "pub use super::b::X;\npub use super::*;\nuse log::log;\n",
    })  # fmt: skip
    assert tree.follow("src/c.rs")["log log"] == "external"
    assert tree.follow("src/b.rs").keys() == {"super *", "crate::c *", "crate X"}


def test_files_that_a_text_includes() -> None:
    found = facts("x.rs", 'const A: &str = include_str!("../a.txt");\nstatic B: &[u8] = include_bytes!("b.bin");\ninclude!("c.rs");\n')
    assert [r.target for r in found.references if r.kind == "link"] == ["../a.txt", "b.bin", "c.rs"]


def test_a_manifest_offers_needs_and_names() -> None:
    found = facts(
        "Cargo.toml",
        """\
        [package]
        name = "my-crate"

        [[bin]]
        name = "run"
        path = "src/run.rs"

        [target.'cfg(unix)'.dependencies]
        other-one = "1"

        [workspace]
        members = ["crates/a"]
        """,
    )
    said = {(r.kind, r.target, r.start) for r in found.references}
    assert {("provides", "src/run.rs", 6), ("provides", "crates/a/Cargo.toml", 12), ("depends", "other_one", 9)} <= said
    assert ("crate", "my_crate") in found.declares


def test_members_by_a_pattern(edges) -> None:
    crate = '[package]\nname = "x"\n'
    found = edges({
        "rs/Cargo.toml": '[workspace]\nmembers = ["crates/*", "tools"]\nexclude = ["crates/c"]\n',
        "rs/crates/a/Cargo.toml": crate, "rs/crates/b/Cargo.toml": crate, "rs/crates/c/Cargo.toml": crate,
        "rs/crates/a/deep/Cargo.toml": crate, "rs/tools/Cargo.toml": crate, "crates/d/Cargo.toml": crate,
    })  # fmt: skip
    assert {target for relation, _, target in found if relation == "provides"} == {
        "rs/crates/a/Cargo.toml", "rs/crates/b/Cargo.toml", "rs/tools/Cargo.toml",
    }  # fmt: skip


def test_a_manifest_that_is_none_is_text() -> None:
    for text in ("[package\nname", "a = " + "[" * 5_000, "package = 1\nworkspace = []\ndependencies = [1]\nlib = 2\n"):
        assert facts("Cargo.toml", text).error == ""


def test_methods_of_types_that_are_no_plain_names_and_raw_names() -> None:
    text = """\
        impl Size for u8 { fn size(&self) {} }
        impl Size for [u8; 4] { fn size(&self) {} }
        impl Size for (u8, u16) { fn size(&self) {} }
        impl Size for &str { fn size(&self) {} }
        impl dyn Size { fn twice(&self) {} }
        pub fn r#match() {}
        """
    assert [(d.name, d.kind) for d in facts("src/lib.rs", text).definitions] == [
        ("u8.size", "method"),
        ("[u8; 4].size", "method"),
        ("(u8, u16).size", "method"),
        ("str.size", "method"),
        ("Size.twice", "method"),
        ("match", "function"),
    ]


def test_a_macro_is_exported_whatever_else_is_said_of_it() -> None:
    text = """\
        #[macro_export]
        #[doc(hidden)]
        macro_rules! one { () => {} }
        #[doc(hidden)]
        #[macro_export]
        macro_rules! two { () => {} }
        macro_rules! three { () => {} }
        """
    assert [(d.name, d.public) for d in facts("src/lib.rs", text).definitions] == [
        ("one", True),
        ("two", True),
        ("three", False),
    ]


def test_names_that_a_workspace_gives_to_crates() -> None:
    tree = Tree(
        {
            "Cargo.toml": "[workspace.dependencies]\nbase = { package = 'base-core', path = 'crates/base' }\n",
            "crates/base/Cargo.toml": "[package]\nname = 'base-core'\n",
            "crates/base/src/lib.rs": "pub mod a;\n",
            "crates/base/src/a.rs": "pub fn run() {}\n",
            "crates/app/Cargo.toml": "[package]\nname = 'app'\n[dependencies]\nbase.workspace = true\n",
            "crates/app/src/main.rs": "use base::a::run;\n",
            "crates/tool/Cargo.toml": "[package]\nname = 'tool'\n[dependencies]\nbase = '1'\n",
            "crates/tool/src/main.rs": "use base::a::run;\n",
        }
    )
    assert tree.follow("crates/app/src/main.rs") == {"base::a run": ["crates/base/src/a.rs"]}
    assert tree.follow("crates/tool/src/main.rs") == {"base::a run": "external"}


def test_attributes_take_time_by_their_number() -> None:
    started = process_time()
    found = facts("src/lib.rs", "#[a]\n" * 5_000 + "#[macro_export]\nmacro_rules! one { () => {} }\n")
    assert process_time() - started < 5
    assert [(d.name, d.public) for d in found.definitions] == [("one", True)]


def test_a_library_may_be_called_otherwise_than_its_package() -> None:
    tree = Tree({
        "Cargo.toml": "[workspace]\nmembers = ['app', 'util']\n[workspace.dependencies]\nown = { package = 'my-util' }\n",
        "app/Cargo.toml": "[package]\nname = 'app'\n[dependencies]\nother = { package = 'my-util', version = '1' }\n"
                          "own = { workspace = true }\nmy-util = '1'\n",
        "app/src/main.rs": "use other::Far;\nuse own::Near;\nuse util_lib::Here;\nuse my_util::No;\n",
        "util/Cargo.toml": "[package]\nname = 'my-util'\n[lib]\nname = 'util_lib'\n",
        "util/src/lib.rs": "pub struct Far;\npub struct Near;\npub struct Here;\npub struct No;\n",
    })  # fmt: skip
    lib = ["util/src/lib.rs"]
    assert tree.follow("app/src/main.rs") == {
        "other Far": lib, "own Near": lib, "util_lib Here": lib, "my_util No": "external",
    }  # fmt: skip
    assert tree.follow("app/Cargo.toml", "depends")["my_util cargo package"] == ["util/Cargo.toml"]
