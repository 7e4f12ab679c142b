"""What configurations of tools and packages name: the truth for tools/eval/imports.py.

    python tools/eval/truth_manifests.py precommit|mkdocs|pyproject|npm|codeowners|charts REPOSITORY > TRUTH.jsonl

Documents are read by PyYAML, `tomllib` and `json`, expressions by Python's own parser of them, and walked by the keys
that each format's reference lists. Asked for is what such a key names and is a file: for `precommit` the words of
entries and arguments, and the alternatives of `files` and `exclude` that stand for one name; for `mkdocs` the pages of
`nav`, and styles, scripts, hooks and snippets; for `pyproject` the modules of entry points, packages, and values that
are a file; for `npm` the words of scripts, and what is exported or run; for `codeowners` the patterns that are a file;
for `charts` charts beside, files that templates read, and templates by their base path. Whatever else a text names
and is a file, or a module, is true, but not asked for; so are the named templates that a chart takes in.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import yaml
from truth_search import helm

Found = tuple[str, set[str], bool]  # source, targets, asked
_BREAKS = re.compile(r"[\s\"'`()<>=,;|&]+")
_MOST = 50  # names that one expression stands for
_READ = re.compile(r"\.Files\.(?:Get|Glob|Lines)\s+\"([^\"]+)\"")
_BASED = re.compile(r"\.Template\.BasePath\s+\"/([^\"]+)\"")
_READ_IN = ("index.js", "package.json", "pyproject.toml", "__init__.py")  # of a directory that is named as a whole
_NOTE = re.compile(r"\{\{-?/\*.*?\*/-?\}\}", re.DOTALL)


class _Loader(yaml.SafeLoader):
    """Tags of other programs are no error."""


_Loader.add_multi_constructor("", lambda loader, suffix, node: None)
_Loader.add_multi_constructor("!", lambda loader, suffix, node: None)


def text(place: str, path: str) -> str:
    """The text of a file."""
    with open(os.path.join(place, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def strings(value: Any) -> Iterator[str]:
    """All texts in a document, keys too."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


def below(directory: str, name: str) -> str:
    """A path below a directory, "" when it leaves the tree."""
    path = os.path.normpath(os.path.join(directory, name))
    return "" if path.startswith(("..", "/")) else path


def spoken(files: set[str], value: Any, *directories: str) -> Iterator[str]:
    """The files that words of a document are, from some directories, and the modules."""
    for each in strings(value):
        for word in (each, *_BREAKS.split(each)):
            word = word.rstrip(".*:").lstrip("/")
            for directory in directories:
                path = below(directory, word.partition("#")[0] or ".")
                module = below(directory, word.partition(":")[0].replace(".", "/"))
                names = (path, f"{path}.js", *(f"{path}/{name}" for name in _READ_IN))
                modules = (f"{root}{module}{end}" for root in ("", "src/") for end in (".py", "/__init__.py"))
                yield from (name for name in (*names, *modules) if name in files)


def names_of(expression: str) -> set[str]:
    """The names that alternatives of a regular expression stand for, without those that stand for many."""
    try:
        parsed = _parser.parse(expression)
    except re.error:
        return set()
    return _spelled(list(parsed)) or {each for row in _rows(list(parsed)) for each in _spelled(row) or ()}


def _rows(parsed: list[Any]) -> Iterator[list[Any]]:
    """Each alternative, with what stands around."""
    for place, (kind, value) in enumerate(parsed):
        inner = value[-1] if kind is _constants.SUBPATTERN else [(kind, value)] if kind is _constants.BRANCH else []
        if len(inner) == 1 and inner[0][0] is _constants.BRANCH:
            for row in inner[0][1][1]:
                yield from _rows([*parsed[:place], *row, *parsed[place + 1 :]])
            return
    yield parsed


def _spelled(parsed: list[Any]) -> set[str] | None:
    """The names that a sequence stands for; None when those are many."""
    found = {""}
    for kind, value in parsed:
        if kind is _constants.AT:
            continue
        if kind is _constants.LITERAL:
            more: set[str] | None = {chr(value)}
        elif kind is _constants.ANY:  # a dot that was meant
            more = {"."}
        elif kind is _constants.SUBPATTERN:
            more = _spelled(list(value[-1]))
        elif kind is _constants.BRANCH:
            parts = [_spelled(list(each)) for each in value[1]]
            more = None if None in parts else set().union(*(each or set() for each in parts))
        elif kind is _constants.MAX_REPEAT and value[1] == 1:
            inner = _spelled(list(value[2]))
            more = None if inner is None else inner | ({""} if value[0] == 0 else set())
        elif kind is _constants.IN and all(each[0] is _constants.LITERAL for each in value):
            more = {chr(each[1]) for each in value}
        else:
            more = None
        if more is None or len(found) * len(more) > _MOST:
            return None
        found = {one + other for one in found for other in more}
    return found


