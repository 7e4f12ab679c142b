"""How much of a folder of real documents is read: words recovered of what another reader finds.

    python tools/eval/documents.py FOLDER [--all]

FOLDER holds documents at any depth; NAME.expected.txt beside NAME is another reader's text of it.
For office files the other reader is their library (python-docx, python-pptx, openpyxl), asked here.
Prints, for each format, the files read, refused and failed, the share of the other reader's words
that are recovered, and how far their order is kept; with --all a line for each file.
"""

from __future__ import annotations

import difflib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from oracl_git.ontology.parsers import SUFFIXES, Refused, parse

WORD = re.compile(r"\w+")
LONG = 5000  # words; in a longer text the order of frequent ones is not looked at
PLACEHOLDER = re.compile("<(?:표|그림)>")  # what one reader writes where a table or a picture stands
# Words that control characters of HWP give when they are read as text.
MOJIBAKE = re.compile("[捤獥汤捯氠瑢漠杳湰灧慤敨潦瑯潴湯慴瑯]{2}")


def words(text: str) -> list[str]:
    """The words of a text, its placeholders left out."""
    return WORD.findall(PLACEHOLDER.sub(" ", text))


def recovered(expected: list[str], found: list[str]) -> int:
    """How many of the expected words are there, each counted as often as it is expected."""
    return (Counter(expected) & Counter(found)).total()


def in_order(expected: list[str], found: list[str]) -> int:
    """How many of the expected words are there in their order."""
    matcher = difflib.SequenceMatcher(None, expected, found, autojunk=len(expected) > LONG)
    return sum(block.size for block in matcher.get_matching_blocks())


def docx(path: Path) -> Iterator[str]:
    """Body, then margins, as python-docx gives them."""
    import docx as library

    document = library.Document(str(path))
    yield from blocks(document)
    for section in document.sections:
        for part in (section.header, section.footer, section.first_page_header, section.first_page_footer):
            if not part.is_linked_to_previous:
                yield from blocks(part)


def blocks(container: object) -> Iterator[str]:
    """Paragraphs and cells, in order."""
    for block in container.iter_inner_content():  # type: ignore[attr-defined]
        if hasattr(block, "rows"):
            cells = {cell._tc: cell for row in block.rows for cell in row.cells}
            for cell in cells.values():
                yield from blocks(cell)
        else:
            yield block.text


def pptx(path: Path) -> Iterator[str]:
    """Shapes, tables and notes, as python-pptx gives them."""
    import pptx as library

    for slide in library.Presentation(str(path)).slides:
        yield from shapes(slide.shapes)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield slide.notes_slide.notes_text_frame.text


def shapes(group: object) -> Iterator[str]:
    """The text of shapes, those in groups too."""
    for shape in group:  # type: ignore[attr-defined]
        if hasattr(shape, "shapes"):
            yield from shapes(shape.shapes)
        elif shape.has_text_frame:
            yield shape.text_frame.text
        elif getattr(shape, "has_table", False) and shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)


def xlsx(path: Path) -> Iterator[str]:
    """Cells, as openpyxl gives them."""
    import openpyxl

    for sheet in openpyxl.load_workbook(path, read_only=True, data_only=True):
        for row in sheet.iter_rows(values_only=True):
            yield from (str(value) for value in row if value is not None)


LIBRARIES = {"docx": docx, "pptx": pptx, "xlsx": xlsx}


def expected_text(path: Path) -> str | None:
    """The other reader's text; None where there is none."""
    beside = path.with_name(path.name + ".expected.txt")
    if beside.exists():
        return beside.read_text(encoding="utf-8")
    library = LIBRARIES.get(path.suffix[1:])
    try:
        return "\n".join(library(path)) if library else None
    except Exception as error:  # whatever a library says of a file that is read here
        print(f"{path.name}: the library fails ({type(error).__name__})")
        return None


def main(folder: str, every: bool) -> int:
    """Print the figures; 1 when a file fell out of the parser in a way that is no refusal."""
    totals: dict[str, Counter[str]] = {}
    crashed = 0
    for path in sorted(Path(folder).rglob("*")):
        form = SUFFIXES.get(path.suffix.lower())
        if form is None or form.family == "text":  # the other readers' texts, a manifest
            continue
        total = totals.setdefault(form.name, Counter())
        start = time.perf_counter()
        try:
            document = parse(str(path), suffix=path.suffix)
        except Refused as refused:
            total["refused"] += 1
            crashed += refused.reason_code == "crashed"
            print(f"{path.name}: refused, {refused.reason_code}: {refused.message}")
            continue
        total["microseconds"] += round((time.perf_counter() - start) * 1e6)
        total["read"] += 1
        total["mojibake"] += len(MOJIBAKE.findall(document.text))
        text = expected_text(path)
        if text is None:
            continue
        expected, found = words(text), words(document.text)
        counts = Counter(
            expected=len(expected), recovered=recovered(expected, found), ordered=in_order(expected, found), compared=1
        )
        total += counts
        totals[form.name] = total
        if every or counts["recovered"] < 0.97 * counts["expected"]:
            missing = list((Counter(expected) - Counter(found)).elements())[:8]
            print(f"{path.name}: {counts['recovered']}/{counts['expected']}, in order {counts['ordered']}", *missing)
    print("format   read  refused  compared  words  recovered  in order  mojibake  ms a file")
    for name, total in totals.items():
        whole = total["expected"] or 1
        print(
            f"{name:7} {total['read']:5} {total['refused']:8} {total['compared']:9} {total['expected']:6} "
            f"{total['recovered'] / whole:10.4f} {total['ordered'] / whole:9.4f} {total['mojibake']:9} "
            f"{total['microseconds'] / 1000 / max(total['read'], 1):10.1f}"
        )
    return bool(crashed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--all" in sys.argv))
