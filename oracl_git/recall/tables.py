"""Every published constant of recall, in one place.

Knows token classes, boosts, aliases, personas and ranking weights. Printed by
`git oracl stats --parameters`; `--explain` shows each one at work.
"""

from __future__ import annotations

from typing import NamedTuple


class Width(NamedTuple):
    """How long a run of passages gets: a line costs 1 / price of the whole file's worth; the most lines of several."""

    price: int
    most: int


# Eq. 11
TOKEN_WEIGHTS = {"entity": 5.0, "type": 2.0, "stop": 0.1}
FIELD_BOOSTS = {"name": 3.0, "symbol": 2.5, "path": 2.0, "heading": 1.5, "tag": 1.0, "text": 0.5}
AMPLIFICATION = 0.25

STOP_WORDS = frozenset(
    """
    a about after all also an and any are as at be because been but by can could did do does doing don for from get
    gets had has have how i if in into is it its just like make makes me more most my no nor of on onto only or other
    our out over own please shall she should show so some such than that the their them then there these they this
    those through to too under up use used uses using very was we were what when where which while who whom why will
    with within would you your
    """.split()
)

# Words that name a kind of file → (role, content type); either may be "".
TYPE_WORDS: dict[str, tuple[str, str]] = {
    "test": ("tests", ""), "tests": ("tests", ""), "testing": ("tests", ""),
    "spec": ("tests", ""), "specs": ("tests", ""),
    "unittest": ("tests", ""), "unittests": ("tests", ""),
    "doc": ("docs", ""), "docs": ("docs", ""), "documentation": ("docs", ""), "documents": ("docs", ""),
    "readme": ("docs", ""), "manual": ("docs", ""),
    "config": ("config", ""), "configs": ("config", ""), "configuration": ("config", ""), "settings": ("config", ""),
    "code": ("code", ""), "source": ("code", ""), "sources": ("code", ""), "implementation": ("code", ""),
    "report": ("", "report"), "reports": ("", "report"), "audit": ("", "report"),
    "issue": ("", "issue"), "issues": ("", "issue"),
    "instructions": ("", "instruction"), "guide": ("", "instruction"), "guides": ("", "instruction"),
    "tutorial": ("", "instruction"), "runbook": ("", "instruction"), "runbooks": ("", "instruction"),
}  # fmt: skip
ROLES = ("code", "tests", "docs", "config")

# Words that mean each other in code; each is searched, at a lower weight, for the others.
SYNONYMS: dict[str, tuple[str, ...]] = {}
for _group in (
    "config configuration settings", "doc docs documentation", "auth authentication login",
    "authz authorization permission",
    "db database", "delete remove", "dir directory folder", "err error exception failure", "msg message",
    "param parameter argument arg", "env environment", "repo repository", "init initialize initialise setup",
    "async asynchronous", "cmd command", "dep dependency requirement", "func function", "var variable",
    "perf performance", "regex regexp", "async await", "url uri", "cache memoize", "timeout deadline",
):  # fmt: skip
    _words = tuple(_group.split())
    for _word in _words:
        SYNONYMS[_word] = tuple(dict.fromkeys((*SYNONYMS.get(_word, ()), *(w for w in _words if w != _word))))

# Persona → multiplier by file suffix (default 1).
PERSONAS: dict[str, dict[str, float]] = {
    "developer": {},
    "reviewer": {"py": 1.1, "js": 1.1, "ts": 1.1, "go": 1.1, "rs": 1.1, "toml": 1.1, "yml": 1.1, "yaml": 1.1},
    "writer": {"md": 1.5, "rst": 1.5, "txt": 1.4, "adoc": 1.5},
    "operator": {"yml": 1.4, "yaml": 1.4, "toml": 1.3, "ini": 1.3, "cfg": 1.3, "sh": 1.4, "ps1": 1.4, "conf": 1.4},
    "agent": {"md": 1.2, "json": 1.1, "toml": 1.1},
}
DEFAULT_PERSONA = "developer"

DAY = 86_400

