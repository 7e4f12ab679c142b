"""The reader's process: takes open files from a socket, hands sections back, one JSON array a line.

Knows the conversation and that every failure becomes a reason. Knows no format; the
adapters it calls know no process.

    request   {"format", "suffix", "size", "limits"} and the descriptor
    answer    ["section", kind, text, level, location] …, then
              ["done", title, [warning, …], {metadata}] or ["refused", reason, message, hint]
"""

from __future__ import annotations

import json
import os
import socket
import sys
from dataclasses import asdict
from typing import Any

from . import sandbox
from .formats import FORMATS
from .model import About, Limits, Refused

REQUEST_BYTES = 65536
_BATCH = 65536  # bytes of answer sent at once


def request(form: str, suffix: str, size: int, limits: Limits) -> bytes:
    """What is asked of the process."""
    return json.dumps({"format": form, "suffix": suffix, "size": size, "limits": asdict(limits)}).encode()


def main(programs: bool) -> None:
    """Serve until the other side closes."""
    peer = socket.socket(fileno=0)
    sandbox.enclose(programs=programs)
    while True:
        asked, descriptors, _, _ = socket.recv_fds(peer, REQUEST_BYTES, 1)
        if not asked or not descriptors:
            return
        _answer(peer, json.loads(asked), descriptors[0])


def _answer(peer: socket.socket, asked: dict[str, Any], descriptor: int) -> None:
    limits = Limits(**asked["limits"])
    form = FORMATS[asked["format"]]
    about = About(asked["suffix"])
    out = bytearray()
    try:
        with os.fdopen(descriptor, "rb") as stream:
            stream.seek(0)  # the caller may have read or written it
            read = form.load()
            seconds = limits.cpu_seconds + limits.cpu_seconds_per_mib * asked["size"] / (1 << 20)
            sandbox.limit(limits.memory * form.memory, seconds * form.patience)
            for section in read(stream, about, limits):
                if not section.text.strip():
                    continue
                row = ("section", section.kind, section.text, section.level, section.location)
                out += json.dumps(row).encode() + b"\n"
                if len(out) > _BATCH:
                    peer.sendall(out)
                    out.clear()
        last: tuple[object, ...] = ("done", about.title, about.warnings, about.metadata)
    except Refused as refused:
        last = ("refused", refused.reason_code, refused.message, refused.hint)
    except MemoryError:
        last = ("refused", "too_large", "reading it takes more memory than a document may", "")
    except ImportError as error:
        last = ("refused", "missing", f"a module is not there ({error})", "")
    except RecursionError:
        last = ("refused", "malformed", "it is nested too deeply", "")
    except Exception as error:  # whatever a hostile file makes a library say
        name = type(error).__name__
        last = ("refused", "malformed", f"its structure makes no sense ({name}: {str(error)[:200]})", "")
    sandbox.release()
    peer.sendall(out + json.dumps(last).encode() + b"\n")


if __name__ == "__main__":
    main("--programs" in sys.argv)
