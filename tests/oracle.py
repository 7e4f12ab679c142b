"""The graph of one commit, computed the slow way: an oracle for the product.

Imports nothing from the product. Plain data in, plain data out; exact fractions,
sets, sorted lists and a scan over all paths for every question. Nothing here is
fast, incremental or clever, and every rule stands next to the words that state
it. Values that the product stores are whole millionths, rounded once, half to
even. What a file says (`facts`) is input: extraction has tests of its own. So is
where an import of another language than Python leads (`resolve`, asked of this
file's slow tree): that is held against the languages' own tools.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from posixpath import normpath

# ------------------------------------------------------------------ published constants, retyped

RHO = {  # Eq. 3
    "imports": Fraction(1),
    "depends_on": Fraction(9, 10),
    "provides": Fraction(85, 100),
    "belongs_to": Fraction(8, 10),
    "configures": Fraction(7, 10),
    "governs": Fraction(7, 10),
    "references": Fraction(6, 10),
    "learned_association": Fraction(1, 2),
    "tests": Fraction(1, 2),
    "mentions": Fraction(1, 2),
    "references_placeholder": Fraction(4, 10),
}
PARTITION_NAMES = ("phase2_repo_edges", "phase3_static_edges", "overlay")
REPOSITORY, STATIC, OVERLAY = 0, 1, 2

BUCKETS = {  # Eq. 2, w_b; they sum to 1
    "security": Fraction(30, 100),
    "usage": Fraction(10, 100),
    "efficiency": Fraction(10, 100),
    "connectivity": Fraction(10, 100),
    "lifecycle": Fraction(5, 100),
    "documentation": Fraction(5, 100),
    "verification": Fraction(5, 100),
    "ownership": Fraction(5, 100),
    "governance": Fraction(5, 100),
    "entry_point": Fraction(5, 100),
    "api_surface": Fraction(5, 100),
    "review": Fraction(5, 100),
}
CLASSIFICATION = {
    "public": Fraction(1),
    "internal": Fraction(115, 100),
    "confidential": Fraction(135, 100),
    "sensitive": Fraction(165, 100),
}
SENSITIVITY = {"low": Fraction(1), "medium": Fraction(14, 10), "high": Fraction(18, 10)}
RISK = {  # first match, each further one, cap
    "process_spawn": (15, 3, 30),
    "dynamic_eval": (25, 5, 40),
    "unsafe_deserialisation": (25, 5, 40),
    "raw_sql": (20, 4, 36),
    "cryptography": (10, 2, 20),
    "network_listener": (15, 3, 24),
    "credential_constant": (20, 5, 40),
}
RISK_WORDS = {
    "auth": 20,
    "oauth": 20,
    "login": 10,
    "security": 20,
    "secret": 25,
    "secrets": 25,
    "credentials": 25,
    "crypto": 15,
    "deploy": 15,
    "deployment": 15,
    "permissions": 15,
}
RISK_WORDS_CAP = 40
PRIORITY_CAP = Fraction(2)
REVIEW_WHEN_NOTHING_IS_SAID = Fraction(1, 2)  # an artifact is a draft until somebody approved it

ALPHA, BETA, GAMMA, LAMBDA = Fraction(35, 100), Fraction(1, 2), Fraction(2, 10), Fraction(6, 10)
CAP = 250
MAX_CANDIDATES = 5
EXACT, UNIQUE_SUFFIX = Fraction(1), Fraction(8, 10)
MANY_ROOTS = 64

LIFECYCLE = {
    "archive": "archived",
    "archived": "archived",
    "legacy": "archived",
    "quarantine": "archived",
    "deprecated": "archived",
    "attic": "archived",
    "versioned_docs": "archived",
    "versioned_sidebars": "archived",
    "draft": "staging",
    "drafts": "staging",
    "wip": "staging",
}
DOMAINS = {
    "core": "src lib pkg internal app cmd",
    "docs": "doc docs documentation changelog changes",
    "tests": "test tests testing spec __tests__",
    "ci": ".github .gitlab .circleci ci .ci",
    "tools": "script scripts tool tools bin utils",
    "examples": "example examples samples",
    "config": "config conf etc",
}
DOMAIN_OF = {segment: domain for domain, segments in DOMAINS.items() for segment in segments.split()}
LAYOUTS = ("", "src", "lib", "python")
BUILD_ROOTS = (
    "pyproject.toml setup.py setup.cfg Makefile package.json Cargo.toml go.mod pom.xml build.gradle CMakeLists.txt "
    "meson.build Gemfile composer.json Dockerfile"
).split()
PROSE = ("markdown", "rst", "text")

TEST_PATH = re.compile(
    r"""(^|/)(tests?|testing|__tests__|specs?|e2e|cypress)/
      | (^|/)(test_[^/]*|conftest\.py)$
      | (_test|_spec|\.test|\.spec|\.test-d|\.cy|\.e2e|\.e2e-spec|\.e2e-test)\.[^/]+$
      | -(test|spec)\.[cm]?[jt]sx?$
      | (^|/)([^/]*[a-z0-9.])?Tests?/
      | (^|/)[^/]*(Tests?|[a-z]IT)\.(java|cs|kt|php|swift|groovy|scala)$""",
    re.VERBOSE,
)
CONFIG_SUFFIXES = "toml yaml yml ini cfg json jsonl conf properties env".split()
CONFIG_NAMES = (
    "Makefile Dockerfile .gitignore .gitattributes .editorconfig tox.ini setup.py requirements.txt go.mod Gemfile "
    "MANIFEST.in CODEOWNERS"
).split()
PROSE_SUFFIXES = "md rst txt adoc markdown rest org".split()
ISSUE_WORDS = "issue issues bug bugs ticket tickets issue_template".split()
REPORT_WORDS = "report reports audit postmortem summary".split()
INSTRUCTION_WORDS = (
    "readme contributing install howto how-to guide guides tutorial tutorials instruction instructions runbook "
    "runbooks agents claude copilot-instructions skill skills"
).split()

DOCUMENT_SUFFIXES = ("", ".rst", ".md", ".txt", "/index.rst", "/index.md", "/README.md")
FEW = 50
DIRECTORY_MANIFESTS = (
    "action.yml action.yaml Dockerfile kustomization.yaml kustomization.yml Chart.yaml main.tf Makefile package.json "
    "pyproject.toml"
).split()
DIRECTORY_PAGES = ("README.md", "index.md", "index.rst", "README.rst")
CONFIG_LANGUAGES = ("json", "yaml", "toml", "ini", "cargo", "composer", "maven", "msbuild")
TEST_AFFIXES = (
    ("test_", ""),
    ("tests_", ""),
    ("", "_test"),
    ("", "_tests"),
    ("", ".test"),
    ("", ".spec"),
    ("", "_spec"),
    ("", ".test-d"),
    ("", ".cy"),
    ("", ".e2e"),
    ("", ".e2e-spec"),
    ("", ".e2e-test"),
    ("", "-test"),
    ("", "-spec"),
    ("Test", ""),
    ("", "Tests"),
    ("", "Test"),
    ("", "Spec"),
    ("", "IT"),
)
OUTCOMES = ("exact", "suffix", "ambiguous", "unresolved", "external")

OVERRIDES = ".agentlas/oracl.toml"
CONSTRAINTS = ".agentlas/constraints.toml"
LEARNED_CONSTRAINTS = ".agentlas/learned_constraints.toml"
LEARNED_EDGES = ".agentlas/learned_edges.json"
LEARNED_TAGS = ".agentlas/learned_tags.json"
CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
GOVERNANCE_FILES = (OVERRIDES, CONSTRAINTS, LEARNED_CONSTRAINTS, LEARNED_EDGES, LEARNED_TAGS, *CODEOWNERS)

STDLIB = frozenset(  # the top-level modules of 3.8 to 3.14
    """
    __future__ __main__ _collections_abc _thread abc aifc annotationlib antigravity argparse array ast
    asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi
    cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent
    configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
    difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
    fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
    heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
    lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib
    msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
    sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile
    termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser
    winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
    """.split()
)


# ------------------------------------------------------------------ small things


def millionths(value: Fraction | int) -> int:
    """The one rounding there is: to whole millionths, half to even."""
    return round(Fraction(value) * 1_000_000)  # a Fraction rounds half to even, exactly


def raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def percent(path: str) -> str:
    unreserved = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~/"
    return "".join(chr(byte) if byte in unreserved else f"%{byte:02X}" for byte in raw(path))


def canonical(node: tuple[str, str]) -> str:
    """The ASCII name of a node; (kind, path) of hubs and constraints carry the bare domain or id."""
    kind, path = node
    return percent(path) if kind == "artifact" else f"{PREFIX[kind]}{percent(path)}"


PREFIX = {"hub": "hub:domain:", "constraint": "constraint:"}


def lines(reference: dict) -> str:
    return f"L{reference['start']}-{reference['end']}" if reference["start"] else ""


def stem_and_suffix(path: str) -> tuple[str, str]:
    """The name without its last suffix, and that suffix; a leading dot starts no suffix."""
    name = path.split("/")[-1]
    if "." in name[1:]:
        stem, _, suffix = name.rpartition(".")
        return stem, suffix
    return name, ""


@cache
def segment_matches(pattern: str, text: str) -> bool:
    """`*` any characters, `?` one."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return segment_matches(pattern[1:], text) or (bool(text) and segment_matches(pattern, text[1:]))
    return bool(text) and pattern[0] in (text[0], "?") and segment_matches(pattern[1:], text[1:])


