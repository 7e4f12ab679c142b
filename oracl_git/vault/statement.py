"""The in-toto Statement that a snapshot signs: this commit's graph has this root.

Knows its fields, how they are written, and what a well-formed one looks like;
every field it does not know makes it malformed. Knows nothing of signatures, nor
of whether what it says is true.
https://github.com/in-toto/attestation/blob/v1.0/spec/v1.0/statement.md
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..errors import Unverified
from . import canonical

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:oracl-git:snapshot/v1"
SUBJECT = "commit"  # neither where the repository is nor what it is called
SCHEMA_VERSION = 1

_OID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_WRITER = re.compile(r"[0-9a-f]{16}")

# The schema header: key → what its value is. "sha256" is {"sha256": hex}, "hex" bare hex, a dict a table.
_SCHEMA: dict[str, Any] = {
    "config": "sha256",
    "counts": {"artifacts": int, "constraints": int, "edges": int, "hubs": int, "nodes": int, "skipped": int},
    "extractor": "hex",
    "graph": "hex",
    "max_r": int,
    "mu": int,
    "object_format": str,
    "parameters": {
        "alpha": int, "beta": int, "decay": int, "gamma": int, "neighbour_cap": int, "priority_cap": int,
        "query_neighbour_guard": int, "sha256": "hex", "skip": list,
    },
    "partitions": dict,
    "sigma": int,
    "version": int,
}  # fmt: skip


@dataclass(frozen=True)
class Statement:
    """What one snapshot says. Digests are hex."""

    commit: str
    tree: str
    root: str
    source_root: str
    seq: int  # 1, 2, 3 … in the chain of one key and one clone
    previous: str  # SHA-256 of the payload before; "" for the first
    writer: str
    schema: dict[str, Any]

    def encode(self) -> bytes:
        """The payload."""
        predicate = {
            "previous": {"sha256": self.previous} if self.previous else None,
            "root": {"sha256": self.root},
            "schema": self.schema,
            "seq": self.seq,
            "source_root": {"sha256": self.source_root},
            "writer": self.writer,
        }
        subject = [{"digest": {"gitCommit": self.commit, "gitTree": self.tree}, "name": SUBJECT}]
        value = {"_type": TYPE, "predicate": predicate, "predicateType": PREDICATE_TYPE, "subject": subject}
        return canonical.dumps(value)


def payload_digest(payload: bytes) -> str:
    """What the next statement of the chain calls `previous`."""
    return sha256(payload).hexdigest()


def decode(payload: bytes, what: str) -> Statement:
    """The statement of a payload. Raises Unverified (11) when it is malformed."""
    value = canonical.read(payload, what)
    try:
        return _statement(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unverified(Unverified.TAMPERED, f"{what} is no statement of ours ({str(error)[:60]})") from None


def _statement(value: Any) -> Statement:
    _keys(value, {"_type", "predicate", "predicateType", "subject"})
    if value["_type"] != TYPE or value["predicateType"] != PREDICATE_TYPE:
        raise ValueError("another type")
    (subject,) = value["subject"]
    _keys(subject, {"digest", "name"})
    _keys(subject["digest"], {"gitCommit", "gitTree"})
    if subject["name"] != SUBJECT:
        raise ValueError("another subject")
    predicate = value["predicate"]
    _keys(predicate, {"previous", "root", "schema", "seq", "source_root", "writer"})
    seq, previous = predicate["seq"], predicate["previous"]
    if type(seq) is not int or seq < 1 or (seq == 1) != (previous is None):
        raise ValueError("seq and previous")
    _check(predicate["schema"], _SCHEMA, "schema")
    _partitions(predicate["schema"]["partitions"])
    return Statement(
        _match(_OID, subject["digest"]["gitCommit"]), _match(_OID, subject["digest"]["gitTree"]),
        _digest(predicate["root"]), _digest(predicate["source_root"]), seq, _digest(previous) if previous else "",
        _match(_WRITER, predicate["writer"]), predicate["schema"],
    )  # fmt: skip


def _keys(value: Any, wanted: set[str]) -> None:
    if not isinstance(value, dict) or set(value) != wanted:
        raise ValueError(f"keys other than {' '.join(sorted(wanted))}")


def _match(pattern: re.Pattern[str], text: Any) -> str:
    if not isinstance(text, str) or not pattern.fullmatch(text):
        raise ValueError("a digest or id is malformed")
    return text


def _digest(value: Any) -> str:
    _keys(value, {"sha256"})
    return _match(_SHA256, value["sha256"])


def _check(value: Any, shape: Any, name: str) -> None:
    """A value against its shape in _SCHEMA."""
    if shape == "sha256":
        _digest(value)
    elif shape == "hex":
        _match(_SHA256, value)
    elif isinstance(shape, dict):
        _keys(value, set(shape))
        for key, inner in shape.items():
            _check(value[key], inner, key)
    elif type(value) is not shape:
        raise ValueError(f"{name} has another type")


def _partitions(value: dict[str, Any]) -> None:
    for name, row in value.items():
        _check(row, {"edges": int, "sha256": "hex"}, name)
