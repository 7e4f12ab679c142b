"""What messages say is weighed among the commits that HEAD reaches, as SQLite would if it knew no others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.git import discover
from oracl_git.recall.words import any_of
from oracl_git.service import Oracl
from oracl_git.store.index import Index
from tests.conftest import Git

WORDS = "fix price of cart, prices: add_item to Basket README for fixes".split()
PHRASES = ["fix price", "add item", "readme for", "cart prices", "prices prices", "none", "-"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Any:
    place = Git(tmp_path_factory.mktemp("said")).init("shop")
    for number in range(60):
        said = " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 3 + number % 17))
        place.commit(f"{said}\n\nWhy: {said * (number % 3)}", {f"f{number % 7}.txt": f"{number}\n"})
    with Oracl.at(str(place.path)) as oracl:
        oracl.update()
    return place


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([*WORDS, *PHRASES]), max_size=6))
def test_scores_are_those_of_full_text(repo: Any, phrases: list[str]) -> None:
    with Index(discover(str(repo.path))) as index:
        found = dict(index.match_commits(phrases, 1000))
        asked = any_of(phrases)
        scored = "SELECT rowid, -bm25(entry_fts) FROM entry_fts WHERE entry_fts MATCH ?"
        assert index.past is not None
        truth = dict(index.past.execute(scored, (asked,))) if asked else {}
        assert found == pytest.approx(truth, rel=1e-12)
        best = index.match_commits(phrases, 5)
        assert [score for _, score in best] == sorted(found.values(), reverse=True)[:5]


@pytest.mark.parametrize("reached", ["HEAD~50", "HEAD~3", "HEAD"])
def test_commits_that_head_does_not_reach_count_for_nothing(repo: Any, git: Any, reached: str) -> None:
    oid = repo("rev-parse", reached)
    fresh = git.clone(repo, "fresh")
    fresh("checkout", "-q", "--detach", oid)
    knowing = git.clone(repo, "knowing")
    with Oracl.at(str(knowing.path)) as oracl:
        oracl.update()  # it read all of them
    knowing("checkout", "-q", "--detach", oid)
    answers = []
    for place in (fresh, knowing):
        with Oracl.at(str(place.path)) as oracl:
            oracl.update()
            index = oracl.index
            oids = {entry: line[0] for entry, line in index.commit_lines(list(index.reach)).items()}
            answers.append((
                [(oids[entry], score) for entry, score in index.match_commits(["fix", "price", "cart prices"], 12)],
                index.spoken_words(["fix", "price", "basket", "why", "none"], 30),
                [oids[entry] for entry in sorted(index.commits_saying("price"), key=index.distance.__getitem__)],
            ))  # fmt: skip
    assert answers[0] == answers[1]
    assert answers[0][0]
