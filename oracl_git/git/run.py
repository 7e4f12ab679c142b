"""How git is run: the one place that starts it.

Knows the environment every git process gets: which repository, no fetch, no
prompt, no script named by a repository, no replaced or grafted commit.
Knows nothing of what the commands mean; callers name them and parse what they say.
"""

from __future__ import annotations

import io
import os
import select
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from oracl_git.errors import GitFailed, MissingObjects, OraclError, shortage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from typing_extensions import Buffer

    from oracl_git.git.repository import Repository

# A repository's own config may name programs; these two would be run by reading.
_ALWAYS = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")

_FIXED = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_FLUSH": "0",  # a write for each commit would wake us for each: nobody here waits for one before asking on
    # A partial clone must never fetch. Before 2.39.4 git did not know the first of
    # these, and then the second makes the fetch fail before it connects anywhere.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    # A commit id means the commit that hashes to it, whatever refs/replace or
    # info/grafts say. (A path that cannot exist: an empty file would earn a warning.)
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull + "/none",
}

# What a hook or a caller's `git --git-dir` left behind; possibly relative to a
# directory we are no longer in. The object directories stay: during a push they
# are where the new objects are. So does the config given with `git -c`.
_INHERITED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_CONFIG",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)

# Keys of snapshots, for this process alone: no git, and no program that git starts, is given them.
SECRETS = ("ORACALL_ED25519_PRIVATE_KEY", "ORACALL_HMAC_KEY")

# git has one exit code for everything, so what is missing is told by its words.
_MISSING = (
    "could not fetch",
    "unable to read",
    "unable to find",
    "could not read",
    "cannot read",
    "bad object",
    "bad tree object",
    "not a tree object",
    "missing",
    "lazy fetching disabled",
)

# What tells more of a refusal, or shows that it is mended; where nothing stands, git fsck.
_NEXT_STEPS = {
    "diff": "mend what git names, then: git status",
    "config": "mend what git names, then: git config --list --show-origin",
    "fetch": "git ls-remote shows whether the other side answers",
    "push": "git ls-remote shows whether the other side answers",
    "rev-parse": "mend what git names, then: git status",
    "status": "mend what git names, then: git status",
}

_NEWER = ("unknown repository extension", "Expected git repo version", "unknown repository format")

_PATIENCE = 5.0  # seconds in which git may say nothing before anybody asks why

_SMALL = 4096
_CHUNK = 1 << 16


def environment(repo: Repository | None, *, index: bool = False) -> dict[str, str]:
    """The environment of a git process; `index` keeps the caller's GIT_INDEX_FILE."""
    env = without_secrets()
    env.update(_FIXED)
    if repo is None:
        return env
    kept = env.get("GIT_INDEX_FILE") if index else None
    for name in _INHERITED:
        env.pop(name, None)
    env["GIT_DIR"] = repo.git_dir
    if repo.common_dir != repo.git_dir:
        env["GIT_COMMON_DIR"] = repo.common_dir
    if repo.work_tree is None:
        env["GIT_IMPLICIT_WORK_TREE"] = "0"
    else:
        env["GIT_WORK_TREE"] = repo.work_tree
    if kept is not None:
        env["GIT_INDEX_FILE"] = kept
    elif not index:
        # diff-tree reads the index for attributes: slow when it is large, fatal
        # when it is damaged, and never what a question about commits depends on.
        env["GIT_INDEX_FILE"] = os.path.join(repo.git_dir, "oracl", "no-index")
    return env


