"""Where a plain search says that dot-sourcing, Thrift's includes, Helm's templates, Kotlin's imports, C#'s types lead.

    python tools/eval/truth_search.py powershell|thrift|helm|kotlin|csharp REPOSITORY > TRUTH.jsonl

For languages whose own tools resolve nothing without running it. A line: {"source": path, "targets": [path]}.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator

Row = tuple[str, list[str]]
_SOURCED = re.compile(
    r"""(?:^|[\s;|(){}=@])(?:\.|&|Import-Module)\s+["']?(?:\$(?:using:)?(\w+)|\$\{(\w+)\}|\.)[\\/]([^"'\s$;|)]+\.psm?d?1)""",
    re.I,
)
_PLACE = re.compile(
    r"""^\s*\$(\w+)\s*=\s*(?:(?:Convert|Resolve)-Path\s+)?["']?\$PSScriptRoot[\\/]?([^"'\s;|)]*)["']?\s*$""",
    re.I | re.M,
)
_INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)
_ROOT = re.compile(r"(?:^|\s|\[|[\"'])-I[\"']?[\s,]*[\"']?([\w./$(){}-]+)")
_NOTE = re.compile(r"\{\{-?/\*.*?\*/-?\}\}", re.DOTALL)
_DEFINE = re.compile(r'\{\{-?\s*define\s+"([^"]+)"')
_TAKEN = re.compile(r'\b(?:include|template)\s+"([^"]+)"')


def text(root: str, path: str) -> str:
    """The text of a file."""
    with open(os.path.join(root, path), encoding="utf-8-sig", errors="replace") as file:
        return file.read()


def powershell(root: str, paths: list[str]) -> Iterator[Row]:
    """What is dot-sourced or run below the script's directory, or below a variable set to a place below it.

    Variables are set in the script or in one that it dot-sources before; names know no case.
    """
    for path in paths:
        if path.endswith((".ps1", ".psm1")):
            known = {"psscriptroot": os.path.dirname(path), "": os.path.dirname(path)}
            learn(root, path, known)
            for line in text(root, path).splitlines():
                for match in _SOURCED.finditer(line):
                    place = known.get((match[1] or match[2] or "").lower())
                    if place is not None:
                        target = os.path.normpath(os.path.join(place, match[3].replace("\\", "/")))
                        found = [each for each in paths if each.lower() == target.lower()]
                        yield path, found
                        for each in found:
                            learn(root, each, known)


def learn(root: str, path: str, known: dict[str, str]) -> None:
    """The variables that a script sets to places below its own directory."""
    for name, tail in _PLACE.findall(text(root, path)):
        known.setdefault(name.lower(), os.path.join(os.path.dirname(path), tail.replace("\\", "/")))


def thrift(root: str, paths: list[str]) -> Iterator[Row]:
    """Includes beside the file, else where the nearest build file tells the compiler to look, or that it copies."""
    builds = [path for path in paths if os.path.basename(path) in _BUILDS]
    for path in paths:
        if path.endswith(".thrift"):
            for match in _INCLUDE.finditer(text(root, path)):
                target = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
                yield path, [target] if target in paths else told(root, path, match[1], paths, builds)


def told(root: str, path: str, name: str, paths: list[str], builds: list[str]) -> list[str]:
    """What the closest build file says of an include: below `-I`, or among the files that it names."""
    place = os.path.dirname(path)
    while True:
        for build in (each for each in builds if os.path.dirname(each) == place):
            said = re.sub(
                r"\$\(top_srcdir\)|\$\{(?:CMAKE|PROJECT)_SOURCE_DIR\}",
                os.path.relpath(".", place or "."),
                text(root, build),
            )
            for folder in _ROOT.findall(said):
                target = os.path.normpath(os.path.join(place, folder, name))
                if target in paths:
                    return [target]
            for word in re.findall(rf"[\w./-]+/{re.escape(name)}(?![\w.])", said):
                target = os.path.normpath(os.path.join(place, word))
                if target in paths:
                    return [target]
        if not place:
            return []
        place = os.path.dirname(place)


def helm(root: str, paths: list[str]) -> Iterator[Row]:
    """The templates of the same chart that define a name, or of one that it is in or that is in it."""
    charts = [os.path.dirname(path) for path in paths if os.path.basename(path) == "Chart.yaml"]
    defined: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    taken = []
    for path in paths:
        chart = max((each for each in charts if path.startswith(f"{each}/templates/")), key=len, default="")
        if chart:
            said = _NOTE.sub("", text(root, path))
            for name in _DEFINE.findall(said):
                defined[chart][name].add(path)
            taken += [(path, chart, name) for name in sorted(set(_TAKEN.findall(said)))]
    for path, chart, name in taken:
        if path not in defined[chart][name]:
            around = [each for each in defined if os.path.commonpath((each, chart)) in (each, chart)]
            found = defined[chart][name] or set().union(*(defined[each][name] for each in around))
            yield path, sorted(found)


def kotlin(root: str, paths: list[str]) -> Iterator[Row]:
    """Single imports: the files of the package that declare the name, or what it is in, at their left margin.

    The files of the own module (the part of the path before "src") go before others that declare the same.
    """
    declared: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        if path.endswith((".kt", ".kts", ".java")):
            said = _COMMENT.sub("", text(root, path))
            package = _PACKAGE.search(said)
            for match in _DECLARED.finditer(said):
                declared[f"{package[1] if package else ''}.{match[1].strip('`')}"].add(path)
    for path in paths:
        if path.endswith((".kt", ".kts")):
            for name in _IMPORTED.findall(_COMMENT.sub("", text(root, path))):
                name, found = name.replace("`", ""), set()
                while name and not found:
                    found, name = declared.get(name, set()), name.rpartition(".")[0]
                own = {each for each in found if each.partition("/src/")[0] == path.partition("/src/")[0]}
                if path not in found:
                    yield path, sorted(own or found)


