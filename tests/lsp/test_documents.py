"""Changes of a buffer, as the specification counts them and in time that grows with them alone."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from oracl_git.lsp.documents import Documents, Text

NUMBERS = st.integers(0, 5)
POSITIONS = st.builds(types.Position, NUMBERS, NUMBERS)
WORDS = st.text("ab\r\né🎈", max_size=4)
CHANGES = st.one_of(
    st.builds(lambda a, b, text: types.TextDocumentContentChangePartial(range=types.Range(a, b), text=text),
              POSITIONS, POSITIONS, WORDS),
    st.builds(lambda text: types.TextDocumentContentChangeWholeDocument(text=text), WORDS),
)  # fmt: skip


def changed(source: str, encoding: str, changes: list[object]) -> Text:
    documents = Documents()
    documents.encoding = encoding
    documents.open(types.TextDocumentItem("file:///x", "python", 1, source))
    named = types.VersionedTextDocumentIdentifier(version=2, uri="file:///x")
    document = documents.change(types.DidChangeTextDocumentParams(named, changes))  # type: ignore[arg-type]
    assert document is not None
    return document.text


@given(st.text("ab\r\né🎈", max_size=12), st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.lists(CHANGES, max_size=4))
def test_changes_in_order(source: str, encoding: str, changes: list[object]) -> None:
    text = source
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            places = Text(text, encoding)
            start, end = sorted(map(places.offset, (change.range.start, change.range.end)))
            text = text[:start] + change.text + text[end:]
        else:
            assert isinstance(change, types.TextDocumentContentChangeWholeDocument)
            text = change.text
    assert changed(source, encoding, changes).source == text


def test_a_replacement_everywhere() -> None:
    """As editors send it: a change a place, from either end."""
    count = 8_000
    source = "".join(f"value_{number} = compute(foo)\n" for number in range(count))
    spots = [(number, len(f"value_{number} = compute(")) for number in range(count)]
    changes: list[object] = [
        types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(line, at), types.Position(line, at + 3)), text="spam"
        )
        for line, at in spots
    ]
    for order in (changes, changes[::-1]):
        started = time.process_time()
        assert changed(source, "utf-16", order).source == source.replace("foo", "spam")
        assert time.process_time() - started < 3
