"""Adding to the lists of trusted and revoked keys, and showing them.

Knows the two tracked files, and that they are changed only when asked to. Knows
nothing of private keys but whether one is configured.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from .. import whole
from ..errors import OraclError, Unverified, UsageError
from ..git import Repository
from ..git.run import attempt
from . import keys, trust
from .keys import PublicKey
from .memory import locked
from .use import policy

_PRINCIPAL = re.compile(r"[^\s\"',#]{1,200}")


class Row(NamedTuple):
    """One trusted key, or one that is listed and does not count."""

    fingerprint: str
    key_id: str
    principals: str
    trusted: bool
    problem: str


class Listing(NamedTuple):
    """What `keys list` tells."""

    own: str  # fingerprint of the configured key, or ""
    policy: str
    source: str
    trusted: list[Row]
    notes: list[str]


def listing(repo: Repository, file: str, base: str) -> Listing:
    """The configured key and the list that counts."""
    notes = []
    try:
        signer = keys.signer(repo)
        own = keys.fingerprint(signer.key_id) if signer else ""
    except UsageError as error:
        own = ""
        notes.append(error.message)
    try:
        found = trust.load(repo, file=file, base=base)
    except Unverified as error:
        return Listing(own, policy(repo), error.message, [], notes)
    rows = []
    for key_id in dict.fromkeys(entry.key.id for entry in found.entries):
        problem = found.problem(key_id)
        principals = ",".join(entry.principals for entry in found.entries if entry.key.id == key_id)
        rows.append(Row(keys.fingerprint(key_id), key_id, principals, not problem, problem))
    notes += [f"{found.source}, {note}" for note in found.notes]
    return Listing(own, policy(repo), found.source, rows, notes)


def add_trust(repo: Repository, text: str, *, principal: str, after: str, before: str, file: str) -> tuple[str, str]:
    """Append a key to allowed_signers; (file, line), the line empty when it was there."""
    key = _public(repo, text)
    principal = principal or _email(repo)
    if not _PRINCIPAL.fullmatch(principal):
        raise UsageError(f"{principal[:40]!r} cannot stand for a person there", "--principal name@example.org")
    path = file or _tracked(repo, trust.TRACKED)
    return path, _append(repo, path, trust.line(key, principal, after, before))


def add_revocation(repo: Repository, text: str, *, file: str) -> tuple[str, str]:
    """Append a key to revoked_signers; (file, line), the line empty when it was there."""
    if text.startswith("SHA256:") or re.fullmatch(r"[0-9a-f]{64}", text):
        trust.parse_revoked(text.encode())
        row = text
    else:
        row = _public(repo, text).openssh
    path = file or _tracked(repo, trust.REVOKED)
    return path, _append(repo, path, row)


def _public(repo: Repository, text: str) -> PublicKey:
    if not text:
        signer = keys.signer(repo)
        if signer is None or signer.public is None:
            raise UsageError("no key is configured, and none was named", "git oracl keys trust FILE.pub")
        return signer.public
    if os.path.isfile(text):
        return keys.read_public(text)
    return keys.parse_public(text)


def _email(repo: Repository) -> str:
    code, out, _ = attempt(repo, "config", "--get", "user.email")
    email = out.decode("utf-8", "replace").strip()
    if code or not email:
        raise UsageError("git's user.email is not set, so whose key is it?", "--principal name@example.org")
    return email


def _tracked(repo: Repository, name: str) -> str:
    if repo.work_tree is None:
        raise UsageError("a bare repository has no work tree to write the list into", "--file FILE")
    path = os.path.join(repo.work_tree, name)
    _no_link(os.path.dirname(path))
    return path


def _no_link(path: str) -> None:
    if os.path.islink(path):
        raise UsageError(f"{path} is a symlink, which is not followed", "--file FILE")


def _append(repo: Repository, path: str, row: str) -> str:
    """The line that was added; "" when it stood there."""
    _no_link(path)
    line = row.encode("utf-8", "surrogateescape")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with locked(os.path.join(repo.common_dir, "oracl", "keyring.lock")):
            before = b""
            if os.path.exists(path):
                with open(path, "rb", opener=whole.plain) as file:
                    before = file.read()
            if line in before.splitlines():
                return ""
            if before and not before.endswith(b"\n"):
                before += b"\n"
            whole.write(path, before + line + b"\n")
    except OSError as error:
        raise OraclError(f"{path} cannot be written: {error.strerror}", "--file FILE") from None
    return row
