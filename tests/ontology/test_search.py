"""Search: what it finds, what it leaves out, and that its scores say what they are made of."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oracl_git.ontology import words
from oracl_git.ontology.search import Corpus, search
from oracl_git.ontology.stem import stem

from .conftest import World

LIBRARY = {
    "guide.md": "# Guide\n\n## Installing\n\nRun the installer and restart the machine.\n\n## Refunds\n\nA refund is paid within seven days.\n",
    "retry.md": "# Retries\n\nThe retry budget is decided by RetryBudget in net/retry.py; three attempts are made.\n",
    "계약서.md": "# 공급 계약서\n\n제1조 공급자는 물품을 매월 말일까지 납품한다.\n\n제2조 대금은 검수 후 30일 이내에 지급한다.\n",
    "환불.txt": "환불은 물건을 돌려받은 날부터 7일 이내에 처리합니다.\n",
    "secret.txt": "The private combination of the safe is periwinkle.\n",
}


@pytest.fixture
def library(world: World) -> World:
    for name, text in LIBRARY.items():
        world.write(f"docs/{name}", text)
    world.register("docs")
    world.register("docs/secret.txt", "private")
    world.ingest()
    return world


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("how many days until a refund is paid?", "docs/guide.md"), ("where is the retry budget decided", "docs/retry.md"),
        ("RetryBudget", "docs/retry.md"), ("retry_budget", "docs/retry.md"), ("대금은 언제까지 지급하나요?", "docs/계약서.md"),
        ("납품 기한", "docs/계약서.md"), ("환불은 며칠 안에 되나요", "docs/환불.txt"), ("물건", "docs/환불.txt"),
        ("installation", "docs/guide.md"), ("refunded", "docs/guide.md"),
    ],
)  # fmt: skip
def test_it_finds(library: World, question: str, place: str) -> None:
    assert library.uris(question)[:1] == [place]


@pytest.mark.parametrize(
    "question",
    [
        "kubernetes autoscaler quota", "how do I bake sourdough bread", "양자 컴퓨터의 큐비트 수", "what is the", "?!", "", "   ", "\0", "\ud800",
        "who won the football championship in 1987", "고래는 어디에 사나요",
    ],
)  # fmt: skip
def test_a_question_without_an_answer_gets_none(library: World, question: str) -> None:
    assert library.uris(question) == []


def test_private_is_seen_only_when_asked_for(library: World) -> None:
    assert library.uris("private combination of the safe") == []
    assert library.uris("private combination of the safe", "private") == ["docs/secret.txt"]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["AND", "OR", "NOT", "NEAR(", '"', "*", "^", "(", ")", "heading:", "-", "refund", "환불", "periwinkle", "\0", "\ud800", "combination"]), max_size=12).map(" ".join)
)  # fmt: skip
def test_every_string_is_a_question_and_no_scope_leaks(library: World, question: str) -> None:
    with library.runtime() as runtime:
        for scopes in (("public",), ("internal",), ("public", "internal")):
            for hit in search(Corpus(runtime.reader, scopes), runtime.adapter, question):
                assert hit.scope in scopes and "periwinkle" not in hit.text
                assert 0 <= hit.confidence <= 1 and 0 <= hit.score <= 1 + 1e-9
                assert abs(sum(share for _, _, share in hit.reasons) - hit.score) < 1e-6


def test_no_statistic_of_a_hidden_passage_moves_a_score(library: World) -> None:
    with library.runtime() as runtime:
        before = [(hit.uri, hit.score) for hit in runtime.search("retry budget")]
    for number in range(5):
        library.write(f"docs/hidden/{number}.txt", "retry budget retry budget\n")
    library.register("docs/hidden", "private")
    library.ingest()
    with library.runtime() as runtime:
        assert [hit.uri for hit in runtime.search("retry budget")] == [uri for uri, _ in before]


def test_spans_are_exact(library: World) -> None:
    with library.runtime() as runtime:
        (hit,) = [hit for hit in runtime.search("refund paid") if hit.uri == "docs/guide.md"]
    first, last = (int(part) for part in hit.location.removeprefix("L").split("-"))
    lines = LIBRARY["guide.md"].splitlines()
    assert hit.heading.endswith("Refunds") and "A refund is paid" in "\n".join(lines[first - 1 : last])
    assert hit.text.splitlines()[-1] == lines[last - 1]


def test_an_explanation_names_the_words(library: World) -> None:
    with library.runtime() as runtime:
        hit = runtime.search("retry budget")[0]
    assert any(signal == "words" and "retry" in text and "budget" in text for signal, text, _ in hit.reasons)


@settings(max_examples=300)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_a_stem_is_no_longer_than_its_word(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1 and stem(word) == stem(word)


@pytest.mark.parametrize(
    ("group", "same"), [("connect connected connecting connection connections", "connect"), ("relate related relating", "relat"),
                        ("refund refunds refunded refunding", "refund"), ("policy policies", "polici")],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(group: str, same: str) -> None:
    assert {stem(word) for word in group.split()} == {same}


@settings(max_examples=200)
@given(st.text(max_size=80))
def test_questions_have_terms_or_none_and_never_raise(text: str) -> None:
    for term in words.terms(text):
        assert term.parts and all(part and " " not in part for part in term.parts)


def test_decomposed_hangul_is_the_same_word() -> None:
    import unicodedata

    assert words.words(unicodedata.normalize("NFD", "계약서 café")) == words.words("계약서 cafe")


def test_the_only_passage_that_answers_has_the_whole_score(library: World) -> None:
    with library.runtime() as runtime:
        (hit,) = runtime.search("물건")
    assert hit.score == pytest.approx(1.0) and sum(share for _, _, share in hit.reasons) == pytest.approx(hit.score)


def test_an_answer_names_each_artifact_it_documents_and_no_code_of_another_scope(world: World) -> None:
    names = ["alpha", "beta", "gamma", "delta", "epsilon"]
    files: dict[str, str | bytes] = {f"very/long/path/of/packages/{name}_reader.py": f"def {name}_reader(): ...\n" for name in names}
    guide = "# Readers of the archive\n\nThe readers of the archive are " + ", ".join(f"`{name}_reader.py`" for name in names) + ".\n"
    world.commit({**files, "docs/guide.md": guide, "docs/hidden.md": "# Vault\n\nThe vault of the archive is behind the readers.\n"})
    world.run("init", "--no-hooks")
    world.register("docs")
    world.register("docs/hidden.md", "private")
    world.ingest()
    out = world.run("ontology", "query", "which readers has the archive", COLUMNS="80")
    line = next(line for line in out.splitlines() if " documents " in line)
    assert "very/long/path/of/packages/alpha_reader.py (alpha_reader)" in line and len(line) <= 160
    out = world.run("ontology", "query", "what is the vault of the archive behind", code=None)
    assert "hidden.md" not in out and "hidden.md" in world.run("ontology", "query", "what is the vault of the archive behind", "--private")


def test_what_no_adapter_reads_is_no_document_that_could_not_be_read(world: World) -> None:
    world.write("docs/main.xyz", "x")
    world.write("docs/broken.json", "{")
    world.register("docs")
    world.ingest()
    world.run("ontology", "query", "zeppelin", code=1)
    assert "1 document could not be read" in world.err
