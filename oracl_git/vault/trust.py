"""Whom to believe: allowed_signers, revocations, dates.

Knows OpenSSH's allowed_signers format, where the list comes from, and that a
change under review must not bring its own. Knows nothing of snapshots.
"""

from __future__ import annotations

import os
import re
import stat
import time
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import cached_property

from ..errors import OraclError, Unverified, UsageError
from ..git import Repository, resolve_commit
from ..git.refs import file_at
from ..git.scope import user_setting
from . import curve, sshsig
from .keys import PublicKey

TRACKED = ".agentlas/allowed_signers"
REVOKED = ".agentlas/revoked_signers"
TRUST_FILE, REVOCATION_FILE = "oracl.trustFile", "oracl.revocationFile"
DEFAULT_BASE = "origin/HEAD"
_LONGEST = 1 << 20  # bytes of a list
_FOREVER = 1 << 62
_DATES = ("valid-after", "valid-before")
_OPTION = re.compile(r'([a-zA-Z-]+)(?:="((?:[^"\\]|\\.)*)")?')
_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)")


@dataclass(frozen=True)
class Entry:
    """One line of allowed_signers that names an Ed25519 key."""

    key: PublicKey
    principals: str
    after: int = 0
    before: int = _FOREVER
    namespaces: tuple[str, ...] = ()

    def problem(self, now: int) -> str:
        """Why this line does not hold, or ""."""
        if self.namespaces and not _listed(sshsig.NAMESPACE, self.namespaces):
            return f"trusted for {', '.join(self.namespaces)} only, not for {sshsig.NAMESPACE}"
        if now < self.after:
            return f"not valid before {when(self.after)}"
        if now >= self.before:
            return f"expired {when(self.before)}"
        return ""


def _listed(name: str, patterns: Iterable[str]) -> bool:
    """Whether a list of patterns has a name: `*` and `?` stand for letters, and `!` before one that matches for no."""
    found = False
    for pattern in patterns:
        if fnmatchcase(name, pattern.removeprefix("!").replace("[", "[[]")):
            if pattern.startswith("!"):
                return False
            found = True
    return found


