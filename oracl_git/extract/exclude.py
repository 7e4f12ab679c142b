"""Which files stay out of the graph, and why.

Knows names, modes and sizes, and the few marks of generated text. The tables
below are the whole policy.
"""

from __future__ import annotations

import re

MAX_BYTES = 1 << 20  # larger files are data or generated; one must not cost more than a thousand others

SYMLINK = 0o120000  # never followed: the target may lie outside the repository
SUBMODULE = 0o160000  # another repository

_TABLES = {
    # Not text: there is nothing to read.
    "binary": b"png jpg jpeg gif bmp tif tiff ico icns webp avif psd heic pdf ps eps zip gz tgz bz2 xz zst 7z rar tar "
    b"jar war whl egg rpm deb dmg iso msi exe dll so dylib a lib o obj class pyc pyo pyd wasm bin dat db sqlite "
    b"sqlite3 woff ttf otf eot mp3 mp4 ogg wav flac avi mov webm mkv pkl pickle npy npz h5 hdf5 parquet onnx pt pth "
    b"woff2 safetensors ckpt doc docx xls xlsx ppt pptx odt gpg p12 pfx jks der inv stackdump swp",
    # Written by a program from something else in the repository.
    "generated": b"min.js min.css map snap",
    # Catalogues repeat the source's text in other words, once a language.
    "translation": b"po mo pot",
    # Drawings are text by accident.
    "image": b"svg",
}
_SUFFIXES = {suffix: reason for reason, words in _TABLES.items() for suffix in words.split()}

_LOCK_FILES = frozenset(
    b"package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock poetry.lock uv.lock pdm.lock "
    b"pixi.lock cargo.lock go.sum pipfile.lock composer.lock gemfile.lock mix.lock flake.lock packages.lock.json "
    b"podfile.lock pubspec.lock .terraform.lock.hcl".split()
)  # resolved from a manifest that is indexed

_ENVIRONMENTS = re.compile(
    rb"(?:^|/)(?:(?:\.venv[^/]*|node_modules|__pycache__|\.tox|\.nox|\.mypy_cache|\.pytest_cache|\.ruff_cache"
    rb"|\.eggs|site-packages)/"
    # A package may be called venv: what is made by the tool of that name is told by what lies in it.
    rb"|venv\d?/(?:(?:bin|lib|lib64|include|share|Lib|Scripts|Include)/|pyvenv\.cfg\Z))"
)  # installed, not written here

_PLACES = (
    # Registered documents and memory: private, and never part of a graph that is signed and shared.
    (re.compile(rb"(?:^|/)\.agentlas/(?:ontology-runtime\.sqlite|ontology-inbox/|ontology-gui/)"), "private store"),
    # What the tools of the paper write: the graph must not describe its own output.
    (re.compile(rb"(?:^|/)(?:report_tmp|deployment/staging|docs/reports/_tmp|semantics_vault)/"), "derived output"),
    # What was learned from questions is read as settings; as text it would answer those very questions.
    (re.compile(rb"\A\.agentlas/learned_(?:edges|tags)\.json\Z"), "learned"),
    (_ENVIRONMENTS, "environment"),
)


def excluded(path: bytes, mode: int, size: int | None) -> str:
    """Why a file is left out before its content is read, or ""."""
    kind = mode & 0o170000
    if kind == SYMLINK:
        return "symlink"
    if kind == SUBMODULE:
        return "submodule"
    for pattern, reason in _PLACES:
        if pattern.search(path):
            return reason
    base = path.rpartition(b"/")[2].lower()
    if base in _LOCK_FILES:
        return "generated"
    _, dot, suffix = base.rpartition(b".")
    if dot:
        reason = _SUFFIXES.get(suffix, "")
        if reason:
            return reason
        if suffix in (b"js", b"css", b"mjs", b"cjs") and b".min." in base:
            return "generated"
    if size is None:
        return "missing"
    return "over 1 MiB" if size > MAX_BYTES else ""


_NUL_WINDOW = 8_000  # git's own
_MARK_LINES = 10
_SAID_LINES = 60  # in which a comment may say so in the words of Go's convention: a licence often comes first
_SAID = re.compile(rb"^\W{0,9}Code generated [^\n]{0,200}DO NOT EDIT\.?\s*$", re.MULTILINE)
_MARKS = re.compile(rb"@generated\b|\bDO NOT EDIT\b", re.IGNORECASE)
# What other programs write into a comment of the code that they made. A sentence that goes on from the line before
# speaks of something else.
_MADE = re.compile(
    rb"^[^\w\n]{1,40}(?:warning\W{1,9})?this (?:file|module|header|script) (?:is|was|has been) "
    rb"(?:auto[- ]?|automatically )?generated(?: (?:by|from|using|with)\b|[.!;,]?[^\w\n]*$)"
    rb"|(?:\A|[^\w,;\s]\s*?\n)[^\w\n]{1,40}(?:warning\W{1,9})?(?:auto[- ]?|automatically )generated"
    rb"(?:!| (?:file )?(?:by|from|using|with)\b)",
    re.MULTILINE | re.IGNORECASE,
)
_MINIFIED = frozenset(("javascript", "typescript", "css"))
_MINIFIED_AVERAGE = 500
_LONGEST_LINE = 100_000


def is_binary(data: bytes) -> bool:
    """A NUL in the first bytes, as git has it; UTF-16 with a byte order mark is text."""
    return b"\0" in data[:_NUL_WINDOW] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))


def is_generated(text: bytes, rows: list[bytes], language: str, code: bool) -> bool:
    """Whether a text says, or shows by its lines, that a program wrote it."""
    head = b"".join(rows[:_MARK_LINES])[: 1 << 14]
    said = head.lower()
    if b"@generated" in said or b"do not edit" in said:
        mark = _MARKS.search(head)
        if mark and (mark[0][:1] == b"@" or b"generated" in said):
            return True
    if code and language != "gitfile" and b"generated" in said and _MADE.search(head):
        return True
    if code and _SAID.search(b"".join(rows[:_SAID_LINES])[: 1 << 14]):
        return True
    if language in _MINIFIED and rows and len(text) > _MINIFIED_AVERAGE * len(rows):
        return True
    return code and len(text) > _LONGEST_LINE and max(map(len, rows)) > _LONGEST_LINE
