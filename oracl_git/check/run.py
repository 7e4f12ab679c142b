"""The check of one change, in order.

Knows which files can hold a finding, so that a change which takes nothing away
reads nothing but itself. Knows nothing of how findings are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graph import governance
from ..graph.model import encode_path
from . import scripts, secrets
from .change import Change
from .model import Edit, Finding
from .tree import Tree

if TYPE_CHECKING:
    from ..git import Repository

_PYTHON = (".py", ".pyi")
_DOCUMENTS = ("rst", "md", "txt")  # named without their suffix
_PAGES = ("README", "index")  # found by their directory's name
_RULES = (governance.CONSTRAINTS, governance.LEARNED_CONSTRAINTS)
_TYPE, _REGULAR = 0o170000, 0o100000


def check(repo: Repository, span: str = "", *, whole: bool = False) -> list[Finding]:
    """What a change breaks: a range of commits, else what is staged; or all that is wrong. Needs no index."""
    if whole:
        return Check(Change.everything(repo)).findings()
    return Check(Change.between(repo, span) if span else Change.staged(repo)).findings()


class Check:
    """One change under examination."""

    def __init__(self, change: Change) -> None:
        self.change = change
        self.edits = change.edits
        self.old, self.new = Tree(()), Tree(())
        self.renamed = {edit.source: edit.path for edit in self.edits if edit.status == "R"}

    def findings(self) -> list[Finding]:
        """What the change breaks, in order of place; what is silenced is left out."""
        change = self.change
        change.read(
            entry for edit in self.edits for entry in ((edit.old_mode, edit.old_blob), (edit.new_mode, edit.new_blob))
        )  # fmt: skip
        found = [*self._secrets(), *self._rules()]
        if change.whole:
            return self._told([*found, *self._debt()])
        gone = [edit for edit in self.edits if edit.status in "DR"]
        lost = self._lost_names()
        moved = [edit for edit in self.edits if edit.status == "R"]
        if gone or lost:
            self.old, self.new = Tree(change.old_entries), Tree(change.entries)
        if gone:
            found += self._links(gone, moved)
        if lost or any(edit.source.endswith(_PYTHON) for edit in gone):
            found += self._imports(gone, moved, lost)
        return self._told(found)

    def _text(self, path: str) -> bytes | None:
        return self.change.text(self.change.entries.get(path))

    def _before(self, edit: Edit) -> bytes | None:
        return self.change.text((edit.old_mode, edit.old_blob))

    # -- secrets and rules ---------------------------------------------------------------

    def _secrets(self) -> list[Finding]:
        found = []
        for edit in self.edits:
            if edit.status == "D" or edit.new_mode & _TYPE != _REGULAR:
                continue
            data = self.change.text((edit.new_mode, edit.new_blob))
            before = self.change.text((edit.old_mode, edit.old_blob)) if edit.status in "MR" else None
            for judge in (secrets.private_store, secrets.key_file):
                finding = judge(edit.path, data)
                if finding and not (before is not None and judge(edit.source, before)):
                    found.append(finding)
        return found

    def _rules(self) -> list[Finding]:
        names = [name for name in _RULES if name in self.change.entries]
        if not names or self.change.whole:
            return []
        from . import rules

        constraints = governance.parse({name: self._text(name) or b"" for name in names}).constraints
        found = rules.violations(self.edits, constraints)
        for rule in constraints:
            patterns = rules.forbidden_imports(rule)
            for edit in self.edits if patterns else ():
                if edit.status != "D" and edit.path.endswith(_PYTHON) and rules.governs(rule, edit.path):
                    found += self._forbidden(rule, patterns, edit)
        return found

    def _forbidden(self, rule: governance.Constraint, patterns: list[str], edit: Edit) -> list[Finding]:
        """The imports that the edit adds and the rule forbids."""
        from . import imports, python, rules

        if not self.new.paths:
            self.new = Tree(self.change.entries)
        now, before = (
            python.imports(self.change.text(entry) or b"")
            for entry in ((edit.new_mode, edit.new_blob), (edit.old_mode, edit.old_blob))
        )
        known = {(each.module, each.name) for each in before}
        side = imports.Side(self.new, self._text)
        found: dict[tuple[int, str], Finding] = {}
        for each in now:
            if (each.module, each.name) in known:
                continue
            target = imports.judge(side, edit.path, each.module, each.name).path
            dotted = ".".join(filter(None, (each.module, each.name)))
            for pattern in patterns:
                if rules.import_matches(pattern, each.module, target) or rules.import_matches(pattern, dotted, ""):
                    finding = rules.violation(rule, edit.path, each.line, f"imports {target or each.module}")
                    found[each.line, finding.message] = finding
        return list(found.values())

    # -- references ----------------------------------------------------------------------

    def _links(self, gone: list[Edit], moved: list[Edit]) -> list[Finding]:
        from . import links

        change = self.change
        words = self._words(gone)
        paths = dict.fromkeys(change.mentioning(words, links.SUFFIXES))
        paths.update(dict.fromkeys(edit.path for edit in moved))
        before = {edit.path: edit.source for edit in moved}
        change.read(change.entries[path] for path in paths if path in change.entries)
        sources = {}
        for path in paths:
            entry = change.entries.get(path)
            data = change.text(entry)
            if entry is not None and data is not None and (path in before or _may_lead(path, data, words)):
                sources[path] = (before.get(path, path), entry[0], data)
        return list(links.broken(self.old, self.new, sources, self.renamed, change.ignored_of))

    def _words(self, gone: list[Edit]) -> dict[str, set[str]]:
        """What is written where something that is gone is named → the directories it was in."""
        found: dict[str, set[str]] = {}

        def add(path: str, word: str = "") -> str:
            directory, _, name = path.rpartition("/")
            for text in {word or name, _percent(word or name)}:
                found.setdefault(text, set()).add(directory)
            return directory

        for edit in gone:
            name = edit.source.rpartition("/")[2]
            stem, _, suffix = name.rpartition(".")
            page = stem in _PAGES
            directory = add(edit.source, stem if suffix in _DOCUMENTS and not page else name)
            if f".{suffix}" in scripts.SUFFIXES and stem != "index":  # imported as ./stem or ../x/stem
                add(edit.source, f"/{stem}")
            while directory and not self.new.is_directory(directory):
                directory = add(directory)
            if page and directory:
                add(directory)
        return found

    def _lost_names(self) -> dict[str, frozenset[str]]:
        """Python file → the names it bound and binds no more."""
        edits = [edit for edit in self.edits if edit.status in "MT" and edit.path.endswith(".py")]
        if not edits:
            return {}
        from . import python

        found = {}
        for edit in edits:
            old, new = self._before(edit), self.change.text((edit.new_mode, edit.new_blob))
            if old is not None and new is not None and (lost := python.lost(old, new)):
                found[edit.path] = lost
        return found

    def _imports(self, gone: list[Edit], moved: list[Edit], lost: dict[str, frozenset[str]]) -> list[Finding]:
        from . import imports, python

        change = self.change
        missing = [edit.source for edit in gone if edit.source.endswith(_PYTHON)]
        paths = [*lost, *missing]
        modules, without = frozenset(map(_module_name, paths)), frozenset(map(_module_name, missing))
        names = without.union(*lost.values())
        for edit in gone:  # … and all names of the modules that are gone
            if edit.source.endswith(".py") and (known := python.read(self._before(edit) or b"")):
                names |= known.bound
        affected = imports.Affected(modules, without, names, any(path.endswith("__init__.py") for path in paths))
        before = {edit.path: edit.source for edit in moved if edit.path.endswith(_PYTHON)}
        importers = {path: path for path in change.matching(affected.patterns(), _PYTHON)}
        importers.update(before)
        old, new = change.old_entries, change.entries
        change.read(new[path] for path in importers if path in new)
        sides = (
            imports.Side(self.old, lambda path: change.text(old.get(path))), imports.Side(self.new, self._text)
        )  # fmt: skip
        return list(imports.broken(*sides, importers, affected, self.renamed, change.ignored_of))

    def _debt(self) -> list[Finding]:
        """Every reference that leads nowhere."""
        from . import imports, links

        change = self.change
        self.new = Tree(change.entries)
        sources = {}
        for path, entry in change.entries.items():
            data = change.text(entry) if path.endswith(links.PROSE) else None
            if data is not None:
                sources[path] = (path, entry[0], data)
        found = list(links.dangling(self.new, sources, change.ignored_of))
        return [*found, *imports.dangling(imports.Side(self.new, self._text), change.ignored_of)]

    # -- what is told --------------------------------------------------------------------

    def _told(self, found: list[Finding]) -> list[Finding]:
        if not found:
            return []
        from . import rules

        ignored = rules.Ignored(self._text(governance.ORACL_TOML) or b"")
        told = {}
        for finding in found:
            if not ignored.covers(finding):
                rows = (self._text(finding.path) or b"").split(b"\n")
                if not rules.silenced(finding, rows):
                    told[finding[:4]] = finding
        return sorted(told.values(), key=lambda f: (f.path, f.line, f.code, f.message))


def _may_lead(path: str, data: bytes, words: dict[str, set[str]]) -> bool:
    """Whether a text may name what is gone: from elsewhere, the directory is named too, but in a site's settings."""
    site = path.rpartition("/")[2].startswith("mkdocs")
    for word, directories in words.items():
        if encode_path(word) in data:
            for directory in directories:
                parent = directory.rpartition("/")[2]
                if f"{path}/".startswith(f"{directory}/") or not directory or site:
                    return True
                if encode_path(parent) in data or encode_path(_percent(parent)) in data:
                    return True
    return False


def _module_name(path: str) -> str:
    """The last part of a module's dotted name."""
    directory, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return stem if stem != "__init__" else directory.rpartition("/")[2]


def _percent(word: str) -> str:
    from urllib.parse import quote

    return quote(word, errors="surrogateescape")
