"""Ask conversations that an agent remembers: recall of the turns that hold the answer, beside plain BM25.

    python tools/eval/conversation.py            # both halves
    python tools/eval/conversation.py --misses   # the questions of the tuned half whose answer is not among ten

Each dialogue of conversations-*.txt is put into a store of its own through `git oracl ontology
experience ingest --stdin`, a turn a memory, and asked through `experience query`, as a user would.
A question is of a kind: single (one turn answers), multi (several do), temporal, paraphrase (other
words than the turn's), none (nobody speaks of it: the figure is how few turns come back). The
questions were written with the dialogues, before any was asked. Whether one belongs to the tuned or
the untouched half, the hash of its words decides; nothing is ever chosen by the untouched half.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).parent
BOUNDS = (5, 10)
AGENT = "listener"


@dataclass
class Question:
    """What is asked, and the turns that answer it."""

    kind: str
    text: str
    gold: set[str]

    @property
    def tuned(self) -> bool:
        """Whether it may be tuned on."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 0


@dataclass
class Dialogue:
    """Turns in order, with what is asked of them."""

    turns: list[dict[str, str]] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def dialogues() -> list[Dialogue]:
    """All of them: `== names`, `-- date`, `tag> Name: words`, `?? kind | question | tags`."""
    found: list[Dialogue] = []
    tags: dict[str, str] = {}
    session = turn = 0
    date = ""
    for path in sorted(HERE.glob("conversations-*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("== "):
                found.append(Dialogue())
                tags, session = {}, 0
            elif line.startswith("-- "):
                session, turn, date = session + 1, 0, line[3:]
            elif line.startswith("?? "):
                kind, text, gold = (part.strip() for part in line[3:].split("|"))
                found[-1].questions.append(Question(kind, text, {tags[tag.strip()] for tag in gold.split(",") if tag}))
            elif line:
                turn += 1
                tag, marked, text = line.partition("> ")
                name = f"D{session}:{turn}"
                if marked and re.fullmatch(r"[\w-]+", tag):
                    tags[tag] = name
                    line = text
                found[-1].turns.append({
                    "text": line, "source_memory_id": name, "kind": "turn", "created_at": f"{date}T10:{turn:02}:00Z",
                })  # fmt: skip
    return found


def oracl(place: str, *args: str, stdin: str = "") -> str:
    """What the verb prints."""
    done = subprocess.run(
        ["git", "oracl", "ontology", *args], cwd=place, input=stdin, capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return done.stdout


def ours(place: str, dialogue: Dialogue, options: list[str], weak: set[str]) -> dict[str, list[str]]:
    """question → turns, as the command answers; those whose answer it calls weak are put into `weak`."""
    subprocess.run(["git", "init", "-q", place], check=True)
    os.makedirs(place, exist_ok=True)
    oracl(place, "init")
    lines = "".join(json.dumps(turn) + "\n" for turn in dialogue.turns)
    oracl(place, "experience", "ingest", "--stdin", "--agent", AGENT, stdin=lines)
    found = {}
    for question in dialogue.questions:
        out = oracl(place, *options, "experience", "query", question.text, "--agent", AGENT, "--json", "-n", "10")
        answer = json.loads(out) if out else {"experience": [], "weak": False}
        found[question.text] = [row["source_memory_id"] for row in answer["experience"]]
        if answer["weak"]:
            weak.add(question.text)
    return found


def plain(dialogue: Dialogue) -> dict[str, list[str]]:
    """question → turns, by BM25 over whole words."""
    counts = [Counter(re.findall(r"\w+", turn["text"].lower())) for turn in dialogue.turns]
    usual = sum(map(Counter.total, counts)) / len(counts)
    found = {}
    for question in dialogue.questions:
        scores: dict[int, float] = defaultdict(float)
        for word in set(re.findall(r"\w+", question.text.lower())):
            holders = [place for place, count in enumerate(counts) if word in count]
            weight = math.log(1 + (len(counts) - len(holders) + 0.5) / (len(holders) + 0.5))
            for place in holders:
                times = counts[place][word]
                norm = 1.2 * (0.25 + 0.75 * counts[place].total() / usual)
                scores[place] += weight * times * 2.2 / (times + norm)
        best = sorted(scores, key=lambda place: (-scores[place], place))[:10]
        found[question.text] = [dialogue.turns[place]["source_memory_id"] for place in best]
    return found


def measure(asked: list[tuple[Question, list[str]]]) -> str:
    """Recall of the evidence among the first 5 and 10, and the reciprocal rank of the first of it."""
    total: Counter[str] = Counter()
    for question, got in asked:
        for bound in BOUNDS:
            total[f"@{bound}"] += len(question.gold & set(got[:bound])) / len(question.gold)
        total["rr"] += max((1 / (got.index(turn) + 1) for turn in question.gold if turn in got), default=0)
    size = max(1, len(asked))
    return f"{total['@5'] / size:5.3f} {total['@10'] / size:5.3f} {total['rr'] / size:5.3f}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="questions of the tuned half that are not answered")
    parser.add_argument("--embedding-adapter", default="", help="as of git oracl ontology")
    options = parser.parse_args()
    given = ["--embedding-adapter", options.embedding_adapter] if options.embedding_adapter else []
    rows: dict[str, list[tuple[Question, list[str]]]] = defaultdict(list)
    everything, weak = dialogues(), set[str]()
    for dialogue in everything:
        with tempfile.TemporaryDirectory(prefix="oracl-conversation-") as place:
            answers = {"plain BM25": plain(dialogue), "experience": ours(place, dialogue, given, weak)}
        texts = {turn["source_memory_id"]: turn["text"] for turn in dialogue.turns}
        for name, found in answers.items():
            rows[name] += [(question, found[question.text]) for question in dialogue.questions]
        for question in dialogue.questions if options.misses else ():
            got = answers["experience"][question.text]
            if question.tuned and not question.gold <= set(got):
                missed = " / ".join(texts[turn] for turn in question.gold - set(got))
                print(f"{question.kind}: {question.text}\n   not: {missed}\n   but: {texts[got[0]] if got else ''}")
    turns = [len(dialogue.turns) for dialogue in everything]
    print(f"{len(turns)} dialogues of {min(turns)} to {max(turns)} turns; recall@5, recall@10, MRR")
    for half in (True, False):
        for name, asked in rows.items():
            here = [(q, got) for q, got in asked if q.tuned == half]
            with_answer = [(q, got) for q, got in here if q.gold]
            silent = [len(got) for q, got in here if not q.gold]
            told = f"{'tuned' if half else 'untouched':10} {name:11} all {len(with_answer):4}  {measure(with_answer)}"
            print(
                f"{told}   none {len(silent)}: {sum(silent) / max(1, len(silent)):.1f} turns, {silent.count(0)} silent"
            )
            for kind in ("single", "multi", "temporal", "paraphrase"):
                part = [(q, got) for q, got in with_answer if q.kind == kind]
                print(f"{'':22} {kind:10} {len(part):4}  {measure(part)}")
        asked = [question for dialogue in everything for question in dialogue.questions if question.tuned == half]
        for told, answered in (("with an answer", True), ("without", False)):
            part_of = [question for question in asked if bool(question.gold) is answered]
            marked = sum(question.text in weak for question in part_of)
            print(f"{'tuned' if half else 'untouched':10} called weak: {marked} of {len(part_of)} {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
