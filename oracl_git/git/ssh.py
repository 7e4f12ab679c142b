"""ssh-keygen, run for keys that only it can use: behind a passphrase, in an agent, in hardware.

Knows its command line for signing. Knows nothing of what is signed, and sees no key.
"""

from __future__ import annotations

import os
import subprocess

from oracl_git.errors import UsageError
from oracl_git.git.run import without_secrets

_SECONDS = 60  # a hardware key waits for a touch


def sign(key: str, namespace: str, data: bytes) -> bytes:
    """The armoured SSHSIG of some data; `key` is the file of a private key, or of a public one an agent holds."""
    env = {**without_secrets(), "SSH_ASKPASS_REQUIRE": os.environ.get("SSH_ASKPASS_REQUIRE", "never"), "LC_ALL": "C"}
    command = ("ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key)
    try:
        done = subprocess.run(command, input=data, capture_output=True, env=env, timeout=_SECONDS, check=False)
    except FileNotFoundError:
        raise UsageError("this key needs ssh-keygen, which is not there", "install the OpenSSH client") from None
    except subprocess.TimeoutExpired:
        raise UsageError("ssh-keygen did not sign within a minute", f"ssh-add {key}") from None
    if done.returncode:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gave no reason"]
        raise UsageError(f"ssh-keygen did not sign: {words[-1][:200]}", f"ssh-add {key}")
    return done.stdout
