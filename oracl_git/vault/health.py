"""How healthy a graph is, and how that changed: a line of history for each look.

Knows what is counted, the limits of a verdict, and the file that remembers. Knows
nothing of signatures.
"""

from __future__ import annotations

import os
import time
from typing import Any

from ..git import Repository
from ..graph import digest
from ..graph.link import RESOLUTIONS
from ..graph.model import ARTIFACT
from ..graph.numbers import rounded
from ..graph.parameters import ONE, RELATIONS
from ..inherited import require_memory
from ..store import body, database
from ..store.index import Index
from ..whole import plain
from . import canonical

FILE = "graph_health_history.jsonl"
# What is looked at → (from here on it is degraded, from here on unhealthy), in millionths.
LIMITS: dict[str, tuple[int, int]] = {
    "orphan_share": (600_000, 950_000),  # artifacts that nothing but their domain ties to anything
    "unresolved_share": (300_000, 800_000),  # imports that should lead into the repository, and do not
    "drift_mu": (1 * ONE, 3 * ONE),  # change of μ since the last commit looked at, in σ of then
    "drift_nodes": (500_000, 5 * ONE),  # change of the population
}
_KEEP = 10_000  # lines


def place(repo: Repository) -> str:
    """Where the history lies."""
    return os.path.join(repo.common_dir, "oracl", FILE)


def examine(index: Index, deep: bool = False) -> dict[str, Any]:
    """Population, μ, σ, orphans, unresolved share, drift since the last commit looked at, and a verdict."""
    mu, sigma = index.statistics
    counts = dict(index.db.execute("SELECT kind, count(*) FROM node GROUP BY kind"))
    artifacts, orphans = counts.get(ARTIFACT, 0), _orphans(index)
    imports = [0] * len(RESOLUTIONS)
    for node in index.all_nodes():
        if node.kind == ARTIFACT and node.resolutions:
            imports = [a + b for a, b in zip(imports, node.resolutions, strict=True)]
    by_name = dict(zip(RESOLUTIONS, imports, strict=True))
    inside = sum(imports) - by_name["external"]
    found: dict[str, Any] = {
        "commit": index.commit, "root": index.header.get("root"), "time": int(time.time()),
        "nodes": sum(counts.values()), "artifacts": artifacts, "hubs": counts.get(1, 0),
        "constraints": counts.get(2, 0), "edges": int(str(index.header["edges"])), "mu": mu, "sigma": sigma,
        "max_r": index.max_rank, "orphans": orphans, "orphan_share": _share(orphans, artifacts), "imports": by_name,
        "unresolved_share": _share(by_name["unresolved"], inside), "skipped": sum(n for _, n in index.skipped()),
    }  # fmt: skip
    last = _last(index.repo, str(found["commit"]))
    if last:
        found["drift_mu"] = _share(abs(mu - last["mu"]), last["sigma"])
        found["drift_nodes"] = _share(abs(found["nodes"] - last["nodes"]), last["nodes"])
        found["since"] = last["commit"]
    reasons = [f"{name} is {found[name] / ONE:.2f}" for name, (low, _) in LIMITS.items() if found.get(name, 0) >= low]
    bad = any(found.get(name, 0) >= high for name, (_, high) in LIMITS.items())
    damage = _damage(index, deep)
    found["reasons"] = damage + reasons
    found["verdict"] = "unhealthy" if bad or damage else "degraded" if reasons else "healthy"
    return found


def _share(part: int, whole: int) -> int:
    return rounded(part * ONE, whole) if whole else 0


def _orphans(index: Index) -> int:
    belongs = RELATIONS.index("belongs_to")
    count: int = index.db.execute(
        "SELECT count(*) FROM node n WHERE n.kind=0 AND NOT EXISTS"
        " (SELECT 1 FROM edge e WHERE e.source=n.id AND e.relation<>:belongs)"
        " AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.target=n.id AND e.relation<>:belongs)",
        {"belongs": belongs},
    ).fetchone()[0]
    return count


def _damage(index: Index, deep: bool) -> list[str]:
    """What does not add up: the file, the digest tree; with `deep` every row against its leaf."""
    found = []
    require_memory()
    try:
        sound = str(index.db.execute("PRAGMA quick_check").fetchone()[0])
        if sound != "ok":
            found.append(f"the index is damaged: {sound[:80]}")
        if index.header.get("root") is None:
            found.append("there is no root: objects are missing in this clone")
        elif digest.root(body.shards(index)).hex() != index.header["root"]:
            found.append("the digests of the shards do not lead to the root")
        for shard, hashed in body.shards(index).items():
            if digest.shard_hash(body.leaves(index, shard)) != hashed:
                found.append(f"the leaves of shard {shard:02x} do not lead to its digest")
            rows = body.rows(index, shard) if deep else ()
            found += [f"{row.name} has another row than its leaf" for row in rows if digest.leaf(row.text) != row.leaf]
    except database.DatabaseError as error:
        found.append(f"the index is damaged: {error}")
    return found


# -- history ------------------------------------------------------------------------------------


def history(repo: Repository) -> list[dict[str, Any]]:
    """Every look so far, oldest first; lines that cannot be read are passed over."""
    found = []
    try:
        with open(place(repo), "rb", opener=plain) as file:
            for line in file:
                try:
                    row = canonical.loads(line.rstrip(b"\n"))
                    if {"commit", "mu", "sigma", "nodes"} <= row.keys():
                        found.append(row)
                except (canonical.NotCanonical, AttributeError):
                    continue
    except OSError:
        pass
    return found


def _last(repo: Repository, commit: str) -> dict[str, Any] | None:
    return next((row for row in reversed(history(repo)) if row["commit"] != commit), None)


def record(repo: Repository, found: dict[str, Any]) -> None:
    """Append a look; the same graph looked at again is told once."""
    before = history(repo)
    same = ("commit", "root", "verdict", "reasons")
    if before and all(before[-1].get(name) == found[name] for name in same):
        return
    path = place(repo)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if len(before) >= _KEEP:
            os.replace(path, path + ".1")
        with open(path, "ab", opener=plain) as file:
            file.write(canonical.dumps(found) + b"\n")
    except OSError:
        pass  # a look is worth having where it cannot be kept
