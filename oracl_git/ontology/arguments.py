"""What stands beside a verb and names something: the subject before it, the objects after it.

Knows how prose marks a name (code, links, emphasis, roles, capitals), where a clause
begins, and where a phrase ends. A phrase that goes on names something else, and is not
taken: `Redis pub/sub` is not Redis. Pure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from .ordinary import ORDINARY


class Argument(NamedTuple):
    """A name beside a verb: its place in the text, and the end of its markup."""

    start: int
    stop: int
    name: str
    begin: int
    end: int


_WORD = r"[A-Z][\w+#]*(?:[.-]\w+)*(?:'s(?= [A-Z]))?"
_BARE = rf"{_WORD}(?: (?:{_WORD}|\d+(?:\.\w+)*))*"
_MARKED = re.compile(
    r"\[`{0,2}(?P<link>[^\]`\n]{2,50})`{0,2}\](?:\([^)\s]*(?: \"[^\"]*\")?\)|\[[^\]\n]*\])"
    r"|(?::[\w:+-]+:)?(?P<ticks>`{1,2})[!~@]{0,2}(?P<code>[^`<\n]{2,60}?)(?: ?<[^>`\n]*>)?(?P=ticks)_{0,2}"
    r"|\*{1,2}(?P<strong>[^*\n]{2,50})\*{1,2}"
    r"|[\"“](?P<quoted>[A-Z][^\"”\n]{2,50})[\"”]"
)
_CAPITAL = re.compile(_BARE)
_CODE = re.compile(r"[A-Za-z_][\w.+-]*\w(?:\(\))?|[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){1,3}")
_VALUES = frozenset("true false none null nil undefined yes no int str bool float list dict object self cls".split())
# A noun that says what the name beside it is, and is no part of it: `the X command uses the Y module`. Behind words
# that nothing marks fewer say so: the Python library is not Python, and REST framework not REST.
_CODE_NOUNS = (
    "project|command|component|service|tool|module|function|class|method|option|flag|library|package|plugin|server"
    "|client|framework|language|parameter|argument|setting|variable|directive|decorator|middleware|extension|interface"
    "|attribute|field|macro|operator|backend|engine|database|format|file|keyword|header|header file"
    "|environment variable|property|trait|struct|type|object|script|utility|program|hook|filter|rule|role|tag|crate"
    "|gem|subcommand|endpoint"
)
_BARE_NOUNS = "project|component|format|standard|specification|algorithm"
_CODE_NOUN, _BARE_NOUN = (
    re.compile(f"[ \\n](?:{nouns})(?![-\\w])") for nouns in (f"(?:{_CODE_NOUNS})s?", _BARE_NOUNS)
)
# A word that can end a name, and what may follow it.
NAMED = re.compile(
    rf"(?:[\"”’*`_\])]|(?<![\w.-])[A-Z][\w.+#-]*|(?<=[A-Z]) [\d.]+|\d|[가-힣])(?:[ \n](?:{_CODE_NOUNS}))?$"
)
_DETERMINER = r"(?:the |The |a |an |A |An )?"
# What may stand before a subject: the beginning of a clause.
_CLAUSE = re.compile(
    rf"(?:^|[.;:!?–—] |\n|^\s*(?:[-*+•]|\d+[.)]) |(?:^|[ (])(?:that|because|since|whereas|but|As of [\w .]+,"
    rf"|In \d{{4}},|By default,|Internally,|Currently,|Now|Note that|[Hh]owever,|[Tt]herefore,|[Aa]dditionally,"
    rf"|[Mm]oreover,) )\s*"
    rf"{_DETERMINER}[\"“*_(]*$"
)
# What may stand after an object: the phrase is over.
_OVER = re.compile(
    r"(?:[)\"”'*_]*)(?:\s*$|[.,;:!?)](?:\s|$)| [–—(-]| +(?:as|for|to|in|on|with|by|from|at|under|via|through|since"
    r"|when|where|which|that|who|and|or|but|instead|because|so|if|unless|while|into|using|internally|directly|behind|version"
    r"|during|before|after|without|within|out of the box|by default|\d[\w.]*\+?|v\d)\b)"
)
_ARTICLE = re.compile("(?:The|An?) ")
_AND = re.compile(r"(?:, and |, | and | as well as |,\n| &  )" + _DETERMINER)
_FIRST = re.compile(rf"[ \n]+{_DETERMINER}(?:Dr\.? |Mr\.? |Mrs\.? |Ms\.? |Prof\.? |Professor )?[(_]*")
_NOUN = re.compile(r"[ \n]([\w+#/-]+(?:\.\w+)*)")
_STOPS = re.compile(
    r"\s*$|[.;)](?:\s|$)|:\s*$| [–—(]"
    r"|, (?:which|that|who|and|or|but|so|where|used|written|with|allowing|making|developed|created)\b"
    r"|[ \n](?:that|which|who|for|to|with|in|from|by|on|whose|where|available|when|as|because|if|since|so|inside|within"
    r"|responsible|capable|similar|you|we|it|they|there|I|\w+ed (?:by|in|on|with|to|for|from|as|at|using|below|above)"
    r"|\w+ing (?:a|an|the|to|your|some|all|one|support|access|information)|written|built|made|called|named|than|too"
    r"|and (?:is|are|was|has|can|will|must|should)|containing"
    r"|shipping|providing|describing|allowing|using|offering|including|consisting"
    r"|covering|shown|as a)(?![-\w])"
)
# Nouns that classify nothing.
_VAGUE = frozenset(
    """example list way good part kind sort subset set number lot bit result thing must matter problem bug
    issue no-op special new single simple common possible required optional different separate bad great
    mistake error side feature change case string integer boolean dict dictionary tuple sequence
    iterable value breaking one few little more much non shame pity work first second third regression
    follow-up followup option concept strength choice idea object helper rule while must-have no-brainer
    copy note summary reference guide question opportunity addition discussion version""".split()
)
_EMPHASIS = re.compile(r"(?:\s[_*]\S*(?=\s))*")  # marked words before a noun belong to no name
_VAGUE_FIRST = frozenset(
    """similar different useful great good simple special new single common separate any some amazing awesome
    major""".split()
)
_JOINING = frozenset(("and", "or", "but"))
# `Natively Thanos`, `Sponsoring ThanosCon`: the first word of a clause says how, or what is done.
_DOING = re.compile(r"[A-Z][a-z]+(?:ing|ly) ")
_MOST_NOUN = 5


class Words:
    """How the words of a document are written: what has an article or stands in small letters names nothing."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.small: Counter[str] = Counter()
        self.article: Counter[str] = Counter()
        for text in texts:
            for before, word in _SMALL.findall(_UNSPOKEN.sub(" ", text)):
                self.small[word] += 1
                self.article[word] += bool(before)

    def common(self, name: str, first: bool) -> bool:
        """Whether a capitalised word is a noun like others. At the `first` of a sentence a capital says little."""
        words = name.split()
        word = words[0].lower()
        if len(words) > 1 and not _INNER.search(name):
            return all(each.lower() in self.small for each in words)
        if not word.isalpha() or name.isupper() or _INNER.search(name):
            return False
        if first:
            return self.article[word] > 0.3 * self.small[word] or word + "s" in self.small
        return word in self.small


