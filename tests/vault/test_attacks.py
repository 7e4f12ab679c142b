"""What an attacker may try, each with the exit code it must end with. Nobody but the key's holder can make a 0."""

from __future__ import annotations

import hmac
import json
import os
import resource
import subprocess
import sys
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from vaults import BASE, KEY, Vault, make

import oracl_git
from oracl_git.errors import OraclError, Unverified
from oracl_git.vault import envelope, sshsig, verify
from oracl_git.vault.canonical import NotCanonical, dumps, loads
from oracl_git.vault.chain import Chain
from oracl_git.vault.trust import Trust, load


def name_of(commit: str) -> str:
    return f"{commit[:2]}/{commit}.dsse.json"


def head(vault: Vault) -> str:
    return vault.git("rev-parse", "HEAD")


def forge(vault: Vault, change: Callable[[dict[str, object]], object]) -> None:
    """Change HEAD's envelope; written canonically, so that only the change is judged."""
    name = name_of(head(vault))
    value = json.loads(vault.read(name))
    changed = change(value)
    vault.rewrite({name: dumps(value if changed is None else changed)})
    vault.forget()


def judge(vault: Vault) -> tuple[Chain, Trust]:
    with oracl_git.open(str(vault.path)) as oracl:
        (chain,) = oracl.chains()
        return chain, load(oracl.repo, base="main")


def flips(data: bytes, every: int = 1) -> Iterator[bytes]:
    for place in range(0, len(data), every):
        for mask in (1, 0x20, 0xFF):
            yield data[:place] + bytes((data[place] ^ mask,)) + data[place + 1 :]


def test_every_byte_of_an_envelope(signed: Vault) -> None:
    name = name_of(head(signed))
    data = signed.read(name)
    chain, trusted = judge(signed)
    verify._check_signature(chain, chain._decoded(name, data), trusted)
    codes = set()
    for changed in flips(data):
        with pytest.raises(Unverified) as refused:
            verify._check_signature(chain, chain._decoded(name, changed), trusted)
        codes.add(refused.value.exit_code)
    assert codes <= {Unverified.TAMPERED, Unverified.MISMATCH}
    for cut in (0, 1, len(data) // 2, len(data) - 1):
        with pytest.raises(Unverified):
            chain._decoded(name, data[:cut])
    for more in (b" ", b"\n", b"{}", data):
        with pytest.raises(Unverified):
            chain._decoded(name, data + more)


@pytest.mark.parametrize("ending", [".dsse.json", ".shards", ".json"])
def test_bytes_of_what_a_chain_holds(signed: Vault, ending: str) -> None:
    """Through the whole of verify: the envelope, the shards of the body, the table of parameters."""
    names = signed.git("ls-tree", "-r", "--name-only", signed.ref).splitlines()
    (name,) = [n for n in names if n.endswith(ending) and (ending != ".json" or n.startswith("parameters/"))]
    data, ref = signed.read(name), signed.refs[signed.ref]
    places = range(7, len(data), len(data) // 5)
    for place in places:
        signed.git("update-ref", signed.ref, ref)
        signed.rewrite({name: data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]})
        signed.forget()
        assert signed.code() in (11, 13), (name, place)
    signed.git("update-ref", signed.ref, ref)
    signed.rewrite({name: None})
    signed.forget()
    assert signed.code() in (11, 10), name


def test_every_byte_of_a_ref(signed: Vault) -> None:
    """A ref names nothing, or something else, or cannot be read; it is never a yes."""
    path = signed.path / ".git" / signed.ref
    data = path.read_bytes()
    assert signed.code() == 0
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :])
        assert signed.code(allow_missing=True) in (11, 14, 16), place
        signed_err = signed.err
        assert signed_err
    path.write_bytes(data)
    assert signed.code() == 0


