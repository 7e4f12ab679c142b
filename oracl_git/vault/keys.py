"""Keys: where a private one comes from, how a public one is named, and signing with them.

Knows PEM, OpenSSH and raw base64 keys, the two variables and the one setting that
name them, and HMAC. A private key is read, used and dropped: it is in no message,
no argument of a process, no environment of a child and no core file. Knows
nothing of who is trusted.
"""

from __future__ import annotations

import hmac
import os
import stat
from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

from ..errors import UsageError
from ..git import Repository
from ..git.run import SECRETS
from ..git.scope import user_setting
from . import curve, sshsig

PRIVATE_KEY, HMAC_KEY = SECRETS
SIGNING_KEY = "oracl.signingKey"
UNSIGNED = "unsigned"  # stands where a key id stands
HMAC_PREFIX = "hmac-sha256-"
_HMAC_LEAST = 32  # bytes
_LONGEST_FILE = 1 << 14
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HINT = "git oracl keys generate"


@dataclass(frozen=True)
class PublicKey:
    """An Ed25519 public key: its 32 raw bytes are its identity."""

    raw: bytes

    @property
    def id(self) -> str:
        """SHA-256 of the SSH form, hex: computed from the key, never read from a file."""
        return sha256(sshsig.key_blob(self.raw)).hexdigest()

    @property
    def fingerprint(self) -> str:
        """The same, as `ssh-keygen -l` shows it."""
        return fingerprint(self.id)

    @property
    def openssh(self) -> str:
        """The key as one line of allowed_signers or a .pub file has it."""
        return f"{sshsig.KEY_TYPE} {b64encode(sshsig.key_blob(self.raw)).decode('ascii')}"

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """Whether this key signed the data, bare or as an SSHSIG of our namespace. The key decides what is tried."""
        if curve.is_weak(self.raw):
            return False
        if sshsig.is_sshsig(signature):
            try:
                blob = sshsig.decode(signature)
            except ValueError:
                return False
            if blob.raw_key != self.raw or blob.namespace != sshsig.NAMESPACE:
                return False
            return self._bare(blob.signature, sshsig.message(data, hash_name=blob.hash_name))
        return self._bare(signature, data)

    def _bare(self, signature: bytes, data: bytes) -> bool:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, data)
        except (InvalidSignature, ValueError):
            return False
        return True


def fingerprint(key_id: str) -> str:
    """A key id as people compare them."""
    try:
        return "SHA256:" + b64encode(bytes.fromhex(key_id)).decode("ascii").rstrip("=")
    except ValueError:
        return key_id


class Signer(Protocol):
    """Whatever can vouch."""

    @property
    def key_id(self) -> str:
        """Whose chain it adds to."""

    @property
    def scheme(self) -> str:
        """ed25519, sshsig or hmac-sha256; the prefix of `.sig` sidecars."""

    @property
    def public(self) -> PublicKey | None:
        """What checks it, where that may be known."""

    def sign(self, data: bytes) -> bytes:
        """A signature over the data."""


class Ed25519Signer:
    """A private key in memory. `ssh`: its owner keeps it in OpenSSH's form, and gets SSHSIG."""

    def __init__(self, private: Any, ssh: bool) -> None:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        self._private = private
        self._ssh = ssh
        self.public: PublicKey | None = PublicKey(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))
        self.key_id = self.public.id if self.public else ""
        self.scheme = "sshsig" if ssh else "ed25519"

    def sign(self, data: bytes) -> bytes:
        assert self.public is not None
        if not self._ssh:
            return bytes(self._private.sign(data))
        return sshsig.encode(self.public.raw, self._private.sign(sshsig.message(data)))


class AgentSigner:
    """A key that ssh-keygen reaches and we do not: with a passphrase, or in an agent."""

    scheme = "sshsig"

    def __init__(self, path: str, public: PublicKey) -> None:
        self._path = path
        self.public: PublicKey | None = public
        self.key_id = public.id

    def sign(self, data: bytes) -> bytes:
        from ..git.ssh import sign

        signature = sshsig.dearmor(sign(self._path, sshsig.NAMESPACE, data))
        if self.public is None or not self.public.verifies(signature, data):
            raise UsageError("ssh-keygen signed with another key than the one that is configured", _HINT)
        return signature


class HmacSigner:
    """A secret shared with oneself: says that nobody else on the way changed it, to those who know it too."""

    scheme = "hmac-sha256"
    public = None

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.key_id = HMAC_PREFIX + hmac.digest(key, b"oracl-git key id", "sha256").hex()[:32]

    def sign(self, data: bytes) -> bytes:
        return hmac.digest(self._key, data, "sha256")

    def verifies(self, signature: bytes, data: bytes) -> bool:
        return hmac.compare_digest(self.sign(data), signature)


# -- where a private key comes from -----------------------------------------------------------


def configured(repo: Repository) -> bool:
    """Whether a key is named anywhere; it is not looked at."""
    return PRIVATE_KEY in os.environ or bool(user_setting(repo, SIGNING_KEY))


def signer(repo: Repository) -> Signer | None:
    """The configured key; None when none is. A key that is named and cannot be used is an error."""
    text = os.environ.get(PRIVATE_KEY)
    if text is not None:
        no_core_file()
        return _from_text(text)
    path = user_setting(repo, SIGNING_KEY)
    if not path:
        return None
    no_core_file()
    return _from_file(os.path.expanduser(path), SIGNING_KEY)


