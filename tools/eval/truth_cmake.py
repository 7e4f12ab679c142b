"""Where CMake itself goes, and which files it builds from, when it configures a repository.

    python tools/eval/truth_cmake.py REPOSITORY [--sources] [-D NAME=VALUE …] > TRUTH.jsonl

Needs `cmake`. Its trace names each command as it runs and the file it stands in: of
`include`, `add_subdirectory` and `find_package` the target is the file whose first command
follows right after. Lines that are not run, as those of other platforms, count when they name a directory
literally, or a file or module of which there is one; what else is not run goes to standard error.
`--sources`: the files that targets are built from instead, as the commands of list files name
them when all variables are known. What their other commands name, and what lines that are not run name
literally or by a pattern, is true but not asked for ("asked": false); files that are made when it is configured
speak for those that include them. `--below`: where the project lies in the repository.
A line: {"source": path, "targets": [path]}.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

_IMPORTS = ("include", "add_subdirectory", "find_package")
_BUILT = ("add_library", "add_executable", "target_sources", "configure_file")
_WORD = re.compile(r"(?:\$\{(?:CMAKE_CURRENT|PROJECT|CMAKE)_(?:SOURCE|LIST)_DIR\}/)?([\w+*-][\w./+*-]*[./*][\w./+*-]*)")
_LINE = re.compile(r"^\s*(include|add_subdirectory|find_package)\s*\(\s*([^\s)]+)", re.IGNORECASE)
_PLACE = re.compile(r"\$\{(?:CMAKE_CURRENT|PROJECT|CMAKE)_(?:SOURCE|LIST)_DIR\}/([^$]+)")


def trace(place: str, options: list[str]) -> list[dict[str, object]]:
    """The commands that are run, in order."""
    with tempfile.TemporaryDirectory() as build:
        out = os.path.join(build, "trace.json")
        ask = ["cmake", "--trace-expand", "--trace-format=json-v1", f"--trace-redirect={out}"]
        run = subprocess.run([*ask, *options, "-S", place, "-B", build], capture_output=True, text=True)
        print("\n".join(run.stdout.splitlines()[-2:]), file=sys.stderr)
        with open(out, encoding="utf-8", errors="replace") as file:
            rows = [json.loads(line) for line in file]
    return [row for row in rows if "cmd" in row]


def literal(tracked: set[str], path: str, command: str, named: str) -> str:
    """The file a line names without variables; "" when that is not plain."""
    below = _PLACE.fullmatch(named)
    if below:
        name = below[1] if command == "include" else f"{below[1]}/CMakeLists.txt"
        found = [each for each in tracked if each == name or each.endswith(f"/{name}")]
        return found[0] if len(found) == 1 else ""
    if command == "add_subdirectory":
        target = os.path.normpath(os.path.join(os.path.dirname(path), named, "CMakeLists.txt"))
        return target if target in tracked else ""
    name = f"Find{named}.cmake" if command == "find_package" else f"{named.removesuffix('.cmake')}.cmake"
    found = [each for each in tracked if each == name or each.endswith(f"/{name}")]
    return found[0] if len(found) == 1 else ""


def unrun(place: str, tracked: set[str], source: str, run: set[tuple[str, int]]) -> set[str]:
    """The files that lines of a list file name which no command that is run stands on."""
    directory, found = os.path.dirname(source), set()
    with open(os.path.join(place, source), encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if (source, number) not in run:
                for word in _WORD.findall(line.partition("#")[0]):
                    name = os.path.normpath(os.path.join(directory, word))
                    pattern = re.compile(re.escape(name).replace(r"\*", "[^/]*"))
                    found |= {path for path in tracked if pattern.fullmatch(path)} if "*" in name else {name} & tracked
    return found


def main() -> None:
    """Print the truth."""
    parser = argparse.ArgumentParser(description="What CMake reads.")
    parser.add_argument("repository")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--below", default="", metavar="DIRECTORY")
    parser.add_argument("-D", action="append", default=[])
    asked = parser.parse_args()
    place = os.path.realpath(asked.repository)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=place, capture_output=True, check=True).stdout
    tracked = set(filter(None, listed.decode().split("\0")))
    rows = trace(os.path.join(place, asked.below), [f"-D{each}" for each in asked.D])
    found: dict[tuple[str, str], None] = {}
    also: dict[tuple[str, str], None] = {}
    including = "CMakeLists.txt"
    run: set[tuple[str, int]] = set()
    for row, following in zip(rows, [*rows[1:], {}], strict=True):
        source = os.path.relpath(str(row["file"]), place)
        command = str(row["cmd"]).lower()
        if source not in tracked and not (asked.sources and command == "set" and source.startswith("..")):
            continue
        including = source if source in tracked else including
        source = including  # what a file says that was made when it is configured
        run.add((source, int(str(row["line"]))))
        inner = following.get("global_frame") == int(str(row["global_frame"])) + 1
        if not asked.sources and command in _IMPORTS and inner:
            target = os.path.relpath(os.path.realpath(str(following["file"])), place)
            if target in tracked:
                found[source, target] = None
        elif asked.sources and source.endswith("CMakeLists.txt"):
            arguments = row["args"]
            assert isinstance(arguments, list)
            built = arguments[:1] if command == "configure_file" else arguments[1:] if command in _BUILT else []
            for argument in arguments:
                for each in str(argument).split(";"):
                    path = os.path.relpath(os.path.join(place, os.path.dirname(source), each), place)
                    if each and path in tracked:
                        (found if argument in built else also)[source, path] = None
    for path in sorted(tracked):
        if not asked.sources and path.endswith((".cmake", "CMakeLists.txt")):
            with open(os.path.join(place, path), encoding="utf-8", errors="replace") as file:
                for number, line in enumerate(file, 1):
                    if (match := _LINE.match(line)) and (path, number) not in run:
                        target = literal(tracked, path, match[1].lower(), match[2].strip('"'))
                        if target:
                            found[path, target] = None
                        else:
                            print(f"not run  {path}:{number} {line.strip()}", file=sys.stderr)
    for source, target in sorted(found):
        if source != target:
            print(json.dumps({"source": source, "targets": [target]}))
    for source in {source for source, _ in found} if asked.sources else ():
        also |= {(source, target): None for target in unrun(place, tracked, source, run)}
    for source, target in sorted(set(also) - set(found)):
        print(json.dumps({"source": source, "targets": [target], "asked": False}))


if __name__ == "__main__":
    main()
