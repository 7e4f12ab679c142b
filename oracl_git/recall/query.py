"""Text → a structured query, in seven deterministic passes that never raise.

frames · directives · negation · time · type words · synonyms · token classes. Knows the
language people ask in; knows nothing of any index, so times stay relative and
revisions stay names until `search` resolves them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from . import tables

if TYPE_CHECKING:
    from .frames import Frame

_LONGEST = 10_000  # characters of a question whose words are read
_RUN = re.compile(r"\S{400}")  # nothing longer is one word; the patterns below are quadratic in such a run
_PAINT = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")  # colours and links of a terminal
_DIGIT = re.compile(r"\d")
_SURROGATES = re.compile("[\ud800-\udfff]")
_DIRECTIVE = re.compile(r'(?<!\S)(-?)(filename|file|path|prefix|lang|domain|tag|type):(?!//)("[^"]*"|[^\s"]+)')
LOOKUPS = ("file", "filename", "path", "prefix")
_WHAT = r'"[^"]+"|(?=[*./-]*\w)[\w*./][\w*./-]*'  # is left out: a word, a pattern, words in a row
_NEGATED = re.compile(rf"(?<!\S)-({_WHAT})")
_SPOKEN = re.compile(
    rf"(?<!\S)(?:(?:but\s+not|excluding|except(?:\s+for)?)\s+({_WHAT})"
    rf"|(?:not|without)\s+({_WHAT})(?=\s*(?:$|[,;.!?]\s|[.!?]?$)))",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"(?<!\S)(since|after|before|until)\s+(\d{4}-\d{2}-\d{2}|\d{4}-\d{2}|(?:19|20)\d{2}|v\d+(?:\.\d+)*\S*)(?!\S)",
    re.IGNORECASE,
)
_AGO = re.compile(
    r"(?<!\S)(?:(?:in\s+the\s+)?(last|past|this)\s+(day|week|month|quarter|year)|(yesterday|today))(?!\S)", re.I
)
_RECENT = re.compile(r"(?<!\S)(recent|recently|latest|newest)(?!\S)", re.IGNORECASE)
_MAX_TIMES = 8  # limits in one question: a revision costs two git processes
_SPAN_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_CODE = re.compile(
    r"Traceback \(most recent call last\)|\bFile \"|\n[ \t]+\S|[{};][ \t]*$|\)[ \t]*:|=>|==|\w\(|\s--\w|^[ \t]*[$>]\s",
    re.M,
)
_WORD = re.compile(r"\w+", re.UNICODE)
# Each starts only where a word starts (the look-behind), so that a long run of letters is read once.
_QUOTED = re.compile(r'"([^"]+)"|`{1,3}([^`]+)`{1,3}')
_PATHLIKE = re.compile(
    r"(?<![\w.@+/-])[\w.@+-]*(?:/[\w.@+-]+)+|(?<![\w./-])[\w-]+\.(?:[A-Za-z][A-Za-z0-9]{0,4})(?![\w.])"
)
_IDENTIFIER = re.compile(
    r"(?<![\w.])[A-Za-z]\w*(?:\.\w+)+|(?<!\w)(?:\w*[a-z0-9][A-Z]\w*|[A-Za-z]\w*_\w+|__\w+__)"
)
_ASKS = frozenset("how where what which why when who".split())
# "tests of", "test cases for": the kind of file that is asked for, no mere word among others.
_OF = frozenset("of for about on covering".split())
_PART = frozenset("case cases page pages".split())
# What a program says when it fails: the kind of failure, and the message.
_MESSAGE = re.compile(
    r"^\W*(?:[\w.]*(?:Error|Exception|Warning|Failure)|error|fatal|panic)(?:\s?\[?[A-Z]+\d+\]?)?: (?P<said>\S.{3,400})",
    re.MULTILINE,
)
_MAX_NAMED = 50  # of each kind of name in it


class Token(NamedTuple):
    """One word of the question: its class decides ω in Eq. 11."""

    text: str
    kind: str  # entity | type | stop

    @property
    def weight(self) -> float:
        return tables.TOKEN_WEIGHTS[self.kind]


class When(NamedTuple):
    """A limit in time: `at` is a date or a revision name, or `days` before the indexed commit."""

    side: str  # since | before
    at: str = ""
    days: int = 0


class Query(NamedTuple):
    """A compiled question. `wildcard`: nothing is left but filters."""

    raw: str
    text: str = ""
    tokens: tuple[Token, ...] = ()
    synonyms: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    message: str = ""  # of an error, as the program that failed says it
    frames: tuple[Frame, ...] = ()  # the places of a pasted trace or compiler message, the fault first
    directives: tuple[tuple[str, str], ...] = ()
    denied: tuple[tuple[str, str], ...] = ()  # directives with a `-` before them
    excluded: tuple[str, ...] = ()
    when: tuple[When, ...] = ()
    recent: bool = False
    spoken: bool = False  # it asks how, where or why
    roles: tuple[str, ...] = ()  # kinds the words lean to; filters when `wildcard`
    asked: tuple[str, ...] = ()  # those of them that are what is asked for
    types: tuple[str, ...] = ()
    wildcard: bool = False
    code: bool = False
    persona: str = tables.DEFAULT_PERSONA
    notes: tuple[str, ...] = ()  # what each pass did, for --explain

    @property
    def words(self) -> tuple[str, ...]:
        """The distinct words that carry meaning, in order."""
        return tuple(dict.fromkeys(token.text for token in self.tokens if token.kind != "stop"))


def compile_query(raw: str, persona: str = tables.DEFAULT_PERSONA) -> Query:
    """The seven passes. Every string is a query."""
    notes: list[str] = []
    plain = _PAINT.sub("", raw)
    pointed, trace = _frames(plain, notes)
    half = _LONGEST // 2  # a trace says most at its ends
    read = plain if len(plain) <= _LONGEST else f"{plain[:half]}\n{plain[-half:]}"
    text = _RUN.sub(r"\g<0> ", read.replace("\0", " "))
    if len(plain) > _LONGEST:
        notes.append(f"words read: those of the first and of the last {half:,} characters")
    code = trace or bool(_CODE.search(text))
    text, directives, denied = _directives(text, notes) if not trace else (text, [], [])
    text = _SURROGATES.sub("\ufffd", text)  # bytes that are not UTF-8; paths in directives keep them
    excluded: list[str] = []
    if not code:
        text, excluded = _negations(text, notes)
    text, when, recent = _times(text, notes) if not code else (text, [], False)
    phrases = [a or b for a, b in _QUOTED.findall(text)]
    words = [match.group().lower() for match in _WORD.finditer(text)]
    roles, types, consumed = _types(words, notes) if not trace else ([], [], set())
    wildcard = not (set(words) - consumed - tables.STOP_WORDS) and bool(
        roles or types or when or recent or directives or denied or excluded
    )
    said = _MESSAGE.search(text)
    if said:
        notes.append("an error message: its words in a row, and code before tests")
        roles = [*roles, "code"] if "code" not in roles and not trace else roles
    tokens = tuple(
        Token(word, "stop" if word in tables.STOP_WORDS else "type" if word in consumed else "entity") for word in words
    )
    synonyms = tuple(
        dict.fromkeys(
            s
            for token in tokens
            if token.kind == "entity"
            for s in tables.SYNONYMS.get(token.text, ())
            if s not in words
        )
    )
    if synonyms:
        notes.append("synonyms: " + " ".join(synonyms))
    if code:
        notes.append("read as code: no negation, no times")
    return Query(
        raw=raw, text=" ".join(text.split()), tokens=tokens, synonyms=synonyms,
        phrases=tuple(p for p in phrases if p.strip()),
        identifiers=tuple(dict.fromkeys(_IDENTIFIER.findall(text)))[:_MAX_NAMED],
        paths=() if trace else _paths(text),
        message=said["said"] if said else "", frames=pointed,
        directives=tuple(directives), denied=tuple(denied), excluded=tuple(dict.fromkeys(excluded)),
        when=tuple(when), recent=recent,
        spoken=not code and bool(words) and words[0] in _ASKS, roles=tuple(roles), asked=_asked(words, roles),
        types=tuple(types), wildcard=wildcard, code=code,
        persona=persona if persona in tables.PERSONAS else tables.DEFAULT_PERSONA, notes=tuple(notes),
    )  # fmt: skip


def _paths(text: str) -> tuple[str, ...]:
    found = (path.strip("./") for path in _PATHLIKE.findall(text))
    return tuple(dict.fromkeys(path for path in found if path))[:_MAX_NAMED]


def _frames(raw: str, notes: list[str]) -> tuple[tuple[Frame, ...], bool]:
    """(the places the text points at, whether it is a trace: then nothing in it is the language of questions)."""
    if not _DIGIT.search(raw):  # a place has a line: most questions need none of those patterns
        return (), False
    from .frames import frames, looks_like_a_trace

    found = frames(raw)
    trace = looks_like_a_trace(raw, found)
    if found:
        first = found[0]
        notes.append(f"points at: {len(found)} place{'s' * (len(found) > 1)}, first {first.path} line {first.line}")
    return found, trace


def _directives(text: str, notes: list[str]) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
    """(what is left, the directives, those with a `-` before them)."""
    wanted: list[tuple[str, str]] = []
    denied: list[tuple[str, str]] = []
    for minus, name, value in _DIRECTIVE.findall(text):
        (denied if minus else wanted).append((name, value.strip('"')))
    for said, found in (("directives", wanted), ("leaves out", denied)):
        if found:
            notes.append(f"{said}: " + " ".join(f"{name}:{value}" for name, value in found))
    return _DIRECTIVE.sub(" ", text), wanted, denied


def _negations(text: str, notes: list[str]) -> tuple[str, list[str]]:
    found: list[str] = []
    for pattern in (_NEGATED, _SPOKEN):
        found += [match[match.lastindex or 0].strip('"').rstrip(".") for match in pattern.finditer(text)]
        text = pattern.sub(" ", text)
    if found:
        notes.append("leaves out: " + " ".join(found))
    return text, found


def _times(text: str, notes: list[str]) -> tuple[str, list[When], bool]:
    sides = {"since": "since", "after": "since", "before": "before", "until": "before"}
    when = [When(sides[match.group(1).lower()], at=match.group(2)) for match in _SINCE.finditer(text)]
    when = list(dict.fromkeys(when))[:_MAX_TIMES]
    text = _SINCE.sub(" ", text)
    when += [When("since", days=_SPAN_DAYS[(match.group(2) or "day").lower()]) for match in _AGO.finditer(text)]
    text = _AGO.sub(" ", text)
    recent = _RECENT.search(text) is not None
    text = _RECENT.sub(" ", text)
    if when or recent:
        notes.append(
            "time: " + " ".join([*(f"{w.side} {w.at or f'{w.days} days ago'}" for w in when), *(["recent"] * recent)])
        )
    return text, when, recent


def _asked(words: list[str], roles: list[str]) -> tuple[str, ...]:
    """The kinds of file of which those of something are asked for."""
    if not roles:
        return ()
    row = [word for word in words if word not in _PART]
    named = {tables.TYPE_WORDS.get(word, ("",))[0] for word, after in pairwise(row) if after in _OF}
    return tuple(role for role in roles if role in named and role in ("tests", "docs"))


def _types(words: list[str], notes: list[str]) -> tuple[list[str], list[str], set[str]]:
    roles: list[str] = []
    types: list[str] = []
    consumed = set()
    for word in words:
        if word in tables.TYPE_WORDS:
            role, content_type = tables.TYPE_WORDS[word]
            roles += [role] if role and role not in roles else []
            types += [content_type] if content_type and content_type not in types else []
            consumed.add(word)
    if consumed:
        notes.append("type words: " + " ".join(sorted(consumed)))
    return roles, types, consumed
