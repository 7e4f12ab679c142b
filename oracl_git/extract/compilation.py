"""compile_commands.json and compile_flags.txt: the directories that a build of C and C++ looks for headers in.

Knows the options of compilers that name them. Declared are, read back by the
resolver of C:

    c root    such a directory, absolute as on the machine it was built on, or relative
    c file    some of the files that were compiled, by which the top of the tree is known there
"""

from __future__ import annotations

import re
from posixpath import join, normpath

from .data import json_rows
from .source import Findings, Source

_OPTION = re.compile(r"(?:^|[\s\n])[\"']?-(?:I|isystem|iquote|idirafter)\s*([^\s\"'][^\s\"']{0,500})")
_MAX_ROOTS = 100
_MAX_FILES = 3


def extract(source: Source, language: str) -> Findings:
    """What a compilation database, or flags that stand for one, says."""
    found = Findings()
    text = source.text.decode("utf-8", "replace")
    rows = json_rows(source.text) if text.lstrip().startswith("[") else [{"command": text}]
    roots: dict[str, None] = {}
    files: dict[str, None] = {}
    for row in rows:
        directory, file, command, arguments = (row.get(key) for key in ("directory", "file", "command", "arguments"))
        place = _slashed(directory) if isinstance(directory, str) else ""
        if isinstance(arguments, list):
            command = "\n".join(each for each in arguments if isinstance(each, str))
        if isinstance(command, str) and len(roots) < _MAX_ROOTS:
            roots.update((normpath(join(place, _slashed(root))), None) for root in _OPTION.findall(command))
        if isinstance(file, str) and len(files) < _MAX_FILES:
            files[normpath(join(place, _slashed(file)))] = None
    found.declares += [("c file", file) for file in files]
    found.declares += [("c root", root) for root in list(roots)[:_MAX_ROOTS]]
    return found


def _slashed(path: str) -> str:
    return path.replace("\\", "/")
