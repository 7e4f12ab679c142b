"""Our snapshots, checked by code that is not ours; and theirs, checked by us."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from base64 import b64decode, b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from vaults import Vault, make

from oracl_git.vault import envelope, sshsig
from oracl_git.vault.canonical import dumps
from oracl_git.vault.keys import parse_public


def stored(vault: Vault) -> dict[str, Any]:
    commit = vault.git("rev-parse", "HEAD")
    value: dict[str, Any] = json.loads(vault.read(f"{commit[:2]}/{commit}.dsse.json"))
    return value


def public(key: Path) -> bytes:
    return parse_public(Path(f"{key}.pub").read_text()).raw


def pem(key: Path) -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return Ed25519PublicKey.from_public_bytes(public(key)).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def test_securesystemslib_verifies_the_envelope(signed: Vault) -> None:
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    value = stored(signed)
    theirs = Envelope.from_dict(stored(signed))
    key_id = value["signatures"][0]["keyid"]
    key = SSlibKey(key_id, "ed25519", "ed25519", {"public": public(signed.key).hex()})
    assert theirs.payload_type == envelope.PAYLOAD_TYPE
    assert list(theirs.verify([key], 1)) == [key_id]
    assert theirs.pae() == envelope.pae(envelope.PAYLOAD_TYPE, b64decode(value["payload"]))
    theirs.payload = theirs.payload.replace(b'"seq":1', b'"seq":2')
    with pytest.raises(VerificationError):
        theirs.verify([key], 1)


def test_we_verify_what_securesystemslib_signed(vault: Vault, signed: Vault) -> None:
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner

    with open(signed.key, "rb") as file:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        signer = CryptoSigner(load_pem_private_key(file.read(), None))  # type: ignore[arg-type]
    value = stored(signed)
    theirs = Envelope(b64decode(value["payload"]), envelope.PAYLOAD_TYPE, {})
    signature = theirs.sign(signer)
    again = {
        **value,
        "signatures": [
            {"keyid": value["signatures"][0]["keyid"], "sig": b64encode(bytes.fromhex(signature.signature)).decode()}
        ],
    }
    commit = signed.git("rev-parse", "HEAD")
    signed.rewrite({f"{commit[:2]}/{commit}.dsse.json": dumps(again)})
    signed.forget()
    assert signed.code() == 0


def test_openssl_verifies_the_bytes_that_were_signed(signed: Vault, tmp_path: Path) -> None:
    if not shutil.which("openssl"):
        pytest.fail("openssl is needed for this test: apt-get install openssl")
    value = stored(signed)
    payload = b64decode(value["payload"])
    # By hand, as the page on the format tells it.
    pae = f"DSSEv1 {len(value['payloadType'])} {value['payloadType']} {len(payload)} ".encode() + payload
    (tmp_path / "pae").write_bytes(pae)
    (tmp_path / "sig").write_bytes(b64decode(value["signatures"][0]["sig"]))
    (tmp_path / "pub.pem").write_bytes(pem(signed.key))
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "pub.pem",
        "-rawin",
        "-in",
        "pae",
        "-sigfile",
        "sig",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "Verified Successfully" in done.stdout, done.stderr
    (tmp_path / "pae").write_bytes(pae.replace(b'"seq":1', b'"seq":2'))
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0


def test_in_toto_attestation_reads_the_statement(signed: Vault) -> None:
    from google.protobuf.json_format import Parse
    from in_toto_attestation.v1 import statement_pb2
    from in_toto_attestation.v1.statement import STATEMENT_TYPE_URI, Statement

    payload = b64decode(stored(signed)["payload"])
    read = Statement.copy_from_pb(Parse(payload, statement_pb2.Statement()))
    read.validate()
    assert read.pb.type == STATEMENT_TYPE_URI and read.pb.predicate_type.endswith("/v1")
    (subject,) = read.pb.subject
    assert subject.digest["gitCommit"] == signed.git("rev-parse", "HEAD")
    assert subject.digest["gitTree"] == signed.git("rev-parse", "HEAD^{tree}")
    status = signed.cli("status", "--json")
    assert read.pb.predicate["root"]["sha256"] == status["root"]


def test_ssh_keygen_verifies_our_sshsig(tmp_path: Path, another_key: Callable[..., Path]) -> None:
    vault = make(tmp_path / "ssh", another_key("ssh-key", ssh=True))
    vault.create()
    value = stored(vault)
    message = envelope.pae(envelope.PAYLOAD_TYPE, b64decode(value["payload"]))
    (tmp_path / "sig").write_text(sshsig.armor(b64decode(value["signatures"][0]["sig"])))
    (tmp_path / "allowed").write_text((vault.path / ".agentlas/allowed_signers").read_text())
    command = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-f",
        "allowed",
        "-I",
        "dev@example.com",
        "-n",
        sshsig.NAMESPACE,
        "-s",
        "sig",
    ]
    good = subprocess.run(command, cwd=tmp_path, input=message, capture_output=True)
    assert good.returncode == 0, good.stderr
    assert vault.verify().verdict.vouchers[0].key_id in value["signatures"][0]["keyid"]
    fingerprint = subprocess.run(
        ["ssh-keygen", "-lf", f"{vault.key}.pub"], capture_output=True, text=True, check=True
    ).stdout.split()[1]
    assert fingerprint == vault.cli("keys", "list", "--json")["own"]
    bad = subprocess.run(command, cwd=tmp_path, input=message + b" ", capture_output=True)
    assert bad.returncode != 0
    (tmp_path / "revoked").write_text(Path(f"{vault.key}.pub").read_text())
    assert subprocess.run([*command, "-r", "revoked"], cwd=tmp_path, input=message, capture_output=True).returncode != 0


def test_ssh_keygen_reads_what_keys_trust_writes(
    vault: Vault, another_key: Callable[..., Path], tmp_path: Path
) -> None:
    """Dates and namespaces as OpenSSH understands them; and a key that ssh-keygen made."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "theirs")], check=True)
    key, lists = tmp_path / "theirs", tmp_path / "lists"
    message = tmp_path / "message"
    message.write_text("x")
    for dates, good in (
        ([], True), (["--valid-before", "20200101Z"], False), (["--valid-after", "20200101Z"], True),
        (["--valid-after", "20990101Z"], False),
    ):  # fmt: skip
        lists.unlink(missing_ok=True)
        vault.cli("keys", "trust", f"{key}.pub", "--principal", "a@b.c", "--file", str(lists), *dates)
        subprocess.run(
            ["ssh-keygen", "-q", "-Y", "sign", "-n", sshsig.NAMESPACE, "-f", str(key), str(message)], check=True,
            capture_output=True,
        )  # fmt: skip
        done = subprocess.run(
            f"ssh-keygen -Y verify -f {lists} -I a@b.c -n {sshsig.NAMESPACE} -s {message}.sig".split(),
            input=b"x", capture_output=True,
        )  # fmt: skip
        assert (done.returncode == 0) is good, (dates, done.stderr)
        message.with_suffix(".sig").unlink(missing_ok=True)
        Path(f"{message}.sig").unlink(missing_ok=True)
        vault.key = key
        vault.create()
        assert (vault.code(trust=str(lists)) == 0) is good, dates


