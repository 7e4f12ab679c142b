"""The DSSE envelope: a payload, its type, and who signed both.

Knows the pre-authentication encoding (PAE) and the one JSON form in which our
envelopes are kept. A signature is over the PAE, never over the JSON. Knows
nothing of keys, nor of what the payload says.
https://github.com/secure-systems-lab/dsse/blob/v1.0.0/envelope.md
"""

from __future__ import annotations

from typing import NamedTuple

from ..errors import Unverified
from . import canonical

PAYLOAD_TYPE = "application/vnd.in-toto+json"


class Signature(NamedTuple):
    """Who says that they signed, and the bytes they give for it."""

    key_id: str
    value: bytes


class Envelope(NamedTuple):
    """A payload and its signatures: one, or none when it is unsigned."""

    payload: bytes
    signatures: tuple[Signature, ...]

    @property
    def signed(self) -> bytes:
        """The bytes that were signed."""
        return pae(PAYLOAD_TYPE, self.payload)


def pae(payload_type: str, payload: bytes) -> bytes:
    """DSSEv1 SP LEN(type) SP type SP LEN(payload) SP payload."""
    kind = payload_type.encode("ascii")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def encode(envelope: Envelope) -> bytes:
    """The file of an envelope."""
    signatures = [{"keyid": s.key_id, "sig": canonical.to_base64(s.value)} for s in envelope.signatures]
    payload = canonical.to_base64(envelope.payload)
    return canonical.dumps({"payload": payload, "payloadType": PAYLOAD_TYPE, "signatures": signatures})


def decode(data: bytes, what: str, limit: int = canonical.ENVELOPE_LIMIT) -> Envelope:
    """The envelope of a file. Raises Unverified (11) for anything that `encode` did not write."""
    value = canonical.read(data, what, limit)
    try:
        if set(value) != {"payload", "payloadType", "signatures"} or value["payloadType"] != PAYLOAD_TYPE:
            raise canonical.NotCanonical("it is no in-toto envelope")
        signatures = []
        for row in value["signatures"]:
            if set(row) != {"keyid", "sig"}:
                raise canonical.NotCanonical("a signature in it has other fields")
            signatures.append(Signature(str(row["keyid"]), canonical.from_base64(row["sig"])))
        if len(signatures) > 1:
            raise canonical.NotCanonical("it has more than one signature")
        return Envelope(canonical.from_base64(value["payload"]), tuple(signatures))
    except (canonical.NotCanonical, TypeError, AttributeError) as error:
        why = error if isinstance(error, canonical.NotCanonical) else "it has another shape"
        raise Unverified(Unverified.TAMPERED, f"{what} was changed: {why}") from None
