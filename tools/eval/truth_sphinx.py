"""Where pages of Sphinx lead, as Sphinx and Python find it: the truth for tools/eval/imports.py.

    python tools/eval/truth_sphinx.py REPOSITORY DOCS > TRUTH.jsonl
    python tools/eval/imports.py REPOSITORY TRUTH.jsonl --language rst --relation references

Needs `sphinx`, what the `conf.py` in DOCS imports, and the documented package, importable from the repository.
Asked for are the pages that one lists and the files that it includes, as Sphinx's environment has them, and the
files where what its `auto…` directives name is defined, as `inspect` says of what is really imported. What else a
page was made of (members from elsewhere), what roles, labels and words name, is true, but not asked for; so is the
only file that defines what a role calls by a bare name, where Sphinx itself sets no link.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_WORD = re.compile(r"[\w./-]{3,200}")
_NAMED = re.compile(
    r"(?:\.\. |\{)(?:py:)?(?P<how>(?:current)?module|auto[a-z]+)(?:::|\}) *(?P<what>[\w.]+)"
    r"|[:{](?:py:)?(?:class|func|meth|exc|attr|mod|data|obj|const)[:}]`(?:[^`<]*<)?[~!.]*(?P<role>[\w.]+)"
)


_REFERRED = re.compile(r"(?::ref:|\{ref\})`(?:[^`<]*<)?([^`<>]+)>?`")


def file_of(name: str, context: str) -> str:
    """The file that defines a name, as seen from a module; "" if it cannot be imported."""
    for whole in (f"{context}.{name}" if context else name, name):
        parts = whole.split(".")
        for cut in range(len(parts), 0, -1):
            try:
                value = owner = importlib.import_module(".".join(parts[:cut]))
            except ImportError:
                continue
            try:
                for part in parts[cut:]:
                    value, owner = getattr(value, part), value
                found = inspect.unwrap(value) if callable(value) else value
                if not (inspect.ismodule(found) or inspect.isclass(found) or inspect.isroutine(found)):
                    found = owner
                return inspect.getsourcefile(found) or ""
            except (AttributeError, TypeError, ValueError):
                break
    return ""


@cache
def only(name: str, place: str) -> str:
    """The only file below a place, of all that is imported, with a module that defines a bare name; else ""."""
    found = set()
    for module in list(sys.modules.values()):
        value = vars(module).get(name)
        if (inspect.isclass(value) or inspect.isroutine(value)) and value.__module__ == module.__name__:
            found.add(os.path.realpath(getattr(module, "__file__", None) or ""))
    return found.pop() if len(found) == 1 and all(each.startswith(f"{place}/") for each in found) else ""


def named(text: str, place: str) -> Iterator[tuple[bool, str]]:
    """(whether a directive documents it, the file) of what a page names."""
    context = ""
    for match in _NAMED.finditer(text):
        if match["how"] in ("module", "currentmodule", "automodule"):
            context = match["what"]
        if match["how"] != "currentmodule":
            asked = bool(match["how"]) and match["how"].startswith("auto")
            file = file_of(match["what"] or match["role"], "" if match["how"] == "automodule" else context)
            yield asked, file or only(match["role"] or "", place)


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
        pages = {name: os.path.relpath(env.doc2path(name), place) for name in sorted(env.found_docs)}
        for name, page in pages.items():
            text = (place / page).read_text("utf-8", "replace")
            words = {
                os.path.normpath(os.path.join(base, word.lstrip("/"))) + end
                for word in _WORD.findall(text)
                for base in ("", os.path.dirname(page), docs)
                for end in ("", ".rst", ".md")
            }
            listed_pages = {pages[each] for each in env.toctree_includes.get(name, ()) if each in pages}
            made_of = {
                os.path.relpath(os.path.realpath(os.path.join(app.srcdir, each)), place)
                for each in env.dependencies.get(name, ())
            }
            said: dict[bool, set[str]] = {True: set(), False: set()}
            for asked, path in named(text, str(place)):
                said[asked].add(os.path.relpath(os.path.realpath(path), place) if path else "")
            labels = env.domains["std"].anonlabels
            referred = {labels.get(each.lower(), ("",))[0] for each in _REFERRED.findall(text)}
            said[False] |= {pages[each] for each in referred if each in pages}
            wanted = listed_pages | said[True] | {each for each in made_of if each in words or not each.endswith(".py")}
            for target in sorted(wanted & files - {page}):
                print(json.dumps({"source": page, "targets": [target]}))
            for target in sorted((said[False] | made_of | words) & files - wanted):
                print(json.dumps({"source": page, "targets": [target], "asked": False}))


if __name__ == "__main__":
    main()