def without_secrets() -> dict[str, str]:
    """Our environment, less the keys in it."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}


def git(
    repo: Repository | None,
    *args: str,
    input: bytes | None = None,
    check: bool = True,
    ok: tuple[int, ...] = (0,),
    cwd: str | None = None,
    index: bool = False,
    env: Mapping[str, str] | None = None,
) -> bytes:
    """What one git command prints. An exit code not in `ok` raises, unless `check` is off."""
    code, out, err = attempt(repo, *args, input=input, cwd=cwd, index=index, env=env)
    if check and code not in ok:
        raise failure(repo, args, code, err)
    return out


def attempt(
    repo: Repository | None,
    *args: str,
    input: bytes | None = None,
    cwd: str | None = None,
    index: bool = False,
    env: Mapping[str, str] | None = None,
) -> tuple[int, bytes, bytes]:
    """Exit code, output and complaints of one git command."""
    process = _start(repo, args, has_input=input is not None, cwd=cwd, index=index, env=env)
    with process:
        try:
            try:
                out, err = process.communicate(input, timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                require_end(repo, cwd)
                out, err = process.communicate()
        except BaseException:
            process.kill()
            raise
    return process.returncode, out, err


def require_end(repo: Repository | None, cwd: str | None = None) -> None:
    """Raise GitFailed where git waits for what does not come. Asked when git has said nothing for long."""
    from oracl_git.git.stuck import endless, git_directory

    if repo is not None:
        git_dir, work_tree = repo.git_dir, repo.work_tree
    else:
        given = os.environ.get("GIT_DIR")
        git_dir, work_tree = (given, None) if given else git_directory(cwd or os.curdir)
    if git_dir and (path := endless(git_dir, work_tree)):
        raise GitFailed(f"git waits for {path}, which is no file", "put back what belongs there, then: git fsck")


class Stream:
    """One git process whose output is read while it runs.

    Whoever waits for output gives it its input and takes its complaints meanwhile, so no pipe
    can fill up and stop the others. No thread does: one that finds no memory when it starts may
    hang the process. Leaving the `with` block ends the process.
    """

    def __init__(
        self,
        repo: Repository,
        *args: str,
        input: bytes = b"",
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._repo, self._args = repo, args
        self._process = _start(repo, args, has_input=True, env=env)
        self._talk = _Talk(repo, self._process, input)
        self.stdout = io.BufferedReader(self._talk, _CHUNK)

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def records(self) -> Iterator[bytes]:
        """The NUL-terminated records of the output; a truncated last one is left out."""
        rest: list[bytes] = []  # of a record that has not ended: a message may be as long as a disk
        while chunk := self.stdout.read1(_CHUNK):
            first, *records = chunk.split(b"\0")
            rest.append(first)
            if records:
                yield b"".join(rest)
                rest = [records.pop()]
                yield from records

    def finish(self) -> None:
        """Wait for the end, and raise if it was a bad one. What it still prints is passed over."""
        self._talk.end()
        if code := self._process.wait():
            raise failure(self._repo, self._args, code, self._talk.complaints)

    def failed(self) -> OraclError:
        """Why the output stopped too early."""
        try:
            self.finish()
        except OraclError as error:
            return error
        return GitFailed(f"git {self._args[0]} stopped before it was done")

    def close(self) -> None:
        """End the process, whatever it was doing."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self.stdout.close()


class _Talk(io.RawIOBase):
    """The three pipes of a process, as a stream of what it prints."""

    def __init__(self, repo: Repository, process: subprocess.Popen[bytes], input: bytes) -> None:
        self._repo, self._asked = repo, False  # whether git is known to work on
        pipes = (process.stdin, process.stdout, process.stderr)
        self._give, self._out, self._err = cast("tuple[io.FileIO, io.FileIO, io.FileIO]", pipes)
        self._rest = memoryview(input)
        self._poll = select.poll()
        self.complaints = b""
        os.set_blocking(self._give.fileno(), False)
        for pipe, event in ((self._give, select.POLLOUT), (self._out, select.POLLIN), (self._err, select.POLLIN)):
            self._poll.register(pipe, event)
        self._feed()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        while not self._out.closed:
            if self._out.fileno() in self._pass_on():
                count: int = self._out.readinto(buffer)
                if count:
                    return count
                self._drop(self._out)
        return 0

    def end(self) -> None:
        """Have it say all it has to say."""
        while self.read(_CHUNK):
            pass
        while not self._err.closed:
            self._pass_on()

    def close(self) -> None:
        for pipe in (self._give, self._out, self._err):
            self._drop(pipe)
        super().close()

    def _pass_on(self) -> list[int]:
        """Wait until a pipe is ready: give what is taken, and keep what is complained. Those that are ready."""
        ready = [number for number, _ in self._poll.poll(None if self._asked else _PATIENCE * 1000)]
        if not ready:
            require_end(self._repo)
            self._asked = True
        if not self._give.closed and self._give.fileno() in ready:
            self._feed()
        if not self._err.closed and self._err.fileno() in ready:
            data = self._err.read(_SMALL)
            self.complaints = (self.complaints + (data or b""))[-_CHUNK:]
            if not data:
                self._drop(self._err)
        return ready

    def _feed(self) -> None:
        try:
            self._rest = self._rest[self._give.write(self._rest) or 0 :]
        except OSError:
            self._rest = self._rest[:0]  # it ended first; its exit code says why
        if not self._rest:
            self._drop(self._give)

    def _drop(self, pipe: io.FileIO) -> None:
        if not pipe.closed:
            self._poll.unregister(pipe)
            pipe.close()


