"""Text as the words it is searched by, and questions as weighted terms.

Knows identifiers (split), CJK (pairs of characters), stems, and which words of a
question carry nothing. The full-text index, memory and questions all go through
`words`, so what is written one way is found the other way.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from ..extract.words import split_identifiers
from .stem import stem

VERSION = "1"  # of how text becomes words; another one rebuilds the full-text index

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_MEMO = 1 << 17

# Words of a question that say what kind of answer is wanted, not what it is about.
STOP_WORDS = frozenset(
    """a about above after again all also am an and any anybody anyone anything are aren as at be because been
    before being below between both but by can cannot could couldn d did didn do does doesn doing don done
    down during each either else ever every few for from further get gets getting give given go goes going
    got had hadn has hasn have haven having he her here hers herself him himself his how however i if in
    into is isn it its itself just know let ll m made make makes many may me might mine more most much must
    my myself need needs no nor not now of off often on once one only or other our ours ourselves out over
    own per please put re s said same say says shall she should shouldn show so some somebody someone
    something still such t take takes tell than that the their theirs them themselves then there these they
    thing things this those through to too under until up upon us use used uses using ve very was wasn we
    were weren what whatever when whenever where wherever whether which while who whoever whom whose why
    will with within without won would wouldn you your yours yourself yourselves yes happen happened mean
    means want wants wanted kind sort way ways""".split()
)
# Korean words that ask, and what hangs behind a noun or a verb.
_KOREAN_STOP = frozenset(
    """무엇 무엇인가 무엇인가요 무엇입니까 무슨 뭐 뭔가요 뭐예요 뭐야 어떤 어떻게 어디 어디서 어디에 어디에서
    어디인가요 언제 언제인가요 언제까지 언제부터 누가 누구 누구인가요 누구에게 왜 얼마 얼마나 얼마인가요 몇
    며칠 몇일 몇시 몇개 있나요 있습니까 있는지 있는가 있는 있다 있어 없나요 없는 되나요 됩니까 되는지 되는
    된다 하나요 합니까 하는지 하는 하면 한다 해야 할 수 것 그 이 저 등 및 또는 그리고 대한 대해 대하여 관한
    관해 위한 위해 경우 때 중 좀 알려줘 알려주세요 설명해줘 인가요 입니까 인지 건가요 나요 해줘 어느 해요
    주세요 가능한가요 필요한가요 안에 내에 동안 되나요""".split()
)
_ENDINGS = sorted(
    """은 는 이 가 을 를 의 에 에서 에게 께 께서 한테 으로 로 와 과 랑 이랑 도 만 까지 부터 마다 보다 처럼 같이
    이나 나 라도 이라도 이란 란 이라는 라는 이라고 라고 인가요 인가 인지 입니까 입니다 이다 이에요 예요
    였나요 이었나요 하나요 합니까 합니다 하는 하려면 하면 하기 하고 하여 해서 해야 했다 했나요 했습니까 한다
    한 할 함 되나요 됩니까 됩니다 되는 된 될 되면 에는 에도 에만 에서는 에서도 으로는 으로도 로는 에게는
    까지는 부터는 들 들은 들이 들을 들의 이며 이고 이면 시 적 적인 적으로""".split(),
    key=len,
    reverse=True,
)


def is_cjk(text: str) -> bool:
    """Whether a text has characters that are searched in pairs."""
    return _CJK.search(text) is not None


def folded(text: str) -> str:
    """One form of each letter: compatibility forms, composed syllables, no accents on Latin letters."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    if _ACCENTED.search(text):
        text = _ACCENTED.sub(_bare, text)
    return text


_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")


def _bare(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFD", match[0])[0]


class _Stems(dict[str, str]):
    """Stems of words seen. A cache: what it holds changes no answer."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MEMO:
            self.clear()
        found = self[word] = stem(word)
        return found


_stems = _Stems()


def words(text: str) -> list[str]:
    """The words of a text in order: identifiers split, CJK as pairs, stemmed."""
    split = split_identifiers(folded(text)).lower().replace("_", " ").split()
    return list(map(_stems.__getitem__, split))


def indexed(text: str) -> str:
    """The text as the full-text index takes it."""
    return " ".join(words(text))


@dataclass(frozen=True)
class Term:
    """One word of a question: the index terms that stand for it, and whether the last is a prefix."""

    word: str
    parts: tuple[str, ...]
    prefix: bool = False


_TOKEN = re.compile(r"[\w][\w.\-/#+']*|\w", re.UNICODE)
_MAX_TERMS = 48
_MAX_QUESTION = 20_000


def terms(question: str) -> list[Term]:
    """What a question is about, in order, without what only asks. Every string is a question."""
    text = folded(question[:_MAX_QUESTION].replace("\0", " ").encode("utf-8", "replace").decode("utf-8"))
    found: dict[tuple[str, ...], Term] = {}
    asked: dict[tuple[str, ...], Term] = {}
    for match in _TOKEN.finditer(text):
        word = match[0].rstrip(".-/'")
        bare = word.removesuffix("'s").lower()
        if is_cjk(word):
            into = asked if bare in _KOREAN_STOP else found
            core = _without_ending(bare)
            if core in _KOREAN_STOP:
                into = asked
            prefix = len(core) == 1 and is_cjk(core)
        else:
            into, core, prefix = (asked if bare in STOP_WORDS else found), word.removesuffix("'s"), False
        parts = tuple(dict.fromkeys(words(core)))
        if not is_cjk(core):
            kept = tuple(p for p in parts if p not in STOP_WORDS and (len(p) > 1 or p.isdigit() or len(parts) == 1))
            parts = kept or parts
        if parts and len(found) < _MAX_TERMS:
            into.setdefault(parts, Term(bare, parts, prefix))
    # A question of stop words asks nothing; a single one is meant as a word.
    return list((found or (asked if len(asked) == 1 else {})).values())


def _without_ending(word: str) -> str:
    """A Korean word without the particle or ending that hangs behind it, if at least two syllables stay."""
    if not "\uac00" <= word[-1:] <= "\ud7af":
        return word
    for _ in range(2):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 2:
                word = word[: -len(ending)]
                break
        else:
            break
    return word