def precommit(place: str, files: set[str]) -> Iterator[Found]:
    """What hooks run, and the names that they are run for."""
    for path in sorted(each for each in files if os.path.basename(each) == ".pre-commit-config.yaml"):
        document = yaml.load(text(place, path), _Loader)
        hooks = [hook for repository in document["repos"] for hook in repository.get("hooks", ())]
        for hook in hooks:
            for said in (str(hook.get("entry", "")), *map(str, hook.get("args") or ())):
                for word in _BREAKS.split(said):
                    if (target := below("", word)) in files and word:
                        yield path, {target}, True
        for each in (document, *hooks):
            for key in ("files", "exclude"):
                expression = str(each.get(key) or "(?!)")
                yield from ((path, {name}, True) for name in sorted(names_of(expression) & files))
                found = re.compile(expression).search
                yield path, {name for name in files if found(name)}, False
        yield path, set(spoken(files, [document, text(place, path)], "")), False


def mkdocs(place: str, files: set[str]) -> Iterator[Found]:
    """The pages of a site, and what is loaded with them."""
    for path in sorted(each for each in files if os.path.basename(each) in ("mkdocs.yml", "mkdocs.yaml")):
        document = yaml.load(text(place, path), _Loader)
        directory = os.path.dirname(path)
        home = below(directory, str(document.get("docs_dir", "docs")))
        loaded = [*(document.get("extra_css") or ()), *(document.get("extra_javascript") or ())]
        values = list(strings([document.get("nav") or [], loaded]))
        snippets = [each["pymdownx.snippets"] for each in document.get("markdown_extensions") or ()
                    if isinstance(each, dict) and isinstance(each.get("pymdownx.snippets"), dict)]  # fmt: skip
        asked = [target for value in values if (target := below(home, value)) in files]
        asked += [target for value in document.get("hooks") or () if (target := below(directory, value)) in files]
        bases = [base for each in snippets for base in strings([each.get("base_path", ".")])]
        appended = [name for each in snippets for name in each.get("auto_append") or ()]
        asked += [target for base in bases for name in appended
                  if (target := below(directory, f"{base}/{name}")) in files]  # fmt: skip
        yield from ((path, {target}, True) for target in dict.fromkeys(asked))
        theme = document.get("theme")
        custom = below(directory, str(theme.get("custom_dir", home))) if isinstance(theme, dict) else home
        yield path, set(spoken(files, [document, text(place, path)], directory, home, custom, "")), False


def module(files: set[str], directory: str, name: str, roots: list[str]) -> set[str]:
    """The file of a module, below the first root that has it."""
    for root in roots:
        stem = below(directory, os.path.join(root, name.replace(".", "/")))
        for target in (f"{stem}/__init__.py", f"{stem}.py"):
            if target in files:
                return {target}
    return set()


def pyproject(place: str, files: set[str]) -> Iterator[Found]:
    """Entry points, packages, and values that are a file as a whole."""
    for path in sorted(each for each in files if os.path.basename(each) == "pyproject.toml"):
        try:
            document = tomllib.loads(text(place, path))
        except tomllib.TOMLDecodeError:
            continue
        directory = os.path.dirname(path)
        project, tool = document.get("project", {}), document.get("tool", {})
        setuptools = tool.get("setuptools", {})
        setuptools = setuptools if isinstance(setuptools, dict) else {}
        packages = setuptools.get("packages", [])
        where = packages.get("find", {}).get("where", []) if isinstance(packages, dict) else []
        build = document.get("build-system", {})
        roots = [*build.get("backend-path", []), *where, "", "src", "lib"]
        poetry = tool.get("poetry", {})
        groups = [project.get("scripts", {}), project.get("gui-scripts", {}), poetry.get("scripts", {})]
        groups += [*project.get("entry-points", {}).values(), *poetry.get("plugins", {}).values()]
        for value in (value for group in groups for value in group.values() if isinstance(value, str)):
            name, _, symbol = value.partition("[")[0].strip().partition(":")
            found = module(files, directory, name.strip(), roots)
            top = re.compile(rf"^(?:def|class|async def)\s+{re.escape(symbol.partition('.')[0])}\b", re.MULTILINE)
            for package in [each for each in found if each.endswith("/__init__.py") and symbol]:
                inside = (each for each in files if each.startswith(f"{os.path.dirname(package)}/"))
                found = found | {each for each in inside if each.endswith(".py") and top.search(text(place, each))}
            yield path, found, True
        for name in packages if isinstance(packages, list) else ():
            yield path, module(files, directory, name, roots), True
        for value in strings(document):
            if (target := below(directory, value)) in files:
                yield path, {target}, True
        own = str(project.get("name") or poetry.get("name") or "").replace("-", "_").replace(".", "/")
        built = str(build.get("build-backend", "")).partition(":")[0]
        sources = {each.partition("src/")[0] + "src" for each in files if "src/" in each}  # of all projects of the tree
        also = module(files, directory, own, roots) | module(files, "", built, [*sources, *roots])
        yield path, also | set(spoken(files, [document, text(place, path)], directory, "")), False