def _start(
    repo: Repository | None,
    args: tuple[str, ...],
    *,
    has_input: bool,
    cwd: str | None = None,
    index: bool = False,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    variables = environment(repo, index=index)
    if env:
        variables.update(env)
    try:
        return subprocess.Popen(
            (*_ALWAYS, *args),
            stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=variables,
        )
    except OSError as error:
        if cwd is not None and not os.path.isdir(cwd):
            raise GitFailed(f"{cwd} is not a directory", "git worktree list") from error
        if short := shortage(error):
            raise short from error
        raise GitFailed(f"git cannot be run ({error.strerror})", "install git, and make sure it is on PATH") from error


_INTERRUPTED = 2  # SIGINT


def failure(repo: Repository | None, args: tuple[str, ...], code: int, complaints: bytes) -> OraclError:
    """The error for a git command that ended badly, in git's own words where it has any.

    Raises KeyboardInterrupt for one that was interrupted: a ^C is for all of us, and may reach git first.
    """
    if code == -_INTERRUPTED:
        raise KeyboardInterrupt
    lines = [line.strip() for line in complaints.decode("utf-8", "replace").splitlines() if line.strip()]
    if short := shortage("\n".join(lines)):
        return short  # whatever it could not read is there, as far as anybody knows
    told = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines[-1:]
    if told and told[-1].endswith(":"):  # what it is of stands in the lines below
        told += lines[lines.index(told[-1]) + 1 :][:1]
    words = " — ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in told[:2]).replace(": — ", ": ")
    for line in lines:
        if line.startswith("git config ") and "safe.directory" in line:
            return GitFailed(words, line)
    if any(sign in line for sign in _NEWER for line in lines):
        return GitFailed(f"git cannot read this repository: {words}", "upgrade git: a newer one made it")
    if any(sign in line.lower() for sign in _MISSING for line in lines):
        return MissingObjects(f"an object is not in this clone ({words})", refill(repo))
    verb = next((word for word in args if not word.startswith("-") and "=" not in word), args[0])
    if code < 0:
        return GitFailed(f"git {verb} was ended by signal {-code}", "ask again; if it is so each time: git fsck")
    return GitFailed(f"git {verb} failed: {words or f'exit code {code}'}", _NEXT_STEPS.get(verb, ""))


def refill(repo: Repository | None) -> str:
    """The command that brings what is missing into this clone."""
    if repo is not None and repo.shallow:
        return "git fetch --unshallow"
    if repo is not None and is_partial(repo):
        return "git fetch --refetch --no-filter"
    return "git fsck"


@lru_cache(maxsize=1)
def git_version() -> tuple[int, int]:
    """Major and minor number of the git on PATH; (0, 0) when it does not say."""
    words = git(None, "version").decode("utf-8", "replace").split()
    parts = words[2].split(".") if len(words) > 2 else []
    numbers = [int(part) for part in parts[:2] if part.isascii() and part.isdigit()]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def object_directory(repo: Repository) -> str:
    """Where this repository's objects are; a hook may have pointed elsewhere."""
    return os.path.abspath(os.environ.get("GIT_OBJECT_DIRECTORY") or os.path.join(repo.common_dir, "objects"))


def pack_state(repo: Repository) -> str:
    """A name for what was fetched: changes when packs come or go."""
    place = os.path.join(object_directory(repo), "pack")
    try:
        return f"{os.stat(place).st_mtime_ns}:{len(os.listdir(place))}"
    except OSError:
        return ""


def is_partial(repo: Repository) -> bool:
    """Whether objects here may be missing on purpose, to be fetched when git wants them."""
    try:
        return any(name.endswith(".promisor") for name in os.listdir(os.path.join(object_directory(repo), "pack")))
    except OSError:
        return False
