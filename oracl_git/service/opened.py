"""A repository that is open for questions, and its index kept fresh.

Knows how a repository and its settings are found, when the index is brought to
HEAD and when it is read as it is. Knows no file, and no question.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, cast

from ..errors import IndexUnusable, NoIndex, NothingIndexed, OraclError, UsageError
from ..git import Repository, discover, head_state, pack_state, settings, shallow_state
from ..store import database, taking
from ..store.index import Index
from ..store.made_by import is_of_this_version
from ..store.settings import Report, Settings

if TYPE_CHECKING:
    from ..check.file import Standing
    from ..embedding import Asset
    from ..store.fill import Filled
    from ..uncommitted import Uncommitted


P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound="Opened")
Progress = Callable[[str, int, int], None]
FRESHNESS_BUDGET = 2.0  # seconds a question may spend on bringing the index up to date
FETCH_ALL = "git fetch --refetch --no-filter && git oracl update"  # brings what a partial clone lacks
_LOCK_WAIT = 0.2  # seconds a question waits for another update
_TRIES = 4  # to have an index that others take away
_ANEW = 4_000  # files that an index can be made anew of within the budget, once it is known what they say


def repaired(ask: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A question that finds the index damaged makes it anew, says so, and is asked once more."""

    @wraps(ask)
    def asked(self: S, *args: P.args, **kwargs: P.kwargs) -> T:
        for sure in (False, True):
            try:
                return ask(self, *args, **kwargs)
            except Exception as error:
                if not database.is_damage(error, *self._files()):
                    if isinstance(error, database.DatabaseError):
                        raise database.unusable(error) from error
                    raise
            self.close()
            database.start_over(database.places(self.repo), sure)
            if not sure:
                self.notes.append("the index was damaged and has been made anew")
        return ask(self, *args, **kwargs)

    return cast("Callable[Concatenate[S, P], T]", asked)


