"""What a sentence says of two names in it: relations, with the words that say so.

Knows how a verb relates what stands beside it, in English and Korean, and labels under
a heading that names something. A question, a condition, a negation or a mended bug
states nothing. Which verbs there are says `verbs.py`, what is a name beside one
`arguments.py`. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from .arguments import NAMED, Argument, Words, kind, objects, spoken, subject
from .chunking import HEADING_SEPARATOR, Chunk
from .model import CONTACT, NAME, PERSON, PROJECT, TERM
from .naming import Mention
from .passage import sentences
from .verbs import VERB
from .verbs import found as verb_of


class Statement(NamedTuple):
    """A relation, and the characters of the chunk that state it."""

    chunk: int
    start: int
    stop: int
    subject: str
    relation: str
    object: str
    confidence: float
    valid_from: str = ""
    valid_to: str = ""


_KOREAN: tuple[tuple[str, re.Pattern[str], re.Pattern[str], bool], ...] = tuple(
    (
        relation,
        re.compile(rf"[’'”\"」』]? ?(?:{_role})?(?:은|는|이|가) ?(?:현재 )?[‘'“\"「『]?"),
        re.compile(rf"[’'”\"」』]? ?(?:{obj}) ?(?:{verb})"),
        turned,
    )
    for _role in [r"(?:대표이사|대표|팀장|부장|과장|이사|교수|박사|님|씨|프로젝트|서비스|시스템|플랫폼)"]
    for relation, obj, verb, turned in (
        (
            "manages",
            "프로젝트(?:를|을)|서비스(?:를|을)|시스템(?:를|을)|을|를",
            r"(?:담당|관리|운영|총괄|책임지|이끌)",
            False,
        ),
        ("owns", "을|를", r"(?:소유|보유)", False),
        ("replaces", "을|를", r"(?:대체|대신)", False),
        ("acquired", "을|를", r"(?:인수)", False),
        ("uses", "을|를", r"(?:사용|이용|활용)", False),
        ("created", "을|를", r"(?:설립|개발|제작|작성|출시)", False),
        ("depends_on", "에", r"(?:의존|기반)", False),
        ("part_of", "에|의", r"(?:속하|속한|소속|포함|자회사|계열사|일부)", False),
        ("works_for", "에서|에", r"(?:근무|재직)", False),
    )
)
_LABELS = {
    "owner": "owns",
    "product owner": "owns",
    "maintainer": "maintains",
    "lead": "manages",
    "project lead": "manages",
    "manager": "manages",
    "project manager": "manages",
    "author": "created",
    "담당자": "manages",
    "책임자": "manages",
    "관리자": "manages",
    "작성자": "created",
}
_LABEL = re.compile(r"^[ \t>*_\-|]*([A-Za-z가-힣]+(?: [A-Za-z]+)?)[*_ ]*[:|][*_ ]*", re.MULTILINE)
_UNSURE = re.compile(
    r"^[\s*+-]*(?:#\d+|Bug|Fix|Issue|:issue:|if|whether|suppose|assume|unless|should|when|imagine)\b|\?\s*$|\b(?:not|never|no"
    r" longer|n't|may|might|could|would|should|cannot|"
    r"plans? to|proposed?|instead of)\b|않|아니|면\b|까\?",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|from|as of|effective|starting)\s+(\d{4}(?:-\d{2}(?:-\d{2})?)?)\b|(\d{4}-\d{2}-\d{2})\s*부터"
)
_UNTIL = re.compile(r"\b(?:until|to|through|ending)\s+(\d{4}(?:-\d{2}(?:-\d{2})?)?)\b|(\d{4}-\d{2}-\d{2})\s*까지")
_IF = re.compile(
    r"\b(?:if|whether|when|unless|where|until|once|before|after|(?:establish|assume|ensure) that|make sure)\b",
    re.IGNORECASE,
)
SAID = 0.85  # how sure a name is that only a statement gives
_VERBS = 6  # of one sentence
_LONGEST = 80  # characters between two names


def statements(chunks: Sequence[Chunk], mentions: Sequence[Mention]) -> tuple[list[Statement], list[Mention]]:
    """The relations a document states, each with its evidence, and the names that only they give."""
    by_chunk: dict[int, list[Mention]] = {}
    for mention in mentions:
        by_chunk.setdefault(mention.chunk, []).append(mention)
    words = cache(lambda: Words(chunk.text for chunk in chunks if chunk.kind != "code"))
    found: list[Statement] = []
    named: list[Mention] = []
    for place, chunk in enumerate(chunks):
        if chunk.kind == "code":
            continue
        here = by_chunk.get(place, [])
        for said, names in _english(place, chunk.text, here, words):
            found.append(said)
            named += names
        if len(here) > 1 and not chunk.text.isascii():
            found += _korean(place, chunk.text, here)
        found += _labelled(place, chunk, here)
    return list(dict.fromkeys(found)), list(dict.fromkeys(named))


def _english(
    place: int, text: str, here: list[Mention], words: Callable[[], Words]
) -> Iterator[tuple[Statement, list[Mention]]]:
    """What each verb of a passage states of the names beside it."""
    verbs = [match for match in VERB.finditer(text) if NAMED.search(text, max(0, match.start() - 60), match.start())]
    if not verbs:
        return
    known = {(m.start, m.stop): m for m in here if m.kind != CONTACT}
    line = text.replace("\n", " ")  # of the same length
    for start, stop, match in _in_sentences(spoken(text), verbs):
        start += len(line[start:stop]) - len(line[start:stop].lstrip())
        verb = verb_of(match)
        first = subject(line, start, match.start(), known, words())
        if first is None or _UNSURE.search(line[start:stop]) or _IF.search(line[start : first.start]):
            continue
        if verb.kind_of:
            noun = kind(line, match.end(), stop)
            others = [noun] if noun else []
        else:
            others = objects(line, match.end(), stop, known, words())
        since, until = _dates(line[start:stop])
        for other in others:
            if other.name.lower() == first.name.lower():
                continue
            pair = [_mention(place, first, known, NAME), _mention(place, other, known, TERM if verb.kind_of else NAME)]
            one, two = pair[::-1] if verb.turned else pair
            sure = round(min(each.confidence for each in pair) * 0.95, 4)
            yield Statement(place, start, stop, one.name, verb.relation, two.name, sure, since, until), pair


def _in_sentences(
    spans: Iterator[tuple[int, int]], verbs: list[re.Match[str]]
) -> Iterator[tuple[int, int, re.Match[str]]]:
    """(start, stop of the sentence, verb) of each verb, both in order; what has many verbs is no sentence."""
    at = 0
    for start, stop in spans:
        first = at
        while at < len(verbs) and verbs[at].start() < stop:
            at += 1
        if at - first <= _VERBS:
            yield from ((start, stop, match) for match in verbs[first:at])


def _mention(place: int, argument: Argument, known: dict[tuple[int, int], Mention], otherwise: str) -> Mention:
    held = known.get((argument.start, argument.stop))
    return held or Mention(place, argument.start, argument.stop, argument.name, otherwise, SAID)


def _korean(place: int, text: str, here: list[Mention]) -> Iterator[Statement]:
    for start, stop in sentences(text):
        inside = [m for m in here if start <= m.start and m.stop <= stop]
        if len(inside) < 2 or _UNSURE.search(text[start:stop]):
            continue
        since, until = _dates(text[start:stop])
        for first, second in itertools.pairwise(inside):
            gap, after = text[first.stop : second.start], text[second.stop : stop]
            if len(gap) > _LONGEST or CONTACT in (first.kind, second.kind) or first.name == second.name:
                continue
            for relation, between, behind, turned in _KOREAN:
                if between.fullmatch(gap) and behind.match(after):
                    one, two = (second, first) if turned else (first, second)
                    sure = round(min(first.confidence, second.confidence) * 0.95, 4)
                    yield Statement(place, start, stop, one.name, relation, two.name, sure, since, until)
                    break


def _dates(sentence: str) -> tuple[str, str]:
    since, until = _SINCE.search(sentence), _UNTIL.search(sentence)
    return (since[1] or since[2]) if since else "", (until[1] or until[2]) if until else ""


def _labelled(place: int, chunk: Chunk, named: list[Mention]) -> Iterator[Statement]:
    """`Owner: NAME` below a heading that is the name of something."""
    about = next((m for m in named if m.kind == PROJECT and m.name in chunk.heading.split(HEADING_SEPARATOR)[-1]), None)
    if about is None:
        return
    for match in _LABEL.finditer(chunk.text):
        relation = _LABELS.get(match[1].lower())
        person = next((m for m in named if m.start == match.end() and m.kind == PERSON), None)
        if relation and person:
            yield Statement(place, match.start(), person.stop, person.name, relation, about.name, 0.9)
