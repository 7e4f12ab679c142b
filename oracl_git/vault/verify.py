"""Is this commit's snapshot to be believed? The order of the questions, and their exit codes.

Knows what is asked of chains, signatures, trust, commit and tree, and which answer
wins when several are bad. Knows nothing of how a graph is recomputed (rebuild.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from ..errors import GitFailed, MissingObjects, Shortage, Unverified
from ..git import Repository, open_objects
from ..graph.digest import root_of_shards
from . import chain as chains
from . import memory, trust
from .canonical import dumps
from .chain import Chain, Snapshot
from .keys import HMAC_PREFIX, UNSIGNED, PublicKey, fingerprint, hmac_signer
from .memory import Seen
from .place import PREFIX
from .sshsig import is_sshsig
from .statement import Statement
from .trust import Trust

# When nothing vouches, the worst reason is told.
_WORST = (Unverified.TAMPERED, Unverified.ROLLBACK, Unverified.MISMATCH, Unverified.UNTRUSTED, Unverified.MISSING)


@dataclass(frozen=True)
class Options:
    """What `verify` can be told."""

    trust: str = ""  # a file instead of the user's or the base ref's
    base: str = ""
    revoked: str = ""
    at: str = ""  # judge validity dates as of then
    threshold: int = 1
    accept_tree: bool = False
    allow_missing: bool = False
    hmac: bool = False  # be content with local integrity
    memory: str = ""  # another file


@dataclass(frozen=True)
class Voucher:
    """One snapshot that counts."""

    statement: Statement
    key_id: str
    principals: str
    scheme: str
    key: PublicKey | None  # None for an HMAC
    table: bytes  # kept beside it, and not signed but by digest: see check_tables
    shards: bytes


@dataclass
class Verdict:
    """A commit that was verified, or for which nothing had to be there."""

    commit: str
    tree: str
    vouchers: list[Voucher] = field(default_factory=list)
    source: str = ""  # of trust
    notes: list[str] = field(default_factory=list)
    missing: bool = False  # and that was allowed

    @property
    def statement(self) -> Statement:
        return self.vouchers[0].statement


def verify(repo: Repository, commit: str, options: Options) -> Verdict:
    """Judge the snapshots of a commit. Raises Unverified with the exit code, UsageError for what was asked."""
    try:
        return _verify(repo, commit, options)
    except (MissingObjects, Shortage) as error:
        raise Unverified(Unverified.UNCHECKED, error.message, error.hint) from None
    except GitFailed as error:  # git cannot read a ref or an object that is there
        raise Unverified(Unverified.TAMPERED, f"git cannot read what is stored: {error.message}", "git fsck") from None


def _verify(repo: Repository, commit: str, options: Options) -> Verdict:
    with open_objects(repo) as objects:
        verdict = Verdict(commit, objects.tree_of(commit))
    found = chains.chains(repo)
    path = options.memory or memory.place(repo)
    seen = memory.read(path)
    if options.hmac:
        return _integrity(verdict, found)
    try:
        trusted = trust.load(
            repo, file=options.trust, base=options.base, revoked=options.revoked, at=options.at, rev=commit
        )
    except Unverified:
        if not seen and not _anything(found, verdict):  # there is nothing that anyone could be trusted for
            return _missing(verdict, options)
        raise
    verdict.source = trusted.source
    verdict.notes += [f"{trusted.source}, {note}" for note in trusted.notes]
    own = [chain for chain in found if not trusted.problem(chain.key_id)]
    news = _judge_chains(own, trusted, seen)
    problems = _vouchers(verdict, own, trusted, options)
    _contradictions(verdict)
    distinct = {voucher.key_id for voucher in verdict.vouchers}
    if len(distinct) < options.threshold:
        problems += _others(found, own, verdict, trusted)
        if distinct:
            problems.append(Unverified(
                Unverified.UNTRUSTED, f"{len(distinct)} of {options.threshold} keys vouch for {commit[:7]}",
                "git oracl snapshot fetch",
            ))  # fmt: skip
        if problems:
            raise min(problems, key=lambda problem: _WORST.index(problem.exit_code))
        memory.remember(path, news)
        return _missing(verdict, options)
    memory.remember(path, news)
    return verdict


def _missing(verdict: Verdict, options: Options) -> Verdict:
    if not options.allow_missing:
        raise Unverified(
            Unverified.MISSING, f"there is no snapshot of {verdict.commit[:7]}",
            "git oracl snapshot fetch, or whoever made the commit: git oracl snapshot create",
        )  # fmt: skip
    verdict.missing = True
    return verdict


def _anything(found: Iterable[Chain], verdict: Verdict) -> bool:
    """Whether any chain, of whomever, holds this commit or its tree, or cannot even be read."""
    for chain in found:
        try:
            if chain.snapshot(verdict.commit) or _same_tree(chain, verdict.tree):
                return True
        except Unverified:
            return True
    return False


def check_tables(verdict: Verdict) -> None:
    """What lies beside the snapshots is what they name by digest. Raises Unverified (11)."""
    for voucher in verdict.vouchers:
        said = voucher.statement
        if sha256(voucher.table).hexdigest() != said.schema["parameters"]["sha256"]:
            what = "table of parameters"
        elif root_of_shards(voucher.shards) != said.root:
            what = "list of shards"
        else:
            continue
        why = f"the {what} beside the snapshot of {said.commit[:7]} is not the one it names"
        raise Unverified(Unverified.TAMPERED, why)


# -- chains ---------------------------------------------------------------------------------


def _judge_chains(own: list[Chain], trusted: Trust, seen: dict[str, Seen]) -> dict[str, Seen]:
    """Every trusted chain is whole and has not gone back; what to remember. Raises Unverified (11, 14)."""
    present = {chain.name for chain in own}
    for name, last in seen.items():
        if name not in present and not trusted.problem(name.partition("/")[0]):
            raise Unverified(
                Unverified.ROLLBACK, f"{PREFIX}{name} is gone; seq {last.seq} was seen there",
                "git oracl snapshot fetch",
            )  # fmt: skip
    news = {}
    for chain in own:
        last_seen = seen.get(chain.name)
        if last_seen and last_seen.oid == chain.oid:
            continue
        for snapshot in chain.every:  # what is not signed says nothing of how the chain stands
            _check_signature(chain, snapshot, trusted)
        snapshots = chain.snapshots
        head = snapshots[-1]
        if last_seen and head.statement.seq < last_seen.seq:
            raise Unverified(
                Unverified.ROLLBACK,
                f"{chain.ref} went back: its newest seq is {head.statement.seq}, {last_seen.seq} was seen before",
                "git oracl snapshot fetch",
            )
        if last_seen and snapshots[last_seen.seq - 1].digest != last_seen.digest:
            raise Unverified(
                Unverified.ROLLBACK, f"{chain.ref} split: seq {last_seen.seq} is another than was seen before"
            )
        news[chain.name] = Seen(head.statement.seq, head.digest, chain.oid)
    return news


def _check_signature(chain: Chain, snapshot: Snapshot, trusted: Trust) -> None:
    key = trusted.key(chain.key_id)
    signature = snapshot.envelope.signatures[0].value
    if key is None or not key.verifies(signature, snapshot.envelope.signed):
        raise Unverified(
            Unverified.TAMPERED,
            f"{snapshot.name} in {chain.ref[:40]}… does not carry a signature of {fingerprint(chain.key_id)}",
        )


# -- this commit ----------------------------------------------------------------------------


def _vouchers(verdict: Verdict, own: list[Chain], trusted: Trust, options: Options) -> list[Unverified]:
    """Collect the trusted snapshots of the commit; the reasons why others do not count. Raises Unverified (11)."""
    problems = []
    for chain in own:
        snapshot = chain.snapshot(verdict.commit)
        if snapshot is None:
            snapshot = _same_tree(chain, verdict.tree)
            if snapshot and not options.accept_tree:
                problems.append(Unverified(
                    Unverified.MISMATCH,
                    f"there is a snapshot of {snapshot.statement.commit[:7]}, which has the same tree,"
                    f" but none of {verdict.commit[:7]}",
                    "git oracl verify --accept-tree",
                ))  # fmt: skip
                continue
        if snapshot is None:
            continue
        _check_signature(chain, snapshot, trusted)
        if snapshot.statement.tree != verdict.tree:
            raise Unverified(
                Unverified.MISMATCH,
                f"the snapshot of {verdict.commit[:7]} names tree {snapshot.statement.tree[:7]};"
                f" the commit has {verdict.tree[:7]}",
            )
        scheme = "sshsig" if is_sshsig(snapshot.envelope.signatures[0].value) else "ed25519"
        said, who = snapshot.statement, trusted.principals(chain.key_id)
        verdict.vouchers.append(
            Voucher(said, chain.key_id, who, scheme, trusted.key(chain.key_id), *chain.tables(said))
        )
    return problems


def _same_tree(chain: Chain, tree: str) -> Snapshot | None:
    """The newest snapshot of a commit with that tree."""
    return next((s for s in reversed(chain.snapshots) if s.statement.tree == tree), None)


def _contradictions(verdict: Verdict) -> None:
    """Two who are trusted and worked alike must have found the same."""
    said: dict[bytes, Statement] = {}
    for voucher in verdict.vouchers:
        s = voucher.statement
        alike = dumps([s.schema[k] for k in ("extractor", "graph", "parameters", "version")])
        first = said.setdefault(alike, s)
        if (first.root, first.source_root, first.schema) != (s.root, s.source_root, s.schema):
            raise Unverified(
                Unverified.TAMPERED, f"two trusted keys vouch for different graphs of {verdict.commit[:7]}",
                "git oracl verify --rebuild --threshold 1 --trust FILE, with one key in the file",
            )  # fmt: skip


def _others(found: list[Chain], own: list[Chain], verdict: Verdict, trusted: Trust) -> list[Unverified]:
    """Why the snapshots of keys that are not trusted do not count."""
    problems = []
    for chain in found:
        if chain in own:
            continue
        try:
            snapshot = chain.snapshot(verdict.commit)
        except Unverified as error:
            problems.append(Unverified(Unverified.UNTRUSTED, f"not trusted, and worse: {error.message}"))
            continue
        if snapshot is None:
            continue
        if chain.key_id == UNSIGNED:
            why, hint = "is not signed", "git oracl keys generate"
        elif chain.key_id.startswith(HMAC_PREFIX):
            why, hint = "has an HMAC where a signature is required", "git oracl verify --hmac checks local integrity"
        else:
            problem = trusted.problem(chain.key_id)
            why = f"is signed by {fingerprint(chain.key_id)}, a key that is {problem} ({trusted.source})"
            hint = "git oracl keys list"
        problems.append(Unverified(Unverified.UNTRUSTED, f"the snapshot of {verdict.commit[:7]} {why}", hint))
    return problems


def _integrity(verdict: Verdict, found: list[Chain]) -> Verdict:
    """The HMAC of this clone's own secret: asked for by name, and no more than local integrity."""
    signer = hmac_signer()
    theirs = [chain for chain in found if chain.key_id.startswith(HMAC_PREFIX)]
    for chain in sorted(theirs, key=lambda chain: chain.key_id != signer.key_id):  # ours first: there may be older keys
        if snapshot := chain.snapshot(verdict.commit):
            if not signer.verifies(snapshot.envelope.signatures[0].value, snapshot.envelope.signed):
                raise Unverified(Unverified.TAMPERED, "the HMAC does not match",
                                 "see that ORACALL_HMAC_KEY is the key it was made with")  # fmt: skip
            if snapshot.statement.tree != verdict.tree:
                raise Unverified(Unverified.MISMATCH, f"the snapshot of {verdict.commit[:7]} names another tree")
            said = snapshot.statement
            verdict.vouchers.append(Voucher(said, chain.key_id, "", "hmac-sha256", None, *chain.tables(said)))
            verdict.source = "local integrity only"
            return verdict
    raise Unverified(
        Unverified.MISSING, f"there is no snapshot of {verdict.commit[:7]} with an HMAC",
        "git oracl snapshot create --hmac",
    )  # fmt: skip
