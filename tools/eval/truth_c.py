"""Where the preprocessor says that the includes of a repository lead.

    python tools/eval/truth_c.py REPOSITORY COMPILE_COMMANDS.json > TRUTH.jsonl

Needs `gcc`. For each file that a configured build compiles, and each header of the
repository that `gcc -MM` says it reads, every include line is handed to `gcc -H` by itself,
with the flags of that compilation and as if it stood in that file's folder: lines
that this platform's conditions leave out are known, too.
A line: {"source": path, "targets": [path]}.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*(\"[^\"]+\"|<[^>]+>)", re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def flags(entry: dict[str, object]) -> tuple[str, ...]:
    """What of a compilation decides where includes lead."""
    words = entry["arguments"] if "arguments" in entry else shlex.split(str(entry["command"]))
    assert isinstance(words, list)
    kept: list[str] = []
    for word, value in zip(words, [*words[1:], ""], strict=True):
        if word in ("-I", "-isystem", "-iquote", "-include", "-idirafter", "-D"):
            kept += [word, value]
        elif word.startswith(("-I", "-D", "-iquote", "-std", "-isystem")):
            kept.append(word)
    return tuple(kept)


@cache
def leads_to(line: str, folder: str, directory: str, language: str, options: tuple[str, ...]) -> str:
    """The file an include line reads, absolute; "" when there is none."""
    run = subprocess.run(
        ["gcc", "-E", "-H", "-x", language, "-iquote", folder, *options, "-"],
        input=f"#include {line}\n", cwd=directory, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    for row in run.stderr.splitlines():
        if row.startswith((". ", "! ")):
            return os.path.realpath(os.path.join(directory, row[2:]))
    return ""


def main() -> None:
    """Print the truth."""
    place = os.path.realpath(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        entries = json.load(file)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=place, capture_output=True, check=True).stdout
    tracked = set(filter(None, listed.decode().split("\0")))
    read: dict[str, tuple[str, str, tuple[str, ...]]] = {}  # file → how it is compiled
    for entry in entries:
        directory = entry["directory"]
        source = os.path.realpath(os.path.join(directory, entry["file"]))
        options = flags(entry)
        language = "c" if source.endswith(".c") else "c++"
        run = subprocess.run(
            ["gcc", "-MM", "-x", language, *options, source], cwd=directory, capture_output=True, text=True
        )
        for word in [source, *run.stdout.replace("\\\n", " ").split()[1:]]:
            path = os.path.relpath(os.path.realpath(os.path.join(directory, word)), place)
            if path in tracked:
                read.setdefault(path, (directory, language, options))
    for path, (directory, language, options) in sorted(read.items()):
        with open(os.path.join(place, path), encoding="utf-8", errors="replace") as file:
            text = _COMMENT.sub("", file.read())
        for line in dict.fromkeys(_INCLUDE.findall(text)):
            target = leads_to(line, os.path.join(place, os.path.dirname(path)), directory, language, options)
            target = os.path.relpath(target, place) if target else ""
            if target in tracked and target != path:
                print(json.dumps({"source": path, "targets": [target]}))


if __name__ == "__main__":
    main()
