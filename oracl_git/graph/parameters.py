"""Every published constant of the graph, in one place.

Knows numbers and tables, in millionths where they enter stored values. Knows
nothing of how they are used. `git oracl stats --parameters` prints this module;
the digest of `table()` is part of every snapshot header.
"""

from __future__ import annotations

from typing import NamedTuple

ONE = 1_000_000

RELATION_WEIGHTS = {
    "imports": 1_000_000,
    "depends_on": 900_000,
    "provides": 850_000,
    "belongs_to": 800_000,
    "configures": 700_000,
    "governs": 700_000,
    "references": 600_000,
    "learned_association": 500_000,
    "tests": 500_000,
    "mentions": 500_000,
    "references_placeholder": 400_000,
}
RELATIONS = tuple(RELATION_WEIGHTS)  # the order is that of the codes on disk
UNKNOWN_RELATION_WEIGHT = 500_000

BUCKET_WEIGHTS = {
    "security": 300_000,
    "usage": 100_000,
    "efficiency": 100_000,
    "connectivity": 100_000,
    "lifecycle": 50_000,
    "documentation": 50_000,
    "verification": 50_000,
    "ownership": 50_000,
    "governance": 50_000,
    "entry_point": 50_000,
    "api_surface": 50_000,
    "review": 50_000,
}
PRIORITY_CAP = 2_000_000

CLASSIFICATION = {"public": 1_000_000, "internal": 1_150_000, "confidential": 1_350_000, "sensitive": 1_650_000}
SENSITIVITY = {"low": 1_000_000, "medium": 1_400_000, "high": 1_800_000}

# Risk: rule → (points for the first match, points for each further one, cap). Sum capped at 100.
RISK_RULES = {
    "process_spawn": (15, 3, 30),
    "dynamic_eval": (25, 5, 40),
    "unsafe_deserialisation": (25, 5, 40),
    "raw_sql": (20, 4, 36),
    "cryptography": (10, 2, 20),
    "network_listener": (15, 3, 24),
    "credential_constant": (20, 5, 40),
}
RISK_PATH_WORDS = {
    "auth": 20, "oauth": 20, "login": 10, "security": 20, "secret": 25, "secrets": 25,
    "credentials": 25, "crypto": 15, "deploy": 15, "deployment": 15, "permissions": 15,
}  # fmt: skip
RISK_PATH_CAP = 40

EXACT = (1, 1)  # confidence κ as an exact fraction
UNIQUE_SUFFIX = (4, 5)
MAX_CANDIDATES = 5

NEIGHBOUR_CAP = 250
PATTERN_CAP = 1_000  # files that one pattern takes in
FEW = 50  # files of a directory that is named as a whole, by a pattern for any name
QUERY_NEIGHBOUR_GUARD = 5_000
API_SURFACE = 50

LIFECYCLE = {
    "archive": "archived", "archived": "archived", "legacy": "archived", "quarantine": "archived",
    "deprecated": "archived", "attic": "archived",
    "versioned_docs": "archived", "versioned_sidebars": "archived",  # Docusaurus: of releases that are out
    "draft": "staging", "drafts": "staging", "wip": "staging",
}  # fmt: skip

# The curated domain map: first path segment → domain; `.agentlas/oracl.toml` adds to it.
DOMAINS = {
    "src": "core", "lib": "core", "pkg": "core", "internal": "core", "app": "core", "cmd": "core",
    "doc": "docs", "docs": "docs", "documentation": "docs", "changelog": "docs", "changes": "docs",
    "test": "tests", "tests": "tests", "testing": "tests", "spec": "tests", "__tests__": "tests",
    ".github": "ci", ".gitlab": "ci", ".circleci": "ci", "ci": "ci", ".ci": "ci",
    "script": "tools", "scripts": "tools", "tool": "tools", "tools": "tools", "bin": "tools", "utils": "tools",
    "example": "examples", "examples": "examples", "samples": "examples",
    "config": "config", "conf": "config", "etc": "config",
}  # fmt: skip

# Languages whose files import each other in words that are not followed yet.
UNREAD_IMPORTS = frozenset(
    "scala swift dart groovy zig perl r julia elixir nix starlark "
    "cython lua haskell lisp erlang".split()
)
# Directories in which a Python root is looked for beside the importer's ancestors.
PYTHON_LAYOUTS = ("", "src", "lib", "python")
# A directory that is named as a whole stands for the first of these in it.
DIRECTORY_MANIFESTS = (
    "action.yml", "action.yaml", "Dockerfile", "kustomization.yaml", "kustomization.yml", "Chart.yaml", "main.tf",
    "Makefile", "package.json", "pyproject.toml",
)  # fmt: skip
BUILD_ROOTS = frozenset(
    "pyproject.toml setup.py setup.cfg Makefile package.json Cargo.toml go.mod pom.xml build.gradle "
    "CMakeLists.txt meson.build Gemfile composer.json Dockerfile".split()
)


class Blend(NamedTuple):
    """The four tunable parameters, in millionths: α, β (`graph rebuild`), γ and λ."""

    alpha: int = 350_000
    beta: int = 500_000
    gamma: int = 200_000
    decay: int = 600_000


def table(blend: Blend) -> dict[str, object]:
    """All of it as plain data (integers and ASCII keys only)."""
    return {
        "blend": blend._asdict(),
        "relation_weights": RELATION_WEIGHTS,
        "unknown_relation_weight": UNKNOWN_RELATION_WEIGHT,
        "bucket_weights": BUCKET_WEIGHTS,
        "priority_cap": PRIORITY_CAP,
        "classification": CLASSIFICATION,
        "sensitivity": SENSITIVITY,
        "risk_rules": {rule: list(points) for rule, points in RISK_RULES.items()},
        "risk_path_words": RISK_PATH_WORDS,
        "risk_path_cap": RISK_PATH_CAP,
        "confidence": {"exact": list(EXACT), "unique_suffix": list(UNIQUE_SUFFIX), "max_candidates": MAX_CANDIDATES},
        "neighbour_cap": NEIGHBOUR_CAP,
        "pattern_cap": PATTERN_CAP,
        "query_neighbour_guard": QUERY_NEIGHBOUR_GUARD,
        "api_surface": API_SURFACE,
        "lifecycle": LIFECYCLE,
        "domains": DOMAINS,
    }
