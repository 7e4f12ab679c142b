"""What the messages of past commits say, as questions read it.

Knows which words the messages of the commits that HEAD reaches hold, and BM25 over these
alone: a clone's history store knows commits of other branches, too, and ones that were
amended since, and no answer may depend on what was looked at before.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from heapq import nlargest
from math import log

from .database import numbers
from .past import Past
from .wording import first_words, learn_frequencies, stems_of

_K1, _B = 1.2, 0.75  # BM25, as SQLite has them
_SHARED = 256  # words whose commits are kept for the next question
_DOCS = "SELECT group_concat(doc) FROM entry_terms WHERE term=?"
_LEAST = 1e-6  # the weight of a word that more than half of the messages hold


class Messages(Past):
    """The messages of the commits that the index lies on."""

    def match_commits(self, phrases: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """(commit, BM25) of reached commits whose message holds any of the phrases, best first; of equals the newest.

        Each phrase counts as one word does.
        """
        if self.past is None:
            return []
        scores: dict[int, float] = {}
        for stems in filter(None, stems_of(phrases)):
            shares = self._shares(stems)
            if scores:
                for entry, share in shares.items():
                    scores[entry] = scores.get(entry, 0.0) + share
            else:
                scores = shares.copy()
        edge = min(nlargest(limit, scores.values()), default=0.0)
        distance = self.distance  # whatever this clone's ids are
        found = [(entry, score) for entry, score in scores.items() if score >= edge]
        found.sort(key=lambda row: (-row[1], distance[row[0]]))
        return found[:limit]

    def _shares(self, stems: tuple[str, ...]) -> dict[int, float]:
        """Reached commit → what these stems, one after the other in its message, add to its score."""
        known = self._shared
        if stems not in known:
            if len(known) >= _SHARED:
                known.clear()
            held, distance = self._holding(stems), self.distance
            if self._unreached:
                held = {entry: held[entry] for entry in held.keys() & distance.keys()}
            lengths, norms = self._lengths, self._norms
            weight = max(_LEAST, log((self._spoken_for - len(held) + 0.5) / (len(held) + 0.5))) * (_K1 + 1)
            known[stems] = {
                entry: weight * count / (count + norms[lengths[distance[entry]]]) for entry, count in held.items()
            }
        return known[stems]

    @cached_property
    def _shared(self) -> dict[tuple[str, ...], dict[int, float]]:
        """What `_shares` found, for the next question."""
        return {}

    def _holding(self, stems: Sequence[str]) -> Mapping[int, int]:
        """Commit → how often its message holds these stems, one after the other."""
        assert self.past is not None
        if len(stems) == 1:
            return Counter(numbers(self.past, _DOCS, *stems))
        find = "SELECT doc, offset - ? FROM entry_terms WHERE term=?"
        starts = set(self.past.execute(find, (0, stems[0])))
        for after, stem in enumerate(stems[1:], 1):
            starts.intersection_update(self.past.execute(find, (after, stem)))
        return Counter([entry for entry, _ in starts])

    @cached_property
    def _lengths(self) -> array[int]:
        """How many words the message of each commit in `reach` has; 0 for one that touched nothing."""
        stored = self.header.get("lengths")
        return array("H", stored if isinstance(stored, bytes) else b"")

    @cached_property
    def _spoken_for(self) -> int:
        """How many reached commits have a message that counts."""
        return len(self._lengths) - self._lengths.count(0)

    @cached_property
    def _norms(self) -> list[float]:
        """What BM25 adds for the length of a message, by its length."""
        lengths = self._lengths
        usual = sum(lengths) / max(1, self._spoken_for) or 1.0
        return [_K1 * (1 - _B + _B * length / usual) for length in range(max(lengths, default=0) + 1)]

    def spoken_words(self, words: Sequence[str], most: int) -> list[tuple[str, str, int]]:
        """(word, its stem, reached commits whose message holds it) of the words that one holds, and at most `most`."""
        if self.past is None:
            return []
        first, known = first_words(words), self.spoken
        new = [stem for stem in first if stem not in known]
        learn_frequencies(self.past, "entry_vocab", new, known)
        for stem in new if self._unreached else ():
            if 0 < known[stem] <= most + self._unreached:  # no need to count more exactly what is too many
                known[stem] = len(self.commits_saying(stem))
        return [(word, stem, known[stem]) for stem, word in first.items() if 0 < known[stem] <= most]

    @cached_property
    def spoken(self) -> dict[str, int]:
        """Stem → reached commits whose message holds it, of the stems that were asked for."""
        return {}

    @cached_property
    def _unreached(self) -> int:
        """How many commits the history store knows that HEAD does not reach: of other branches, or amended since."""
        assert self.past is not None
        known: int = self.past.execute("SELECT count(*) FROM entry").fetchone()[0]
        return known - len(self.reach)

    def commits_saying(self, stem: str) -> Sequence[int]:
        """The reached commits whose message holds a stem."""
        if self.past is None:
            return []
        if stem not in self._saying:
            said = set(numbers(self.past, _DOCS, stem))
            self._saying[stem] = array("I", sorted(said & self.distance.keys()))
        return self._saying[stem]

    @cached_property
    def _saying(self) -> dict[str, array[int]]:
        return {}
