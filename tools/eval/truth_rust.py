"""Where modules, `use` lines and paths in Rust code lead, by manifests and rustc's own list of files.

    python tools/eval/truth_rust.py REPOSITORY > TRUTH.jsonl

Needs `cargo` and `rustc` (no network). `cargo metadata` names the targets; the tree of
modules of each is read from its sources by a reader of its own (comments and strings
cut out, `mod` lines followed); where `rustc --emit=dep-info` can read the target, its list of files is held
against the tree's, and what only one of the two has is said on stderr.
A `use` leads to the files of the longest part of its path that is a module, and of
those that what it takes is handed on from.
A line: {"source": path, "targets": [path, …]}.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator

_CUT = re.compile(r"//[^\n]*|/\*.*?\*/|b?r(#*)\".*?\"\1|b?\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\[^\n]{1,9})'", re.DOTALL)
_STATEMENT = re.compile(
    r"((?:#\[[^\]]*\]\s*)*)(?:\bpub\s*(?:\([^)]*\)\s*)?)?\b(?:mod\s+(?:r#)?(\w+)\s*([;{])|use\s+([^;]+);)|([{}])|(?<![\w:])(\$?[a-z_]\w*(?:::\w+)+)"
)
_PATH = re.compile(r"\bpath\s*=\s*\"([^\"]+)\"")
_DEEPEST = 8


def _keep_attributes(match: re.Match[str]) -> str:
    """Comments and strings become spaces, but the paths of attributes stay."""
    before = match.string[max(match.start() - 12, 0) : match.start()]
    return match[0] if re.search(r"\bpath\s*=\s*$", before) else " " * len(match[0])


def leaves(text: str, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path, the name it is bound to) of each leaf of a tree of names."""
    depth, start = 0, 0
    parts = []
    for index, char in enumerate(text + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and not depth:
            parts.append(text[start:index])
            start = index + 1
    for part in map(str.strip, parts):
        head, brace, body = part.partition("{")
        if brace:
            prefix = tuple(filter(None, (word.strip() for word in head.split("::"))))
            yield from leaves(body.rpartition("}")[0], (*above, *prefix))
        elif part:
            name, _, alias = part.partition(" as ")
            path = (*above, *(word.strip() for word in name.split("::") if word.strip()))
            if path[-1] == "self" and len(path) > 1:
                path = path[:-1]
            yield path, alias.strip() or path[-1]


class Target:
    """A crate: its modules by their paths, and what each file says of others."""

    def __init__(self, place: str, root: str) -> None:
        self.place = place
        self.files: dict[tuple[str, ...], list[str]] = defaultdict(list)  # module → its files
        self.uses: list[tuple[str, tuple[str, ...], tuple[str, ...], str]] = []  # (file, module, path, bound name)
        self.mods: list[tuple[str, tuple[str, ...]]] = []
        self.paths: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []  # (file, module, path) in code
        self.defined: dict[tuple[str, ...], str] = {}
        self._read(root, (), True)

    def _read(self, file: str, module: tuple[str, ...], owns: bool) -> None:
        """`owns`: the modules of this file lie beside it, as those of lib.rs and mod.rs do."""
        if file in self.files[module] or len(module) > _DEEPEST:
            return
        self.files[module].append(file)
        with open(os.path.join(self.place, file), encoding="utf-8", errors="replace") as opened:
            text = _CUT.sub(_keep_attributes, opened.read())
        text = re.sub(r"\bextern\s+crate\s", "use ", text)  # it binds a crate as `use` does
        folder = os.path.dirname(file)
        below = folder if owns else file.removesuffix(".rs")
        inline: list[str | None] = []
        for attributes, name, opens, used, brace, inside in _STATEMENT.findall(text):
            inner = tuple(filter(None, inline))
            here = (*module, *inner)
            if brace == "{":
                inline.append(None)
            elif inside:
                self.paths.append((file, here, tuple(inside.lstrip("$").split("::"))))
            elif brace == "}":
                if inline:
                    inline.pop()
            elif opens == "{":
                inline.append(name)
                if file not in self.files[*here, name]:
                    self.files[*here, name].append(file)
            elif opens == ";":
                named = _PATH.findall(attributes)
                base = os.path.join(below, *inner) if inner else folder
                places = [os.path.normpath(os.path.join(base, path)) for path in named]
                stem = os.path.join(below, *inner, name)
                for place in places if named else [f"{stem}.rs", f"{stem}/mod.rs"]:
                    if os.path.isfile(os.path.join(self.place, place)):
                        self.mods.append((file, (*here, name)))
                        self._read(place, (*here, name), bool(named) or place.endswith("/mod.rs"))
            else:
                for path, bound in leaves(used):
                    self.uses.append((file, here, path, bound))

    def every(self) -> set[str]:
        """All files."""
        return {file for files in self.files.values() for file in files}


class World:
    """The crates of a repository that others can name."""

    def __init__(self) -> None:
        self.libraries: dict[str, Target] = {}
        self._known: dict[tuple[int, tuple[str, ...], tuple[str, ...]], set[str]] = {}

    def files(self, target: Target, module: tuple[str, ...], path: tuple[str, ...], deep: int = 0) -> set[str]:
        """The files a path leads to: its module's, and those it is handed on from."""
        if deep > _DEEPEST or not path:
            return set()
        key = id(target), module, path
        if key not in self._known:
            self._known[key] = set()  # what comes back on itself adds nothing
            self._known[key] = self._find(target, module, path, deep)
        return self._known[key]

    def _find(self, target: Target, module: tuple[str, ...], path: tuple[str, ...], deep: int) -> set[str]:
        head, rest = path[0], list(path[1:])
        here: tuple[str, ...]
        if head in ("crate", "$crate"):
            here = ()
        elif head == "self":
            here = module
        elif head == "super":
            here = module[:-1]
            while rest and rest[0] == "super":
                rest.pop(0)
                here = here[:-1]
        elif (*module, head) in target.files:
            here, rest = module, list(path)
        elif head in self.libraries:
            target, here = self.libraries[head], ()
        elif any(m == module and bound == head and used[0] != head for _, m, used, bound in target.uses):
            here, rest = module, list(path)
        else:
            return set()
        while rest and (*here, rest[0]) in target.files:
            here = (*here, rest.pop(0))
        found = set(target.files.get(here, ()))
        if rest and rest[0] != "*":
            for _, m, used, bound in target.uses:
                if m == here and used != path and bound in (rest[0], "*"):
                    onward = used[:-1] if bound == "*" else used
                    found |= self.files(target, here, (*onward, *(rest if bound == "*" else rest[1:])), deep + 1)
        return found


def main() -> None:
    """Print the truth."""
    place = os.path.realpath(sys.argv[1])
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=place, capture_output=True, check=True).stdout.decode()
    tracked = set(listed.split("\0"))
    world, targets = World(), {}
    for manifest in sorted(path for path in tracked if os.path.basename(path) == "Cargo.toml"):
        run = subprocess.run(
            ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path", manifest],
            cwd=place, capture_output=True, text=True,
        )  # fmt: skip
        for package in json.loads(run.stdout)["packages"] if run.returncode == 0 else ():
            for row in package["targets"]:
                root = os.path.relpath(row["src_path"], place)
                if root in tracked and root not in targets:
                    targets[root] = (Target(place, root), row, package["edition"])
                    if "lib" in row["kind"] or "proc-macro" in row["kind"] or "rlib" in row["kind"]:
                        world.libraries[row["name"].replace("-", "_")] = targets[root][0]
    for root, (target, row, edition) in targets.items():
        _held_against(place, root, target, row, edition)
    seen = set()
    for target, _, _ in targets.values():
        rows = [(file, target.files[module]) for file, module in target.mods]
        rows += [(file, world.files(target, module, path)) for file, module, path, _ in target.uses]
        rows += [(file, world.files(target, module, path)) for file, module, path in target.paths]
        for source, found in rows:
            reached = sorted(set(found) & tracked - {source})
            if reached and source not in found and (source, *reached) not in seen:
                seen.add((source, *reached))
                print(json.dumps({"source": source, "targets": reached}))


def _held_against(place: str, root: str, target: Target, row: dict[str, object], edition: str) -> None:
    """Say which files rustc reads that the tree has not."""
    with tempfile.NamedTemporaryFile(suffix=".d") as out:
        subprocess.run(
            ["rustc", f"--edition={edition}", f"--emit=dep-info={out.name}", "--crate-type=lib", root],
            cwd=place, capture_output=True,
        )  # fmt: skip
        with open(out.name, encoding="utf-8") as file:
            text = file.read()
    read = {os.path.normpath(word) for word in text.split(":", 1)[-1].split("\n")[0].split() if word.endswith(".rs")}
    if read:
        missing = sorted(read - target.every())
        print(
            f"{root}: rustc reads {len(read)} files, the tree has {len(target.every())}; missing {missing}",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
