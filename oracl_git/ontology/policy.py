"""What may be read: `inbox_and_registered_sources_only`, and approval for what lies outside.

Knows which places need this machine's owner to approve them, and where approvals
are kept: outside every repository, so that no clone brings its own. Decides from
the words of a path alone, before anything at that path is looked at.
"""

from __future__ import annotations

import hashlib
import os

from ..errors import NotAllowed
from ..store.taking import alone
from .clock import now
from .project import HOME, INBOX, Project, Root, read_json, write_json

# Directories that hold keys or tokens, wherever they are.
KEY_PLACES = frozenset(
    ".ssh .gnupg .gpg .aws .azure .kube .docker .gcloud .password-store .secrets .credentials .pki .mozilla"
    " .thunderbird .local .config .netrc .npmrc .pypirc .pgpass .env .git-credentials .vault-token .terraform.d"
    " .oci .cargo .gem .m2 .electrum .bitcoin .ethereum .age .keys .keychain".split()
)
NEVER = frozenset((".git",))
OUTSIDE = "lies outside the project and nobody has approved it on this machine"
HOMELIKE = "is a home folder, or holds one, and nobody has approved it on this machine"
KEYS = "is a place for keys, and nobody has approved it on this machine"
INTERNALS = "belongs to git or to the ontology itself"


def runtime_home() -> str:
    """Where this machine keeps what belongs to no repository: AGENTLAS_RUNTIME_HOME, else ~/.agentlas."""
    return os.environ.get("AGENTLAS_RUNTIME_HOME") or os.path.join(os.path.expanduser("~"), ".agentlas")


def needs_approval(project: Project, root: Root) -> str:
    """Why a source must be approved before anything is read there; "" when it need not be."""
    full = absolute(project, root)
    if root.outside or not _within(full, project.root):
        return OUTSIDE
    home = os.path.normpath(os.path.expanduser("~"))
    if _within(home, full):
        return HOMELIKE
    if any(part in KEY_PLACES for part in root.path.split("/")):
        return KEYS
    return ""


def forbidden(project: Project, root: Root) -> str:
    """Why nobody can approve a source; "" when it can be read or approved."""
    parts = os.path.relpath(absolute(project, root), project.root).split("/")
    inbox = parts[:2] == [HOME, INBOX]
    if parts[0] == HOME and not inbox:
        return INTERNALS
    return INTERNALS if NEVER & set(root.path.split("/")) else ""


def allowed(project: Project, root: Root) -> str:
    """ "" when a source may be read now; else why not."""
    reason = forbidden(project, root)
    if reason:
        return reason
    reason = needs_approval(project, root)
    return reason if reason and not approved(project, root) else ""


def absolute(project: Project, root: Root) -> str:
    """The place a root names, without looking at it."""
    return os.path.normpath(os.path.join(project.root, root.path))


def _within(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


# -- approvals --------------------------------------------------------------------------------


def _file() -> str:
    return os.path.join(runtime_home(), "approvals.json")


def digest(project: Project, root: Root) -> str:
    """What an approval is of: this path, in this project, in this scope. A wider scope needs another."""
    record = "\0".join(("approval-1", project.root, absolute(project, root), root.scope))
    return hashlib.sha256(record.encode("utf-8", "surrogateescape")).hexdigest()


def approved(project: Project, root: Root) -> bool:
    """Whether this machine's owner has approved the source."""
    return any(row.get("digest") == digest(project, root) for row in approvals())


def approvals() -> list[dict[str, str]]:
    """What was approved on this machine."""
    data = read_json(_file())
    rows = data.get("approvals") if isinstance(data, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def approve(project: Project, root: Root) -> None:
    """Remember that this machine's owner approves a source. Raises NotAllowed for what nobody can approve."""
    if reason := forbidden(project, root):
        raise NotAllowed(f"{root.path} {reason}", "git oracl ontology sources list")
    if approved(project, root):
        return
    place = _file()
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    row = {
        "project": project.root,
        "path": absolute(project, root),
        "scope": root.scope,
        "digest": digest(project, root),
        "at": now(),
    }
    with alone(place):
        rows = [old for old in approvals() if (old.get("project"), old.get("path")) != (row["project"], row["path"])]
        write_json(place, {"schema": 1, "approvals": [*rows, row]})


def revoke(project: Project, path: str) -> bool:
    """Forget the approval of a path; whether there was one."""
    full = os.path.normpath(os.path.join(project.root, path))
    with alone(_file()):
        rows = approvals()
        kept = [row for row in rows if (row.get("project"), row.get("path")) != (project.root, full)]
        if len(kept) != len(rows):
            write_json(_file(), {"schema": 1, "approvals": kept})
    return len(kept) != len(rows)
