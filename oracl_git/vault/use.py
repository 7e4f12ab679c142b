"""What `git oracl snapshot` and `verify` do: the vault's use cases, one function each.

Knows the order of steps and the policy (`oracl.sign`). The service opens the
repository and the index, and calls these. Knows nothing of terminals.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from ..errors import UnknownPath, Unverified, UsageError
from ..git import Repository, refs
from ..git.scope import scoped_settings
from ..graph import digest
from ..graph.model import ARTIFACT, CONSTRAINT, CONSTRAINT_PREFIX, HUB, HUB_PREFIX
from ..store import body
from ..store.index import Index
from ..store.settings import Progress, Settings
from . import canonical, chain, envelope, header, health, keys, memory, rebuild, verify
from . import export as exports
from .chain import Chain, Snapshot
from .export import Exported
from .keys import Signer
from .place import PREFIX, quiet_log, writer_id
from .verify import Options, Verdict

POLICIES = ("none", "optional", "required")  # from the weakest


class Created(NamedTuple):
    """A snapshot that was made, or was there."""

    chain: Chain
    snapshot: Snapshot
    fresh: bool
    scheme: str


class Checked(NamedTuple):
    """A verdict, and what a rebuild took."""

    verdict: Verdict
    rebuilt: int | None  # artifacts
    seconds: float
    proven: str  # the name that a proof holds for, or ""


class Transfer(NamedTuple):
    """What became of one chain in a push or fetch."""

    ref: str
    state: str  # new, updated, same, ahead (ours has more), split, broken, rejected, refused
    text: str


def policy(repo: Repository) -> str:
    """`oracl.sign`. The repository's own config may ask for more than its user does, never for less."""
    rows = scoped_settings(repo, "oracl.sign")
    for _, value in rows:
        if value not in POLICIES:
            raise UsageError(f"oracl.sign must be one of {', '.join(POLICIES)}, not {value[:40]!r}",
                             "git config --global oracl.sign optional")  # fmt: skip
    own = [value for scope, value in rows if scope in ("local", "worktree")]
    users = [value for scope, value in rows if scope not in ("local", "worktree")]
    if not users:
        return own[-1] if own else "optional"
    return max([users[-1], *own[-1:]], key=POLICIES.index)


def choose_signer(repo: Repository, hmac: bool) -> Signer | None:
    """Who signs, by policy. Raises UsageError where a signature is required and there is no key for it."""
    wanted = policy(repo)
    if hmac:
        if wanted == "required":
            raise UsageError("oracl.sign is required: an HMAC is no signature that others can check",
                             "git oracl keys generate")  # fmt: skip
        return keys.hmac_signer()
    if wanted == "none":
        return None
    found = keys.signer(repo)
    if found is None and wanted == "required":
        raise UsageError(
            f"oracl.sign is required, and no key is configured ({keys.PRIVATE_KEY} or {keys.SIGNING_KEY})",
            "git oracl keys generate",
        )
    return found


@contextmanager
def _described(
    repo: Repository, index: Index | None, commit: str, progress: Progress | None
) -> Iterator[tuple[Index, header.Described]]:
    """The graph of a commit and what a statement says of it; made anew unless `index` is of that commit."""
    with ExitStack() as stack:
        if index is None or index.commit != commit:
            index, _ = stack.enter_context(header.rebuilt(repo, commit, _settings(index), progress))
        yield index, header.describe(index, stack.enter_context(header.cache_of(repo)), progress)


def create(
    repo: Repository, index: Index | None, commit: str, *, hmac: bool = False, progress: Progress | None = None
) -> Created:
    """Vouch for the graph of a commit. `index` is taken when it is of that commit; else the graph is made anew."""
    signer = choose_signer(repo, hmac)
    place = memory.place(repo)
    with _described(repo, index, commit, progress) as (_, described):
        added, snapshot, fresh = chain.append(repo, described, signer, memory.read(place))
    seen = memory.Seen(snapshot.statement.seq, snapshot.digest, added.oid)
    if fresh:
        memory.remember(place, {added.name: seen})
        if seen.seq == 1:
            quiet_log(repo)
    return Created(added, snapshot, fresh, signer.scheme if signer else keys.UNSIGNED)


def _settings(index: Index | None) -> Settings:
    return index.settings if index else Settings()


