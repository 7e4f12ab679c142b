"""Repositories with a key, a list of whom to trust, and snapshots.

Runs the product in this process where a test asks often, and as a command where
what a user sees is at stake.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import oracl_git
from oracl_git.errors import OraclError
from oracl_git.vault.verify import Options

EPOCH = 1_700_000_000
FILES = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": '"""The cart."""\n\nfrom .prices import total\n\n\nclass Cart:\n    """Items."""\n',
    "shop/prices.py": '"""Prices."""\n\n\ndef total(prices):\n    """Sum."""\n    return sum(prices)\n',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_cart():\n    assert Cart()\n",
    "docs/guide.md": "# Guide\n\nSee [prices](../shop/prices.py).\n",
    "logo.png": "\x89PNG\0\0",
}
BASE = ("--base", "main")
KEY = "ORACALL_ED25519_PRIVATE_KEY"


class Vault:
    """One clone, and the key its owner signs with."""

    def __init__(self, path: Path, key: Path) -> None:
        self.path, self.key = path, key
        self.commits = 0

    def git(self, *args: str, input: bytes = b"", ok: bool = True, **env: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.path, input=input, capture_output=True, env={**os.environ, **env}
        )
        assert done.returncode == 0 or not ok, (args, done.stderr.decode())
        return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def commit(self, message: str = "change", files: dict[str, str] | None = None) -> str:
        for name, content in (files or {}).items():
            full = self.path / name
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(content)
        self.git("add", "-A")
        self.commits += 1
        date = f"{EPOCH + 60 * self.commits} +0000"
        self.git(
            "commit", "-q", "--allow-empty", "-m", message, GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date
        )  # fmt: skip
        return self.git("rev-parse", "HEAD")

    def cli(self, *args: str, code: int = 0, key: bool = True, env: dict[str, str] | None = None) -> Any:
        """`git oracl …` as a command; it must exit as told. Its stdout, or the object it printed."""
        own = {"PYTHONWARNINGS": "error", **({KEY: str(self.key)} if key else {})}
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from oracl_git.cli import main; sys.exit(main())", *args],
            cwd=self.path, capture_output=True, env={**os.environ, **own, **(env or {})}, timeout=120,
        )  # fmt: skip
        self.err = done.stderr.decode()
        assert "Traceback" not in self.err and "Exception ignored" not in self.err, self.err
        assert done.returncode == code, (args, done.returncode, done.stdout, self.err)
        out = done.stdout.decode()
        return json.loads(out) if "--json" in args else out

    def create(self, rev: str = "HEAD", **more: Any) -> Any:
        """A snapshot, made in this process with this clone's key."""
        os.environ[KEY] = str(self.key)
        try:
            with oracl_git.open(str(self.path)) as oracl:
                return oracl.snapshot(rev, **more)
        finally:
            os.environ.pop(KEY, None)

    def verify(self, rev: str = "HEAD", *, rebuild: bool = False, **options: Any) -> Any:
        """The verdict; raises as the product does."""
        options = {"base": "main", **options}
        with oracl_git.open(str(self.path)) as oracl:
            return oracl.verify(rev, Options(**options), rebuild=rebuild)

    def code(self, rev: str = "HEAD", **options: Any) -> int:
        """The exit code that verify would give."""
        try:
            self.verify(rev, **options)
        except OraclError as error:
            self.err = error.message
            return error.exit_code
        return 0

    def clone(self, name: str, *options: str, snapshots: bool = True) -> Vault:
        """Another clone of this one, with the same key and all snapshots."""
        path = self.path.parent / name
        subprocess.run(["git", "clone", "-q", *options, f"file://{self.path}", str(path)], check=True)
        other = Vault(path, self.key)
        other.commits = self.commits + 1000
        if snapshots:
            other.git("fetch", "-q", "origin", "refs/oracl/snapshots/*:refs/oracl/snapshots/*")
        return other

    @property
    def refs(self) -> dict[str, str]:
        """Chain → commit."""
        out = self.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/oracl/snapshots/")
        return dict(line.split() for line in out.splitlines())

    @property
    def ref(self) -> str:
        (ref,) = self.refs
        return ref

    def rewrite(self, changes: dict[str, bytes | None], ref: str = "") -> None:
        """Change files of a chain's newest tree by hand, as whoever can push to the ref could."""
        ref = ref or self.ref
        index = {"GIT_INDEX_FILE": str(self.path.parent / "forged-index")}
        self.git("read-tree", ref, **index)
        for name, data in changes.items():
            if data is None:
                self.git("update-index", "--force-remove", name, **index)
            else:
                blob = self.git("hash-object", "-w", "--stdin", input=data)
                self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", **index)
        tree = self.git("write-tree", **index)
        self.git("update-ref", ref, self.git("commit-tree", tree, "-p", ref, "-m", "Forged"))

    def read(self, name: str, ref: str = "") -> bytes:
        """One file of a chain."""
        done = subprocess.run(
            ["git", "cat-file", "blob", f"{ref or self.ref}:{name}"], cwd=self.path, capture_output=True, check=True
        )
        return done.stdout

    def forget(self) -> None:
        """Be a clone that has seen nothing yet."""
        (self.path / ".git/oracl/seen.json").unlink(missing_ok=True)


def new_key(path: Path, ssh: bool = False) -> Path:
    from oracl_git.vault import keys

    keys.generate(str(path), ssh)
    return path


def make(path: Path, key: Path) -> Vault:
    """A repository on main that trusts the key."""
    path.mkdir()
    vault = Vault(path, key)
    vault.git("init", "-q", "-b", "main")
    trusted = f'dev@example.com namespaces="oracl-snapshot" {Path(f"{key}.pub").read_text()}'
    vault.commit("first", {**FILES, ".agentlas/allowed_signers": trusted})
    return vault