class Opened:
    """One repository and its index."""

    def __init__(self, repo: Repository) -> None:
        self.repo = repo
        self.notes: list[str] = []
        self._index: Index | None = None
        self._settings: dict[str, str] | None = None
        self.uncommitted: Uncommitted | None = None  # what lies over the index; None: answers are of the commit
        self.budget = FRESHNESS_BUDGET
        self.log = True  # whether questions are kept in the query log
        self.session = ""  # to which session they belong there; "": to the one that goes on
        self.build = True  # whether a question may make an index where there is none
        self.strangers = True  # whether a question may read files of the work tree that are in no commit
        self._head: tuple[object, ...] = ()
        self._standing: tuple[object, Standing] | None = None  # what files are judged by, and of which set of paths

    @classmethod
    def at(cls, path: str | None = None, *, worktree: bool = False) -> Self:
        """The repository at a path (default: here). Raises NotARepository.

        `worktree`: answer as if what is not committed were, see `uncommitted`.
        """
        oracl = cls(discover(path))
        if worktree:
            from ..uncommitted import Uncommitted

            if oracl.repo.work_tree is None:
                raise UsageError("a bare repository has no work tree", "leave out --worktree")
            oracl.uncommitted = Uncommitted(oracl.repo)
        return oracl

    def close(self) -> None:
        """Let go of the index."""
        if self.uncommitted is not None:
            self.uncommitted.close()
        self._close_base()

    def _close_base(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def _files(self) -> list[str | database.Connection]:
        """What answers are read from: what lies there, and what is open."""
        bases = (self._index, self.uncommitted and self.uncommitted.index)
        return [*database.places(self.repo), *(file for base in bases if base for file in base.opened())]

    def follow(self) -> bool:
        """Look again where HEAD is, for who keeps this open; whether it may have moved."""
        now = head_state(self.repo)
        if now == self._head:
            return False
        self.repo = discover(self.repo.work_tree or self.repo.git_dir)._replace(prefix=self.repo.prefix)
        self._head, self._settings = now, None
        self._close_base()
        if self.uncommitted is not None:
            self.uncommitted.follow(self.repo)
        return True

    def look_meanwhile(self) -> None:
        """Begin to look at the work tree, where answers are of it: who asks later does not wait so long."""
        if self.uncommitted is not None:
            self.uncommitted.look_meanwhile()

    def copy_meanwhile(self) -> None:
        """Begin to make ready for changes of the work tree, where answers are of it."""
        if self.uncommitted is not None:
            self.uncommitted.copy_meanwhile()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def settings(self) -> dict[str, str]:
        """The `oracl.*` settings of git config."""
        if self._settings is None:
            self._settings = settings(self.repo)
        return self._settings

    @property
    def depth(self) -> int:
        """How many commits of history count (`oracl.historyDepth`)."""
        from ..store.history import DEFAULT_DEPTH

        value = self.settings.get("oracl.historydepth", str(DEFAULT_DEPTH))
        if not (value.isascii() and value.isdigit()) or len(value) > 9 or int(value) < 1:
            raise UsageError(f"oracl.historyDepth must be a whole number above 0, not {value[:40]!r}",
                             "git config --unset oracl.historyDepth")  # fmt: skip
        return int(value)

    @property
    def embedding(self) -> Asset | None:
        """The embedding, unless `oracl.embedding` says to do without."""
        from ..embedding import find

        return None if self.settings.get("oracl.embedding", "").lower() in ("false", "no", "off", "0") else find()

    @property
    def index(self) -> Index:
        """The index as it was last asked for; see `fresh`."""
        if self.uncommitted is not None and self.uncommitted.index is not None:
            return self.uncommitted.index
        if self._index is None:
            self._index = Index(self.repo)
        return self._index

    def update(
        self, *, full: bool = False, progress: Progress | None = None, wait: float | None = None,
        alpha: float | None = None, beta: float | None = None, skip: Iterable[str] | None = None,
    ) -> Report:  # fmt: skip
        """Bring the index to HEAD; the report of what was done."""
        from ..store.update import update

        tuned = _tuned(alpha, beta, skip) if (alpha, beta, skip) != (None, None, None) else None
        self.close()
        return update(
            self.repo, settings=tuned, full=full, depth=self.depth, progress=progress, wait=wait, asset=self.embedding
        )

    def fill(self, progress: Progress | None = None, stop: Callable[[], bool] | None = None) -> Filled | None:
        """Encode the passages that have no vector yet, until `stop()`; None when there is to be no embedding.

        Raises EmbeddingUnusable when its files are not whole.
        """
        from ..store.fill import fill

        asset = self.embedding
        if asset is None:
            return None
        self.close()
        return fill(self.repo, asset, progress, stop)

    def fresh(self, update: bool = True, progress: Progress | None = None) -> Index:
        """The index, at HEAD where that can be had within the budget; `notes` says when not, and what it lacks."""
        index = self._freshened(update, progress)
        if index.header.get("root") is None:
            count = dict(index.skipped()).get("missing", 0)
            note = f"left out, as not in this clone: {count:,} file{'s' * (count != 1)} ({FETCH_ALL})"
            if count and note not in self.notes:
                self.notes.append(note)
        return index

    def _freshened(self, update: bool, progress: Progress | None) -> Index:
        if self.uncommitted is None:
            return self._base(update, progress)
        if self.uncommitted.follows(update) and (not update or self._current(self.index)):
            try:
                return self.uncommitted.lay()
            except LookupError:  # what the commit has there is not known any more: take another copy
                pass
        self.uncommitted.close()  # a copy: of an index that is no more, or of another commit
        self.uncommitted.look_meanwhile()
        base = self._base(update, progress)
        self.uncommitted.start(base, self._current(base))
        self._index = None  # theirs now
        return self.uncommitted.lay()

    def _base(self, update: bool, progress: Progress | None) -> Index:
        if self.repo.head is None:
            raise NothingIndexed("there is no commit to index yet", "make a first commit, then ask again")
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # another process took away what was there, or has just been made
                return self._at_head(update, progress)
        raise IndexUnusable("the index is taken away as often as it is made", "wait until git oracl deinit is done")

    def _at_head(self, update: bool, progress: Progress | None) -> Index:
        try:
            index = self.index
        except FileNotFoundError as error:
            if not update or not self.build:
                raise _lacking(error) from None
            return self._made(error, progress)
        if not update or self._current(index):
            return index
        if self._brought(index, progress):
            return self.index
        index = self.index
        if index.commit == self.repo.head and (why := self._stale(index)):
            self.notes.append(f"the index {why} (git oracl update brings it up to date)")
            return index
        behind = self._behind(index.commit)
        self.notes.append(
            f"index is {behind} commit{'s' * (behind != 1)} behind HEAD (git oracl update brings it up to date)"
            if behind else "index is not at HEAD (git oracl update brings it up to date)"
        )  # fmt: skip
        return index

    def _made(self, missing: FileNotFoundError, progress: Progress | None) -> Index:
        """An index where there is none, or none of use."""
        self.update(progress=progress)
        if isinstance(missing, database.Spoilt):
            self.notes.append(f"the index {missing.why} and has been made anew")
        return self.index

    def _brought(self, index: Index, progress: Progress | None) -> bool:
        """Bring the index up to date, if that fits the budget of a question."""
        if not is_of_this_version(index.header) and index.count() > _ANEW:
            return False  # it never would: each question would spend its budget, and have nothing of it
        started = time.monotonic()

        def within(step: str, done: int, total: int) -> None:
            if time.monotonic() - started > self.budget:
                raise _OverBudget("it would take too long")
            if progress:
                progress(step, done, total)

        try:
            self.update(progress=within, wait=_LOCK_WAIT)
        except OraclError:  # over the budget, too
            return False
        return True

    def _current(self, index: Index) -> bool:
        """Whether the index is of HEAD, by this version, with as much history as the clone has."""
        return index.commit == self.repo.head and not self._stale(index)

    def _stale(self, index: Index) -> str:
        """Why an index is not as this version would make it of the same commit now; "" when it is."""
        if not is_of_this_version(index.header):
            return "was made by another version of oracl-git or Python"
        # The store of history is shared: another worktree may have lost it and made it anew.
        if index.past is None:
            return "has lost its history of commits"
        if index.header.get("shallow", "") != shallow_state(self.repo):
            return "is of a shallower history"
        if index.header.get("root") is None and index.header.get("packs") != pack_state(self.repo):
            return "may lack files that have been fetched since"
        return ""

    def _behind(self, commit: str) -> int:
        from ..git.run import attempt

        if self.repo.head is None or commit == self.repo.head:
            return 0
        code, out, _ = attempt(self.repo, "rev-list", "--count", f"{commit}..{self.repo.head}", "--")
        return int(out) if code == 0 else 0

    def present(self) -> Index:
        """The index as it is. Raises NoIndex."""
        try:
            return self.index
        except FileNotFoundError as error:
            if self.repo.head is None:
                raise NoIndex("there is no commit to index yet", "make a first commit, then: git oracl init") from None
            raise _lacking(error) from None

    def _present(self) -> Index | None:
        """The index as it is, or None."""
        try:
            return self.index
        except FileNotFoundError:
            return None

    def forget(self) -> list[str]:
        """Remove everything `init` and updates made; what was removed."""
        from ..vault.place import quiet_log

        self.close()
        quiet_log(self.repo, quiet=False)
        gone = []
        linked = os.path.join(self.repo.common_dir, "worktrees")
        worktrees = [os.path.join(linked, name) for name in sorted(os.listdir(linked))] if os.path.isdir(linked) else []
        for place in dict.fromkeys((self.repo.git_dir, self.repo.common_dir, *worktrees)):
            path = os.path.join(place, "oracl")
            if os.path.isdir(path) and not os.path.islink(path):
                taking.remove_all(path)
            elif os.path.lexists(path):  # a link: what it leads to may be another's
                os.unlink(path)
            else:
                continue
            gone.append(path)
        return gone


def _lacking(missing: FileNotFoundError) -> NoIndex:
    """Why there is no index to ask."""
    if isinstance(missing, database.Spoilt):
        return NoIndex(f"the index {missing.why}; the next question makes it anew", "git oracl update")
    return NoIndex("there is no index yet", "git oracl init")


class _OverBudget(OraclError):
    """The update would take longer than a question may."""

    next_step = "git oracl update"


def _tuned(alpha: float | None, beta: float | None, skip: Iterable[str] | None) -> Settings:
    from ..graph.link import PHASES
    from ..graph.parameters import Blend

    blend = Blend()
    for name, value in (("alpha", alpha), ("beta", beta)):
        if value is not None:
            if not 0 <= value <= 10:
                raise UsageError(f"{name} must lie between 0 and 10, not {value}", "git oracl graph rebuild -h")
            blend = blend._replace(**{name: round(value * 1_000_000)})
    skipped = frozenset(skip or ())
    unknown = skipped - set(PHASES)
    if unknown:
        raise UsageError(f"there is no phase {sorted(unknown)[0]!r}", f"one of: {' '.join(PHASES)}")
    return Settings(blend, skipped)