# -- hybrid search: weight of each signal; each is divided by its best value for the question ----------
SEARCH = {
    "path": 1.0,  # words in the path
    "names": 0.5,  # words in definitions and headings
    "passage": 0.9,  # the best chunk
    "text": 0.8,  # all chunks that matched
    "history": 1.1,  # messages of commits that touched it
    "exact": 0.6,  # an identifier or path of the question, exactly
    "meaning": 0.9,  # the passage nearest in meaning: not divided by its best, see SURE
}
NEAREST = 200  # passages whose meaning is compared in full
SURE = 0.5  # meaning is ((cosine − that of the last of them) / SURE)²: a faint likeness weighs little
NEAR, NEAR_BEST = 0.3, 0.72  # cosine, and share of the best, that a file no word leads to must have
# A file that was opened for this question before, and a person approved that it be learned:
ASKED = 10.0  # more than all else together: × the confidence × how alike the questions are (shared words / all words)
ASKED_ALIKE = 0.75  # less alike questions are other questions
# The message of an error: its words in a row, as the code has them that says it.
MESSAGE = 2.5  # × BM25 of the best chunk with so many words in a row, / best
MESSAGE_ROW, MESSAGE_ROWS = 3, 40  # words of a row; rows that are looked for
# A text with places in files of this repository (a stack trace, a compiler's message) is asked otherwise:
TRACE = 3.0  # the fault; the k-th file it came by counts 1/k of that
TRACE_WORDS = 0.1  # the weights above, for the text's words, beside it
TRACE_LINES = 60  # of a fragment around a place
# The lines of a result: the run of passages that is worth most for its length. A line of a passage that matches is
# worth 2^(the sum of these), a line of any other 1; a run is worth its share of the whole file's, less its price:
LINES_BM25 = 4.0  # BM25 of the passage, / the best in the file
LINES_TITLE = 1.5  # the share of its title's words that the question has
LINES_MEANING = 0.7  # it is the file's nearest in meaning
RANGE = Width(price=2_000, most=250)  # what belongs to the answer
FOCUS = Width(price=200, most=100)  # where in it to look first
LINES_NAMED = 12  # a definition that is named is the answer; a shorter one is shown with what is around it
SNIPPET = 12  # lines of the focus that are shown
LINES_UNIT = 100  # worth is counted in whole hundredths
RECENCY = 0.2  # score × (1 + RECENCY · 2^(−age / RECENCY_DAYS))
RECENCY_DAYS = 125
CHUNK_TITLE, CHUNK_BODY = 1.5, 1.0
CHUNK_POOL, FILE_POOL, COMMIT_POOL = 1_500, 600, 200
WORDS = 200  # distinct words of a question that are searched
POOL = 300  # candidates that are ranked to the end
COMMIT_POWER = 3  # the history signal is the COMMIT_POWER-norm of the scores of matching commits
COMMIT_FILES = 30  # a commit that touched more says nothing of each
ROLE_PRIOR = {"code": 1.0, "tests": 1.05, "docs": 0.95, "config": 1.1}
ROLE_LEAN = 1.25  # when the question names the kind
ROLE_ASKED = 1.6  # when the kind is what it asks for: "tests of …", "documentation about …"
SPOKEN_TESTS = 0.85  # tests, when it asks how, where or why and names no kind: that is answered by what they test
ASIDE = 0.6  # copies of other projects' code, old versions, lists of changes, when it asks for none (see aside.py)

# -- related: weight of each signal, scaled as in search ----------------------------------------------
RELATED = {
    "together": 0.9,  # P(other | this): share of this file's commits that touch the other
    "cosine": 0.6,  # the same, made fair to files that change often
    "walk": 0.3,  # two steps of it
    "topic": 0.8,  # messages of commits on the other speak of what those on this one speak of
    "terms": 1.2,  # the file's own rarest words
    "meaning": 0.5,  # what the two files say as wholes is alike
    "recency": 0.1,  # it changed lately
    "graph": 0.4,  # edges either way, by R̂
    "tests": 0.8,  # one tests the other
    "configures": 0.5,  # one configures the other
    "path": 0.45,  # words of its path, the rarer the more
}
FROM_HISTORY = ("together", "cosine", "walk")
TRUST = 4  # a file with n commits: its history counts n / (n + TRUST)
RELATED_PRIOR = {  # what is asked of → what is found
    "code": {"code": 1.0, "tests": 1.2, "docs": 1.2, "config": 1.25},
    "tests": {"code": 1.2, "tests": 1.05, "docs": 1.05, "config": 1.5},
    "docs": {"code": 1.05, "tests": 1.0, "docs": 1.05, "config": 1.3},
    "config": {"code": 1.0, "tests": 1.15, "docs": 1.05, "config": 1.4},
}
HALF_LIFE = 1_000  # commits
OWN_TERMS = 60
POSTINGS = 4_000  # chunks one question may look at for them
NEARBY = 100  # of those that the other signals find, the best: `meaning` and `recency` are looked up for these
COMMON = 0.1  # a word in more than this share of all chunks, or paths, is nobody's own
FEW = 20  # paths that may have it in any case
K1 = 1.2  # BM25
RARE_POWER = 2  # how much more a rarer word weighs
SIZE_POWER, SIZE_FLOOR = 0.2, 0.1  # a larger file has more of every word; this share of the mean size is added to each
RELATED_COMMITS = 400  # of one file, newest first
WALK_COMMITS = 60  # of each file that the walk goes on from
TOPIC_COMMITS = 60  # of them, whose subjects say what a file is about
TOPIC_WORDS, TOPIC_POSTINGS = 20, 1_000  # words looked up, and commits that may hold them, all together
TOPIC_POOL = 300  # commits that count
TOPIC_POWER = 2  # a commit counts the TOPIC_POWER-th power of its score
