#!/usr/bin/env python3
"""A second verifier of git-oracl snapshots, written from docs/explanation/snapshot-format.md alone.

    python verify_minimal.py ALLOWED_SIGNERS [REV] [--sources] [--body DIR]

Needs git and the `cryptography` package. Judges every chain of a trusted key, then the snapshot of REV.
--sources recomputes the source root; --body checks the rows that `git oracl snapshot export DIR` wrote.
Keeps no memory: a chain that was rolled back whole is not seen. Exit codes as of git oracl verify.
"""
import base64, json, pathlib, re, subprocess, sys, time  # noqa: E401, I001
from hashlib import new, sha256
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

P, PREFIX = 2**255 - 19, "refs/oracl/snapshots/"

def fail(code, why):
    sys.exit(print(why, file=sys.stderr) or code)

def git(*args):
    done = subprocess.run(["git", *args], capture_output=True)
    return done.stdout if done.returncode == 0 else fail(16, done.stderr.decode(errors="replace"))

def write(value):  # the one form: sorted, compact, ASCII
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()

def canonical(data):  # another form, a float, NaN or a key that stands twice is not written again as it was
    try:
        value = json.loads(data.decode("ascii"), parse_float=str, parse_constant=str)
        return value if write(value) == data else fail(11, "not in canonical form")
    except (ValueError, RecursionError):
        fail(11, "not JSON of ours")

def field(data):  # an SSH string: four bytes of length, then so many bytes
    size = int.from_bytes(data[:4], "big")
    return data[4 : 4 + size], data[4 + size :]

