"""Names in a passage: who and what it speaks of, where it says so beyond doubt.

Knows a few ways of naming that leave no doubt: a legal form, a title, a label, a
definition, an acronym beside its long form, and a capitalised name that recurs in
mid-sentence and never occurs without its capital. Precise before complete. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .chunking import Chunk
from .model import CONTACT, NAME, ORGANISATION, PERSON, PROJECT, TERM
from .ordinary import ORDINARY


class Mention(NamedTuple):
    """An entity named in a chunk: characters of its text."""

    chunk: int  # its place among the chunks of the document
    start: int
    stop: int
    name: str
    kind: str
    confidence: float


_CAP = r"[A-Z][\w&'’-]*[\w]"
_BODIES = "Foundation University Institute Association Authority Agency Ministry Commission Council Society".split()
_BODIES += ["Bank", "Group", "Consortium"]
# What follows "Project" without being the name of one.
_NOT_PROJECTS = "|".join(
    """The A Name Manager Lead Owner Management Homepage Author Authors Basic Basics Overview Structure Setup
    Setting Settings Status Team Plan Planning Goal Goals File Files Root Layout Member Members Contributor
    Contributors Documentation Information Details Description Scope Summary Template Templates Page License
    Code Configuration Dependencies Maintainer Maintainers Board Office Site Website Url Version Governance
    Charter Council Generator Generators Leads Report History In Of And For To On Is Has""".split()
)


_BODY = re.compile(rf"\b(?:{'|'.join(_BODIES)})\b.* and ")


class _Way(NamedTuple):
    """A way of naming: what it names, words without which it cannot stand there, how it looks, how sure it is."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    confidence: float


_VERBS = (
    "manages", "owns", "leads", "maintains", "reports to", "works for", "works at", "founded", "joined", "heads",
    "chairs",
)  # fmt: skip
_MEANS = ("means", "shall mean", "refers to", "is defined as", "has the meaning")
_TITLES = ("Mr", "Mrs", "Ms", "Dr", "Prof", "Professor", "Sir", "Dame")
_KINDS_OF_PROJECT = ("Project", "Operation", "Programme", "Program", "Initiative")
_LEGALS = r"Inc Ltd LLC LLP GmbH AG Corp Corporation PLC Plc Limited S\.A B\.V N\.V Oy AB KG Pty Co".split()
_LEGAL = f"(?:{'|'.join(_LEGALS)})"
_LATIN = (
    _Way(
        CONTACT, ("@",),
        re.compile(
            r"(?<![\w.+/-])([A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?![\w@]|[:/][\w~])"
        ),
        0.99,
    ),
    _Way(
        ORGANISATION, tuple(" " + legal.replace("\\", "") for legal in _LEGALS),
        re.compile(rf"\b({_CAP}(?:(?: |, | & )(?:{_CAP}|of|and)){{0,4}}?,? {_LEGAL}\b\.?)(?! [a-z]+ing\b)"), 0.95,
    ),
    _Way(
        ORGANISATION, tuple(" " + body for body in _BODIES),
        re.compile(rf"\b((?!The\b){_CAP}(?: {_CAP}){{0,3}} (?:{'|'.join(_BODIES)}))\b(?! {_CAP})"), 0.9,
    ),
    _Way(
        ORGANISATION, ("University of", "Bank of", "Ministry of"),
        re.compile(rf"\b(University of {_CAP}(?: {_CAP})?|Bank of {_CAP}|Ministry of {_CAP}(?: and {_CAP})?)"), 0.95,
    ),
    _Way(
        PROJECT, tuple(word + " " for word in _KINDS_OF_PROJECT),
        re.compile(rf"(?<![\w-])((?:{'|'.join(_KINDS_OF_PROJECT)}) (?!(?:{_NOT_PROJECTS})\b)[A-Z][a-z]\w+)\b"), 0.95,
    ),
    _Way(
        PERSON, _TITLES, re.compile(rf"\b(?:{'|'.join(_TITLES)})\b\.? ({_CAP}(?: (?:[A-Z]\.|{_CAP})){{0,2}})"), 0.95,
    ),
    _Way(PERSON, (" <",), re.compile(rf"\b({_CAP}(?: [A-Z]\.)?(?: {_CAP}){{1,2}}) <[\w.+-]+@"), 0.97),
    _Way(
        PERSON, tuple(" " + verb for verb in _VERBS),
        re.compile(rf"\b([A-Z][a-z'’-]+ (?:[A-Z]\. )?[A-Z][a-z'’-]+) (?:{'|'.join(_VERBS)})\b"), 0.9,
    ),
    _Way(
        ORGANISATION, (" team",),
        re.compile(
            r"\b((?!(?:The|Our|Your|Their|Each|Every|This|That|Any|No|One|Core|Another|What|Which|Whole|A)\b)"
            r"[A-Z][a-z]+ team)\b"
        ),
        0.85,
    ),
    _Way(
        TERM, tuple(" " + words for words in _MEANS),
        re.compile(rf"[\"“]([A-Z][\w /-]{{2,50}})[\"”] (?:{'|'.join(_MEANS)})\b"), 0.97,
    ),
    _Way(
        TERM, ('")', "”)"),
        re.compile(
            r"(?:^|(?<=[\s,;”\"]))\((?:the |each,? an? |hereinafter (?:referred to as )?|together,? the |an? )?"
            r"[\"“]([A-Z][\w /-]{2,50})[\"”]\)"
        ),
        0.95,
    ),
)  # fmt: skip
_LABEL = re.compile(
    r"^[ \t>*_\-|]*(?:Owner|Author|Maintainer|Contact|Lead|Manager|Reviewer|Approver|Sponsor|Project"
    r" lead|Product owner|Account manager|"
    r"Project manager|Director|Chair|Secretary|담당자|책임자|작성자|승인자|검토자|대표자|대표이사|관리자)[*_"
    r" ]*(?::|\|)[*_ ]*([^\n|;,(<]{2,60})",
    re.MULTILINE,
)
_PERSON = re.compile(r"[A-Z][a-z'’-]+(?: [A-Z]\.)?(?: (?:van|von|de|da|del|bin|al))*(?: [A-Z][A-Za-z'’-]+){1,2}")
_SURNAMES = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원"
    "천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