_INNER = re.compile(r"(?<=\w)[A-Z]")  # GitHub, SQLite: no noun is written so
_SMALL = re.compile(
    r"(\b(?:a|an|the|this|that|each|every|your|our|any|its|their|no|some|another|these|all)\s)?(?<![\w.])([a-z][a-z]+)(?![\w.])"
)
_UNSPOKEN = re.compile(r"`[^`\n]*`|(?<!\S)\S+\.\w+|https?://\S+")


def subject(text: str, start: int, stop: int, known: Collection[tuple[int, int]], words: Words) -> Argument | None:
    """The name that ends at `stop`, right before a verb, and begins the clause."""
    for begin, end in known:
        if _ends(text, end, stop, _BARE_NOUN) and begin >= start and _CLAUSE.search(text[start:begin]):
            return Argument(begin, end, text[begin:end], begin, end)
    for match in _MARKED.finditer(text, start, stop):
        if _ends(text, match.end(), stop, _CODE_NOUN) and _CLAUSE.search(text[start : match.start()]):
            return _marked(match, words)
    for match in _CAPITAL.finditer(text, start, stop):
        article = _ARTICLE.match(match[0])
        name = _CAPITAL.match(text, match.start() + article.end(), stop) if article else match
        if name is None or not _ends(text, name.end(), stop, _BARE_NOUN):
            continue
        if clause := _CLAUSE.search(text[start : name.start()]):
            return _bare(name, words, first=not clause[0].lower().rstrip('"“*_(').endswith(("the ", "a ", "an ")))
    return None


def _ends(text: str, end: int, stop: int, noun: re.Pattern[str]) -> bool:
    """Whether a name that ends there is followed by nothing, or by a noun that says what it is."""
    return end == stop or (end < stop and noun.fullmatch(text, end, stop) is not None)


