"""What must not be committed by mistake: private stores, private keys, files of secrets.

Knows names and first lines. Knows nothing of entropy: a key that stands in the
middle of a program is for other tools. Test data is left alone: such keys are
there on purpose.
"""

from __future__ import annotations

import re

from ..graph.stems import TEST_PATH
from .model import KEY_FILE, PRIVATE_STORE, Finding

_STORE = re.compile(r"(?:^|/)\.agentlas/(?:ontology-runtime\.sqlite|ontology-inbox/|ontology-gui/)")
_SQLITE = b"SQLite format 3\0"
_EXAMPLES = re.compile(
    r"(?:^|/)(?:fixtures?|test[-_]?data|examples?|samples?|docs?|mocks?|certs?-for-tests?)(?:/|$)", re.I
)
_KEY = re.compile(
    rb"\s{0,200}(?:Bag Attributes\n(?:[^\n]{0,200}\n){1,20}?)?"
    rb"-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----\r?\n"
    rb"(?:[A-Za-z-]{1,30}: [^\n]{0,200}\n|\r?\n){0,6}[A-Za-z0-9+/=]{16,}"
)
_A_KEY = "this is a private key: git rm --cached it, and replace the key if it was pushed"
_A_SECRET = "this looks like a secret in an environment file: keep it out of git"
_PUTTY = b"PuTTY-User-Key-File-"
_ENVIRONMENT = re.compile(
    r"(?:^|/)(?:\.env(?:\.(?!example|sample|template|dist|tpl|defaults?|test|ci|schema)[\w-]+)?)$"
)
_SECRET = re.compile(
    rb"^[ \t]{0,9}(?:export[ \t]{1,9})?[A-Z0-9_]{0,60}(?:SECRET|TOKEN|PASSWORD|PASSWD|PRIVATE_KEY|API_?KEY|ACCESS_KEY)"
    rb"[A-Z0-9_]{0,60}[ \t]{0,9}=[ \t]{0,9}[\"']?([^\s\"'#]{6,})",
    re.MULTILINE | re.IGNORECASE,
)
_EMPTY = re.compile(
    rb"(?i)^(?:x{3,}|\*{3,}|<.*>|\$\{?.*|\.{3,}|change[-_]?me.*|your[-_].*|example.*|placeholder|password|secret|dummy.*"
    rb"|test.*|none|null|true|false|todo.*|replace.*|insert.*|fake.*|foo.*)$"
)  # nobody's secret


def private_store(path: str, data: bytes | None) -> Finding | None:
    """A store that holds registered documents or memory."""
    inside = path.startswith(".agentlas/") or "/.agentlas/" in path
    if _STORE.search(path) or (inside and data is not None and data.startswith(_SQLITE)):
        message = "registered documents and memory are private to this clone: git rm --cached it"
        return Finding(path, 1, PRIVATE_STORE, message, path)
    return None


def key_file(path: str, data: bytes | None) -> Finding | None:
    """A file that is a private key, or an environment file that holds secrets."""
    if data is None or TEST_PATH.search(path) or _EXAMPLES.search(path):
        return None
    if _KEY.match(data) or data.startswith(_PUTTY):
        return Finding(
            path, 1, KEY_FILE, _A_KEY, path
        )
    if _ENVIRONMENT.search(path):
        for match in _SECRET.finditer(data):
            if not _EMPTY.match(match[1]):
                line = data.count(b"\n", 0, match.start()) + 1
                return Finding(
                    path, line, KEY_FILE, _A_SECRET, path
                )
    return None
