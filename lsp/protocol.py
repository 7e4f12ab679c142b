"""One message in, one answer out.

Knows JSON-RPC's errors, the life cycle of a server, and what of a failure a
client may see: one sentence, never a traceback. Knows nothing of bytes and
sockets, nor of what any request means.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pygls.protocol.language_server import lsp_method

from oracl_git.errors import OraclError

from . import messages
from .roots import Cancelled, Stale
from .uris import Refused

if TYPE_CHECKING:
    from .server import Server

log = logging.getLogger("oracl_git.lsp")
_NO_ID = object()
_DEEP = 100  # levels of a message: more is no message of anybody's
_EARLY = ("initialize", "exit")
_Code = types.ErrorCodes | types.LSPErrorCodes


class Protocol(LanguageServerProtocol):
    """pygls' protocol, made strict with what comes and reticent with what goes."""

    _server: Server

    def __init__(self, server: Any, converter: Any) -> None:
        super().__init__(server, converter)
        self.stage = "new"  # new, running, ended
        self.exit_code: int | None = None
        self.on_exit: Callable[[], None] = lambda: None

    # -- in --------------------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """One message as it came."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(None, types.ErrorCodes.ParseError, "the message is not JSON")
            return
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0" or not _shallow(data):
            self._refuse(None, types.ErrorCodes.InvalidRequest, "the message is no JSON-RPC 2.0 object")
            return
        number: Any = data.get("id", _NO_ID)  # a number or a string, from here on
        method = data.get("method", _NO_ID)
        if number is not _NO_ID and (isinstance(number, bool) or not isinstance(number, (int, str))):
            if method is not _NO_ID or number is not None:
                self._refuse(None, types.ErrorCodes.InvalidRequest, "the id is neither a number nor a string")
            return
        if method is _NO_ID:
            self._response(number, data)
        elif not isinstance(method, str):
            asked = None if number is _NO_ID else cast("int | str", number)
            self._refuse(asked, types.ErrorCodes.InvalidRequest, "the method is no name")
        elif number is _NO_ID:
            self._notification(method, data)
        else:
            self._request(cast("int | str", number), method, data)

    def _request(self, number: int | str, method: str, data: dict[str, Any]) -> None:
        if self.stage == "new" and method != "initialize":
            self._refuse(number, types.ErrorCodes.ServerNotInitialized, "initialize comes first")
        elif self.stage == "ended":
            self._refuse(number, types.ErrorCodes.InvalidRequest, "the server was told to shut down")
        elif method == "initialize" and self.stage != "new":
            self._refuse(number, types.ErrorCodes.InvalidRequest, "the server is initialized")
        elif number in self._request_futures:
            self._refuse(number, types.ErrorCodes.InvalidRequest, "a request with this id is being answered")
        else:
            message = self._structured(method, data)
            if message is None:
                self._refuse(number, types.ErrorCodes.InvalidParams, f"these are no parameters of {method[:80]}")
                return
            if method == "initialize":
                self.stage = "running"
            elif method == "shutdown":
                self.stage = "ended"
            self.handle_message(message)

    def _notification(self, method: str, data: dict[str, Any]) -> None:
        if method == "exit":
            self.exit_code = 0 if self.stage == "ended" else 1
            self.on_exit()
        elif self.stage == "running":
            message = self._structured(method, data)
            if message is None:
                log.warning("a notification %s was passed over: these are no parameters of it", method[:80])
            else:
                self.handle_message(message)

    def _response(self, number: object, data: dict[str, Any]) -> None:
        if isinstance(number, (int, str)) and number in self._request_futures and number in self._result_types:
            message = self._structured("", data)
            if message is None:
                self._request_futures.pop(number).set_exception(JsonRpcException("no answer that can be read"))
            else:
                self.handle_message(message)

    def _structured(self, method: str, data: dict[str, Any]) -> Any:
        """The message as its type, or None."""
        if method not in types.METHOD_TO_TYPES and method:  # ours, which `messages` reads; or nobody's
            params = data.get("params")
            if "id" in data:
                return JsonRPCRequestMessage(id=data["id"], method=method, jsonrpc="2.0", params=params)
            return JsonRPCNotification(method=method, jsonrpc="2.0", params=params)
        try:
            return self.structure_message(data)
        except JsonRpcException:
            return None

    # -- out -------------------------------------------------------------------------

    def _refuse(self, number: int | str | None, code: _Code, text: str) -> None:
        error = types.ResponseError(code=int(code.value), message=text)
        self._send_data(types.ResponseErrorMessage(jsonrpc="2.0", id=number, error=error))

    def _send_handler_result(self, future: Any, *, msg_id: int | str) -> None:
        """Answer a request with what its handler gave, or with a sentence."""
        self._request_futures.pop(msg_id, None)
        error = asyncio.CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._send_response(msg_id, result=future.result())
        else:
            self._result_types.pop(msg_id, None)
            self._refuse(msg_id, *explain(error))

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        try:
            handler = self._get_handler(method_name)
        except JsonRpcException:
            self._refuse(msg_id, types.ErrorCodes.MethodNotFound, f"there is no method {method_name[:80]}")
            return
        self._ctx_msg_id.set(msg_id)
        self._server.received()
        self._execute_handler(
            msg_id=msg_id, handler=handler, args=(params,),
            callback=lambda future: self._send_handler_result(future, msg_id=msg_id),
        )  # fmt: skip

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and msg_id not in self._result_types:
            future.cancel()

    def _check_handler_result(self, future: Any) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            explain(error)

    # -- documents and commands: ours, not those of pygls ------------------------------

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.opened(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.changed(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.closed(params.text_document.uri)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]  # pygls has a generator here
        self, params: types.ExecuteCommandParams
    ) -> Any:
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise messages.Invalid(f"there is no command {params.command[:80]}")
        arguments = params.arguments or [None]
        if len(arguments) > 1:
            raise messages.Invalid(f"{params.command} takes one object of parameters")
        return await handler(arguments[0])


def explain(error: BaseException) -> tuple[_Code, str]:
    """The code and the sentence for a failure; what nobody expected goes to the log."""
    if isinstance(error, (asyncio.CancelledError, Cancelled)):
        return types.LSPErrorCodes.RequestCancelled, "cancelled"
    if isinstance(error, Stale):
        return types.LSPErrorCodes.ContentModified, "the buffer has changed since"
    if isinstance(error, (messages.Invalid, Refused)):
        return types.ErrorCodes.InvalidParams, str(error)
    if isinstance(error, OraclError):
        hint = f" ({error.hint})" if error.hint else ""
        return types.LSPErrorCodes.RequestFailed, error.message + hint
    log.error("a bug", exc_info=error)
    return types.ErrorCodes.InternalError, f"this is a bug of git-oracl ({type(error).__name__}); its log says more"


def _shallow(data: object) -> bool:
    """Whether a message is not nested without end."""
    level = [data]
    for _ in range(_DEEP):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return True
    return False


def _inside(value: object) -> Any:
    if isinstance(value, dict):
        return [inner for inner in value.values() if isinstance(inner, (dict, list))]
    return [inner for inner in value if isinstance(inner, (dict, list))] if isinstance(value, list) else ()