def npm(place: str, files: set[str]) -> Iterator[Found]:
    """What scripts of a package run, and what it exports; of words in scripts those with a suffix or a directory."""
    for path in sorted(each for each in files if os.path.basename(each) == "package.json"):
        try:
            document = json.loads(text(place, path))
        except ValueError:
            continue
        directory = os.path.dirname(path)
        if not isinstance(document, dict):
            continue
        said = strings(list((document.get("scripts") or {}).values()))
        words = [word for each in said for word in _BREAKS.split(each) if "/" in word or "." in word]
        shown = ("main", "module", "types", "typings", "bin", "exports", "imports", "browser", "style", "svelte")
        words += strings([document.get(key) for key in shown])
        yield from ((path, {target}, True) for word in words if (target := below(directory, word)) in files)
        yield path, set(spoken(files, document, directory, "")), False


def codeowners(place: str, files: set[str]) -> Iterator[Found]:
    """The patterns that are a file; what others take in is true, too."""
    for path in sorted(files & {".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}):
        yield path, set(spoken(files, text(place, path), "")), False
        for line in text(place, path).splitlines():
            pattern = line.partition("#")[0].replace("\\ ", " ").split(" ")[0].strip()
            if not pattern or pattern.startswith("["):
                continue
            name = pattern.strip("/")
            if pattern.startswith("/") or "/" in name:
                exact = {name} & files
            else:
                exact = {each for each in files if each == name or each.endswith(f"/{name}")}
            if "*" not in pattern and exact and not pattern.endswith("/"):
                yield path, exact, True
            ask = ["git", "-C", place, "ls-files", "-z", "--cached", "--ignored", "--exclude", pattern]
            taken = subprocess.run(ask, capture_output=True, check=True).stdout.decode().split("\0")
            yield path, set(taken) & files, False


def charts(place: str, files: set[str]) -> Iterator[Found]:
    """Charts of the tree that one needs, files that its templates read, and templates by their base path."""
    homes = sorted((os.path.dirname(each) for each in files if os.path.basename(each) == "Chart.yaml"), key=len)
    for home in homes:
        for name in ("Chart.yaml", "requirements.yaml"):
            if (path := below(home, name)) in files:
                document = yaml.load(re.sub(r"\{\{.*?\}\}", "x", text(place, path)), _Loader)
                for each in (document or {}).get("dependencies") or ():
                    repository = str(each.get("repository", ""))
                    if repository.startswith("file://"):
                        target = below(home, f"{repository.removeprefix('file://')}/Chart.yaml")
                        yield path, {target} & files, True
    for path in sorted(files):
        home = max((each for each in homes if path.startswith(f"{each}/templates/" if each else "templates/")),
                   key=len, default=None)  # fmt: skip
        if home is not None:
            said = _NOTE.sub("", text(place, path))
            if _READ.search(said) or _BASED.search(said):
                yield path, set(spoken(files, text(place, path), os.path.dirname(path), home)), False
            for name in _READ.findall(said):
                target = below(home, name)
                pattern = re.compile(re.escape(target).replace(r"\*\*", ".*").replace(r"\*", "[^/]*"))
                yield path, {each for each in files if pattern.fullmatch(each)}, True
            for name in _BASED.findall(said):
                yield path, {below(home, f"templates/{name}")} & files, True
    yield from ((path, set(found), False) for path, found in helm(place, sorted(files)))


_KINDS: dict[str, Callable[[str, set[str]], Iterator[Found]]] = {
    "precommit": precommit, "mkdocs": mkdocs, "pyproject": pyproject, "npm": npm, "codeowners": codeowners,
    "charts": charts,
}  # fmt: skip


def main() -> None:
    """Print the truth: one line for each thing that is named."""
    kind, place = sys.argv[1:]
    listed = subprocess.run(["git", "-C", place, "ls-files", "-z"], capture_output=True, check=True)
    files = set(filter(None, listed.stdout.decode().split("\0")))
    rows: dict[tuple[str, tuple[str, ...], bool], None] = {}
    for source, targets, asked in _KINDS[kind](place, files):
        if targets - {source}:
            rows[source, tuple(sorted(targets - {source})), asked] = None
    for source, targets, asked in rows:
        print(json.dumps({"source": source, "targets": targets, **({} if asked else {"asked": False})}))


if __name__ == "__main__":
    main()
