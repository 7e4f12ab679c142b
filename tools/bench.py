"""Measure the index on any repository, against the floor measured in the same run.

    python tools/bench.py [REPOSITORY] [--quick]

The floor is what no indexer can do without: read every blob, parse all Python,
insert all text into FTS5, read `git log --name-only`. Beside it stands what it takes
to read, and to parse every language that has a grammar, and no more than that; and
to walk the trees with a query. Every figure is CPU time of the whole process and
its children (user + system), wall time and peak memory, each step in a process of
its own. Works on a clone that borrows objects, so nothing in the repository is touched.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from bench_hooks import bench_hooks
from bench_ontology import bench_ontology

QUESTIONS = (
    "where is the retry budget decided",
    "how is the configuration file parsed",
    "test that checks the error message",
    "release notes template",
    "cache invalidation on update",
)
ASKED = 100  # questions in one process, each of another file


def main() -> int:
    """Run every step and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="?", default=".")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    options = parser.parse_args()
    repeat = 5 if options.quick else 20
    source = pathlib.Path(options.repository).resolve()
    with tempfile.TemporaryDirectory(prefix="oracl-bench-") as work:
        clone = pathlib.Path(work) / "clone"
        run(["git", "clone", "-q", "--shared", str(source), str(clone)])
        report(clone, repeat)
    bench_hooks(repeat)
    bench_ontology()
    return 0


