"""Where templates lead, as Django's and Jinja's own loaders find them: the truth for tools/eval/imports.py.

    python tools/eval/truth_templates.py django|jinja REPOSITORY DIRECTORY … > TRUTH.jsonl
    python tools/eval/imports.py REPOSITORY TRUTH.jsonl --judged html

DIRECTORY … are those the project's settings name, in their order; "*" stands for all `templates` directories of
applications. Tags are read by the engine's own lexer or parser, literal names alone. Of Python, the strings are taken
that are an argument of what renders, or are bound to `template_name` or `template`, as `ast` says.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

_TEMPLATES = (".html", ".txt", ".xml", ".jinja", ".jinja2", ".j2", ".tpl", ".svg", ".htm")
_RENDER = frozenset(
    "render render_template render_to_string render_to_response TemplateResponse get_template select_template".split()
)
_LITERAL = re.compile(r"^[\"']([^\"']+)[\"']$")


def django_names(text: str) -> Iterator[str]:
    """The templates that the tags of one name."""
    from django.template.base import Lexer, TokenType

    for token in Lexer(text).tokenize():
        if token.token_type == TokenType.BLOCK:
            words = token.split_contents()
            match = _LITERAL.match(words[1]) if len(words) > 1 and words[0] in ("extends", "include") else None
            if match:
                yield match[1]


def jinja_names(text: str) -> Iterator[str]:
    """The same of Jinja, with imports."""
    import jinja2
    from jinja2 import meta

    extensions = ["jinja2.ext.do", "jinja2.ext.loopcontrols", "jinja2.ext.i18n"]
    tree = jinja2.Environment(extensions=extensions).parse(text)
    yield from filter(None, meta.find_referenced_templates(tree))


def python_names(text: str) -> Iterator[str]:
    """The templates that code names."""

    def strings(node: ast.AST) -> Iterator[str]:
        values = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
        yield from (each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str))

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in _RENDER:
                for argument in node.args[:2]:
                    yield from strings(argument)
            for word in node.keywords:
                if word.arg == "template_name":
                    yield from strings(word.value)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("template_name", "template"):
            yield from strings(node.value)


def loader(engine: str, directories: list[str]) -> Any:
    """Name → the file that the engine's loader opens, or None."""
    if engine == "django":
        from django.template import Engine, TemplateDoesNotExist

        finders = Engine(dirs=directories).template_loaders

        def find(name: str) -> str | None:
            for finder in finders:
                for origin in finder.get_template_sources(name):
                    try:
                        finder.get_contents(origin)
                    except (TemplateDoesNotExist, UnicodeDecodeError, IsADirectoryError):
                        continue
                    return str(origin.name)
            return None
    else:
        from jinja2 import Environment, FileSystemLoader, TemplateNotFound

        environment, files = Environment(), FileSystemLoader(directories)

        def find(name: str) -> str | None:
            try:
                return files.get_source(environment, name)[1]
            except (TemplateNotFound, UnicodeDecodeError, IsADirectoryError):
                return None

    return find


def main() -> None:
    """Print the truth."""
    engine, place, *said = sys.argv[1:]
    place = os.path.realpath(place)
    listed = subprocess.run(["git", "-C", place, "ls-files", "-z"], capture_output=True, check=True)
    files = sorted(filter(None, listed.stdout.decode().split("\0")))
    every = sorted({path[: path.index("/templates/") + 10] for path in files if "/templates/" in path})
    directories = [each for name in said for each in (every if name == "*" else [name])]
    find = loader(engine, [os.path.join(place, each) for each in directories])
    names = django_names if engine == "django" else jinja_names
    for source in files:
        inside = any(source.startswith(f"{each}/") for each in directories) and source.endswith(_TEMPLATES)
        if not inside and not source.endswith(".py"):
            continue
        with open(os.path.join(place, source), encoding="utf-8", errors="replace") as file:
            text = file.read()
        try:
            found = list(names(text) if inside else python_names(text))
        except Exception as error:
            print(f"not read: {source}: {error}", file=sys.stderr)
            continue
        for name in found:
            if name.startswith(("./", "../")):
                own = next(each for each in directories if source.startswith(f"{each}/"))
                name = os.path.normpath(os.path.join(os.path.dirname(source[len(own) + 1 :]), name))
            target = os.path.relpath(find(name) or place, place)
            if target in files and target != source:
                print(json.dumps({"source": source, "name": name, "targets": [target]}))


if __name__ == "__main__":
    main()
