"""How cost grows: with files, with edges, with history, with the change.

    python tools/slopes.py [--small]

Repositories are generated, so that one thing grows and the others stand still.
Each figure is CPU time (user + system, children too) of a whole process; the
slope is the least-squares line through the points.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable

from bench import measure

LINES = 30  # of a module, about 1 kB


def main() -> int:
    """Measure each growth and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a quarter of the sizes")
    scale = 4 if parser.parse_args().small else 1
    with tempfile.TemporaryDirectory(prefix="oracl-slopes-") as work:
        place = pathlib.Path(work)
        grow("first index", "file", [1_000 // scale, 4_000 // scale, 16_000 // scale],
             lambda n: first_index(repository(place, files=n)))  # fmt: skip
        grow("first index", "import", [(k * 2_000 // scale) for k in (2, 8, 24)],
             lambda n: first_index(repository(place, files=2_000 // scale, imports=n // (2_000 // scale))))  # fmt: skip
        grow("first index", "commit", [1_000 // scale, 4_000 // scale, 16_000 // scale],
             lambda n: first_index(repository(place, files=500, commits=n)))  # fmt: skip
        for files in (1_000 // scale, 16_000 // scale):
            repo = repository(place, files=files)
            first_index(repo)
            grow(f"update of {files:,} files", "changed file", [1, 20, 200], lambda n, repo=repo: update(repo, n))
    return 0


def grow(what: str, unit: str, sizes: list[int], cost: Callable[[int], float]) -> None:
    """One table: what each size costs, and the slope."""
    points = [(size, cost(size)) for size in sizes]
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points, strict=True))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    row = "  ".join(f"{size:,}: {cpu:.2f}" for size, cpu in points)
    print(f"{what:24} {row} CPU s   {slope * 1e3:.3f} ms a {unit}", flush=True)


def repository(place: pathlib.Path, files: int, imports: int = 2, commits: int = 1) -> pathlib.Path:
    """A repository of `files` modules, each with `imports` of others, and `commits` in a line."""
    path = place / f"{files}-{imports}-{commits}"
    if path.exists():
        shutil.rmtree(path)
    subprocess.run(["git", "init", "-q", "-b", "main", str(path)], check=True)
    stream = [_commit(0, [(_name(n), _module(n, files, imports)) for n in range(files)])]
    stream += [
        _commit(n, [(_name(n * 7 % files), _module(n * 7 % files, files, imports, n))]) for n in range(1, commits)
    ]
    fed = "".join(stream).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=path, input=fed, check=True)
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=path, check=True)
    return path


def _name(number: int) -> str:
    return f"pkg{number // 100:03}/module_{number}.py"


def _module(number: int, files: int, imports: int, edition: int = 0) -> str:
    others = [(number * 31 + k * 17 + 1) % files for k in range(imports)]
    head = [f"from pkg{other // 100:03}.module_{other} import work_{other}_0" for other in others]
    body = [
        f"def work_{number}_{k}(value):\n    return value * {k + edition}  # step {number} {k}\n"
        for k in range(LINES // 3)
    ]
    return "\n".join([*head, "", *body])


def _commit(number: int, files: list[tuple[str, str]]) -> str:
    text = f"Change number {number} of the generated history"
    when = 1_600_000_000 + number * 600
    rows = [f"commit refs/heads/main\ncommitter A <a@example.org> {when} +0000\ndata {len(text)}\n{text}\n"]
    rows += [f"M 100644 inline {name}\ndata {len(body.encode())}\n{body}\n" for name, body in files]
    return "".join(rows)


def first_index(repo: pathlib.Path) -> float:
    """CPU seconds of an index from nothing."""
    shutil.rmtree(repo / ".git/oracl", ignore_errors=True)
    return float(measure(["git-oracl", "update"], repo)["cpu"])


def update(repo: pathlib.Path, changed: int) -> float:
    """CPU seconds of an update after a commit of so many files."""
    listed = sorted(path for path in repo.glob("pkg*/*.py"))
    for path in listed[:: max(1, len(listed) // changed)][:changed]:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"\n\ndef added_{changed}():\n    return {changed}\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, "commit", "-qam", f"Touch {changed} files"], cwd=repo, check=True)
    return float(measure(["git-oracl", "update"], repo)["cpu"])


if __name__ == "__main__":
    assert shutil.which("git-oracl"), "git-oracl is not on PATH: make slopes sets it"
    sys.exit(main())
