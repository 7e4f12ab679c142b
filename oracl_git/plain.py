"""Text of a repository, made so that it can do nothing but be read.

Knows which characters move a cursor, reorder a line or do not show. Knows nothing of who reads it.
"""

from __future__ import annotations


def plain(text: str) -> str:
    """A text that cannot move the cursor or reorder the line: odd characters are escaped."""
    if text.isprintable() and text.isascii():
        return text
    out = []
    for char in text:
        if char.isprintable() and not 0xDC80 <= ord(char) <= 0xDCFF:
            out.append(char)
        else:
            errors = "surrogateescape" if 0xDC80 <= ord(char) <= 0xDCFF else "surrogatepass"
            out.append("".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", errors)))
    return "".join(out)


def plain_lines(text: str) -> str:
    """The same of a text of several lines; tabs indent, and stay."""
    if text.isprintable() and text.isascii():
        return text
    return "\n".join("\t".join(map(plain, row.split("\t"))) for row in text.split("\n"))