def test_bytes_of_a_chains_objects(signed: Vault) -> None:
    for spec in (signed.ref, f"{signed.ref}^{{tree}}", f"{signed.ref}:{name_of(head(signed))}"):
        oid = signed.git("rev-parse", spec)
        path = signed.path / ".git/objects" / oid[:2] / oid[2:]
        data = path.read_bytes()
        path.chmod(0o644)
        for place in range(0, len(data), max(1, len(data) // 6)):
            changed = data[:place] + bytes((data[place] ^ 0x10,)) + data[place + 1 :]
            if _inflated(changed) == _inflated(data):  # a bit that pads the stream
                continue
            path.write_bytes(changed)
            signed.forget()
            assert signed.code(allow_missing=True) in (11, 16), (spec, place, signed.err)
        path.write_bytes(data)
    assert signed.code() == 0


def _inflated(data: bytes) -> bytes | None:
    try:
        return zlib.decompress(data)
    except zlib.error:
        return None


def test_the_signature_is_removed(signed: Vault) -> None:
    forge(signed, lambda value: value.update(signatures=[]))
    assert signed.code() == 11


def test_an_unsigned_chain_beside_it(vault: Vault) -> None:
    with oracl_git.open(str(vault.path)) as oracl:
        oracl.snapshot()
    assert vault.code() == 12


def test_the_algorithm_is_swapped(signed: Vault) -> None:
    """The algorithm belongs to the trusted key: whatever a signature calls itself, Ed25519 is what is tried."""
    chain, _ = judge(signed)
    for key_id in ("rsa", "hmac-sha256-" + "0" * 32, "", chain.key_id.upper(), "ed25519:" + chain.key_id):
        forge(signed, lambda value, key_id=key_id: value["signatures"][0].update(keyid=key_id))
        assert signed.code() == 11
    ref = signed.ref
    signed.git("update-ref", f"refs/oracl/snapshots/hmac-sha256-{'0' * 32}/{ref.rpartition('/')[2]}", ref)
    signed.git("update-ref", "-d", ref)
    assert signed.code() == 12


def test_an_hmac_with_the_public_key_as_its_key(signed: Vault) -> None:
    chain, trusted = judge(signed)
    key = trusted.key(chain.key_id)
    assert key
    payload = json.loads(signed.read(name_of(head(signed))))["payload"]
    message = envelope.pae(envelope.PAYLOAD_TYPE, b64decode(payload))
    for secret in (key.raw, key.openssh.encode(), sshsig.key_blob(key.raw), b""):
        mac = hmac.digest(secret, message, "sha256")
        for value in (mac, mac + mac):
            forge(signed, lambda v, value=value: v["signatures"][0].update(sig=b64encode(value).decode()))
            assert signed.code() == 11


@pytest.mark.parametrize("text", ["", " ", "\n", "AAAA", b64encode(b"x" * 31).decode(), "-----BEGIN PRIVATE KEY-----"])
def test_an_empty_or_broken_key(vault: Vault, text: str) -> None:
    vault.cli("snapshot", "create", code=2, env={KEY: text})
    assert not vault.refs and (not text.strip() or text not in vault.err)


def test_two_ids_for_one_key(signed: Vault) -> None:
    def twice(value: dict[str, list[dict[str, str]]]) -> None:
        value["signatures"].append({**value["signatures"][0], "keyid": "f" * 64})

    forge(signed, twice)  # type: ignore[arg-type]
    assert signed.code(threshold=2) == 11 and signed.code() == 11


def test_a_key_of_small_order_signs_everything(signed: Vault) -> None:
    """A = the neutral element, R = it too, S = 0: valid for every message where it is not refused."""
    neutral = (1).to_bytes(32, "little")
    weak_id = sha256(sshsig.key_blob(neutral)).hexdigest()
    ref = f"refs/oracl/snapshots/{weak_id}/{signed.ref.rpartition('/')[2]}"
    signed.git("update-ref", ref, signed.ref)
    name = name_of(head(signed))
    value = json.loads(signed.read(name, ref))
    value["signatures"] = [{"keyid": weak_id, "sig": b64encode(neutral + bytes(32)).decode()}]
    signed.rewrite({name: dumps(value)}, ref)
    trusted = signed.path.parent / "weak"
    trusted.write_text(f"a@b ssh-ed25519 {b64encode(sshsig.key_blob(neutral)).decode()}\n")
    assert signed.code(trust=str(trusted)) == 12
    from oracl_git.vault.keys import PublicKey

    assert not PublicKey(neutral).verifies(neutral + bytes(32), b"anything")


def test_another_namespace(tmp_path: Path, another_key: Callable[..., Path]) -> None:
    """A signature that the same key made for git, or for a file."""
    vault = make(tmp_path / "ssh", another_key("ssh-key", ssh=True))
    vault.create()
    payload = b64decode(json.loads(vault.read(name_of(head(vault))))["payload"])
    message = envelope.pae(envelope.PAYLOAD_TYPE, payload)
    for namespace, code in (("git", 11), ("file", 11), ("oracl-snapshot", 0)):
        made = subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", str(vault.key)],
            input=message, capture_output=True, check=True,
        ).stdout  # fmt: skip
        text = b64encode(sshsig.dearmor(made)).decode()
        forge(vault, lambda value, text=text: value["signatures"][0].update(sig=text))
        assert vault.code() == code, namespace


def test_an_older_snapshot_is_replayed(signed: Vault) -> None:
    first = head(signed)
    signed.commit("second", {"b.py": ""})
    signed.create()
    assert signed.code() == 0
    old = signed.read(name_of(first))
    signed.rewrite({name_of(head(signed)): old})  # in the place of the new one
    assert signed.code() == 13
    signed.git("update-ref", signed.ref, f"{signed.ref}~2")  # the whole chain as it was
    assert signed.code() == 14


def test_a_forked_chain(signed: Vault) -> None:
    """The key's holder, or a thief, signs two continuations."""
    old = signed.refs[signed.ref]
    signed.commit("one way", {"b.py": ""})
    signed.create()
    one = head(signed)
    assert signed.code() == 0
    signed.git("checkout", "-q", "-b", "other", "HEAD~1")
    signed.commit("another way", {"c.py": ""})
    ref, newest, seen = signed.ref, signed.refs[signed.ref], (signed.path / ".git/oracl/seen.json").read_bytes()
    signed.git("update-ref", ref, old)
    signed.forget()
    signed.create()
    (signed.path / ".git/oracl/seen.json").write_bytes(seen)
    assert signed.code() == 14  # another than was seen
    other = signed.read(name_of(head(signed)))
    shards = signed.read(name_of(head(signed)).replace("dsse.json", "shards"))
    signed.git("update-ref", ref, newest)
    signed.rewrite({name_of(head(signed)): other, name_of(head(signed)).replace("dsse.json", "shards"): shards})
    signed.forget()
    assert signed.code() == 14 and signed.code(one) == 14  # both in one tree, seen or not


def test_a_snapshot_is_taken_out(signed: Vault) -> None:
    """Hiding one, so that --allow-missing passes."""
    first = head(signed)
    signed.commit("second", {"b.py": ""})
    signed.create()
    signed.rewrite({name_of(first): None})
    signed.forget()
    assert signed.code(first, allow_missing=True) == 11


def test_of_another_commit_repository_or_tree(signed: Vault, tmp_path: Path) -> None:
    first = head(signed)
    envelope_of_first = signed.read(name_of(first))
    second = signed.commit("second", {"b.py": ""})
    signed.create()
    signed.rewrite({name_of(second): envelope_of_first})
    assert signed.code() == 13
    stranger = make(tmp_path / "stranger", signed.key)
    stranger.commit("elsewhere", {"z.py": ""})
    stranger.create()
    theirs = stranger.read(name_of(head(stranger)))
    signed.rewrite({name_of(second): theirs})
    assert signed.code() == 13
    signed.git("commit", "-q", "--amend", "-m", "the same tree")
    signed.git("update-ref", signed.ref, f"{signed.ref}~2")
    assert signed.code() == 13


def test_another_repositorys_chain_says_nothing_here(signed: Vault, tmp_path: Path) -> None:
    stranger = make(tmp_path / "stranger", signed.key)
    stranger.commit("elsewhere", {"z.py": ""})
    stranger.create()
    signed.git("fetch", "-q", str(stranger.path), "refs/oracl/snapshots/*:refs/oracl/snapshots/*")
    signed.commit("unsigned", {"u.py": ""})
    assert signed.code() == 10


@pytest.mark.parametrize("place", ["outer", "payload"])
def test_duplicate_keys_nan_and_floats(signed: Vault, place: str) -> None:
    name = name_of(head(signed))
    data = signed.read(name)
    payload = b64decode(json.loads(data)["payload"])
    for before, after in (
        (b'"seq":1', b'"seq":1,"seq":1'), (b'"seq":1', b'"seq":NaN'), (b'"seq":1', b'"seq":1.0'),
        (b'"seq":1', b'"seq":1e0'), (b'"seq":1', b'"seq":-Infinity'), (b'"seq":1', b'"seq":' + b"9" * 5000),
        (b'"seq":1', b'"seq":true'), (b'"seq":1', b'"s\\u0065q":1'), (b'"seq":1', b'"seq": 1'),
    ):  # fmt: skip
        if place == "payload":
            assert payload.count(before) == 1
            changed = {**json.loads(data), "payload": b64encode(payload.replace(before, after)).decode()}
            forged = dumps(changed)
        else:
            field = after.replace(b"seq", b"payload").replace(b"s\\u0065q", b"p\\u0061yload")
            forged = data.replace(b'"payload":', field + b',"payload":')
        signed.rewrite({name: forged})
        signed.forget()
        assert signed.code() == 11, after


def test_canonical_text_has_one_form() -> None:
    for text in (b'{"a":1}', b"[]", b'{"a":{"b":[1,-2,"x"]},"c":null}'):
        assert dumps(loads(text)) == text
    for text in (b'{"b":1,"a":1}', b"[1.0]", b"[NaN]", b"[01]", b'{"a": 1}', b'"\xc3\xa9"', b"[" * 9999, b"", b"[1]\n"):
        with pytest.raises(NotCanonical):
            loads(text)


def test_a_tree_that_borrows_a_path_with_a_newline(signed: Vault) -> None:
    """In the chain, where such a name has no place; and in the repository, where it is a file like any other."""
    name = name_of(head(signed))
    blob = signed.git("rev-parse", f"{signed.ref}:{name}")
    inner = f"100644 blob {blob}\t{name[3:]}\n".encode() + b"\0"
    keep = signed.git("ls-tree", "-z", f"{signed.ref}:{name[:2]}").encode()
    folder = signed.git("mktree", "-z", input=keep + inner)
    top = signed.git("ls-tree", "-z", signed.ref).replace(signed.git("rev-parse", f"{signed.ref}:{name[:2]}"), folder)
    tree = signed.git("mktree", "-z", input=top.encode())
    signed.git("update-ref", signed.ref, signed.git("commit-tree", tree, "-p", signed.ref, "-m", "borrowed"))
    signed.forget()
    assert signed.code() == 11
    signed.git("update-ref", signed.ref, f"{signed.ref}~1")
    plain = signed.verify().statement if hasattr(signed.verify(), "statement") else signed.verify().verdict.statement
    signed.commit("odd", {"shop/cart.py\n": "import shop.prices\n", 'a"\n{"x":1}': "x"})
    signed.create()
    assert signed.code(rebuild=True) == 0
    assert signed.verify().verdict.statement.root != plain.root
    assert signed.code("HEAD~1") == 0


def test_an_envelope_of_a_gigabyte(signed: Vault) -> None:
    """Refused by its size, before it is read."""
    name, size = name_of(head(signed)), 1 << 30
    oid = "1" * 40
    place = signed.path / ".git/objects/11"
    place.mkdir(exist_ok=True)
    packer = zlib.compressobj(1)
    with open(place / oid[2:], "wb") as file:
        file.write(packer.compress(b"blob %d\0" % size))
        chunk = bytes(1 << 24)
        for _ in range(size >> 24):
            file.write(packer.compress(chunk))
        file.write(packer.flush())
    index = {"GIT_INDEX_FILE": str(signed.path.parent / "index")}
    signed.git("read-tree", signed.ref, **index)
    signed.git("update-index", "--cacheinfo", f"100644,{oid},{name}", **index)
    tree = signed.git("write-tree", "--missing-ok", **index)
    signed.git("update-ref", signed.ref, signed.git("commit-tree", tree, "-p", signed.ref, "-m", "big"))
    signed.forget()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert signed.code() == 11 and "1,073,741,824" in signed.err
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # KiB


def test_a_key_file_that_others_may_read(vault: Vault, tmp_path: Path) -> None:
    config = tmp_path / "config"
    config.write_text(f"[oracl]\n\tsigningKey = {vault.key}\n")
    for mode in (0o644, 0o640):
        vault.key.chmod(mode)
        vault.cli("snapshot", "create", code=2)
        assert "chmod 600" in vault.err
        vault.cli("snapshot", "create", code=2, key=False, env={"GIT_CONFIG_GLOBAL": str(config)})
    assert not vault.refs


_SPY = """
import os, signal, subprocess, sys
started = subprocess.Popen.__init__
def spied(self, args, *rest, **more):
    env = more.get("env") or os.environ
    text = " ".join(os.fsdecode(a) for a in args) + " ".join(f"{k}={v}" for k, v in env.items())
    with open(os.environ["SPY"], "a", errors="surrogateescape") as file:
        file.write(text + "\\n")
    started(self, args, *rest, **more)
subprocess.Popen.__init__ = spied
if os.environ.get("CRASH"):
    import oracl_git.vault.keys as keys
    real = keys.Ed25519Signer.sign
    def crash(self, data):
        real(self, data)
        if os.environ["CRASH"] == "raise":
            secret = self._private.private_bytes_raw()
            raise RuntimeError("in the midst of it")
        os.kill(os.getpid(), signal.SIGSEGV)
    keys.Ed25519Signer.sign = crash
"""


def test_no_entropy_of_a_key_anywhere(vault: Vault, tmp_path: Path) -> None:
    """Canary: the seed in any spelling, in outputs, logs, tracebacks, arguments, children's environments, cores."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    pem = vault.key.read_text()
    seed = load_pem_private_key(pem.encode(), None).private_bytes_raw()  # type: ignore[union-attr]
    body = "".join(pem.splitlines()[1:-1])
    words = [seed, seed.hex().encode(), b64encode(seed), *(body[n : n + 12].encode() for n in range(20, 52, 4))]
    words += [b64encode(seed)[n : n + 12] for n in range(0, 30, 4)]
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/sitecustomize.py").write_text(_SPY)
    env = {
        **os.environ, "PYTHONPATH": str(tmp_path / "lib"), "SPY": str(tmp_path / "spy"), "ORACL_DEBUG": "1",
        "TMPDIR": str(tmp_path), "HOME": str(tmp_path),
    }  # fmt: skip
    start = "import sys; from oracl_git.cli import main; sys.exit(main())"
    said = b""
    runs = [
        (value, crash, verb)
        for value in (pem, b64encode(seed).decode())
        for crash, verb in (("", "snapshot create"), ("raise", "snapshot create"), ("kill", "snapshot create"))
    ]
    broken = (pem[:-40], pem.replace("M", "N", 3), b64encode(seed).decode()[:-2])
    runs += [(pem, "", "keys list"), *((value, "", "snapshot create") for value in broken)]
    for number, (value, crash, verb) in enumerate(runs):
        vault.commit("next", {"next.py": f"n = {number}"})
        done = subprocess.run(
            [sys.executable, "-c", start, *verb.split()], cwd=vault.path, env={**env, KEY: value, "CRASH": crash},
            capture_output=True, preexec_fn=_let_cores,
        )  # fmt: skip
        said += done.stdout + done.stderr
        assert crash != "kill" or done.returncode == -11
    assert b"in the midst of it" in said
    found = [path for path in [*vault.path.rglob("*"), *tmp_path.rglob("*")] if path.is_file()]
    for path in found:
        if path in (vault.key, tmp_path / "lib/sitecustomize.py"):
            continue
        assert not path.name.startswith("core"), path
        data = path.read_bytes()
        try:
            data += zlib.decompress(data)
        except zlib.error:
            pass
        assert not any(word in data for word in words), path
    assert not any(word in said for word in words)
    assert (tmp_path / "spy").stat().st_size > 1000


def _let_cores() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def test_a_process_that_saw_a_key_leaves_no_core(tmp_path: Path, key: Path) -> None:
    code = (
        "import ctypes, os, resource\nfrom oracl_git.vault import keys\n"
        f"keys._from_file({str(key)!r}, 'x'); keys.no_core_file()\n"
        "print(resource.getrlimit(resource.RLIMIT_CORE)[0], ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0 0\n"


def test_it_is_never_a_yes_by_accident(signed: Vault) -> None:
    """Junk refs of others neither help nor hurt."""
    for ref in ("refs/oracl/snapshots/junk/x", f"refs/oracl/snapshots/{'0' * 64}/{'1' * 16}", "refs/oracl/other"):
        signed.git("update-ref", ref, "HEAD")
    assert signed.code() == 0
    trusted = next(ref for ref in signed.refs if "junk" not in ref and "0" * 64 not in ref)
    signed.git("update-ref", trusted.rpartition("/")[0] + "/" + "2" * 16, "HEAD")
    assert signed.code() == 11  # in the name of a trusted key it does: refuse, and say where


def test_git_cannot_be_made_to_run_anything(signed: Vault, tmp_path: Path) -> None:
    """A handed-over clone whose config names programs."""
    mark = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch {mark}\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "gpg.program", "gpg.ssh.program", "core.pager", "diff.external"):
        signed.git("config", key, str(script))
    signed.git("config", "commit.gpgSign", "true")
    signed.cli("verify", *BASE, "--rebuild")
    signed.cli("snapshot", "create")
    try:
        signed.cli("snapshot", "fetch", "ext::sh -c evil", code=128)
    except OraclError:
        pass
    assert not mark.exists()
