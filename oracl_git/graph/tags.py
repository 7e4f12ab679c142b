"""Tags: pure functions of a path, the tracked settings and the file's facts.

Knows the seven fields of the paper, the structural tags that extraction adds
and how learned tags merge last. Knows nothing of edges.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import parameters
from .stems import is_test, split_name

if TYPE_CHECKING:  # who asks for a path's tags need not load what reads files
    from ..extract.facts import Facts
    from .governance import Governance

_CONFIG_SUFFIXES = frozenset("toml yaml yml ini cfg json jsonl conf properties env".split())
_CONFIG_NAMES = frozenset(
    "Makefile Dockerfile .gitignore .gitattributes .editorconfig tox.ini setup.py requirements.txt go.mod Gemfile "
    "MANIFEST.in CODEOWNERS".split()
)
_PROSE_SUFFIXES = frozenset("md rst txt adoc markdown rest org".split())
_REPORT = re.compile(r"(^|[/_-])(reports?|audit|postmortem|summary)([/_.-]|$)", re.I)
_ISSUE = re.compile(r"(^|[/_-])(issues?|bugs?|tickets?|ISSUE_TEMPLATE)([/_.-]|$)", re.I)
_INSTRUCTION = re.compile(
    r"(^|[/_-])(readme|contributing|install|howto|how-to|guides?|tutorials?|instructions?|runbooks?|agents|claude|"
    r"copilot-instructions|skills?)([/_.-]|$)",
    re.I,
)
# Ordered from least to most protective; a learned tag may only move right.
_LADDERS = {
    "classification": tuple(parameters.CLASSIFICATION),
    "sensitivity": tuple(parameters.SENSITIVITY),
}


def role(path: str) -> str:
    """tests | docs | config | code: what kind of file a reader would call it."""
    if is_test(path):
        return "tests"
    _, _, suffix = split_name(path)
    name = path.rpartition("/")[2]
    if suffix in _PROSE_SUFFIXES and name not in _CONFIG_NAMES:
        return "docs"
    if name in _CONFIG_NAMES or suffix in _CONFIG_SUFFIXES or (name.startswith(".") and not suffix):
        return "config"
    return "code" if suffix else "docs" if name.isupper() else "config"


def content_type(path: str) -> str:
    """report | issue | instruction | test | config | generic."""
    kind = role(path)
    if kind == "tests":
        return "test"
    if kind == "config":
        return "config"
    if kind == "docs":
        name = path.rpartition("/")[2]
        for pattern, label in ((_ISSUE, "issue"), (_REPORT, "report"), (_INSTRUCTION, "instruction")):
            if pattern.search(name if label == "instruction" else path):
                return label
    return "generic"


def tags(path: str, facts: Facts, governance: Governance) -> dict[str, str]:
    """Field → value, in field order: path tags, structural tags, learned tags."""
    segments = path.split("/")
    _, stem, suffix = split_name(path)
    first = segments[0]
    domain = "root" if len(segments) == 1 else governance.domains.get(first) or parameters.DOMAINS.get(first, first)
    lifecycle = "active"
    for segment in segments[:-1]:
        hint = parameters.LIFECYCLE.get(segment.lower())
        if hint == "archived":
            lifecycle = "archived"
            break
        lifecycle = hint or lifecycle
    found = {
        "domain": domain,
        "component": segments[1] if len(segments) > 2 else stem,
        "lifecycle": lifecycle,
        "classification": "public" if path.startswith(("docs/public/", "docs/external/")) else "internal",
        "content_type": content_type(path),
        "placeholder": "true" if facts.placeholder else "false",
        "format": suffix,
    }
    override = governance.overridden(path)
    for name in _LADDERS:
        if name in override:
            found[name] = str(override[name])
    found.update(facts.tags)
    for name, value in governance.learned_tags.get(path, {}).items():
        ladder = _LADDERS.get(name)
        if ladder and (value not in ladder or ladder.index(value) < ladder.index(found.get(name, ladder[0]))):
            continue
        found[name] = value
    return found


def tag_string(values: dict[str, str]) -> str:
    """τ(a): the values, in field order, joined by one space."""
    return " ".join(values.values())


def jaccard(a: frozenset[tuple[str, str]], b: frozenset[tuple[str, str]]) -> tuple[int, int]:
    """(|a ∩ b|, |a ∪ b|); two empty sets count as (0, 1)."""
    shared = len(a & b)
    return shared, (len(a) + len(b) - shared) or 1
