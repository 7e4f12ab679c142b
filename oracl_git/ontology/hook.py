"""The memory hook of a host: one question in, a bounded context out.

Knows how passages and experience share a token budget, each from its own store; one
is never copied into the other. Whatever comes in, an answer goes out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import OraclError
from . import experience, store
from .chunking import estimate

if TYPE_CHECKING:
    from .runtime import Runtime

BUDGET = 1_200  # tokens of everything
PASSAGES = 0.6  # share of the budget for passages where there is experience too
MOST_INPUT = 1 << 18  # bytes
_MOST_PASSAGES = 8


def answer(runtime: Runtime, data: bytes, *, agent: str, budget: int, scopes: Sequence[str]) -> dict[str, Any]:
    """The context for a host: `context` to put before a prompt, `items` with where each comes from."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = data.decode("utf-8", "replace")
    if isinstance(given, dict):
        question = str(given.get("query") or given.get("prompt") or given.get("text") or "")
        agent = agent or str(given.get("agent") or "")
    else:
        question = str(given)
    notes: list[str] = []
    memories = _experience(runtime, question, agent, budget, scopes, notes) if agent else []
    held = sum(estimate(memory.text) for memory in memories)
    room = budget - min(held, round(budget * (1 - PASSAGES)))
    items: list[dict[str, Any]] = []
    try:
        for hit in runtime.search(question, scopes, _MOST_PASSAGES):
            size = estimate(hit.text)
            if size <= room:
                room -= size
                items.append(
                    {
                        "kind": "document",
                        "text": hit.text,
                        "from": hit.uri,
                        "location": hit.location,
                        "score": round(hit.score, 6),
                        "confidence": round(hit.confidence, 6),
                    }
                )
    except OraclError as error:
        notes.append(error.message)
    used = sum(estimate(item["text"]) for item in items)
    for memory in memories:
        size = estimate(memory.text)
        if used + size <= budget:
            used += size
            items.append(
                {
                    "kind": "experience",
                    "text": memory.text,
                    "from": memory.ref,
                    "location": "",
                    "score": round(memory.score, 6),
                    "confidence": round(memory.confidence, 6),
                }
            )
    if told := experience.weak(memories):
        notes.append(told)
    lines = [f"[{item['from']}{' ' + item['location'] if item['location'] else ''}] {item['text']}" for item in items]
    return {"context": "\n\n".join(lines), "items": items, "tokens": used, "budget": budget, "notes": notes}


def _experience(
    runtime: Runtime, question: str, agent: str, budget: int, scopes: Sequence[str], notes: list[str]
) -> list[Any]:
    """The agent's memories: from its own file on this machine, and from the project's store."""
    found = []
    stores = []
    try:
        own = experience.database_of(agent)
        if os.path.isfile(own):
            stores.append(store.connect(own))
    except (OraclError, OSError) as error:
        notes.append(str(error))
    try:
        for db in stores:
            found += experience.recall(db, runtime.adapter, question, agent, scopes=scopes, budget=budget)
        found += experience.recall(runtime.reader, runtime.adapter, question, agent, scopes=scopes, budget=budget)
    except OraclError as error:
        notes.append(error.message)
    finally:
        for db in stores:
            db.close()
    return sorted(found, key=lambda memory: (-memory.score, memory.ref))
