"""Ask the ontology's search and a plain BM25 the same questions: code, prose, Korean, and questions without an answer.

    python tools/eval/ontology.py make MIRRORS    # writes the three sets beside this file
    python tools/eval/ontology.py run MIRRORS     # prints the table

The sets come from public repositories, by a rule that knows no ranker: a question is
what an author wrote above a text, the answer is the text without it. Code: the first
sentence of a docstring → the function's body. Prose: a heading → its section. Korean:
a heading of a Korean page → its section. A fixed number is drawn by hash, not by look.
Questions whose answer is not in the corpus are those of the other sets.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator

from oracl_git.ontology import search, store, text_index
from oracl_git.ontology.chunking import estimate
from oracl_git.ontology.embedding import Adapter, adapter, sketch

HERE = pathlib.Path(__file__).parent
QUESTIONS, PASSAGES = 150, 3000
SETS = {
    "code": ("scrapy/scrapy", "celery/celery", "python-poetry/poetry", "pytest-dev/pytest"),
    "prose": ("pypa/pip", "wagtail/wagtail", "simonw/datasette", "fastify/fastify"),
    "korean": ("fastapi/fastapi",),
}


def repository(mirrors: pathlib.Path, name: str) -> pathlib.Path:
    """Where a mirror lies."""
    return mirrors / name.replace("/", "+") / "repo"


def git(place: pathlib.Path, *args: str) -> str:
    """What git prints."""
    return subprocess.run(["git", "-C", str(place), *args], check=True, capture_output=True).stdout.decode(
        "utf-8", "replace"
    )


def functions(source: str) -> Iterator[tuple[str, str]]:
    """(first sentence of the docstring, the function without it)."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and (doc := ast.get_docstring(node))
            and len(node.body) > 1
        ):
            first = re.split(r"(?<=[.!?])\s|\n\n", " ".join(doc.split("\n\n")[0].split()))[0]
            node.body = node.body[1:]
            yield first, ast.unparse(node)


def sections(text: str) -> Iterator[tuple[str, str]]:
    """(heading, text under it) of Markdown or reStructuredText."""
    parts = re.split(r"^(?:#{1,4} +(.+?)(?: *\{.*\})? *#*|(.+)\n(?:=|-|~|\^){4,} *)$", text, flags=re.MULTILINE)
    for index in range(1, len(parts) - 2, 3):
        heading = (parts[index] or parts[index + 1] or "").strip("`* ")
        yield heading, parts[index + 2].strip()


