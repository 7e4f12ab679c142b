"""Where the repository is, what kind it is, and its `oracl.*` settings.

Knows git's own answer to those questions, asked once per process. Knows nothing
of the objects in it; a Repository is plain data that stays true when the
current directory or the environment changes, and goes stale when HEAD moves.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from oracl_git.errors import MissingObjects, NotARepository, NothingIndexed, Shortage, UsageError
from oracl_git.git.run import attempt, failure, git, refill

# rev-parse prints back an option it does not know: a separator that keeps paths
# with newlines apart.
_SEPARATOR = "--oracl-git-field-separator"

_HINT = "cd into one, or pass -C PATH: git -C PATH oracl search x"


class Repository(NamedTuple):
    """One repository as seen from one worktree of it. All paths are absolute."""

    git_dir: str
    common_dir: str  # equal to git_dir except in a linked worktree
    work_tree: str | None  # None if bare, or when asked from inside the git directory
    prefix: str  # where the question was asked, below the work tree: "" or "a/b/"
    object_format: str  # "sha1" or "sha256"
    head: str | None  # the commit checked out; None if there is none yet
    shallow: bool
    bare: bool


def discover(path: str | None = None) -> Repository:
    """The repository at `path` (default: here), as git itself would find it.

    One process: `--default HEAD` says nothing when HEAD is unborn and
    `--show-cdup` says nothing when there is no work tree, where their
    better-known relatives would fail.
    """
    if path is not None and not os.path.isdir(path):
        raise NotARepository(f"{path} is not a directory", _HINT)
    args = ["rev-parse", "--is-bare-repository", "--is-shallow-repository", "--show-object-format", _SEPARATOR]
    for question in ("--absolute-git-dir", "--git-common-dir", "--show-prefix", "--show-cdup"):
        args += [question, _SEPARATOR]
    args += ["--default", "HEAD"]
    code, out, err = attempt(None, *args, cwd=path)
    if code:
        if (given := os.environ.get("GIT_DIR")) and not os.path.isfile(os.path.join(path or "", given, "HEAD")):
            raise NotARepository(f"GIT_DIR is {given}, which is not a git repository", "unset GIT_DIR")
        if b"not a git repository: " in err:  # a .git that is a file, and leads elsewhere
            leads = os.fsdecode(err).partition("not a git repository: ")[2].partition("\n")[0]
            raise NotARepository(f"the .git here leads to {leads}, where none is", "in what it belongs to: git worktree"
                                 " repair, or git submodule update --init")  # fmt: skip
        if b"not a git repository" in err:
            raise NotARepository(f"{path or 'this directory'} is not in a git repository", _HINT)
        if b"current working directory" in err:
            raise gone()
        raise failure(None, tuple(args), code, err)
    kind, git_dir, common_dir, prefix, up, head = os.fsdecode(out).split(_SEPARATOR + "\n")
    bare, shallow, object_format = kind.split()
    here = os.path.realpath(path or os.curdir)
    return Repository(
        git_dir=git_dir[:-1],
        common_dir=os.path.realpath(os.path.join(here, common_dir[:-1])),
        work_tree=os.path.realpath(os.path.join(here, up[:-1])) if up else None,
        prefix=prefix[:-1],
        object_format="sha1" if object_format.startswith("-") else object_format,  # a git older than the question
        head=head.strip() or None,
        shallow=shallow == "true",
        bare=bare == "true",
    )


def gone() -> NotARepository:
    """The failure of whatever asks where it is, when that has been deleted."""
    return NotARepository("this directory is not there any more", _HINT)


def require_stage(repo: Repository) -> None:
    """Raise UsageError where nothing can be staged."""
    if not has_stage(repo):
        raise UsageError("in a bare repository nothing is staged", "name a commit: git oracl related --commit HEAD, or"
                         " a range: git oracl check HEAD~1..HEAD")  # fmt: skip


def has_stage(repo: Repository) -> bool:
    """Whether there is an index, as in every repository with files, or one that the caller names."""
    return not repo.bare or "GIT_INDEX_FILE" in os.environ


def settings(repo: Repository) -> dict[str, str]:
    """Every `oracl.*` setting, from all of git's config files and `git -c`; the last one wins."""
    out = git(repo, "config", "-z", "--get-regexp", r"^oracl\.", ok=(0, 1))
    found = {}
    for record in out.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, given, value = record.partition("\n")
        found[key.lower()] = value if given else "true"  # `[oracl] flag` alone means true
    return found


def set_config(repo: Repository, key: str, value: str) -> None:
    """Set one key in the repository's own config file."""
    git(repo, "config", "--local", "--replace-all", key, value)


def unset_config(repo: Repository, key: str) -> None:
    """Remove one key from the repository's own config file, if it is there."""
    git(repo, "config", "--local", "--unset-all", key, ok=(0, 5))


def config_values(repo: Repository, key: str) -> list[str]:
    """Every value of one key in the repository's own config file."""
    out = git(repo, "config", "-z", "--local", "--get-all", key, ok=(0, 1))
    return out.decode("utf-8", "surrogateescape").split("\0")[:-1]


def add_config(repo: Repository, key: str, value: str) -> None:
    """Add one value to a key of the repository's own config file; one that cannot be written stays as it is."""
    git(repo, "config", "--local", "--add", key, value, check=False)


def drop_config(repo: Repository, key: str, value: str) -> None:
    """Remove one value of a key from the repository's own config file."""
    git(repo, "config", "--local", "--fixed-value", "--unset-all", key, value, check=False)


def resolve_commit(repo: Repository, rev: str) -> str:
    """The full id of the commit a revision names. Raises NothingIndexed for HEAD before the first one, UsageError."""
    if repo.head is None and (rev == "HEAD" or rev.startswith(("HEAD~", "HEAD^", "HEAD@"))):
        raise NothingIndexed("there is no commit yet", "make a first commit, then ask again")
    if "\0" not in rev:
        question = ("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}")
        code, out, err = attempt(repo, *question)
        oid = out.decode("ascii", "replace").strip()
        if code == 0 and oid.isalnum():  # ^REV would be "all but REV"
            return oid
        if isinstance(why := failure(repo, question, code, err), Shortage) or code < 0:
            raise why
        if rev == "HEAD":
            raise MissingObjects(f"commit {repo.head} is not in this clone", refill(repo))
    raise UsageError(f"no commit is named {rev!r} in this repository", "git log --oneline --all")
