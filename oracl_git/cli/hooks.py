"""git oracl hooks: let git itself keep the index at HEAD."""

from __future__ import annotations

import argparse
import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from ..service import Oracl
from . import output

if TYPE_CHECKING:
    from ..hooks.install import Hook


def configure_hooks(parser: argparse.ArgumentParser) -> None:
    """Declare the actions."""
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="install | uninstall | status", help="what to do with the hooks"
    )
    for name, text in (
        ("install", "add a marked block to four hooks, or bring it up to date"),
        ("uninstall", "remove the blocks, and the hooks that hold nothing else"),
        ("status", "what is installed, and what the worker did last"),
    ):
        actions.add_parser(name, help=text).add_argument("--json", action="store_true", help="one JSON object")


def run_hooks(args: argparse.Namespace) -> int:
    """Install, uninstall or tell; 1 when a hook is not in place."""
    with Oracl.at() as oracl:
        if args.action == "uninstall":
            gone = uninstall(oracl)
            if args.json:
                output.emit({"removed": gone})
            else:
                print(f"Removed {', '.join(map(output.plain, gone))}." if gone else "There was nothing to remove.")
            return 0
        hooks = install(oracl) if args.action == "install" else _state(oracl)
        if args.json:
            output.emit({**as_json(oracl), "hooks": [hook._asdict() for hook in hooks]})
        else:
            for line in describe(oracl, hooks) if args.action == "install" else _table(oracl, hooks):
                print(line)
        return 0 if all(hook.state == "installed" for hook in hooks) else 1


def install(oracl: Oracl) -> list[Hook]:
    """Install, or bring up to date."""
    from ..hooks import install

    hooks: list[Hook] = install.install(oracl.repo)
    return hooks


def uninstall(oracl: Oracl) -> list[str]:
    """Remove every trace of the hooks; what was removed."""
    from ..hooks import install

    gone: list[str] = install.uninstall(oracl.repo)
    return gone


def quiet(oracl: Oracl) -> AbstractContextManager[object]:
    """A time in which no worker of this worktree is at work."""
    from ..hooks import journal

    lock = journal.place(oracl.repo.git_dir, journal.LOCK)
    if not os.path.isdir(os.path.dirname(lock)):
        return nullcontext()
    held: AbstractContextManager[object] = journal.locked(lock, wait=True)
    return held


def _state(oracl: Oracl) -> list[Hook]:
    from ..hooks import install

    hooks: list[Hook] = install.state(oracl.repo)
    return hooks


def describe(oracl: Oracl, hooks: list[Hook]) -> list[str]:
    """What an installation did, and what is left to do by hand."""
    from ..hooks import install

    done = [hook.event for hook in hooks if hook.state == "installed"]
    lines = [f"Hooks: {', '.join(done)} (git oracl hooks uninstall removes them)."] if done else []
    for hook in hooks:
        if hook.state != "installed":
            what = "Switched off" if hook.state == "off" else "Not installed"
            lines.append(f"{what}: {hook.event}" + (f", {output.plain(hook.text)}." if hook.text else "."))
    for path, line in install.additions(oracl.repo):
        lines += [f"Add this line to {output.plain(path)}:", f"  {line}"]
    return lines


def as_json(oracl: Oracl) -> dict[str, object]:
    """The last run, the queue and the failures."""
    from ..hooks import journal

    activity = journal.activity(oracl.repo.git_dir)
    last = activity.last._asdict() if activity.last else None
    return {"last_run": last, "queued": activity.queued, "failures": activity.failures}


def activity_line(oracl: Oracl) -> str:
    """The last run, the queue and the failures, for people; "" when there is nothing to tell."""
    from ..hooks import journal

    activity = journal.activity(oracl.repo.git_dir)
    if activity.last is None and not activity.queued:
        return ""
    parts = []
    if activity.last:
        run = activity.last
        what = output.plain(run.error) if run.error else f"at {output.short(run.commit)}, {run.seconds:.1f} s"
        parts.append(f"last run {run.time}, {what}")
    if activity.queued:
        parts.append(f"{output.plural(activity.queued, 'event')} waiting")
    if activity.failures > 1:
        parts.append(f"{activity.failures} runs failed in a row")
    return "; ".join(parts)


def _table(oracl: Oracl, hooks: list[Hook]) -> list[str]:
    from ..hooks import install

    lines = [f"{hook.event:14} {hook.state}" + (f", {output.plain(hook.text)}" if hook.text else "") for hook in hooks]
    if install.config_off(oracl.repo):
        lines.append("switched off   git config oracl.hooks is false")
    worker = activity_line(oracl)
    return [*lines, f"worker         {worker or 'has not run yet'}"]
