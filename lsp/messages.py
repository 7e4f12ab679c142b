"""Our own requests: their parameters and results, as data.

Each request `oracl/NAME` is a command `oracl.NAME` too, with the same single
object of parameters and the same result. Knows names, kinds and what is said of
them in the reference. Knows nothing of how a question is answered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .options import MOST

_MOST_TEXT = 10_000


class Param(NamedTuple):
    """One parameter: its kind, its default (None: it may be missing), its line in the reference."""

    kind: type
    text: str
    needed: bool = False
    values: tuple[str, ...] = ()


class Message(NamedTuple):
    """One request and command."""

    name: str
    text: str
    params: dict[str, Param]
    result: dict[str, str]

    @property
    def method(self) -> str:
        return f"oracl/{self.name}"

    @property
    def command(self) -> str:
        return f"oracl.{self.name}"


_LIMIT = Param(int, f"at most so many results, 1 to {MOST}; the setting `limit` otherwise")
_ANSWER = {
    "results": "a list, best first; see below",
    "total": "how many candidates there were",
    "notes": "what the asker should know, in sentences",
    "commit": "the commit that the uncommitted changes lie on",
}
MESSAGES = (
    Message(
        "search", "Where is this? Free text, names, paths, filters.",
        {
            "query": Param(str, "the question, in any words", True),
            "limit": _LIMIT,
            "root": Param(str, "URI of the only folder to search; all of them otherwise"),
            "persona": Param(str, "whose files weigh more"),
            "snippet": Param(bool, "whether the lines come with each result"),
        },
        _ANSWER,
    ),
    Message(
        "related", "What goes with this file, and why; with its unsaved text.",
        {
            "uri": Param(str, "the file", True),
            "uris": Param(list, "more files of the same repository: one question of them all"),
            "limit": _LIMIT,
            "kind": Param(str, "only files of this kind", values=("code", "tests", "docs", "config")),
        },
        {**_ANSWER, "version": "the version of the buffer that was read, or null"},
    ),
    Message(
        "trace", "What depends on what, with unsaved text.",
        {
            "uri": Param(str, "where to start", True),
            "direction": Param(str, "`out` (default): what it depends on; `in`: what depends on it; `both`",
                               values=("in", "out", "both")),
            "depth": Param(int, "how far to walk, 1 to 20 (default 2)"),
            "relations": Param(list, "only edges of these relations"),
            "to": Param(str, "URI of a file: the shortest paths to it instead of a tree"),
        },
        {
            "tree": "a step; see below", "paths": "with `to`: a list of lists of steps",
            "commit": "as above", "notes": "as above", "version": "as above",
        },
    ),
    Message(
        "status", "Where each repository stands.",
        {"uri": Param(str, "only the repository of this file or folder")},
        {"roots": "a list; see below"},
    ),
    Message(
        "pick", "Ask the person which of the related files to open, and open it.",
        {"uri": Param(str, "the file", True), "limit": _LIMIT},
        {"uri": "what was opened, or null"},
    ),
    Message(
        "open", "Show a file to the person; where a client cannot, its path is told.",
        {"uri": Param(str, "the file", True), "line": Param(int, "where to look, from 1 (default)")},
        {"uri": "the file"},
    ),
)  # fmt: skip
BY_NAME = {message.name: message for message in MESSAGES}
RESULT = {
    "uri": "the file", "path": "its path in the repository, for display", "root": "URI of the repository",
    "range": "the lines to look at first, or null", "focus": "the same as `L10-42`, or empty",
    "fragment": "all lines that belong to the answer, as `L1-142`, or empty",
    "title": "the definition or heading of `focus`", "kind": "`code`, `tests`, `docs`, `config`",
    "score": "the greater the better; compares the results of one question",
    "reasons": "a list of `signal`, `text`, `share`; the shares add up to the score",
    "snippet": "with `snippet`: the lines of `focus` with most words of the question",
    "snippet_line": "the number of the first of them",
}  # fmt: skip
STEP = {
    "uri": "the file", "path": "its path, for display", "range": "where the reference stands, or null",
    "fragment": "the same as `L10-42`", "relation": "`imports`, `tests`, `references` …", "symbol": "what is named",
    "direction": "`out`: the edge points at this file; `in`: from it", "cycle": "whether it is shown elsewhere above",
    "children": "a list of steps",
}  # fmt: skip
ROOT = {
    "uri": "the top of the work tree", "name": "its last part", "state": "`ready`, `indexing`, `waiting` or `failed`",
    "message": "a sentence when it is not ready, or when the index is behind", "commit": "the indexed commit, or null",
    "head": "HEAD, or null", "artifacts": "files in the graph", "changed": "files that differ from HEAD",
    "percent": "while indexing: how far, or null",
}  # fmt: skip


class Invalid(ValueError):
    """Parameters that are not what the request takes; the message is a sentence."""


def read(message: Message, given: object) -> dict[str, Any]:
    """The parameters, each of its kind. Raises Invalid."""
    if given is None or given == []:  # what an empty table of Lua becomes
        given = {}
    if not isinstance(given, dict):
        raise Invalid(f"{message.method} takes one object of parameters")
    found: dict[str, Any] = {}
    for name, param in message.params.items():
        value = given.get(name)
        if value is None:
            if param.needed:
                raise Invalid(f"{message.method} needs {name}")
            continue
        if type(value) is not param.kind or (param.values and value not in param.values):
            kinds = " | ".join(param.values) or {"str": "a string", "int": "a whole number", "bool": "true or false",
                                                 "list": "a list of strings"}[param.kind.__name__]  # fmt: skip
            raise Invalid(f"{name} of {message.method} must be {kinds}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise Invalid(f"{name} of {message.method} must be a list of strings")
        if isinstance(value, str) and len(value) > _MOST_TEXT:
            raise Invalid(f"{name} of {message.method} is longer than {_MOST_TEXT:,} characters")
        found[name] = value
    if "limit" in found:
        found["limit"] = max(1, min(found["limit"], MOST))
    return found
