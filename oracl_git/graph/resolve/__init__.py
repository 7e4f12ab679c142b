"""Where an import leads inside the tree: one module a family of languages.

Knows which family reads which language. A family's module has one function,

    resolve(names, source, reference) -> Resolution

which asks the tree through `Names` only, so that every question it takes is
known, and asked again when an answer can have changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module

from ...extract.facts import Reference
from ..names import Names
from .model import EXTERNAL, Resolution, Target

__all__ = ["FAMILIES", "Resolution", "Target", "resolve"]

FAMILIES = {
    "python": "python",
    "notebook": "python",
    "python use": "fixtures",
    "notebook use": "fixtures",
    "template": "template",  # a kind of reference, whatever language it stands in; so is
    "depends": "manifests",
    "doc": "labels",
    "markdown": "javascript",
    "ruby template": "views",
    "erb template": "views",
    "gotemplate use": "charts",
    "yaml use": "charts",
    "text use": "charts",
    "go": "go",
    "rust": "rust",
    "c": "c",
    "cpp": "c",
    "terraform": "terraform",
    "cmake": "cmake",
    "make": "make",
    "proto": "schemas",
    "thrift": "schemas",
    "graphql": "schemas",
    "java": "jvm",
    "kotlin": "jvm",
    "gradle": "jvm",
    "csharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "javascript": "javascript",
    "typescript": "javascript",
    "tsx": "javascript",
    "json": "javascript",
    "vue": "web",
    "svelte": "web",
    "astro": "web",
    "html": "web",
    "erb": "web",
    "css": "web",
    "scss": "web",
    "less": "web",
}


def resolve(language: str, names: Names, source: str, reference: Reference) -> Resolution:
    """Where a reference leads from a file of a language; of kind "doc", one by its label."""
    family = FAMILIES.get(f"{language} {reference.kind}") or FAMILIES.get(
        reference.kind if reference.kind in ("template", "depends", "doc") else language
    )
    return _resolver(family)(names, source, reference) if family else EXTERNAL


@cache
def _resolver(family: str) -> Callable[[Names, str, Reference], Resolution]:
    """The resolver of a family, loaded when its first reference comes."""
    resolver: Callable[[Names, str, Reference], Resolution] = import_module(f".{family}", __name__).resolve
    return resolver
