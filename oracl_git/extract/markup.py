"""HTML and single-file components (Vue, Svelte, Astro): scripts, styles, and the files that tags name.

Knows tags and the blocks that hold another language, which is read as that
language in its place. Knows no template language: what has one in it is no path. Knows where
a page says that its addresses begin (`<base>`), and what it calls modules, declared for those
that import them so:

    import maps       "": the page has some
    import map        what a module is called, "/" at its end when more may follow
    import map NAME   the address that this stands for
"""

from __future__ import annotations

import re
from posixpath import normpath

from . import javascript, styles
from .chunks import by_definitions
from .data import json_table, table
from .generic import COMMENTS, comment_spans, refer_comments
from .languages import language as language_row
from .links import add_link, local, unquote
from .paths import paths
from .source import Findings, Source, blank

COMPONENTS = frozenset(("vue", "svelte", "astro"))
# A comment, or where another language begins: neither is looked for in the other.
_PARTS = {
    family: re.compile(COMMENTS[family].pattern + rb"|<(?P<tag>script|style)\b(?P<said>[^<>]*+)>", re.IGNORECASE)
    for family in ("markup", "xml")
}
_CLOSE = {b"script": re.compile(rb"</script\b", re.IGNORECASE), b"style": re.compile(rb"</style\b", re.IGNORECASE)}
_FRONT = re.compile(rb"\s*+---[ \t]*+\n(.*?)^---[ \t]*+$", re.DOTALL | re.MULTILINE)
_ATTRIBUTE = re.compile(rb"(?<![\w:@.-])([a-zA-Z][\w:-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))")
_TAG = re.compile(rb"<([a-zA-Z][\w-]*+)\s([^<>]*+)>")
_NAMING = re.compile(rb"\b(?:src|href|srcset|poster|id|name|data)\b")
_HEADING = re.compile(
    rb"<(?:h[1-6]|title)\b[^<>]*+>((?:[^<]|<(?!/?(?:h[1-6]|title)\b)){1,400})(?=<)", re.IGNORECASE
)
_WITHIN = re.compile(rb"<[^<>]*+>")
_SCRIPT_TYPES = (b"", b"module", b"text/javascript", b"application/javascript", b"text/babel", b"text/ecmascript")
_LOADED = (b"stylesheet", b"modulepreload", b"preload", b"import", b"prefetch")  # of <link rel=…>
_SHOWN = frozenset(b"img source iframe embed video audio track a area link object".split())
_BASE = re.compile(rb"<base\s([^<>]*+)>", re.IGNORECASE)
_SITE = re.compile(rb"[A-Za-z][\w+.-]*+:|//")
_FILLED_IN = re.compile(rb"[{}$]|<[%?]")
_MAX_ANCHORS = 2_000
_MAX_MAPPED = 200

Block = tuple[bytes, dict[bytes, bytes], int, int]  # tag, attributes, where its content starts and ends


def extract(source: Source, language: str) -> Findings:
    """What a page or a component says."""
    text = source.text
    blocks, comments = _parts(text, language)
    found = _scripts(source, language, blocks)
    refer_comments(source, comments, found)
    inner = [(start, end) for _, _, start, end in blocks]
    page = blank(text, sorted(comments + inner))
    for dialect, spans in _dialects(blocks).items():
        ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
        alone = blank(text, zip(ends, starts, strict=True))
        styles.refer(source, blank(alone, comment_spans(alone, dialect)), dialect, found)
    for match in _HEADING.finditer(page):
        title = b" ".join(_WITHIN.sub(b"", match[1]).split()).decode("utf-8", "replace")
        if title:
            found.headings.append((title, source.line(match.start(1))))
    page = blank(page, _tags(source, page, language, found))
    base = _base(text) if language == "html" else ""
    for tag, attributes, start, end in blocks:
        if tag == b"script" and attributes.get(b"type", b"").lower().startswith(b"importmap"):  # or its polyfill
            _map(source, start, end, base, found)
    if base != "":
        found.rebase(lambda kind, target: _based(base, kind, target))
    for offset, (path, anchor) in paths(page):
        found.refer("mention", path, anchor, source.line(offset))
    return found


def _base(text: bytes) -> str | None:
    """Where the addresses of a page begin: "" at the page itself, None on another site."""
    said = (_attributes(match[1]).get(b"href") for match in _BASE.finditer(text))
    address = next((each for each in said if each is not None), b"").strip().partition(b"?")[0].partition(b"#")[0]
    if _FILLED_IN.search(address):
        return ""
    if _SITE.match(address):
        return None
    head, slash, last = unquote(address).rpartition("/")
    return head + slash + (f"{last}/" if last in (".", "..") else "")


def _based(base: str | None, kind: str, target: str) -> str | None:
    """A path as it is told from the page's own place; None when it leads to another site."""
    relative = target[:1] == "." if kind == "import" else kind == "link" and target[:1] not in ("", "/")
    if not relative or base is None:
        return None if relative else target
    moved = normpath(base + target)
    return f"./{moved}" if kind == "import" and not moved.startswith(("/", "..")) else moved


