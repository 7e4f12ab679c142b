"""Risk rules of languages beside Python: the same table, in their words.

Knows calls and names by their spelling, as `pyrisk` does for Python. Knows no
data flow: a rule that fires says "look here", not "this is wrong".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

_C = {
    "process_spawn": rb"(?<![\w.>:])(?:system|popen|execvp?e?|execlp?e?|posix_spawnp?|fork|CreateProcess[AW]?)[ \t]?\(",
    "unsafe_deserialisation": rb"(?<![\w.>:])(?:gets|strcpy|strcat|sprintf|vsprintf)[ \t]?\(|reinterpret_cast<",
    "network_listener": rb"(?<![\w.>:])(?:listen|accept4?)[ \t]?\(",
    "raw_sql": rb"sqlite3_exec[ \t]?\([^;\n]{0,60}(?:sprintf|[+])",
}

# Language → rule → what is looked for in its code, comments and imports apart. Patterns start with a literal.
_SCRIPTS = {
    "process_spawn": (
        rb"\b(?:child_process|childProcess|cp)\.(?:exec|spawn|fork)\w*\(|\b(?:Bun\.spawn|Deno\.(?:Command|run))(?:Sync)?\("
        rb"|(?<![\w.$])(?:exec(?:File)?(?:Sync)?|spawn(?:Sync)?|execa(?:Sync)?)\("
    ),
    "dynamic_eval": rb"(?<![\w.$])eval\(|\bnew Function\(|\bvm\.(?:run\w{1,40}|compileFunction)\(",
    "unsafe_deserialisation": rb"\bv8\.deserialize\(|\.unserialize\(|\byaml\.unsafeLoad\(",
    "network_listener": rb"\.createServer\(|\.listen\(|\b(?:Bun|Deno)\.serve\(|(?<![\w.$])createServer\(",
    "raw_sql": (
        rb"\.(?:\$(?:query|execute)RawUnsafe\(|(?:query|execute|raw|exec|run|all|get|prepare)\(\s{0,80}(?:"
        rb"`\s{0,80}(?i:select|insert|update|delete|with)\b[^`]{0,500}\$\{"
        rb"|[\"'](?i:select|insert|update|delete|with)\b[^\"'\n]{0,300}[\"'] ?\+))"
    ),
}
_CALLS: dict[str, dict[str, bytes]] = {
    "javascript": _SCRIPTS,
    "typescript": _SCRIPTS,
    "tsx": _SCRIPTS,
    "go": {
        "process_spawn": rb"exec\.Command(?:Context)?\(|syscall\.(?:Exec|ForkExec)\(|os\.StartProcess\(",
        "unsafe_deserialisation": rb"gob\.NewDecoder\(|yaml\.UnmarshalStrict\(|unsafe\.Pointer\(",
        "network_listener": rb"ListenAndServe(?:TLS)?\(|net\.Listen(?:TCP|UDP|Packet|Unix)?\(|\.Serve(?:TLS)?\(",
        "raw_sql": (
            rb"\.(?:Exec|Query|QueryRow)(?:Context)?\((?:[^()\n\"]{0,60},\s?)?"
            rb"(?:fmt\.Sprintf\(|\"[^\"\n]{0,300}\" ?\+)"
        ),
    },
    "rust": {
        "process_spawn": rb"Command::new\(",
        "unsafe_deserialisation": (
            rb"transmute(?:_copy)?(?:::<[^>\n]{0,100}>)?\(|from_raw_parts(?:_mut)?\(|bincode::deserialize"
        ),
        "network_listener": rb"(?:Tcp|Unix)Listener::bind\(|UdpSocket::bind\(|Server::bind\(",
        "raw_sql": rb"(?:query|query_as|execute|prepare|batch_execute)\((?:&\s?)?format!\(",
    },
    "c": _C,
    "cpp": _C,
    "java": {
        "process_spawn": rb"new ProcessBuilder\(|\.getRuntime\(\)\s{0,20}\.exec\(",
        "dynamic_eval": rb"new GroovyShell\(|ScriptEngineManager\(|Class\.forName\((?!\")",
        "unsafe_deserialisation": rb"new ObjectInputStream\(|new XMLDecoder\(|XStream\(|enableDefaultTyping\(",
        "network_listener": rb"new (?:SSL)?ServerSocket\(|HttpServer\.create\(|ServerSocketChannel\.open\(",
        "raw_sql": rb"\.(?:execute|executeQuery|executeUpdate|prepareStatement|createNativeQuery)\(\s{0,40}"
        rb"\"[^\"\n]{0,300}\" ?\+",
    },
    "csharp": {
        "process_spawn": rb"Process\.Start\(|new ProcessStartInfo\b",
        "dynamic_eval": rb"CSharpScript\.(?:Evaluate|Run)Async|Assembly\.Load(?:From|File)?\(",
        "unsafe_deserialisation": rb"new (?:BinaryFormatter|SoapFormatter|NetDataContractSerializer|LosFormatter)\b"
        rb"|TypeNameHandling\.(?:All|Auto|Objects)",
        "network_listener": rb"new (?:TcpListener|HttpListener)\b|WebApplication\.CreateBuilder\(|UseKestrel\(",
        "raw_sql": rb"(?:new \w{0,20}Command|FromSqlRaw|ExecuteSqlRaw(?:Async)?)\(\s{0,40}"
        rb"(?:\$\"|\"[^\"\n]{0,300}\" ?\+)",
    },
    "ruby": {
        "process_spawn": rb"\b(?:Kernel\.)?(?:system|spawn|exec)[ (]{1,3}[\"'\[]|Open3\.|IO\.popen\b|%x[\[({]",
        "dynamic_eval": rb"\b(?:instance_eval|class_eval|module_eval|eval)[ (]{1,3}(?!do\b|\{|&)|\.constantize\b",
        "unsafe_deserialisation": rb"Marshal\.(?:load|restore)\b|YAML\.(?:unsafe_load|load)\b|Oj\.load\b",
        "network_listener": rb"TCPServer\.(?:new|open)\b|UNIXServer\.(?:new|open)\b|WEBrick::HTTPServer\.new\b",
        "raw_sql": rb"\.(?:execute|find_by_sql|exec_query|where|order)[ (]{1,3}\"[^\"\n]{0,200}#\{",
    },
    "php": {
        "process_spawn": rb"(?<![\w>:$])(?:shell_exec|proc_open|popen|passthru|exec|system)\s?\(|new Process\(",
        "dynamic_eval": rb"\beval\s?\(|\bassert\s?\(\s?[\"']|\bcreate_function\s?\(",
        "unsafe_deserialisation": rb"\bunserialize\s?\(",
        "network_listener": rb"\b(?:stream_socket_server|socket_listen|socket_bind)\s?\(",
        "raw_sql": rb"(?:->(?:query|exec|prepare)|mysqli_query)\s?\([^()\n\"']{0,60}"
        rb"(?:\"[^\"\n]{0,300}(?:\$|\" ?\.)|'[^'\n]{0,300}' ?\.)",
    },
}
_CALLS["kotlin"] = {
    rule: pattern.replace(rb"new ", rb"\b") if rule != "raw_sql" else pattern
    for rule, pattern in _CALLS["java"].items()
}
# Language → modules whose import is a use of cryptography, by how their names begin.
_SCRIPT_CRYPTOGRAPHY = (
    "crypto", "node:crypto", "bcrypt", "argon2", "jsonwebtoken", "jose", "tweetnacl", "libsodium", "@noble/",
    "node-forge", "openpgp",
)  # fmt: skip
_CRYPTOGRAPHY: dict[str, tuple[str, ...]] = {
    "javascript": _SCRIPT_CRYPTOGRAPHY,
    "typescript": _SCRIPT_CRYPTOGRAPHY,
    "tsx": _SCRIPT_CRYPTOGRAPHY,
    "java": ("javax.crypto", "java.security", "org.bouncycastle"),
    "kotlin": ("javax.crypto", "java.security", "org.bouncycastle"),
    "csharp": ("System.Security.Cryptography", "Org.BouncyCastle"),
    "ruby": ("openssl", "digest", "bcrypt", "rbnacl"),
    "go": ("crypto/", "golang.org/x/crypto"),
    "rust": ("ring", "rustls", "openssl", "sha2", "sha1", "md5", "aes", "rsa", "ed25519", "hmac", "chacha20"),
    "c": ("<openssl/", "<sodium", "<gcrypt", "<mbedtls/", "<nettle/", "<gnutls/", "<wolfssl/"),
    "cpp": ("<openssl/", "<sodium", "<gcrypt", "<mbedtls/", "<botan/", "<cryptopp/"),
}
# Language → rule → words one of which stands in all that its pattern finds. They are looked for first, which is
# cheap, and most files have none.
_SCRIPT_WORDS = {
    "process_spawn": b"exec spawn fork Deno.",
    "dynamic_eval": b"eval( Function( vm.",
    "unsafe_deserialisation": b"erialize( unsafeLoad(",
    "network_listener": b"listen( createServer( serve(",
    "raw_sql": b"query( execute( raw( exec( run( all( get( prepare( RawUnsafe(",
}
_C_WORDS = {
    "process_spawn": b"system popen exec posix_spawn fork CreateProcess",
    "unsafe_deserialisation": b"gets strcpy strcat sprintf reinterpret_cast<",
    "network_listener": b"listen accept",
    "raw_sql": b"sqlite3_exec",
}
_JVM_WORDS = {
    "process_spawn": b"ProcessBuilder( .exec(",
    "dynamic_eval": b"GroovyShell( ScriptEngineManager( Class.forName(",
    "unsafe_deserialisation": b"ObjectInputStream( XMLDecoder( XStream( enableDefaultTyping(",
    "network_listener": b"ServerSocket( HttpServer.create( ServerSocketChannel.open(",
    "raw_sql": b".execute .prepareStatement( .createNativeQuery(",
}
_WORDS: dict[str, dict[str, bytes]] = {
    "javascript": _SCRIPT_WORDS,
    "typescript": _SCRIPT_WORDS,
    "tsx": _SCRIPT_WORDS,
    "go": {
        "process_spawn": b"exec.Command syscall. os.StartProcess(",
        "unsafe_deserialisation": b"gob.NewDecoder( yaml.UnmarshalStrict( unsafe.Pointer(",
        "network_listener": b"ListenAndServe net.Listen .Serve",
        "raw_sql": b".Exec .Query",
    },
    "rust": {
        "process_spawn": b"Command::new(",
        "unsafe_deserialisation": b"transmute from_raw_parts bincode::deserialize",
        "network_listener": b"Listener::bind( UdpSocket::bind( Server::bind(",
        "raw_sql": b"format!(",
    },
    "c": _C_WORDS,
    "cpp": _C_WORDS,
    "java": _JVM_WORDS,
    "kotlin": _JVM_WORDS,
    "csharp": {
        "process_spawn": b"Process.Start( ProcessStartInfo",
        "dynamic_eval": b"CSharpScript. Assembly.Load",
        "unsafe_deserialisation": b"Formatter NetDataContractSerializer TypeNameHandling.",
        "network_listener": b"TcpListener HttpListener WebApplication.CreateBuilder( UseKestrel(",
        "raw_sql": b"Command( FromSqlRaw( ExecuteSqlRaw",
    },
    "ruby": {
        "process_spawn": b"system spawn exec Open3. IO.popen %x",
        "dynamic_eval": b"eval .constantize",
        "unsafe_deserialisation": b"Marshal. YAML. Oj.load",
        "network_listener": b"TCPServer. UNIXServer. WEBrick::",
        "raw_sql": b".execute .find_by_sql .exec_query .where .order",
    },
    "php": {
        "process_spawn": b"exec proc_open popen passthru system Process(",
        "dynamic_eval": b"eval assert create_function",
        "unsafe_deserialisation": b"unserialize",
        "network_listener": b"stream_socket_server socket_listen socket_bind",
        "raw_sql": b"query exec prepare",
    },
}
_CREDENTIAL_WORDS = (b"passw", b"secret", b"token", b"apikey", b"api_key")
_CREDENTIAL = re.compile(
    rb"(?:passw(?:or)?d|secret|token|api_?key)[\w$]{0,40}[\"']?\s{0,3}"
    rb"(?::?=(?!=)|:)\s{0,3}(?:\"[^\"\n$<{]{4,}\"|'[^'\n$<{]{4,}')"
)  # of a text in small letters
_Rules = list[tuple[str, list[bytes], re.Pattern[bytes]]]  # (rule, words, pattern)


@cache
def rules(language: str) -> _Rules:
    """What is looked for in the code of a language; one of the words stands in all that the pattern finds."""
    words = _WORDS.get(language, {})
    return [(rule, words[rule].split(), re.compile(pattern)) for rule, pattern in _CALLS.get(language, {}).items()]


def risks(code: bytes, language: str, modules: Collection[str]) -> list[tuple[str, int]]:
    """(rule, matches), sorted; `code` is the text without comments and imports, `modules` what is imported."""
    counts = {
        rule: sum(1 for _ in pattern.finditer(code))
        for rule, words, pattern in rules(language)
        if any(word in code for word in words)
    }
    heads = _CRYPTOGRAPHY.get(language, ())
    counts["cryptography"] = sum(module.startswith(heads) for module in modules) if heads else 0
    lower = code.lower()
    if any(word in lower for word in _CREDENTIAL_WORDS):
        counts["credential_constant"] = sum(1 for _ in _CREDENTIAL.finditer(lower))
    return sorted((rule, count) for rule, count in counts.items() if count)
