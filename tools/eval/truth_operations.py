"""What pipelines, compositions, clusters and container files name: the truth for tools/eval/imports.py.

    python tools/eval/truth_operations.py actions|workflows|gitlab|compose|kustomize|docker REPOSITORY > TRUTH.jsonl

Documents are read by PyYAML and walked by the keys that each format's own reference lists; a path is taken where that
reference says it starts (the top for workflows, the file for compositions and kustomizations). Docker files are read
line for line; their context is what a composition or a `docker build` of a pipeline says, else their directory or the
nearest one above that has what they copy. A directory stands for what its tool reads there; one that is copied whole
is left out. What a container file runs or sets as a variable, and is a file of its context, counts as named, too.
Of pipelines, a word of a script is a file when it is one from the directory that the script is in by then, or from
the top after a variable for a directory. What else a pipeline says and is a file is true, but not asked for: words of
titles, messages and variables, paths below clones of the repository itself, and the files that a pattern takes in.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from typing import Any

import yaml

_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = (
    "resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators",
    "patchesStrategicMerge",
)  # fmt: skip
_RUN = re.compile(r"^\s*(?:CMD|ENTRYPOINT|RUN|HEALTHCHECK|ENV)\s+(.+)$", re.MULTILINE | re.IGNORECASE)
_WORD = re.compile(r"[\w./-]+")
_TOP = re.compile(r"\$\{?(?:CI_PROJECT_DIR|GITHUB_WORKSPACE)\}?|\$\{\{\s*github\.workspace\s*\}\}")
_PIPELINE = re.compile(r"(^|/)\.gitlab(-ci)?(/.*)?\.ya?ml$|gitlab-ci[^/]*\.ya?ml$")
_ENV = re.compile(r"\$\{\{\s*env\.(\w+)\s*\}\}")
_SCRIPTS = ("script", "before_script", "after_script", "run")
_VARIABLE = re.compile(r"\$\{?\w+\}?/(?=\w|\.)")
_BREAKS = re.compile(r"[\s\"'`()<>=,;|&:!\\]+")
_READ = (  # in a directory that is named as a whole
    "Dockerfile", "action.yml", "action.yaml", "Chart.yaml", "package.json", "Makefile", "go.mod", "pyproject.toml",
    "Cargo.toml", "kustomization.yaml",
)  # fmt: skip
_PATTERNS = ("changes", "exists", "paths")
Found = tuple[str, str, str]  # source, what stands there, target; and of what is not asked for, "aside"


class _Loader(yaml.SafeLoader):
    """Tags of other programs are no error."""


_Loader.add_multi_constructor("!", lambda loader, suffix, node: None)


def documents(place: str, path: str) -> list[Any]:
    """The documents of a file that is YAML."""
    try:
        with open(os.path.join(place, path), encoding="utf-8") as file:
            return list(yaml.load_all(file, _Loader))
    except (yaml.YAMLError, ValueError):
        print(f"not read: {path}", file=sys.stderr)
        return []


def mappings(place: str, files: set[str], is_one: Callable[[str], object]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(path, document) of what the files that are some hold and is a mapping."""
    for path in sorted(filter(is_one, files)):
        yield from ((path, each) for each in documents(place, path) if isinstance(each, dict))


def walk(value: Any) -> Iterator[tuple[str, Any]]:
    """(key, value) of every mapping in a document."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key), each
            yield from walk(each)
    elif isinstance(value, list):
        for each in value:
            yield from walk(each)


def below(directory: str, name: str) -> str:
    """A path below a directory, "" when it leaves the tree."""
    path = os.path.normpath(os.path.join(directory, name))
    return "" if path.startswith(("..", "/")) else path


def actions(place: str, files: set[str]) -> Iterator[Found]:
    """`uses: ./…` of GitHub: an action's directory or a workflow, from the top."""
    for path in sorted(files):
        if path.endswith((".yml", ".yaml")) and (path.startswith(".github/") or "/action.y" in f"/{path}"):
            for document in documents(place, path):
                for key, value in walk(document):
                    if key == "uses" and isinstance(value, str) and value.startswith("./"):
                        target = below("", value)
                        yield from (
                            (path, value, each)
                            for each in (target, f"{target}/action.yml", f"{target}/action.yaml")
                            if each in files
                        )


