"""Where pages of Sphinx lead, as Sphinx itself reads them: the truth for tools/eval/imports.py.

    python tools/eval/truth_sphinx.py REPOSITORY DOCS > TRUTH.jsonl
    python tools/eval/imports.py REPOSITORY TRUTH.jsonl --language rst --relation references

Needs `sphinx`, what the `conf.py` in DOCS imports, and the documented package on PYTHONPATH, from the repository.
Sphinx reads the pages, documents the modules, and its environment then says which pages each one lists, and
which other files it was made of: those included, and the sources of what is documented, where it is defined.
What the documents only mention, as in roles, is true as far as a word of theirs says so, but not asked for.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_WORD = re.compile(r"[\w./-]{3,200}")


def main() -> None:
    """Print the truth."""
    place, docs = Path(sys.argv[1]).resolve(), sys.argv[2]
    listed = subprocess.run(["git", "-C", place, "ls-files", "-z"], capture_output=True, check=True)
    files = set(filter(None, listed.stdout.decode().split("\0")))
    from sphinx.application import Sphinx

    with tempfile.TemporaryDirectory() as out:
        source = place / docs
        app = Sphinx(str(source), str(source), f"{out}/o", f"{out}/d", "dummy", status=None, warning=sys.stderr)
        app.build(force_all=True)
        env = app.env
        names = sorted(env.found_docs)
        pages = {name: os.path.relpath(env.doc2path(name), place) for name in names}
        for name in names:
            targets = {pages[each] for each in env.toctree_includes.get(name, ()) if each in pages}
            targets |= {
                os.path.relpath(os.path.realpath(os.path.join(app.srcdir, each)), place)
                for each in env.dependencies.get(name, ())
            }
            for target in sorted(targets & files - {pages[name]}):
                print(json.dumps({"source": pages[name], "targets": [target]}))
            text = (place / pages[name]).read_text("utf-8", "replace")
            said = {os.path.normpath(os.path.join(base, word)) for word in _WORD.findall(text)
                    for base in ("", os.path.dirname(pages[name]), docs)}  # fmt: skip
            modules = (word.replace(".", "/") for word in re.findall(r"[A-Za-z_][\w.]+", text))
            said |= {f"{root}{each}{end}" for each in modules for root in ("", "src/") for end in (".py", "/__init__.py")}
            for target in sorted(said & files):
                print(json.dumps({"source": pages[name], "targets": [target], "asked": False}))


if __name__ == "__main__":
    main()
