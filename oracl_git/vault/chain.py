"""Chains of snapshots in refs/oracl/snapshots/<key id>/<writer>, one for each key and clone.

Knows the tree a chain's newest commit holds (every envelope so far, the tables of
parameters once), how a snapshot is appended, and what makes the envelopes one
chain: seq 1, 2, 3 … each naming the payload before. Knows nothing of trust.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from ..errors import Unverified
from ..git import Repository, open_objects, refs
from . import canonical, envelope, statement
from .envelope import Envelope, Signature
from .header import Described
from .keys import UNSIGNED, Signer
from .memory import Seen, locked
from .place import PREFIX, writer_id
from .statement import Statement

_REF = re.compile(r"refs/oracl/snapshots/([0-9a-f]{64}|hmac-sha256-[0-9a-f]{32}|unsigned)/([0-9a-f]{16})")
_ENVELOPE = re.compile(rb"([0-9a-f]{2})/((?:[0-9a-f]{40}|[0-9a-f]{64}))(\.[0-9]{1,18})?\.dsse\.json")
_SHARDS = re.compile(rb"([0-9a-f]{2})/(?:[0-9a-f]{40}|[0-9a-f]{64})\.shards")
_TABLE = re.compile(rb"parameters/[0-9a-f]{64}\.json")
_TABLE_LIMIT = 1 << 17
_ATTEMPTS = 200


class Snapshot(NamedTuple):
    """One envelope of a chain, decoded. Nothing of it is believed yet."""

    name: str  # its place in the chain's tree
    envelope: Envelope
    statement: Statement

    @property
    def digest(self) -> str:
        """What the next one calls `previous`."""
        return statement.payload_digest(self.envelope.payload)


@dataclass(frozen=True)
class Chain:
    """One ref, and the names in its newest tree."""

    repo: Repository
    key_id: str
    writer: str
    oid: str  # the commit

    @property
    def name(self) -> str:
        """What memory calls it."""
        return f"{self.key_id}/{self.writer}"

    @property
    def ref(self) -> str:
        return PREFIX + self.name

    @cached_property
    def files(self) -> dict[str, str]:
        """Name → blob of everything in the tree. Raises Unverified (11) for anything that has no place there."""
        found = {}
        for item in refs.tree(self.repo, self.oid, recursive=True):
            known = any(pattern.fullmatch(item.name) for pattern in (_ENVELOPE, _SHARDS, _TABLE))
            odd = (item.mode, item.kind) != ("100644", "blob") or not known
            if odd or (item.name[:2] != item.name[3:5] and not item.name.startswith(b"parameters/")):
                shown = item.name[:80].decode("ascii", "backslashreplace")
                raise Unverified(Unverified.TAMPERED, f"{self.ref} holds {shown!r}, which has no place there")
            found[item.name.decode("ascii")] = item.oid
        return found

    def snapshot(self, commit: str) -> Snapshot | None:
        """The newest snapshot of a commit."""
        name = f"{commit[:2]}/{commit}.dsse.json"
        return self._read([name])[0] if name in self.files else None

    @cached_property
    def every(self) -> list[Snapshot]:
        """Every snapshot in the tree, in no order."""
        return self._read([name for name in self.files if name.endswith(".dsse.json")])

    @cached_property
    def snapshots(self) -> list[Snapshot]:
        """Every snapshot, in the order of the chain. Raises Unverified: 14 when it split, 11 when one is missing."""
        found = sorted(self.every, key=lambda snapshot: snapshot.statement.seq)
        for number, (before, after) in enumerate(zip([None, *found], found, strict=False), 1):
            seq = after.statement.seq
            if before and before.statement.seq == seq:
                raise Unverified(Unverified.ROLLBACK, f"{self.ref} split: it has two snapshots with seq {seq}")
            if seq != number:
                raise Unverified(Unverified.TAMPERED, f"{self.ref} lacks the snapshot with seq {number}")
            if after.statement.previous != (before.digest if before else ""):
                raise Unverified(
                    Unverified.ROLLBACK, f"{self.ref} split: seq {seq} does not follow the seq {seq - 1} that is there"
                )
        if not found:
            raise Unverified(Unverified.TAMPERED, f"{self.ref} holds no snapshot")
        return found

    def _read(self, names: list[str]) -> list[Snapshot]:
        found = []
        blobs = [self.files[name] for name in names]
        with open_objects(self.repo) as objects:
            sizes = dict(objects.sizes(blobs))
            for name, blob in zip(names, blobs, strict=True):
                self._fits(name, sizes[blob], canonical.ENVELOPE_LIMIT)
            for name, (_, data) in zip(names, objects.blobs(blobs), strict=True):
                found.append(self._decoded(name, data or b""))
        return found

    def _decoded(self, name: str, data: bytes) -> Snapshot:
        what = f"{name} in {self.ref[:40]}…"
        read = envelope.decode(data, what)
        said = statement.decode(read.payload, what)
        if said.commit not in name:
            raise Unverified(Unverified.MISMATCH, f"{what} is a snapshot of another commit, {said.commit}")
        if said.writer != self.writer:
            raise Unverified(Unverified.TAMPERED, f"{what} is of another writer's chain")
        ids = tuple(signature.key_id for signature in read.signatures)
        if ids != (() if self.key_id == UNSIGNED else (self.key_id,)):
            raise Unverified(Unverified.TAMPERED, f"{what} does not carry the signature of the key whose chain this is")
        return Snapshot(name, read, said)

    def tables(self, said: Statement) -> tuple[bytes, bytes]:
        """(table of parameters, shard hashes) kept beside a snapshot; empty where they are not there."""
        names = (f"parameters/{said.schema['parameters']['sha256']}.json", f"{said.commit[:2]}/{said.commit}.shards")
        blobs = [self.files[name] for name in names if name in self.files]
        with open_objects(self.repo) as objects:
            for name, (_, size) in zip([n for n in names if n in self.files], objects.sizes(blobs), strict=True):
                self._fits(name, size, _TABLE_LIMIT)
            contents = dict(objects.blobs(blobs))
        table, shards = ((contents[self.files[name]] or b"") if name in self.files else b"" for name in names)
        return table, shards

    def _fits(self, name: str, size: int | None, limit: int) -> None:
        if size is None:
            why, hint = f"{name} of {self.ref} is not in this clone", "git oracl snapshot fetch"
            raise Unverified(Unverified.UNCHECKED, why, hint)
        if size > limit:
            why = f"{name} in {self.ref} has {size:,} bytes; none of ours exceeds {limit:,}"
            raise Unverified(Unverified.TAMPERED, why)


def chains(repo: Repository, prefix: str = PREFIX) -> list[Chain]:
    """Every chain in this clone. Refs of another form are not ours and are passed over."""
    found = []
    for ref, oid in refs.list_refs(repo, prefix):
        match = _REF.fullmatch(PREFIX + ref.removeprefix(prefix))
        if match:
            found.append(Chain(repo, match[1], match[2], oid))
    return found


# -- appending ------------------------------------------------------------------------------


def append(
    repo: Repository, described: Described, signer: Signer | None, seen: dict[str, Seen]
) -> tuple[Chain, Snapshot, bool]:
    """Add a snapshot to this clone's chain of the key; (chain, snapshot, whether it is new).

    The same graph of the same commit is added once. One process at a time holds the
    lock; should another move the ref all the same, the compare-and-swap sees it.
    """
    key_id = signer.key_id if signer else UNSIGNED
    writer = writer_id(repo)
    for _ in range(_ATTEMPTS):
        with locked(os.path.join(repo.common_dir, "oracl", "chain.lock")):
            oid = refs.read_ref(repo, f"{PREFIX}{key_id}/{writer}")
            chain = Chain(repo, key_id, writer, oid) if oid else None
            _not_behind(chain, seen.get(f"{key_id}/{writer}"), f"{key_id}/{writer}")
            known = chain.snapshot(described.commit) if chain else None
            if chain and known and _same(known.statement, described):
                return chain, known, False
            seq, previous = _head(chain, seen) if chain else (0, "")
            said = Statement(
                described.commit, described.tree, described.root, described.source_root, seq + 1, previous, writer,
                described.schema,
            )  # fmt: skip
            sealed = _seal(said, signer)
            new = _commit(repo, chain, described, sealed, known)
            if refs.move_ref(repo, f"{PREFIX}{key_id}/{writer}", new, oid):
                name = f"{described.commit[:2]}/{described.commit}.dsse.json"
                return Chain(repo, key_id, writer, new), Snapshot(name, sealed, said), True
    raise Unverified(Unverified.UNCHECKED, f"{PREFIX}{key_id}/{writer} is moved by others all the time", "try again")


def _not_behind(chain: Chain | None, seen: Seen | None, name: str) -> None:
    """Never grow a second branch of a chain of which more was seen than is here."""
    if seen and (chain is None or (chain.oid != seen.oid and chain.snapshots[-1].statement.seq < seen.seq)):
        raise Unverified(
            Unverified.ROLLBACK, f"{PREFIX}{name} went back: seq {seen.seq} was seen, and is not there",
            "git oracl snapshot fetch; if it is nowhere: rm .git/oracl/writer starts a new chain",
        )  # fmt: skip


def _head(chain: Chain, seen: dict[str, Seen]) -> tuple[int, str]:
    last = seen.get(chain.name)
    if last and last.oid == chain.oid:
        return last.seq, last.digest
    head = chain.snapshots[-1]
    return head.statement.seq, head.digest


def _same(said: Statement, described: Described) -> bool:
    return (said.commit, said.tree, said.root, said.source_root, said.schema) == (
        described.commit, described.tree, described.root, described.source_root, described.schema
    )  # fmt: skip


def _seal(said: Statement, signer: Signer | None) -> Envelope:
    payload = said.encode()
    if signer is None:
        return Envelope(payload, ())
    signature = signer.sign(envelope.pae(envelope.PAYLOAD_TYPE, payload))
    return Envelope(payload, (Signature(signer.key_id, signature),))


def _commit(
    repo: Repository, chain: Chain | None, described: Described, sealed: Envelope, known: Snapshot | None
) -> str:
    """The chain's next commit: its tree with one more envelope. An older one of the same commit keeps a place."""
    commit, folder = described.commit, described.commit[:2]
    top = {item.name: item for item in refs.tree(repo, chain.oid)} if chain else {}
    inner = {item.name: item for item in refs.tree(repo, top[folder.encode()].oid)} if folder.encode() in top else {}
    if known:
        old = inner[f"{commit}.dsse.json".encode()]
        name = f"{commit}.{known.statement.seq}.dsse.json"
        inner[name.encode()] = refs.blob_item(name, old.oid)
    for name, data in ((f"{commit}.dsse.json", envelope.encode(sealed)), (f"{commit}.shards", described.shards)):
        inner[name.encode()] = refs.blob_item(name, refs.write_blob(repo, data))
    top[folder.encode()] = refs.tree_item(folder, refs.write_tree(repo, inner.values()))
    table = f"{sha256(described.table).hexdigest()}.json"
    tables = {item.name: item for item in refs.tree(repo, top[b"parameters"].oid)} if b"parameters" in top else {}
    if table.encode() not in tables:
        tables[table.encode()] = refs.blob_item(table, refs.write_blob(repo, described.table))
        top[b"parameters"] = refs.tree_item("parameters", refs.write_tree(repo, tables.values()))
    tree = refs.write_tree(repo, top.values())
    return refs.write_commit(
        repo, tree, chain.oid if chain else None, f"Snapshot of {commit}\n", refs.commit_time(repo, commit)
    )


# -- comparing --------------------------------------------------------------------------------


def relation(mine: Chain, theirs: Chain) -> str:
    """How two states of one chain stand: same, ahead (mine has more), behind, or split."""
    if mine.oid == theirs.oid:
        return "same"
    own, other = ([snapshot.digest for snapshot in chain.snapshots] for chain in (mine, theirs))
    shared = min(len(own), len(other))
    if own[:shared] != other[:shared]:
        return "split"
    return "same" if len(own) == len(other) else ("ahead" if len(own) > len(other) else "behind")


def newest(found: Iterable[Chain]) -> dict[str, Seen]:
    """What memory should keep of chains."""
    return {
        chain.name: Seen(chain.snapshots[-1].statement.seq, chain.snapshots[-1].digest, chain.oid) for chain in found
    }
