"""How the answers of the ontology look, for people and as JSON.

Knows the terminal. Knows nothing of how an answer comes about.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..ontology.documents import Edge
from ..ontology.embedding import Adapter
from ..ontology.experience import weak
from ..ontology.memory import Ticket
from ..ontology.model import Counts, Hit, Memory
from ..ontology.passage import best_sentences
from ..ontology.ranking import Row
from ..ontology.runtime import Asked
from ..ontology.working import Item
from . import output

_LISTED = 10  # failures told one by one
_DOCUMENTING, _DOCUMENTED = 4, 4  # passages, and artifacts of each, that an answer tells
_NO_ADAPTER = "unsupported: there is no adapter for "


def counts(found: Counts, seconds: float, args: argparse.Namespace, **more: object) -> None:
    """What an ingest did."""
    if args.json:
        rows = {
            **found.__dict__,
            "failed": [{"uri": u, "status": s, "reason": r} for u, s, r in found.failed],
            "refused": [{"path": p, "reason": r} for p, r in found.refused],
        }
        output.emit({**rows, "seconds": round(seconds, 3), **more})
        return
    parts = [
        f"{value:,} {name}"
        for name, value in (
            ("new", found.new),
            ("changed", found.changed),
            ("unchanged", found.unchanged),
            ("removed", found.removed),
            ("of another scope now", found.rescoped),
        )
        if value
    ]
    print(f"Read {output.plural(found.read, 'document')}: {', '.join(parts) or 'nothing changed'}; {seconds:.1f} s.")
    if found.chunks:
        print(
            f"{output.plural(found.chunks, 'passage')}, {output.plural(found.entities, 'mention')} of entities,"
            f" {output.plural(found.relations, 'relation')}."
        )
    if found.stale:
        print(
            f"{output.plural(found.stale, 'ticket')} stale: the evidence changed (git oracl curate list --status"
            " stale)."
        )
    others = [row for row in found.failed if not row[2].startswith(_NO_ADAPTER)]
    for uri, _, reason in others[:_LISTED]:
        print(f"Not read: {output.plain(uri)}: {output.plain(reason)}")
    if len(others) > _LISTED:
        print(f"Not read: {len(others) - _LISTED} more (git oracl ontology status).")
    kinds = Counter(reason.removeprefix(_NO_ADAPTER) for _, _, reason in found.failed if reason.startswith(_NO_ADAPTER))
    if kinds:
        told = ", ".join(f"{count:,} {output.plain(kind)}" for kind, count in kinds.most_common(_LISTED))
        print(f"No adapter reads: {told}{' …' if len(kinds) > _LISTED else ''} (git oracl ontology status --json).")
    if found.left_out:
        print(
            f"Not looked at: pictures in {output.plural(len(found.left_out), 'document')}, the time for OCR is over"
            " (git oracl ontology ingest --ocr all)."
        )
    if found.skipped:
        print(
            "Left out:"
            f" {', '.join(f'{count:,} {output.plain(reason)}' for reason, count in sorted(found.skipped.items()))}."
        )
    output.note(f"{path} is registered, but {reason}" for path, reason in found.refused)


def sources(rows: list[dict[str, Any]], args: argparse.Namespace) -> int:
    """The register."""
    if args.json:
        output.emit({"sources": rows})
        return 0
    for row in rows:
        print(
            f"{row['scope'] or '-':9} {row['kind'] or '-':9} {output.plain(row['path'])}"
            + (f"  not read: {row['reason']}" if row["reason"] else "")
        )
    return 0


def status(found: dict[str, Any], args: argparse.Namespace) -> int:
    """Where the store stands."""
    if args.json:
        output.emit(found)
        return 0
    held = found["counts"]
    print(f"store        {output.plain(found['database'])}, {found['bytes']:,} bytes")
    print(
        f"sources      {held['sources']:,}: " + (", ".join(f"{n:,} {s}" for s, n in found["scopes"].items()) or "none")
    )
    print(f"passages     {held['chunks']:,}, {held['entities']:,} entities, {held['relations']:,} relations")
    print("tickets      " + (", ".join(f"{n:,} {s}" for s, n in found["tickets"].items()) or "none"))
    print(
        f"memory       {found['experience']:,} experiences, {held['memory_links']:,} links,"
        f" {held['working_memory']:,} at hand"
    )
    for row in found["adapters"]:
        if row["role"] == "vector":
            print(f"vectors      {row['name']}, {row['status']} ({output.plain(row['detail'])})")
    missing = [row for row in found["adapters"] if row["role"] == "parser" and row["status"] != "available"]
    if missing:
        print("cannot read  " + ", ".join(f"{row['name']} ({output.plain(row['detail'])})" for row in missing))
    for row in found["failed"][:_LISTED]:
        print(f"not read     {output.plain(row['uri'])}: {row['status']}, {output.plain(row['reason'])}")
    if len(found["failed"]) > _LISTED:
        print(f"not read     {len(found['failed']) - _LISTED} more (--json lists them)")
    if found["behind"]:
        output.note(["registered files changed since they were read (git oracl ontology ingest)"])
    return 0


def _place(hit: Hit | Edge) -> str:
    return output.plain(hit.uri) + (
        f"#{output.lines(hit.location)}"
        if hit.location.startswith("L")
        else f"  {output.plain(hit.location)}"
        if hit.location
        else ""
    )


def answer(asked: Asked, args: argparse.Namespace) -> int:
    """The answer to a question."""
    output.note(asked.notes)
    if args.json:
        output.emit(
            {
                "query": asked.question,
                "adapter": {
                    "name": asked.adapter.name,
                    "status": asked.adapter.status,
                    "dimensions": asked.adapter.dimensions,
                },
                "results": [hit.to_json() for hit in asked.hits],
                "lineage": asked.lineage,
                "entities": asked.entities,
                "relations": asked.relations,
                "experience": [memory.to_json() for memory in asked.experience],
                "documents": [edge.to_json() for edge in asked.documents],
                "artifacts": [result.to_json() for result in asked.artifacts],
                "suggestions": asked.suggestions,
                "working_memory": asked.working,
            }
        )
        return 1 if asked.empty else 0
    room = output.width()
    for number, hit in enumerate(asked.hits, 1):
        print(
            f"{number:2}  {output.paint(output.fit(_place(hit), room - 12), 'path')} "
            f" {output.paint(f'{hit.score:.2f}', 'number')}"
        )
        if hit.heading:
            print(output.cut(f"    {output.plain(hit.heading)}", room))
        print(output.cut(f"    {output.plain(' '.join(best_sentences(hit.text, asked.question).split()))}", 2 * room))
        if hit.also:
            print(output.cut(f"    also in {output.plain(', '.join(hit.also))}", room))
        if args.explain:
            _terms(hit.reasons, hit.score, f"confidence {hit.confidence:.2f}, {hit.scope}, version {hit.version}")
    _list("Names", (f"{output.plain(row['name'])} ({row['kind']})" for row in asked.entities[:8]))
    for row in asked.relations[:8]:
        print(
            output.cut(
                f"{output.plain(row['subject'])} {row['relation']} {output.plain(row['object'])} "
                f" {row['confidence']:.2f}  {output.plain(row['uri'])} {row['location']}",
                room,
            )
        )
    named = [edge for edge in asked.documents if edge.name]
    for ref in list(dict.fromkeys(edge.ref for edge in named))[:_DOCUMENTING]:
        edges = [edge for edge in named if edge.ref == ref]
        told = ", ".join(f"{output.plain(edge.path)} ({output.plain(edge.name)})" for edge in edges[:_DOCUMENTED])
        more = f" and {len(edges) - _DOCUMENTED} more" if len(edges) > _DOCUMENTED else ""
        place = output.fit(_place(edges[0]), room // 2)
        print(output.cut(f"{place} documents {told}{more}", 2 * room))
    for result in asked.artifacts:
        print(output.cut(f"code: {output.place(result.path, result.focus)}  {output.plain(result.title)}", room))
    for memory in asked.experience:
        _memory(memory, args)
    _list("Proposed", asked.suggestions)
    if asked.working:
        print(f"Held at hand: {asked.working}")
    if asked.empty:
        output.note(["nothing here answers that"])
    return 1 if asked.empty else 0


def _terms(reasons: Iterable[tuple[str, str, float]], score: float, note: str) -> None:
    room = output.width()
    for signal, text, share in reasons:
        print(output.cut(f"    {share:8.4f}  {signal:10} {output.plain(text)}", room))
    print(output.cut(f"    {score:8.4f}  = the score; {note}", room))


def _list(title: str, names: Iterable[str]) -> None:
    found = list(names)
    if found:
        print(output.cut(f"{title}: {', '.join(found)}", 2 * output.width()))


def _memory(memory: Memory, args: argparse.Namespace) -> None:
    print(
        output.cut(
            f"{memory.ref}  {memory.score:.2f}  {output.plain(' '.join(memory.text.split()))}", 2 * output.width()
        )
    )
    if args.explain:
        _terms(
            memory.reasons,
            memory.score,
            f"confidence {memory.confidence:.2f}, {memory.scope}, {memory.kind}"
            + "".join(f", {relation} {ref}" for relation, ref in memory.links),
        )


def memories(found: list[Memory], args: argparse.Namespace) -> int:
    """Recalled experience."""
    told = weak(found)
    if args.json:
        rows = [memory.to_json() for memory in found]
        output.emit({"query": " ".join(args.text), "agent": args.agent, "weak": bool(told), "experience": rows})
    else:
        for memory in found:
            _memory(memory, args)
        if not found:
            output.note([f"nothing {args.agent} learned bears on that"])
    output.note([told] if told else [])
    return 0 if found else 1


def learned(new: int, changed: int, same: int, refs: list[str], args: argparse.Namespace) -> int:
    """What an experience ingest did."""
    if args.json:
        output.emit({"new": new, "changed": changed, "unchanged": same, "ids": refs})
    else:
        print(f"{new} new, {changed} changed, {same} unchanged." + (f" {refs[0]}" if len(refs) == 1 else ""))
    return 0


def rows(found: Sequence[Row], args: argparse.Namespace) -> int:
    """The memories that may be recalled."""
    if args.json:
        output.emit(
            {
                "experience": [
                    {
                        "id": row.ref,
                        "text": row.text,
                        "scope": row.scope,
                        "kind": row.kind,
                        "salience": row.salience,
                        "source_memory_id": row.source_memory_id,
                        "created_at": row.created_at,
                    }
                    for row in found
                ]
            }
        )
    for row in found if not args.json else ():
        print(output.cut(f"{row.ref}  {row.scope:8}  {output.plain(' '.join(row.text.split()))}", output.width()))
    return 0 if found else 1


def entity(found: dict[str, Any], args: argparse.Namespace) -> int:
    """One entity."""
    if args.json:
        output.emit(found)
        return 0
    room = output.width()
    print(f"{output.plain(found['name'])}, {found['kind']}  {found['id']}")
    _list("Also", found["aliases"])
    for row in found["relations"]:
        span = (
            f", {row['valid_from'] or '…'} to {row['valid_to'] or '…'}" if row["valid_from"] or row["valid_to"] else ""
        )
        print(
            output.cut(
                f"  {output.plain(row['subject'])} {row['relation']} {output.plain(row['object'])} "
                f" {row['confidence']:.2f} ({row['status']}{span})",
                room,
            )
        )
        print(
            output.cut(
                f"    {output.plain(row['uri'])} {row['location']}: {output.plain(' '.join(row['quote'].split()))}",
                room,
            )
        )
    for row in found["mentions"][:12]:
        print(output.cut(f"  named in {output.plain(row['uri'])} {row['location']}", room))
    return 0


def entities(found: list[dict[str, Any]], args: argparse.Namespace) -> int:
    """All entities."""
    if args.json:
        output.emit({"entities": found})
    for row in found if not args.json else ():
        print(f"{row['mentions']:6}  {row['kind']:13} {output.plain(row['name'])}")
    return 0 if found else 1


def documents(found: list[Edge], args: argparse.Namespace) -> int:
    """The passages that document a file."""
    if args.json:
        output.emit({"documents": [edge.to_json() for edge in found]})
    for edge in found if not args.json else ():
        print(output.cut(f"{edge.confidence:.2f}  {_place(edge)}  names {output.plain(edge.name)}", output.width()))
    return 0 if found else 1


def tickets(found: list[Ticket], args: argparse.Namespace) -> int:
    """The queue."""
    if args.json:
        output.emit({"tickets": [ticket.to_json() for ticket in found]})
        return 0 if found else 1
    for ticket in found:
        head = f"{ticket.ref}  {ticket.status:11} {ticket.type:12} {ticket.confidence:.2f} {ticket.risk:6}"
        head += f" {ticket.scope:8}"
        print(head + "\n" + output.cut(f"    {output.plain(' '.join(ticket.text.split()))}", output.width()))
    if not found:
        output.note(["the queue is empty"])
    return 0 if found else 1


def ticket(
    found: Ticket, events: list[dict[str, str]], links: list[tuple[str, str, str, float]], args: argparse.Namespace
) -> int:
    """One ticket with its evidence, what happened to it, and what it stands to."""
    if args.json:
        output.emit(
            {
                **found.to_json(),
                "events": events,
                "links": [{"relation": r, "direction": d, "id": o, "score": s} for r, d, o, s in links],
            }
        )
        return 0
    tickets([found], argparse.Namespace(json=False))
    print(f"    {output.plain(found.reason)}; suggested scope {found.suggested_scope}; until {found.expires_at}")
    for ref in found.source_refs:
        where = ref.get("uri") or ref.get("path") or ""
        print(
            output.cut(
                f"    rests on {output.plain(str(where))} {ref.get('location') or ref.get('lines') or ''}"
                f" {str(ref.get('blob') or '')[:7]}".rstrip(),
                output.width(),
            )
        )
    for relation, direction, other, score in links:
        print(f"    {relation} {'' if direction == 'out' else 'from '}{other} ({score:.2f})")
    for event in events:
        print(
            output.cut(
                f"    {event['at']} {event['event']} by {output.plain(event['actor'])}:"
                f" {output.plain(event['reason'])}",
                output.width(),
            )
        )
    return 0


def items(found: list[Item], args: argparse.Namespace) -> int:
    """Working memory."""
    if args.json:
        output.emit({"items": [item.to_json() for item in found]})
    for item in found if not args.json else ():
        print(
            output.cut(
                f"{item.ref}  {item.status:11} {item.importance:.2f}  {output.plain(' '.join(item.text.split()))}",
                output.width(),
            )
        )
    return 0 if found else 1


def adapter(found: Adapter, args: argparse.Namespace) -> int:
    """The adapter that encodes."""
    if args.json:
        output.emit(
            {"name": found.name, "dimensions": found.dimensions, "status": found.status, "detail": found.detail}
        )
    else:
        print(f"{found.name}, {found.dimensions} dimensions, {found.status}: {output.plain(found.detail)}")
    return 0


def checks(found: Sequence[Any], args: argparse.Namespace) -> int:
    """What holds and what does not, line by line."""
    if args.json:
        keys = ("line", "name", "ok", "text")
        output.emit({"checks": [{key: getattr(check, key) for key in keys} for check in found]})
    for line in dict.fromkeys(check.line for check in found) if not args.json else ():
        own = [check for check in found if check.line == line]
        print(f"{_mark(own)}  {line}")
        for check in own:
            name = "" if check.name == line else f"{check.name}: "
            told = "" if check.ok else "not tried: " if check.ok is None else "FAIL: "
            print(f"        {told}{name}{output.plain(check.text)}")
    return 1 if any(check.ok is False for check in found) else 0


def _mark(checks: Sequence[Any]) -> str:
    """Whether all of a line holds; what was not tried is not said to hold."""
    if any(check.ok is False for check in checks):
        return output.paint("FAIL", "bad")
    return output.paint("ok  ", "good") if any(check.ok for check in checks) else output.paint("--  ", "dim")
