"""The page of the tools' schemas is what the server sends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from oracl_git.agent import reference

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/mcp.md").read_text(encoding="utf-8")
Shop = Any  # conftest's


def test_it_is_current() -> None:
    assert reference.page() == PAGE, "make man writes it anew"


@pytest.mark.asyncio
async def test_every_argument_and_key_is_listed(shop: Shop) -> None:
    """Against what a client is sent, and what answers hold."""
    async with shop.inside() as agent:
        tools = (await agent.client.list_tools()).tools
        for tool in tools:
            section = PAGE.partition(f"\n## {tool.name}\n")[2].partition("\n## ")[0]
            for name in [*tool.input_schema["properties"], *tool.output_schema["properties"]]:
                assert f"| `{name}` |" in section, (tool.name, name)
        for name, arguments, section in (
            ("oracl_search", {"query": "discount"}, "Hit"),
            ("oracl_agent_context", {"question": "discount"}, "Fragment"),
        ):  # fmt: skip
            data = await agent.call(name, **arguments)
            rows = next(value for value in data.values() if isinstance(value, list) and value)
            told = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
            assert all(f"| `{key}` |" in told for key in rows[0])


def test_the_guide_names_every_tool_and_nothing_else() -> None:
    guide = (ROOT / "docs/how-to/use-with-agents.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(oracl_\w+)`", guide))
    assert named == set(re.findall(r"^## (oracl_\w+)$", PAGE, re.MULTILINE))