@dataclass(frozen=True)
class Trust:
    """Who may vouch, and from where that is known."""

    source: str
    entries: tuple[Entry, ...]
    revoked: frozenset[str]  # key ids
    notes: tuple[str, ...]  # lines that were not believed
    now: int = field(default_factory=lambda: int(time.time()))

    @cached_property
    def _lines(self) -> dict[str, list[Entry]]:
        """Key id → its lines."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.key.id, []).append(entry)
        return found

    def key(self, key_id: str) -> PublicKey | None:
        """The listed key of that id, trusted or not."""
        return next((entry.key for entry in self._lines.get(key_id, ())), None)

    def problem(self, key_id: str) -> str:
        """Why a key may not vouch now, or "". Any line that holds will do; a revocation beats them all."""
        if key_id in self.revoked:
            return "revoked"
        problems = [entry.problem(self.now) for entry in self._lines.get(key_id, ())]
        return "" if "" in problems else (problems[0] if problems else "unknown")

    def principals(self, key_id: str) -> str:
        """Whom a key belongs to, as the list says."""
        return next((e.principals for e in self._lines.get(key_id, ()) if not e.problem(self.now)), "")


def load(repo: Repository, *, file: str = "", base: str = "", revoked: str = "", at: str = "", rev: str = "") -> Trust:
    """The list that counts: a file that was named, else the user's, else the one on the base ref.

    Revocations from everywhere count, the commit `rev` under review included: they can only
    take trust away. Raises Unverified (12) when there is no list, UsageError for a bad one.
    """
    now = parse_date(at) if at else int(time.time())
    lists = [_read_file(path) for path in (revoked, user_setting(repo, REVOCATION_FILE)) if path]
    base_commit = _base(repo, base)
    for commit in dict.fromkeys(filter(None, (base_commit, rev))):
        data = file_at(repo, commit, REVOKED)
        lists += [] if data is None else [data]
    gone = frozenset().union(*(parse_revoked(data) for data in lists)) if lists else frozenset()
    chosen = file or user_setting(repo, TRUST_FILE)
    if chosen:
        data = _read_file(chosen)
        source = chosen
    else:
        name = base or DEFAULT_BASE
        if base_commit is None:
            raise Unverified(
                Unverified.UNTRUSTED, f"nobody is trusted: there is no {name} whose {TRACKED} could say who is",
                "git oracl verify --base main, or --trust FILE",
            )  # fmt: skip
        found = file_at(repo, base_commit, TRACKED)
        if found is None:
            raise Unverified(
                Unverified.UNTRUSTED, f"nobody is trusted: {name} has no {TRACKED}",
                "git oracl keys trust, and commit it there; or --trust FILE",
            )  # fmt: skip
        data, source = found, f"{name}:{TRACKED}"
    entries, notes = parse(data)
    return Trust(source, entries, gone, notes, now)


def _base(repo: Repository, base: str) -> str | None:
    if base:
        return resolve_commit(repo, base)  # a name that is no commit is a mistake on the command line
    try:
        return resolve_commit(repo, DEFAULT_BASE)
    except OraclError:
        return None


def _read_file(path: str) -> bytes:
    try:
        descriptor = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"{path} is no regular file", "git oracl keys trust --file FILE")
            data = file.read(_LONGEST + 1)
            if len(data) > _LONGEST:  # what is not read may be a revocation
                raise UsageError(f"{path} is longer than {_LONGEST:,} bytes",
                                 "leave out what is not needed any more, or split it")  # fmt: skip
            return data
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", "git oracl keys trust --file FILE") from None


def parse(data: bytes) -> tuple[tuple[Entry, ...], tuple[str, ...]]:
    """(entries, notes on lines that cannot count) of an allowed_signers file."""
    entries, notes = [], []
    for number, raw in enumerate(data.split(b"\n"), 1):  # as OpenSSH cuts lines: nothing else ends a comment
        line = raw.decode("utf-8", "replace").replace("\t", " ").strip()
        if not line or line.startswith("#"):
            continue
        try:
            entries.append(_entry(line))
        except ValueError as error:
            notes.append(f"line {number}: {error}")
    return tuple(entries), tuple(notes)


def _entry(line: str) -> Entry:
    principals, _, rest = line.partition(" ")
    if principals.startswith('"'):
        principals, _, rest = line[1:].partition('" ')
    rest = rest.lstrip()
    options: dict[str, str] = {}
    while rest and not _is_key_type(rest.split(" ", 1)[0]):
        match = _OPTION.match(rest)
        if match is None:
            raise ValueError("malformed")
        if match[1].lower() in options:
            raise ValueError(f"the option {match[1]} stands twice")
        options[match[1].lower()] = (match[2] or "").replace('\\"', '"')
        rest = rest[match.end() :].lstrip(" ,") if rest[match.end() : match.end() + 1] in (",", " ") else ""
    words = rest.split()
    if len(words) < 2:
        raise ValueError("malformed")
    if words[0] != sshsig.KEY_TYPE:
        raise ValueError(f"a {words[0]} key; only {sshsig.KEY_TYPE} can vouch for a snapshot")
    unknown = options.keys() - {"namespaces", *_DATES}
    if unknown:  # cert-authority among them: what is not understood is not trusted
        raise ValueError(f"the option {sorted(unknown)[0]} is not understood")
    try:
        raw = sshsig.key_of(b64decode(words[1], validate=True))
    except ValueError:
        raise ValueError("no Ed25519 key") from None
    if curve.is_weak(raw):
        raise ValueError("a key of small order")
    try:
        after, before = (parse_date(options[name]) if name in options else None for name in _DATES)
    except UsageError as error:  # a line whose limits are not understood is not trusted
        raise ValueError(error.message) from None
    return Entry(
        PublicKey(raw), principals, after or 0, _FOREVER if before is None else before,
        tuple(options["namespaces"].split(",")) if "namespaces" in options else (),
    )  # fmt: skip


def _is_key_type(word: str) -> bool:
    return word.startswith(("ssh-", "ecdsa-", "sk-"))


def parse_revoked(data: bytes) -> frozenset[str]:
    """Key ids in a revocation list: lines of public keys, fingerprints or ids. Raises UsageError for what it cannot
    read: a revocation that is overlooked would be a trust."""
    if data.startswith(b"SSHKRL"):
        raise UsageError("a binary KRL cannot be read; list the public keys, one a line", "ssh-keygen -Q -l -f KRL")
    found = set()
    # Whatever may end a line does: a revocation that stands behind it is not overlooked.
    for number, raw in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        line = raw.strip()
        if line and not line.startswith("#"):
            try:
                key_id = _revoked_id(line)
            except (ValueError, IndexError):
                raise UsageError(
                    f"line {number} of a revocation list is no key, fingerprint or key id", "git oracl keys list"
                ) from None
            if key_id:
                found.add(key_id)
    return frozenset(found)


def _revoked_id(line: str) -> str:
    words = line.split()
    if words[0].startswith("SHA256:"):
        found = b64decode(words[0][7:] + "=", validate=True)
        if len(found) != 32:  # with letters missing it would be nobody's
            raise ValueError
        return found.hex()
    if re.fullmatch(r"[0-9a-f]{64}", words[0]):
        return words[0]
    place = next(i for i, word in [*enumerate(words), (len(words), "ssh-")] if _is_key_type(word))
    blob = b64decode(words[place + 1], validate=True)
    return PublicKey(sshsig.key_of(blob)).id if words[place] == sshsig.KEY_TYPE else ""


def parse_date(text: str) -> int:
    """YYYYMMDD[HHMM[SS]][Z] as seconds; without Z in the time zone of this machine, as OpenSSH has it."""
    match = _DATE.fullmatch(text.replace("-", "").replace(":", "").replace("T", ""))
    if match is None:
        raise UsageError(f"{text[:40]!r} is no date", "YYYYMMDD or YYYYMMDDHHMM[SS], with a Z for UTC")
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    try:
        return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC if match[7] else None).timestamp())
    except (ValueError, OverflowError):
        raise UsageError(f"{text[:40]!r} is no date", "YYYYMMDD") from None


def when(seconds: int) -> str:
    """A moment for people."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def line(key: PublicKey, principal: str, after: str = "", before: str = "") -> str:
    """A line for allowed_signers."""
    options = [f'namespaces="{sshsig.NAMESPACE}"']
    for name, date in zip(_DATES, (after, before), strict=True):
        if date:
            stamp = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(parse_date(date)))
            options.append(f'{name}="{stamp}"')
    return f"{principal} {','.join(options)} {key.openssh}"