@cache
def glob(pattern: tuple[str, ...], segments: tuple[str, ...]) -> bool:
    """Segment by segment; `**` stands for any number of them, at the end for at least one."""
    if not pattern:
        return not segments
    if pattern[0] == "**":
        if len(pattern) == 1:
            return bool(segments)
        return glob(pattern[1:], segments) or (bool(segments) and glob(pattern, segments[1:]))
    return bool(segments) and segment_matches(pattern[0], segments[0]) and glob(pattern[1:], segments[1:])


def matches(pattern: str, path: str) -> bool:
    """Whether the path matches, or, unless the last segment has a star, a directory above it.

    Without a slash the pattern matches at any depth; with one at its end it
    means what is below a directory.
    """
    parts = tuple(part for part in pattern.split("/") if part)
    if "/" not in pattern.rstrip("/"):
        parts = ("**", *parts)
    segments = tuple(path.split("/"))
    if pattern.endswith("/"):
        return any(glob(parts, segments[:end]) for end in range(1, len(segments)))
    if parts and "*" in parts[-1]:
        return glob(parts, segments)
    return any(glob(parts, segments[:end]) for end in range(1, len(segments) + 1))


# ------------------------------------------------------------------ governance files


class Governance:
    """What the tracked files say; an entry that makes no sense is left out."""

    def __init__(self, files: dict[str, bytes]) -> None:
        settings = _table(files, OVERRIDES)
        domains = settings.get("domains")
        self.domains = {k: v for k, v in domains.items() if _is_text(v)} if isinstance(domains, dict) else {}
        self.overrides = []
        for entry in _rows(settings.get("override")):
            values = {name: value for name, value in entry.items() if _may_override(name, value)}
            self.overrides.append((_strings(entry.get("paths")), values))

        self.constraints: dict[str, list[str]] = {}
        rows = [_rows(_table(files, file).get("constraint")) for file in (CONSTRAINTS, LEARNED_CONSTRAINTS)]
        for entry in itertools.chain(*rows):
            name = entry.get("id")
            if isinstance(name, str) and name and isinstance(entry.get("rule"), str) and name not in self.constraints:
                self.constraints[name] = _strings(entry.get("paths"))

        self.learned_edges: dict[str, dict[str, int]] = {}
        learned = _json(files, LEARNED_EDGES)
        for entry in _rows(learned.get("edges") if isinstance(learned, dict) else learned):
            source, target, confidence = entry.get("source"), entry.get("target"), entry.get("confidence", 1)
            number = isinstance(confidence, (int, float)) and not isinstance(confidence, bool)
            if _is_text(source) and _is_text(target) and number:
                finite = confidence == confidence and abs(confidence) != math.inf
                kappa = round(confidence * 1_000_000) if finite else 0
                if 0 < kappa <= 1_000_000:
                    self.learned_edges.setdefault(source, {})[target] = kappa

        self.learned_tags: dict[str, dict[str, str]] = {}
        learned = _json(files, LEARNED_TAGS)
        rows = learned.get("tags", learned) if isinstance(learned, dict) else {}
        for path, tags in rows.items() if isinstance(rows, dict) else ():
            if isinstance(tags, dict):
                self.learned_tags[path] = {
                    name: str(value).lower() if isinstance(value, bool) else value
                    for name, value in tags.items()
                    if name not in ("confidence", "source") and _is_text(name) and _is_tag(value)
                }

        self.owners = []
        for name in CODEOWNERS:
            if name in files:
                for line in files[name].decode("utf-8", "replace").splitlines():
                    words = line.split("#")[0].replace("\\ ", "\0").split()  # a space in a path
                    if words and not words[0].startswith(("[", "^[")):
                        self.owners.append((words[0].replace("\0", " "), len(words) > 1))
                break

    def override(self, path: str) -> dict:
        """Later entries win."""
        found = {}
        for patterns, values in self.overrides:
            if any(matches(pattern, path) for pattern in patterns):
                found.update(values)
        return found

    def owned(self, path: str) -> bool:
        """The last pattern that matches decides."""
        verdicts = [named for pattern, named in self.owners if matches(pattern, path)]
        return verdicts[-1] if verdicts else False