def _map(source: Source, start: int, end: int, base: str | None, found: Findings) -> None:
    """What modules are called on a page; a file among what they stand for is one that the page names."""
    names = table(json_table(source.text[start:end]), "imports")
    for name, address in list(names.items())[:_MAX_MAPPED]:
        if not isinstance(address, str) or not address.startswith(("./", "../", "/")) or _SITE.match(address.encode()):
            continue
        place = _based(base, "import", address)
        if place:
            place += "/" if address.endswith("/") and not place.endswith("/") else ""
            found.declares += (("import maps", ""), ("import map", name), (f"import map {name}", place))
        if not address.endswith("/"):
            line = source.line(max(source.text.find(f'"{address}"'.encode(), start, end), start))
            found.refer("import", address, "", line)


def _dialects(blocks: list[Block]) -> dict[str, list[tuple[int, int]]]:
    """Dialect of style sheets → where rules of it stand."""
    found: dict[str, list[tuple[int, int]]] = {}
    for tag, attributes, start, end in blocks:
        if tag == b"style":
            kind = attributes.get(b"lang", b"css").decode("utf-8", "replace")
            dialect = {"sass": "scss", "stylus": "scss"}.get(kind, kind if kind in ("scss", "less") else "css")
            found.setdefault(dialect, []).append((start, end))
    return found


def _parts(text: bytes, language: str) -> tuple[list[Block], list[tuple[int, int]]]:
    """The blocks of other languages, in order, and the comments; a block that is never closed reaches to the end."""
    blocks: list[Block] = []
    comments: list[tuple[int, int]] = []
    position = 0
    if language == "astro" and (front := _FRONT.match(text)):
        blocks.append((b"script", {b"lang": b"ts"}, front.start(1), front.end(1)))
        position = front.end()
    parts = _PARTS[language_row(language).comments]
    while match := parts.search(text, position):
        position = match.end()
        if match["tag"] is None:
            comments.append(match.span())
            continue
        tag = match["tag"].lower()
        close = _CLOSE[tag].search(text, position)
        end = close.start() if close else len(text)
        blocks.append((tag, _attributes(match["said"]), position, end))
        position = end
    return blocks, comments


def _attributes(text: bytes) -> dict[bytes, bytes]:
    return {match[1].lower(): match[2] or match[3] or match[4] or b"" for match in _ATTRIBUTE.finditer(text)}


def _scripts(source: Source, language: str, blocks: list[Block]) -> Findings:
    """What its scripts say, all of them read together, each where it stands."""
    spans, dialect = [], "javascript"
    for tag, attributes, start, end in blocks:
        if (
            tag == b"script"
            and attributes.get(b"type", b"").lower() in _SCRIPT_TYPES
            and source.text[start:end].strip()
        ):
            spans.append((start, end))
            kind = attributes.get(b"lang", b"").lower()
            if kind in (b"ts", b"typescript", b"tsx"):
                dialect = "tsx" if kind == b"tsx" else "typescript"
    if not spans:
        return Findings()
    outside, position = [], 0
    for start, end in spans:
        outside.append((position, start))
        position = end
    outside.append((position, len(source.text)))
    found = javascript.extract(Source(blank(source.text, outside)), dialect)
    if language not in COMPONENTS:
        found.error = ""  # scripts of pages are full of what fills them in
        found.entry_point = False
    found.sections = by_definitions(source.rows, found.definitions) if found.definitions else None
    return found


def _tags(source: Source, page: bytes, language: str, found: Findings) -> list[tuple[int, int]]:
    """Note the files that tags name; returns where those tags stand."""
    taken = []
    for match in _TAG.finditer(page):
        if not _NAMING.search(match[2]):
            continue
        tag, attributes, line = match[1].lower(), _attributes(match[2]), source.line(match.start())
        for key in (b"id", b"name") if language == "html" else ():
            if (tag == b"a" or key == b"id") and key in attributes and len(found.anchors) < _MAX_ANCHORS:
                found.anchors.append((unquote(attributes[key]), line))
        named = attributes.get(b"src") or attributes.get(b"href") or attributes.get(b"data") or b""
        if tag in (b"script", b"template", b"style") or (
            tag == b"link" and attributes.get(b"rel", b"").lower().startswith(_LOADED)
        ):
            path, _ = local(named)
            if path:
                found.refer("import", path if path.startswith(("/", ".")) else f"./{path}", "", line)
        elif tag in _SHOWN:
            for each in (named, attributes.get(b"poster", b""), *_set(attributes.get(b"srcset", b""))):
                add_link(found, each, line)
        else:
            continue
        taken.append(match.span())
    return taken


def _set(value: bytes) -> list[bytes]:
    """The files of a `srcset`."""
    return [each.split()[0] for each in value.split(b",")[:20] if each.strip()]
