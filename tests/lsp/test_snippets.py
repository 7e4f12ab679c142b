"""The settings for editors that have no client of ours: what they may hold is what the editors' documentation lists.

Kakoune is there as itself; its client of the protocol, which Debian, PyPI and npm lack, is
stood in for by the part of it that decides which servers a buffer has.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import tomllib
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "lsp" / "clients"
COMMAND = ["git-oracl", "lsp"]
# What each was held against, and the day of its last change that was there to read:
# Helix, book/src/languages.md, 2026-06-24 (and run in 25.01).
HELIX = {"command", "args", "config", "timeout", "environment", "required-root-patterns"}
# The package LSP 2.13, docs/src/client_configuration.md, 2026-08-20.
SUBLIME = {"enabled", "command", "env", "settings", "initialization_options", "selector", "priority_selector",
           "diagnostics_mode", "markdown_language_map", "syntax_map", "tcp_port", "experimental_capabilities",
           "disabled_capabilities"}  # fmt: skip
# Zed, docs/src/extensions/, no day known; the names of languages stand in the config.toml of each: those that are
# built in (crates/grammars/src), HTML (extensions/html), and of the extensions java, kotlin, php, ruby, toml, of 2026.
ZED = {"id", "name", "version", "schema_version", "authors", "description", "repository", "language_servers"}
ZED_LANGUAGES = {"C", "C++", "CSS", "Go", "JavaScript", "JSON", "Markdown", "Python", "Rust", "TSX", "TypeScript",
                 "YAML", "HTML", "Java", "Kotlin", "PHP", "Ruby", "TOML"}  # fmt: skip
# kakoune-lsp 21, rc/lsp.kak, 2026-07-21.
KAKOUNE = {"root", "root_globs", "command", "args", "single_instance", "settings", "settings_section"}
# It sets the server of a language where there is none yet, and the hook that does is made by `lsp-enable`.
STAND_IN = """\
declare-option str lsp_servers %{}
define-command lsp-enable %{
    hook global BufSetOption filetype=python %{
        evaluate-commands %sh{ [ -n "$kak_opt_lsp_servers" ] || echo 'set-option buffer lsp_servers %{
            [pylsp]
            root_globs = [".git"]
        }' }
    }
}
"""


def test_helix() -> None:
    found = tomllib.loads((CLIENTS / "helix/languages.toml").read_text())
    server = found["language-server"]["oracl"]
    assert set(server) <= HELIX and [server["command"], *server["args"]] == COMMAND
    for language in found["language"]:
        assert set(language) == {"name", "language-servers"} and language["language-servers"][-1] == "oracl"


def test_sublime() -> None:
    text = (CLIENTS / "sublime/LanguageServers.sublime-settings").read_text()
    (client,) = json.loads(re.sub(r"(?m)^\s*//.*$", "", text)).values()
    assert set(client) <= SUBLIME and client["command"] == COMMAND and client["enabled"]


def test_zed() -> None:
    found = tomllib.loads((CLIENTS / "zed/extension.toml").read_text())
    assert set(found) <= ZED and found["schema_version"] == 1
    server = found["language_servers"]["oracl"]
    assert set(server) == {"name", "languages"} and set(server["languages"]) <= ZED_LANGUAGES
    cargo = tomllib.loads((CLIENTS / "zed/Cargo.toml").read_text())
    assert cargo["lib"]["crate-type"] == ["cdylib"] and "zed_extension_api" in cargo["dependencies"]
    source = (CLIENTS / "zed/src/lib.rs").read_text()
    assert '.which("git-oracl")' in source and 'vec!["lsp".into()]' in source


@pytest.mark.skipif(not shutil.which("kak"), reason="no Kakoune")
def test_kakoune(tmp_path: Path) -> None:
    """The server stands beside the one that the language has already, once."""
    for name, text in (("bin/kak-lsp", f"#!/bin/sh\ncat <<'END'\n{STAND_IN}END\n"), ("a.py", "x = 1\n"),
                       ("config/kak/kakrc", (CLIENTS / "kakoune/oracl.kak").read_text())):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "bin/kak-lsp").chmod(0o755)
    env = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path),
           "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_RUNTIME_DIR": str(tmp_path)}  # fmt: skip
    session = f"oracl{os.getpid()}"
    editor = subprocess.Popen(["kak", "-d", "-s", session], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        out = tmp_path / "out.toml"
        for _ in range(100):
            said = f"edit {tmp_path}/a.py; echo -to-file {out} %opt{{lsp_servers}}"
            done = subprocess.run(["kak", "-p", session], input=said, text=True, env=env, timeout=20,
                                  capture_output=True)  # fmt: skip
            if done.returncode == 0 and out.exists() and out.read_text():
                break
            time.sleep(0.1)
        found = tomllib.loads(out.read_text())
    finally:
        editor.kill()
        editor.wait()
    assert list(found) == ["pylsp", "oracl"]
    assert set(found["oracl"]) <= KAKOUNE and [found["oracl"]["command"], *found["oracl"]["args"]] == COMMAND