def weak(raw):  # no point of the curve, or of order 1, 2, 4, 8
    y, sign, d = int.from_bytes(raw, "little") & (1 << 255) - 1, raw[31] >> 7, -121665 * pow(121666, -1, P) % P
    square = (y * y - 1) * pow(d * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if y >= P or x * x % P != square or (x == 0 and sign):
        return True
    for _ in range(3):  # 8·A is the neutral element for those points alone
        t = d * x * x * y * y % P
        x, y = 2 * x * y * pow(1 + t, -1, P) % P, (y * y + x * x) * pow(1 - t, -1, P) % P
    return (x, y) == (0, 1)

def trusted_keys(path):  # key id -> 32 raw bytes
    found, now = {}, time.strftime("%Y%m%d", time.gmtime())
    for line in pathlib.Path(path).read_text().splitlines():
        match = re.match(r"^[^#\s]\S*\s+(?:(\S+)\s+)?ssh-ed25519\s+([A-Za-z0-9+/=]+)", line)
        if match:
            options, blob = dict(re.findall(r'([\w-]+)="([^"]*)"', match[1] or "")), base64.b64decode(match[2])
            after, before = options.get("valid-after", "0")[:8], options.get("valid-before", "9")[:8]
            raw, space = field(field(blob)[1])[0], options.get("namespaces", "oracl-snapshot").split(",")
            if after <= now < before and "oracl-snapshot" in space and len(raw) == 32 and not weak(raw):
                found[sha256(blob).hexdigest()] = raw
    return found

def signed_by(raw, signature, message):
    if signature.startswith(b"SSHSIG"):
        (key, rest), parts = field(signature[10:]), []
        for _ in range(3):  # namespace, reserved, hash
            part, rest = field(rest)
            parts.append(part)
        if field(field(key)[1])[0] != raw or parts[0] != b"oracl-snapshot" or parts[2] not in (b"sha512", b"sha256"):
            return False
        parts.append(new(parts[2].decode(), message).digest())
        message = b"SSHSIG" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        signature = field(field(field(rest)[0])[1])[0]
    try:
        return Ed25519PublicKey.from_public_bytes(raw).verify(signature, message) is None
    except (InvalidSignature, ValueError):
        return False

def opened(name, data, key_id, raw):  # (digest of the payload, what it says) of a signed envelope
    value = canonical(data)
    kind, payload = value["payloadType"], base64.b64decode(value["payload"], validate=True)
    (signature,) = [base64.b64decode(signed["sig"], validate=True) for signed in value["signatures"]]
    again = {"payload": base64.b64encode(payload).decode(), "payloadType": "application/vnd.in-toto+json",
             "signatures": [{"keyid": key_id, "sig": base64.b64encode(signature).decode()}]}
    if write(again) != data:
        fail(11, f"{name} is no envelope of {key_id}")
    said = canonical(payload)
    if said["subject"][0]["digest"]["gitCommit"] not in name:
        fail(13, f"{name} is of another commit")
    if not signed_by(raw, signature, f"DSSEv1 {len(kind)} {kind} {len(payload)} ".encode() + payload):
        fail(11, f"{name} is not signed by {key_id}")
    return sha256(payload).hexdigest(), said

def merkle(pairs, bit=0):  # (key, leaf) pairs, sorted
    if len(pairs) < 2:
        return pairs[0][1] if pairs else None
    left = [pair for pair in pairs if not pair[0][bit >> 3] & 0x80 >> (bit & 7)]
    sides = [side for side in (merkle(left, bit + 1), merkle(pairs[len(left) :], bit + 1)) if side]
    return sides[0] if len(sides) == 1 else sha256(b"\1" + sides[0] + sides[1]).digest()

def root(named_rows):
    pairs = sorted((sha256(name.encode()).digest(), sha256(b"\0" + row).digest()) for name, row in named_rows)
    return (merkle(pairs) or sha256().digest()).hex()

def sources(commit):
    for entry in git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
        head, _, path = entry.partition(b"\t")
        mode, kind, oid = head.decode().split()
        sha = sha256(oid.encode() if kind == "commit" else git("cat-file", "blob", oid)).hexdigest()
        name = "".join(chr(b) if re.match(rb"[A-Za-z0-9._~/-]", bytes([b])) else f"%{b:02X}" for b in path)
        yield name, write({"mode": int(mode, 8), "path": name, "sha256": sha})

def body(directory):
    shards = [pathlib.Path(directory, "body", f"{number:02x}.jsonl").read_bytes() for number in range(256)]
    return [(canonical(row)["name"], row) for shard in shards for row in shard.splitlines()]

def main(trust, rev="HEAD", *options):
    keys, code, believed = trusted_keys(trust), 10, []
    commit, tree = (git("rev-parse", "--verify", f"{rev}^{{{kind}}}").decode().strip() for kind in ("commit", "tree"))
    for line in git("for-each-ref", "--format=%(objectname) %(refname)", PREFIX).decode().splitlines():
        oid, ref = line.split()
        key_id, writer = ref.removeprefix(PREFIX).split("/")
        names = [name.decode() for name in git("ls-tree", "-r", "-z", "--name-only", oid).split(b"\0")]
        mine, chain = f"{commit[:2]}/{commit}.dsse.json", {}
        if key_id not in keys:
            code, names = 12 if mine in names else code, []
        for name in names:
            if name.endswith(".dsse.json"):
                digest, said = opened(name, git("cat-file", "blob", f"{oid}:{name}"), key_id, keys[key_id])
                seq, its_tree = said["predicate"]["seq"], said["subject"][0]["digest"]["gitTree"]
                if seq in chain or said["predicate"]["writer"] != writer:
                    fail(14 if seq in chain else 11, f"{ref} split, or holds what is another's")
                chain[seq] = (digest, said["predicate"]["previous"])
                _ = name != mine or its_tree == tree or fail(13, "it names another tree")
                believed, code = believed + [said["predicate"]] * (name == mine), 13 if its_tree == tree else code
        for place, (seq, (_, previous)) in enumerate(sorted(chain.items()), 1):
            if seq != place or previous != ({"sha256": chain[seq - 1][0]} if seq > 1 else None):
                fail(11 if seq != place else 14, f"{ref} lacks a snapshot, or split, at {place}")
    for said in believed:
        if "--sources" in options and root(sources(commit)) != said["source_root"]["sha256"]:
            fail(15, "these are other sources")
        if "--body" in options and root(body(options[options.index("--body") + 1])) != said["root"]["sha256"]:
            fail(11, "the rows do not lead to the root")
        print(f"verified {commit} root {said['root']['sha256']} seq {said['seq']}")
    return 0 if believed else fail(code, f"nothing vouches for {commit}")

if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (KeyError, TypeError, ValueError, IndexError, OSError) as error:
        fail(11, f"malformed: {error}")
