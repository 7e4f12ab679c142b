"""What hooks cost: whole `git commit`, and a rebase, with none, with hooks that only exit, with ours, and through
the pre-commit framework; alternating in one run. `tools/bench.py` calls it.
"""

from __future__ import annotations

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

EVENTS = ("post-commit", "post-checkout", "post-merge", "post-rewrite")
PICKS = 100
_CONFIG = """\
repos:
  - repo: local
    hooks:
      - {id: u, name: u, language: system, entry: git-oracl update -q, always_run: true, pass_filenames: false,
         stages: [post-commit]}
"""


def bench_hooks(repeat: int = 20) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="oracl-bench-") as work:
        routes = _routes(pathlib.Path(work))
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in routes}
        for number in range(repeat):
            for name, place in routes.items():
                (place / "a.py").write_text(f"A = {number + 1}\n")
                _git(place, "add", "-A")
                times[name].append(_timed(place, "commit", "-q", "-m", str(number)))
                _settle(place)
        bare, bare_cpu = _least(times["no hooks"])
        for name, took in times.items():
            low, cpu = _least(took)
            middle = statistics.median(wall for wall, _ in took)
            print(f"{'git commit, ' + name:34} {low * 1e3:8.1f} ms min {middle * 1e3:8.1f} ms p50 of {repeat}"
                  f"  +{(low - bare) * 1e3:.1f} ms; CPU {cpu * 1e3:.1f} ms +{(cpu - bare_cpu) * 1e3:.1f}")  # fmt: skip
        _rebases({name: place for name, place in routes.items() if "framework" not in name}, max(3, repeat // 4))


def _routes(work: pathlib.Path) -> dict[str, pathlib.Path]:
    found = {}
    for name in ("no hooks", "hooks that only exit", "our hooks", "framework, oracl-update"):
        if name.startswith("framework") and not shutil.which("pre-commit"):
            continue
        place = work / name.replace(" ", "-")
        place.mkdir()
        _git(place, "init", "-q", "-b", "main")
        (place / "a.py").write_text("A = 0\n")
        (place / ".pre-commit-config.yaml").write_text(_CONFIG)
        _git(place, "add", "-A")
        _git(place, "commit", "-q", "-m", "first")
        subprocess.run(["git-oracl", "init", "--no-hooks"], cwd=place, check=True, capture_output=True)
        if name == "our hooks":
            subprocess.run(["git-oracl", "hooks", "install"], cwd=place, check=True, capture_output=True)
        elif name.startswith("framework"):
            subprocess.run(["pre-commit", "install", "-t", "post-commit"], cwd=place, check=True, capture_output=True)
        elif name != "no hooks":
            for event in EVENTS:
                hook = place / ".git/hooks" / event
                hook.write_text("#!/bin/sh\nexit 0\n")
                hook.chmod(0o755)
        found[name] = place
    return found


def _rebases(routes: dict[str, pathlib.Path], repeat: int) -> None:
    skip = {"ORACL_SKIP": "1"}
    for place in routes.values():
        _git(place, "checkout", "-q", "-b", "topic", **skip)
        for number in range(PICKS):
            (place / f"p{number}.py").write_text("P = 1\n")
            _git(place, "add", "-A", **skip)
            _git(place, "commit", "-q", "-m", str(number), **skip)
        _git(place, "checkout", "-q", "main", **skip)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in routes}
    for number in range(repeat):
        for name, place in routes.items():
            _git(place, "checkout", "-q", "main", **skip)
            (place / "b.py").write_text(f"B = {number}\n")
            _git(place, "add", "-A", **skip)
            _git(place, "commit", "-q", "-m", "base", **skip)
            _git(place, "checkout", "-q", "topic", **skip)
            times[name].append(_timed(place, "rebase", "-q", "main"))
            _settle(place)
    bare, bare_cpu = _least(times["no hooks"])
    for name, took in times.items():
        low, cpu = _least(took)
        print(f"{f'rebase of {PICKS}, ' + name:34} {low:8.2f} s min of {repeat} {low / bare:17.2f} × bare"
              f"; CPU {cpu:.2f} s {cpu / bare_cpu:.2f} ×")  # fmt: skip


def _least(took: list[tuple[float, float]]) -> tuple[float, float]:
    """The least wall time and the least CPU time: what else the machine does only adds."""
    return min(wall for wall, _ in took), min(cpu for _, cpu in took)


def _git(place: pathlib.Path, *args: str, **env: str) -> None:
    subprocess.run(["git", *args], cwd=place, check=True, capture_output=True, env=_environment(env))


def _environment(more: dict[str, str]) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "ORACL_"))}
    who = {f"GIT_{role}_{what}": "b@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {**clean, "GIT_CONFIG_GLOBAL": os.devnull, **who, **more}


def _timed(place: pathlib.Path, *args: str) -> tuple[float, float]:
    """(seconds, CPU seconds of git and all it waited for)."""
    env = _environment({})
    start, before = time.perf_counter(), _cpu()
    subprocess.run(["git", *args], cwd=place, check=True, capture_output=True, env=env)
    return time.perf_counter() - start, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _settle(place: pathlib.Path) -> None:
    """Wait until the worker is gone: it is not what is measured, and would disturb what comes next."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if not any((place / ".git/oracl" / name).exists() for name in ("spool", "spool.taken", "worker")):
            return
        time.sleep(0.02)


if __name__ == "__main__":
    bench_hooks()
