"""ZIP files that may lie: every decompressed byte is counted while it streams.

Knows members, sizes, ratios, and the ways an archive can be locked. Knows nothing of what
the members mean; see `xml` and `opc` for that.
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from typing import IO, Any, BinaryIO

from .model import Limits, Refused

_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


class Archive:
    """The members of a ZIP file, by name."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._limits = limits
        self.expanded = 0  # bytes decompressed so far
        try:
            self._size = stream.seek(0, os.SEEK_END)
            self._zip = zipfile.ZipFile(stream)
        except _BROKEN as error:
            raise Refused("malformed", f"the archive is broken: {error}") from error
        members = self._zip.infolist()
        if len(members) > limits.members:
            raise Refused("too_large", f"the archive has {len(members):,} members; {limits.members:,} is the most")
        self._members = {member.filename.replace("\\", "/").lstrip("/"): member for member in members}
        self._folded = {name.casefold(): name for name in self._members}

    @property
    def names(self) -> list[str]:
        """The members, as they stand in the directory."""
        return list(self._members)

    def find(self, name: str) -> str | None:
        """The member of this name, whatever its case."""
        return name if name in self._members else self._folded.get(name.casefold())

    def open(self, name: str) -> BinaryIO:
        """A member, decompressed as it is read; Refused when it is missing, locked or broken."""
        found = self.find(name)
        if found is None:
            raise Refused("malformed", f"the archive has no {name}")
        member = self._members[found]
        if member.flag_bits & _ENCRYPTED:
            raise Refused("password", "it is protected by a password", "save it without one")
        if member.compress_type not in _METHODS:
            raise Refused("malformed", f"{name} is compressed in a way that documents do not use")
        self._suspect(member)
        try:
            return io.BufferedReader(_Counted(self, self._zip.open(member), member), 1 << 16)
        except _BROKEN as error:
            raise Refused("malformed", f"{name} is broken: {error}") from error

    def _suspect(self, member: zipfile.ZipInfo) -> None:
        """Refused when a member says that it is a bomb. It cannot say less than is in it: no more is unpacked."""
        packed = max(min(member.compress_size, self._size), 1)
        limits, ratio = self._limits, member.file_size // packed
        if member.file_size > limits.ratio_from and ratio > limits.ratio:
            raise Refused("bomb", f"{member.filename} grows {ratio:,} times when it is unpacked")
        if member.file_size > limits.member_bytes:
            raise Refused("bomb", f"{member.filename} has {member.file_size >> 20:,} MiB when it is unpacked")

    def count(self, more: int) -> None:
        """Take note of decompressed bytes; Refused when they are too many."""
        self.expanded += more
        if self.expanded > self._limits.expanded_bytes:
            raise Refused("bomb", f"unpacked, it has more than {self.expanded >> 20:,} MiB")


class _Counted(io.RawIOBase):
    """A member's bytes, each one counted."""

    def __init__(self, archive: Archive, stream: IO[bytes], member: zipfile.ZipInfo) -> None:
        self._archive, self._stream, self._member = archive, stream, member

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer)
        try:
            data = self._stream.read(len(view))
        except _BROKEN as error:
            raise Refused("malformed", f"{self._member.filename} is broken: {error}") from error
        self._archive.count(len(data))
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
