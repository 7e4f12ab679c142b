"""Risk rules for Python: what a reviewer would look at twice.

Knows calls and names by their spelling. Knows no data flow: a rule that fires
says "look here", not "this is wrong".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Each pattern starts with a literal, which is what makes searching for it cheap; what
# must not stand before it is looked at from behind.
_CALLS = (
    (
        "process_spawn",
        rb"subprocess(?<![\w.]subprocess)\.(?:run|call|check_call|check_output|Popen|get(?:status)?output)[ \t]*+\(",
        rb"os(?<![\w.]os)\.(?:system|popen|spawn\w++|exec[lv]\w*+|fork|posix_spawnp?+)[ \t]*+\(",
        rb"create_subprocess_(?:exec|shell)[ \t]*+\(",
        rb"Popen(?<![\w.]Popen)[ \t]*+\(",
        rb"check_(?<![\w.]check_)(?:output|call)[ \t]*+\(",
    ),
    (
        "dynamic_eval",
        rb"eval(?<![\w.]eval)(?<!def eval)[ \t]*+\(",
        rb"exec(?<![\w.]exec)(?<!def exec)[ \t]*+\(",
        rb"compile(?<![\w.]compile)(?<!def compile)[ \t]*+\(",
    ),
    (
        "unsafe_deserialisation",
        rb"ickle\.(?:loads?|Unpickler|decode)[ \t]*+\(",
        rb"dill(?<![\w.]dill)\.loads?[ \t]*+\(",
        rb"marshal(?<![\w.]marshal)\.loads?[ \t]*+\(",
        rb"yaml(?<![\w.]yaml)\.(?:unsafe_|full_)?load(?:_all)?[ \t]*+\(",
        rb"shelve(?<![\w.]shelve)\.open[ \t]*+\(",
    ),
    (
        "network_listener",
        rb"serve_forever[ \t]*+\(",
        rb"HTTPServer[ \t]*+\((?<!class HTTPServer\()",
        rb"TCPServer[ \t]*+\((?<!class TCPServer\()",
        rb"UDPServer[ \t]*+\((?<!class UDPServer\()",
        rb"start_(?:unix_)?server[ \t]*+\(",
        rb"create_(?:unix_)?server[ \t]*+\(",
    ),
)
_PATTERNS = tuple((rule, tuple(map(re.compile, patterns))) for rule, *patterns in _CALLS)
_SOCKET = re.compile(rb"\.(?:bind|listen)[ \t]*+\(")
_SQL = re.compile(
    rb"\.execute(?:many|script)?\(\s{0,99}(?:[rR]?[fF][rR]?[\"']"
    rb"|(?:\"\"\"(?:[^\"]|\"(?!\"\"))*+\"\"\"|\"[^\"\n]*+\"|'[^'\n]*+')\s{0,99}(?:%|\+|\.format\())"
)
_CRYPTOGRAPHY = frozenset(
    ("hashlib", "hmac", "ssl", "secrets", "cryptography", "nacl", "Crypto", "OpenSSL", "jwt", "bcrypt", "passlib")
)
_CREDENTIAL = re.compile(rb"passw(?:or)?d|secret|token|api_?key", re.IGNORECASE)
_LITERAL = re.compile(rb"[ \t]*+(?::[^=\n]*+)?=[ \t]*+[rRbBuU]{0,2}(?:\"(?!\")|'(?!'))")


def risks(text: bytes, code: bytes, modules: set[str], targets: Iterable[tuple[int, int]]) -> list[tuple[str, int]]:
    """(rule, matches), sorted; `code` is the text without strings, comments and imports."""
    counts: dict[str, int] = {}
    for rule, patterns in _PATTERNS:
        counts[rule] = sum(len(pattern.findall(code)) for pattern in patterns)
    packages = {module.partition(".")[0] for module in modules}
    if "socket" in packages:
        counts["network_listener"] += len(_SOCKET.findall(code))
    if b".execute" in code:
        counts["raw_sql"] = sum(code[match.start()] == 46 for match in _SQL.finditer(text))
    counts["cryptography"] = len(packages & _CRYPTOGRAPHY)
    counts["credential_constant"] = sum(
        1 for start, end in targets if _CREDENTIAL.search(text, start, end) and _LITERAL.match(text, end)
    )
    return sorted((rule, count) for rule, count in counts.items() if count)
