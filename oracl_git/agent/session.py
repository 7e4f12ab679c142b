"""SessionMemory: what was asked, opened and decided, hydrated at start, and the graph asked for it.

    from oracl_git.agent.session import SessionMemory
    with oracl_git.open() as oracl:
        memory = SessionMemory.start(oracl, "review")
        memory.query_knowledge_graph("where is the discount decided")   # a concept
        memory.query_knowledge_graph("shop/prices.py:12")               # a node
        memory.decide("The threshold stays in prices.py", ["shop/prices.py"])

A session stays below .git/oracl, for its owner alone, until it is saved or pushed; then it is a
signed bundle of names. What others signed is used only while whoever signed it is trusted. Knows
the order of these steps. Knows nothing of terminals.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from .. import telemetry, whole
from ..errors import OraclError, Unverified, UsageError
from ..graph.parameters import CLASSIFICATION
from ..service import Oracl
from ..vault import memory
from . import record, retrieval
from .kept import START, Kept, Own, Received, checked
from .record import Asked, Decided, File, Opened, Session
from .retrieval import Retrieved

if TYPE_CHECKING:
    from .bundle import Bundle, Judge

_BEFORE = 20  # decisions of other sessions that a session begins with
_SENT_MODE = 0o600


class Before(NamedTuple):
    """What another session decided."""

    session: str
    by: str  # who signed it; "" for a session of this clone
    decided: Decided


class Sent(NamedTuple):
    """What left this clone."""

    session: Session
    seq: int
    key_id: str
    kept_back: tuple[str, ...]  # in words, what did not leave


class Loaded(NamedTuple):
    """What became of one bundle of a file or a remote."""

    name: str  # of the session; of one that is not believed, its id
    by: str
    state: str  # new, updated, same; old, broken, untrusted, elsewhere
    text: str
    exit_code: int


_STATES = {
    Unverified.TAMPERED: "broken", Unverified.UNTRUSTED: "untrusted", Unverified.MISMATCH: "elsewhere",
    Unverified.ROLLBACK: "old",
}  # fmt: skip


class SessionMemory:
    """One session of one repository. The one that goes on, or one by name."""

    def __init__(self, oracl: Oracl, name: str = "") -> None:
        """`name` "": the one that goes on; where none does, there is nothing to add to and all else can be done."""
        self.oracl = oracl
        self.kept = Kept(oracl.repo)
        self.name = name or telemetry.session(oracl.repo.git_dir)
        if self.name:
            checked(self.name)
        self.notes: list[str] = []
        oracl.session = self.name

    @classmethod
    def start(cls, oracl: Oracl, name: str = "", classification: str = "") -> SessionMemory:
        """Begin a session, or go on with the one of that name; from now on it is what questions here belong to."""
        if classification and classification not in CLASSIFICATION:
            raise UsageError(f"{classification[:40]!r} is no classification", f"one of: {' '.join(CLASSIFICATION)}")
        return cls(oracl, Kept(oracl.repo).begin(name, classification).session.name)

    # -- what is remembered -------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """All of it: what was asked and opened comes from the log of questions, as long as that has it."""
        own = self.kept.own(self._named())
        said = own.session if own else Session("", self.name, 0, "internal")
        asked, opened = self.kept.logged(self.name)
        return said._replace(asked=asked, opened=opened)

    def _named(self) -> str:
        """Raises UsageError where no session goes on."""
        if not self.name:
            raise UsageError("no session has been started here", START)
        return self.name

    @property
    def asked(self) -> tuple[Asked, ...]:
        """What was asked, oldest first."""
        return self.session.asked

    @property
    def opened(self) -> tuple[Opened, ...]:
        """What was opened, oldest first."""
        return self.session.opened

    @property
    def decided(self) -> tuple[Decided, ...]:
        """What was decided, oldest first."""
        return self.session.decided

    def before(self) -> list[Before]:
        """What other sessions decided, the newest first: of this clone, and of whom it trusts now."""
        rows = []
        ids = set()
        for own in self.kept.all():
            ids.add(own.session.id)
            if own.session.name != self.name:
                rows += [Before(own.session.name, "", decided) for decided in own.session.decided]
        for session, by in self.received():
            if session.id not in ids:
                rows += [Before(session.name, by, decided) for decided in session.decided]
        rows.sort(key=lambda row: -row.decided.time)
        return rows[:_BEFORE]

    def received(self) -> list[tuple[Session, str]]:
        """(session, who signed it) of every bundle that is believed now; `notes` says which are not."""
        loaded = self.kept.received()
        if not loaded:
            return []
        from .bundle import Judge

        found = []
        judges: dict[tuple[str, str], Judge] = {}
        for name, row in loaded.items():
            try:
                asked = (row.trust, row.base)
                judge = judges.get(asked) or judges.setdefault(asked, Judge(self.oracl.repo, *asked))
                read = judge.believe(row.envelope, f"the session {name.rpartition('.')[2]}")
            except OraclError as error:
                self.notes.append(f"{error.message}: it is not used")
                continue
            found.append((read.session, read.by))
        return found

    def look(self, name: str) -> tuple[Session, str]:
        """(session, who signed it) by name or id: of this clone, else one that was loaded."""
        if self.kept.own(checked(name)) or name == self.name:
            return SessionMemory(self.oracl, name).session, ""
        found = [row for row in self.received() if name in (row[0].name, row[0].id)]
        if len(found) > 1:
            raise UsageError(f"{len(found)} sessions that were loaded are called {name}",
                             f"name one by its id: {' '.join(session.id for session, _ in found)}")  # fmt: skip
        if not found:
            raise UsageError(f"there is no session {name}", "git oracl session show lists those there are")
        return found[0]

    def changed(self, file: File) -> bool:
        """Whether a file is another now than when it was named."""
        node = self.oracl.index.node(file.path)
        return bool(file.blob) and (node is None or node.blob != file.blob)

    # -- what is added ------------------------------------------------------------------------

    def query_knowledge_graph(
        self, query: str, kind: str = retrieval.AUTO, k: int = 10, *, depth: int = 1, direction: str = "both"
    ) -> Retrieved:
        """The best paths and fragments: for a concept, a node (auto where a `:` names one), or its neighbours."""
        self.oracl.session = self.name
        return retrieval.query_knowledge_graph(self.oracl, query, kind, k, depth=depth, direction=direction)

    def open(self, name: str) -> str:
        """The text of PATH or PATH#L1-9, as the commit has it; that it was opened is remembered."""
        text = self.oracl.resolve_fragment(name)
        node, start, end = self.oracl.resolve(name)
        if self.oracl.log and telemetry.enabled(self.oracl.settings):
            fragment = f"L{start}-{end}" if start else ""
            telemetry.read(self.oracl.repo.git_dir, node.path, fragment, self.name)
        return text

    def decide(self, text: str, paths: Iterable[str] = ()) -> Decided:
        """Remember a decision, and what files it is about. Raises UsageError, UnknownPath."""
        text = text.strip()
        if not text or len(text) > record.TEXT:
            raise UsageError(
                f"a decision has {record.TEXT:,} characters at most, not {len(text):,}" if text
                else "nothing was decided", 'git oracl session decide "…"',
            )  # fmt: skip
        names = list(paths)
        if len(names) > record.PATHS:
            raise UsageError(f"a decision is about {record.PATHS} files at most, not {len(names)}",
                             "name those that matter")  # fmt: skip
        if names:
            self.oracl.fresh()
        nodes = [self.oracl.resolve(name)[0] for name in names]
        files = tuple(dict.fromkeys(File(node.path, node.blob) for node in nodes))
        decided = Decided(int(time.time()), text, files)
        self.kept.decide(self._named(), decided)
        return decided

    # -- what leaves and comes ----------------------------------------------------------------

    def save(self, path: str, *, questions: bool = False) -> Sent:
        """Write a signed bundle: names of files and what was decided; questions where that is asked for."""
        from . import bundle

        bundle.require_room(path)
        self.oracl.fresh()
        with self.kept.numbered(self._named()) as own:
            sent, data, _ = self._signed(own, questions)
            try:
                whole.write(path, data, _SENT_MODE)
            except OSError as error:
                raise OraclError(f"{path} cannot be written: {error.strerror}", "check who owns it") from None
        return sent

    def push(self, remote: str = "origin", *, questions: bool = False) -> tuple[Sent, str, str]:
        """(what was sent, state, what the remote said): the bundle goes to refs/oracl/sessions of a remote."""
        from . import bundle, transport

        transport.require_remote(self.oracl.repo, remote)
        self.oracl.fresh()
        with self.kept.numbered(self._named()) as own:
            sent, data, commit = self._signed(own, questions)
            name = f"{sent.key_id}.{sent.session.id}"
            last = bundle.number_of(transport.kept(self.oracl.repo, name), sent.session, commit)
            if last:  # it says all of this
                sent = sent._replace(seq=last)
            else:
                transport.put(self.oracl.repo, name, data, commit)
        return (sent, *transport.push(self.oracl.repo, remote, name))

    def _signed(self, own: Own, questions: bool) -> tuple[Sent, bytes, str]:
        """(what is in it, the bundle, the commit it is of)."""
        from . import bundle

        index = self.oracl.index
        shared = bundle.share(self.session._replace(id=own.session.id, started=own.session.started), index, questions)
        if not (shared.session.asked or shared.session.opened or shared.session.decided):
            why = f"nothing of the session {self.name} may leave"
            raise UsageError(why, "; ".join(shared.kept_back) or 'git oracl session decide "…"')
        payload, session = bundle.fitting(shared.session, own.seq, index.commit, str(index.header["tree"]))
        key_id, data = bundle.sign(self.oracl.repo, payload)
        return Sent(session, own.seq, key_id, shared.kept_back), data, index.commit

    def load(self, path: str, *, trust: str = "", base: str = "") -> Bundle:
        """The session that somebody trusted signed, from a file; kept. Raises Unverified (11 to 14), UsageError."""
        from . import bundle

        data = bundle.read_file(path)
        judge = bundle.Judge(self.oracl.repo, trust, base)
        return self._receive(judge, data, os.path.basename(path), Received(data, _full(trust), base))[0]

    def load_remote(self, remote: str = "origin", *, trust: str = "", base: str = "") -> list[Loaded]:
        """What a remote of this repository has in refs/oracl/sessions, kept where it is believed; by git alone."""
        from . import bundle, transport

        transport.require_remote(self.oracl.repo, remote)
        judge = bundle.Judge(self.oracl.repo, trust, base)
        found = []
        for came in transport.fetch(self.oracl.repo, remote):
            what = f"the session {came.session_id} of {remote}"
            try:
                judge.require(came.key_id, what)  # what a stranger has there is not even looked at
                data, problem = transport.read(self.oracl.repo, came.commit)
                if problem:
                    raise Unverified(Unverified.TAMPERED, f"{what} is no bundle: {problem}")
                row = Received(data, _full(trust), base)
                read, state = self._receive(judge, data, what, row, f"{came.key_id}.{came.session_id}")
                found.append(Loaded(read.session.name, read.by, state, "", 0))
            except Unverified as error:
                if error.exit_code not in _STATES:
                    raise
                found.append(
                    Loaded(came.session_id, came.key_id, _STATES[error.exit_code], error.message, error.exit_code)
                )
        return found

    def _receive(
        self, judge: Judge, data: bytes, what: str, row: Received, name: str = ""
    ) -> tuple[Bundle, str]:
        """(what it says, state) of a bundle that is believed and is no older than what was seen."""
        read = judge.believe(data, what)
        if name and read.name != name:
            raise Unverified(Unverified.TAMPERED, f"{what} is at the ref of another session")
        digest = sha256(read.payload).hexdigest()
        if any(own.session.id == read.session.id for own in self.kept.all()):  # it is here, and goes on here
            return read, "same"
        with self.kept.changing():
            seen = memory.read(self.kept.seen).get(read.name)
            if seen and read.seq < seen.seq:
                raise Unverified(
                    Unverified.ROLLBACK, f"{what} is an older one: number {read.seq} of {read.session.name}, of which"
                    f" number {seen.seq} was seen", "ask for the newest: git oracl session fetch",
                )  # fmt: skip
            if seen and read.seq == seen.seq and digest != seen.digest:
                raise Unverified(
                    Unverified.ROLLBACK, f"{what} is another number {read.seq} of {read.session.name} than was seen",
                    "ask who signs it: two clones go on with one session",
                )
            # First what was seen: should we be ended in between, no older one is let in.
            memory.remember(self.kept.seen, {read.name: memory.Seen(read.seq, digest, digest)})
            self.kept.receive(read.name, row)
        return read, "new" if seen is None else "same" if seen.seq == read.seq else "updated"

    def forget(self) -> tuple[bool, int]:
        """(whether it was there, records that went from the log): all that is kept of this session in this clone."""
        there, gone = self.kept.forget(self._named())
        if there or gone:
            return True, gone
        named = [key for key in self.kept.received() if key.rpartition(".")[2] == self.name]
        for key in named or self._called():
            self.kept.discard(key)
            there = True
        return there, 0

    def _called(self) -> list[str]:
        """The bundles that were loaded and whose session has this name, trusted or not."""
        from ..vault import envelope
        from . import bundle

        found = []
        for key, row in self.kept.received().items():
            try:
                payload = envelope.decode(row.envelope, key, bundle.LIMIT).payload
                if bundle.decode(payload, key)[3].name == self.name:
                    found.append(key)
            except Unverified:
                continue
        return found


def forget_all(oracl: Oracl) -> int:
    """Forget every session of this clone, and every one that was loaded; how many."""
    kept = Kept(oracl.repo)
    names = kept.names()
    with_log = dict.fromkeys([*names, *filter(record.NAME.fullmatch, [telemetry.session(oracl.repo.git_dir)])])
    count = sum(any(kept.forget(name)) for name in with_log)
    for key in kept.received():
        kept.discard(key)
        count += 1
    return count


def _full(path: str) -> str:
    return os.path.abspath(os.path.expanduser(path)) if path else ""