def _may_override(name: str, value: object) -> bool:
    if name in ("classification", "sensitivity"):
        return value in list(CLASSIFICATION if name == "classification" else SENSITIVITY)
    if name in ("usage", "estimated_savings"):
        return isinstance(value, int) and value >= 0
    return name == "review" and isinstance(value, (str, int))


def _table(files: dict[str, bytes], name: str) -> dict:
    try:
        return tomllib.loads(files.get(name, b"").decode())
    except (ValueError, RecursionError):
        return {}


def _json(files: dict[str, bytes], name: str) -> object:
    try:
        return json.loads(files.get(name, b"null"))
    except (ValueError, RecursionError):
        return None


def _rows(value: object) -> list[dict]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _is_text(value: object) -> bool:
    """A string that git could hold as a name: JSON can spell halves of characters, which nothing can store."""
    try:
        return isinstance(value, str) and raw(value) is not None
    except UnicodeEncodeError:
        return False


def _is_tag(value: object) -> bool:
    return isinstance(value, bool) or _is_text(value)


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


# ------------------------------------------------------------------ tags


def role_of(path: str) -> str:
    name, suffix = path.split("/")[-1], stem_and_suffix(path)[1]
    if TEST_PATH.search(path):
        return "tests"
    if suffix in PROSE_SUFFIXES and name not in CONFIG_NAMES:
        return "docs"
    if name in CONFIG_NAMES or suffix in CONFIG_SUFFIXES or (name.startswith(".") and not suffix):
        return "config"
    if suffix:
        return "code"
    return "docs" if name.isupper() else "config"


def _has_word(text: str, words: list[str]) -> bool:
    return any(re.search(rf"(?:^|[/_-]){re.escape(word)}(?:[/_.-]|$)", text, re.IGNORECASE) for word in words)


def content_type(path: str) -> str:
    role = role_of(path)
    if role == "docs":
        if _has_word(path, ISSUE_WORDS):
            return "issue"
        if _has_word(path, REPORT_WORDS):
            return "report"
        return "instruction" if _has_word(path.split("/")[-1], INSTRUCTION_WORDS) else "generic"
    return {"tests": "test", "config": "config"}.get(role, "generic")


def tags_of(path: str, facts: dict, governance: Governance) -> dict[str, str]:
    """The seven fields, then what tracked settings say, then the file's own tags; learned tags merge last."""
    segments = path.split("/")
    stem, suffix = stem_and_suffix(path)
    hints = [LIFECYCLE[segment.lower()] for segment in segments[:-1] if segment.lower() in LIFECYCLE]
    if len(segments) == 1:
        domain = "root"
    else:
        domain = governance.domains.get(segments[0]) or DOMAIN_OF.get(segments[0], segments[0])
    tags = {
        "domain": domain,
        "component": segments[1] if len(segments) > 2 else stem,
        "lifecycle": "archived" if "archived" in hints else "staging" if hints else "active",
        "classification": "public" if path.startswith(("docs/public/", "docs/external/")) else "internal",
        "content_type": content_type(path),
        "placeholder": "true" if facts["placeholder"] else "false",
        "format": suffix,
    }
    override = governance.override(path)
    for field in ("classification", "sensitivity"):
        if field in override:
            tags[field] = override[field]
    tags.update(facts["tags"])
    for field, value in governance.learned_tags.get(path, {}).items():
        ladder = {"classification": list(CLASSIFICATION), "sensitivity": list(SENSITIVITY)}.get(field)
        if ladder and (value not in ladder or ladder.index(value) < ladder.index(tags.get(field, ladder[0]))):
            continue  # learning never lowers one
        tags[field] = value
    return tags


# ------------------------------------------------------------------ the names of a tree


def implementation_stem(path: str) -> str:
    """What a test may call this file; tests themselves are never meant."""
    if TEST_PATH.search(path):
        return ""
    stem = stem_and_suffix(path)[0]
    if stem in ("__init__", "index", "mod", "lib"):
        stem = path.rpartition("/")[0].rpartition("/")[2]
    return stem.lower().strip("_").replace("-", "_")


def tested_stem(path: str) -> str:
    """What a test file's name says it tests."""
    stem = stem_and_suffix(path)[0]
    for prefix, suffix in TEST_AFFIXES:
        if stem.startswith(prefix) and stem.endswith(suffix) and len(stem) > len(prefix + suffix):
            return stem[len(prefix) : len(stem) - len(suffix)].lower().strip("_").replace("-", "_")
    return ""


# (tree, language, importing file, reference) → (files with symbol and κ, outcome)
Resolve = Callable[["Tree", str, str, dict], tuple[list[tuple[str, str, Fraction]], str]]