def check(
    repo: Repository,
    commit: str,
    options: Options,
    *,
    again: bool = False,
    against: str = "",
    proof: bytes = b"",
    progress: Progress | None = None,
) -> Checked:
    """Verify, and on request rebuild or check a proof. Raises Unverified with the exit code."""
    if options.hmac and policy(repo) == "required":
        raise Unverified(Unverified.UNTRUSTED, "oracl.sign is required: an HMAC does not count", "git oracl verify")
    verdict = verify.verify(repo, commit, options)
    count, started = None, time.monotonic()
    if again and verdict.vouchers:
        count = _rebuild(repo, verdict, commit, against, progress)
    verify.check_tables(verdict)
    name = _proven(proof, verdict) if proof else ""
    return Checked(verdict, count, time.monotonic() - started, name)


def _rebuild(repo: Repository, verdict: Verdict, commit: str, against: str, progress: Progress | None) -> int:
    """The artifacts of the graph that was made again and is the same. Raises Unverified (15, 16)."""
    first = verdict.vouchers[0]
    with rebuild.again(repo, first.statement, commit, progress) as (index, made):
        found = rebuild.compare(first.statement, first.shards, index, made, {})
        if found is not None and made.root != first.statement.root:
            found = rebuild.compare(first.statement, first.shards, index, made, rebuild.bodies(repo, against))
        if found is not None:
            raise Differs(found)
        artifacts: int = made.schema["counts"]["artifacts"]
        return artifacts


class Differs(Unverified):
    """The rebuilt graph is another one than was signed; `difference` says where first."""

    def __init__(self, difference: rebuild.Difference) -> None:
        super().__init__(
            Unverified.DIFFERS, f"the rebuilt graph differs: {difference.sentence()}",
            "git oracl verify --rebuild --against DIR, with the signer's: git oracl snapshot export DIR",
        )  # fmt: skip
        self.difference = difference


# -- exports ------------------------------------------------------------------------------------


def export(
    repo: Repository,
    index: Index | None,
    commit: str,
    directory: str,
    *,
    hmac: bool = False,
    keep: int = 10,
    progress: Progress | None = None,
) -> Exported:
    """Write the artefacts of a commit's graph; `index` is taken when it is of that commit."""
    signer = choose_signer(repo, hmac)
    with _described(repo, index, commit, progress) as (found, described):
        sealed = None
        for each, snapshot in find(repo, commit):
            if sealed is None or (signer and each.key_id == signer.key_id):
                sealed = envelope.encode(snapshot.envelope)
        return exports.write(found, described, directory, signer, sealed, health.place(repo), keep)


def check_export(
    repo: Repository,
    index: Index | None,
    commit: str,
    directory: str,
    options: Options,
    progress: Progress | None = None,
) -> tuple[Checked, int]:
    """Verify the commit, make its graph if it is not at hand, and compare the export; (verdict, files)."""
    started = time.monotonic()
    checked = check(repo, commit, options)
    if not checked.verdict.vouchers:
        raise Unverified(Unverified.MISSING, "nobody vouches for the commit of this export", "git oracl verify")
    said = checked.verdict.statement
    trusted = [v.key for v in checked.verdict.vouchers if v.key]
    secret = keys.hmac_signer() if options.hmac else None
    with ExitStack() as stack:
        if index is not None and (index.commit, index.header.get("root")) == (commit, said.root):
            described = header.describe(index, stack.enter_context(header.cache_of(repo)), progress)
        else:
            index, described = stack.enter_context(rebuild.again(repo, said, commit, progress))
        if described.root != said.root:
            raise Unverified(Unverified.DIFFERS, "the rebuilt graph differs from the one that was signed",
                             "git oracl verify --rebuild")  # fmt: skip
        count = exports.check(directory, index, described, trusted, secret)
    return checked._replace(seconds=time.monotonic() - started), count


# -- looking ----------------------------------------------------------------------------------


def listing(repo: Repository) -> list[Chain]:
    """Every chain in this clone."""
    return chain.chains(repo)


def find(repo: Repository, commit: str) -> list[tuple[Chain, Snapshot]]:
    """Every snapshot of a commit, believed or not."""
    found = ((each, each.snapshot(commit)) for each in chain.chains(repo))
    return [(each, snapshot) for each, snapshot in found if snapshot]


