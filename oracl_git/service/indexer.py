"""A process that makes an index, or catches one up: `python -P -m oracl_git.service.indexer TOP`.

Prints a JSON list (step, done, total) a line while it works. A process of its
own: it may take long and much memory, and a server that answers must not notice.
"""

from __future__ import annotations

import json
import sys
import time

from ..errors import OraclError
from . import Oracl

_PACE = 0.2  # seconds between two lines


def main(top: str) -> int:
    """Update; 1 with a sentence when that fails."""
    told = 0.0

    def tell(step: str, done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > _PACE:
            told = time.monotonic()
            print(json.dumps([step, done, total]), flush=True)

    try:
        with Oracl.at(top) as oracl:
            oracl.update(progress=tell)
    except OraclError as error:
        print(json.dumps(error.message), flush=True)
        return 1
    except BrokenPipeError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
