"""Where sessions are kept: files below `$GIT_DIR/oracl/sessions`, that their owner alone can read.

    NAME.json                a session of this clone: what was decided. What was asked and opened is in
                             the log of questions (`telemetry`), once
    received/KEY.ID.json     a bundle that was loaded, as it was signed, and by which list it was judged
    seen.json                the newest sequence number of each bundle: an older one does not come back

Each is replaced whole, under one lock. Knows sizes and ages. Knows nothing of what is believed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from .. import telemetry, whole
from ..errors import OraclError, UsageError
from ..git import Repository
from ..graph.parameters import CLASSIFICATION
from ..vault import canonical
from ..vault.memory import locked
from . import record
from .record import Asked, Decided, File, Opened, Session

_LIMIT = 1 << 22  # bytes of a file of ours
_OWN, _RECEIVED = 50, 200  # sessions that are kept; the oldest go
_PRIVATE = 0o600
START = "git oracl session start"


class Own(NamedTuple):
    """A session of this clone, as its file has it."""

    session: Session  # with nothing asked or opened
    seq: int  # of the newest bundle made of it


class Received(NamedTuple):
    """A bundle that was loaded, and by which list of signers (`--trust`, `--base`)."""

    envelope: bytes
    trust: str
    base: str


class Kept:
    """The sessions of one worktree."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.home = os.path.join(repo.git_dir, "oracl", "sessions")
        self.seen = os.path.join(self.home, "seen.json")

    @contextmanager
    def changing(self) -> Iterator[None]:
        """One process at a time."""
        os.makedirs(os.path.join(self.home, "received"), mode=0o700, exist_ok=True)
        os.chmod(self.home, 0o700)  # whoever made it
        with locked(os.path.join(self.home, "lock")):
            yield

    # -- of this clone ------------------------------------------------------------------------

    def names(self) -> list[str]:
        """Sessions of this clone, the one that was changed last first."""
        found = []
        with suppress(FileNotFoundError):
            for entry in os.scandir(self.home):
                name = entry.name.removesuffix(".json")
                if entry.name != name and name != "seen" and record.NAME.fullmatch(name):
                    found.append((-entry.stat().st_mtime_ns, name))
        return [name for _, name in sorted(found)]

    def all(self) -> Iterator[Own]:
        """Every session of this clone, the one that was changed last first."""
        for name in self.names():
            if own := self.own(name):
                yield own

    def own(self, name: str) -> Own | None:
        """A session of this clone. Raises OraclError for a file that cannot be understood."""
        path = self._place(name)
        try:
            with open(path, "rb") as file:
                data = file.read(_LIMIT + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise OraclError(f"{path} cannot be read: {error.strerror}", "check who owns it") from None
        try:
            return _own(name, canonical.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            why = f"the session {name} is damaged: {path} is no file of ours"
            raise OraclError(why, f"git oracl session forget {name}") from None

    def begin(self, name: str, classification: str) -> Own:
        """The session of that name, made where there is none; it is the one that goes on."""
        name = checked(name or time.strftime("%Y%m%d-%H%M%S", time.gmtime()))
        with self.changing():
            whole.write(telemetry.session_place(self.repo.git_dir), f"{name}\n".encode(), _PRIVATE)
            return self._made(name, classification)

    def _made(self, name: str, classification: str = "") -> Own:
        """Under the lock."""
        own = self.own(name)
        if own is None:
            new = Session(os.urandom(8).hex(), name, int(time.time()), classification or "internal")
            own = Own(new, 0)
        elif classification in ("", own.session.classification):
            return own
        else:
            own = Own(own.session._replace(classification=classification), own.seq)
        self._write(own)
        for old in self.names()[_OWN:]:
            self._drop(old)
        return own

    def decide(self, name: str, decided: Decided) -> None:
        """Add to what was decided; of very many the oldest go."""
        with self.changing():
            own = self._made(name)
            all_of_it = (*own.session.decided, decided)[-record.ENTRIES :]
            self._write(Own(own.session._replace(decided=all_of_it), own.seq))

    @contextmanager
    def numbered(self, name: str) -> Iterator[Own]:
        """The session with the number of its next bundle. A number is never given twice, whatever becomes of it."""
        with self.changing():
            own = self._made(name)
            own = own._replace(seq=own.seq + 1)
            self._write(own)
            yield own

    def forget(self, name: str) -> tuple[bool, int]:
        """(whether there was such a session, how many records went from the log)."""
        with self.changing():
            there = os.path.lexists(self._place(name))
            self._drop(name)
            try:
                gone = telemetry.forget(self.repo.git_dir, name)
            except OSError as error:
                why = f"the log of questions cannot be written: {error.strerror}"
                raise OraclError(why, f"check who owns {telemetry.place(self.repo.git_dir)}, then once more") from None
            with suppress(OSError), open(telemetry.session_place(self.repo.git_dir), "rb") as file:
                if file.read().strip() == name.encode():
                    os.unlink(file.name)
        return there, gone

    def _drop(self, name: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._place(name))

    def _place(self, name: str) -> str:
        return os.path.join(self.home, f"{name}.json")

    def _write(self, own: Own) -> None:
        said = own.session
        decided = [[d.time, d.text, [list(file) for file in d.files]] for d in said.decided]
        whole.write(self._place(said.name), canonical.dumps({
            "classification": said.classification, "decided": decided, "id": said.id, "seq": own.seq,
            "started": said.started,
        }), _PRIVATE)  # fmt: skip

    # -- loaded -------------------------------------------------------------------------------

    def received(self) -> dict[str, Received]:
        """Key and id → what was loaded. What cannot be read is as if it were not there: it can be loaded again."""
        found = {}
        folder = os.path.join(self.home, "received")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            with suppress(OSError, ValueError, KeyError, TypeError):
                with open(os.path.join(folder, name), "rb") as file:
                    row = canonical.loads(file.read(_LIMIT))
                known = Received(str(row["envelope"]).encode("ascii"), str(row["trust"]), str(row["base"]))
                if name.endswith(".json"):
                    found[name.removesuffix(".json")] = known
        return found

    def receive(self, name: str, loaded: Received) -> None:
        """Keep a bundle that is believed; of very many the oldest go. Under the lock."""
        path = self._received(name)
        whole.write(path, canonical.dumps({
            "base": loaded.base, "envelope": loaded.envelope.decode("ascii"), "trust": loaded.trust,
        }), _PRIVATE)  # fmt: skip
        there = sorted(os.scandir(os.path.dirname(path)), key=lambda entry: -entry.stat().st_mtime_ns)
        for entry in there[_RECEIVED:]:
            os.unlink(entry.path)

    def discard(self, name: str) -> None:
        """Forget a bundle that was loaded; that its number was seen stays known."""
        with self.changing(), suppress(FileNotFoundError):
            os.unlink(self._received(name))

    def _received(self, name: str) -> str:
        return os.path.join(self.home, "received", f"{name}.json")

    # -- what the log has ---------------------------------------------------------------------

    def logged(self, name: str) -> tuple[tuple[Asked, ...], tuple[Opened, ...]]:
        """What was asked and opened in a session, as far as the log still has it."""
        asked: list[Asked] = []
        opened: list[Opened] = []
        for row in telemetry.of_session(self.repo.git_dir, name):
            when, kind = _seconds(row.get("time")), row.get("class")
            if kind in ("open", "read") and isinstance(row.get("path"), str):
                fragment = str(row.get("fragment") or "")
                opened.append(Opened(when, File(row["path"]), fragment if record.FRAGMENT.fullmatch(fragment) else ""))
            elif kind in telemetry.QUESTIONS:
                asked.append(Asked(when, str(kind), _question(row.get("query")), _answers(row.get("results"))))
        return tuple(asked[-record.ENTRIES :]), tuple(opened[-record.ENTRIES :])


def checked(name: str) -> str:
    """A name that a session can have. Raises UsageError."""
    if not record.NAME.fullmatch(name) or name == "seen":
        raise UsageError(f"{name[:70]!r} is no name of a session: up to 64 letters, digits and any of . _ -",
                         f"{START} NAME")  # fmt: skip
    return name


def _own(name: str, row: dict[str, Any]) -> Own:
    decided = tuple(
        Decided(int(when), str(text), tuple(File(str(path), str(blob)) for path, blob in files))
        for when, text, files in row["decided"]
    )
    session = Session(str(row["id"]), name, int(row["started"]), str(row["classification"]), decided=decided)
    if not record.ID.fullmatch(session.id) or session.classification not in CLASSIFICATION:
        raise ValueError
    return Own(session, int(row["seq"]))


def _question(query: object) -> str:
    """A question as one text: of `related` it is a list of paths."""
    words = query if isinstance(query, list) else [query]
    return " ".join(word for word in words if isinstance(word, str))[: record.QUESTION]


def _answers(results: object) -> tuple[File, ...]:
    paths = results if isinstance(results, list) else []
    return tuple(File(path) for path in paths[: record.ANSWERS] if isinstance(path, str))


def _seconds(text: object) -> int:
    try:
        return int(datetime.strptime(str(text), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0