def test_an_agent_signs_for_a_key_behind_a_passphrase(vault: Vault, tmp_path: Path) -> None:
    """We never see the key: ssh-keygen asks the agent."""
    key = tmp_path / "locked"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "a passphrase", "-f", str(key)], check=True)
    config = tmp_path / "config"
    config.write_text(f"[oracl]\n\tsigningKey = {key}\n")
    vault.cli("snapshot", "create", key=False, code=2, env={"GIT_CONFIG_GLOBAL": str(config)})  # no agent
    ask = tmp_path / "ask"
    ask.write_text("#!/bin/sh\necho a passphrase\n")
    ask.chmod(0o755)
    socket = tmp_path / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
    try:
        while not socket.exists():
            assert agent.poll() is None
        env = {"SSH_AUTH_SOCK": str(socket), "GIT_CONFIG_GLOBAL": str(config)}
        add = {"SSH_ASKPASS": str(ask), "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"}
        subprocess.run(["ssh-add", "-q", str(key)], env={**os.environ, **env, **add}, check=True, capture_output=True)
        assert vault.cli("snapshot", "create", "--json", key=False, env=env)["scheme"] == "sshsig"
    finally:
        agent.terminate()
        agent.wait()
    trusted = tmp_path / "trusted"
    trusted.write_text(f"a@b {Path(f'{key}.pub').read_text()}")
    assert vault.code(trust=str(trusted)) == 0