def objects(
    text: str, at: int, stop: int, known: Collection[tuple[int, int]], words: Words, many: bool = True
) -> list[Argument]:
    """The names that follow a verb at `at`, as many as are listed; none if the phrase goes on."""
    found: list[Argument] = []
    gap = _FIRST.match(text, at, stop)
    while gap:
        one = _object(text, gap.end(), stop, known, words)
        if one is None or (one.name.isupper() and gap[0].split()[-1:] in (["a"], ["an"])):
            break
        found.append(one)
        at = one.end
        gap = _AND.match(text, at, stop) if many else None
    marked = all(each.end > each.stop for each in found)
    if found and (marked or len(found) == 1):
        noun = (_CODE_NOUN if marked else _BARE_NOUN).match(text, at, stop)
        at = noun.end() if noun and not text.startswith(" to be ", noun.end()) else at
    # `picture and image tags`: a noun that follows the last is what all of them qualify.
    return found if found and _OVER.match(text[:stop], at) else []


def _object(text: str, at: int, stop: int, known: Collection[tuple[int, int]], words: Words) -> Argument | None:
    match = _MARKED.match(text, at, stop)
    if match:
        return _marked(match, words)
    for begin, end in known:
        if begin == at:
            return Argument(begin, end, text[begin:end], begin, end)
    capital = _CAPITAL.match(text, at, stop)
    return _bare(capital, words, first=False) if capital else None


def _bare(match: re.Match[str], words: Words, first: bool) -> Argument | None:
    name = match[0]
    parts = name.split()
    if len(parts) > 5 or len(name) < 2 or "_" in name:
        return None
    if parts[0] in ORDINARY or (len(parts) == 1 and len(name) < 3 and not name.isupper()):
        return None
    if first and _DOING.match(name):
        return None
    if words.common(name, first):
        return None
    return Argument(match.start(), match.end(), name, match.start(), match.end())


def _marked(match: re.Match[str], words: Words) -> Argument | None:
    """A name that the text marks. In code any identifier is one; a link or emphasis needs a capital, or a hyphen."""
    group = next(name for name in ("link", "code", "strong", "quoted") if match[name] is not None)
    raw = match[group]
    name = raw.strip()
    if not _CODE.fullmatch(name) or name.lower().removesuffix("()") in _VALUES or (name.isupper() and len(name) < 3):
        return None
    if name.islower() and name.isalpha() and (group != "code" or words.common(name.capitalize(), first=True)):
        return None
    if group != "code" and (name.split()[0] in ORDINARY or (" " in name and name.islower())):
        return None
    begin = match.start(group) + raw.index(name)
    return Argument(begin, begin + len(name), name, match.start(), match.end())


def kind(text: str, at: int, stop: int) -> Argument | None:
    """The common noun that follows `is a`, with what qualifies it: `task queue`. A bare noun says too little."""
    start = at
    for _ in range(_MOST_NOUN):
        match = _NOUN.match(text, at, stop)
        if match is None:
            return None
        at = match.end()
        if _STOPS.match(text[:stop], at):
            break
    else:
        return None
    marked = _EMPHASIS.match(text, start, at)
    start = marked.end() if marked else start
    words = text[start:at].split()
    if words[-1] in _JOINING:
        at -= len(words.pop()) + 1
    head = " ".join(words).partition(" of ")[0].rsplit(" ", 1)[-1].lower()
    if len(words) < 2 or words[0] in _VAGUE_FIRST or head in _VAGUE:
        return None
    if not head.isalpha() or head.endswith(("ly", "ed")):
        return None
    return Argument(start + 1, at, " ".join(words), start + 1, at)


def spoken(text: str) -> Iterator[tuple[int, int]]:
    """The (start, stop) of each sentence; a line that is only wrapped goes on in the next."""
    start = 0
    for match in _END.finditer(text):
        width = match.start() - (text.rfind("\n", 0, match.start()) + 1)
        wrapped = match[0] == "\n" and width >= _WRAPPED and text[match.start() - 1] not in _ENDS
        if wrapped and not _ITEM.match(text, match.end()):
            continue
        yield start, match.start()
        start = match.end()
    yield start, len(text)


_SHORT = "".join(rf"(?<!\b{each}\.)" for each in (*"Dr Mr Ms Mrs St No Prof".split(), r"e\.g", r"i\.e"))
_END = re.compile(_SHORT + r"(?<=[.!?。！？])\s+|\n\s*\n|\n")
_ITEM = re.compile(r"\s*(?:[-*+•|>#]|\d+[.)]|\.\.)")
_ENDS = ".!?。！？"
_WRAPPED = 45  # characters from which a line may have been wrapped
