"""docs/reference/mcp.md, written from the schemas that the server itself sends.

Knows Markdown; adds nothing that the schemas do not say. `python -m oracl_git.agent.reference FILE` writes it.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any, cast

from .asking import Asking
from .server import ARTIFACT, INSTRUCTIONS, Server, build

_REF = "#/$defs/"


def page() -> str:
    """The whole page."""
    return asyncio.run(_page(build(cast(Asking, None))))  # nobody is asked


async def _page(server: Server) -> str:
    lines = [
        "# The server for agents", "",
        "<!-- Written by oracl_git/agent/reference.py: make man -->", "",
        "`git oracl mcp` speaks the Model Context Protocol on stdin and stdout, for one repository. How a client",
        "starts it, what the tools are for, and what they never tell: [use it with",
        "agents](../how-to/use-with-agents.md). Every tool is annotated: it only reads, destroys nothing, answers the",
        "same again, and knows nothing but this repository. An answer has two forms, of which a client hands on",
        "one: data of the schema below, and a text, which is the same data as compact JSON; that of",
        "`oracl_agent_context` is Markdown.", "",
        "A client is told:", "", "```text", *INSTRUCTIONS.splitlines(), "```",
    ]  # fmt: skip
    models: dict[str, Any] = {}
    for tool in await server.list_tools():
        taken, given = tool.input_schema, tool.output_schema or {}
        models |= given.get("$defs", {})
        lines += ["", f"## {tool.name}", "", *(tool.description or "").splitlines()]
        if taken.get("properties"):
            lines += ["", *_table("argument", taken, defaults=True)]
        lines += ["", *_table("result", given)]
    for name, model in sorted(models.items()):
        lines += ["", f"## {name}", "", model["description"], "", *_table("key", model)]
    lines += [
        "", "## Resources", "",
        *(f"`{each.uri_template}`: {each.description}" for each in await server.list_resource_templates()), "",
        f"A path is percent-encoded: `{ARTIFACT}docs/two%20words.md`. It is completed from its beginning. What is",
        "not in the graph of the indexed commit is not there: no file that git does not track, nothing above the",
        "top, nothing that a symlink leads to, no binary or generated file. One over a million characters is refused.",
        "", "## Failures", "",
        "A tool that fails answers with `isError` and one sentence, which ends with what to do next; a resource with",
        "an error of the protocol that says the same. Of a bug one sentence is told, and the rest goes to stderr.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _table(head: str, schema: dict[str, Any], defaults: bool = False) -> list[str]:
    needed = schema.get("required", ())
    rows = [f"| {head} | kind | |", "|---|---|---|"]
    for name, each in schema["properties"].items():
        text = str(each.get("description", ""))
        if defaults:
            text += "; needed" if name in needed else f"; `{_default(each.get('default'))}` otherwise"
        rows.append(f"| `{name}` | {_kind(each)} | {text.replace('|', chr(92) + '|')} |")
    return rows


def _default(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def _kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {_kind(schema['items'])}"
    if schema["type"] == "object":
        return f"{_kind(schema['additionalProperties'])} by name"
    low, high = schema.get("minimum"), schema.get("maximum")
    return str(schema["type"]) + (f", {low:,} to {high:,}" if low is not None and high is not None else "")


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(page())
