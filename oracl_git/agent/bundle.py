"""A session as signed bytes, and such bytes as a session that may be believed.

The envelope, the canonical form, keys and trust are the vault's, as for snapshots; the statement
is of another type, so that neither is ever taken for the other. Knows what of a session leaves
this clone, the form of what is signed, and that nothing of a bundle is read before its signature
is: not even its name. Knows nothing of where bundles lie or how they travel.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

from ..errors import OraclError, Shortage, Unverified, UsageError
from ..git import Repository, open_objects, resolve_commit
from ..graph.model import ARTIFACT
from ..graph.parameters import CLASSIFICATION
from ..store.index import Index
from ..vault import canonical, envelope, keys, trust, use
from ..vault.envelope import Envelope, Signature
from ..vault.statement import SUBJECT, TYPE
from . import record
from .record import Asked, Decided, File, Opened, Session

PREDICATE_TYPE = "urn:oracl-git:session/v1"
LIMIT = 1 << 19  # bytes of a bundle
_PAYLOAD = 3 * LIMIT // 4 - 1_000  # bytes of what is signed: base64 makes it four thirds
_BEGINS = b'{"payload":"'
_LEAST = 20  # decisions that stay, however long
_KINDS = ("search", "related", "context", "node", "neighbours")
_OID = record.BLOB
_HINT = "do not rely on it, and ask who signed it to save it again"
_LIST = "name a list: --base main, or --trust FILE (git oracl keys trust writes one)"
T = TypeVar("T")


class Bundle(NamedTuple):
    """A session that somebody trusted vouches for."""

    session: Session
    seq: int  # 1, 2, 3 … of the bundles of this session
    commit: str  # that its blobs were named at
    key_id: str
    principals: str
    payload: bytes

    @property
    def by(self) -> str:
        """Who signed it, as the list of signers calls them."""
        return self.principals or keys.fingerprint(self.key_id)

    @property
    def name(self) -> str:
        """What tells this session from every other one."""
        return f"{self.key_id}.{self.session.id}"


class Shared(NamedTuple):
    """What of a session others may read, and how much of it stays here."""

    session: Session
    kept_back: tuple[str, ...]  # in words


# -- what leaves --------------------------------------------------------------------------------


def share(session: Session, index: Index, questions: bool) -> Shared:
    """What may leave: names of files of the commit, none of a classification above the session's.

    What names another file stays, with all of its words. Questions are a person's: they go when asked for.
    """
    most = CLASSIFICATION[session.classification]
    artifacts = (node for node in index.all_nodes() if node.kind == ARTIFACT)
    above = {node.path for node in artifacts if CLASSIFICATION.get(node.tags["classification"], most + 1) > most}

    def named(file: File) -> File | None:
        node = index.node(file.path) if file.path not in above else None
        if node is None:
            return None
        return file if file.blob else File(file.path, node.blob)

    def quiet(text: str) -> bool:
        return not any(path in text for path in above)

    asked, decided = [], []
    for question in session.asked if questions else ():
        files = [named(file) for file in question.files]
        if quiet(question.question):
            asked.append(question._replace(files=tuple(file for file in files if file)))
    opened = [one._replace(file=file) for one in session.opened if (file := named(one.file))]
    for decision in session.decided:
        files = [named(file) for file in decision.files]
        if all(files) and quiet(decision.text):
            decided.append(decision._replace(files=tuple(file for file in files if file)))
    told = []
    if session.asked and not questions:
        told.append(f"{_count(len(session.asked), 'question')} (--questions sends them)")
    rows: tuple[tuple[str, int, int], ...] = (
        ("question", len(session.asked) if questions else 0, len(asked)),
        ("opened file", len(session.opened), len(opened)),
        ("decision", len(session.decided), len(decided)),
    )
    for word, there, kept in rows:
        if kept < there:
            told.append(f"{_count(there - kept, word)} about files above {session.classification} or not in the commit")
    found = session._replace(asked=tuple(asked), opened=tuple(opened), decided=tuple(decided))
    return Shared(found, tuple(told))


def _count(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' * (count != 1)}"


def fitting(session: Session, seq: int, commit: str, tree: str) -> tuple[bytes, Session]:
    """(what is signed, the session in it): of a very long one the oldest questions go, then what was opened."""
    payload = encode(session, seq, commit, tree)
    while len(payload) > _PAYLOAD:
        if session.asked:
            session = session._replace(asked=session.asked[len(session.asked) // 4 + 1 :])
        elif session.opened:
            session = session._replace(opened=session.opened[len(session.opened) // 4 + 1 :])
        elif len(session.decided) > _LEAST:
            session = session._replace(decided=session.decided[len(session.decided) // 4 + 1 :])
        else:
            raise UsageError("this session is too long for a bundle", "git oracl session start NAME")
        payload = encode(session, seq, commit, tree)
    return payload, session


def encode(session: Session, seq: int, commit: str, tree: str) -> bytes:
    """The statement: these names, as of this commit."""
    said = {
        "asked": [[a.time, a.kind, a.question, [list(file) for file in a.files]] for a in session.asked],
        "classification": session.classification,
        "decided": [[d.time, d.text, [list(file) for file in d.files]] for d in session.decided],
        "name": session.name,
        "opened": [[o.time, list(o.file), o.fragment] for o in session.opened],
        "seq": seq,
        "session": session.id,
        "started": session.started,
    }
    subject = [{"digest": {"gitCommit": commit, "gitTree": tree}, "name": SUBJECT}]
    return canonical.dumps({"_type": TYPE, "predicate": said, "predicateType": PREDICATE_TYPE, "subject": subject})


def sign(repo: Repository, payload: bytes) -> tuple[str, bytes]:
    """(whose key, the bundle). Raises UsageError: what nobody signs does not leave."""
    signer = use.choose_signer(repo, False)
    if signer is None:
        raise UsageError(
            f"a session leaves this clone signed, and no key is configured ({keys.PRIVATE_KEY} or {keys.SIGNING_KEY})",
            "git oracl keys generate",
        )
    signature = Signature(signer.key_id, signer.sign(envelope.pae(envelope.PAYLOAD_TYPE, payload)))
    return signer.key_id, envelope.encode(Envelope(payload, (signature,)))


def number_of(data: bytes, session: Session, commit: str) -> int:
    """The number of a bundle of ours, if it says just this; else 0."""
    try:
        what = "the last bundle"
        seq, of, _, said = decode(envelope.decode(data, what, LIMIT).payload, what)
    except Unverified:
        return 0
    return seq if (of, said) == (commit, session) else 0


def require_room(path: str) -> None:
    """Raise UsageError where a file is that is no bundle: it is not replaced."""
    if os.path.lexists(path):
        with suppress(OSError), open(path, "rb") as file:
            if not os.path.islink(path) and file.read(len(_BEGINS)) == _BEGINS:
                return
        raise UsageError(f"{path} is there, and is no bundle", f"git oracl session save {path}.new")


# -- what comes ---------------------------------------------------------------------------------


def read_file(path: str) -> bytes:
    """The bytes of a bundle in a file. Raises UsageError where there is none, Unverified (11) for a longer one."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"{path} is no regular file", "git oracl session save FILE")
            data = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such file"
        raise UsageError(f"{path} cannot be read: {why}", "git oracl session save FILE") from None
    if len(data) > LIMIT:
        raise Unverified(Unverified.TAMPERED, f"{path} is longer than {LIMIT:,} bytes, as no bundle is", _HINT)
    return data


