"""Templates of Jinja and Django: those a file extends, includes or imports, or that code renders.

Knows the tags by their spelling. Where a template lies, `graph` says.
"""

from __future__ import annotations

import re

from .source import Findings, Source, blank

_TAG = re.compile(
    rb"\{%[-+]?[ \t]*+(?:extends|include|import|from)[ \t]++(?:[\"']([^\"'\n{}]{1,200})[\"']|"
    rb"\[([^\]\n]{1,500})\])"
)
# What is not run: comments, and what is shown as it stands.
_ASIDE = re.compile(
    rb"\{#(?<!\{\{#)(?:[^#]|#(?!\}))*+"
    rb"|\{%[-+]?[ \t]*+(comment|raw|verbatim)\b[^%\n]{0,80}%\}(?:.*?\{%[-+]?[ \t]*+end\1\b|.*+)",
    re.DOTALL,
)
_QUOTED = re.compile(rb"[\"']([^\"'\n{}]{1,200})[\"']")
_FILES = re.compile(rb"[\"']([\w./-]{1,200}\.\w{1,10})[\"']")
_ARGUMENTS = rb"\(\s{0,80}(?:[^\"'()\n]{0,80},)?\s{0,80}"
# Each way begins with a letter, which the engine skips fast to; what must not stand before is looked at from behind.
_RENDERED = re.compile(
    rb"(?:render(?<!\wrender)(?:_template|_to_string|_to_response)?" + _ARGUMENTS + rb"|"
    rb"TemplateResponse(?<!\wTemplateResponse)" + _ARGUMENTS + rb"|"
    rb"get_template(?<!\wget_template)\(\s{0,80}|select_template(?<!\wselect_template)\(\s{0,80}"
    rb"|template(?<![^\W_]template)(?:_name)?[ \t]{0,9}=[ \t]{0,9})"
    rb"(?:[\"']([\w./-]{1,200}\.\w{1,10})[\"']|\[([^\]]{1,500})\])"
)
_RENDERERS = (b"render(", b"render_t", b"TemplateResponse(", b"template")  # how those words look


def refer_tags(source: Source, found: Findings) -> None:
    """Note the templates that the tags of a template name."""
    for match in _TAG.finditer(blank(source.text, (each.span() for each in _ASIDE.finditer(source.text)))):
        names = [match[1]] if match[1] is not None else _QUOTED.findall(match[2])
        for name in names:
            found.refer("template", name.decode("utf-8", "replace"), "", source.line(match.start()))


def refer_rendered(source: Source, found: Findings) -> None:
    """Note the templates that Python code renders."""
    if any(word in source.text for word in _RENDERERS):
        for match in _RENDERED.finditer(source.text):
            for name in [match[1]] if match[1] else _FILES.findall(match[2]):
                found.refer("template", name.decode("utf-8", "replace"), "", source.line(match.end() - 1))
