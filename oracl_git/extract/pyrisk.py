"""Risk rules for Python: what a reviewer would look at twice.

Knows calls and names by their spelling. Knows no data flow: a rule that fires
says "look here", not "this is wrong".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

# (rule, how the called names end, pattern). A pattern is searched for only where one of its endings stands
# before a bracket; none are given where names may end in any way. Each pattern starts with a literal, which
# is what makes searching for it cheap; what must not stand before it is looked at from behind.
_CALLS: tuple[tuple[str, bytes, bytes], ...] = (
    (
        "process_spawn",
        b".run call tput open",
        rb"subprocess(?<![\w.]subprocess)\.(?:run|call|check_call|check_output|Popen|get(?:status)?output)[ \t]*+\(",
    ),
    (
        "process_spawn",
        b"",
        rb"os(?<![\w.]os)\.(?:system|popen|spawn\w++|exec[lv]\w*+|fork|posix_spawnp?+)[ \t]*+\(",
    ),
    ("process_spawn", b"exec hell", rb"create_subprocess_(?:exec|shell)[ \t]*+\("),
    ("process_spawn", b"open", rb"Popen(?<![\w.]Popen)[ \t]*+\("),
    ("process_spawn", b"tput call", rb"check_(?<![\w.]check_)(?:output|call)[ \t]*+\("),
    ("dynamic_eval", b"eval", rb"eval(?<![\w.]eval)(?<!def eval)[ \t]*+\("),
    ("dynamic_eval", b"exec", rb"exec(?<![\w.]exec)(?<!def exec)[ \t]*+\("),
    ("dynamic_eval", b"pile", rb"compile(?<![\w.]compile)(?<!def compile)[ \t]*+\("),
    ("unsafe_deserialisation", b"load oads kler code", rb"ickle\.(?:loads?|Unpickler|decode)[ \t]*+\("),
    ("unsafe_deserialisation", b"load oads", rb"dill(?<![\w.]dill)\.loads?[ \t]*+\("),
    ("unsafe_deserialisation", b"load oads", rb"marshal(?<![\w.]marshal)\.loads?[ \t]*+\("),
    (
        "unsafe_deserialisation",
        b"load _all",
        rb"yaml(?<![\w.]yaml)\.(?:unsafe_|full_)?load(?:_all)?[ \t]*+\(",
    ),
    ("unsafe_deserialisation", b"open", rb"shelve(?<![\w.]shelve)\.open[ \t]*+\("),
    ("network_listener", b"ever", rb"serve_forever[ \t]*+\("),
    ("network_listener", b"rver", rb"HTTPServer[ \t]*+\((?<!class HTTPServer\()"),
    ("network_listener", b"rver", rb"TCPServer[ \t]*+\((?<!class TCPServer\()"),
    ("network_listener", b"rver", rb"UDPServer[ \t]*+\((?<!class UDPServer\()"),
    ("network_listener", b"rver", rb"start_(?:unix_)?server[ \t]*+\("),
    ("network_listener", b"rver", rb"create_(?:unix_)?server[ \t]*+\("),
)
_PATTERNS = tuple((rule, frozenset(endings.split()), re.compile(pattern)) for rule, endings, pattern in _CALLS)
_ENDINGS = frozenset(ending for _, endings, _ in _PATTERNS for ending in endings)
_ENDING = 4  # characters
_ANY_ENDING = (b"os.system", b"os.popen", b"os.spawn", b"os.exec", b"os.fork", b"os.posix_spawn")
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


def risks(
    text: bytes, code: Callable[[], bytes], broken: bool, modules: set[str], targets: Iterable[tuple[int, int]]
) -> list[tuple[str, int]]:
    """(rule, matches), sorted; `code` gives the text without strings, comments and imports.

    In a text that is not `broken` none of these touches a bracket that opens: what is called is seen without it.
    """
    counts: dict[str, int] = {}
    called = _called(code() if broken else text)
    for rule, endings, pattern in _PATTERNS:
        if called & endings if endings else any(name in text for name in _ANY_ENDING):
            counts[rule] = counts.get(rule, 0) + len(pattern.findall(code()))
    packages = {module.partition(".")[0] for module in modules}
    if "socket" in packages:
        counts["network_listener"] = counts.get("network_listener", 0) + len(_SOCKET.findall(code()))
    if b".execute" in text:
        counts["raw_sql"] = sum(code()[match.start()] == 46 for match in _SQL.finditer(text))
    counts["cryptography"] = len(packages & _CRYPTOGRAPHY)
    counts["credential_constant"] = sum(
        1 for start, end in targets if _CREDENTIAL.search(text, start, end) and _LITERAL.match(text, end)
    )
    return sorted((rule, count) for rule, count in counts.items() if count)


def _called(text: bytes) -> frozenset[bytes]:
    """How the names end that stand before a bracket, of the endings there are patterns for."""
    return _ENDINGS.intersection([before.rstrip(b" \t")[-_ENDING:] for before in text.split(b"(")])
