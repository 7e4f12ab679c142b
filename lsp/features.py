"""Which features there are, for which option and which client.

Knows the table. A feature is announced when the server starts if its option is
on; one that a later setting turns on is registered with the client, where that
can be done. A feature that is turned off answers null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from lsprotocol import types

from . import actions, definition, hierarchy, hover, lens, links, pick, references  # isort: skip
from . import related, search, status, symbols, trace  # isort: skip

if TYPE_CHECKING:
    from .server import Handler, Server


class Feature(NamedTuple):
    """One feature: its methods, the first of which a client registers."""

    option: str
    capability: str  # of the client
    handlers: dict[str, Handler]
    options: Any = None


FEATURES = (
    Feature("search", "workspace.symbol", {types.WORKSPACE_SYMBOL: symbols.symbols}),
    Feature("documentLink", "text_document.document_link", {types.TEXT_DOCUMENT_DOCUMENT_LINK: links.links}),
    Feature("definition", "text_document.definition", {types.TEXT_DOCUMENT_DEFINITION: definition.definition}),
    Feature("hover", "text_document.hover", {types.TEXT_DOCUMENT_HOVER: hover.hover}),
    Feature(
        "codeAction", "text_document.code_action", {types.TEXT_DOCUMENT_CODE_ACTION: actions.actions},
        types.CodeActionOptions(code_action_kinds=[actions.RELATED, types.CodeActionKind.QuickFix]),
    ),
    Feature(
        "codeLens", "text_document.code_lens",
        {types.TEXT_DOCUMENT_CODE_LENS: lens.lens, types.CODE_LENS_RESOLVE: lens.resolve},
    ),
    Feature(
        "callHierarchy", "text_document.call_hierarchy",
        {
            types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: hierarchy.prepare,
            types.CALL_HIERARCHY_INCOMING_CALLS: hierarchy.incoming,
            types.CALL_HIERARCHY_OUTGOING_CALLS: hierarchy.outgoing,
        },
    ),
    Feature("references", "text_document.references", {types.TEXT_DOCUMENT_REFERENCES: references.references}),
)  # fmt: skip


def on(server: Server, feature: Feature) -> bool:
    """Whether a feature is wanted."""
    value = getattr(server.options, feature.option)
    if feature.option == "references":
        return value == "on" or (value == "auto" and not server.can("text_document.call_hierarchy"))
    return bool(value)


def always(server: Server) -> None:
    """What every client gets: our own requests."""
    for module in (search, related, trace, status, pick):
        module.register(server)


def register(server: Server) -> None:
    """What this client gets."""
    for feature in FEATURES:
        if on(server, feature) and server.has(feature.capability):
            _add(server, feature)


def _add(server: Server, feature: Feature) -> None:
    for number, (method, handler) in enumerate(feature.handlers.items()):
        server.answer(method, _guarded(feature, handler), feature.options if number == 0 else None)


def _guarded(feature: Feature, handler: Handler) -> Handler:
    async def handle(server: Server, params: Any) -> Any:
        return await handler(server, params) if on(server, feature) else None

    return handle


async def add_later(server: Server) -> None:
    """Register with the client what settings have turned on since."""
    wanted = []
    for feature in FEATURES:
        method = next(iter(feature.handlers))
        if on(server, feature) and method not in server.protocol.fm.features:
            _add(server, feature)
            if server.can(f"{feature.capability}.dynamic_registration"):
                wanted.append(types.Registration(id=str(uuid4()), method=method, register_options=_details(feature)))
    if wanted:
        await server.asked(server.client_register_capability_async(types.RegistrationParams(registrations=wanted)))


def _details(feature: Feature) -> dict[str, Any]:
    selector = {} if feature.capability.startswith("workspace") else {"documentSelector": [{"scheme": "file"}]}
    more = {"codeActionKinds": [actions.RELATED, "quickfix"]} if feature.option == "codeAction" else {}
    return {**selector, **more, **({"resolveProvider": True} if feature.option == "codeLens" else {})}
