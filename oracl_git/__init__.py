"""oracl-git gives a git repository a memory.

    import oracl_git
    with oracl_git.open("path/to/repository") as oracl:
        for result in oracl.search("where is the retry budget decided").results:
            print(result.path, result.fragment, result.score)

The verbs of the command line are methods of `Oracl`; they return named
tuples. Importing this module loads none of them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is not loaded before the console script says what a ^C does
if TYPE_CHECKING:
    from .service import Oracl

__version__ = "0.1.0"
__all__ = ["__version__", "open"]


def open(path: str | None = None, *, worktree: bool = False) -> Oracl:
    """The memory of the repository at a path (default: the current directory).

    `worktree`: it answers as if everything were committed. Raises errors.NotARepository
    outside one. Close it, or use it as a context manager.
    """
    from .service import Oracl

    return Oracl.at(path, worktree=worktree)