class Tree:
    """All artifacts of the commit; every question is a scan over them."""

    def __init__(self, facts: dict[str, dict], resolve: Resolve) -> None:
        self.facts, self.resolve = facts, resolve
        self.paths = sorted(facts, key=raw)
        self.python = [path for path in self.paths if path.endswith((".py", ".pyi"))]
        self.memo: dict[tuple, object] = {}

    def _scan(self, *question: object, wanted: object) -> list[str] | None:
        """The paths that satisfy a condition; None when there are too many to mean anything."""
        if question not in self.memo:
            found = [path for path in self.paths if wanted(path)]
            self.memo[question] = found if len(found) <= MAX_CANDIDATES else None
        return self.memo[question]

    def exists(self, path: str) -> bool:
        return path in self.facts

    def ending_in(self, suffix: str) -> list[str] | None:
        return self._scan("end", suffix, wanted=lambda path: path == suffix or path.endswith("/" + suffix))

    def implementing(self, stem: str) -> list[str] | None:
        if ("stems",) not in self.memo:
            self.memo["stems",] = {path: implementation_stem(path) for path in self.paths}
        return self._scan("stem", stem, wanted=lambda path: stem and self.memo["stems",][path] == stem)

    def defined(self, path: str) -> set[str]:
        """The names that a file defines."""
        if ("defined",) not in self.memo:
            self.memo["defined",] = {p: {d["name"] for d in f["definitions"]} for p, f in self.facts.items()}
        return self.memo["defined",].get(path, set())

    def defining(self, name: str) -> list[str] | None:
        self.defined("")
        return self._scan("define", name, wanted=lambda path: name in self.memo["defined",][path])

    def roots_of(self, top: str) -> list[str]:
        """The directories that hold a Python module or package called so."""
        if ("roots", top) not in self.memo:
            found = set()
            for path in self.python:
                segments = path.split("/")
                segments[-1] = segments[-1].rpartition(".")[0]
                for depth, segment in enumerate(segments):
                    initial = segment == "__init__" and depth == len(segments) - 1
                    if segment == top and segment.isidentifier() and not initial:
                        found.add("/".join(segments[:depth]))
            self.memo["roots", top] = sorted(found)
        return self.memo["roots", top]

    def python_below(self, directory: str) -> bool:
        if ("below", directory) not in self.memo:
            self.memo["below", directory] = any(path.startswith(directory + "/") for path in self.python)
        return self.memo["below", directory]

    def right_in(self, directory: str, suffix: str) -> list[str]:
        """The files of a directory that end so, a name that is nothing but its suffix apart."""
        if ("directories",) not in self.memo:
            found: dict[tuple[str, str], list[str]] = defaultdict(list)
            for path in self.paths:
                stem, dot, ending = path.split("/")[-1].rpartition(".")
                found[_up(path), dot + ending if stem else ""].append(path)
            self.memo["directories",] = found
        return self.memo["directories",].get((directory, suffix), [])

    def anywhere_in(self, directory: str, name: str) -> list[str]:
        """The files at any depth of a directory, of one name when one is given."""
        inside = f"{directory}/" if directory else ""
        return [path for path in self.paths if path.startswith(inside) and name in ("", path.split("/")[-1])]

    def declared(self, path: str, label: str) -> list[str]:
        return [value for key, value in self.facts[path]["declares"] if key == label] if path in self.facts else []

    def declaring(self, label: str, value: str) -> list[str] | None:
        wanted = (label, value)
        return self._scan("declare", wanted, wanted=lambda path: wanted in map(tuple, self.facts[path]["declares"]))

    def bindings(self, path: str) -> tuple[dict[str, tuple[str, str]], list[str]]:
        """(name → ("", "") when defined, (module, name) when imported; modules imported with a star)."""
        bound, stars = {}, []
        facts = self.facts.get(path)
        for name, module, original in facts["exports"] if facts else ():
            if name == "*":
                stars.append(module)
            else:
                bound[name] = (module, original)
        if facts and facts["language"] == "python":
            bound.update((d["name"], ("", "")) for d in facts["definitions"] if "." not in d["name"])
        return bound, stars


# ------------------------------------------------------------------ Python imports
#
# A module is (file, directory): the file is "" for a namespace package, the
# directory is None for a plain module.


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory else name


def _up(path: str) -> str:
    return path.rpartition("/")[0]


def is_package(tree: Tree, directory: str) -> bool:
    return tree.exists(_join(directory, "__init__.py"))


def locate(tree: Tree, root: str, parts: list[str]) -> tuple[str, str | None] | None:
    """A regular package wins over a module, a module over a namespace; .py over .pyi."""
    stem = root
    for part in parts:
        stem = _join(stem, part)
    for initial in ("__init__.py", "__init__.pyi"):
        if tree.exists(f"{stem}/{initial}"):
            return f"{stem}/{initial}", stem
    for suffix in (".py", ".pyi"):
        if tree.exists(stem + suffix):
            return stem + suffix, None
    return ("", stem) if tree.python_below(stem) else None


def modules(tree: Tree, importer: str, name: str) -> tuple[list[tuple[tuple[str, str | None], Fraction]], bool]:
    """The modules a dotted name may mean in a file, each with κ; and whether it is the repository's own."""
    key = ("modules", _up(importer), name)
    if key not in tree.memo:
        tree.memo[key] = _relative(tree, importer, name) if name.startswith(".") else _absolute(tree, importer, name)
    return tree.memo[key]


def _relative(tree: Tree, importer: str, name: str) -> tuple[list, bool]:
    rest = name.lstrip(".")
    directory = _up(importer)
    for _ in range(len(name) - len(rest) - 1):
        if not directory:
            return [], True  # beyond the top
        directory = _up(directory)
    if rest:
        found = locate(tree, directory, rest.split("."))
        return ([(found, EXACT)] if found else []), True
    for initial in ("__init__.py", "__init__.pyi"):
        if tree.exists(_join(directory, initial)):
            return [((_join(directory, initial), directory), EXACT)], True
    return [(("", directory), EXACT)], True


def _absolute(tree: Tree, importer: str, name: str) -> tuple[list, bool]:
    parts = name.split(".")
    top = parts[0]
    places = [root for root in tree.roots_of(top) if not is_package(tree, root)]  # what lies in a package is no root
    ours = False

    # Exact: the importer's own directories, and the usual layouts in them, nearest first.
    above = [_up(importer)]
    while above[-1]:
        above.append(_up(above[-1]))
    for directory in above:
        for layout in ("",) if top in STDLIB else LAYOUTS:
            root = _join(directory, layout) if layout else directory
            if root in places:
                found = locate(tree, root, parts)
                if found:
                    return [(found, EXACT)], True
                ours = ours or is_package(tree, _join(root, top))
    if top in STDLIB or len(tree.roots_of(top)) > MANY_ROOTS:
        return [], ours

    # Elsewhere: regular packages before loose modules and namespaces, the nearest roots of them.
    regular, loose = [], []
    for root in places:
        found = locate(tree, root, parts)
        if is_package(tree, _join(root, top)):
            ours = True
            if found:
                regular.append((root, found))
        elif found and found[0] and (len(parts) > 1 or root.split("/")[0] == importer.split("/")[0]):
            loose.append((root, found))
    pool = regular or loose
    nearest = max((_shared(root, importer) for root, _ in pool), default=0)
    hits = [found for root, found in pool if _shared(root, importer) == nearest]
    if len(hits) == 1:
        return [(hits[0], EXACT if len(regular) == 1 else UNIQUE_SUFFIX)], True
    if 1 < len(hits) <= MAX_CANDIDATES:
        return [(hit, Fraction(1, len(hits))) for hit in hits], True
    return [], ours or bool(hits)


