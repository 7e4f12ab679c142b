"""The client's settings: asked for when it starts, and whenever they change.

Knows both ways a client may tell: it is asked (`workspace/configuration`), or
it sends them along.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from . import features
from .options import SECTION, read

if TYPE_CHECKING:
    from .server import Server

log = logging.getLogger("oracl_git.lsp")
_WATCH = "oracl-files"
_SETTINGS = "oracl-settings"


async def start(server: Server) -> None:
    """After `initialized`: ask to be told, and ask for the settings."""
    wanted: list[types.Registration] = []
    if server.can("workspace.did_change_watched_files.dynamic_registration"):
        watchers = [types.FileSystemWatcher(glob_pattern="**/*")]
        wanted.append(types.Registration(
            id=_WATCH, method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        ))  # fmt: skip
    if server.can("workspace.did_change_configuration.dynamic_registration"):
        wanted.append(types.Registration(
            id=_SETTINGS, method=types.WORKSPACE_DID_CHANGE_CONFIGURATION, register_options={"section": SECTION},
        ))  # fmt: skip

    async def register() -> bool:
        await server.client_register_capability_async(types.RegistrationParams(registrations=wanted))
        return True

    if wanted:
        done = await server.asked(register())
        if done and any(each.id == _WATCH for each in wanted):
            server.watched = time.monotonic()
    await ask(server)


async def ask(server: Server) -> None:
    """Ask the client for the settings, where it can be asked."""
    if server.can("workspace.configuration"):
        item = types.ConfigurationItem(section=SECTION)
        values = await server.asked(server.workspace_configuration_async(types.ConfigurationParams(items=[item])))
        await apply(server, values[0] if values else None)


async def changed(server: Server, params: types.DidChangeConfigurationParams) -> None:
    """The settings changed; clients that are asked send nothing."""
    if server.can("workspace.configuration"):
        await ask(server)
    else:
        await apply(server, params.settings)


async def apply(server: Server, values: Any) -> None:
    """Take new settings."""
    before = server.options
    server.options, problems = read(values, before)
    for problem in problems:
        log.warning("%s", problem)
    await features.add_later(server)
    if server.options.diagnostics != before.diagnostics:
        server.diagnostics.all()
