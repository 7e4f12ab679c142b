"""The words that are looked for before a risk rule's pattern stand in all that the pattern finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracl_git.extract.languages import GRAMMARS
from oracl_git.extract.risks import risks, rules

RULES = [(language, *rule) for language in sorted(GRAMMARS) for rule in rules(language)]


@pytest.mark.parametrize(
    ("language", "rule", "words", "pattern"), RULES, ids=[f"{language}-{rule}" for language, rule, _, _ in RULES]
)
def test_whatever_a_pattern_finds_holds_one_of_its_words(
    language: str, rule: str, words: list[bytes], pattern: re.Pattern[bytes]
) -> None:
    @settings(max_examples=60)
    @given(st.from_regex(pattern, fullmatch=True))
    def law(code: bytes) -> None:
        assert any(word in code for word in words)
        assert (rule, 1) in [(name, min(count, 1)) for name, count in risks(code, language, ())]

    law()


def test_there_are_rules_to_try() -> None:
    assert {language for language, *_ in RULES} >= {"c", "csharp", "go", "java", "javascript", "php", "ruby", "rust"}
