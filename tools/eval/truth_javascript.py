"""Where the imports of a TypeScript or JavaScript repository lead, as tsc or node themselves say.

    python tools/eval/truth_javascript.py REPOSITORY --typescript NODE_MODULES/typescript [--plain] > TRUTH.jsonl

TypeScript: `tsc --traceResolution` over every tracked file, each under the settings nearest to it. `--plain`:
JavaScript; what is imported is read by TypeScript's scanner, and resolved by node's own resolver.
Nothing is installed: packages of the workspace are linked into node_modules first, as npm would; one
that has to be built before it is found stands for its sources' index. Whatever lies outside the
repository is left out. REPOSITORY is written to; give it a clone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

_TYPED = (".ts", ".tsx", ".mts", ".cts")
_PLAIN = (".js", ".jsx", ".mjs", ".cjs")
_ASKED = re.compile(r"^======== Resolving module '(.+)' from '(.+)'\. ========$")
_FOUND = re.compile(
    r"^======== Module name '(.+)' was successfully resolved to '(.+?)'(?: with Package ID .*)?\. ========$"
)
_LOST = re.compile(r"^======== Module name '(.+)' was not resolved\. ========$")
_INDEXES = ("src/index.ts", "src/index.tsx", "src/index.js", "index.ts", "index.tsx", "index.js")
_NODE = """
const ts = require(process.argv[1]), fs = require("fs"), { createRequire } = require("module")
for (const file of fs.readFileSync(0, "utf8").split("\\n").filter(Boolean)) {
  const seen = new Set(ts.preProcessFile(fs.readFileSync(file, "utf8"), true, true).importedFiles.map(f => f.fileName))
  for (const name of seen) {
    try {
      const target = createRequire(file).resolve(name)
      if (target.startsWith("/")) console.log(JSON.stringify([file, target]))
    } catch {}
  }
}
"""


def tracked(root: Path) -> list[str]:
    """The paths that git knows and that are there."""
    said = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout
    return [path for path in said.decode().split("\0") if path and (root / path).is_file()]


def link_packages(root: Path, paths: Iterable[str]) -> dict[str, str]:
    """Link the packages of the workspace where tools look for what is installed; name → folder."""
    packages: dict[str, str] = {}
    patterns: list[str] = []
    if (root / "package.json").exists():
        said = json.loads((root / "package.json").read_text()).get("workspaces", [])
        patterns += said.get("packages", []) if isinstance(said, dict) else said
    if (root / "pnpm-workspace.yaml").exists():
        text = (root / "pnpm-workspace.yaml").read_text()
        patterns += re.findall(r"^\s*-\s*['\"]?([^'\"\s#]+)", text, re.MULTILINE)
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name == "package.json" and any(
            fnmatch(folder, each)
            for pattern in patterns
            for each in (pattern.removeprefix("./").rstrip("/"), pattern.removeprefix("./").replace("**/", ""))
        ):
            called = json.loads((root / path).read_text("utf-8-sig")).get("name")
            place = root / "node_modules" / called if called else None
            if called:
                packages.setdefault(called, folder)
            if place and not place.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(root / folder)
    return packages


def typed(root: Path, paths: list[str], typescript: Path, packages: dict[str, str]) -> Iterator[tuple[str, str]]:
    """(source, target) as tsc traces them."""
    settings = {path for path in paths if path.rpartition("/")[2] == "tsconfig.json"}
    groups: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if path.endswith(_TYPED):
            folder = path
            while folder:
                folder = folder.rpartition("/")[0]
                if (os.path.join(folder, "tsconfig.json")) in settings:
                    break
            groups[folder].append(path)
    for folder, files in sorted(groups.items()):
        own = root / folder / "tsconfig.truth.json"
        options: dict[str, object] = {"noEmit": True, "composite": False, "incremental": False}
        options |= {"traceResolution": True, "noLib": True, "types": []}
        names = [os.path.relpath(root / file, root / folder) for file in files]
        said: dict[str, object] = {"compilerOptions": options, "include": [], "files": names}
        if (root / folder / "tsconfig.json").exists():
            said["extends"] = "./tsconfig.json"
        else:
            options |= {"module": "esnext", "moduleResolution": "bundler", "allowJs": True, "jsx": "preserve"}
        own.write_text(json.dumps(said))
        done = subprocess.run(
            ["node", typescript / "lib/tsc.js", "-p", own], cwd=root, capture_output=True, text=True, check=False
        )
        own.unlink()
        source, mine = "", {str(root / file) for file in files}
        for line in done.stdout.splitlines():
            if asked := _ASKED.match(line):
                source = asked[2]
            elif (found := _FOUND.match(line)) and source in mine:
                yield source, found[2]
            elif (lost := _LOST.match(line)) and source in mine and lost[1] in packages:
                there = (root / packages[lost[1]] / each for each in _INDEXES)
                yield from ((source, str(each)) for each in list(filter(Path.exists, there))[:1])


def plain(paths: list[str], root: Path, typescript: Path) -> Iterator[tuple[str, str]]:
    """(source, target) as node resolves them."""
    files = [str(root / path) for path in paths if path.endswith(_PLAIN)]
    done = subprocess.run(
        ["node", "-e", _NODE, typescript], input="\n".join(files), capture_output=True, text=True, check=True
    )
    for line in done.stdout.splitlines():
        source, target = json.loads(line)
        yield source, target


def main() -> None:
    """One line an import inside the repository."""
    parser = argparse.ArgumentParser(description="Ask tsc, or node, where imports lead.")
    parser.add_argument("repository", type=Path)
    parser.add_argument("--typescript", type=Path, required=True, help="an unpacked package of TypeScript")
    parser.add_argument("--plain", action="store_true", help="JavaScript, by node's resolver")
    asked = parser.parse_args()
    root, typescript = asked.repository.resolve(), asked.typescript.resolve()
    paths = tracked(root)
    packages = link_packages(root, paths)
    known = set(paths)
    pairs = plain(paths, root, typescript) if asked.plain else typed(root, paths, typescript, packages)
    for source, target in sorted(set(pairs)):
        here = os.path.relpath(os.path.realpath(source), root)
        there = os.path.relpath(os.path.realpath(target), root)
        if here in known and there in known and here != there:
            print(json.dumps({"source": here, "targets": [there]}))


if __name__ == "__main__":
    main()
