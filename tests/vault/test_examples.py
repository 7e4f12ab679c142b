"""What lies in examples/: the second verifier against the first, and the CI files, run step by step."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from vaults import KEY, Vault, make

import oracl_git
from oracl_git.vault.canonical import dumps
from oracl_git.vault.verify import Options

ROOT = Path(__file__).parents[2]
MINIMAL = ROOT / "examples/verify_minimal.py"
CI = ROOT / "examples/ci"


def second(vault: Vault, *options: str, rev: str = "HEAD") -> int:
    """The exit code of the second verifier."""
    trusted = vault.path.parent / "trusted-by-second"
    trusted.write_text((vault.path / ".agentlas/allowed_signers").read_text())
    done = subprocess.run(
        [sys.executable, "-I", str(MINIMAL), str(trusted), rev, *options],
        cwd=vault.path,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode


def test_the_second_verifier_is_small_and_independent() -> None:
    text = MINIMAL.read_text()
    assert len(text.splitlines()) <= 150
    assert not re.search(r"^\s*(?:import|from) +oracl_git", text, re.MULTILINE)


@pytest.mark.parametrize("ssh", [False, True])
def test_both_say_the_same(tmp_path: Path, another_key: Callable[..., Path], ssh: bool) -> None:
    vault = make(tmp_path / "repo", another_key("key", ssh))
    assert second(vault) == vault.code() == 10
    vault.create()
    odd = {"shop/über.py": "import shop\n", 'a"b\n.txt': "x", "-x": "y"}
    commit = vault.commit("odd", odd)
    vault.git("update-index", "--add", "--cacheinfo", f"160000,{commit},module")
    vault.git("commit", "-q", "-m", "a submodule")
    vault.create()
    vault.cli("snapshot", "export", str(tmp_path / "export"))
    assert second(vault, "--sources", "--body", str(tmp_path / "export")) == vault.code(rebuild=True) == 0
    name = next((tmp_path / "export/body").glob("*.jsonl"), None)
    full = next(path for path in sorted((tmp_path / "export/body").iterdir()) if path.stat().st_size)
    assert name
    full.write_text(full.read_text().replace('"s":', '"s":1'))
    assert second(vault, "--body", str(tmp_path / "export")) == 11
    head = vault.git("rev-parse", "HEAD")
    place, ref, good = f"{head[:2]}/{head}.dsse.json", vault.ref, vault.refs[vault.ref]
    data = vault.read(place)
    first = vault.git("rev-parse", "HEAD~2")
    for what, changed, code in (
        ("a byte", data[:200] + bytes((data[200] ^ 1,)) + data[201:], 11),
        ("the signature", dumps({**json.loads(data), "signatures": []}), 11),
        ("another commit's", vault.read(f"{first[:2]}/{first}.dsse.json"), 13),
        ("twice a key", data.replace(b'"payload":', b'"payload":"","payload":'), 11),
        ("not there", None, None),
    ):
        vault.rewrite({place: changed}, ref)
        vault.forget()
        ours, theirs = vault.code(), second(vault)
        assert ours == theirs if code is None else ours == theirs == code, (what, ours, theirs)
        vault.git("update-ref", ref, good)
    vault.git("commit", "-q", "--amend", "-m", "the same tree")
    assert second(vault) == vault.code() == 13
    (vault.path / ".agentlas/allowed_signers").write_text("# nobody\n")
    assert second(vault, rev=head) == 12


# -- CI ---------------------------------------------------------------------------------------


def forge(tmp_path: Path, another_key: Callable[..., Path]) -> tuple[Vault, Path, Path, Path]:
    """(a developer's clone with a signed change, the base repository, their fork, CI's key)."""
    developer = make(tmp_path / "developer", another_key("dev-key"))
    ci_key = another_key("ci-key")
    trusted = (developer.path / ".agentlas/allowed_signers").read_text()
    developer.commit("CI signs main", {".agentlas/allowed_signers": f"{trusted}ci {Path(f'{ci_key}.pub').read_text()}"})
    base, fork = tmp_path / "base.git", tmp_path / "fork.git"
    for path in (base, fork):
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True)
    developer.git("remote", "add", "origin", f"file://{fork}")
    developer.git("push", "-q", f"file://{base}", "main")
    developer.git("checkout", "-q", "-b", "change")
    developer.commit("work", {"work.py": "import shop.cart\n"})
    developer.cli("snapshot", "create")
    developer.git("push", "-q", "origin", "main", "change")
    developer.cli("snapshot", "push")
    return developer, base, fork, ci_key


def clone_for_ci(tmp_path: Path, base: Path, rev: str, source: Path, key: Path) -> Vault:
    path = tmp_path / f"ci-{rev[:8]}-{len(list(tmp_path.iterdir()))}"
    subprocess.run(["git", "clone", "-q", f"file://{base}", str(path)], check=True)
    ci = Vault(path, key)
    ci.git("fetch", "-q", f"file://{source}", rev)
    ci.git("checkout", "-q", "--detach", rev)
    return ci


def run(ci: Vault, script: str, env: dict[str, str], home: Path) -> int:
    bindir = home / "bin"
    bindir.mkdir(parents=True, exist_ok=True)
    (bindir / "git-oracl").write_text(
        f"#!{sys.executable}\nimport sys; from oracl_git.cli import main; sys.exit(main())\n"
    )
    (bindir / "git-oracl").chmod(0o755)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=ci.path, capture_output=True, text=True,
        env={
            **os.environ, **env, "PATH": f"{bindir}:{os.environ['PATH']}", "HOME": str(home),
            "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        },
    )  # fmt: skip
    ci.err = done.stdout + done.stderr
    return done.returncode


def steps(job: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """(script, environment) of the steps of a GitHub job, less the installation."""
    for step in job["steps"]:
        if "run" in step and not step["run"].startswith("pip install"):
            yield step["run"], step.get("env", {})


def test_github(tmp_path: Path, another_key: Callable[..., Path]) -> None:
    workflow = yaml.safe_load((CI / "github.yml").read_text())
    assert set(workflow[True]) == {"pull_request", "push"}  # YAML reads "on" as true
    developer, base, fork, ci_key = forge(tmp_path, another_key)
    head = developer.git("rev-parse", "change")
    values = {
        "github.base_ref": "main",
        "github.event.pull_request.head.repo.clone_url": f"file://{fork}",
        "secrets.ORACALL_ED25519_PRIVATE_KEY": ci_key.read_text(),
    }

    def fill(text: str) -> str:
        return re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda match: values[match[1]], text)

    everything = lambda job, ci: [  # noqa: E731
        run(ci, script, {k: fill(v) for k, v in env.items()}, tmp_path / "home")
        for script, env in steps(workflow["jobs"][job])
    ]
    ci = clone_for_ci(tmp_path, base, head, fork, ci_key)
    assert everything("verify", ci) == [0, 0], ci.err
    assert "verified" in ci.err and "rebuilt" in ci.err
    # a change that brings its own key along
    developer.key = another_key("evil")
    developer.commit("trust me", {".agentlas/allowed_signers": f"x {Path(f'{developer.key}.pub').read_text()}"})
    developer.cli("snapshot", "create")
    developer.git("push", "-q", "origin", "change")
    developer.cli("snapshot", "push")
    evil = clone_for_ci(tmp_path, base, developer.git("rev-parse", "change"), fork, ci_key)
    assert everything("verify", evil)[-1] == 12
    # the forge squashes the good change; CI signs what comes of it, twice, in one chain
    chains = set()
    for number in range(2):
        developer.git("checkout", "-q", "main")
        merged = developer.commit(f"work (#{number})", {f"merged{number}.py": ""})
        developer.git("push", "-q", f"file://{base}", "main")
        ci = clone_for_ci(tmp_path, base, merged, base, ci_key)
        assert everything("sign", ci) == [0], ci.err
        out = subprocess.run(["git", "for-each-ref", "refs/oracl"], cwd=base, capture_output=True, text=True).stdout
        chains |= set(re.findall(r"refs/oracl/snapshots/\S+", out))
    assert len(chains) == 1
    reader = clone_for_ci(tmp_path, base, merged, base, ci_key)
    reader.cli("snapshot", "fetch")
    assert reader.cli("verify", "--base", "origin/main", "--json")["signers"][0]["seq"] == 2


def test_gitlab(tmp_path: Path, another_key: Callable[..., Path]) -> None:
    pipeline = yaml.safe_load((CI / "gitlab.yml").read_text())
    developer, base, fork, ci_key = forge(tmp_path, another_key)
    head = developer.git("rev-parse", "change")
    env = {
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_COMMIT_SHA": head,
        "CI_MERGE_REQUEST_SOURCE_PROJECT_URL": f"file://{str(fork).removesuffix('.git')}", "ORACL_PUSH_URL": f"file://{base}",
        KEY: ci_key.read_text(),
    }  # fmt: skip
    ci = clone_for_ci(tmp_path, base, head, fork, ci_key)
    assert run(ci, "\n".join(pipeline["oracl-verify"]["script"]), env, tmp_path / "home") == 0, ci.err
    developer.git("checkout", "-q", "main")
    merged = developer.commit("work", {"merged.py": ""})
    developer.git("push", "-q", f"file://{base}", "main")
    ci = clone_for_ci(tmp_path, base, merged, base, ci_key)
    env["CI_COMMIT_SHA"] = merged
    assert run(ci, "\n".join(pipeline["oracl-sign"]["script"]), env, tmp_path / "home") == 0, ci.err
    with oracl_git.open(str(ci.path)) as oracl:
        assert oracl.verify(merged, Options(base="origin/main")).verdict.vouchers
