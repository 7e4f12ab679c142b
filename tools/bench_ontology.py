"""Measure the ontology: 1,000 text files of 10 MB, then questions of 10,000 passages.

Knows how to make a corpus that is the same everywhere, and the bars the design sets.
Every figure is wall time; CPU stands beside it.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FILES, BYTES = 1_000, 10_000
WORDS = 4_000


def corpus(place: pathlib.Path) -> int:
    """Write the files; how many bytes of text."""
    dice = random.Random(11)
    syllables = "ka ro mi ten sul dor ve lin pa gra ho net ris to mal une".split()
    vocabulary = ["".join(dice.choices(syllables, k=dice.randint(2, 4))) for _ in range(WORDS)]
    weights = [1 / rank for rank in range(1, WORDS + 1)]
    total = 0
    for number in range(FILES):
        lines, size = [f"# Report {number} on {vocabulary[number % WORDS]}", ""], 0
        while size < BYTES:
            sentence = " ".join(dice.choices(vocabulary, weights, k=dice.randint(8, 16))).capitalize() + "."
            lines += [sentence] + ([""] if dice.random() < 0.2 else [])
            size += len(sentence) + 1
        text = "\n".join(lines) + "\n"
        total += len(text)
        (place / f"{number:04}.md").write_text(text, encoding="utf-8")
    return total


def bench_ontology() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="oracl-ontology-bench-") as work:
        root = pathlib.Path(work) / "project"
        (root / "docs").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        text = corpus(root / "docs")
        subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
        identity = ["-c", "user.name=b", "-c", "user.email=b@example.org"]
        subprocess.run(["git", "-C", str(root), *identity, "commit", "-qm", "Documents"], check=True)
        done = subprocess.run(
            [sys.executable, __file__, "--inside", str(root)], check=True, stdout=subprocess.PIPE, text=True
        )
        figures = json.loads(done.stdout.splitlines()[-1])
        print(f"ontology: {FILES:,} files, {text / 1e6:.1f} MB of text, {figures['passages']:,} passages")
        print(f"{'ingest':34} {figures['ingest_cpu']:8.2f} CPU s  {figures['ingest']:8.2f} s  {figures['mb']:6.0f} MB")
        print(f"{'ingest again, unchanged':34} {'':16} {figures['again']:8.2f} s")
        print(f"{'ingest of the last tenth':34} {figures['tenth']:8.2f} × its share of the time")
        print(f"{'store on disk':34} {figures['bytes'] / 1e6:8.1f} MB     {figures['bytes'] / text:5.2f} × text")
        print(f"{'query, in process':34} {figures['p50']:8.1f} ms p50, {figures['p95']:.1f} ms p95")
        shell = []
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        for number in range(15):
            start = time.perf_counter()
            ask = ["git", "-C", str(root), "oracl", "ontology", "query", "--no-code", figures["questions"][number]]
            subprocess.run(ask, capture_output=True, check=False)
            shell.append((time.perf_counter() - start) * 1000)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime) * 1000 / len(shell)
        told = f"{statistics.median(shell):8.1f} ms p50, {max(shell):.1f} ms most, {cpu:.0f} ms CPU"
        print(f"{'query, from the shell':34} {told}")


def inside(root: str) -> None:
    """Ingest and ask, in one process."""
    from oracl_git.companion import ontology_at
    from oracl_git.ontology.project import Root

    with ontology_at(root) as runtime:
        runtime.init()
        runtime.project.register(Root("docs"))
        marks: list[tuple[int, float]] = []
        start, before = time.perf_counter(), time.process_time()
        runtime.ingest(progress=lambda step, done, total: marks.append((done, time.perf_counter())))
        took, cpu = time.perf_counter() - start, time.process_time() - before
        tenth = (marks[-1][1] - marks[-FILES // 10][1]) / (marks[-1][1] - marks[0][1]) * 10
        start = time.perf_counter()
        runtime.ingest()
        again = time.perf_counter() - start
        rows = runtime.reader.execute("SELECT text FROM chunks ORDER BY id").fetchall()
        dice = random.Random(5)
        questions = [" ".join(dice.choices(dice.choice(rows)[0].split(), k=6)) for _ in range(200)]
        runtime.search(questions[0])
        times = []
        for question in questions:
            begun = time.perf_counter()
            runtime.search(question)
            times.append((time.perf_counter() - begun) * 1000)
        times.sort()
        figures = {
            "ingest": took, "ingest_cpu": cpu, "again": again, "tenth": tenth, "passages": len(rows),
            "bytes": os.path.getsize(runtime.path), "p50": times[100], "p95": times[190], "questions": questions[:15],
            "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }  # fmt: skip
        print(json.dumps(figures))


if __name__ == "__main__":
    if "--inside" in sys.argv:
        inside(sys.argv[2])
    else:
        bench_ontology()
