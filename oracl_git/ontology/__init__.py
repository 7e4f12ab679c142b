"""The ontology: what a user hands over to be known, beside what git keeps.

Knows its packages. `parsers` turns foreign files into text, and nothing more.
"""
