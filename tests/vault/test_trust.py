"""Who is believed: the list, its source, dates, revocation, rotation, threshold, HMAC, policy."""

from __future__ import annotations

import os
import time
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import BASE, Vault, make, new_key

from oracl_git.errors import UsageError
from oracl_git.vault import curve, trust

HMAC = {"ORACALL_HMAC_KEY": "x" * 32}


def listed(vault: Vault, *options: str, key: Path | None = None) -> str:
    """A file that trusts a key with some options."""
    path = vault.path.parent / "trusted"
    given = ",".join(options)
    path.write_text(f"dev@example.com {given} {Path(f'{key or vault.key}.pub').read_text()}")
    return str(path)


def date(days: int) -> str:
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + 86_400 * days))


def test_dates_and_namespaces(signed: Vault) -> None:
    for options, code in (
        ([], 0),
        (['namespaces="oracl-snapshot"'], 0),
        (['namespaces="git,oracl-*"'], 0),
        (['namespaces="git"'], 12),
        (['namespaces="!oracl-snapshot,*"'], 12),
        (['namespaces="oracl-[s]napshot"'], 12),
        (['namespaces="git"', 'namespaces="oracl-snapshot"'], 12),
        ([f'valid-before="{date(1)}"'], 0),
        ([f'valid-before="{date(-1)}"'], 12),
        ([f'valid-after="{date(1)}"'], 12),
        ([f'valid-after="{date(-2)}"', f'valid-before="{date(2)}"', 'namespaces="oracl-snapshot"'], 0),
        (['valid-before="soon"'], 12),
        (["cert-authority"], 12),
        (["no-such-option"], 12),
    ):
        assert signed.code(trust=listed(signed, *options)) == code, options
    expired = listed(signed, f'valid-before="{date(-1)}"')
    assert signed.code(trust=expired, at=date(-2)) == 0  # a release of then, judged as of then
    two = Path(expired).read_text() + Path(listed(signed, f'valid-after="{date(-1)}"')).read_text()
    Path(expired).write_text(two)
    assert signed.code(trust=expired) == 0  # any line that holds


@pytest.mark.parametrize("end", ["\u2028", "\u0085", "\r", "\f", "\v", "\x1c"])
def test_a_comment_ends_where_openssh_ends_it(signed: Vault, end: str) -> None:
    """Who reviews the list sees a comment, and so does ssh-keygen."""
    path = Path(listed(signed))
    line = path.read_text()
    path.write_text(f"# dev{end}{line}")
    assert signed.code(trust=str(path)) == 12
    assert trust.parse_revoked(f"# dev{end}{line.split(' ', 2)[2]}".encode())  # and what is revoked is revoked
    path.write_text("\t" + line.replace(" ", "\t", 2))
    assert signed.code(trust=str(path)) == 0


def test_a_list_is_read_to_its_end_or_not_at_all(signed: Vault, tmp_path: Path) -> None:
    revoked = tmp_path / "revoked"
    revoked.write_text("# x\n" * (1 << 18) + Path(f"{signed.key}.pub").read_text())
    with pytest.raises(UsageError):
        signed.verify(revoked=str(revoked))


def test_other_algorithms_are_not_trusted(signed: Vault) -> None:
    path = listed(signed)
    rsa = b64encode(b"\0\0\0\7ssh-rsa\0\0\0\3\1\0\1\0\0\0\1\1").decode()
    Path(path).write_text(f"dev@example.com ssh-rsa {rsa}\n")
    assert signed.code(trust=path) == 12
    signed.cli("keys", "list", "--trust", path)
    assert "ssh-rsa" in signed.err


def test_the_list_on_the_base_ref_counts(vault: Vault, another_key: Callable[..., Path]) -> None:
    """A change that swaps snapshot and key together does not authorise itself."""
    vault.git("checkout", "-q", "-b", "change")
    vault.key = another_key()
    line = f"dev@example.com {Path(f'{vault.key}.pub').read_text()}"
    vault.commit("trust me", {".agentlas/allowed_signers": line})
    vault.create()
    vault.cli("verify", *BASE, code=12)
    vault.cli("verify", "--base", "change")
    vault.git("checkout", "-q", "main")
    vault.git("merge", "-q", "change")
    vault.cli("verify", *BASE)
    clone = vault.clone("clone")
    clone.cli("verify")  # origin/HEAD


