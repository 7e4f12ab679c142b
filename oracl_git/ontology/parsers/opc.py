"""Open Packaging: the parts of an Office file and the relationships that lead to them.

Knows packages, relationships, core properties, and the text of drawings (shapes, charts,
diagrams), which Word, Excel and PowerPoint share. Knows none of the three.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple
from urllib.parse import unquote

from .archive import Archive
from .model import About, Limits, Refused
from .xml import START, Xml

_PROPERTIES = {
    "dc:title": "title", "dc:creator": "author", "dc:subject": "subject", "dc:description": "description",
    "cp:keywords": "keywords", "cp:lastModifiedBy": "last_modified_by", "dcterms:created": "created",
    "dcterms:modified": "modified",
}  # fmt: skip

_UNTITLED = ("Presentation", "PowerPoint Presentation", "Word Document")  # what programs write unasked


class Relation(NamedTuple):
    """Where a part leads: the last word of the relationship's type, and the part's name."""

    kind: str
    target: str


class Package:
    """An Office file."""

    def __init__(self, stream: BinaryIO, limits: Limits) -> None:
        self._limits = limits
        self.archive = Archive(stream, limits)

    def xml(self, part: str) -> Xml:
        """A part's events."""
        return Xml(self.archive.open(part), self._limits)

    def main(self, names: tuple[str, ...]) -> str:
        """The part a document starts with: as the package says, else by one of its usual names."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and self.archive.find(relation.target):
                return relation.target
        for name in names:
            if self.archive.find(name):
                return name
        raise Refused("malformed", "the archive holds no such document")

    def relations(self, part: str) -> dict[str, Relation]:
        """Where a part leads, by relationship id; without those that lead outside."""
        folder, name = posixpath.split(part)
        source = posixpath.join(folder, "_rels", f"{name}.rels")
        found: dict[str, Relation] = {}
        if not self.archive.find(source):
            return found
        for kind, name, attributes in self.xml(source):
            if kind == START and name == "rel:Relationship" and attributes.get("TargetMode") != "External":
                target = unquote(attributes.get("Target", ""))
                path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[attributes.get("Id", "")] = Relation(attributes.get("Type", "").rpartition("/")[2], path)
        return found

    def related(self, part: str, *kinds: str) -> list[str]:
        """The parts of some kinds that a part leads to, as far as they are there."""
        found = self.relations(part).values()
        return [one.target for one in found if one.kind in kinds and self.archive.find(one.target)]

    def embedded(self, part: str, about: About) -> None:
        """Say so when files are embedded in a part: they are documents of their own, and not read."""
        found = self.related(part, "package", "oleObject", "aFChunk")
        if found:
            about.warnings.append(f"{len(found)} embedded files are not read (first: {posixpath.basename(found[0])})")

    def properties(self, about: About) -> None:
        """Title, author and dates, where the package tells them."""
        for part in self.related("", "core-properties"):
            xml = self.xml(part)
            for kind, name, _ in xml:
                if kind == START and name in _PROPERTIES:
                    value = xml.text().strip()
                    if value:
                        about.metadata[_PROPERTIES[name]] = value
        title = about.metadata.pop("title", "")
        about.title = "" if title in _UNTITLED else title

    def drawn(self, part: str) -> str:
        """The text of a chart (titles, series, categories) or a diagram, one paragraph a line."""
        return "\n".join(dict.fromkeys(drawing_text(self.xml(part)))) if self.archive.find(part) else ""


def drawing_text(xml: Xml) -> Iterator[str]:
    """The paragraphs of a drawing's XML, and the names a chart keeps of its series and categories."""
    for kind, name, _ in xml:
        if kind == START and name == "a:p":
            text = paragraph(xml)
            if text.strip():
                yield text
        elif kind == START and name == "c:strCache":
            names = [xml.text() for inner, value, _ in xml.inside() if inner == START and value == "c:v"]
            if any(names):
                yield ", ".join(names)


def paragraph(xml: Xml) -> str:
    """The text of the a:p that has just started."""
    pieces: list[str] = []
    for kind, name, _ in xml.inside():
        if kind != START:
            continue
        if name in ("a:t", "m:t"):
            pieces.append(xml.text())
        elif name == "a:br":
            pieces.append("\n")
        elif name == "a:pPr":
            xml.skip()
    return "".join(pieces)