def called(files: set[str], script: str, directory: str = "") -> Iterator[tuple[str, str]]:
    """(word, file) of what a script names, wherever it has gone by then."""
    before = directory
    script = re.sub(r"^\s*#.*$", "", script.replace("\\\n", " "), flags=re.MULTILINE)
    for statement in re.split(r"&&|\|\||[;\n|]", re.sub(r"^\s*\((.*)\)$", r"(\1;)", script, flags=re.MULTILINE)):
        if statement.strip() == ")":
            directory = before
        elif statement.lstrip().startswith("("):
            before = directory
        words = [word for word in re.split(r"[\s\"'`()<>=,]+", statement) if word]
        if len(words) > 1 and words[0] in ("cd", "pushd"):
            to = _TOP.sub("/", words[1])
            directory = "" if to.strip("/") == "" else below("" if to.startswith("/") else directory, to.lstrip("/"))
        for word in words:
            path = _TOP.sub("/", word)
            target = below("" if path.startswith("/") else directory, path.lstrip("/"))
            inner = target.partition("/")[2]  # in a clone of the repository
            places = [target if path != "/" else "", inner if "/" in inner else ""]
            places += [below("", _VARIABLE.sub("", word, count=1))] if _VARIABLE.match(word) else []
            yield from ((word, each) for each in [each for each in places if each in files][:1])


def workflows(place: str, files: set[str]) -> Iterator[tuple[str, ...]]:
    """What workflows and actions of GitHub use, what their scripts name, and what is a whole path, from the top."""
    yield from actions(place, files)
    for path in sorted(files):
        if path.endswith((".yml", ".yaml")) and (path.startswith(".github/") or "/action.y" in f"/{path}"):
            for document in documents(place, path):
                yield from ((path, said, target) for said, target in scripted(files, document, ""))
                yield from ((path, said, target, "aside") for said, target in spoken(files, document))


def spoken(files: set[str], value: Any, pattern: bool = False) -> Iterator[tuple[str, str]]:
    """(what stands there, file) of all words of a document that are a file from the top, or below a clone of it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from spoken(files, str(key))
            yield from spoken(files, each, pattern or key in _PATTERNS)
    elif isinstance(value, list):
        for each in value:
            yield from spoken(files, each, pattern)
    elif isinstance(value, str):
        if pattern and "*" in value:
            wanted = re.compile(re.escape(value.lstrip("/")).replace(r"\*\*", ".*").replace(r"\*", "[^/]*"))
            yield from ((value, each) for each in files if wanted.fullmatch(each))
        for word in _BREAKS.split(value):
            path = re.sub(r"^\./", "", _VARIABLE.sub("", word, count=1)).rstrip(".")
            if path in files:
                yield word, path
            elif (inner := path.partition("/")[2]) in files and "/" in inner:
                yield word, inner
            elif "." in path and "/" not in path:
                module = path.replace(".", "/")
                places = (f"{module}.py", f"{module}/__init__.py", f".github/workflows/{path}")
                yield from ((word, each) for each in places if each in files)
            elif path:
                places = (f"{path.rstrip('/')}/{name}" for name in _READ)
                yield from ((word, each) for each in places if each in files)


def scripted(
    files: set[str], value: Any, directory: str, known: dict[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """(what stands there, file) of scripts, and of texts that are a path as a whole; `known` is the environment."""
    if isinstance(value, dict):
        known = {**(known or {}), **(value["env"] if isinstance(value.get("env"), dict) else {})}
        defaults = value.get("defaults")
        if isinstance(defaults, dict) and isinstance(defaults.get("run"), dict):
            value = {**defaults["run"], **value}
        where = value.get("working-directory")
        where = _ENV.sub(lambda said: str(known.get(said[1], said[0])), where) if isinstance(where, str) else "$"
        directory = below("", where) if "$" not in where else directory
        for key, each in value.items():
            if key in _SCRIPTS and isinstance(each, (str, list)):
                lines = each if isinstance(each, list) else [each]
                text = "\n".join(line for line in lines if isinstance(line, str))
                yield from called(files, text, directory)
            elif not (key == "file" and "project" in value):
                yield from scripted(files, each, directory, known)
    elif isinstance(value, list):
        for each in value:
            yield from scripted(files, each, directory, known)
    elif isinstance(value, str):
        target = below("", _TOP.sub("", value).lstrip("/"))
        if target in files:
            yield value, target


def included(files: set[str], value: Any) -> Iterator[tuple[str, str]]:
    """(what stands there, file) of `include`, at the top or of a trigger: paths and patterns of the own repository."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict) and "local" not in each:
            continue
        said = each["local"] if isinstance(each, dict) else each
        for name in said if isinstance(said, list) else [said]:
            if isinstance(name, str) and "://" not in name and "$" not in name:
                pattern = re.escape(name.lstrip("/")).replace(r"\*\*/", "(?:.+/)?").replace(r"\*\*", ".+")
                pattern = pattern.replace(r"\*", "[^/]*")
                yield from ((name, found) for found in sorted(files) if re.fullmatch(pattern, found))