def csharp(root: str, paths: list[str]) -> Iterator[Row]:
    """Names of types that one namespace in reach declares: the own one, those around it, and those that are used.

    A name with a namespace before it, or with the end of one that begins in a namespace around, is asked for, too.
    What a file declares itself is not. A type in another is taken where no namespace in reach declares its name.
    A project is the nearest directory with a project file, and its global `using` count for its files.
    """
    projects = [os.path.dirname(path) for path in paths if path.endswith(".csproj")]
    texts = {path: _QUOTED.sub(" ", text(root, path)) for path in paths if path.endswith(".cs")}
    space: dict[str, str] = {}
    declared: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    inside: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    shared: dict[str, set[str]] = defaultdict(set)
    for path, said in texts.items():
        found = _NAMESPACE.search(said)
        space[path] = found[1] if found else ""
        for match in _TYPE.finditer(said):
            before = said[: match.start()]
            nested = before.count("{") - before.count("}") > bool(found and found[2])
            (inside if nested else declared)[match[1] or match[2]][space[path]].add(path)
        shared[home(projects, path)].update(_GLOBAL.findall(said))
    for path, said in texts.items():
        own = space[path].split(".")
        around = [".".join(own[:count]) for count in range(len(own), 0, -1)] + [""]
        used = set(_USING.findall(said)) | shared[home(projects, path)]
        used |= {f"{each}.{name}" for each in around for name in used}
        said = _HEAD.sub("", said)
        names = ["".join(each) for each in _USED.findall(said)]
        for name in sorted({*names, *(f"{each}Attribute" for each in names)} & (declared.keys() | inside.keys())):
            if path not in set().union(*declared[name].values(), *inside[name].values()):
                for spaces in (declared[name], inside[name]):
                    near = next((spaces[each] for each in around if each in spaces), None)
                    files = near or set().union(*(files for each, files in spaces.items() if each in used))
                    if files:
                        yield path, sorted(files)
                        break
        for whole in sorted(set(_QUALIFIED.findall(said))):
            parts = whole.split(".")
            ends = [(".".join(parts[:count]), parts[count]) for count in range(1, len(parts))]
            full = [(f"{each}.{front}" if each else front, name) for each in around for front, name in ends]
            files = next((files for front, name in full if (files := declared[name].get(front, set()))), set())
            if files and path not in files:
                yield path, sorted(files)


def home(projects: list[str], path: str) -> str:
    """The directory of the project that a file is in."""
    return max((each for each in projects if path.startswith(f"{each}/")), key=len, default="")


_QUOTED = re.compile(r'//[^\n]*|/\*.*?\*/|@"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
_NAMESPACE = re.compile(r"^\s*namespace\s+([\w.]+)\s*(\{?)", re.MULTILINE)
_TYPE = re.compile(
    r"\b(?:class|interface|record(?:\s+(?:class|struct))?|(?<!record )struct|enum)\s+([A-Z]\w*)"
    r"|\bdelegate\s+[\w<>\[\]?., ]+?\s(\w+)\s*[<(]"
)
_USING = re.compile(r"^\s*using\s+([\w.]+)\s*;", re.MULTILINE)
_GLOBAL = re.compile(r"^\s*global\s+using\s+([\w.]+)\s*;", re.MULTILINE)
_HEAD = re.compile(r"^\s*(?:global\s+)?using\s[^;(]*;|^\s*namespace\s[^;{]*", re.MULTILINE)
_USED = re.compile(r"(?<![\w.])([A-Z]\w*)\b(?!\s*(?:[=:;]|=>)(?!:))|(?<=: )([A-Z]\w*)(?=;)")
_QUALIFIED = re.compile(r"(?<![\w.])[A-Z]\w*(?:\.[A-Z]\w*)+")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_PACKAGE = re.compile(r"^package\s+([\w.`]+)", re.MULTILINE)
_IMPORTED = re.compile(r"^import\s+(?!static)([\w.`]+\w`?)(?:\s+as\s+\w+)?\s*;?\s*$", re.MULTILINE)
_DECLARED = re.compile(
    r"^(?:@[\w.:]+(?:\([^)\n]*\))?\s+)*(?:[a-z]+\s+)*(?:class|@?interface|object|typealias|fun|val|var|enum|record)\s+"
    r"(?:<[^\n]*?>\s+)?(?:(?!\w+(?:<[^\n]*?>)? (?:extends|implements)\b)[\w.<>?*, ]+\.)?(\w+|`[^`]+`)",
    re.MULTILINE,
)
_BUILDS = frozenset(
    ("Makefile", "Makefile.am", "CMakeLists.txt", "build.rs", "pom.xml", "build.gradle", "BUILD", "gen.sh")
)
KINDS = {"powershell": powershell, "thrift": thrift, "helm": helm, "kotlin": kotlin, "csharp": csharp}


def main() -> None:
    """Print the truth of one repository; what leads to no file of it is left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("repository")
    options = parser.parse_args()
    listed = subprocess.run(["git", "-C", options.repository, "ls-files"], capture_output=True, text=True, check=True)
    for source, targets in KINDS[options.kind](options.repository, listed.stdout.splitlines()):
        if targets:
            print(json.dumps({"source": source, "targets": targets}))


if __name__ == "__main__":
    main()