def test_a_user_may_have_a_list_of_their_own(vault: Vault, another_key: Callable[..., Path], tmp_path: Path) -> None:
    vault.key = another_key()
    vault.create()
    path = listed(vault)
    vault.git("config", "oracl.trustFile", path)
    vault.cli("verify", *BASE, code=12)  # the repository's config is not the user's
    config = tmp_path / "config"
    config.write_text(f"[oracl]\n\ttrustFile = {path}\n")
    vault.cli("verify", *BASE, env={"GIT_CONFIG_GLOBAL": str(config)})


def test_revocation(signed: Vault, tmp_path: Path) -> None:
    public = Path(f"{signed.key}.pub").read_text()
    revoked = tmp_path / "revoked"
    with_id = signed.cli("keys", "list", *BASE, "--json")["keys"][0]
    for line in (public, f"dev@example.com {public}", with_id["fingerprint"] + "\n", with_id["key_id"] + "\n"):
        revoked.write_text("# lost\n" + line)
        assert signed.code(revoked=str(revoked)) == 12, line
        assert "revoked" in signed.err
    cut = [with_id["fingerprint"][: len("SHA256:") + size] for size in (0, 3, 7, 40, 42)]
    for line in ("what is this", *cut, with_id["key_id"][:-1]):
        revoked.write_text(line + "\n")
        assert signed.code(revoked=str(revoked)) == 2, line  # a revocation that is not understood is not passed over
        signed.cli("keys", "revoke", line, code=2)
    signed.git("checkout", "-q", "-b", "lost")
    signed.cli("keys", "revoke", f"{signed.key}.pub")
    signed.commit("The key was lost")
    signed.create()
    signed.cli("verify", *BASE, code=12)  # a change may take trust away
    signed.git("checkout", "-q", "main")
    assert signed.code() == 0
    signed.git("merge", "-q", "lost")
    assert signed.code("HEAD~1") == 12
    assert not signed.cli("keys", "list", *BASE, "--json")["keys"][0]["trusted"]


def test_rotation(signed: Vault, another_key: Callable[..., Path]) -> None:
    """A new key is trusted by a commit that the old one signs; then the old one expires."""
    old, new = signed.key, another_key("new")
    first = signed.git("rev-parse", "HEAD")
    signed.git("checkout", "-q", "-b", "rotate")
    signed.cli("keys", "trust", f"{new}.pub", "--principal", "dev@example.com")
    signed.commit("A new key")
    signed.create()
    signed.cli("verify", *BASE)
    signed.git("checkout", "-q", "main")
    signed.git("merge", "-q", "rotate")
    signed.key = new
    signed.commit("Signed with it", {"x.py": ""})
    signed.create()
    assert signed.code() == 0
    lines = [f'dev@example.com valid-before="{date(-1)}" ', "dev@example.com "]
    keys = [Path(f"{key}.pub").read_text() for key in (old, new)]
    signed.commit("The old one ends", {".agentlas/allowed_signers": "".join(map(str.__add__, lines, keys))})
    signed.create()
    assert signed.code() == 0 and signed.code(first) == 12 and signed.code(first, at=date(-2)) == 0
    signed.create(first)  # whoever needs the old commits signs them anew
    assert signed.code(first) == 0


def test_threshold_counts_keys(signed: Vault, another_key: Callable[..., Path]) -> None:
    path = Path(listed(signed))
    both = path.read_text()
    path.write_text(both + both.replace("dev@", "also-dev@"))
    assert signed.code(trust=str(path)) == 0
    assert signed.code(trust=str(path), threshold=2) == 12  # one key under two names is one key
    clone = signed.clone("clone")
    clone.create()
    signed.git("fetch", "-q", str(clone.path), "refs/oracl/snapshots/*:refs/oracl/snapshots/*")
    assert len(signed.refs) == 2
    assert signed.code(trust=str(path), threshold=2) == 12  # and in two clones too
    signed.key = another_key()
    signed.create()
    path.write_text(both + Path(listed(signed)).read_text())
    assert signed.code(trust=str(path), threshold=2) == 0
    assert signed.code(trust=str(path), threshold=3) == 12