def gitlab(place: str, files: set[str]) -> Iterator[tuple[str, ...]]:
    """What pipelines of GitLab include, in whatever file, and what their scripts name, from the top.

    A `.gitlab-ci.yml` in a directory is that of a project of its own, an example most often: the top is there.
    """
    pipelines = [path for path in sorted(files) if _PIPELINE.search(path)]
    tops = {os.path.dirname(path) for path in pipelines if os.path.basename(path) == ".gitlab-ci.yml"}
    for top in sorted(tops | {""}, key=len, reverse=True):
        head = f"{top}/" if top else ""
        own = {path.removeprefix(head) for path in files if path.startswith(head)}
        waiting = [path.removeprefix(head) for path in pipelines if path.startswith(head)]
        pipelines = [path for path in pipelines if not path.startswith(head)]
        for source, said, target, *aside in _project(os.path.join(place, top), own, waiting):
            yield (head + source, said, head + target, *aside)


def _project(place: str, files: set[str], waiting: list[str]) -> Iterator[tuple[str, ...]]:
    """What the pipelines of one project name; those that they include are read, too."""
    known = set(waiting)
    for path in waiting:
        for document in documents(place, path):
            if not isinstance(document, dict):
                continue
            triggers = [each for key, each in walk(document) if key == "trigger" and isinstance(each, dict)]
            includes = [each.get("include") for each in (document, *triggers)]
            rows = [row for each in includes for row in included(files, each)]
            yield from ((path, *row) for row in [*rows, *scripted(files, document, "")])
            yield from ((path, *row, "aside") for row in spoken(files, document))
            for _, target in rows:
                if target not in known and target.endswith((".yml", ".yaml")):
                    known.add(target)
                    waiting.append(target)


def compose(place: str, files: set[str]) -> Iterator[tuple[str, ...]]:
    """Build directories, env files, mounted files, configs, secrets, and files extended or included.

    Words that are a file beside, in what is built, or where it is mounted, are true, too.
    """
    for path, document in mappings(place, files, re.compile(r"compose[^/]*\.ya?ml$").search):
        directory = os.path.dirname(path)
        said: list[str] = []
        for service in (document.get("services") or {}).values() if isinstance(document.get("services"), dict) else ():
            if not isinstance(service, dict):
                continue
            build = service.get("build")
            if isinstance(build, str):
                said.append(f"{build}/Dockerfile")
            elif isinstance(build, dict) and "dockerfile_inline" not in build:
                said.append(f"{build.get('context', '.')}/{build.get('dockerfile', 'Dockerfile')}")
            named = service.get("env_file") or []
            said += [
                each if isinstance(each, str) else each["path"]
                for each in ([named] if isinstance(named, str) else named)
            ]
            for volume in service.get("volumes") or []:
                source = volume.get("source", "") if isinstance(volume, dict) else volume.partition(":")[0]
                said += [source] if str(source).startswith(".") else []
            extends = service.get("extends")
            said += [extends["file"]] if isinstance(extends, dict) and "file" in extends else []
        for kind in ("configs", "secrets"):
            values = document.get(kind)
            said += [each["file"] for each in (values or {}).values() if isinstance(each, dict) and each.get("file")]
        for each in document.get("include") or []:
            said += [each] if isinstance(each, str) else []
        yield from ((path, each, target) for each in said if (target := below(directory, each)) in files)
        lists = (value for key, value in walk(document) if key == "volumes" and isinstance(value, list))
        mounts = [each for value in lists for each in value]
        pairs = [(str(each.get("source", "")), str(each.get("target", ""))) if isinstance(each, dict)
                 else tuple(f"{each}:".split(":")[:2]) for each in mounts]  # fmt: skip
        builds = [value for key, value in walk(document) if key == "build"]
        contexts = [str(each.get("context", ".")) if isinstance(each, dict) else str(each) for each in builds]
        with open(os.path.join(place, path), encoding="utf-8", errors="replace") as file:
            for word in _BREAKS.split(file.read()):
                held = [row for row in pairs if row[1] and word.startswith(f"{row[1]}/")]
                inner = [f"{here}/{word[len(there) :]}" for here, there in held]
                inner += [f"{context}/{word}" for context in contexts]  # copied to the top, most often
                known = (below(directory, each.lstrip("/")) for each in (word, *inner))
                yield from ((path, word, target, "aside") for target in known if target in files)


