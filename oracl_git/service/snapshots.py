"""Snapshots: vouching for the graph of a commit, and checking who did.

Knows which index of which commit is meant. The vault does the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import Unverified
from ..git import resolve_commit

if TYPE_CHECKING:
    from ..vault.chain import Chain, Snapshot
    from ..vault.export import Exported
    from ..vault.keyring import Listing
    from ..vault.use import Checked, Created, Transfer
    from ..vault.verify import Options


from .named import Named
from .opened import Progress


class Snapshots(Named):
    """Signs, verifies, shares."""

    def snapshot(self, rev: str = "HEAD", *, hmac: bool = False, progress: Progress | None = None) -> Created:
        """Vouch for the graph of a commit with the configured key."""
        from ..vault import use

        commit = resolve_commit(self.repo, rev)
        if commit == self.repo.head:
            self.update(progress=progress)
        return use.create(self.repo, self._present(), commit, hmac=hmac, progress=progress)

    def snapshot_if_made_here(self) -> Created | None:
        """A snapshot of HEAD when its commit was made in this clone and a key is configured; else None."""
        from ..git.refs import made_here
        from ..vault import keys, use

        if not keys.configured(self.repo) or use.policy(self.repo) == "none" or not made_here(self.repo):
            return None
        if self.index.commit != self.repo.head:  # what was judged is no longer what is indexed
            return None
        return use.create(self.repo, self.index, self.index.commit)

    def verify(
        self, rev: str = "HEAD", options: Options | None = None, *, rebuild: bool = False, against: str = "",
        proof: bytes = b"", progress: Progress | None = None,
    ) -> Checked:  # fmt: skip
        """Whether a trusted key vouches for a commit, and whether it is right. Raises Unverified."""
        from ..vault import use
        from ..vault.verify import Options

        commit = resolve_commit(self.repo, rev)
        return use.check(
            self.repo, commit, options or Options(), again=rebuild, against=against, proof=proof, progress=progress
        )

    def export_snapshot(
        self, directory: str, rev: str = "HEAD", *, hmac: bool = False, keep: int = 10,
        progress: Progress | None = None,
    ) -> Exported:  # fmt: skip
        """Write the graph of a commit as artefacts that can be checked."""
        from ..vault import use

        commit = resolve_commit(self.repo, rev)
        if commit == self.repo.head:
            self.update(progress=progress)
        index = self._present()
        return use.export(self.repo, index, commit, directory, hmac=hmac, keep=keep, progress=progress)

    def verify_export(
        self, directory: str, rev: str = "HEAD", options: Options | None = None, *, progress: Progress | None = None
    ) -> tuple[Checked, int]:
        """Whether an export is what the signed graph of its commit gives; (verdict, files). Raises Unverified."""
        from ..vault import export, use
        from ..vault.verify import Options

        commit = resolve_commit(self.repo, export.commit_of(directory))
        if rev != "HEAD" and resolve_commit(self.repo, rev) != commit:
            raise Unverified(Unverified.MISMATCH, f"the export is of {commit[:7]}, not of {rev}")
        return use.check_export(self.repo, self._present(), commit, directory, options or Options(), progress)

    def health(self, deep: bool = False) -> dict[str, Any]:
        """Population, μ, σ, orphans, unresolved share, drift and a verdict; remembered."""
        from ..vault import health

        found = health.examine(self.fresh(), deep)
        health.record(self.repo, found)
        return found

    def health_history(self) -> list[dict[str, Any]]:
        """Every look so far."""
        from ..vault import health

        return health.history(self.repo)

    def sharing(self) -> tuple[int, list[str]]:
        """(chains of snapshots in this clone, refspecs that are missing for `git fetch` to bring them along)."""
        from ..vault.place import sharing

        return sharing(self.repo)

    def chains(self) -> list[Chain]:
        """The chains of snapshots in this clone."""
        from ..vault import use

        return use.listing(self.repo)

    def snapshots_of(self, rev: str) -> list[tuple[Chain, Snapshot]]:
        """Every snapshot of a commit, believed or not."""
        from ..vault import use

        return use.find(self.repo, resolve_commit(self.repo, rev))

    def prove(self, name: str) -> dict[str, Any]:
        """The proof that a file is under the root of HEAD's graph."""
        from ..graph.model import CONSTRAINT_PREFIX, HUB_PREFIX
        from ..vault import use

        index = self.fresh()
        path = name if name.startswith((HUB_PREFIX, CONSTRAINT_PREFIX)) else self.resolve(name)[0].path
        return use.prove(index, path)

    def push_snapshots(self, remote: str, *, everything: bool = False) -> list[Transfer]:
        """Send this clone's chains, or all of them."""
        from ..vault import use

        return use.push(self.repo, remote, everything=everything)

    def fetch_snapshots(self, remote: str) -> list[Transfer]:
        """Bring a remote's chains."""
        from ..vault import use

        return use.fetch(self.repo, remote)

    def keys(self, *, trust: str = "", base: str = "") -> Listing:
        """The configured key, and who is trusted here."""
        from ..vault import keyring

        return keyring.listing(self.repo, trust, base)

    def trust_key(
        self, key: str = "", *, principal: str = "", after: str = "", before: str = "", file: str = ""
    ) -> tuple[str, str]:
        """Add a key to allowed_signers in the work tree, or another file; (file, line)."""
        from ..vault import keyring

        return keyring.add_trust(self.repo, key, principal=principal, after=after, before=before, file=file)

    def revoke_key(self, key: str, *, file: str = "") -> tuple[str, str]:
        """Add a key to revoked_signers in the work tree, or another file; (file, line)."""
        from ..vault import keyring

        return keyring.add_revocation(self.repo, key, file=file)
