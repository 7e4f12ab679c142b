"""Where the references of pages lead, as a browser resolves them: the truth for tools/eval/imports.py.

    python tools/eval/truth_html.py REPOSITORY [--root DIRECTORY …] > TRUTH.jsonl
    python tools/eval/imports.py REPOSITORY TRUTH.jsonl --language html --relation imports --relation references

Pages are read by Python's own `html.parser`, addresses joined by `urllib`, `<base>` is heeded, a
directory is served as its index page. An address that begins with a slash starts at the
innermost --root around the page (the top, unless said). What no index takes in (images, fonts,
films) and what a template language fills in is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

_SITE = "https://site.invalid/"
_NAMING = {
    "a": "href", "area": "href", "link": "href", "script": "src", "img": "src", "iframe": "src", "frame": "src",
    "source": "src", "video": "src", "audio": "src", "embed": "src", "track": "src", "object": "data", "input": "src",
}  # fmt: skip
_NOT_READ = re.compile(
    r"\.(png|jpe?g|gif|ico|webp|avif|bmp|mp[34]|m4[av]|og[gv]|oga|webm|wav|woff2?|ttf|eot|otf|pdf|zip|gz|wasm|glb|bin)$",
    re.IGNORECASE,
)
_FILLED_IN = re.compile(r"\{\{|\{%|<%|\$\{")
_FROM = re.compile(
    r"^\s*(?:import|export)\b[^'\";]*?(?:from\s*)?[\"']([^\"'\n]+)[\"']|\bimport\(\s*[\"']([^\"'\n]+)[\"']",
    re.MULTILINE,
)
_SHEET = re.compile(r"@import\s+(?:url\(\s*)?[\"']?([^\"')\s;]+)|\burl\(\s*[\"']?([^\"')\s]+)")


class _Page(HTMLParser):
    """The addresses a page names, each with its line, and its base."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.base = ""
        self.named: list[tuple[int, str]] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        line = self.getpos()[0]
        said = {key: value or "" for key, value in attrs}
        if tag == "base" and not self.base:
            self.base = said.get("href", "")
        if tag in _NAMING and _NAMING[tag] in said:
            self.named.append((line, said[_NAMING[tag]]))
        if tag == "video" and "poster" in said:
            self.named.append((line, said["poster"]))
        self.named.extend((line, each.split()[0]) for each in said.get("srcset", "").split(",") if each.strip())
        module = said.get("type", "").lower() == "module"
        self._inside = tag if tag == "style" or (tag == "script" and module) else ""

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        pattern = _FROM if self._inside == "script" else _SHEET if self._inside else None
        for match in pattern.finditer(data) if pattern else ():
            line = self.getpos()[0] + data.count("\n", 0, match.start())
            said = match[1] or match[2]
            if self._inside == "style" or said.startswith(("./", "../", "/")):
                self.named.append((line, said))


def _served(base: str, address: str, site: str) -> str:
    """The path below the top that an address stands for; "" when it lies elsewhere."""
    try:
        joined = urlsplit(urljoin(urljoin(_SITE + base, site), address))
    except ValueError:
        return ""
    if joined.netloc != "site.invalid" or joined.scheme != "https":
        return ""
    return unquote(joined.path).lstrip("/")


def main() -> None:
    """Print one line for each address that leads to a file of the tree."""
    parser = argparse.ArgumentParser(description="Where the references of pages lead.")
    parser.add_argument("repository")
    parser.add_argument("--root", action="append", default=[""], help="a directory that is served as a site")
    asked = parser.parse_args()
    listed = subprocess.run(["git", "-C", asked.repository, "ls-files", "-z"], capture_output=True, check=True)
    files = {os.fsdecode(path) for path in listed.stdout.split(b"\0") if path}
    roots = sorted((root.strip("/") for root in asked.root), key=len, reverse=True)
    for source in sorted(path for path in files if path.endswith((".html", ".htm"))):
        with open(os.path.join(asked.repository, source), encoding="utf-8", errors="replace") as file:
            page = _Page()
            page.feed(file.read())
        root = next(each for each in roots if not each or source.startswith(f"{each}/"))
        for line, address in page.named:
            address = address.strip()
            if not address or address.startswith("#") or _FILLED_IN.search(address) or _FILLED_IN.search(page.base):
                continue
            path = _served(source[len(root) + 1 if root else 0 :], address, page.base)
            path = f"{root}/{path}".strip("/") if root else path.rstrip("/")
            target = next((each for each in (path, f"{path}/index.html", f"{path}/index.htm") if each in files), "")
            if target and target != source and not _NOT_READ.search(target):
                print(json.dumps({"source": source, "line": line, "targets": [target]}))


if __name__ == "__main__":
    main()
