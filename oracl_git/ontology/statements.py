"""What a sentence says of two names in it: relations, with the words that say so.

Knows a table of verbs and how they stand between two names, in English and Korean,
and labels under a heading that names something. A question, a condition or a
negation states nothing. Pure.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .chunking import HEADING_SEPARATOR, Chunk
from .naming import CONTACT, PERSON, PROJECT, Mention
from .passage import sentences


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


# What stands between two names → (relation, whether the second is the subject).
_BETWEEN: tuple[tuple[str, str, bool], ...] = (
    ("owns", r"(?:owns|is (?:the )?owner of|is responsible for)", False),
    ("owns", r"is owned by", True),
    ("maintains", r"(?:maintains|is (?:the |a )?(?:lead )?maintainer of)", False),
    ("maintains", r"is (?:developed and )?maintained by", True),
    (
        "manages",
        (
            r"(?:manages|leads|heads|directs|runs|operates|is (?:the )?(?:manager|lead|head|director|chair|chief"
            r" executive|CEO) (?:of|at|for))"
        ),
        False,
    ),
    ("manages", r"is (?:managed|led|headed|run|operated|chaired) by", True),
    (
        "depends_on",
        r"(?:depends on|relies on|requires|is built on(?: top of)?|builds on|is based on|is powered by|runs on)",
        False,
    ),
    ("uses", r"(?:uses|consumes|integrates with|reads from|writes to)", False),
    ("uses", r"is used by", True),
    ("replaces", r"(?:replaces|supersedes|succeeds|takes the place of)", False),
    ("replaces", r"(?:is|was|has been) (?:replaced|superseded|succeeded) by", True),
    (
        "part_of",
        r"(?:is (?:a )?part of|belongs to|is a (?:subsidiary|division|member|component) of|is included in)",
        False,
    ),
    ("part_of", r"(?:contains|includes|comprises)", True),
    ("reports_to", r"reports to", False),
    ("works_for", r"(?:works (?:for|at)|joined|is employed by|is an? [\w -]{3,30} at)", False),
    ("acquired", r"(?:acquired|bought|has acquired)", False),
    ("acquired", r"(?:was|has been) (?:acquired|bought) by", True),
    ("created", r"(?:created|founded|wrote|developed|designed|built|invented|authored|released|published)", False),
    (
        "created",
        (
            r"(?:is|was) (?:originally"
            r" )?(?:created|founded|written|developed|designed|built|invented|authored|released|published) by"
        ),
        True,
    ),
    ("implements", r"(?:implements|is an? (?:[\w-]+ )?implementation of)", False),
    ("supplies", r"(?:supplies|delivers to|(?:provides|supplies|delivers|sells|offers) [a-z][\w -]{2,40} to)", False),
    ("approved_by", r"(?:is|was) approved by", False),
)
_ADVERB = r"(?:currently |now |also |directly |still |mainly |officially |originally |jointly )?"
_FILL = r"[\"'”’)*_`]*,? "
_NEXT = r" (?:the |a |an |Dr\.? |Mr\.? |Mrs\.? |Ms\.? |Prof\.? |Professor )?[\"'“‘(*_`]*"
_ENGLISH = tuple(
    (relation, re.compile(f"{_FILL}{_ADVERB}{verb}{_NEXT}"), turned) for relation, verb, turned in _BETWEEN
)
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
    r"^\s*(?:if|whether|suppose|assume|unless|should|when|imagine)\b|\?\s*$|\b(?:not|never|no"
    r" longer|n't|may|might|could|would|should|cannot|"
    r"plans? to|proposed?|instead of)\b|않|아니|면\b|까\?",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|from|as of|effective|starting)\s+(\d{4}(?:-\d{2}(?:-\d{2})?)?)\b|(\d{4}-\d{2}-\d{2})\s*부터"
)
_UNTIL = re.compile(r"\b(?:until|to|through|ending)\s+(\d{4}(?:-\d{2}(?:-\d{2})?)?)\b|(\d{4}-\d{2}-\d{2})\s*까지")
_LONGEST = 80  # characters between two names


def statements(chunks: Sequence[Chunk], mentions: Sequence[Mention]) -> list[Statement]:
    """The relations a document states, each with its evidence."""
    by_chunk: dict[int, list[Mention]] = {}
    for mention in mentions:
        by_chunk.setdefault(mention.chunk, []).append(mention)
    found: list[Statement] = []
    for place, named in by_chunk.items():
        text = chunks[place].text
        if len(named) > 1:
            for start, stop in sentences(text):
                inside = [m for m in named if start <= m.start and m.stop <= stop]
                if len(inside) > 1 and not _UNSURE.search(text[start:stop]):
                    found += _sentence(place, text, start, stop, inside)
        found += _labelled(place, chunks[place], named)
    return list(dict.fromkeys(found))


def _sentence(place: int, text: str, start: int, stop: int, inside: list[Mention]) -> Iterator[Statement]:
    since, until = _dates(text[start:stop])
    for first, second in itertools.pairwise(inside):
        gap = text[first.stop : second.start]
        if len(gap) > _LONGEST or CONTACT in (first.kind, second.kind) or first.name == second.name:
            continue
        confidence = min(first.confidence, second.confidence)
        for relation, pattern, turned in _ENGLISH:
            if pattern.fullmatch(gap):
                yield _said(place, start, stop, first, relation, second, turned, confidence, since, until)
                break
        else:
            after = text[second.stop : stop]
            for relation, between, behind, turned in _KOREAN:
                if between.fullmatch(gap) and behind.match(after):
                    yield _said(place, start, stop, first, relation, second, turned, confidence, since, until)
                    break


def _said(
    place: int,
    start: int,
    stop: int,
    first: Mention,
    relation: str,
    second: Mention,
    turned: bool,
    confidence: float,
    since: str,
    until: str,
) -> Statement:
    subject, other = (second, first) if turned else (first, second)
    return Statement(place, start, stop, subject.name, relation, other.name, round(confidence * 0.95, 4), since, until)


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
