"""Placeholder of the package that checks a change."""