def test_signers_who_contradict_each_other(
    signed: Vault, another_key: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from oracl_git.vault import header

    describe = header.describe
    monkeypatch.setattr(header, "describe", lambda *a: describe(*a)._replace(source_root="0" * 64))
    both = Path(listed(signed)).read_text()
    signed.key = another_key()
    signed.create()
    path = Path(listed(signed))
    path.write_text(both + path.read_text())
    assert signed.code(trust=str(path)) == 11 and "different" in signed.err


def test_hmac_is_local_integrity_asked_for_by_name(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    assert vault.cli("snapshot", "create", "--hmac", "--json", env=HMAC)["scheme"] == "hmac-sha256"
    vault.cli("verify", *BASE, code=12, env=HMAC)
    assert "HMAC" in vault.err
    assert "Local integrity only" in vault.cli("verify", "--hmac", env=HMAC)
    vault.cli("verify", "--hmac", code=11, env={"ORACALL_HMAC_KEY": "y" * 32})
    for short in ("", "x" * 31):
        vault.cli("verify", "--hmac", code=2, env={"ORACALL_HMAC_KEY": short})
        vault.cli("snapshot", "create", "--hmac", code=2, env={"ORACALL_HMAC_KEY": short})
    vault.git("config", "oracl.sign", "required")
    vault.cli("verify", "--hmac", code=12, env=HMAC)
    vault.cli("snapshot", "create", "--hmac", code=2, env=HMAC)


def test_an_hmac_key_that_was_replaced(vault: Vault) -> None:
    """Each key finds what it signed, whichever of the two chains is listed first."""
    both = [{"ORACALL_HMAC_KEY": letter * 32} for letter in "xy"]
    for env in both:
        vault.cli("snapshot", "create", "--hmac", env=env)
    for env in both:
        vault.cli("verify", "--hmac", env=env)
    vault.cli("verify", "--hmac", code=11, env={"ORACALL_HMAC_KEY": "z" * 32})


def test_policy(vault: Vault, tmp_path: Path) -> None:
    assert vault.cli("snapshot", "create", "--json", key=False)["scheme"] == "unsigned"
    vault.cli("verify", *BASE, code=12)
    assert "not signed" in vault.err
    config = tmp_path / "config"
    env = {"GIT_CONFIG_GLOBAL": str(config)}
    config.write_text("[oracl]\n\tsign = required\n")
    vault.cli("snapshot", "create", code=2, key=False, env=env)
    vault.git("config", "oracl.sign", "none")  # a repository cannot ask for less than its user
    vault.cli("snapshot", "create", code=2, key=False, env=env)
    vault.cli("snapshot", "create", code=2, key=False, env={**env, **HMAC})  # and no quiet HMAC
    assert vault.cli("snapshot", "create", "--json", env=env)["scheme"] == "ed25519"
    config.write_text("[oracl]\n\tsign = none\n")
    assert vault.cli("snapshot", "create", "--json", env=env)["scheme"] == "unsigned"
    vault.git("config", "oracl.sign", "required")  # but for more
    vault.cli("snapshot", "create", code=2, key=False, env=env)


def test_an_openssh_key_signs_as_ssh_keygen_does(tmp_path: Path, another_key: Callable[..., Path]) -> None:
    vault = make(tmp_path / "ssh", another_key("ssh-key", ssh=True))
    assert vault.cli("snapshot", "create", "--json")["scheme"] == "sshsig"
    assert vault.cli("verify", *BASE, "--json")["signers"][0]["scheme"] == "sshsig"
    assert vault.cli("snapshot", "create", "--json")["fresh"] is False


def test_keys_of_small_order_are_refused(vault: Vault) -> None:
    """All points of order 1, 2, 4 and 8, and what is no point or not in its one form."""
    p = 2**255 - 19
    root = pow(2, (p - 1) // 4, p)
    d = -121665 * pow(121666, -1, p) % p
    # order 8: y² = ±sqrt((1 + d ± …)) comes from doubling to order 4 (y = 0): x² = -y², so d·y⁴ + 2·y² - 1 = 0
    inverse = pow(d, -1, p)
    half = pow((1 + d) % p, (p + 3) // 8, p)
    half = half if half * half % p == (1 + d) % p else half * root % p
    squares = [(-1 + s * half) * inverse % p for s in (1, -1)]
    ys = {0, 1, p - 1}
    for square in squares:
        y = pow(square, (p + 3) // 8, p)
        y = y if y * y % p == square else y * root % p
        if y * y % p == square:
            ys |= {y, p - y}
    assert len(ys) == 5
    weak = [y | sign << 255 for y in ys for sign in (0, 1)] + [p, p + 1, 2, 2**255 - 1]
    for number in weak:
        assert curve.is_weak(number.to_bytes(32, "little")), hex(number)
    good = trust.parse(f"a@b {Path(f'{vault.key}.pub').read_text()}".encode())[0][0].key.raw
    assert not curve.is_weak(good)
    blob = b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + (1).to_bytes(32, "little")
    line = f"ssh-ed25519 {b64encode(blob).decode()}"
    vault.cli("keys", "trust", line, code=2)
    assert trust.parse(f"a@b {line}".encode()) == ((), ("line 1: a key of small order",))


def test_generate(tmp_path: Path, vault: Vault) -> None:
    made = vault.cli("keys", "generate", "--out", str(tmp_path / "new/key"), "--json")
    assert os.stat(made["file"]).st_mode & 0o777 == 0o600
    assert Path(made["file"] + ".pub").read_text().strip() == made["public"]
    vault.cli("keys", "generate", "--out", made["file"], code=2)
    vault.cli("keys", "trust", made["file"] + ".pub", "--principal", "a b", code=2)
    vault.cli("keys", "trust", made["file"] + ".pub", "--principal", "x@example.org", "--valid-before", "20300101")
    vault.cli(
        "keys", "trust", made["file"] + ".pub", "--principal", "x@example.org", "--valid-before", "20300101", code=2
    )
    assert "valid-before=" in (vault.path / ".agentlas/allowed_signers").read_text()
    names = {row["principals"] for row in vault.cli("keys", "list", *BASE, "--json")["keys"]}
    assert names == {"dev@example.com"}  # not committed yet


def test_half_a_pair_is_left_nowhere(tmp_path: Path, vault: Vault) -> None:
    (tmp_path / "half.pub").write_text("another's")
    vault.cli("keys", "generate", "--out", str(tmp_path / "half"), code=2)
    assert not (tmp_path / "half").exists() and (tmp_path / "half.pub").read_text() == "another's"


def test_a_key_on_a_curve_nobody_knows(tmp_path: Path, vault: Vault) -> None:
    oid = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x03\x2a\x03\x04"  # an EC key of an unnamed curve
    point = b"\x03\x03\x00\x04\x01"
    der = b"\x30" + bytes([len(oid) + 2 + len(point)]) + b"\x30" + bytes([len(oid)]) + oid + point
    path = tmp_path / "odd.pem"
    path.write_text(f"-----BEGIN PUBLIC KEY-----\n{b64encode(der).decode()}\n-----END PUBLIC KEY-----\n")
    vault.cli("keys", "trust", str(path), "--principal", "x@example.org", code=2)


@pytest.mark.parametrize(
    "text",
    ["2026", "20261301", "20260230", "yesterday", "", "20260101T99", "202601012460", "202601019999Z", "00000101"],
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(UsageError):
        trust.parse_date(text)


def test_lists_are_read_without_harm(vault: Vault, tmp_path: Path) -> None:
    for junk in (b"\xff\xfe\0\0", b'"', b'a "', b'x namespaces="', b"a ssh-ed25519", b"a ssh-ed25519 AAAA", b"\n" * 99):
        path = tmp_path / "junk"
        path.write_bytes(junk)
        vault.create()
        assert vault.code(trust=str(path)) == 12, junk
    os.mkfifo(tmp_path / "pipe")
    for odd in (tmp_path, tmp_path / "pipe", tmp_path / "nowhere"):
        with pytest.raises(UsageError):
            vault.verify(trust=str(odd))


def test_a_link_beside_the_list_is_not_followed(vault: Vault, tmp_path: Path) -> None:
    """A repository may bring links under the names that a file is written by."""
    other = tmp_path / "other"
    other.write_text("mine\n")
    home = vault.path / ".agentlas"
    names = ["allowed_signers.new", *(f"allowed_signers.{pid}.tmp" for pid in range(os.getpid(), os.getpid() + 200))]
    for name in names:
        (home / name).symlink_to(other)
    vault.cli("keys", "trust", f"{vault.key}.pub", "--principal", "x@example.org")
    assert "x@example.org" in (home / "allowed_signers").read_text() and other.read_text() == "mine\n"
    elsewhere = tmp_path / "elsewhere"
    home.rename(elsewhere)
    home.symlink_to(elsewhere)
    before = (elsewhere / "allowed_signers").read_text()
    vault.cli("keys", "trust", f"{vault.key}.pub", "--principal", "y@example.org", code=2)
    assert (elsewhere / "allowed_signers").read_text() == before


def test_lines_that_are_added_at_once(vault: Vault) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def add(number: int) -> None:
        vault.cli("keys", "trust", f"{vault.key}.pub", "--principal", f"p{number}@example.org")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    text = (vault.path / ".agentlas/allowed_signers").read_text()
    assert all(f"p{number}@example.org" in text for number in range(6)) and text.count("\n") == 7


def test_new_keys_differ(tmp_path: Path) -> None:
    assert new_key(tmp_path / "a").read_text() != new_key(tmp_path / "b").read_text()
