"""What the client tells of: saved and changed files, folders, settings.

Knows which repository each concerns. Opening, typing and closing are the
server's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsprotocol import types

from . import configuration

if TYPE_CHECKING:
    from .server import Server


def register(server: Server) -> None:
    """Be told."""

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        touched(server, [params.text_document.uri])

    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        touched(server, [change.uri for change in params.changes])

    def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            server.roots.remove(folder.uri)
        for folder in params.event.added:
            root = server.roots.add(folder.uri)
            if root is not None:
                server.warm(root)
        for document in server.documents.all():
            server.typed(document)

    async def settings(params: types.DidChangeConfigurationParams) -> None:
        await configuration.changed(server, params)

    def cancelled(params: types.WorkDoneProgressCancelParams) -> None:
        server.indexing.cancel(params.token)

    files = types.FileOperationRegistrationOptions(
        filters=[types.FileOperationFilter(pattern=types.FileOperationPattern(glob="**/*"), scheme="file")]
    )

    def created(params: types.CreateFilesParams) -> None:
        touched(server, [file.uri for file in params.files])

    def deleted(params: types.DeleteFilesParams) -> None:
        touched(server, [file.uri for file in params.files])

    def renamed(params: types.RenameFilesParams) -> None:
        touched(server, [uri for file in params.files for uri in (file.old_uri, file.new_uri)])

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(lambda params: None)  # announces that we want to be told
    server.feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))(saved)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(watched)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(folders)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(settings)
    server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)(cancelled)
    server.feature(types.WORKSPACE_DID_CREATE_FILES, files)(created)
    server.feature(types.WORKSPACE_DID_DELETE_FILES, files)(deleted)
    server.feature(types.WORKSPACE_DID_RENAME_FILES, files)(renamed)


def touched(server: Server, uris: Iterable[str]) -> None:
    """Files were written, made or removed."""
    for uri in uris:
        place = server.place(uri, touched=True)
        if place is not None:
            place.root.saved(place.path)
    server.diagnostics.all()
