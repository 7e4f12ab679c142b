"""Hooks in git's configuration, where git runs those (2.54 and newer).

Knows the section we write, `[hook "oracl"]`, and who may have switched it off.
Such hooks run beside whatever lies in the hooks directory, wherever
core.hooksPath points, so no file of anyone's is touched. git refuses to work
where a hook has an event and no command: the command comes first, and all goes
at once.
"""

from __future__ import annotations

import os
from hashlib import sha256

from ..git import Repository, git_version
from ..git.run import attempt, git
from ..whole import plain
from . import shim

_NAME = "oracl"
_SINCE = (2, 54)  # git reads hook.NAME.command
_SWITCHES = (2, 55)  # … and hook.EVENT.enabled
_UNENDED = "config-unended"  # in the oracl directory: the file's last line had no end before us
_OFF = ("false", "no", "off", "0", "")


def available() -> bool:
    """Whether git runs hooks of its configuration."""
    return git_version() >= _SINCE


def add(repo: Repository) -> None:
    """Write the section, or bring it up to date. Raises GitFailed where the file cannot be written."""
    values = _values(repo, "--local")
    if values.get("command", [])[-1:] != [shim.CONFIGURED]:
        if not values:
            _note_end(repo)
        git(repo, "config", "--local", "--replace-all", f"hook.{_NAME}.command", shim.CONFIGURED)
    for event in shim.EVENTS:
        if event not in values.get("event", []):
            git(repo, "config", "--local", "--add", f"hook.{_NAME}.event", event)


def remove(repo: Repository) -> list[str]:
    """Take the section out; what was changed."""
    if not _values(repo, "--local"):
        return []
    git(repo, "config", "--local", "--remove-section", f"hook.{_NAME}")
    _restore_end(repo)
    return [f"{_file(repo)}: hook.{_NAME}"]


def state(repo: Repository) -> dict[str, str]:
    """Event → "installed", or "off" where it is switched off, for those that are configured."""
    if not available():
        return {}
    values = _values(repo)
    if not values.get("command"):
        return {}
    mine: list[str] = []
    for event in values.get("event", []):
        mine = [*mine, event] if event else []  # an empty one takes back those before it
    off = _is_off(values.get("enabled", []))
    found = {}
    for event in shim.EVENTS:
        if event in mine:
            switched = git_version() >= _SWITCHES and _is_off(_values(repo, name=event).get("enabled", []))
            found[event] = "off" if off or switched else "installed"
    return found


def _is_off(values: list[str]) -> bool:
    return bool(values) and values[-1].lower() in _OFF


def _values(repo: Repository, scope: str = "", name: str = _NAME) -> dict[str, list[str]]:
    """The keys of hook.NAME and their values, in the order git reads them."""
    pattern = rf"^hook\.{name}\.[^.]*$"
    code, out, _ = attempt(repo, "config", *([scope] if scope else []), "-z", "--get-regexp", pattern)
    found: dict[str, list[str]] = {}
    for record in out.decode("utf-8", "surrogateescape").split("\0")[:-1] if code == 0 else ():
        key, _, value = record.partition("\n")
        found.setdefault(key.rpartition(".")[2].lower(), []).append(value)
    return found


def _file(repo: Repository) -> str:
    return os.path.join(repo.common_dir, "config")


def _mark(repo: Repository) -> str:
    return os.path.join(repo.common_dir, "oracl", _UNENDED)


def _note_end(repo: Repository) -> None:
    """git ends the last line of the file before it adds one; remember that it was not ended."""
    data = _read(_file(repo))
    if data and not data.endswith(b"\n"):
        with open(_mark(repo), "w", encoding="ascii", opener=plain) as file:
            file.write(sha256(data).hexdigest())


def _restore_end(repo: Repository) -> None:
    digest = _read(_mark(repo)).decode("ascii", "replace")
    if not digest:
        return
    os.unlink(_mark(repo))
    data = _read(_file(repo))
    if sha256(data[:-1]).hexdigest() == digest:
        os.truncate(_file(repo), len(data) - 1)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", opener=plain) as file:
            return file.read()
    except OSError:
        return b""
