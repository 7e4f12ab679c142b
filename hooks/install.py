"""Putting the shim where git looks for hooks, and taking it out again.

Knows where hooks lie (git's own answer), whose they are, and when not to touch
them: a directory that is tracked or shared with other repositories is only
told about. Everything it writes it can remove byte for byte.
"""

from __future__ import annotations

import os
import stat
import sys
from typing import NamedTuple

from ..errors import OraclError
from ..git import Repository
from ..git.run import attempt, git
from ..whole import plain
from . import configured, journal, shim

_DISPLACED = (".legacy", ".old")  # where pre-commit and lefthook put the hook they found
_OWNER = "check who owns it, then try again"
_MADE = "hooks-made"  # marks that the hooks directory was not there before us


class Place(NamedTuple):
    """Where git looks for hooks. kind: own | tracked | foreign."""

    path: str
    kind: str
    scope: str  # whose setting it is: "" | local | worktree | global | system | command


class Hook(NamedTuple):
    """One event: is it ours. state: installed | displaced | missing | other | off."""

    event: str
    state: str
    text: str


def find(repo: Repository) -> Place:
    """Where git looks for hooks, and whose place that is."""
    own = os.path.join(repo.common_dir, "hooks")
    # Not through `git`, which turns hooks off for its own processes.
    code, out, _ = attempt(repo, "config", "-z", "--show-scope", "--get-all", "core.hooksPath")
    fields = out.decode("utf-8", "surrogateescape").split("\0")[:-1] if code == 0 else []
    # The last one is ours: `-c core.hooksPath=/dev/null`, which every git we start is given.
    pairs = [(scope, value) for scope, value in zip(fields[::2], fields[1::2], strict=False) if scope != "command"]
    if not pairs or not pairs[-1][1]:
        return Place(own, "own", "")
    scope, value = pairs[-1]
    path = os.path.realpath(os.path.join(repo.work_tree or repo.git_dir, os.path.expanduser(value)))
    if path == os.path.realpath(own):
        return Place(own, "own", "")
    top = repo.work_tree
    inside = (
        top is not None and (path + "/").startswith(top + "/") and not (path + "/").startswith(repo.common_dir + "/")
    )
    return Place(path, "tracked" if inside else "foreign", scope)


def install(repo: Repository) -> list[Hook]:
    """Write the shim and what makes git run it; the state of each hook. Raises OraclError where hooks are not ours."""
    if configured.available():
        try:
            _write_script(repo)
            configured.add(repo)
            _remove_blocks(repo, find(repo))  # an older git may have needed them
        except OSError as error:
            raise OraclError(f"cannot write {error.filename or repo.common_dir}: {error.strerror}", _OWNER) from None
        return state(repo)
    place = find(repo)
    if place.kind == "foreign":
        raise OraclError(
            f"core.hooksPath ({place.scope}) is {place.path}: other repositories may use it, so it is left alone",
            'git config core.hooksPath "$(git rev-parse --git-common-dir)/hooks"',
        )
    try:
        _write_script(repo)
        configured.remove(repo)  # a newer git may have left it
        if place.kind == "tracked":
            return state(repo)
        if not os.path.isdir(place.path):
            os.makedirs(place.path)
            _write(os.path.join(repo.common_dir, "oracl", _MADE), b"", 0o644)
        for event in shim.EVENTS:
            _add(os.path.join(place.path, event), event)
    except OSError as error:
        raise OraclError(f"cannot write {error.filename or place.path}: {error.strerror}", _OWNER) from None
    return state(repo)


def _write_script(repo: Repository) -> None:
    oracl = os.path.join(repo.common_dir, "oracl")
    os.makedirs(oracl, exist_ok=True)
    _write(os.path.join(oracl, shim.SCRIPT), shim.script(_python()), 0o644)


def _python() -> str:
    """The interpreter of this installation, not resolved: a venv is known by its own link."""
    return os.path.abspath(sys.executable)


def _add(path: str, event: str) -> None:
    hook = _read(path)
    if hook is not None and _runs_displaced(hook) and shim.has_block(_read(path + ".legacy") or b""):
        return  # who displaced it still runs it
    if hook is not None and _refusal(path, hook):
        return
    mode = stat.S_IMODE(os.stat(path).st_mode) if hook is not None else 0o755
    text = shim.inserted(hook, event)
    if text != hook:
        _write(path, text, mode)


def _runs_displaced(hook: bytes) -> bool:
    """pre-commit runs the .legacy hook it found; lefthook does not run the .old one."""
    return b"pre-commit" in hook and b"hook-impl" in hook


