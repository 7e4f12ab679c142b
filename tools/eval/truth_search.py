"""Where a plain search says that PowerShell's dot-sourcing, Thrift's includes and Helm's named templates lead.

    python tools/eval/truth_search.py powershell|thrift|helm REPOSITORY > TRUTH.jsonl

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
_SOURCED = (
    re.compile(
        r"""\s*(?:\.|&|Import-Module)\s+["']?\$(?:PSScriptRoot|\{PSScriptRoot\})[\\/]([^"'\s;|]+\.psm?d?1)["']?""", re.I
    ),
    re.compile(r"""\s*(?:\.|Import-Module)\s+["']?\.[\\/]([^"'\s$;|]+\.psm?d?1)""", re.I),
)
_INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"', re.MULTILINE)
_NOTE = re.compile(r"\{\{-?/\*.*?\*/-?\}\}", re.DOTALL)
_DEFINE = re.compile(r'\{\{-?\s*define\s+"([^"]+)"')
_TAKEN = re.compile(r'\b(?:include|template)\s+"([^"]+)"')


def text(root: str, path: str) -> str:
    """The text of a file."""
    with open(os.path.join(root, path), encoding="utf-8-sig", errors="replace") as file:
        return file.read()


def powershell(root: str, paths: list[str]) -> Iterator[Row]:
    """What is dot-sourced or run below the directory of the script; names know no case."""
    for path in paths:
        if path.endswith((".ps1", ".psm1")):
            for line in text(root, path).splitlines():
                match = next(filter(None, (pattern.match(line) for pattern in _SOURCED)), None)
                if match:
                    target = os.path.normpath(os.path.join(os.path.dirname(path), match[1].replace("\\", "/")))
                    yield path, [each for each in paths if each.lower() == target.lower()]


def thrift(root: str, paths: list[str]) -> Iterator[Row]:
    """Includes beside the file."""
    for path in paths:
        if path.endswith(".thrift"):
            for match in _INCLUDE.finditer(text(root, path)):
                target = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
                yield path, [target] if target in paths else []


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


KINDS = {"powershell": powershell, "thrift": thrift, "helm": helm}


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
