"""The findings of a check, and their codes.

Knows the shapes and the one line that says what each code means. Knows nothing
of how anything is found.
"""

from __future__ import annotations

from typing import NamedTuple

BROKEN_LINK, BROKEN_IMPORT, CONSTRAINT, PRIVATE_STORE, KEY_FILE = CODES = (
    "broken-link", "broken-import", "constraint", "private-store", "key-file",
)  # fmt: skip
MEANINGS = {
    BROKEN_LINK: "a link or configured path whose target the change takes away",
    BROKEN_IMPORT: "an import of a module or name that the change takes away",
    CONSTRAINT: "a change that a rule under .agentlas/ forbids",
    PRIVATE_STORE: "a private ontology store that must not be committed",
    KEY_FILE: "a private key or a file of secrets",
}
SEVERITIES = ("info", "warn", "error")


class Finding(NamedTuple):
    """One thing that is wrong. `target` is what is named there; `replacement` the text that would be right."""

    path: str
    line: int
    code: str
    message: str
    target: str = ""
    severity: str = "error"
    written: str = ""  # how the reference is written there; "" when it cannot be rewritten
    replacement: str = ""

    @property
    def fingerprint(self) -> str:
        """The same finding in another version of the file: no line numbers."""
        return f"{self.code}\t{self.path}\t{self.target}"


class Edit(NamedTuple):
    """One path of a change, as git compares it. `source` is another path when it was renamed."""

    status: str  # A D M R T
    path: str
    source: str
    old_mode: int
    new_mode: int
    old_blob: str
    new_blob: str