def _shared(root: str, importer: str) -> int:
    """How many leading segments two paths have in common."""
    count = 0
    for a, b in zip(root.split("/"), importer.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


LOOP = ("", "")  # bindings that come back on themselves


def member(tree: Tree, module: tuple[str, str | None], name: str) -> tuple[str, str] | None:
    """(file, symbol) of a name seen through a module: what `__init__` binds, what its stars bring, a submodule.

    Where bindings lead back to where they came from, the name stays in the module that was asked.
    """
    path, directory = module
    if directory is None:
        return path, name
    key = ("member", module, name)
    if key not in tree.memo:
        found = _member(tree, path, directory, name, set())
        tree.memo[key] = (path, name) if found == LOOP else found
    return tree.memo[key]


def _member(tree: Tree, path: str, directory: str, name: str, seen: set) -> tuple[str, str] | None:
    if path:
        seen.add((path, name))
        bound, stars = tree.bindings(path)
        if bound.get(name) == ("", ""):
            return path, name
        if name in bound and not _names_itself(tree, path, name, bound[name]):
            return _through(tree, path, *bound[name], seen) or (path, name)
        if name not in bound:
            for star in stars:
                found = _through(tree, path, star, name, seen)
                if found and found != LOOP and found[1] in tree.bindings(found[0])[0]:
                    return found
    below = locate(tree, directory, [name])
    if below and below[0]:
        return below[0], ""
    return (path, name) if path and name in bound else None


def _names_itself(tree: Tree, path: str, name: str, binding: tuple[str, str]) -> bool:
    """`from . import name` in an `__init__` binds nothing of its own: it imports the submodule."""
    found, _ = modules(tree, path, binding[0])
    return binding[1] == name and len(found) == 1 and found[0][0][0] == path


def _through(tree: Tree, path: str, module: str, name: str, seen: set) -> tuple[str, str] | None:
    """What a binding of `path` leads to; LOOP when that was asked on the way here."""
    found, _ = modules(tree, path, module)
    if len(found) != 1:
        return None
    target, directory = found[0][0]
    if not name:
        return (target, "") if target else None
    if directory is None:
        return target, name
    return LOOP if (target, name) in seen else _member(tree, target, directory, name, seen)


def imported(tree: Tree, importer: str, module: str, name: str) -> tuple[list[tuple[str, str, Fraction]], str]:
    """(file, symbol, κ) of each target of one imported name, and how it was resolved."""
    found, ours = modules(tree, importer, module)
    if not found:
        return [], "unresolved" if ours else "external"
    targets = []
    for hit, kappa in found:
        if name in ("", "*"):
            target = (hit[0], "") if hit[0] else None  # a namespace package is no file
        else:
            target = member(tree, hit, name) or ((hit[0], name) if hit[0] else None)
        if target:
            targets.append((*target, kappa))
    if not targets:
        return [], "exact" if name in ("", "*") else "unresolved"
    kappa = found[0][1]
    return targets, "exact" if kappa == EXACT else "suffix" if kappa == UNIQUE_SUFFIX else "ambiguous"


def dotted(tree: Tree, importer: str, name: str) -> list[tuple[str, str, Fraction]]:
    """A dotted name outside code: its longest unambiguous module, the rest as a symbol."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        found, _ = modules(tree, importer, ".".join(parts[:cut]))
        if len(found) == 1:
            (module, kappa), rest = found[0], parts[cut:]
            if not rest:
                return [(module[0], "", kappa)] if module[0] else []
            target = member(tree, module, rest[0])
            if target is None:
                return []
            path, symbol = target
            return [(path, ".".join(rest[1:] if not symbol else [symbol, *rest[1:]]), kappa)]
    return []


# ------------------------------------------------------------------ links


def exactly(tree: Tree, source: str, target: str) -> str | None:
    """A file that is exactly there: from the file's directory, else from the root of the tree."""
    if target.startswith("/"):
        places = [normpath(target.lstrip("/"))] if target.strip("/") else []
    else:
        places = [normpath(_join(_up(source), target)), normpath(target)]
    for place in places:
        if not place.startswith(("..", "/")) and tree.exists(place):
            return place
    return None


def by_suffix(tree: Tree, source: str, target: str) -> list[tuple[str, Fraction]]:
    """A path-like word: exactly there, else by its suffix; of several, the first of a directory around the file."""
    exact = exactly(tree, source, target)
    if exact:
        return [(exact, EXACT)]
    suffix = normpath(target.lstrip("/"))
    found = [] if suffix.startswith("..") else tree.ending_in(suffix) or []
    parts = source.split("/")[:-1]
    around = ["/".join([*parts[:count], suffix]) for count in range(len(parts), -1, -1)]
    if len(found) > 1 and set(around) & set(found):
        found = [next(path for path in around if path in found)]
    return [(path, UNIQUE_SUFFIX if len(found) == 1 else Fraction(1, len(found))) for path in found]


def manifest_in(tree: Tree, source: str, target: str) -> list[str]:
    """A directory named as a whole stands for the first manifest in it."""
    if not target.startswith(("./", "../")) and ("/" not in target or "." in target.split("/")[-1]):
        return []
    found = (exactly(tree, source, f"{target.rstrip('/')}/{name}") for name in DIRECTORY_MANIFESTS)
    return [file for file in found if file][:1]


def hyperlink(tree: Tree, source: str, target: str, language: str) -> str | None:
    if not target:
        return None
    pages = ["index.html", "index.htm"] if language == "html" else DIRECTORY_PAGES
    bare = target.rstrip("/")
    candidates = [target] + [f"{bare}/{page}" for page in pages]
    if language == "markdown" and bare.endswith(".html"):
        candidates += [bare[:-5] + ".md", bare[:-5] + ".mdx"]
    elif language == "markdown" and "." not in bare.split("/")[-1]:  # as a site calls its pages
        candidates += [bare + ".md", bare + ".mdx"]
    if target.startswith("/"):  # a site's top may be any directory above
        above = source.split("/")[:-1]
        tops = ["/".join(above[:depth]) for depth in range(len(above), 0, -1)]
        candidates += [f"/{top}{candidate}" for top in tops for candidate in candidates]
    return next(filter(None, (exactly(tree, source, candidate) for candidate in candidates)), None)


def document(tree: Tree, source: str, target: str) -> str | None:
    """A document named without its suffix; one that starts with "/" is looked for from every directory above."""
    if target.startswith("/"):
        places, above = [], _up(source)
        while above:
            places.append(above + target)
            above = _up(above)
        places.append(target.lstrip("/"))
    else:
        place = normpath(_join(_up(source), target))
        places = [] if place == "." or place.startswith(("..", "/")) else [place]
    candidates = [place + suffix for place in places for suffix in DOCUMENT_SUFFIXES]
    return next(filter(tree.exists, candidates), None)


def offered(tree: Tree, path: str, target: str, but: list[str]) -> list[str]:
    """The files a manifest offers; `*` stands for part of a segment."""
    wanted = normpath(_join(_up(path), target))
    if wanted.startswith(("..", "/")):
        return []
    if "*" not in wanted:
        return [wanted] if tree.exists(wanted) else []
    without = [normpath(_join(_up(path), each)) + "/" for each in but if each]
    return [file for file in globbed(tree, wanted) if not file.startswith(tuple(without))]


def globbed(tree: Tree, pattern: str) -> list[str]:
    """The files of a pattern: `*` and `?` within a segment, `**` for any number of them."""
    parts = [re.escape(part).replace("\\*", "[^/]*").replace("\\?", "[^/]") + "/" for part in pattern.split("/")]
    whole = "".join("(?:[^/]+/)*" if part == "[^/]*[^/]*/" else part for part in parts).removesuffix("/")
    return [file for file in tree.paths if re.fullmatch(whole, file)][:1000]


def tested_by(tree: Tree, path: str, imports: set[str]) -> list[tuple[str, Fraction]]:
    """What a test file's name points at; an import of one candidate decides among several."""
    words = tested_stem(path).split("_")
    if words == [""]:  # a test by its place alone: what it imports of its own name
        own = stem_and_suffix(path)[0].lower().strip("_").replace("-", "_")
        found = [p for p in tree.implementing(own) or [] if p in imports]
        return [(p, Fraction(1, len(found))) for p in found]
    for cut in range(len(words)):
        found = tree.implementing("_".join(words[cut:])) or []
        if cut:  # what was cut off must name a directory
            found = [p for p in found if words[cut - 1] in p.lower().split("/")[:-1]]
        if found:
            direct = [p for p in found if p in imports]
            chosen = direct or [p for p in found if place_alike(path, p) == max(place_alike(path, q) for q in found)]
            kappa = EXACT if len(direct) == 1 else UNIQUE_SUFFIX if len(chosen) == 1 else Fraction(1, len(chosen))
            return [(p, kappa) for p in chosen]
    return []


def place_alike(test: str, path: str) -> tuple[int, int]:
    """How many directories from the end, and from the top, two files have in common; those of tests aside."""
    aside = {"test", "tests", "testing", "__tests__", "spec", "specs"}
    one, other = ([name for name in p.split("/")[:-1] if name not in aside] for p in (test, path))
    last = first = 0
    while last < min(len(one), len(other)) and one[-1 - last] == other[-1 - last]:
        last += 1
    while first < min(len(one), len(other)) and one[first] == other[first]:
        first += 1
    return last, first


def read_at(tree: Tree, source: str, target: str, upwards: bool) -> list[str]:
    """The files a tool reads at a place: right there or, as a Docker file does, below any directory above, too.

    What starts with "/" is named from the top, and then of a directory above, too, when it says so.
    """
    places = [""] if target.startswith("/") else []
    directory = source
    while directory and (upwards or not places):
        directory = _up(directory)
        places.append(directory)
    for directory in places:
        place = normpath(_join(directory, target.lstrip("/")))
        folder, name = _up(place), place.rpartition("/")[2]
        found = []
        if place.startswith(("../", "/")) or place in (".", "..", directory):
            pass
        elif "*" in place or "?" in place:
            stem, dot, suffix = name.rpartition(".")
            plain = not set("*?") & set(name)
            if name == "*" and folder and not set("*?") & set(folder):
                found = [path for path in tree.paths if _up(path) == folder]
                found = found if len(found) <= FEW else []
            elif not (plain or (stem and not set("*?") & set(suffix))):
                pass
            elif "*" in folder or "?" in folder:
                found = globbed(tree, place)
            else:
                found = [p for p in tree.right_in(folder, dot + suffix) if segment_matches(name, p.rpartition("/")[2])]
        elif tree.exists(place):
            found = [place]
        elif not upwards:
            found = [f for f in (f"{place}/{manifest}" for manifest in DIRECTORY_MANIFESTS) if tree.exists(f)][:1]
        if found or not upwards:
            return found
    return []


Edges = dict[tuple, tuple[Fraction, int]]  # (source, target, relation, fragment, target fragment) → (κ, partition)


def links_of(path: str, tree: Tree, tags: dict[str, str], governance: Governance) -> tuple[Edges, list[int]]:
    """The outgoing edges of one artifact and the outcomes of its imports."""
    edges: Edges = {}
    outcomes = dict.fromkeys(OUTCOMES, 0)
    imports: set[str] = set()
    facts = tree.facts[path]
    language = facts["language"]

    def add(relation: str, target: str, kappa: Fraction, partition: int, here: str = "", there: str = "") -> None:
        if target != path:
            merge(edges, (("artifact", path), ("artifact", target), relation, here, there), kappa, partition)

    for reference in facts["references"]:
        kind, target, name, here = reference["kind"], reference["target"], reference["name"], lines(reference)
        if kind == "import":
            if language == "python":
                found, outcome = imported(tree, path, target, name)
            else:
                found, outcome = tree.resolve(tree, language, path, reference)
            outcomes[outcome] += 1
            for file, symbol, kappa in found:
                add("imports", file, kappa, REPOSITORY, here, symbol)
                imports.add(file)
        elif kind == "template":
            for file, symbol, kappa in tree.resolve(tree, language, path, reference)[0]:
                add("imports", file, kappa, REPOSITORY, here, symbol)
                imports.add(file)
        elif kind == "use":
            for file, symbol, kappa in tree.resolve(tree, language, path, reference)[0]:
                add("references", file, kappa, STATIC, here, symbol)
                imports.add(file)
        elif kind == "depends":
            for file, _, kappa in tree.resolve(tree, language, path, reference)[0]:
                add("depends_on", file, kappa, STATIC, here)
        elif kind == "provides":
            for file in offered(tree, path, target, name.split("\t")):
                add("provides", file, EXACT, STATIC, here)
        elif kind in ("link", "doc"):
            if kind == "link":
                file = hyperlink(tree, path, target, language)
            elif target:
                file = document(tree, path, target)
            else:  # by a label
                file = next((each for each, _, _ in tree.resolve(tree, language, path, reference)[0]), None)
            if file:
                relation = "references_placeholder" if tree.facts[file]["placeholder"] else "references"
                add(relation, file, EXACT, REPOSITORY, here, f"#{name}" if name else "")
        elif kind in ("path", "module"):
            relation = "configures" if language in CONFIG_LANGUAGES else "references"
            if kind == "path":
                found = [(file, "", kappa) for file, kappa in by_suffix(tree, path, target)]
                found = found or [(file, "", EXACT) for file in manifest_in(tree, path, target)]
            else:
                found = dotted(tree, path, target)
            for file, symbol, kappa in found:
                add(relation, file, kappa, STATIC, here, symbol)
        elif kind == "file":
            for file in read_at(tree, path, target, name == "above"):
                add("configures" if language in CONFIG_LANGUAGES else "references", file, EXACT, STATIC, here)
        elif kind == "entry":
            for file, symbol, kappa in dotted(tree, path, f"{target}.{name}" if name else target):
                add("provides", file, kappa, STATIC, here, symbol)
        elif kind == "symbol":
            found = dotted(tree, path, f"{name}.{target}") if name else []
            found = [row for row in found if row[1].split(".")[0] in tree.defined(row[0])]
            found = found or dotted(tree, path, target)
            if not found and len(target) > 3:
                files = tree.defining(target) or []
                found = [(f, target, UNIQUE_SUFFIX if len(files) == 1 else Fraction(1, len(files))) for f in files]
            for file, symbol, kappa in found:
                add("references", file, kappa, STATIC, here, symbol)
        elif kind in ("mention", "comment"):
            for file, kappa in by_suffix(tree, path, target):
                add("mentions", file, kappa, STATIC, here)
        else:
            raise AssertionError(f"a kind of reference this oracle does not know: {kind}")

    if TEST_PATH.search(path):
        for file, kappa in tested_by(tree, path, imports):
            add("tests", file, kappa, STATIC)
    for target, kappa in governance.learned_edges.get(path, {}).items():
        if tree.exists(target):
            add("learned_association", target, Fraction(kappa, 1_000_000), OVERLAY)
    merge(edges, (("artifact", path), ("hub", tags["domain"]), "belongs_to", "", ""), EXACT, REPOSITORY)
    return edges, [outcomes[name] for name in OUTCOMES]


def merge(edges: Edges, key: tuple, kappa: Fraction, partition: int) -> None:
    """On collision the repository partition beats the static one; within one, the surer edge wins."""
    standing = edges.get(key)
    if standing is None or (partition, -kappa) < (standing[1], -standing[0]):
        edges[key] = (kappa, partition)


# ------------------------------------------------------------------ priority (Eq. 2)


def contributions(
    path: str, tags: dict[str, str], facts: dict, governance: Governance, reached_by: set[str], package_root: bool
) -> dict[str, Fraction]:
    """c_b of every bucket but connectivity."""
    override = governance.override(path)
    name = path.split("/")[-1]

    risk = 0
    for rule, count in facts["risk"]:
        if rule in RISK and count:
            first, further, cap = RISK[rule]
            risk += min(cap, first + further * (count - 1))
    words = set(re.findall("[a-z]+", path.lower()))
    risk += min(RISK_WORDS_CAP, sum(points for word, points in RISK_WORDS.items() if word in words))

    if facts["public"]:
        documentation = Fraction(facts["documented"], facts["public"])
    else:
        documentation = Fraction(bool(facts["headings"]) and facts["language"] in PROSE)
    runs = facts["entry_point"] or name == "__main__.py" or name in BUILD_ROOTS
    review = override.get("review")
    terms = {
        "security": Fraction(risk, 100),
        "usage": Fraction(override.get("usage", 0), 100),
        "efficiency": Fraction(override.get("estimated_savings", 0), 1000),
        "lifecycle": Fraction(1) if tags["lifecycle"] == "active" else Fraction(1, 2),
        "documentation": documentation,
        "verification": Fraction("tests" in reached_by),
        "ownership": Fraction(governance.owned(path)),
        "governance": Fraction("governs" in reached_by),
        "entry_point": Fraction(runs or package_root or "provides" in reached_by),
        "api_surface": Fraction(facts["public"], 50),
        "review": Fraction(1) if review == "approved" else REVIEW_WHEN_NOTHING_IS_SAID,
    }
    return {bucket: max(Fraction(0), min(Fraction(1), value)) for bucket, value in terms.items()}


def is_package_root(path: str, tree: Tree) -> bool:
    """The `__init__.py` of a package that lies in no other package."""
    directory, _, name = path.rpartition("/")
    return name == "__init__.py" and directory != "" and not is_package(tree, _up(directory))


# ------------------------------------------------------------------ the digest


def merkle(leaves: list[tuple[str, bytes]]) -> bytes:
    """The radix tree over (bits of the key, leaf): a node with one child is that child."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0][1]
    left = merkle_half(leaves, "0")
    right = merkle_half(leaves, "1")
    if left is None or right is None:
        return left or right
    return hashlib.sha256(b"\x01" + left + right).digest()


def merkle_half(leaves: list[tuple[str, bytes]], bit: str) -> bytes | None:
    half = [(bits[1:], leaf) for bits, leaf in leaves if bits[0] == bit]
    return merkle(half) if half else None


def key_bits(node: tuple[str, str]) -> str:
    digest = hashlib.sha256(canonical(node).encode("ascii")).digest()
    return "".join(f"{byte:08b}" for byte in digest)


# ------------------------------------------------------------------ everything together


def build(
    files: list[tuple[str, int, str, int]],
    facts: dict[str, dict],
    governance_files: dict[str, bytes],
    resolve: Resolve,
) -> dict[str, object]:
    """Every stored row of the graph of one commit, and the values computed when read.

    `files` is (path, mode, blob, size) of every leaf of the tree; `facts` holds
    what extraction says of those that were read. A leaf without facts, or whose
    facts say that it is to be left out, is no artifact.
    """
    governance = Governance(governance_files)
    stat = {path: (mode, blob, size) for path, mode, blob, size in files}
    tree = Tree({path: facts[path] for path in stat if path in facts and not facts[path]["skip"]}, resolve)

    # Nodes and edges.
    tags: dict[tuple[str, str], dict[str, str]] = {}
    edges: Edges = {}
    outcomes = {}
    for path in tree.paths:
        tags["artifact", path] = tags_of(path, tree.facts[path], governance)
        found, outcomes[path] = links_of(path, tree, tags["artifact", path], governance)
        edges |= found
    for name, patterns in governance.constraints.items():
        tags["constraint", name] = {}
        for path in tree.paths:
            if any(matches(pattern, path) for pattern in patterns):
                edges[("constraint", name), ("artifact", path), "governs", "", ""] = (EXACT, OVERLAY)
    for _, target, relation, _, _ in list(edges):
        if relation == "belongs_to":
            tags[target] = {"domain": target[1]}
    nodes = sorted(tags, key=lambda node: (node[0], raw(node[1])))
    w = {key: millionths(RHO[key[2]] * kappa) for key, (kappa, _) in edges.items()}

    # Association (Eq. 4 to 6).
    incident: dict[tuple[str, str], list[int]] = defaultdict(list)
    for key in edges:
        incident[key[0]].append(w[key])
        incident[key[1]].append(w[key])
    heaviest = {node: sorted(incident[node], reverse=True)[: None if node[0] == "hub" else CAP] for node in nodes}
    a = {node: round(Fraction(sum(kept), len(kept))) for node, kept in heaviest.items() if kept}
    mu = round(Fraction(sum(a.values()), len(a))) if a else 0
    sigma = 0
    if a:
        mean = Fraction(sum(a.values()), len(a))
        spread = sum((value - mean) ** 2 for value in a.values())  # a node without edges stands at the mean
        sigma = math.isqrt(math.floor(spread / len(nodes)))

    # DuoRanker (Eq. 7 to 9): the neighbours of a node are artifacts, not its hub.
    heavy: dict[tuple, int] = defaultdict(int)
    for key in edges:
        if key[2] != "belongs_to":
            heavy[key[:2]] = max(heavy[key[:2]], w[key])
    out, into = defaultdict(list), defaultdict(list)
    for (u, v), weight in heavy.items():
        out[u].append((-weight, canonical(v), v))
        if u[0] == "artifact":  # nothing points at a constraint, so none lies between two nodes
            into[v].append((-weight, canonical(u), u))
    kept_out = {u: {v for _, _, v in sorted(rows)[:CAP]} for u, rows in out.items()}
    kept_into = {v: {u for _, _, u in sorted(rows)[:CAP]} for v, rows in into.items()}
    ranks = {}
    for key in edges:
        u, v, relation, _, _ = key
        tu, tv = set(tags[u].items()), set(tags[v].items())
        union = len(tu | tv)
        jaccard = Fraction(len(tu & tv), union) if union else Fraction(0)
        between = set()
        if relation != "belongs_to":
            between = (kept_out.get(u, set()) & kept_into.get(v, set())) - {u, v}
        via = sum(Fraction(heavy[u, x] * heavy[x, v], 10**12) for x in between)
        direct = Fraction(w[key], 10**6) * (GAMMA + (1 - GAMMA) * jaccard)
        ranks[key] = millionths(direct + BETA * LAMBDA * via)
    greatest = max(ranks.values(), default=0)

    # Rows.
    reached_by = defaultdict(set)
    for _, target, relation, _, _ in edges:
        reached_by[target].add(relation)
    outgoing = defaultdict(list)
    for key in edges:
        outgoing[key[0]].append(key)

    rows, leaves = [], []
    for node in nodes:
        kind, path = node
        s = m = 0
        row = {"name": canonical(node), "tags": tags[node]}
        if kind == "artifact":
            mode, blob, size = stat[path]
            root = is_package_root(path, tree)
            terms = contributions(path, tags[node], tree.facts[path], governance, reached_by[node], root)
            s = millionths(sum(BUCKETS[bucket] * value for bucket, value in terms.items()))
            sensitivity = SENSITIVITY.get(tags[node].get("sensitivity", "low"), Fraction(1))
            m = millionths(CLASSIFICATION.get(tags[node]["classification"], Fraction(1)) * sensitivity)
            row |= {"blob": blob, "checksum": tree.facts[path]["checksum"], "m": m, "mode": mode, "size": size}
        row["s"] = s
        row["edges"] = sorted(
            [
                canonical(key[1]), key[3], key[4], key[2],
                w[key], millionths(edges[key][0]), PARTITION_NAMES[edges[key][1]],
            ]
            for key in outgoing[node]
        )  # fmt: skip
        text = json.dumps(row, ensure_ascii=True, separators=(",", ":"), sort_keys=True)
        leaf = hashlib.sha256(b"\x00" + text.encode("ascii")).digest()
        leaves.append((key_bits(node), leaf))

        degree, count = len(incident[node]), len(heaviest[node])
        density = min(Fraction(1), Fraction(degree, max(1, len(nodes) - 1)))
        connected = Fraction(s, 10**6) + BUCKETS["connectivity"] * density
        p = min(millionths(PRIORITY_CAP), millionths(Fraction(m, 10**6) * connected))
        delta = millionths(Fraction(a[node] - mu, sigma)) if count and sigma else 0
        rows.append(
            {
                "kind": kind,
                "path": path,
                "tags": tags[node],
                "resolutions": outcomes.get(path, []) if kind == "artifact" else [],
                "s": s,
                "m": m,
                "sum": sum(heaviest[node]),
                "cnt": count,
                "deg": degree,
                "A": a.get(node, mu),
                "delta": delta,
                "P": p,
                "P'": p + millionths(ALPHA * Fraction(delta, 10**6)),
                "leaf": leaf.hex(),
            }
        )
    return {
        "nodes": rows,
        "edges": sorted(
            (
                {
                    "source": source,
                    "target": target,
                    "relation": relation,
                    "sfrag": here,
                    "tfrag": there,
                    "w": w[source, target, relation, here, there],
                    "kappa": millionths(kappa),
                    "partition": PARTITION_NAMES[partition],
                    "r": ranks[source, target, relation, here, there],
                    "R": millionths(Fraction(ranks[source, target, relation, here, there], greatest or 1)),
                }
                for (source, target, relation, here, there), (kappa, partition) in edges.items()
            ),
            key=edge_order,
        ),
        "header": {
            "nodes": len(nodes),
            "edges": len(edges),
            "connected": len(a),
            "sum_a": sum(a.values()),
            "sum_a2": sum(value * value for value in a.values()),
            "max_r": greatest,
            "mu": mu,
            "sigma": sigma,
        },
        "root": merkle(leaves).hex(),
    }


def edge_order(edge: dict) -> tuple:
    source, target = edge["source"], edge["target"]
    return source[0], raw(source[1]), target[0], raw(target[1]), edge["relation"], edge["sfrag"], edge["tfrag"]
