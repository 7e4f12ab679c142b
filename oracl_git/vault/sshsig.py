"""SSHSIG: the signatures of `ssh-keygen -Y sign`.

Knows how OpenSSH writes keys and signatures as strings with lengths, and what of
a message is signed. Knows Ed25519 only, and nothing of trust.
https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig
"""

from __future__ import annotations

import struct
from base64 import b64decode
from hashlib import new
from typing import NamedTuple

from .canonical import to_base64

NAMESPACE = "oracl-snapshot"
KEY_TYPE = "ssh-ed25519"
_MAGIC = b"SSHSIG"
_VERSION = 1
_HASH = "sha512"
_HASHES = frozenset(("sha512", "sha256"))


class Blob(NamedTuple):
    """What one SSHSIG says of itself. Nothing of it is believed before the trusted key has checked it."""

    raw_key: bytes  # 32 bytes
    namespace: str
    hash_name: str
    signature: bytes  # 64 bytes


def key_blob(raw: bytes) -> bytes:
    """A public key as SSH writes it; SHA-256 of this is its fingerprint."""
    return _string(KEY_TYPE.encode()) + _string(raw)


def key_of(blob: bytes) -> bytes:
    """The 32 raw bytes of an Ed25519 key blob. Raises ValueError for any other."""
    kind, rest = _take(blob)
    raw, rest = _take(rest)
    if kind != KEY_TYPE.encode() or len(raw) != 32 or rest:
        raise ValueError("no Ed25519 key")
    return raw


def message(data: bytes, namespace: str = NAMESPACE, hash_name: str = _HASH) -> bytes:
    """What the key signs for some data."""
    parts = (namespace.encode(), b"", hash_name.encode(), new(hash_name, data).digest())
    return _MAGIC + b"".join(map(_string, parts))


def encode(raw_key: bytes, signature: bytes) -> bytes:
    """The signature as OpenSSH writes it, before base64."""
    inner = _string(KEY_TYPE.encode()) + _string(signature)
    parts = (key_blob(raw_key), NAMESPACE.encode(), b"", _HASH.encode(), inner)
    return _MAGIC + struct.pack(">I", _VERSION) + b"".join(map(_string, parts))


def decode(data: bytes) -> Blob:
    """The parts of an SSHSIG. Raises ValueError when it is none, or not by an Ed25519 key."""
    if not is_sshsig(data) or data[6:10] != struct.pack(">I", _VERSION):
        raise ValueError("no SSHSIG of version 1")
    rest, parts = data[10:], []
    for _ in range(5):
        part, rest = _take(rest)
        parts.append(part)
    key, namespace, reserved, hash_name, inner = parts
    kind, inner = _take(inner)
    signature, inner = _take(inner)
    name = hash_name.decode("ascii", "replace")
    if rest or inner or reserved or kind != KEY_TYPE.encode() or len(signature) != 64 or name not in _HASHES:
        raise ValueError("an SSHSIG of another form")
    return Blob(key_of(key), namespace.decode("utf-8", "replace"), name, signature)


def is_sshsig(data: bytes) -> bool:
    """Whether a signature is in this form, as against 64 bare bytes."""
    return data.startswith(_MAGIC)


def dearmor(text: bytes) -> bytes:
    """The bytes between the BEGIN and END lines of `ssh-keygen -Y sign`."""
    body = b"".join(line for line in text.split(b"\n") if line and not line.startswith(b"-----"))
    return b64decode(body, validate=True)


def armor(data: bytes) -> str:
    """What `ssh-keygen -Y verify` reads."""
    text = to_base64(data)
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    return "\n".join(["-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""])


def _string(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def _take(data: bytes) -> tuple[bytes, bytes]:
    if len(data) < 4:
        raise ValueError("cut off")
    (length,) = struct.unpack(">I", data[:4])
    if len(data) - 4 < length:
        raise ValueError("cut off")
    return data[4 : 4 + length], data[4 + length :]