def kustomize(place: str, files: set[str]) -> Iterator[Found]:
    """What a kustomization names: files, and directories with one of their own."""
    for path, document in mappings(place, files, lambda path: os.path.basename(path) in _KUSTOMIZATIONS):
        directory = os.path.dirname(path)
        said: list[str] = []
        for key in _LISTS:
            said += [each for each in document.get(key) or [] if isinstance(each, str) and "\n" not in each]
        for key in ("patches", "patchesJson6902", "replacements"):
            said += [each["path"] for each in document.get(key) or [] if isinstance(each, dict) and each.get("path")]
        for key in ("configMapGenerator", "secretGenerator"):
            for each in document.get(key) or []:
                said += [name.rpartition("=")[2] for name in (each.get("files") or []) + (each.get("envs") or [])]
                said += [each["env"]] if each.get("env") else []
        for each in document.get("helmCharts") or []:
            said += [each["valuesFile"]] if each.get("valuesFile") else []
        for each in said:
            target = below(directory, each)
            own = (
                [target]
                if target in files
                else [f"{target}/{name}" for name in _KUSTOMIZATIONS if f"{target}/{name}" in files]
            )
            yield from ((path, each, found) for found in own)


def docker(place: str, files: set[str]) -> Iterator[Found]:
    """Files that COPY and ADD name, from the context."""
    contexts: dict[str, str] = {}
    for path in sorted(files):
        if re.search(r"compose[^/]*\.ya?ml$", path):
            for document in documents(place, path):
                for key, value in walk(document):
                    if key == "build" and isinstance(value, dict):
                        context = below(os.path.dirname(path), str(value.get("context", ".")))
                        contexts.setdefault(below(context, str(value.get("dockerfile", "Dockerfile"))), context)
    for path in sorted(files):
        if not re.search(r"(^|/)(Dockerfile[^/]*|[^/]*\.[Dd]ockerfile)$", path) or path.endswith(
            (".md", ".dockerignore")
        ):
            continue
        with open(os.path.join(place, path), encoding="utf-8", errors="replace") as file:
            text = re.sub(r"^\s*#.*\n", "", file.read(), flags=re.MULTILINE)
        text = re.sub(r"\\[ \t]*\n", " ", text)
        said: list[str] = []
        for words in re.findall(r"^\s*(?:COPY|ADD)\s+(.+)$", text, re.MULTILINE | re.IGNORECASE):
            try:
                each = json.loads(words) if words.startswith("[") else shlex.split(words)
            except ValueError:
                continue
            if not any(word.startswith(("--from", "<<")) for word in each):
                said += [word for word in each if not word.startswith("--")][:-1]
        run = [word for words in _RUN.findall(text) for word in _WORD.findall(words)]
        said = [word for word in said if "$" not in word and "://" not in word]
        directory = os.path.dirname(path)
        places = [contexts[path]] if path in contexts else [directory]
        while path not in contexts and places[-1]:
            places.append(os.path.dirname(places[-1]))
        context = max(
            places, key=lambda each: sum(bool(named(files, below(each or "", word.lstrip("/")))) for word in said)
        )
        for word in said + [word for word in run if "." in word and not word.startswith("/")]:
            yield from ((path, word, each) for each in named(files, below(context, word.lstrip("/"))))


def named(files: set[str], pattern: str) -> list[str]:
    """The files of a pattern within its directory."""
    if "*" not in pattern and "?" not in pattern and "[" not in pattern:
        return [pattern] if pattern in files else []
    return [each for each in files if fnmatch(each, pattern) and each.count("/") == pattern.count("/")]


_KINDS = {
    "actions": actions, "workflows": workflows, "gitlab": gitlab, "compose": compose, "kustomize": kustomize,
    "docker": docker,
}  # fmt: skip


def main() -> None:
    """Print the truth: one line for each thing that is named."""
    kind, place = sys.argv[1:]
    listed = subprocess.run(["git", "-C", place, "ls-files", "-z"], capture_output=True, check=True)
    files = set(filter(None, listed.stdout.decode().split("\0")))
    rows: dict[tuple[str, ...], set[str]] = {}
    for source, said, target, *aside in _KINDS[kind](place, files):
        if target != source:
            rows.setdefault((source, said, *aside), set()).add(target)
    for (source, said, *aside), targets in rows.items():
        asked = {"asked": False} if aside else {}
        print(json.dumps({"source": source, "name": said, "targets": sorted(targets), **asked}))


if __name__ == "__main__":
    main()
