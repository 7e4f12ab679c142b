"""The ends of lines of files that are not committed, as git would store them.

Knows the attributes and the setting that git goes by, and what it takes for text. Runs no
filter. Knows nothing of which files differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracl_git.git.run import git
from oracl_git.git.worktree import Laid, laid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oracl_git.git.repository import Repository

_ALWAYS, _AUTO, _NEVER = "always", "auto", "never"
_SAID = {"set": _ALWAYS, "input": _ALWAYS, "auto": _AUTO, "unset": _NEVER}  # of text, or crlf as it was once called
_UNSAID = "unspecified"
_UNPRINTABLE = bytes(code for code in range(32) if code not in b"\b\t\n\f\r\033") + b"\x7f"
_PATHS = 500  # that one command is given


def stored(repo: Repository, files: dict[bytes, Laid | None]) -> dict[bytes, Laid | None]:
    """The files, with LF at the ends of lines where git would store it."""
    written = {path: entry for path, entry in files.items() if entry and b"\r\n" in entry.data}
    if not written or repo.work_tree is None:
        return files
    how = _conversions(repo, list(written))
    able = [path for path, entry in written.items() if how[path] == _AUTO and _is_text(entry.data)]
    kept = set(_with_crlf(repo, able))
    found = dict(files)
    for path in (*(path for path in written if how[path] == _ALWAYS), *(path for path in able if path not in kept)):
        entry = written[path]
        if entry.size == len(entry.data):  # else it is left out whatever it says
            found[path] = laid(repo, entry.data.replace(b"\r\n", b"\n"), entry.mode)
    return found


def _conversions(repo: Repository, paths: Sequence[bytes]) -> dict[bytes, str]:
    """What git does with CRLF in each of the files."""
    listed = b"".join(path + b"\0" for path in paths)
    out = git(repo, "check-attr", "-z", "--stdin", "text", "crlf", "eol", input=listed, index=True, cwd=repo.work_tree)
    fields = iter(out.split(b"\0")[:-1])
    said: dict[bytes, dict[str, str]] = {path: {} for path in paths}
    for path, name, value in zip(fields, fields, fields, strict=True):
        said[path][name.decode()] = value.decode("utf-8", "replace")
    setting = git(repo, "config", "--get", "core.autocrlf", ok=(0, 1)).decode("utf-8", "replace").strip().lower()
    unsaid = _AUTO if setting in ("true", "input", "yes", "on", "1") else _NEVER
    return {path: _conversion(values, unsaid) for path, values in said.items()}


def _conversion(said: dict[str, str], unsaid: str) -> str:
    text, crlf, eol = (said.get(name, _UNSAID) for name in ("text", "crlf", "eol"))
    known = _SAID.get(crlf if text == _UNSAID else text)
    return known or (_ALWAYS if eol in ("lf", "crlf") else unsaid)


def _is_text(data: bytes) -> bool:
    """Whether git takes a file for text where nothing says what it is."""
    pairs = data.count(b"\r\n")
    if data.count(b"\r") != pairs:
        return False
    strange = len(data) - len(data.translate(None, _UNPRINTABLE))
    printable = len(data) - strange - data.count(b"\n") - pairs
    return b"\0" not in data and printable >> 7 >= strange - data.endswith(b"\x1a")


def _with_crlf(repo: Repository, paths: Sequence[bytes]) -> Iterator[bytes]:
    """Those that are stored with CRLF: git leaves them as they are."""
    for start in range(0, len(paths), _PATHS):
        some = [path.decode("utf-8", "surrogateescape") for path in paths[start : start + _PATHS]]
        out = git(repo, "--literal-pathspecs", "ls-files", "--eol", "-z", "--", *some, index=True, cwd=repo.work_tree)
        for row in out.split(b"\0")[:-1]:
            state, _, path = row.partition(b"\t")
            if state.split(b" ", 1)[0] in (b"i/crlf", b"i/mixed"):
                yield path
