"""Build a question set that no commit message had a part in. Deterministic: pinned commits, choice by hash.

    python tools/eval/questions.py --mirrors DIR [--each 16] > questions.jsonl

One JSON object a line: repo, base, kind, half ("tuned" or "untouched"), query, gold (paths), ignore (paths
that the question was made from, taken out of every ranking). Kinds:

  docstring   what a function's documentation says, in other words, without the names it has → its file
  error       a message raised in code, with its blanks filled in → the files that raise it
  trace       a stack trace or compiler's message through real functions → their files, the innermost first
  issue       the name of a test as somebody would complain of it → the file under test
  heading     a heading of the documentation → the code its section names
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PINNED = {
    "sphinx": ("sphinx-doc/sphinx", "fb628ccc3dfe72f36baa76a220c4f414e657ff38"),
    "scrapy": ("scrapy/scrapy", "0e1526ed30f375a169c68d36923bc9e60ce3258f"),
    "poetry": ("python-poetry/poetry", "b9646bdd09ae7569bab36db5aade5c88e66c3de0"),
    "httpx": ("encode/httpx", "3f9da8e0f57678276ca8758a143d682006f2edba"),
    "fastify": ("fastify/fastify", "5f7231d25f44b285b7fdd6d5fa74deb58c93b25a"),
    "gin": ("gin-gonic/gin", "1c48977cca9e7a0a41c763376b6921a23cd06fe2"),
}
CODE = re.compile(r"\.(py|js|ts|go)$")
TEST = re.compile(r"(^|/)(tests?|testing|__tests__|examples?|benchmarks?)/|(^|/)test_|_test\.|\.test\.|(^|/)conftest")
DOCS = re.compile(r"\.(md|rst)$")
WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])")

# Other words for the words that documentation likes best.
OTHERWISE = {
    "return": "give back", "returns": "gives back", "create": "make", "creates": "makes", "get": "fetch",
    "gets": "fetches", "set": "assign", "sets": "assigns", "add": "append", "adds": "appends", "remove": "drop",
    "removes": "drops", "delete": "erase", "deletes": "erases", "check": "test", "checks": "tests", "convert": "turn",
    "converts": "turns", "load": "read in", "loads": "reads in", "parse": "interpret", "parses": "interprets",
    "build": "construct", "builds": "constructs", "find": "locate", "finds": "locates", "call": "invoke",
    "called": "invoked", "calls": "invokes", "if": "when", "given": "passed", "use": "employ", "used": "employed",
    "whether": "if", "list": "sequence", "dict": "mapping", "dictionary": "mapping", "string": "text",
    "file": "document", "files": "documents", "directory": "folder", "function": "routine", "method": "routine",
    "error": "failure",
    "object": "thing", "name": "label", "value": "content", "values": "contents", "default": "preset",
    "all": "every",
    "specified": "chosen", "current": "present", "new": "fresh", "start": "begin", "stop": "halt", "wait": "pause",
}  # fmt: skip


class Question(NamedTuple):
    """One question; `gold` in order of importance."""

    kind: str
    query: str
    gold: tuple[str, ...]
    ignore: tuple[str, ...] = ()


class Tree:
    """The text files of one commit."""

    def __init__(self, mirror: Path, commit: str) -> None:
        names = _git(mirror, b"", "ls-tree", "-r", "-z", commit)
        entries = [row.split(b"\t", 1) for row in names.split(b"\0") if row.startswith(b"100")]
        paths = {path.decode(): head.split()[2].decode() for head, path in entries}
        self.files: dict[str, str] = {}
        wanted = {p: oid for p, oid in paths.items() if CODE.search(p) or DOCS.search(p)}
        ask = "".join(f"{oid}\n" for oid in wanted.values()).encode()
        out = _git(mirror, ask, "cat-file", "--batch")
        at = 0
        for path in wanted:
            head, _, _ = out[at : at + 200].partition(b"\n")
            size = int(head.split()[2])
            at += len(head) + 1
            data, at = out[at : at + size], at + size + 1
            if size < 300_000:
                self.files[path] = data.decode("utf-8", "replace")
        self.code = {p: t for p, t in self.files.items() if CODE.search(p) and not TEST.search(p)}
        self.defines: dict[str, list[tuple[str, int]]] = defaultdict(list)  # name → (path, line)
        pattern = re.compile(
            r"^\s*(?:async )?(?:def|class|function|func(?: \([^)]*\))?|const) (\w+)"
            r"|^\s*(\w+)\.prototype\.(\w+) = function"
        )
        for path, text in self.code.items():
            for line, row in enumerate(text.split("\n"), 1):
                if match := pattern.match(row):
                    self.defines[match[3] or match[1] or match[2]].append((path, line))


def _git(mirror: Path, given: bytes, *args: str) -> bytes:
    return subprocess.run(["git", *args], cwd=mirror, input=given, capture_output=True, check=True).stdout


def words(text: str) -> list[str]:
    """The words of a text, identifiers split, lower-cased."""
    return [word.lower() for word in WORD.findall(text.replace("_", " "))]


def docstrings(tree: Tree) -> Iterator[Question]:
    """Documentation in other words: known words replaced, the names of the function and its file left out."""
    for path, name, text in _documented(tree):
        sentence = re.split(r"\.(?:\s|$)|\n\s*\n|:\s*\n", " ".join(text.split()) + ". ", maxsplit=1)[0]
        plain = re.sub(r"``?[^`]*``?|:\w+:`[^`]*`|\w*[_./()<>]\w*|[*|\\]", " ", sentence)
        known = set(words(name)) | set(words(path))
        asked = [OTHERWISE.get(word.lower(), word.lower()) for word in re.findall(r"[A-Za-z']+", plain)]
        asked = [word for word in asked if word not in known and word.rstrip("s") not in known]
        if 6 <= len(asked) <= 30:
            yield Question("docstring", "which code " + " ".join(asked), (path,))


def _documented(tree: Tree) -> Iterator[tuple[str, str, str]]:
    for path, text in tree.code.items():
        if path.endswith(".py"):
            try:
                module = ast.parse(text)
            except SyntaxError:
                continue
            for node in ast.walk(module):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    yield path, node.name, ast.get_docstring(node) or ""
        else:
            comment = r"((?:^[ \t]*(?://|\*) ?.+\n)+)(?:^[ \t]*\*/\n)?"
            comment += r"^(?:func(?: \([^)]*\))?|(?:async )?function) (\w+)"
            for match in re.finditer(comment, text, re.MULTILINE):
                yield path, match[2], re.sub(r"^[ \t]*(?://|\*) ?", "", match[1], flags=re.MULTILINE)


def errors(tree: Tree) -> Iterator[Question]:
    """Messages as a user sees them: blanks filled in."""
    raised = re.compile(
        r"""raise (\w+)\(\s*f?(["'])((?:(?!\2).)+)\2\s*\)|(?:errors\.New|panic)\(()(")([^"]+)"\)"""
        r"""|new (\w*Error)\((['"`])([^'"`]+)['"`]\)"""
    )
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in tree.code.items():
        for match in raised.finditer(text):
            kind = match[1] or match[7] or "error"
            message = match[3] or match[6] or match[9]
            shown = re.sub(r"\{[^}]*\}|%[srdvqi]|\$\{[^}]*\}", lambda m: f"'{_value(m[0])}'", message)
            if len(words(shown)) >= 4:
                found[f"{kind}: {shown}"].add(path)
    for query, paths in found.items():
        yield Question("error", query, tuple(sorted(paths)))


def _value(blank: str) -> str:
    return ["main", "42", "/tmp/x", "localhost", "data.json"][len(blank) % 5]


def traces(tree: Tree) -> Iterator[Question]:
    """Chains of real calls, each to the only function of its name, as each language prints them."""
    call = re.compile(r"(?<![\w.])(?:\w+\.)*(\w+)\(")
    inner: dict[str, list[tuple[str, int, str, str]]] = defaultdict(list)  # path → (file, line, row, callee)
    for path, text in tree.code.items():
        for line, row in enumerate(text.split("\n"), 1):
            for name in call.findall(row):
                if len(tree.defines.get(name, ())) == 1 and len(name) > 4 and tree.defines[name][0] != (path, line):
                    inner[path].append((path, line, row.strip(), name))
    for start, calls in sorted(inner.items()):
        for path, line, row, name in calls[:: max(1, len(calls) // 3)]:
            chain = [(path, line, row, name)]
            seen = {path}
            while len(chain) < 4:
                target, at = tree.defines[chain[-1][3]][0]
                following = [c for c in inner.get(target, ()) if at < c[1] < at + 30]
                if target in seen:
                    break
                seen.add(target)
                if not following:
                    chain.append((target, at + 1, _row(tree, target, at + 1), ""))
                    break
                chain.append(following[0])
            if len(chain) > 1 and path == start:
                yield Question("trace", _printed(tree, chain), tuple(dict.fromkeys(c[0] for c in reversed(chain))))


def _row(tree: Tree, path: str, line: int) -> str:
    rows = tree.files[path].split("\n")
    return rows[min(line, len(rows)) - 1].strip()


def _printed(tree: Tree, chain: list[tuple[str, int, str, str]]) -> str:
    """A chain of calls, outermost first, as the interpreter or compiler of its language says it."""
    path, line, _, _ = chain[-1]
    names = ["main", *(call[3] for call in chain)]
    if path.endswith(".py"):
        site = "/usr/lib/python3.12/site-packages/pluggy/_callers.py"
        rows = ["Traceback (most recent call last):"]
        rows += [f'  File "{site}", line 103, in _multicall', "    res = hook(*args)"]
        for (file, at, text, _), name in zip(chain, names, strict=False):
            rows += [f'  File "/home/ci/build/{file}", line {at}, in {name}', f"    {text}"]
        return "\n".join([*rows, "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"])
    if path.endswith(".go") and line % 2:
        return f"# command-line-arguments\n./{path}:{line}:7: undefined: limit\nFAIL\tbuild failed"
    if path.endswith(".go"):
        rows = ["panic: runtime error: invalid memory address or nil pointer dereference", "", "goroutine 1 [running]:"]
        for (file, at, _, _), name in reversed(list(zip(chain, names, strict=False))):
            rows += [f"main.{name}(0xc0000b2000)", f"\t/go/src/app/{file}:{at} +0x1d"]
        return "\n".join(rows)
    rows = ["TypeError: Cannot read properties of undefined (reading 'length')"]
    for (file, at, _, _), name in reversed(list(zip(chain, names, strict=False))):
        rows.append(f"    at {name} (/srv/app/{file}:{at}:11)")
    return "\n".join([*rows, "    at node:internal/main/run_main_module:28:49"])


def issues(tree: Tree) -> Iterator[Question]:
    """Names of tests as complaints, of tests whose file is named after the one file they test."""
    by_stem = defaultdict(list)
    for path in tree.code:
        by_stem[Path(path).stem.strip("_").lower()].append(path)
    named = re.compile(r"^(?:async )?(?:def|func) [Tt]est_?(\w+)|^\s*(?:await )?test\(['\"](.+?)['\"],", re.MULTILINE)
    for path, text in tree.files.items():
        if not (CODE.search(path) and TEST.search(path)):
            continue
        stem = re.sub(r"^test_|_test$|\.test$", "", Path(path).stem).strip("_").lower()
        if len(by_stem.get(stem, ())) != 1:
            continue
        for match in named.finditer(text):
            said = words(match[1] or match[2])
            if 4 <= len(said) <= 14:
                yield Question("issue", f"{' '.join(said)} does not work as expected", (by_stem[stem][0],), (path,))


def headings(tree: Tree) -> Iterator[Question]:
    """Headings of documentation whose section names a definition or a file of the code."""
    rst = re.compile(r"^(?P<head>\S.{4,80})\n(?P<rule>[=\-~^\"'+#*])(?P=rule){3,}\s*$", re.MULTILINE)
    markdown = re.compile(r"^#{1,4} (?P<head>.{5,80}?)(?: ?\{.*\})?$", re.MULTILINE)
    for path, text in tree.files.items():
        if not DOCS.search(path) or re.search(r"change|history|news|release|migrat|contribut", path, re.IGNORECASE):
            continue
        heads = list((rst if path.endswith(".rst") else markdown).finditer(text))
        for place, match in enumerate(heads):
            section = text[match.end() : heads[place + 1].start() if place + 1 < len(heads) else len(text)]
            gold: dict[str, None] = {}
            for name in re.findall(r"`~?(?:[\w]+\.)*([A-Za-z_]\w{3,})(?:\(\))?`", section):
                if len(tree.defines.get(name, ())) == 1:
                    gold[tree.defines[name][0][0]] = None
            head = re.sub(r"[`*:]|<[^>]*>", " ", match["head"])
            if 1 <= len(gold) <= 3 and len(words(head)) >= 2:
                yield Question("heading", " ".join(head.split()), tuple(gold), (path,))


def main() -> None:
    """Every repository, every kind, the first so many by hash."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--each", type=int, default=16, help="questions of a kind from a repository")
    options = parser.parse_args()
    for repo, (slug, commit) in PINNED.items():
        tree = Tree(options.mirrors / slug.replace("/", "+") / "repo", commit)
        for make in (docstrings, errors, traces, issues, headings):
            unique = {question.query: question for question in make(tree)}
            keyed = sorted((hashlib.sha256(f"{repo}\0{query}".encode()).hexdigest(), query) for query in unique)
            for key, query in keyed[: options.each]:
                half = ("tuned", "untouched")[int(key[-1], 16) % 2]
                row = {"repo": repo, "base": commit, "half": half, **unique[query]._asdict()}
                print(json.dumps(row))


if __name__ == "__main__":
    main()
