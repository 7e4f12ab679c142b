"""git oracl open N: open the Nth result of the last question at its lines, and remember the choice."""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from .. import telemetry
from ..errors import UnknownPath, UsageError
from ..service import Oracl
from . import output
from .parser import positive

# How editors are told a line, by the name of their command; {} is the line. Others get the file alone.
_AT_LINE = {
    "+{}": "vi vim nvim gvim mvim nano pico emacs emacsclient ed ex kak micro joe jmacs mcedit ne gedit kate".split(),
    "path:{}": "subl zed hx helix atom lapce pulsar".split(),
    "-g path:{}": "code codium code-insiders cursor windsurf".split(),
    "--line {}": "idea pycharm webstorm goland clion rubymine phpstorm rustrover charm".split(),
}


def configure_open(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("number", type=positive, metavar="N", help="which result")
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the path, start no editor")


def run_open(args: argparse.Namespace) -> int:
    """Start git's editor on the file; print the path where no terminal is."""
    from ..git.run import git

    with Oracl.at() as oracl:
        last = telemetry.last(oracl.repo.git_dir)
        if last is None:
            raise UsageError("no question was asked here yet", 'git oracl search "…"')
        results, fragments = last["results"], last.get("fragments")
        if not isinstance(results, list) or args.number > len(results):
            count = len(results) if isinstance(results, list) else 0
            raise UsageError(f"the last question had {count} results", "git oracl open 1")
        path = str(results[args.number - 1])
        top = oracl.repo.work_tree or ""
        full = os.path.normpath(os.path.join(top, path)) if top else ""
        if full and not full.startswith(top.rstrip("/") + "/"):
            raise UnknownPath(f"{path} does not lie in this repository", "git oracl search …")
        if telemetry.enabled(oracl.settings):
            asked = last.get("parsed") if last["class"] == "related" else None
            telemetry.opened(oracl.repo.git_dir, asked or last["query"], path, args.number)
        if args.only_print:
            output.write_path(full or path)
            return 0
        if not full or not os.path.isfile(full):
            raise UnknownPath(f"{path} is not in the work tree", f"git show HEAD:{path}")
        if not sys.stdout.isatty():
            output.write_path(full)
            return 0
        editor = git(oracl.repo, "var", "GIT_EDITOR").decode("utf-8", "surrogateescape").strip()
    words = at_line(editor, full, _line(fragments, args.number))
    return os.execvp("sh", ["sh", "-c", f'{editor} "$@"', editor, *words])  # as git itself starts it


def _line(fragments: object, number: int) -> int:
    """The first line of a result, as the log has it; 0 when it does not say."""
    text = fragments[number - 1] if isinstance(fragments, list) and number <= len(fragments) else ""
    digits = text[1:].partition("-")[0] if isinstance(text, str) else ""
    return int(digits[:9]) if digits.isascii() and digits.isdigit() else 0


def at_line(editor: str, path: str, line: int) -> list[str]:
    """What follows the editor's command to open a file at a line."""
    try:
        name = os.path.basename((shlex.split(editor) or [""])[0]).removesuffix(".exe")
    except ValueError:
        name = ""
    form = next((form for form, names in _AT_LINE.items() if name in names), "")
    if not line or not form:
        return [path]
    if "path" not in form:
        return [*form.format(line).split(), path]
    return [word.format(line).replace("path", path) for word in form.split()]
