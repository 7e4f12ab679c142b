"""Where the compiler of Protocol Buffers says that the imports of a repository lead.

    python tools/eval/truth_proto.py REPOSITORY -I ROOT … > TRUTH.jsonl

Needs `grpcio-tools`. Each schema is compiled by itself with the roots its project is built with: first
those it lies in, the deepest first, then the others as given (absolute ones hold what others publish).
What the compiler does not find it is given empty, so that the rest of the file still counts.
A line: {"source": path, "targets": [path]}.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

from google.protobuf.descriptor_pb2 import FileDescriptorSet  # type: ignore[import-not-found]

_MISSING = re.compile(r"^([^:\s]+): File not found", re.MULTILINE)


def dependencies(path: str, roots: list[str], empty: str) -> list[str]:
    """The names that a schema imports, as the compiler reads them."""
    name = os.path.relpath(path, next(root for root in roots if path.startswith(root + os.sep)))
    out = os.path.join(empty, "out.pb")
    for _ in range(50):
        run = subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", *(f"-I{root}" for root in (*roots, empty)), f"-o{out}", name],
            capture_output=True, text=True,
        )  # fmt: skip
        missing = [each for each in _MISSING.findall(run.stderr) if not os.path.exists(os.path.join(empty, each))]
        if not run.returncode:
            with open(out, "rb") as file:
                found = FileDescriptorSet.FromString(file.read())
            return list(found.file[0].dependency)
        if not missing:
            break
        for each in missing:
            os.makedirs(os.path.dirname(os.path.join(empty, each)), exist_ok=True)
            with open(os.path.join(empty, each), "w", encoding="utf-8") as file:
                file.write('syntax = "proto3";\n')
    print(f"not compiled  {path}: {run.stderr.splitlines()[:1]}", file=sys.stderr)
    with open(path, encoding="utf-8") as file:  # its types are missing: its imports are found as the compiler looks
        return re.findall(r'^import\s+(?:public\s+|weak\s+)?"([^"]+)"', file.read(), re.MULTILINE)


def main() -> None:
    """Print the truth."""
    parser = argparse.ArgumentParser(description="What the compiler of Protocol Buffers reads.")
    parser.add_argument("repository")
    parser.add_argument("-I", dest="roots", action="append", default=[])
    asked = parser.parse_args()
    place = os.path.realpath(asked.repository)
    given = [os.path.normpath(os.path.join(place, root)) for root in asked.roots or [""]]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=place, capture_output=True, check=True).stdout
    tracked = set(filter(None, listed.decode().split("\0")))
    with tempfile.TemporaryDirectory() as empty:
        for source in sorted(path for path in tracked if path.endswith(".proto")):
            path = os.path.join(place, source)
            holding = sorted((root for root in given if path.startswith(root + os.sep)), key=len, reverse=True)
            if not holding:
                print(f"in no root    {source}", file=sys.stderr)
                continue
            roots = list(dict.fromkeys((*holding, *given)))
            for name in dependencies(path, roots, empty):
                full = next((p for root in roots if os.path.exists(p := os.path.join(root, name))), "")
                target = os.path.relpath(full, place) if full else ""
                if target in tracked:
                    print(json.dumps({"source": source, "targets": [target]}))


if __name__ == "__main__":
    main()
