"""Settings that only the user may make: from global, system and command-line config.

Knows that a repository's own config came with the repository, or may have. Knows
nothing of what the settings mean.
"""

from __future__ import annotations

from oracl_git.git.repository import Repository
from oracl_git.git.run import git

_OURS = frozenset(("system", "global", "command"))


def scoped_settings(repo: Repository, key: str) -> list[tuple[str, str]]:
    """(scope, value) of one key in every config file, the weakest first."""
    out = git(repo, "config", "-z", "--show-scope", "--get-all", key, ok=(0, 1))
    fields = out.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return list(zip(fields[::2], fields[1::2], strict=True))


def user_setting(repo: Repository, key: str) -> str:
    """The value that the user, the machine or `git -c` gives; "" when none does."""
    values = [value for scope, value in scoped_settings(repo, key) if scope in _OURS]
    return values[-1] if values else ""
