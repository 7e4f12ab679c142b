"""The worked example in docs/explanation/snapshot-format.md: every number of it, computed again.

The graph's part is made by the product from a real commit, the envelope's by hand with
`hashlib` and `cryptography`, and then both by the product. A change that moves a number
fails here and prints what belongs on the page.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from vaults import Vault

import oracl_git
from oracl_git.store import body
from oracl_git.vault import envelope, header, statement
from oracl_git.vault.keys import Ed25519Signer, PublicKey

PAGE = Path(__file__).parents[2] / "docs/explanation/snapshot-format.md"
GUIDE, HI = "# Hello\n\nSee `hi.py`.\n", '"""Say hello."""\n'
SEED = bytes(range(32))


def blocks() -> dict[str, str]:
    """Name → text of the blocks on the page; a block is named by the `<!-- name -->` above it."""
    found = re.findall(r"<!-- ([\w ]+) -->\n```\w*\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
    return {name: text.replace("\\\n", "") for name, text in found}


@pytest.fixture
def hello(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "hello", tmp_path / "key")
    vault.path.mkdir()
    vault.git("init", "-q", "-b", "main")
    (vault.path / "guide.md").write_text(GUIDE)
    (vault.path / "hi.py").write_text(HI)
    vault.git("add", "-A")
    date = "1700000000 +0000"
    vault.git("commit", "-q", "-m", "Hello", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return vault


def test_the_graphs_part(hello: Vault) -> None:
    """Rows, leaves, the tree over them, and the source root."""
    with oracl_git.open(str(hello.path)) as oracl:
        oracl.update()
        rows = sorted(row for shard in body.shards(oracl.index) for row in body.rows(oracl.index, shard))
        with header.cache_of(oracl.repo) as cache:
            described = header.describe(oracl.index, cache)
    a, b, c = rows
    leaf = lambda row: sha256(b"\0" + row.text).digest()  # noqa: E731
    inner = lambda left, right: sha256(b"\1" + left + right).digest()  # noqa: E731
    bits = [bin(row.key[0])[2:].zfill(8) for row in rows]
    pair = (b, c) if bits[1][0] == bits[2][0] and bits[0][0] != bits[1][0] else (a, b)
    assert len({bit[:1] for bit in bits}) == 2, "choose names whose keys part at the first bit"
    joined = inner(leaf(pair[0]), leaf(pair[1]))
    root = inner(leaf(a), joined) if pair == (b, c) else inner(joined, leaf(c))
    assert root.hex() == described.root
    wanted = {
        "rows": "\n".join(row.text.decode() for row in rows),
        "keys and leaves": "\n".join(
            f"{row.name:16} {row.key.hex()[:16]}… {bit}  {leaf(row).hex()}" for row, bit in zip(rows, bits, strict=True)
        ),
        "inner": f"inner  {joined.hex()}\nroot   {root.hex()}",
        "sources": _sources(hello, described.source_root),
    }
    assert {name: blocks().get(name) for name in wanted} == wanted, json.dumps(wanted, indent=1)


def _sources(hello: Vault, source_root: str) -> str:
    rows = []
    for name, text in (("guide.md", GUIDE), ("hi.py", HI)):
        row = f'{{"mode":33188,"path":"{name}","sha256":"{sha256(text.encode()).hexdigest()}"}}'
        rows.append((sha256(name.encode()).digest(), row))
    (k1, r1), (k2, r2) = sorted(rows)
    assert k1[0] >> 7 != k2[0] >> 7
    leaves = [sha256(b"\0" + row.encode()).digest() for row in (r1, r2)]
    root = sha256(b"\1" + leaves[0] + leaves[1]).hexdigest()
    assert root == source_root
    return f"{r1}\n{r2}\nsource root  {root}"


def test_the_envelopes_part() -> None:
    """Key, payload, PAE, signature, envelope: by hand, and by the product."""
    on_page = blocks()
    private = Ed25519PrivateKey.from_private_bytes(SEED)
    raw = private.public_key().public_bytes_raw()
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + raw
    payload = on_page["payload"].encode()
    kind = b"application/vnd.in-toto+json"
    pae = b"DSSEv1 " + str(len(kind)).encode() + b" " + kind + b" " + str(len(payload)).encode() + b" " + payload
    signature = private.sign(pae)
    key_id = sha256(blob).hexdigest()
    made = json.dumps(
        {
            "payload": b64encode(payload).decode(), "payloadType": kind.decode(),
            "signatures": [{"keyid": key_id, "sig": b64encode(signature).decode()}],
        },
        separators=(",", ":"),
    )  # fmt: skip
    wanted = {
        "key": f"seed        {SEED.hex()}\npublic key  {raw.hex()}\nSSH form    {blob.hex()}\nkey id      {key_id}",
        "digest": sha256(payload).hexdigest(),
        "pae": f"{len(pae)} bytes: {pae[:44].hex(' ')} …\n{pae[:44].decode()}…",
        "signature": signature.hex(),
        "envelope": made,
    }
    assert {name: on_page.get(name) for name in wanted} == wanted, json.dumps(wanted, indent=1)
    # the product reads it, and would have written it
    read = envelope.decode(made.encode(), "the example")
    said = statement.decode(read.payload, "the example")
    assert said.encode() == payload and envelope.encode(read) == made.encode()
    assert PublicKey(raw).verifies(signature, read.signed) and PublicKey(raw).id == key_id
    assert Ed25519Signer(private, False).sign(read.signed) == signature
    assert on_page["inner"].splitlines()[1].split()[1] == said.root
    assert on_page["sources"].splitlines()[-1].split()[-1] == said.source_root
    fields = re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(), re.MULTILINE)
    assert set(fields) == set(_names(json.loads(payload)["predicate"])), "every field of the predicate has a row"


def _names(value: object, prefix: str = "") -> list[str]:
    """Dotted names of the leaves of a table; digests are one field, partitions share a row."""
    if not isinstance(value, dict) or set(value) == {"sha256"}:
        return [prefix]
    if prefix == "schema.partitions":
        return [prefix]
    return [name for key, inner in value.items() for name in _names(inner, f"{prefix}.{key}".lstrip("."))]
