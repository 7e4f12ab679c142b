"""The static embedding: a table of word pieces that ships with the package, and how a text is read with it.

Knows how a text becomes 256 int8 and how such vectors are compared. Needs the
standard library only, no network ever, and knows nothing of repositories.
"""

from .asset import Asset, find, kept_encoder
from .encoder import DIMENSIONS, LENGTH, Encoder, dots, together

__all__ = ["DIMENSIONS", "LENGTH", "Asset", "Encoder", "dots", "find", "kept_encoder", "together"]
