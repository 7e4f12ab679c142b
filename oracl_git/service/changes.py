"""What a change breaks, and what opened results teach.

Knows which files a change is about and what they are judged by. Judges nothing
itself, and writes tracked files only where it is asked to.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import telemetry, whole
from ..errors import UsageError
from ..git import resolve_commit
from ..graph.model import decode_path, encode_path

if TYPE_CHECKING:
    from ..check.file import Standing
    from ..check.model import Finding
    from ..learn.mine import Mined
    from ..learn.tickets import Ticket


from .named import Named
from .opened import repaired


class Changes(Named):
    """Checks, mends and learns."""

    def changed_paths(self, *, staged: bool = False, commit: str = "", diff: str = "") -> list[str]:
        """The paths of a change: what is staged, one commit (a merge: what it brought), or a range."""
        from ..git.repository import require_stage
        from ..git.run import attempt, git

        args = ["--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames"]
        if staged:
            require_stage(self.repo)
            out = git(self.repo, "diff", "--cached", *args, "--", index=True)
        elif commit:
            oid = resolve_commit(self.repo, commit)
            code, first, _ = attempt(self.repo, "rev-parse", "--verify", "--quiet", f"{oid}^1")
            trees = [first.decode().strip(), oid] if code == 0 else ["--root", oid]
            out = git(self.repo, "diff-tree", "-r", "--no-commit-id", *args, *trees, "--")
        else:
            left, dots, right = diff.partition("...") if "..." in diff else diff.partition("..")
            ends = [resolve_commit(self.repo, end or "HEAD") for end in ((left, right) if dots else (left, "HEAD"))]
            out = git(self.repo, "diff", *args, dots.join(ends) if dots else f"{ends[0]}..{ends[1]}", "--")
        return [raw.decode("utf-8", "surrogateescape") for raw in out.split(b"\0") if raw]

    def check(self, span: str = "", *, whole: bool = False) -> list[Finding]:
        """What a change breaks: a range of commits, else what is staged; or all that is wrong. Needs no index."""
        from ..check.run import check

        return check(self.repo, span, whole=whole)

    @repaired
    def broken(self, name: str) -> list[Finding]:
        """The references of one file that lead nowhere, as it stands; with `worktree`, as it is not committed."""
        self.fresh()
        node = self.resolve(name)[0]
        return self._judge().findings(node.path, node.mode, self._blob(node))

    def _judge(self) -> Standing:
        from ..check.file import Standing
        from ..check.tree import Tree
        from ..git import ignored
        from ..graph.governance import ORACL_TOML

        index, laid = self.index, self.uncommitted
        key = (index.commit, laid.generation if laid else 0, laid.copies if laid else 0)
        if self._standing is None or self._standing[0] != key:
            paths = [path for _, path in index.paths()] + [path for path, _ in index.skipped_paths()]
            renamed = {**index.renamed(), **(laid.renames() if laid else {})}
            was = [decode_path(raw) for raw in laid.files()] if laid else []

            def made(wanted: list[str]) -> set[str]:
                here = {path for path in wanted if self._lies(path)}
                rest = [encode_path(path) for path in wanted if path not in here]
                return here | set(map(decode_path, ignored(self.repo, rest)))

            settings = index.node(ORACL_TOML)
            self._standing = key, Standing(
                Tree(paths), Tree([*paths, *index.past_paths(), *was, *renamed]), renamed, self._current_text, made,
                self._blob(settings) if settings else b"",
            )  # fmt: skip
        return self._standing[1]

    def _lies(self, path: str) -> bool:
        """Whether something lies there that git may not know of."""
        return self.repo.work_tree is not None and os.path.lexists(os.path.join(self.repo.work_tree, path))

    def _current_text(self, path: str) -> bytes | None:
        if self.uncommitted is not None:
            return self.uncommitted.text(path)
        node = self.index.node(path)
        return self._blob(node) if node else None

    def fix(self, findings: Iterable[Finding]) -> list[Finding]:
        """Rewrite, in the work tree, the references that can be; which ones. Staged files that differ there stay."""
        from ..check.mend import mend

        done, notes = mend(self.repo, findings)
        self.notes += notes
        return done

    @repaired
    def learn(self) -> tuple[list[Ticket], Mined]:
        """(all tickets, what the local log says): new findings wait as proposals, decided ones keep their status."""
        from ..learn import tickets
        from ..learn.mine import mine
        from ..recall.lines import stems
        from ..recall.query import compile_query

        index = self.fresh()
        learned = {(path, question) for path, question, _ in index.asked}

        def words(text: str) -> frozenset[str]:
            query = compile_query(text)
            return frozenset() if query.frames or query.directives else stems(query.text)

        mined = mine(telemetry.lines(self.repo.git_dir), words, lambda path: index.node(path) is not None)
        with tickets.editing(self.repo.git_dir) as known:
            for ticket in mined.tickets:
                standing = known.get(ticket.id)
                if standing is not None:
                    known[ticket.id] = ticket._replace(status=standing.status)
                elif ticket.kind != tickets.TAG or ticket.subject not in learned:
                    known[ticket.id] = ticket
        order = {status: place for place, status in enumerate(tickets.STATUSES)}
        return sorted(known.values(), key=lambda t: (order[t.status], -t.confidence, t.kind, t.subject)), mined

    def decide(self, names: Iterable[str], status: str) -> list[Ticket]:
        """Approve or reject tickets by id, or by its beginning; "all" are those that are proposed."""
        from ..learn import tickets

        chosen = []
        with tickets.editing(self.repo.git_dir) as known:
            for name in names:
                open_ones = [t for t in known.values() if t.status == tickets.PROPOSED]
                fitting = [t for i, t in sorted(known.items()) if name and i.startswith(name)]
                mine = open_ones if name == "all" else fitting
                if not mine or (name != "all" and len(mine) > 1):
                    what = "no ticket" if not mine else f"{len(mine)} tickets"
                    raise UsageError(f"there {'is' if not mine else 'are'} {what} {name!r}", "git oracl learn")
                chosen += mine
            for ticket in chosen:
                known[ticket.id] = ticket._replace(status=status)
            return [known[ticket.id] for ticket in dict.fromkeys(chosen)]

    def apply_learned(self) -> list[str]:
        """Write approved tickets into the tracked files of the work tree, and take back what was rejected since.

        Which files changed. Commits nothing.
        """
        from ..graph.governance import LEARNED_EDGES, LEARNED_TAGS
        from ..learn import tickets, tracked
        from ..store.taking import alone

        top = self.repo.work_tree
        if top is None:
            raise UsageError("a bare repository has no files to write", "git clone it, then: git oracl learn --apply")
        folder = os.path.join(top, ".agentlas")
        if os.path.islink(folder):  # it may lead out of the repository
            raise UsageError(f"{folder} is a symbolic link, and is not followed", f"ls -l {folder}")
        with alone(os.path.join(folder, ""), make=True), tickets.editing(self.repo.git_dir) as known:
            approved = [ticket for ticket in known.values() if ticket.status == tickets.APPROVED]
            rejected = [ticket.id for ticket in known.values() if ticket.status == tickets.REJECTED]
            files: dict[str, bytes | None] = {}
            for name in (LEARNED_EDGES, LEARNED_TAGS):
                full = os.path.join(top, name)
                if os.path.islink(full):
                    raise UsageError(f"{name} is a symbolic link, and is not followed", f"ls -l {full}")
                try:
                    with open(full, "rb", opener=whole.plain) as file:
                        files[name] = file.read()
                except FileNotFoundError:
                    files[name] = None
            changed = tracked.changed(files, approved, rejected)
            for name, data in changed.items():
                whole.write(os.path.join(top, name), data)
            for ticket in approved:
                known[ticket.id] = ticket._replace(status=tickets.APPLIED)
        return sorted(changed)