_KOREAN_NAME = re.compile(rf"[{_SURNAMES}][가-힣]{{2}}")
_ROLES = (
    "대표이사|대표|이사장|이사|팀장|부장|과장|차장|대리|본부장|실장|센터장|"
    "교수|박사|변호사|회장|사장|위원장|연구원|주임|선임|책임|감사|씨|님"
)
_AFTER = r"(?=[은는이가을를의와과에도로께,.\s)]|$)"  # what may hang behind a Korean name
_COMPANY_BEFORE, _COMPANY = ("주식회사", "유한회사", "재단법인", "사단법인"), ("㈜", "(주)")
_KOREAN_BODIES = ("대학교", "은행", "재단", "협회", "연구소", "공사", "공단", "위원회")
_KOREAN_PROJECTS = ("프로젝트", "사업", "서비스", "시스템", "플랫폼")
_KOREAN = (
    _Way(
        ORGANISATION, _COMPANY_BEFORE,
        re.compile(rf"((?:{'|'.join(_COMPANY_BEFORE)}) ?[가-힣A-Za-z0-9]{{2,20}}?){_AFTER}"), 0.95,
    ),
    _Way(ORGANISATION, _COMPANY, re.compile(rf"((?:㈜|\(주\)) ?[가-힣A-Za-z0-9]{{2,20}}?){_AFTER}"), 0.95),
    _Way(
        ORGANISATION, (*_COMPANY, "주식회사"),
        re.compile(r"(?<![가-힣])([가-힣A-Za-z0-9]{2,15} ?(?:주식회사|㈜|\(주\)))"), 0.95,
    ),
    _Way(
        ORGANISATION, _KOREAN_BODIES,
        re.compile(rf"(?<![가-힣])([가-힣]{{2,8}}(?:{'|'.join(_KOREAN_BODIES)})){_AFTER}"), 0.85,
    ),
    _Way(
        PERSON, tuple(_ROLES.split("|")),
        re.compile(rf"(?<![가-힣])([{_SURNAMES}][가-힣]{{2}}) ?(?:{_ROLES}){_AFTER}"), 0.93,
    ),
    _Way(
        PROJECT, _KOREAN_PROJECTS,
        re.compile(rf"[‘'“\"「『]([^’'”\"」』\n]{{2,30}})[’'”\"」』] ?(?:{'|'.join(_KOREAN_PROJECTS)})"), 0.93,
    ),
    _Way(PROJECT, (" 프로젝트",), re.compile(r"(?<![\w가-힣])([A-Z][\w-]{2,20}) 프로젝트"), 0.93),
    _Way(TERM, ("란", "함은"), re.compile(r"[“\"‘']([^”\"’'\n]{2,30})[”\"’'] ?(?:이란|란|이라 함은|라 함은)"), 0.97),
    _Way(TERM, ("이하",), re.compile(r"이하,? ?[“\"‘']([^”\"’'\n]{2,30})[”\"’']"), 0.95),
)  # fmt: skip
_ACRONYM = re.compile(r" \(([A-Z][A-Za-z]{1,6})s?\)")
_LONG = re.compile(r"[\w-]+(?: [\w-]+){1,8}$")
_SMALL = frozenset("of and for the on in to".split())
_WORD = re.compile(r"[^\W\d_a-z]\w{0,60}[a-zà-ÿ][\w-]*|\b[A-Z]{2,6}\b(?!-)")
_LOWER = re.compile(r"(?<![\w.])[a-z][a-z]+(?![\w.])")
_CODE = re.compile(
    r"(?:\w*(?:Error|Exception|Warning|Mixin|Handler|Factory)|My[A-Z]\w*|[A-Z][A-Z][a-z]\w*|[A-Z][a-z]+[A-Z]\w*[A-Z][a-z]\w*)s?"
)
_JOINTS = (" ", " of ")
_BEFORE = re.compile(r"[a-z]{2,},?[ \n]$")
# What a name does, and what it is the title of rather than the name.
_ACTS = re.compile(
    r" (?:provides|supplies|delivers|offers|reviews|manages|owns|runs|operates|"
    r"depends|requires|uses|replaces|moves|keeps|maintains|"
    r"includes|supports|creates|publishes|develops|builds|sells|is|was|has|will)\b"
)
_THING = re.compile(
    r"'s? |\)?["
    r" \n](?:guide|guides|section|sections|page|pages|file|files|option|options|menu|button|"
    r"dialog|tab|class|method|module|"
    r"function|setting|settings|chapter|tutorial|header|headers|field|fields|error|errors|documentation|docs|format|syntax|type|mode|key|"
    r"command|directive|role|event|events|attribute|parameter|argument|value|variable|element|node|object|list|table|block|style|view)\b"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_NO_NOUN = re.compile(r"-(?:specific|based|like|only|related|compatible|friendly)$|\b[A-Z]{2,}[a-z]?\d*[A-Z]*s$")
_TABLE = re.compile(r"[^\n]*\|")  # in a table words are a label as often as a name
RECUR = 3  # times a name must occur in mid-sentence
TWICE = 2  # … and one that ends in a word that is also written small


def names(chunks: Sequence[Chunk]) -> list[Mention]:
    """The mentions in a document, those of one place once, in order."""
    found: list[Mention] = []
    for place, chunk in enumerate(chunks):
        if chunk.kind != "code":
            found += _definite(place, chunk.text)
        if chunk.kind == "row":
            found += _columns(place, chunk)
    recurring = _recurring(chunks)
    taken: dict[int, list[tuple[int, int]]] = {}
    kept = []
    for mention in sorted(found, key=lambda m: (-m.confidence, m.start - m.stop)) + recurring:
        spans = taken.setdefault(mention.chunk, [])
        if all(mention.stop <= start or mention.start >= stop for start, stop in spans):
            spans.append((mention.start, mention.stop))
            kept.append(mention)
    kept += _again(chunks, kept, taken)
    return sorted(kept)


def _definite(place: int, text: str) -> Iterator[Mention]:
    """What one passage names by itself."""
    for kind, hints, pattern, confidence in _LATIN if text.isascii() else (*_LATIN, *_KOREAN):
        if not any(hint in text for hint in hints):
            continue
        for match in pattern.finditer(text):
            start, stop = _trimmed(text, match.start(1), match.end(1))
            name = text[start:stop]
            ordinary = (
                name in ORDINARY
                or (kind == ORGANISATION and " and " in name and _BODY.search(name))
                or (kind in (ORGANISATION, PERSON) and name.split()[0] in ORDINARY)
            )
            if stop - start > 1 and "\n" not in name and not ordinary:
                yield Mention(place, start, stop, name, kind, confidence)
    for match in _LABEL.finditer(text):
        value = match[1].strip(" *_")
        person = _PERSON.fullmatch(value) or (_KOREAN_NAME.match(value) if len(value) < 12 else None)
        if person:
            start = text.index(value, match.start(1))
            yield Mention(place, start, start + person.end(), person[0], PERSON, 0.95)


def _trimmed(text: str, start: int, stop: int) -> tuple[int, int]:
    while start < stop and text[start] in " *_'\"":
        start += 1
    while stop > start and text[stop - 1] in " *_'\",":
        stop -= 1
    return start, stop


def _recurring(chunks: Sequence[Chunk]) -> list[Mention]:
    """Capitalised names that recur in mid-sentence and never occur in small letters."""
    places: dict[str, list[tuple[int, int, int]]] = {}
    middle: Counter[str] = Counter()
    lower: set[str] = set()
    for place, chunk in enumerate(chunks):
        if chunk.kind == "code":
            continue
        text = chunk.text
        lower.update(word.lower() for word in _LOWER.findall(text))
        for match in _runs(text):
            places.setdefault(match[0], []).append((place, match[1], match[2]))
            middle[match[0]] += _mid_sentence(text, match[1], match[2]) and not _in_title(text, match[1], match[2])
    found = []
    for name, spots in places.items():
        words = [word for word in name.split() if word != "of"]
        needed = RECUR if len(words) == 1 else 1
        if (
            _CODE.fullmatch(name)
            or name.isupper()
            or _NO_NOUN.search(name)
            or middle[name] < needed
            or any(word in ORDINARY for word in (words if len(words) == 1 else words[:1]))
        ):
            continue
        small = [word.lower() in lower for word in words if word[0].isupper()]
        if all(small) or (len(words) == 1 and any(small)) or (small[-1] and middle[name] < TWICE):
            continue
        found += [Mention(place, start, stop, name, NAME, 0.8) for place, start, stop in spots]
    return found


def _runs(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, start, stop) of each run of capitalised words on one line."""
    run: list[re.Match[str]] = []
    barred = -1  # where a word ends that cannot be part of a name: what follows it is half a name
    for match in _WORD.finditer(text):
        before = text[match.start() - 1] if match.start() else " "
        after = text[match.end()] if match.end() < len(text) else " "
        if (
            before in "._/\\`@#$=-<{[&%~\"'"
            or before.isalnum()
            or after in "_/\\(`=@[{"
            or (after == "." and text[match.end() + 1 : match.end() + 2].isalnum())
        ):
            barred = match.end()
            continue
        if match.start() == barred + 1 or "_" in match[0]:
            barred = match.end()
            continue
        if run and text[run[-1].end() : match.start()] in _JOINTS:
            run.append(match)
            continue
        if run:
            yield _whole(run)
        run = [match]
    if run:
        yield _whole(run)


def _in_title(text: str, start: int, stop: int) -> bool:
    """Whether a name stands in a line whose words have capitals anyway: such a line tells no names."""
    end = text.find("\n", stop)
    words, long, capitals = _counted(text[text.rfind("\n", 0, start) + 1 : end if end >= 0 else len(text)])
    own = _LETTERS.findall(text[start:stop])
    others = long - sum(len(word) > 3 for word in own)
    return words - len(own) > 1 and capitals - sum(len(word) > 3 for word in own) >= 0.5 * max(1, others)


@lru_cache(maxsize=64)
def _counted(line: str) -> tuple[int, int, int]:
    """(words, long ones, long ones with a capital) of a line that is no sentence; nothing of one that is."""
    if line.rstrip().endswith(".") or ". " in line:
        return 0, 0, 0
    words = _LETTERS.findall(line)
    long = [word for word in words if len(word) > 3]
    return len(words), len(long), sum(word[0].isupper() for word in long)


def _whole(run: list[re.Match[str]]) -> tuple[str, int, int]:
    # In mid-sentence `North` or `Will` is the first half of a name, at the beginning of one it may be any word.
    while (
        len(run) > 1
        and not _BEFORE.search(run[0].string, max(0, run[0].start() - 30), run[0].start())
        and (run[0][0] in ORDINARY or run[0][0].endswith("ing"))
    ):
        run = run[1:]
    start, stop = run[0].start(), run[min(4, len(run)) - 1].end()
    return run[0].string[start:stop], start, stop


def _mid_sentence(text: str, start: int, stop: int) -> bool:
    """Whether a word of small letters stands right before; or, for a name of several words, a verb right behind."""
    if _THING.match(text, stop) or _TABLE.match(text, stop):
        return False
    before = text[max(0, start - 30) : start]
    if _BEFORE.search(before):
        return True
    return (
        " " in text[start:stop]
        and bool(_ACTS.match(text, stop))
        and not before.rstrip(" ").endswith(("#", "*", "-", "|"))
    )


def _again(chunks: Sequence[Chunk], kept: Iterable[Mention], taken: dict[int, list[tuple[int, int]]]) -> list[Mention]:
    """The other places at which the names found stand."""
    kinds = {mention.name: mention for mention in kept if mention.kind not in (CONTACT, NAME) and len(mention.name) > 3}
    if not kinds:
        return []
    pattern = re.compile(
        "|".join(rf"(?<![\w]){re.escape(name)}" for name in sorted(kinds, key=len, reverse=True)[:500])
    )
    found = []
    for place, chunk in enumerate(chunks):
        for match in pattern.finditer(chunk.text) if chunk.kind != "code" else ():
            name = match[0]
            end = chunk.text[match.end() : match.end() + 1]
            if end.isascii() and end.isalnum():
                continue
            spans = taken.setdefault(place, [])
            if all(match.end() <= start or match.start() >= stop for start, stop in spans):
                spans.append(match.span())
                found.append(kinds[name]._replace(chunk=place, start=match.start(), stop=match.end()))
    return found


_ORGANISATION_COLUMNS = frozenset(
    "supplier vendor company customer client organisation organization partner manufacturer 공급업체 공급사 업체"
    " 회사 고객사 거래처".split()
)
_PERSON_COLUMNS = frozenset(
    "person employee contact manager author reviewer approver 담당자 책임자 성명 이름 직원".split()
)


def _columns(place: int, chunk: Chunk) -> Iterator[Mention]:
    """The cells of a table below a heading that says whom they name."""
    lines = chunk.text.split("\n")
    heads = [cell.strip().lower() for cell in lines[0].split("|")]
    kinds = {n: ORGANISATION if head in _ORGANISATION_COLUMNS else PERSON for n, head in enumerate(heads)
             if head in _ORGANISATION_COLUMNS or head in _PERSON_COLUMNS}  # fmt: skip
    at = len(lines[0]) + 1
    for line in lines[1:] if kinds and len(heads) > 1 else ():
        for number, cell in enumerate(line.split("|")):
            name = cell.strip()
            if number in kinds and 1 < len(name) < 60 and not name[0].isdigit() and any(c.isalpha() for c in name):
                start = at + cell.index(name)
                yield Mention(place, start, start + len(name), name, kinds[number], 0.9)
            at += len(cell) + 1


def acronyms(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(long form, short form, start, stop) where a text gives both."""
    for match in _ACRONYM.finditer(text):
        before = text[max(0, match.start() - 80) : match.start()]
        long = _LONG.search(before)
        words = long[0].split() if long else []
        for first in range(len(words)):
            initials = "".join(word[0] for word in words[first:] if word not in _SMALL)
            if initials.upper() == match[1].upper() and words[first] not in _SMALL:
                name = " ".join(words[first:])
                yield name, match[1], match.start() - len(name), match.start()
                break
