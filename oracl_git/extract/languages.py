"""Which language a file is in, by its name and its first line, and who reads it.

The registry: a language is one row, and one module if the generic extractor
does not do. Knows names and suffixes; knows nothing of what is inside a file.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Grammar(NamedTuple):
    """A tree-sitter grammar: the distribution, pinned exactly in pyproject.toml, and what is taken from it."""

    distribution: str
    version: str
    function: str = "language"
    query: str = ""  # the .scm files of this package, space-separated, without suffix; "" when called as the language
    depth: int = 1_000  # below which none of its patterns begins: a query looks up from each node to the root

    @property
    def module(self) -> str:
        """The name it is imported by."""
        return self.distribution.replace("-", "_")


GRAMMARS = {
    "python": Grammar("tree-sitter-python", "0.25.0"),
    "go": Grammar("tree-sitter-go", "0.25.0", depth=4),  # what is local is none of the file's
    "terraform": Grammar("tree-sitter-hcl", "1.2.0"),
    "java": Grammar("tree-sitter-java", "0.23.5"),
    "kotlin": Grammar("tree-sitter-kotlin", "1.1.0"),
    "csharp": Grammar("tree-sitter-c-sharp", "0.23.5"),
    "ruby": Grammar("tree-sitter-ruby", "0.23.1"),
    "php": Grammar("tree-sitter-php", "0.25.1", "language_php"),
    "javascript": Grammar("tree-sitter-javascript", "0.25.0", query="ecmascript javascript"),
    "typescript": Grammar("tree-sitter-typescript", "0.23.2", "language_typescript", "ecmascript typescript"),
    "tsx": Grammar("tree-sitter-typescript", "0.23.2", "language_tsx", "ecmascript typescript"),
    "rust": Grammar("tree-sitter-rust", "0.24.2"),
    "c": Grammar("tree-sitter-c", "0.24.2"),
    "cpp": Grammar("tree-sitter-cpp", "0.23.4"),
}
# What parsing depends on; part of the extractor version.
PARSERS = (("tree-sitter", "0.26.1"), *sorted({row[:2] for row in GRAMMARS.values()}))


class Language(NamedTuple):
    """One row of the registry."""

    name: str
    suffixes: str = ""  # space-separated, without dot, lower case
    names: str = ""  # whole file names, lower case
    interpreters: str = ""  # of a "#!" line
    module: str = "generic"  # the module of this package with `extract(source, language)`
    comments: str = ""  # a family of generic.COMMENTS
    prose: bool = False
    words: str = "mention"  # what a path-like word outside comments is
    public: str = "name"  # what makes a definition public: see syntax.PUBLIC
    wrapped: str = ""  # the module with `unwrap(data)`, which takes the text out of its wrapping, line for line
    docs: str = ""  # how lines of a doc comment start, space-separated


LANGUAGES = (
    Language("python", "py pyi pyw", "sconstruct sconscript wscript", "python pypy", "python", "hash"),
    Language("notebook", "ipynb", module="notebook", comments="hash", wrapped="notebook"),
    Language("markdown", "md markdown mdx mkd qmd rmd", module="markdown", prose=True),
    Language("rst", "rst rest", module="rst", prose=True),
    Language("text", "txt text adoc asciidoc org tex", prose=True),
    Language("json", "json jsonl ndjson json5 jsonc webmanifest geojson", ".babelrc .eslintrc .prettierrc",
             module="config"),
    Language("yaml", "yaml yml cff", ".clang-format .clang-tidy .clangd", module="config", comments="hash"),
    Language("toml", "toml", "pipfile", module="config", comments="hash"),
    Language("ini", "ini cfg conf properties service desktop editorconfig env", ".flake8 .coveragerc .pylintrc "
             ".gitmodules .gitconfig .npmrc .pypirc .editorconfig .env", module="config", comments="ini"),
    Language("shell", "sh bash zsh ksh dash bats fish", ".bashrc .bash_profile .profile .zshrc",
             "sh bash zsh ksh dash fish bats", "shell", "hash"),
    Language("powershell", "ps1 psm1 psd1", interpreters="pwsh powershell", module="shell", comments="powershell"),
    Language("make", "mk mak", "makefile gnumakefile bsdmakefile", "make", "make", "hash", words="path"),
    Language("docker", "dockerfile", "dockerfile containerfile", module="containers", comments="hash", words="path"),
    Language("just", "just", "justfile .justfile", "just", comments="hash", words="path"),
    Language("cmake", "cmake", "cmakelists.txt", module="cmake", comments="hash"),
    Language("batch", "bat cmd", comments="rem", words="path"),
    Language("javascript", "js jsx mjs cjs", interpreters="node nodejs", module="javascript", comments="c",
             public="marked", docs="/**"),
    Language("typescript", "ts mts cts", interpreters="deno bun ts-node tsx", module="javascript", comments="c",
             public="marked", docs="/**"),
    Language("tsx", "tsx", module="javascript", comments="c", public="marked", docs="/**"),
    Language("vue", "vue", module="markup", comments="xml"),
    Language("svelte", "svelte", module="markup", comments="xml"),
    Language("astro", "astro", module="markup", comments="xml"),
    Language("maven", names="pom.xml", module="builds", comments="markup"),
    Language("gradle", names="build.gradle build.gradle.kts settings.gradle settings.gradle.kts", module="builds",
             comments="c", words="path"),
    Language("msbuild", "csproj fsproj vbproj vcxproj props targets sln slnx", module="builds", comments="markup"),
    Language("composer", names="composer.json", module="builds"),
    Language("gomod", names="go.mod", module="manifests", comments="c"),
    Language("go", "go", module="go", comments="c", public="capital", docs="// /*"),
    Language("cargo", names="cargo.toml", module="cargo", comments="hash"),
    Language("rust", "rs", module="rust", comments="rust", public="marked", docs="/// /** #[doc"),
    Language("c", "c h", module="c", comments="c", docs="/** /*! /// //! /*"),
    Language("compilation", names="compile_commands.json compile_flags.txt", module="compilation"),
    Language("cpp", "cc cpp cxx hh hpp hxx inl ipp tpp c++ h++ cppm ixx cu cuh", module="c", comments="c",
             docs="/** /*! /// //! // /*"),
    Language("java", "java", module="jvm", comments="c", public="marked", docs="/**"),
    Language("csharp", "cs csx", module="csharp", comments="c", public="marked", docs="///"),
    Language("kotlin", "kt kts", module="jvm", comments="c", docs="/**"),
    Language("scala", "scala sc sbt", comments="c"),
    Language("swift", "swift", comments="c"),
    Language("dart", "dart", comments="c"),
    Language("groovy", "groovy gradle", "jenkinsfile", "groovy", comments="c"),
    Language("proto", "proto", module="schemas", comments="c", docs="// /*"),
    Language("thrift", "thrift", module="schemas", comments="c", docs="// /* #"),
    Language("zig", "zig", comments="c"),
    Language("css", "css pcss", module="styles", comments="css", docs="/**"),
    Language("scss", "scss sass", module="styles", comments="scss", docs="/// /**"),
    Language("less", "less", module="styles", comments="scss", docs="/// /**"),
    Language("php", "php phtml", interpreters="php", module="php", comments="c", docs="/**"),
    Language("erb", "erb rhtml haml slim", module="views", comments="xml"),
    Language("ruby", "rb rake gemspec ru jbuilder builder", "gemfile rakefile vagrantfile podfile brewfile", "ruby",
             "ruby", "hash", docs="#"),
    Language("perl", "pl pm", interpreters="perl", comments="hash"),
    Language("r", "r", interpreters="rscript", comments="hash"),
    Language("julia", "jl", interpreters="julia", comments="hash"),
    Language("elixir", "ex exs", interpreters="elixir", comments="hash"),
    Language("nix", "nix", comments="hash"),
    Language("terraform", "tf", module="terraform", comments="hash", words="path", docs="#"),
    Language("hcl", "tfvars hcl", comments="hash", words="path"),
    Language("gotemplate", "tpl gotmpl", comments="markup"),
    Language("starlark", "bzl bazel star", "build workspace tiltfile", comments="hash", words="path"),
    Language("cython", "pyx pxd pxi", comments="hash"),
    Language("graphql", "graphql gql graphqls", module="schemas", comments="hash", docs="#"),
    Language("gitfile", names=".gitignore .gitattributes .dockerignore .npmignore .eslintignore .prettierignore "
             "codeowners .mailmap", comments="hash"),
    Language("sql", "sql ddl psql", module="sql", comments="dash", docs="--"),
    Language("lua", "lua", interpreters="lua", comments="dash"),
    Language("haskell", "hs elm", comments="dash"),
    Language("lisp", "el lisp cl scm rkt clj cljs cljc edn", comments="semicolon"),
    Language("erlang", "erl hrl", comments="percent"),
    Language("html", "html htm xhtml jinja jinja2 j2 hbs ejs mako njk", module="markup", comments="markup"),
    Language("xml", "xml xsd xsl xslt plist", comments="markup"),
)  # fmt: skip

BY_NAME = {language.name: language for language in LANGUAGES}
_SUFFIXES = {suffix.encode(): row.name for row in LANGUAGES for suffix in row.suffixes.split()}
_NAMES = {name.encode(): row.name for row in LANGUAGES for name in row.names.split()}
_INTERPRETERS = {name.encode(): row.name for row in LANGUAGES for name in row.interpreters.split()}
_SHEBANG = re.compile(rb"#![ \t]*(?:\S*/)?env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*(\S+)|#![ \t]*(\S+)")


def language_of(path: bytes, head: bytes = b"") -> str:
    """The language of a file by its path and, failing that, by its "#!" line."""
    base = path.rpartition(b"/")[2].lower()
    name = _NAMES.get(base)
    if name:
        return name
    stem, dot, suffix = base.rpartition(b".")
    if dot:
        name = _SUFFIXES.get(suffix)
        if name:
            return name
        if suffix == b"in":  # what a build fills in: config.h.in
            return language_of(stem)
        if stem in (b"dockerfile", b"containerfile", b"makefile"):
            return _NAMES[stem]
    if base.startswith((b"dockerfile-", b"dockerfile.", b"dockerfile_")):  # Dockerfile-alpine.template
        return "docker"
    if head.startswith(b"#!"):
        match = _SHEBANG.match(head[:200])
        if match:
            program = (match[1] or match[2]).rpartition(b"/")[2].lower()
            return _INTERPRETERS.get(program) or _INTERPRETERS.get(program.rstrip(b"0123456789.")) or "text"
    return "text"


def language(name: str) -> Language:
    """The row of a language; an unknown one reads as plain text."""
    return BY_NAME.get(name) or Language(name)
