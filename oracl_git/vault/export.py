"""Writing the artefacts of a graph to a directory, and finding what was changed in one.

Knows names, sidecars, rotation and the order of writing. What is exported is
derived: it is checked by deriving it again and comparing, and a sidecar alone
never decides. Knows nothing of what the files hold.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import zip_longest
from typing import Any, NamedTuple

from .. import whole
from ..errors import OraclError, Unverified, UsageError
from ..store import mirror
from ..store.index import Index
from . import canonical, envelope, keys
from .artefacts import INDEX, SHOWN, WEIGHTED, Artefacts
from .header import Described
from .keys import HmacSigner, PublicKey, Signer

MANIFEST, ENVELOPE, HEALTH = "manifest.json", "snapshot.dsse.json", "graph_health_history.jsonl"
SIDECAR_TYPE = "application/vnd.oracl-git.export+json"
_ROTATED = re.compile(r"weighted_graph_index\.\d{8}T\d{6}Z\.json")
_SIG = re.compile(r"(ed25519|sshsig|hmac-sha256):([A-Za-z0-9+/]+=*)\n")
_FIELDS = {"commit", "files", "root", "schema"}  # of the manifest
_LONGER = 1 << 12  # bytes by which a record may be longer elsewhere: what is shown of history
_SMALL = 1 << 16


class Exported(NamedTuple):
    """What was written."""

    directory: str
    files: int
    size: int
    signed: str  # scheme of the sidecar, or "unsigned"


def write(
    index: Index, described: Described, directory: str, signer: Signer | None, sealed: bytes | None, health: str,
    keep: int,
) -> Exported:  # fmt: skip
    """Write everything; each file whole or not at all, the manifest last."""
    try:
        os.makedirs(directory, exist_ok=True)
        files = dict(_write_all(index, described, directory, signer, sealed, health))
        listed = {name: {"sha256": found, "size": size} for name, (found, size) in files.items()}
        value = {"commit": described.commit, "files": listed, "root": described.root, "schema": 1}
        _put(directory, MANIFEST, [canonical.dumps(value)])
        _rotate(directory, keep)
    except OSError as error:
        raise OraclError(f"cannot write {directory}: {error.strerror}", "git oracl snapshot export DIR") from None
    size = sum(size for _, size in files.values())
    return Exported(directory, len(files) + 1, size, signer.scheme if signer else keys.UNSIGNED)


def _write_all(
    index: Index, described: Described, directory: str, signer: Signer | None, sealed: bytes | None, health: str
) -> Iterator[tuple[str, tuple[str, int]]]:
    made = Artefacts(index, described)
    for name, lines in made.streams():
        yield name, _put(directory, name, lines)
    hashed, _ = _hash(os.path.join(directory, WEIGHTED))
    yield WEIGHTED + ".sha256", _put(directory, WEIGHTED + ".sha256", [f"{hashed}  {WEIGHTED}".encode()])
    _unlink(os.path.join(directory, WEIGHTED + ".sig"))
    if signer:
        text = f"{signer.scheme}:{canonical.to_base64(signer.sign(_message(directory)))}"
        yield WEIGHTED + ".sig", _put(directory, WEIGHTED + ".sig", [text.encode()])
    _unlink(os.path.join(directory, ENVELOPE))
    if sealed:
        yield ENVELOPE, _put(directory, ENVELOPE, [sealed], end=b"")
    if os.path.isfile(health):
        with open(health, "rb") as file:
            yield HEALTH, _put(directory, HEALTH, (line.rstrip(b"\n") for line in file))
    nodes, edges = made.mirror_rows()
    place = os.path.join(directory, "mirror")
    names = mirror.build(place, described.commit, described.root, nodes, edges, described.schema)
    for name in os.listdir(place):
        if name not in names:
            _unlink(os.path.join(place, name))
    for name in names:
        yield f"mirror/{name}", _hash(os.path.join(place, name))


def _message(directory: str) -> bytes:
    """What a sidecar signs: the PAE of the file, so that it is no signature of anything else."""
    with open(os.path.join(directory, WEIGHTED), "rb") as file:
        return envelope.pae(SIDECAR_TYPE, file.read())


def _put(directory: str, name: str, lines: Iterable[bytes], end: bytes = b"\n") -> tuple[str, int]:
    """Write one file; (SHA-256, size)."""
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    found, size = sha256(), 0
    with whole.replacing(path, sync=False) as file:  # it can be made again
        for line in lines:
            data = line + end
            found.update(data)
            size += len(data)
            file.write(data)
    return found.hexdigest(), size


def _hash(path: str) -> tuple[str, int]:
    found, size = sha256(), 0
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            found.update(chunk)
            size += len(chunk)
    return found.hexdigest(), size


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _rotate(directory: str, keep: int) -> None:
    """A dated copy with its sidecars under snapshots/; the oldest beyond `keep` go."""
    folder = os.path.join(directory, "snapshots")
    os.makedirs(folder, exist_ok=True)
    stem = f"weighted_graph_index.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.json"
    for suffix in ("", ".sha256", ".sig"):
        source = os.path.join(directory, WEIGHTED + suffix)
        if os.path.exists(source):
            shutil.copyfile(source, os.path.join(folder, stem + suffix))
    dated = sorted(name for name in os.listdir(folder) if _ROTATED.fullmatch(name))
    for name in dated[: len(dated) - max(1, keep)]:
        for suffix in ("", ".sha256", ".sig"):
            _unlink(os.path.join(folder, name + suffix))


def _check_rotated(directory: str) -> None:
    """The dated copies against their own digests: who vouched for them was judged when they were made."""
    folder = os.path.join(directory, "snapshots")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if _ROTATED.fullmatch(name):
            hashed, _ = _hash(_plain(folder, name))
            if not _bytes(os.path.join(folder, name + ".sha256"), _SMALL).startswith(hashed.encode()):
                raise _tampered(f"snapshots/{name} has another digest than its sidecar says")


# -- checking ---------------------------------------------------------------------------------


def commit_of(directory: str) -> str:
    """The commit that an export says it is of."""
    return str(_manifest(directory)["commit"])


def _manifest(directory: str) -> dict[str, Any]:
    path = os.path.join(directory, MANIFEST)
    if not os.path.isfile(path):
        raise UsageError(f"there is no {MANIFEST} in {directory}", "git oracl snapshot export DIR")
    value: dict[str, Any] = canonical.read(_bytes(path, 1 << 20).rstrip(b"\n"), path, 1 << 20)
    files = value.get("files") if isinstance(value, dict) and set(value) == _FIELDS else None
    if not isinstance(files, dict) or not all(isinstance(row, dict) for row in files.values()):
        raise _tampered(f"{path} is no manifest of ours")
    return value


def check(directory: str, index: Index, described: Described, trusted: list[PublicKey], hmac: HmacSigner | None) -> int:
    """Compare an export with the graph it should be of; how many files. Raises Unverified: 11, or 12 for its `.sig`."""
    listed = _manifest(directory)
    if (listed["commit"], listed["root"]) != (described.commit, described.root):
        raise _tampered(f"{MANIFEST} is about another commit or root")
    made = Artefacts(index, described)
    known = {WEIGHTED + ".sha256", WEIGHTED + ".sig", ENVELOPE, HEALTH}
    for name, lines in made.streams():
        known.add(name)
        _same_lines(directory, name, lines)
    hashed, _ = _hash(os.path.join(directory, WEIGHTED))
    if _bytes(os.path.join(directory, WEIGHTED + ".sha256"), _SMALL) != f"{hashed}  {WEIGHTED}\n".encode():
        raise _tampered(f"{WEIGHTED}.sha256 does not name the digest of {WEIGHTED}")
    _check_sidecar(directory, trusted, hmac)
    for table, wanted in zip(("node", "edge"), made.mirror_rows(), strict=True):
        _same_rows(directory, table, wanted)
    mirror.check(directory)
    _check_rotated(directory)
    files: dict[str, Any] = listed["files"]
    for name, row in files.items():
        if name not in known and not name.startswith("mirror/"):
            raise _tampered(f"{MANIFEST} lists {name[:80]!r}, which is no file of an export")
        if list(_hash(_plain(directory, name))) != [row.get("sha256"), row.get("size")] and name != INDEX:
            raise _tampered(f"{name} has other bytes than {MANIFEST} says")
    if missing := sorted(known - files.keys() - {WEIGHTED + ".sig", ENVELOPE, HEALTH}):
        raise _tampered(f"{MANIFEST} does not list {missing[0]}")
    return len(files) + 1


def _check_sidecar(directory: str, trusted: list[PublicKey], hmac: HmacSigner | None) -> None:
    path = os.path.join(directory, WEIGHTED + ".sig")
    if not os.path.isfile(path):
        raise Unverified(Unverified.UNTRUSTED, f"{WEIGHTED}.sig is missing: nobody signed this export",
                         "git oracl snapshot export DIR, with a key")  # fmt: skip
    match = _SIG.fullmatch(_bytes(path, _SMALL).decode("ascii", "replace"))
    if match is None:
        raise _tampered(f"{WEIGHTED}.sig is malformed")
    try:
        signature = canonical.from_base64(match[2])
    except canonical.NotCanonical:
        raise _tampered(f"{WEIGHTED}.sig is malformed") from None
    message = _message(directory)
    if match[1] == "hmac-sha256":
        if hmac is None:
            raise Unverified(Unverified.UNTRUSTED, f"{WEIGHTED}.sig is an HMAC where a signature is required",
                             "git oracl verify --hmac --export DIR")  # fmt: skip
        if not hmac.verifies(signature, message):
            raise _tampered(f"the HMAC in {WEIGHTED}.sig does not match")
    elif not any(key.verifies(signature, message) for key in trusted):
        raise _tampered(f"{WEIGHTED}.sig is no signature of a key that vouches for this commit")


def _same_lines(directory: str, name: str, wanted: Iterable[bytes]) -> None:
    """Line by line; the first that differs is named with its path and field."""
    number = 0
    with open(_plain(directory, name), "rb") as file:
        for number, here in enumerate(wanted, 1):
            there = file.readline(len(here) + _LONGER)  # no more than tells them apart, whatever lies there
            if there.removesuffix(b"\n") != here and not (name == INDEX and _shown_only(there, here)):
                raise _tampered(f"{name}:{number} was changed{_where(there, here)}")
        if file.read(1):
            raise _tampered(f"{name}:{number + 1} was changed: a line too many")


def _plain(directory: str, name: str) -> str:
    """The path of a regular file; what an export holds besides is none."""
    path = os.path.join(directory, name)
    if os.path.islink(path) or not os.path.isfile(path):
        raise _tampered(f"{name} is missing")
    return path


def _shown_only(there: bytes, here: bytes) -> bool:
    """Whether two records differ in what is shown of history only."""
    try:
        records = [canonical.loads(line.removesuffix(b"\n")) for line in (there, here)]
        one, other = ({k: v for k, v in record.items() if k not in SHOWN} for record in records)
    except (canonical.NotCanonical, AttributeError):
        return False
    return one == other and records[0].keys() == records[1].keys()


def _where(there: bytes, here: bytes) -> str:
    if not there:
        return ": a line is missing"
    try:
        found = _difference(canonical.loads(there.removesuffix(b"\n")), canonical.loads(here), "")
    except canonical.NotCanonical:
        return ": it is not in canonical form"
    return f": {found}"


def _difference(there: Any, here: Any, name: str) -> str:
    """The first difference of two JSON values, by the path of the row it is in."""
    if isinstance(there, dict) and isinstance(here, dict):
        metadata = here.get("metadata") or {}
        row = here.get("path") or here.get("name") or metadata.get("source_path", "")
        prefix = f"{row}, " if row and row not in name else ""
        for key in sorted(there.keys() | here.keys()):
            if there.get(key) != here.get(key):
                return prefix + _difference(there.get(key), here.get(key), f"{name}.{key}".lstrip("."))
    if isinstance(there, list) and isinstance(here, list):
        for place, (one, other) in enumerate(zip_longest(there, here)):
            if one != other:
                return _difference(one, other, f"{name}[{place}]")
    return f"{name or 'row'} is {_brief(there)}, not {_brief(here)}"


def _brief(value: Any) -> str:
    text = canonical.dumps(value).decode("ascii")
    return text if len(text) <= 80 else text[:79] + "…"


def _same_rows(directory: str, table: str, wanted: list[tuple[object, ...]]) -> None:
    for there, here in zip_longest(mirror.rows(directory, table), wanted):
        if there != here:
            name = (here or there or ("",))[0]
            raise _tampered(f"mirror, table {table}, row of {name}: {_differing(there, here)}")


def _differing(there: tuple[object, ...] | None, here: tuple[object, ...] | None) -> str:
    if there is None or here is None:
        return "it is missing" if there is None else "one too many"
    place = next(i for i, (one, other) in enumerate(zip(there, here, strict=True)) if one != other)
    return f"column {place + 1} is {str(there[place])[:80]!r}, not {str(here[place])[:80]!r}"


def _bytes(path: str, limit: int) -> bytes:
    with open(_plain(*os.path.split(path)), "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise _tampered(f"{os.path.basename(path)} is longer than any of ours")
    return data


def _tampered(why: str) -> Unverified:
    return Unverified(
        Unverified.TAMPERED, why, "do not rely on it, and have it made anew: git oracl snapshot export DIR"
    )