def pairs(kind: str, mirrors: pathlib.Path) -> Iterator[tuple[str, str, str]]:
    """(where, question, answer) of a set, all there are."""
    for name in SETS[kind]:
        place = repository(mirrors, name)
        suffixes = (".py",) if kind == "code" else (".md", ".rst")
        for path in git(place, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
            if not path.endswith(suffixes) or (kind == "korean") != path.startswith("docs/ko/"):
                continue
            if kind == "code" and "test" in path:
                continue
            source = git(place, "show", f"HEAD:{path}")
            for number, (question, answer) in enumerate(functions(source) if kind == "code" else sections(source)):
                if len(question) >= (8 if kind == "korean" else 20) and 120 <= len(answer) <= 4000:
                    yield f"{name}:{path}#{number}", question, answer


def make(mirrors: pathlib.Path) -> None:
    """Write the questions of each set, with the commit they are of."""
    for kind in SETS:
        rows = sorted(pairs(kind, mirrors), key=lambda row: hashlib.sha256(row[0].encode()).digest())
        seen: set[str] = set()
        chosen = [row for row in rows if not (row[1] in seen or seen.add(row[1]))][:QUESTIONS]
        commits = {name: git(repository(mirrors, name), "rev-parse", "HEAD").strip() for name in SETS[kind]}
        with open(HERE / f"ontology-{kind}.jsonl", "w", encoding="utf-8") as file:
            file.write(json.dumps({"commits": commits}) + "\n")
            for where, question, _ in chosen:
                file.write(json.dumps({"query": question, "gold": where}, ensure_ascii=False) + "\n")
        print(f"{kind}: {len(chosen)} of {len(rows)}")


def corpus(kind: str, mirrors: pathlib.Path, gold: set[str]) -> dict[str, str]:
    """where → text: the answers, and others up to a number."""
    rows = sorted(pairs(kind, mirrors), key=lambda row: (row[0] not in gold, hashlib.sha256(row[0].encode()).digest()))
    return {where: answer for where, _, answer in rows[:PASSAGES]}


def filled(path: str, texts: dict[str, str], encoder: Adapter) -> store.Connection:
    """A store that holds each text as one passage, without its heading."""
    db = store.connect(path, write=True)
    with store.transaction(db):
        for number, (where, text) in enumerate(texts.items(), 1):
            uri = f"{number:06}"
            vector = encoder.encode(text)
            db.execute(
                "INSERT INTO sources VALUES(?,?,?,'.','file','eval','txt','','internal',?,'',?,1,"
                "'parsed','','[]','{}','')",
                (number, where, uri, where, len(text)),
            )
            db.execute(
                "INSERT INTO chunks VALUES(?,?,?,0,'','paragraph','',?,?,?,?,?,?)",
                (number, where, number, text, estimate(text), where, vector.data, vector.norm, sketch(vector)),
            )
            text_index.add(db, number, uri, "", "", text)
    return db


class Plain:
    """BM25 over whole words, as the floor."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.names = list(texts)
        counts = [Counter(re.findall(r"\w+", text.lower())) for text in texts.values()]
        self.lengths = [sum(count.values()) for count in counts]
        self.usual = sum(self.lengths) / len(counts)
        self.postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, count in enumerate(counts):
            for word, times in count.items():
                self.postings[word].append((place, times))

    def rank(self, question: str) -> list[str]:
        """The ten best."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(re.findall(r"\w+", question.lower())):
            rows = self.postings.get(word, [])
            idf = math.log(1 + (len(self.names) - len(rows) + 0.5) / (len(rows) + 0.5))
            for place, times in rows:
                scores[place] += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * self.lengths[place] / self.usual))
        return [self.names[place] for place in sorted(scores, key=lambda p: -scores[p])[:10]]


def questions(kind: str) -> list[dict[str, str]]:
    """The questions of a set, as they were drawn."""
    lines = (HERE / f"ontology-{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def run(mirrors: pathlib.Path, embedding: str) -> None:
    """The table: MRR@10 and recall@10 of both, and how many questions of other sets get an answer."""
    encoder = adapter(embedding)
    asked = {kind: questions(kind) for kind in SETS}
    strangers = {"code": "prose", "prose": "korean", "korean": "code"}
    print(f"{encoder.name}: MRR@10 / recall@10")
    for kind, rows in asked.items():
        texts = corpus(kind, mirrors, {row["gold"] for row in rows})
        plain = Plain(texts)
        with tempfile.TemporaryDirectory() as place:
            db = filled(f"{place}/x.sqlite", texts, encoder)
            passages = search.Corpus(db)

            def ours(question: str, passages: search.Corpus = passages) -> list[str]:
                return [hit.ref for hit in search.search(passages, encoder, question)]

            figures = {name: measure(rank, rows) for name, rank in (("plain BM25", plain.rank), ("ontology", ours))}
            answered = sum(bool(ours(row["query"])) for row in asked[strangers[kind]])
            db.close()
        told = ", ".join(f"{name} {mrr:.3f} / {recall:.3f}" for name, (mrr, recall) in figures.items())
        others = len(asked[strangers[kind]])
        print(
            f"{kind}: {len(rows)} questions, {len(texts)} passages: {told}; {answered} of {others} strangers answered"
        )


def measure(rank: object, rows: list[dict[str, str]]) -> tuple[float, float]:
    """(MRR@10, recall@10)."""
    total = found = 0.0
    for row in rows:
        got = rank(row["query"])[:10]  # type: ignore[operator]
        if row["gold"] in got:
            total += 1 / (got.index(row["gold"]) + 1)
            found += 1
    return total / len(rows), found / len(rows)


def main() -> int:
    """Make the sets, or run them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["make", "run"])
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("--embedding", default="auto")
    options = parser.parse_args()
    if options.action == "make":
        make(options.mirrors)
    else:
        run(options.mirrors, options.embedding)
    return 0


if __name__ == "__main__":
    sys.exit(main())
