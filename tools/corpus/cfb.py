"""Writes compound files (the container of .hwp and of protected Office files), version 3.

After Microsoft's published description of the format. Knows streams in storages one deep;
the same streams always give the same bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

SECTOR, MINI, CUTOFF, ENTRY = 512, 64, 4096, 128
FREE, END, FAT_SECTOR = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
NONE = 0xFFFFFFFF
STORAGE, STREAM, ROOT = 1, 2, 5


class _Entry:
    """A line of the directory, and the streams and storages in it."""

    def __init__(self, name: str, kind: int, data: bytes = b"") -> None:
        self.name, self.kind, self.data = name, kind, data
        self.children: list[_Entry] = []
        self.left = self.right = self.child = NONE
        self.start, self.size = 0, len(data)

    def key(self) -> tuple[int, str]:
        """How entries of one storage are ordered: by length, then by upper case."""
        return len(self.name), self.name.upper()

    def packed(self) -> bytes:
        """Its 128 bytes."""
        name = self.name.encode("utf-16-le") + b"\0\0"
        return struct.pack(
            "<64sHBBIII16sIQQIQ", name, len(name), self.kind, 1, self.left, self.right, self.child, b"", 0, 0, 0,
            self.start, self.size,
        )  # fmt: skip


def compound_file(streams: Mapping[str, bytes]) -> bytes:
    """A compound file of these streams; "Storage/Stream" puts one into a storage."""
    root = _Entry("Root Entry", ROOT)
    storages = {"": root}
    entries = [root]
    for path, data in streams.items():
        folder, _, name = path.rpartition("/")
        if folder not in storages:
            storages[folder] = _Entry(folder, STORAGE)
            root.children.append(storages[folder])
            entries.append(storages[folder])
        stream = _Entry(name, STREAM, data)
        storages[folder].children.append(stream)
        entries.append(stream)
    for storage in storages.values():
        storage.child = _tree(sorted(storage.children, key=_Entry.key), entries)
    return _laid_out(entries)


def _tree(children: Sequence[_Entry], entries: list[_Entry]) -> int:
    """Link sorted entries into a balanced tree; returns the number of the one on top."""
    if not children:
        return NONE
    middle = len(children) // 2
    top = children[middle]
    top.left, top.right = _tree(children[:middle], entries), _tree(children[middle + 1 :], entries)
    return entries.index(top)


def _laid_out(entries: list[_Entry]) -> bytes:
    """Small streams, then large ones, then the directory and the tables that chain sectors."""
    chains: list[int] = []  # the table of sectors
    body = bytearray()
    mini, mini_chains = bytearray(), list[int]()
    for entry in entries:
        if entry.kind == STREAM and 0 < len(entry.data) < CUTOFF:
            entry.start = len(mini) // MINI
            mini += _padded(entry.data, MINI)
            _chain(mini_chains, len(mini) // MINI)
        elif entry.kind == STREAM:
            entry.start = _append(body, chains, entry.data)
    root = entries[0]
    root.start, root.size = _append(body, chains, bytes(mini)), len(mini)
    table = struct.pack(f"<{len(mini_chains)}I", *mini_chains)
    mini_start = _append(body, chains, table, FREE.to_bytes(4, "little"))
    mini_sectors = -(-len(table) // SECTOR)
    directory = b"".join(entry.packed() for entry in entries)
    directory_start = _append(
        body, chains, directory, _Entry("", 0).packed()[:64] + bytes(4) + b"\xff" * 12 + bytes(48)
    )
    count = 1
    while (len(chains) + count) * 4 > count * SECTOR:
        count += 1
    first = len(chains)
    chains += [FAT_SECTOR] * count
    table = _padded(struct.pack(f"<{len(chains)}I", *chains), SECTOR, FREE.to_bytes(4, "little"))
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, count,
        directory_start, 0, CUTOFF, mini_start, mini_sectors, END, 0,
    )  # fmt: skip
    places = struct.pack("<109I", *range(first, first + count), *[FREE] * (109 - count))
    return header + places + bytes(body) + table


def _append(body: bytearray, chains: list[int], data: bytes, fill: bytes = b"\0") -> int:
    """Add data in sectors of their own; returns the first, or the mark for none."""
    if not data:
        return END
    start = len(body) // SECTOR
    body += _padded(data, SECTOR, fill)
    _chain(chains, len(body) // SECTOR)
    return start


def _chain(chains: list[int], until: int) -> None:
    """Chain the sectors up to a number."""
    chains += [*range(len(chains) + 1, until), END]


def _padded(data: bytes, unit: int, fill: bytes = b"\0") -> bytes:
    missing = -len(data) % unit
    return data + (fill * (missing // len(fill) + 1))[:missing]
