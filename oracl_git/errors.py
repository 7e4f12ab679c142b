"""Every failure a user can meet, by kind.

    OraclError                 exit 128: cannot run here
    ├── NotARepository         no git repository at this place
    ├── GitFailed              git, or the object store, refused
    │   └── MissingObjects     a blob or commit is not in this clone
    ├── Shortage               too little memory, or too few files or processes
    ├── UsageError             exit 2: the question is malformed
    ├── UnknownPath            exit 1: no such path in the indexed commit
    ├── NothingIndexed         there is no commit to index yet
    ├── IndexUnusable          the index cannot be read or written
    │   └── NoIndex            there is none, or none of use, and none was to be made
    ├── Unverified             exit 10 to 16: a snapshot was not verified, and why
    ├── OntologyInactive       no ontology has been activated here
    ├── NotAllowed             the policy does not let this be read or written
    ├── StoreUnusable          the ontology's store cannot be read or written
    ├── Unrecorded             exit 1: no ticket, entity or source of that name
    ├── DirectDurableMemoryWriteBlocked   only a curator writes durable memory
    └── EmbeddingUnusable      the table that ships with the package is not whole

Knows messages, hints and exit codes. Knows nothing of how they are shown.
A message is a sentence without a full stop; a hint is a command or an act, and there is always one:
where the failure is told, or of its kind.
"""

from __future__ import annotations

import errno
from typing import ClassVar


class OraclError(Exception):
    """An expected failure: a sentence, a next step and an exit code."""

    exit_code = 128
    next_step = ""  # of a kind whose failures share one

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint or self.next_step


class NotARepository(OraclError):
    """There is no git repository at the place that was asked about."""


class GitFailed(OraclError):
    """git, or the object store, refused an operation."""

    next_step = "git fsck"


class MissingObjects(GitFailed):
    """An object that is needed is not in this clone (partial, shallow or damaged)."""


class Shortage(OraclError):
    """The machine, or a limit set for this process, gives less than is needed. Says nothing of what is stored."""


MEMORY = ("there is not enough memory", "end what takes it, or raise the limit: ulimit -v")
_FILES = ("there are too many open files", "raise the limit: ulimit -n 1024")
_PROCESSES = ("no more processes or threads can be started", "end some, or raise the limit: ulimit -u")
_THREADS = ("no more processes or threads can be started", "end some, or raise the limits: ulimit -u, ulimit -v")
_SHORT = {errno.ENOMEM: MEMORY, errno.EMFILE: _FILES, errno.ENFILE: _FILES, errno.EAGAIN: _PROCESSES}
# As programs say it that run in the C locale.
_SAID = {
    "out of memory": MEMORY, "cannot allocate memory": MEMORY, "too many open files": _FILES,
    "resource temporarily unavailable": _THREADS, "can't start new thread": _THREADS,  # each needs a stack
}  # fmt: skip
_SQLITE = (7, 3_082, 5_386)  # no memory; none while a file was read; none to share with other readers


def shortage(error: BaseException | str) -> Shortage | None:
    """What there was too little of, if that is what an exception, or what a program said, tells."""
    if isinstance(error, MemoryError):
        return Shortage(*MEMORY)
    if isinstance(error, OSError):
        return Shortage(*_SHORT[error.errno]) if error.errno in _SHORT else None
    if getattr(error, "sqlite_errorcode", 0) in _SQLITE or (_is_unmapped(error) and _is_limited()):
        return Shortage(*MEMORY)
    text = str(error).lower()
    return next((Shortage(*told) for said, told in _SAID.items() if said in text), None)


def _is_unmapped(error: BaseException | str) -> bool:
    """Whether a module found no place in memory: there is too little, or it lies where nothing may be run."""
    return isinstance(error, ImportError) and "failed to map segment" in str(error)


def _is_limited() -> bool:
    """Whether this process may take some memory only."""
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


class UsageError(OraclError):
    """The command line or the query object is malformed."""

    exit_code = 2


class UnknownPath(OraclError):
    """The path is not in the indexed commit, or lies outside the repository."""

    exit_code = 1


class NothingIndexed(OraclError):
    """The repository has no commit yet, so there is nothing to index."""


class IndexUnusable(OraclError):
    """The index can neither be read nor rebuilt (permissions, disk, newer version)."""


class NoIndex(IndexUnusable):
    """There is no index, or none that can be asked, and this question was not to make one."""


class Unverified(OraclError):
    """A snapshot was not verified; the exit code says why (MISSING to UNCHECKED)."""

    MISSING = 10  # no snapshot for this commit
    TAMPERED = 11  # a digest or a signature does not match
    UNTRUSTED = 12  # unknown, expired, revoked, wrong algorithm, unsigned, HMAC where a signature is required
    MISMATCH = 13  # of another commit or tree
    ROLLBACK = 14  # the chain's head went back, or split
    DIFFERS = 15  # the graph that was recomputed is another one
    UNCHECKED = 16  # cannot be checked here: missing objects, another extractor, a lock, read-only

    NEXT_STEPS: ClassVar[dict[int, str]] = {
        TAMPERED: "do not rely on it, and ask who signed it; a sound copy comes with: git oracl snapshot fetch",
        UNTRUSTED: "git oracl keys list",
        MISMATCH: "git oracl snapshot list",
        ROLLBACK: "ask who signs this chain; what it holds: git oracl snapshot list",
    }

    def __init__(self, code: int, message: str, hint: str = "") -> None:
        super().__init__(message, hint or self.NEXT_STEPS.get(code, ""))
        self.exit_code = code


class OntologyInactive(OraclError):
    """No ontology has been activated in this project."""


class NotAllowed(OraclError):
    """The policy does not let this place be read, or this scope be written."""


class StoreUnusable(OraclError):
    """The ontology's store can neither be read nor written (damage, disk, newer version)."""


class Unrecorded(OraclError):
    """The ontology holds no ticket, entity or source of that name."""

    exit_code = 1


class DirectDurableMemoryWriteBlocked(OraclError):
    """Durable memory is written by a curator, from approved tickets, and by nothing else."""


class EmbeddingUnusable(OraclError):
    """The embedding's files are missing or damaged; search goes on without them."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "install oracl-git anew, or: git config oracl.embedding false")
