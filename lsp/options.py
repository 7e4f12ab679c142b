"""What a client can set, by `initializationOptions` or the settings section `oracl`.

Knows names, defaults and what values are believed. A value of the wrong kind is
left out and reported; a name that is not known is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

SECTION = "oracl"
MOST = 200  # results of one answer


@dataclass(frozen=True)
class Options:
    """Every setting; `help` is its line in the reference."""

    limit: int = field(default=20, metadata={"help": f"results of an answer that names no limit, 1 to {MOST}"})
    search: bool = field(default=True, metadata={"help": "workspace symbols"})
    codeLens: bool = field(default=True, metadata={"help": "the lens above line 1"})
    codeAction: bool = field(default=True, metadata={"help": "the code action `source.oracl.related`"})
    callHierarchy: bool = field(default=True, metadata={"help": "dependencies as call hierarchy"})
    references: str = field(
        default="auto",
        metadata={
            "help": "dependents as references: `on`, `off`, or `auto`, where the client has no call hierarchy",
            "values": ("auto", "on", "off"),
        },
    )
    documentLink: bool = field(default=True, metadata={"help": "links, imports and paths that lead to a file"})
    definition: bool = field(default=False, metadata={"help": "go to the file that a reference leads to"})
    hover: bool = field(default=False, metadata={"help": "a card of the file that a reference leads to"})
    diagnostics: bool = field(default=True, metadata={"help": "references that lead nowhere"})
    progress: bool = field(default=True, metadata={"help": "work done progress while an index is made"})
    index: bool = field(default=True, metadata={"help": "make an index where there is none"})
    lensCommand: str = field(
        default="oracl.pick",
        metadata={"help": "the command of the lens and the code action; a client may have its own"},
    )
    statusNotifications: bool = field(default=False, metadata={"help": "send `oracl/didChangeStatus`"})
    debounce: int = field(default=200, metadata={"help": "milliseconds of rest before a buffer is checked"})


def read(values: object, before: Options | None = None) -> tuple[Options, list[str]]:
    """The options over those before, and what in them was not believed."""
    before = before or Options()
    if values is None:
        return before, []
    if not isinstance(values, dict):
        return before, ["oracl: the settings are not an object"]
    values = values.get(SECTION, values) if isinstance(values.get(SECTION, values), dict) else values
    found: dict[str, Any] = {}
    problems = []
    for each in fields(Options):
        if each.name not in values:
            found[each.name] = getattr(before, each.name)
            continue
        value = values[each.name]
        if _fits(each.name, value, each.metadata.get("values")):
            found[each.name] = value
        else:
            found[each.name] = getattr(before, each.name)
            problems.append(f"oracl.{each.name}: {str(value)[:40]!r} is not a value of it")
    return Options(**found), problems


def _fits(name: str, value: object, values: tuple[str, ...] | None) -> bool:
    default = getattr(Options, name)
    if type(value) is not type(default):
        return False
    if values is not None:
        return value in values
    if name == "limit":
        return isinstance(value, int) and 1 <= value <= MOST
    if name == "debounce":
        return isinstance(value, int) and 0 <= value <= 60_000
    return True
