"""Bytes to messages and back: stdio, TCP, WebSocket.

Knows the framing, its limits, and that nothing but protocol may go to stdout.
Knows nothing of what a message says.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

from oracl_git.inherited import output

if TYPE_CHECKING:
    from .server import Server

log = logging.getLogger("oracl_git.lsp")
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*\r?\n\Z", re.IGNORECASE)
_NAMED = re.compile(rb"[\w-]+[ \t]*:")
# A page of the web may connect to any port of the loopback, and say where it comes from.
_LOCAL = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?")
_HEADER = 8_192  # bytes of one line of a header, and lines of it
MOST = 256 << 20  # bytes of a message; a longer one is read and passed over
_PIECE = 1 << 20


class Ended(Exception):
    """There is nothing more to read, or nothing that can be told apart."""


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message; None for one that is too long. Raises Ended."""
    length = -1
    for number in range(_HEADER):
        line = stream.readline(_HEADER)
        if not line.endswith(b"\n"):
            raise Ended("the stream ended" if len(line) < _HEADER else "a header without end")
        match = _LENGTH.match(line)
        if match:
            length = int(match[1])
        elif not line.strip():
            if length >= 0:
                break
            if number:
                raise Ended("a header without a length")
    else:
        raise Ended("a header without end")
    if length > MOST:
        while length:
            piece = stream.read(min(length, _PIECE))
            if not piece:
                raise Ended("the stream ended")
            length -= len(piece)
        return None
    body = stream.read(length)
    if len(body) < length:
        raise Ended("the stream ended")
    return body


class _Writer:
    """Frames go out whole and in order."""

    def __init__(self, stream: BinaryIO, gone: asyncio.Event) -> None:
        self._stream, self._gone = stream, gone

    def write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except (OSError, ValueError):
            self._gone.set()

    def close(self) -> None:
        """The process ends soon."""


def serve_stdio(server: Server) -> int:
    """Answer on stdin and stdout until either is closed."""
    out = output(os.dup(1))
    os.dup2(2, 1)  # whatever prints, it is no protocol
    sys.stdout = sys.stderr
    return asyncio.run(_serve(server, sys.stdin.buffer, out))


async def _serve(server: Server, stdin: BinaryIO, out: BinaryIO) -> int:
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    server.protocol.set_writer(_Writer(out, gone))
    server.protocol.on_exit = gone.set

    def listen() -> None:
        try:
            while True:
                body = read_message(stdin)
                loop.call_soon_threadsafe(server.protocol.receive, b"" if body is None else body)
        except (Ended, OSError, ValueError) as error:
            log.info("%s", error)
        except RuntimeError:
            return  # the loop is closed
        try:
            loop.call_soon_threadsafe(gone.set)
        except RuntimeError:
            pass

    threading.Thread(target=listen, daemon=True).start()
    await gone.wait()
    await server.stop()
    code = server.protocol.exit_code
    return 1 if code is None else code


def serve_tcp(server: Server, host: str, port: int) -> int:
    """Answer the first client that connects, until it leaves. Prints the port on stderr."""

    async def run() -> int:
        ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if server.protocol.writer is not None:
                writer.close()  # one client a server
                return
            server.protocol.set_writer(writer)
            done = asyncio.Event()
            server.protocol.on_exit = done.set
            feeding = asyncio.create_task(_feed(server, reader, done))
            await done.wait()
            feeding.cancel()
            writer.close()
            await server.stop()
            ended.set_result(1 if server.protocol.exit_code is None else server.protocol.exit_code)

        listening = await asyncio.start_server(connected, host, port, limit=_PIECE)
        print(f"listening on {host}:{listening.sockets[0].getsockname()[1]}", file=sys.stderr, flush=True)
        async with listening:
            return await ended

    return asyncio.run(run())


async def _feed(server: Server, reader: asyncio.StreamReader, done: asyncio.Event) -> None:
    try:
        while True:
            length = -1
            while (line := await reader.readuntil(b"\n")).strip() or length < 0:
                if line.strip() and not _NAMED.match(line):  # HTTP, say
                    raise Ended("no header")
                match = _LENGTH.match(line)
                length = int(match[1]) if match else length
            if length > MOST:
                raise Ended("a message without end")
            server.protocol.receive(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, Ended):
        done.set()


def serve_ws(server: Server, host: str, port: int) -> int:
    """The same over a WebSocket; a message is a frame. Needs `websockets`."""
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosed
    from websockets.http11 import Request, Response

    def admit(socket: ServerConnection, request: Request) -> Response | None:
        origin = request.headers.get("Origin")
        if origin is None or _LOCAL.fullmatch(origin):
            return None
        return socket.respond(403, "pages of other hosts are not answered\n")

    async def run() -> int:
        ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def connected(socket: ServerConnection) -> None:
            if server.protocol.writer is not None:
                return  # one client a server
            outgoing: asyncio.Queue[bytes] = asyncio.Queue()
            server.protocol.set_writer(_Frames(outgoing), include_headers=False)
            done = asyncio.Event()
            server.protocol.on_exit = done.set

            async def feed() -> None:
                try:
                    async for frame in socket:
                        server.protocol.receive(frame.encode() if isinstance(frame, str) else frame)
                except ConnectionClosed:
                    pass
                done.set()

            async def send() -> None:
                while True:
                    await socket.send((await outgoing.get()).decode())

            tasks = [asyncio.create_task(feed()), asyncio.create_task(send())]
            await done.wait()
            for task in tasks:
                task.cancel()
            await server.stop()
            ended.set_result(1 if server.protocol.exit_code is None else server.protocol.exit_code)

        async with serve(connected, host, port, max_size=MOST, process_request=admit) as listening:
            print(f"listening on {host}:{next(iter(listening.sockets)).getsockname()[1]}", file=sys.stderr, flush=True)
            return await ended

    return asyncio.run(run())


class _Frames:
    """Messages that wait to be sent, in order."""

    def __init__(self, queue: asyncio.Queue[bytes]) -> None:
        self._queue = queue

    def write(self, data: bytes) -> None:
        self._queue.put_nowait(data)

    def close(self) -> None:
        """The connection closes with the process."""
