"""One change as git has it: what is staged, a range of commits, or a whole tree.

Knows which git commands answer for the index and which for a commit, and that
the index is the one git names (GIT_INDEX_FILE). Reads only: no work tree, no
filters, no programs a repository may name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ..errors import UsageError
from ..git import Repository, open_objects, resolve_commit
from ..git.repository import has_stage, require_stage
from ..git.run import attempt, failure, git
from ..graph.model import decode_path, encode_path
from .model import Edit

_REGULAR = 0o100000
_TYPE = 0o170000
_MAX_BYTES = 1 << 20  # larger files are data
_PATTERNS = 200  # words of one search
_NOWHERE = frozenset(("", ".", "..", ".git"))  # no work tree has such a name, but a tree object may
_DIFF = ("--raw", "-z", "--no-abbrev", "-M", "-l2000", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")


class Change:
    """Two sides of a repository. `new` is a tree's name, or "" for the index; `old` a commit, or None for nothing."""

    def __init__(self, repo: Repository, old: str | None, new: str, whole: bool = False) -> None:
        self.repo, self.old, self.new, self.whole = repo, old, new, whole
        self._blobs: dict[str, bytes | None] = {}

    @classmethod
    def staged(cls, repo: Repository) -> Change:
        """HEAD against the index. Raises UsageError where there is none."""
        require_stage(repo)
        return cls(repo, repo.head, "")

    @classmethod
    def between(cls, repo: Repository, text: str) -> Change:
        """A..B, A...B (from where they parted), or A (up to HEAD)."""
        left, dots, right = text.partition("...") if "..." in text else text.partition("..")
        ends = [resolve_commit(repo, end or "HEAD") for end in (left, right)]
        if dots == "...":
            code, out, _ = attempt(repo, "merge-base", *ends)
            if code:
                raise UsageError(f"{left or 'HEAD'} and {right or 'HEAD'} have no common ancestor", "use A..B")
            ends[0] = out.decode("ascii").strip()
        return cls(repo, ends[0], ends[1])

    @classmethod
    def everything(cls, repo: Repository) -> Change:
        """All that is staged, or else committed, compared with nothing."""
        return cls(repo, None, "" if has_stage(repo) else repo.head or "", whole=True)

    @property
    def _place(self) -> str:
        return self.repo.work_tree or self.repo.git_dir

    @cached_property
    def edits(self) -> list[Edit]:
        """What differs, renames found."""
        if self.whole:
            return [Edit("A", path, path, 0, mode, "", blob) for path, (mode, blob) in self.entries.items()]
        if self.new:
            assert self.old is not None
            out = git(self.repo, "diff-tree", "-r", *_DIFF, self.old, self.new, "--")
        else:
            out = git(self.repo, "diff", "--cached", *_DIFF, "--", index=True, cwd=self._place)
        records = iter(out.split(b"\0"))
        found = []
        for record in records:
            if not record:
                continue
            old, new, old_blob, new_blob, status = record[1:].decode("ascii").split(" ")
            source = path = decode_path(next(records))
            if status[0] in "RC":
                path = decode_path(next(records))
            kind = "A" if status[0] == "C" else status[0]
            found.append(
                Edit(kind, path, source if kind == "R" else path, int(old, 8), int(new, 8), old_blob, new_blob)
            )
        return found

    @cached_property
    def entries(self) -> dict[str, tuple[int, str]]:
        """Path → (mode, blob) of the new side."""
        if self.new:
            rows = git(self.repo, "ls-tree", "-r", "-z", "--full-tree", self.new).split(b"\0")
        else:
            rows = git(self.repo, "ls-files", "-s", "-z", index=True, cwd=self._place).split(b"\0")
        found = {}
        for row in rows:
            head, tab, path = row.partition(b"\t")
            if tab:
                words = head.split(b" ")
                found[decode_path(path)] = (int(words[0], 8), (words[2] if self.new else words[1]).decode("ascii"))
        return found

    @cached_property
    def old_entries(self) -> dict[str, tuple[int, str]]:
        """… and of the old side."""
        found = dict(self.entries)
        for edit in self.edits:
            found.pop(edit.path, None)
        for edit in self.edits:
            if edit.status != "A":
                found[edit.source] = (edit.old_mode, edit.old_blob)
        return found

    def text(self, entry: tuple[int, str] | None) -> bytes | None:
        """The bytes of a regular file of moderate size."""
        if entry is None or entry[0] & _TYPE != _REGULAR or not entry[1].strip("0"):
            return None
        if entry[1] not in self._blobs:
            self.read([entry])
        return self._blobs[entry[1]]

    def read(self, entries: Iterable[tuple[int, str]]) -> None:
        """Read many files at once; `text` then has them."""
        wanted = dict.fromkeys(
            blob for mode, blob in entries if mode & _TYPE == _REGULAR and blob.strip("0") and blob not in self._blobs
        )
        if wanted:
            with open_objects(self.repo) as objects:
                for blob, data in objects.blobs(wanted):
                    self._blobs[blob] = data if data is not None and len(data) <= _MAX_BYTES else None

    def mentioning(self, words: Iterable[str], suffixes: Iterable[str]) -> list[str]:
        """The files of the new side, of these names, that hold one of the texts."""
        wanted = list(dict.fromkeys(word for word in words if word and "\n" not in word))
        found: dict[str, None] = {}
        for start in range(0, len(wanted), _PATTERNS):
            found.update(dict.fromkeys(self._grep(("-F",), wanted[start : start + _PATTERNS], suffixes)))
        return list(found)

    def matching(self, patterns: list[str], suffixes: Iterable[str]) -> list[str]:
        """The files of the new side, of these names, that have a line of one of the patterns (POSIX, extended).

        Perl's engine reads them too, in a tenth of the time; not every git has it, and it gives up on odd lines.
        """
        return self._grep(("-P", "-E"), patterns, suffixes) if patterns else []

    def _grep(self, engines: tuple[str, ...], patterns: list[str], suffixes: Iterable[str]) -> list[str]:
        given = encode_path("".join(f"{pattern}\n" for pattern in patterns))
        specs = [f":(top,icase)*{suffix}" for suffix in suffixes]
        for engine in engines:
            args = ["grep", "-l", "-z", "-I", engine, "--no-color", "--full-name", "-f", "-"]
            args += [self.new, "--", *specs] if self.new else ["--cached", "--", *specs]
            code, out, err = attempt(self.repo, *args, input=given, index=not self.new, cwd=self._place)
            if code in (0, 1):
                break
        else:
            raise failure(self.repo, tuple(args), code, err)
        paths = [decode_path(raw) for raw in out.split(b"\0") if raw]
        return [path[len(self.new) + 1 :] for path in paths] if self.new else paths

    def ignored_of(self, paths: Iterable[str]) -> set[str]:
        """Those that the new side's .gitignore files keep out of git: made, not missing."""
        wanted = [path for path in dict.fromkeys(paths) if path and "\n" not in path]
        rules = {path: entry for path, entry in self.entries.items() if path.rpartition("/")[2] == ".gitignore"}
        if not wanted or not rules:
            return set()
        import os
        from tempfile import TemporaryDirectory

        self.read(rules.values())
        with TemporaryDirectory(prefix="oracl-git-") as place:
            for path, entry in rules.items():
                if not _NOWHERE.isdisjoint(path.split("/")):
                    continue
                full = os.path.join(os.fsencode(place), encode_path(path))
                try:
                    os.makedirs(os.path.dirname(full), exist_ok=True)
                    with open(full, "wb") as file:
                        file.write(self.text(entry) or b"")
                except OSError:  # a name this file system has no room for, or two for one thing
                    continue
            code, out, _ = attempt(
                None, "check-ignore", "--no-index", "-z", "--stdin", cwd=place,
                input=b"".join(encode_path(path) + b"\0" for path in wanted),
                env={"GIT_DIR": self.repo.git_dir, "GIT_WORK_TREE": place, "GIT_INDEX_FILE": f"{place}/none"},
            )  # fmt: skip
        return {decode_path(raw) for raw in out.split(b"\0") if raw} if code == 0 else set()
