"""Text out of documents: one call, `parse`, for every format there is.

Knows how a file in a foreign format becomes sections of text with their places, within
limits, and how it is refused. Keeps nothing, and knows nothing of where the text goes.
"""

from .formats import FORMATS, SUFFIXES
from .model import LIMITS, Document, Limits, Refused, Section
from .read import parse, parse_bytes, suffix_of

__all__ = [
    "FORMATS", "LIMITS", "SUFFIXES", "Document", "Limits", "Refused", "Section", "parse", "parse_bytes", "suffix_of",
]  # fmt: skip