def prove(index: Index, name: str) -> dict[str, Any]:
    """The inclusion proof of a path (or "hub:domain:x", "constraint:x") as plain data."""
    kind = HUB if name.startswith(HUB_PREFIX) else CONSTRAINT if name.startswith(CONSTRAINT_PREFIX) else ARTIFACT
    proof = body.prove(index, kind, name)
    root = index.header.get("root")
    if proof is None or not root:
        raise UnknownPath(f"{name} has no leaf in the graph of {index.commit[:7]}", "git oracl stats --skipped")
    way = [[bit, other.hex()] for bit, other in proof.way]
    return {"commit": index.commit, "root": root, "row": proof.row.decode("ascii"), "siblings": way}


def _proven(data: bytes, verdict: Verdict) -> str:
    """The name that a proof holds for. Raises Unverified: 11 when it leads elsewhere, 13 for another commit."""
    try:
        value = canonical.loads(data.strip())
        row = str(value["row"]).encode("ascii")
        name = str(canonical.loads(row)["name"])
        way = [(int(bit), bytes.fromhex(other)) for bit, other in value["siblings"]]
        if any(not 0 <= bit < 256 or len(other) != 32 for bit, other in way) or len(way) > 256:
            raise ValueError
        commit = str(value["commit"])
    except (ValueError, KeyError, TypeError):
        raise Unverified(Unverified.TAMPERED, "that is no proof of ours", "git oracl snapshot prove PATH") from None
    if not verdict.vouchers or commit != verdict.statement.commit:
        raise Unverified(Unverified.MISMATCH, f"the proof is about {commit[:7]}", f"git oracl verify {commit[:7]}")
    if digest.climb(digest.leaf(row), digest.row_key(name), way).hex() != verdict.statement.root:
        raise Unverified(Unverified.TAMPERED, f"the proof does not lead from {name} to the root that was signed")
    return name


# -- other clones -------------------------------------------------------------------------------

_INCOMING = "refs/oracl/incoming/"
_NO_FAST_FORWARD = ("fetch first", "non-fast-forward", "stale info", "needs force")


def push(repo: Repository, remote: str, *, everything: bool = False) -> list[Transfer]:
    """Send this clone's chains, or all. Never by force: a remote that has more, or other, says no."""
    writer = writer_id(repo)
    own = [each.ref for each in chain.chains(repo) if everything or each.writer == writer]
    if not own:
        raise UsageError("there is no snapshot to push", "git oracl snapshot create")
    return [Transfer(sent.ref, _sent(sent), sent.text) for sent in refs.push(repo, remote, own)]


def _sent(sent: refs.Sent) -> str:
    """The state of a chain after a push: "rejected" when the remote's is no part of ours, else "refused"."""
    if sent.flag == "!":
        return "rejected" if any(word in sent.text for word in _NO_FAST_FORWARD) else "refused"
    return {"*": "new", " ": "updated", "=": "same"}.get(sent.flag, "refused")


def fetch(repo: Repository, remote: str) -> list[Transfer]:
    """Bring a remote's chains. One that has more than ours takes its place; one that split is left outside."""
    place = f"{_INCOMING}{writer_id(repo)}/"
    refs.fetch(repo, remote, f"{PREFIX}*", f"{place}*")
    incoming = chain.chains(repo, place)
    try:
        taken = [_take(repo, each) for each in incoming]
        if any(row.state == "new" for row in taken):
            quiet_log(repo)
        return taken
    finally:
        refs.delete_refs(repo, [name for name, _ in refs.list_refs(repo, place)])


def _take(repo: Repository, theirs: Chain) -> Transfer:
    for _ in range(10):
        oid = refs.read_ref(repo, theirs.ref)
        mine = Chain(repo, theirs.key_id, theirs.writer, oid) if oid else None
        try:
            state = chain.relation(mine, theirs) if mine else "new"
            theirs.snapshots  # noqa: B018 - whole, or not taken
        except Unverified as error:
            return Transfer(theirs.ref, "split" if error.exit_code == Unverified.ROLLBACK else "broken", error.message)
        if state not in ("new", "behind"):
            return Transfer(theirs.ref, state, "")
        if refs.move_ref(repo, theirs.ref, theirs.oid, oid):
            return Transfer(theirs.ref, "new" if mine is None else "updated", "")
    raise Unverified(Unverified.UNCHECKED, f"{theirs.ref} is moved by others all the time", "git oracl snapshot fetch")