def hmac_signer() -> HmacSigner:
    """The shared secret of ORACALL_HMAC_KEY. Raises UsageError when it is missing or short."""
    key = os.environ.get(HMAC_KEY, "").encode("utf-8", "surrogateescape")
    if len(key) < _HMAC_LEAST:
        state = f"has {len(key)} bytes" if key else "is not set"
        raise UsageError(
            f"{HMAC_KEY} {state}; an HMAC key has at least {_HMAC_LEAST}",
            f"export {HMAC_KEY}=$(openssl rand -hex 32)",
        )
    no_core_file()
    return HmacSigner(key)


def no_core_file() -> None:
    """A process that has seen a key leaves no image of its memory behind, however it ends."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:  # a core that is piped to a program ignores the limit, but not this
        from ctypes import CDLL

        CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    except (OSError, AttributeError):
        pass  # not Linux: the limit is what there is


def _from_text(text: str) -> Signer:
    if not text.strip():
        raise UsageError(f"{PRIVATE_KEY} is set but empty", f"unset {PRIVATE_KEY}, or set it to a key: {_HINT}")
    if "-----BEGIN" in text:
        return _from_bytes(text.encode("utf-8", "surrogateescape"), PRIVATE_KEY)
    raw = _raw(text)
    if raw is not None:
        return _from_bytes(text.encode(), PRIVATE_KEY)
    if len(text) < 4096 and "\n" not in text.strip() and os.path.exists(os.path.expanduser(text)):
        return _from_file(os.path.expanduser(text), PRIVATE_KEY)
    # Not a word of the value: it may be a key with a letter missing.
    raise UsageError(f"{PRIVATE_KEY} is neither a PEM or base64 Ed25519 key nor a file that is there", _HINT)


def _from_file(path: str, source: str) -> Signer:
    if path.endswith(".pub"):
        return AgentSigner(path, read_public(path))
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such file"
        raise UsageError(f"the key file that {source} names cannot be read: {why}", _HINT) from None
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LONGEST_FILE:
            raise UsageError(f"what {source} names is no key file", _HINT)
        if found.st_mode & _OTHERS:
            raise UsageError(f"others may read the key file {path} (mode {found.st_mode & 0o777:04o})",
                             f"chmod 600 {path}, and replace the key if others were here")  # fmt: skip
        data = file.read(_LONGEST_FILE)
    return _from_bytes(data, source, path)


def _from_bytes(data: bytes, source: str, path: str = "") -> Signer:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key

    ssh = b"BEGIN OPENSSH PRIVATE KEY" in data
    try:
        if ssh:
            key: object = load_ssh_private_key(data, None)
        elif b"-----BEGIN" in data:
            key = load_pem_private_key(data, None)
        else:
            raw = _raw(data.decode("ascii", "replace"))
            if raw is None:
                raise ValueError
            key = Ed25519PrivateKey.from_private_bytes(raw)
    except (ValueError, TypeError, UnsupportedAlgorithm):  # none of their words: they may quote the key
        if ssh and path and os.path.exists(path + ".pub"):  # with a passphrase: ssh-keygen asks the agent
            return AgentSigner(path, read_public(path + ".pub"))
        raise UsageError(f"{source} gives no usable Ed25519 private key", _HINT) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"{source} gives a key of another algorithm; snapshots are signed with Ed25519", _HINT)
    return Ed25519Signer(key, ssh)


def _raw(text: str) -> bytes | None:
    """The 32-byte seed of a base64 text, with or without the public half after it."""
    try:
        data = b64decode(text.strip(), validate=True)
    except ValueError:
        return None
    return data[:32] if len(data) in (32, 64) else None


# -- public keys and new ones -------------------------------------------------------------------


def parse_public(text: str) -> PublicKey:
    """A public key from an OpenSSH line or PEM. Raises UsageError, also for keys of small order."""
    try:
        if "-----BEGIN" in text:
            raw = _pem_public(text)
        else:
            words = text.split()
            start = words.index(sshsig.KEY_TYPE)
            raw = sshsig.key_of(b64decode(words[start + 1], validate=True))
    except (ValueError, IndexError):
        raise UsageError("that is no Ed25519 public key", "git oracl keys list shows yours") from None
    if curve.is_weak(raw):
        raise UsageError("that key is of small order: anyone can sign in its name", _HINT)
    return PublicKey(raw)


def _pem_public(text: str) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    try:
        key = load_pem_public_key(text.encode())
    except UnsupportedAlgorithm as error:
        raise ValueError from error
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def read_public(path: str) -> PublicKey:
    """The public key in a file."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return parse_public(file.read(_LONGEST_FILE))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", _HINT) from None


def generate(path: str, ssh: bool) -> PublicKey:
    """Write a new private key, readable by its owner alone, and its public half beside it. Overwrites nothing."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    no_core_file()
    private = Ed25519PrivateKey.generate()
    form = PrivateFormat.OpenSSH if ssh else PrivateFormat.PKCS8
    data = private.private_bytes(Encoding.PEM, form, NoEncryption())
    made = Ed25519Signer(private, ssh).public
    assert made is not None
    written: list[str] = []
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        for name, content, mode in ((path, data, 0o600), (path + ".pub", f"{made.openssh}\n".encode(), 0o666)):
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            written.append(name)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        written.clear()
    except FileExistsError as error:
        why = f"{error.filename} is there already; no key is overwritten"
        raise UsageError(why, f"git oracl keys generate --out {path}.new") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", "git oracl keys generate --out FILE") from None
    finally:
        for name in written:  # half of a pair is no key
            os.unlink(name)
    return made


def default_place() -> str:
    """Where a new key goes."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, "oracl-git", "signing-key")
