"""docs/reference/language-server.md, written from the tables the server itself goes by.

Knows Markdown; adds nothing that the tables do not say, but what each method of
the protocol is used for. `python -m oracl_git.lsp.reference FILE` writes it.
"""

from __future__ import annotations

import dataclasses
import sys

from lsprotocol import types

from . import messages, status
from .features import FEATURES
from .options import SECTION, Options

# What a client may call besides our own requests, and what it gets.
USED_FOR = {
    types.WORKSPACE_SYMBOL: "files and definitions whose name has the letters typed, in order: `SymbolInformation[]`",
    types.TEXT_DOCUMENT_DOCUMENT_LINK: "every link, import and path that leads to a file, as `DocumentLink[]`",
    types.TEXT_DOCUMENT_DEFINITION: "the files that the reference under the cursor may mean, as `Location[]`",
    types.TEXT_DOCUMENT_HOVER: "tags, priority and related files of what the reference leads to, as `Hover`",
    types.TEXT_DOCUMENT_CODE_ACTION: "`source.oracl.related`, one that asks, or one a file; `quickfix` after a rename",
    types.TEXT_DOCUMENT_CODE_LENS: "one, above line 1",
    types.CODE_LENS_RESOLVE: "who uses the file, tests, what it uses; its command is the setting `lensCommand`",
    types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: "the file itself, wherever in it the cursor stands",
    types.CALL_HIERARCHY_INCOMING_CALLS: "who depends on it; `detail` says how, `fromRanges` where",
    types.CALL_HIERARCHY_OUTGOING_CALLS: "what it depends on",
    types.TEXT_DOCUMENT_REFERENCES: "the lines that refer to the file, or to what the reference under the cursor means",
}
TOLD = {
    types.INITIALIZE: "options; encodings UTF-8, UTF-16, UTF-32",
    types.INITIALIZED: "asks for settings, and to be told of changed files",
    types.SHUTDOWN: "", types.EXIT: "", types.SET_TRACE: "nothing is traced",
    types.TEXT_DOCUMENT_DID_OPEN: "", types.TEXT_DOCUMENT_DID_CHANGE: "incremental or whole",
    types.TEXT_DOCUMENT_DID_CLOSE: "what lies on disk counts again", types.TEXT_DOCUMENT_DID_SAVE: "",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: "where a client does not send it, git is asked every 5 seconds",
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: "several folders, several repositories below one",
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: "", types.WORKSPACE_EXECUTE_COMMAND: "the commands below",
    types.WORKSPACE_DID_CREATE_FILES: "", types.WORKSPACE_DID_DELETE_FILES: "", types.WORKSPACE_DID_RENAME_FILES: "",
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: "stops the making of an index", types.CANCEL_REQUEST: "",
}  # fmt: skip
SENT = {
    types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: "`broken-link`, `broken-import`, of open buffers that have rested",
    types.CLIENT_REGISTER_CAPABILITY: "changed files and settings; features that a setting turns on",
    types.WORKSPACE_CONFIGURATION: f"the section `{SECTION}`",
    types.WINDOW_WORK_DONE_PROGRESS_CREATE: "while an index is made",
    types.PROGRESS: "the same", types.WORKSPACE_CODE_LENS_REFRESH: "when it is made",
    types.WINDOW_SHOW_MESSAGE_REQUEST: "by `oracl.pick`",
    types.WINDOW_SHOW_DOCUMENT: "by `oracl.pick` and `oracl.open`",
    types.WINDOW_SHOW_MESSAGE: "by the same, where a document cannot be shown or nobody can be asked",
    status.CHANGED: "the result of `oracl/status`, whenever it changes; with `statusNotifications`",
}  # fmt: skip
ERRORS = (
    ("InvalidParams", "-32602", "parameters of another kind; a URI that names no file of the workspace"),
    ("RequestFailed", "-32803", "what the command line would say: no commit yet, an index that is being made …"),
    ("ContentModified", "-32801", "the buffer changed before the answer about its positions was there"),
    ("RequestCancelled", "-32800", "`$/cancelRequest`"),
    ("ServerNotInitialized", "-32002", "a request before `initialize`"),
    ("InvalidRequest", "-32600", "no JSON-RPC 2.0 object, an id in use, a request after `shutdown`"),
    ("ParseError", "-32700", "no JSON"), ("MethodNotFound", "-32601", "a method that is not listed here"),
    ("InternalError", "-32603", "a bug: one sentence here, the rest on stderr"),
)  # fmt: skip


def page() -> str:
    """The whole page."""
    lines = [
        "# Language server", "",
        "<!-- Written by lsp/reference.py: make man -->", "",
        "`git oracl lsp` speaks the Language Server Protocol 3.17 on stdin and stdout, or for one client on a",
        "port of the loopback; pages that a browser shows of other hosts are not answered there. How an editor starts",
        "it: [use it in an editor](../how-to/use-in-an-editor.md).",
        "Answers are about what is there now: the work tree and open buffers, laid over the index.", "",
        "## Options", "",
        f"In `initializationOptions`, or in the settings section `{SECTION}`.", "",
        *_table(("option", "default", ""), [
            (f"`{each.name}`", f"`{str(each.default).lower() if isinstance(each.default, bool) else each.default}`",
             str(each.metadata["help"])) for each in dataclasses.fields(Options)
        ]),
        "", "## Methods of the protocol", "",
        "A feature is announced when its option is on and the client says that it knows the method. A file that",
        "lies in no repository of the workspace gets null.", "",
        *_table(("method", "option", "result"), [
            (f"`{method}`", f"`{feature.option}`", USED_FOR[method])
            for feature in FEATURES for method in feature.handlers
        ]),
        "", "Taken:", "", *_table(("method", ""), [(f"`{method}`", text) for method, text in TOLD.items()]),
        "", "Sent:", "", *_table(("method", ""), [(f"`{method}`", text) for method, text in SENT.items()]),
        "", "## Requests and commands of its own", "",
        "Each is a request `oracl/NAME` and a command `oracl.NAME`, with the same single object of parameters and",
        "the same result.",
    ]  # fmt: skip
    for message in messages.MESSAGES:
        lines += ["", f"### {message.method}", "", f"{message.text} The command is `{message.command}`.", ""]
        lines += _table(("parameter", "kind", ""), [
            (f"`{name}`" + (" (needed)" if param.needed else ""), param.kind.__name__, param.text)
            for name, param in message.params.items()
        ])  # fmt: skip
        lines += ["", *_table(("result", ""), [(f"`{name}`", text) for name, text in message.result.items()])]
    for title, keys in (("A result", messages.RESULT), ("A step", messages.STEP), ("A root", messages.ROOT)):
        lines += ["", f"### {title}", "", *_table(("key", ""), [(f"`{name}`", text) for name, text in keys.items()])]
    lines += ["", "A path that is not UTF-8 has `path_b64` beside it.", "", "## Errors", ""]
    lines += _table(("error", "code", "when"), list(ERRORS))
    return "\n".join(lines) + "\n"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    cells = [tuple(cell.replace("|", "\\|") for cell in row) for row in rows]
    return [f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in cells)]


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(page())