def _refusal(path: str, hook: bytes) -> str:
    """Why a hook that is there is left alone, or ""."""
    if os.path.islink(path):
        return "is a link"
    if not os.access(path, os.X_OK):
        return "is not executable, so git passes over it"
    return "" if shim.is_shell(hook) else "is not a shell script"


def _remove_blocks(repo: Repository, place: Place) -> list[str]:
    """Take our block out of every hook that has it; the files that changed."""
    changed = []
    own = os.path.join(repo.common_dir, "hooks")
    for directory in dict.fromkeys((own, *((place.path,) if place.kind == "own" else ()))):
        for event in shim.EVENTS:
            for suffix in ("", *_DISPLACED):
                path = os.path.join(directory, event + suffix)
                hook = None if os.path.islink(path) else _read(path)
                if hook is None or not shim.has_block(hook):
                    continue
                rest = shim.removed(hook)
                if rest is None:
                    os.unlink(path)
                else:
                    _write(path, rest, stat.S_IMODE(os.stat(path).st_mode))
                changed.append(path)
    made = os.path.join(repo.common_dir, "oracl", _MADE)
    if os.path.exists(made):
        if os.path.isdir(own) and not os.listdir(own):
            os.rmdir(own)
        os.unlink(made)
    return changed


def uninstall(repo: Repository) -> list[str]:
    """Remove every trace; what changed."""
    try:
        changed = [*_remove_blocks(repo, find(repo)), *configured.remove(repo)]
        path = os.path.join(repo.common_dir, "oracl", shim.SCRIPT)
        if os.path.exists(path):
            os.unlink(path)
            if not changed:  # read from a tracked hook
                changed.append(path)
        linked = os.path.join(repo.common_dir, "worktrees")
        names = sorted(os.listdir(linked)) if os.path.isdir(linked) else []
        for git_dir in (repo.common_dir, *(os.path.join(linked, name) for name in names)):
            for name in journal.FILES:
                path = journal.place(git_dir, name)
                if os.path.exists(path) and name != journal.LOCK:
                    os.unlink(path)
            folder = os.path.join(git_dir, "oracl")
            if os.path.isdir(folder) and not os.listdir(folder):
                os.rmdir(folder)
    except OSError as error:
        raise OraclError(f"cannot write {error.filename}: {error.strerror}", _OWNER) from None
    return changed


def state(repo: Repository) -> list[Hook]:
    """Each event: ours, someone else's, or nobody's."""
    place = find(repo)
    set_up = configured.state(repo)
    found = []
    for event in shim.EVENTS:
        path = os.path.join(place.path, event)
        hook = _read(path) or b""
        if event in set_up:
            off = f"git config hook.oracl.enabled or hook.{event}.enabled is false"
            found.append(Hook(event, set_up[event], off if set_up[event] == "off" else "in git's configuration"))
        elif place.kind != "own":
            tracked = _read(os.path.join(_visible(place.path), event)) or b""
            there = f'oracl/{shim.SCRIPT}" {event}'.encode() in hook + tracked
            found.append(
                Hook(event, "installed" if there else "missing", "" if there else f"core.hooksPath is {place.path}")
            )
        elif shim.has_block(hook):
            found.append(Hook(event, "installed", ""))
        elif beside := [s for s in _DISPLACED if shim.has_block(_read(path + s) or b"")]:
            kept = beside[0] == ".legacy" and _runs_displaced(hook)
            text = f"moved to {event}{beside[0]}" + (", which is run from the hook" if kept else ", which nobody runs")
            found.append(Hook(event, "installed" if kept else "displaced", text))
        elif hook and (why := _refusal(path, hook)):
            found.append(Hook(event, "other", f"the hook that is there {why}"))
        else:
            found.append(Hook(event, "missing", ""))
    return found


def additions(repo: Repository) -> list[tuple[str, str]]:
    """(file, line to add to it) where the hooks are tracked or cannot take the block."""
    if configured.available():
        return []
    place = find(repo)
    rows = []
    for hook in state(repo):
        if (hook.state == "missing" and place.kind == "tracked") or hook.state == "other":
            directory = _visible(place.path) if place.kind == "tracked" else place.path
            rows.append((os.path.join(directory, hook.event), shim.manual(hook.event)))
    return rows


def _visible(path: str) -> str:
    """husky's own hooks (.husky/_) call those of the directory above."""
    return os.path.dirname(path) if os.path.basename(path) == "_" else path


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb", opener=plain) as file:
            return file.read()
    except OSError:
        return None


def _write(path: str, data: bytes, mode: int) -> None:
    """Replace a file at once: git may be about to run it."""
    temporary = f"{path}.oracl-{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def config_off(repo: Repository) -> bool:
    """Whether `oracl.hooks` says no."""
    return git(repo, "config", "--type=bool", "oracl.hooks", ok=(0, 1, 128)).strip() == b"false"
