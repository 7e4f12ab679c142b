"""oracl-git gives a git repository a memory."""

from __future__ import annotations

__version__ = "0.1.0"