class Judge:
    """Whom a list of signers lets vouch; the list is read once."""

    def __init__(self, repo: Repository, file: str = "", base: str = "") -> None:
        """Raises Unverified (12) where nobody is trusted."""
        self._repo = repo
        try:
            self._trust = trust.load(repo, file=file, base=base, rev=repo.head or "")
        except Unverified as error:
            raise Unverified(error.exit_code, error.message, _LIST) from None

    def believe(self, data: bytes, what: str) -> Bundle:
        """The session that a trusted key signed. Raises Unverified: 11, 12 or 13."""
        sealed = envelope.decode(data, what, LIMIT)
        if not sealed.signatures:
            raise Unverified(Unverified.UNTRUSTED, f"{what} is not signed")
        (signature,) = sealed.signatures
        self.require(signature.key_id, what)
        key = self._trust.key(signature.key_id)
        if key is None or not key.verifies(signature.value, sealed.signed):
            raise Unverified(
                Unverified.TAMPERED, f"{what} does not carry a signature of {keys.fingerprint(signature.key_id)}", _HINT
            )
        seq, commit, tree, session = decode(sealed.payload, what)
        self._is_of(commit, tree, what)
        who = self._trust.principals(signature.key_id)
        return Bundle(session, seq, commit, signature.key_id, who, sealed.payload)

    def require(self, key_id: str, what: str) -> None:
        """Raise Unverified (12) for a key that may not vouch."""
        if problem := self._trust.problem(key_id):
            who = keys.fingerprint(key_id)[:60]
            raise Unverified(
                Unverified.UNTRUSTED, f"{what} is signed by {who}, a key that is {problem} ({self._trust.source})"
            )

    def _is_of(self, commit: str, tree: str, what: str) -> None:
        try:
            resolve_commit(self._repo, commit)
            with open_objects(self._repo) as objects:
                found = objects.tree_of(commit)
        except Shortage:
            raise
        except OraclError:
            raise Unverified(
                Unverified.MISMATCH, f"{what} is of commit {commit[:7]}, which is not in this clone",
                "git fetch, then once more; or it is of another repository",
            ) from None  # fmt: skip
        if found != tree:
            raise Unverified(Unverified.MISMATCH, f"{what} names another tree of commit {commit[:7]}", _HINT)