def report(clone: pathlib.Path, repeat: int) -> None:
    """The table of one clone."""
    floor = measure([sys.executable, __file__, "--floor", str(clone)])
    parts = json.loads(floor["out"])
    text = parts.pop("text_bytes")
    parsing = measure([sys.executable, __file__, "--parsing", str(clone)])
    print(f"{parts.pop('files'):,} files, {text / 1e6:.1f} MB of text")
    print(f"{'floor':34} {floor['cpu']:8.2f} CPU s  {floor['wall']:8.2f} s  {floor['mb']:6.0f} MB")
    for name, cpu in parts.items():
        print(f"  {name:32} {cpu:8.2f} CPU s")
    steps = json.loads(parsing["out"])
    parsed = steps["read"] + steps["parse"]
    print(f"{'read and parse, every grammar':34} {parsed:8.2f} CPU s")
    print(f"{'  a query over those trees':34} {steps['query']:8.2f} CPU s")

    def row(name: str, got: dict[str, Any], note: str = "") -> None:
        print(
            f"{name:34} {got['cpu']:8.2f} CPU s  {got['wall']:8.2f} s  {got['mb']:6.0f} MB  "
            f"{got['cpu'] / floor['cpu']:5.2f} × floor{note}"
        )

    first = measure(["git-oracl", "update"], clone)
    row("first index", first, f", {first['cpu'] / parsed:.2f} × read and parse")
    row("vectors, which a worker fills in", measure(["git-oracl", "update", "--vectors"], clone))
    row("update --full (facts cached)", measure(["git-oracl", "update", "--full"], clone))
    oracl = clone / ".git/oracl"
    held = sum(path.stat().st_size for path in oracl.glob("*.sqlite*"))
    print(f"{'index + facts + history on disk':34} {held / 1e6:8.1f} MB     {held / text:5.2f} × text")
    one_file_commits(clone, row)
    paths = run(["git", "ls-files"], clone).splitlines()
    some = paths[:: max(1, len(paths) // repeat)][:repeat]  # of all parts of the tree: files differ
    for name, commands in (
        ("search, cold shell", [["git-oracl", "search", QUESTIONS[0]]] * repeat),
        ("related, cold shell", [["git-oracl", "related", path] for path in some]),
        ("trace, cold shell", [["git-oracl", "trace", path, "--in"] for path in some]),
    ):
        runs = [measure(command, clone) for command in commands]
        walls = [run["wall"] for run in runs]
        cpu = statistics.median(run["cpu"] for run in runs)
        print(
            f"{name:34} {cpu:8.3f} CPU s  {statistics.median(walls):8.3f} s p50, {max(walls):.3f} s at most, of "
            f"{len(runs)}  {max(run['mb'] for run in runs):6.0f} MB"
        )
    inside = json.loads(measure([sys.executable, __file__, "--inside", str(clone)])["out"])
    for name, milliseconds in inside.items():
        print(f"{name:34} {milliseconds:8.1f} ms p50")


def one_file_commits(clone: pathlib.Path, row: Any) -> None:
    """Commit a change of one file, three times, and update."""
    names = run(["git", "ls-files", "--", "*.py"], clone).splitlines() or run(["git", "ls-files"], clone).splitlines()
    best: dict[str, Any] | None = None
    for round_ in range(3):
        name = names[len(names) // 2]
        with open(clone / name, "a", encoding="utf-8") as file:
            file.write(f"\n# touched {round_}\n")
        who = ("-c", "user.name=b", "-c", "user.email=b@example.org")
        run(["git", *who, "commit", "-qm", f"Touch {round_}", "--", name], clone)  # others may not be fit to be added
        got = measure(["git-oracl", "update"], clone)
        best = got if best is None or got["cpu"] < best["cpu"] else best
    assert best is not None
    row("update after a one-file commit", best)
    run(["git", "checkout", "-q", "HEAD~2"], clone)
    row("update after going back 2 commits", measure(["git-oracl", "update"], clone))
    run(["git", "checkout", "-q", "-"], clone)
    run(["git-oracl", "update"], clone)


def run(command: list[str], cwd: pathlib.Path | None = None) -> str:
    """Run and return what was printed."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def measure(command: list[str], cwd: pathlib.Path | None = None) -> dict[str, Any]:
    """CPU seconds, wall seconds and peak memory of a command and its children."""
    timer = [sys.executable, "-c", _TIMER, *command]
    out = subprocess.run(timer, cwd=cwd, capture_output=True, text=True, check=False)
    figures: dict[str, Any] = json.loads(out.stderr.splitlines()[-1])
    figures["out"] = out.stdout
    return figures


_TIMER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:])
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(file=sys.stderr)
figures = {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "mb": used.ru_maxrss / 1024, "code": done.returncode}
print(json.dumps(figures), file=sys.stderr)
"""


def cpu() -> float:
    """CPU seconds of this process and the children it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def floor(clone: str) -> None:
    """Read all blobs, parse all Python, insert all text into FTS5, list history."""
    import tree_sitter
    import tree_sitter_python

    took: dict[str, Any] = {}
    start = cpu()
    paths, blobs = read(clone)
    took["read"], start = cpu() - start, cpu()
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
    for oid, data in blobs.items():
        if paths[oid].endswith(b".py"):
            parser.parse(data)
    took["parse"], start = cpu() - start, cpu()
    with tempfile.TemporaryDirectory() as place:
        db = sqlite3.connect(os.path.join(place, "floor.sqlite"))
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize='porter unicode61')")
        db.executemany("INSERT INTO t(x) VALUES(?)", ((data.decode("utf-8", "replace"),) for data in blobs.values()))
        db.commit()
        db.close()
    took["full text"], start = cpu() - start, cpu()
    subprocess.run(["git", "-C", clone, "log", "--name-only", "--format=%H"], capture_output=True, check=True)
    took["log"] = cpu() - start
    print(json.dumps({"files": len(paths), "text_bytes": sum(map(len, blobs.values())), **took}))


def parsing(clone: str) -> None:
    """Read all blobs, parse those in a language with a grammar, and walk each tree with the language's query."""
    from tree_sitter import Parser

    from oracl_git.extract import trees
    from oracl_git.extract.languages import GRAMMARS, language_of

    took = {"read": 0.0, "parse": 0.0, "query": 0.0}
    start = cpu()
    paths, blobs = read(clone)
    took["read"] = cpu() - start
    for oid, data in blobs.items():
        language = language_of(paths[oid])
        if language in GRAMMARS:
            grammar = trees.grammar(language)
            start = cpu()
            tree = Parser(grammar.language).parse(data)
            took["parse"], start = took["parse"] + cpu() - start, cpu()
            trees.matches(language, tree.root_node)
            took["query"] += cpu() - start
    print(json.dumps(took))


def read(clone: str) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """A path of each blob, and the bytes of those that are texts."""
    from oracl_git.extract.exclude import is_binary
    from oracl_git.git import discover, open_objects

    repo = discover(clone)
    with open_objects(repo) as objects:
        entries = list(objects.entries(objects.tree_of(repo.head or "")))
        sizes = dict(objects.sizes({entry.oid for entry in entries if entry.mode & 0o170000 == 0o100000}))
        paths = {entry.oid: entry.path for entry in entries if sizes.get(entry.oid) is not None}
        return paths, {oid: data for oid, data in objects.blobs(paths) if data is not None and not is_binary(data)}


def inside(clone: str) -> None:
    """Latency in one process, the index opened once."""
    import oracl_git

    found = {}
    with oracl_git.open(clone) as oracl:
        oracl.fresh()
        paths = [path for _, path in oracl.index.paths()]
        step = max(1, len(paths) // ASKED)
        for name, ask in (
            ("search, in process", lambda n: oracl.search(QUESTIONS[n % 5] + f" {n}")),
            ("related, in process", lambda n: oracl.related([":/" + paths[n * step % len(paths)]])),
            ("trace, in process", lambda n: oracl.trace(":/" + paths[n * step % len(paths)], direction="in")),
        ):
            times = []
            for number in range(ASKED):
                start = time.perf_counter()
                ask(number)
                times.append((time.perf_counter() - start) * 1000)
            found[name] = statistics.median(times)
    print(json.dumps(found))


if __name__ == "__main__":
    if "--floor" in sys.argv:
        floor(sys.argv[2])
    elif "--parsing" in sys.argv:
        parsing(sys.argv[2])
    elif "--inside" in sys.argv:
        inside(sys.argv[2])
    else:
        assert shutil.which("git-oracl"), "git-oracl is not on PATH: make bench sets it"
        sys.exit(main())
