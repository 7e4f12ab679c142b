"""Which code reads files: a digest over it, its queries and the parsers it names.

Knows where that code lies. Loads none of it.
"""

from __future__ import annotations

import os
import unicodedata
from hashlib import sha256


def version() -> str:
    """A digest of everything an extraction depends on besides its input; versions of parsers stand in the code."""
    digest = sha256(unicodedata.unidata_version.encode())
    folder = os.path.dirname(__file__)
    for name in sorted(os.listdir(folder)):
        if name.endswith((".py", ".scm")):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(f"\0{name}\0{sha256(file.read()).hexdigest()}".encode())
    return digest.hexdigest()