def decode(payload: bytes, what: str) -> tuple[int, str, str, Session]:
    """(seq, commit, tree, session) of a statement. Raises Unverified (11) for anything that `encode` did not write."""
    value = canonical.read(payload, what, LIMIT)
    try:
        return _statement(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        why = f"{what} is no session of ours ({str(error)[:60]})"
        raise Unverified(Unverified.TAMPERED, why, _HINT) from None


def _statement(value: Any) -> tuple[int, str, str, Session]:
    _keys(value, {"_type", "predicate", "predicateType", "subject"})
    if value["_type"] != TYPE or value["predicateType"] != PREDICATE_TYPE:
        raise ValueError("another type")
    (subject,) = value["subject"]
    _keys(subject, {"digest", "name"})
    _keys(subject["digest"], {"gitCommit", "gitTree"})
    said = value["predicate"]
    _keys(said, {"asked", "classification", "decided", "name", "opened", "seq", "session", "started"})
    if subject["name"] != SUBJECT or said["classification"] not in CLASSIFICATION:
        raise ValueError("another subject or classification")
    session = Session(
        _match(record.ID, said["session"]), _match(record.NAME, said["name"]), _number(said["started"]),
        said["classification"], _rows(said["asked"], _asked), _rows(said["opened"], _opened),
        _rows(said["decided"], _decided),
    )  # fmt: skip
    commit, tree = (_match(_OID, subject["digest"][name]) for name in ("gitCommit", "gitTree"))
    if said["seq"] == 0:
        raise ValueError("seq")
    return _number(said["seq"]), commit, tree, session


def _rows(value: Any, one: Callable[..., T]) -> tuple[T, ...]:
    if not isinstance(value, list) or len(value) > record.ENTRIES:
        raise ValueError("too many entries")
    return tuple(one(*row) for row in value)


def _asked(when: Any, kind: Any, question: Any, files: Any) -> Asked:
    if kind not in _KINDS:
        raise ValueError("another kind of question")
    return Asked(_number(when), kind, _text(question, record.QUESTION), _files(files, record.ANSWERS))


def _opened(when: Any, file: Any, fragment: Any) -> Opened:
    return Opened(_number(when), _file(*file), _match(record.FRAGMENT, fragment))


def _decided(when: Any, text: Any, files: Any) -> Decided:
    return Decided(_number(when), _text(text, record.TEXT), _files(files, record.PATHS))


def _files(value: Any, most: int) -> tuple[File, ...]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError("too many files")
    return tuple(_file(*row) for row in value)


def _file(path: Any, blob: Any) -> File:
    if not record.is_inside(_text(path, 4_096)):
        raise ValueError("a path that leads out of the tree")
    return File(path, _match(record.BLOB, blob))


def _keys(value: Any, wanted: Iterable[str]) -> None:
    if not isinstance(value, dict) or set(value) != wanted:
        raise ValueError("other keys")


def _match(pattern: re.Pattern[str], text: Any) -> str:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise ValueError("a name or id is malformed")
    return text


def _text(text: Any, longest: int) -> str:
    if not isinstance(text, str) or len(text) > longest:
        raise ValueError("a text is too long, or is none")
    return text


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < record.YEAR_10000:
        raise ValueError("a number is none of ours")
    return value
