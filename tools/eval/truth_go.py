"""Where Go itself says that the imports of a repository lead.

    python tools/eval/truth_go.py REPOSITORY [--embedded] > TRUTH.jsonl

Needs `go` (no network). `go list -e -json` of each module says which folder a package is;
`go/parser` says what each file imports, files of other platforms and tests included.
A line: {"source": path, "targets": [the files of the package that are no tests]}.
With --embedded, the files that `go:embed` takes in instead, one a line: what `go list` says of a copy of
the folder in which each embedding file stands alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

_READER = """\
package main

import (
	"bufio"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"strconv"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		file, err := parser.ParseFile(token.NewFileSet(), lines.Text(), nil, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, each := range file.Imports {
			path, _ := strconv.Unquote(each.Path.Value)
			fmt.Printf("%s\\t%s\\n", lines.Text(), path)
		}
	}
}
"""
_ALONE = os.environ | {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def _documents(text: str) -> Iterator[dict[str, object]]:
    decoder, position = json.JSONDecoder(), 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        value, position = decoder.raw_decode(text, position)
        yield value


def packages(place: str) -> dict[str, str]:
    """Import path → folder, of every module of the tree."""
    found: dict[str, str] = {}
    for directory, folders, files in os.walk(place):
        folders[:] = [folder for folder in folders if folder != ".git"]
        if "go.mod" in files:
            run = subprocess.run(
                ["go", "list", "-e", "-find", "-json=ImportPath,Dir", "./..."],
                cwd=directory, env=_ALONE, capture_output=True, text=True,
            )  # fmt: skip
            for package in _documents(run.stdout):
                if package.get("Dir"):
                    found[str(package["ImportPath"])] = os.path.relpath(str(package["Dir"]), place)
    return found


def imports(place: str, files: list[str]) -> Iterator[tuple[str, str]]:
    """(file, import path) of each import statement."""
    with tempfile.TemporaryDirectory() as folder:
        reader = os.path.join(folder, "main.go")
        with open(reader, "w", encoding="utf-8") as file:
            file.write(_READER)
        run = subprocess.run(
            ["go", "run", reader],
            input="\n".join(files),
            cwd=place,
            env=_ALONE,
            capture_output=True,
            text=True,
            check=True,
        )
    for line in run.stdout.splitlines():
        source, _, path = line.partition("\t")
        yield source, path


def embedded(place: str, files: list[str]) -> Iterator[tuple[str, str]]:
    """(file, file that it embeds)."""
    for source in files:
        with open(os.path.join(place, source), encoding="utf-8", errors="replace") as file:
            if "//go:embed" not in file.read():
                continue
        with tempfile.TemporaryDirectory() as copy:  # in a module of its own: go.mod may want a newer toolchain
            folder = os.path.join(place, os.path.dirname(source))
            shutil.copytree(folder, copy, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            for name in os.listdir(copy):
                if name.endswith(".go") and name != os.path.basename(source):
                    os.remove(os.path.join(copy, name))
            with open(os.path.join(copy, "go.mod"), "w", encoding="utf-8") as file:
                file.write("module alone\n\ngo 1.18\n")
            run = subprocess.run(
                ["go", "list", "-e", "-find", "-json", "."], cwd=copy, env=_ALONE, capture_output=True, text=True
            )
        for package in _documents(run.stdout):
            for key in ("EmbedFiles", "TestEmbedFiles", "XTestEmbedFiles"):
                named = package.get(key) or []
                assert isinstance(named, list)
                yield from ((source, os.path.join(os.path.dirname(source), name)) for name in named)


def main() -> None:
    """Print the truth."""
    place = os.path.abspath(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-z", "*.go"], cwd=place, capture_output=True, check=True).stdout
    files = sorted(path for path in listed.decode().split("\0") if path)
    if "--embedded" in sys.argv:
        for source, target in embedded(place, files):
            print(json.dumps({"source": source, "targets": [target]}))
        return
    folders: dict[str, list[str]] = {}
    for path in files:
        if not path.endswith("_test.go"):
            folders.setdefault(os.path.dirname(path) or ".", []).append(path)
    known = packages(place)
    for source, path in imports(place, files):
        targets = folders.get(known.get(path, ""))
        if targets:
            print(json.dumps({"source": source, "targets": targets}))


if __name__ == "__main__":
    main()
