"""Vault: what is signed, by whom, and whether to believe it.

Knows the statement about a commit's graph and its envelope, keys and trust, the
chains of snapshots in refs/oracl, and what is exported from a graph. The only
package that imports cryptography, and only when something is signed or checked.
A file for each step: canonical → statement → envelope → keys, sshsig, hmac →
trust → chain → memory → verify, rebuild. Knows nothing of terminals.
"""
