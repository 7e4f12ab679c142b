"""The tables, as migrations that are applied in order and recorded in `schema_migrations`.

Data only. A migration is never edited once released; a change is a new one.
`store.py` applies them. Every column a query filters by has an index.
"""

from __future__ import annotations

from .model import (
    DECISIONS,
    LINK_RELATIONS,
    RISKS,
    SCOPES,
    SOURCE_STATUSES,
    TICKET_STATUSES,
    TICKET_TYPES,
    WORKING_STATUSES,
)

APPLICATION_ID = 0x0AC10617  # says that a file is ours


def _one_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} TEXT NOT NULL CHECK({column} IN ({', '.join(repr(value) for value in values)}))"


_SCOPE = _one_of("scope", SCOPES)

DOCUMENTS = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE sources(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, uri TEXT NOT NULL UNIQUE, root TEXT NOT NULL,
    origin TEXT NOT NULL CHECK(origin IN ('git', 'file')), kind TEXT NOT NULL, source_type TEXT NOT NULL,
    title TEXT NOT NULL, {_SCOPE}, checksum TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK(version > 0), {_one_of("status", SOURCE_STATUSES)}, reason TEXT NOT NULL,
    warnings TEXT NOT NULL, metadata TEXT NOT NULL, ingested_at TEXT NOT NULL) STRICT;
CREATE INDEX sources_checksum ON sources(checksum);
CREATE INDEX sources_status ON sources(status) WHERE status <> 'parsed';
-- Where a source comes from: an earlier version, the place it was moved from, the same bytes elsewhere.
CREATE TABLE source_lineage(
    id INTEGER PRIMARY KEY, source TEXT NOT NULL, parent TEXT NOT NULL,
    relation TEXT NOT NULL CHECK(relation IN ('version_of', 'moved_from', 'same_content_as')),
    checksum TEXT NOT NULL, observed_at TEXT NOT NULL, UNIQUE(source, parent, relation, checksum)) STRICT;
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, source INTEGER NOT NULL REFERENCES sources(id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL, heading TEXT NOT NULL, kind TEXT NOT NULL, location TEXT NOT NULL, text TEXT NOT NULL,
    tokens INTEGER NOT NULL, checksum TEXT NOT NULL, vector BLOB, norm REAL NOT NULL, sketch BLOB) STRICT;
CREATE INDEX chunks_source ON chunks(source);
-- What the index holds is words.py's reading of heading and text; `words` in meta says by which version.
CREATE VIRTUAL TABLE chunk_fts USING fts5(heading, text, content='', tokenize="unicode61 remove_diacritics 0");
CREATE TABLE mentions(
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE, name TEXT NOT NULL,
    PRIMARY KEY(chunk, name)) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_name ON mentions(name);
CREATE TABLE runtime_adapters(
    name TEXT NOT NULL, role TEXT NOT NULL CHECK(role IN ('parser', 'vector')),
    status TEXT NOT NULL CHECK(status IN ('available', 'unavailable', 'degraded_fallback')), detail TEXT NOT NULL,
    checked_at TEXT NOT NULL, PRIMARY KEY(name, role)) STRICT, WITHOUT ROWID;
"""

GRAPH = """
CREATE TABLE entities(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL,
    norm TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE entity_aliases(
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE, alias TEXT NOT NULL, norm TEXT NOT NULL,
    PRIMARY KEY(entity, norm)) STRICT, WITHOUT ROWID;
CREATE INDEX entity_aliases_norm ON entity_aliases(norm);
-- Where an entity is named: characters of the chunk's text.
CREATE TABLE entity_mentions(
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, stop INTEGER NOT NULL CHECK(stop > start), confidence REAL NOT NULL,
    PRIMARY KEY(entity, chunk, start)) STRICT, WITHOUT ROWID;
CREATE INDEX entity_mentions_chunk ON entity_mentions(chunk);
CREATE TABLE relations(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE,
    subject INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    relation TEXT NOT NULL, object INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    confidence REAL NOT NULL CHECK(confidence BETWEEN 0 AND 1),
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    valid_from TEXT NOT NULL, valid_to TEXT NOT NULL, observed_at TEXT NOT NULL,
    status TEXT NOT NULL CHECK(status IN ('active', 'ended', 'rejected'))) STRICT;
CREATE INDEX relations_subject ON relations(subject);
CREATE INDEX relations_object ON relations(object);
CREATE INDEX relations_chunk ON relations(chunk);
"""

# Those of the first tables; what is added since stands in the migration that adds it.
_EVENTS = (*DECISIONS, "create", "stale", "expire", "rescope", "apply", "dedup", "contradict")
_DURABLE = "durable memory is written by a curator only"
MEMORY = f"""
CREATE TABLE memory_candidates(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, {_one_of("type", TICKET_TYPES)}, agent TEXT NOT NULL,
    memory_kind TEXT NOT NULL, text TEXT NOT NULL, words TEXT NOT NULL, payload TEXT NOT NULL, tags TEXT NOT NULL,
    salience REAL NOT NULL CHECK(salience BETWEEN 0 AND 1), {_SCOPE}, {_one_of("suggested_scope", SCOPES)},
    {_one_of("status", TICKET_STATUSES)}, reason TEXT NOT NULL,
    confidence REAL NOT NULL CHECK(confidence BETWEEN 0 AND 1),
    {_one_of("risk", RISKS)}, source_refs TEXT NOT NULL, source_memory_id TEXT NOT NULL,
    embedding_adapter TEXT NOT NULL, embedding_dimensions INTEGER NOT NULL, embedding_hash TEXT NOT NULL,
    vector BLOB, norm REAL NOT NULL, sketch BLOB, checksum TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, expires_at TEXT NOT NULL,
    durable_write_enabled INTEGER NOT NULL DEFAULT 0 CHECK(durable_write_enabled = 0)) STRICT;
CREATE INDEX memory_agent ON memory_candidates(agent, type, status);
CREATE INDEX memory_status ON memory_candidates(status, type);
CREATE INDEX memory_checksum ON memory_candidates(checksum);
CREATE TABLE memory_links(
    source INTEGER NOT NULL REFERENCES memory_candidates(id) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES memory_candidates(id) ON DELETE CASCADE,
    {_one_of("relation", LINK_RELATIONS)}, score REAL NOT NULL CHECK(score BETWEEN 0 AND 1), actor TEXT NOT NULL,
    created_at TEXT NOT NULL, PRIMARY KEY(source, target, relation), CHECK(source <> target)) STRICT, WITHOUT ROWID;
CREATE INDEX memory_links_target ON memory_links(target);
-- similar_to never leaves one agent and one scope; the others are a curator's word, and stay with one agent.
CREATE TRIGGER memory_links_bounds BEFORE INSERT ON memory_links WHEN NOT EXISTS(
    SELECT 1 FROM memory_candidates a JOIN memory_candidates b ON a.agent = b.agent AND a.scope = b.scope
    WHERE a.id = NEW.source AND b.id = NEW.target)
BEGIN SELECT RAISE(ABORT, 'a memory link joins two memories of one agent and one scope'); END;
CREATE TRIGGER memory_links_curated BEFORE INSERT ON memory_links
    WHEN NEW.relation <> 'similar_to' AND NEW.actor NOT LIKE 'curator:%'
BEGIN SELECT RAISE(ABORT, 'only a curator says that a memory supersedes or contradicts another'); END;
CREATE TRIGGER memory_never_durable BEFORE UPDATE OF durable_write_enabled ON memory_candidates
    WHEN NEW.durable_write_enabled <> 0
BEGIN SELECT RAISE(ABORT, '{_DURABLE}'); END;
CREATE TABLE memory_candidate_events(
    id INTEGER PRIMARY KEY, candidate INTEGER NOT NULL REFERENCES memory_candidates(id) ON DELETE CASCADE,
    {_one_of("event", _EVENTS)},
    old_status TEXT NOT NULL, new_status TEXT NOT NULL, reason TEXT NOT NULL, actor TEXT NOT NULL,
    at TEXT NOT NULL) STRICT;
CREATE INDEX memory_events_candidate ON memory_candidate_events(candidate);
CREATE TABLE working_memory(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, text TEXT NOT NULL, {_SCOPE},
    confidence REAL NOT NULL CHECK(confidence BETWEEN 0 AND 1),
    importance REAL NOT NULL CHECK(importance BETWEEN 0 AND 1),
    source_refs TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, last_used_at TEXT NOT NULL,
    {_one_of("status", WORKING_STATUSES)}, invalidation_reason TEXT NOT NULL) STRICT;
CREATE INDEX working_agent ON working_memory(agent, status);
"""

# Key columns first: SQLite before 3.41 calls a sound table WITHOUT ROWID broken that has another between them.
ALIASES = """
CREATE TABLE aliases_anew(
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE, norm TEXT NOT NULL, alias TEXT NOT NULL,
    PRIMARY KEY(entity, norm)) STRICT, WITHOUT ROWID;
INSERT INTO aliases_anew(entity, norm, alias) SELECT entity, norm, alias FROM entity_aliases;
DROP TABLE entity_aliases;
ALTER TABLE aliases_anew RENAME TO entity_aliases;
CREATE INDEX entity_aliases_norm ON entity_aliases(norm);
"""

# What was known of a name and no passage said any more: made anew, with the passage that says it, by the next ingest.
NAMES = """
DROP TABLE relations;
DROP TABLE entity_mentions;
DROP TABLE entity_aliases;
DROP TABLE entities;
CREATE TABLE entities(id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, norm TEXT NOT NULL UNIQUE) STRICT;
-- Where an entity is named, by which name: characters of the chunk's text. Its name and kind are what these rows say.
CREATE TABLE entity_mentions(
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
    start INTEGER NOT NULL, stop INTEGER NOT NULL CHECK(stop > start), name TEXT NOT NULL, kind TEXT NOT NULL,
    confidence REAL NOT NULL, PRIMARY KEY(entity, chunk, start)) STRICT, WITHOUT ROWID;
CREATE INDEX entity_mentions_chunk ON entity_mentions(chunk);
-- What a passage says an entity is called as well.
CREATE TABLE entity_aliases(
    entity INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE, norm TEXT NOT NULL,
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE, alias TEXT NOT NULL,
    PRIMARY KEY(entity, norm, chunk)) STRICT, WITHOUT ROWID;
CREATE INDEX entity_aliases_norm ON entity_aliases(norm);
CREATE INDEX entity_aliases_chunk ON entity_aliases(chunk);
CREATE TABLE relations(
    id INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE,
    subject INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    relation TEXT NOT NULL, object INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    confidence REAL NOT NULL CHECK(confidence BETWEEN 0 AND 1),
    chunk INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    valid_from TEXT NOT NULL, valid_to TEXT NOT NULL, observed_at TEXT NOT NULL,
    status TEXT NOT NULL CHECK(status IN ('active', 'ended', 'rejected'))) STRICT;
CREATE INDEX relations_subject ON relations(subject);
CREATE INDEX relations_object ON relations(object);
CREATE INDEX relations_chunk ON relations(chunk);
"""

UNDO = f"""
CREATE TABLE events_anew(
    id INTEGER PRIMARY KEY, candidate INTEGER NOT NULL REFERENCES memory_candidates(id) ON DELETE CASCADE,
    {_one_of("event", (*_EVENTS, "undo"))},
    old_status TEXT NOT NULL, new_status TEXT NOT NULL, reason TEXT NOT NULL, actor TEXT NOT NULL,
    at TEXT NOT NULL) STRICT;
INSERT INTO events_anew SELECT id, candidate, event, old_status, new_status, reason, actor, at
    FROM memory_candidate_events;
DROP TABLE memory_candidate_events;
ALTER TABLE events_anew RENAME TO memory_candidate_events;
CREATE INDEX memory_events_candidate ON memory_candidate_events(candidate);
"""

MIGRATIONS = (
    (1, "documents", DOCUMENTS),
    (2, "entities and relations", GRAPH),
    (3, "memory and the queue", MEMORY),
    (4, "aliases, key first", ALIASES),
    (5, "names with the passage that says them", NAMES),
    (6, "a decision can be undone", UNDO),
)
VERSION = MIGRATIONS[-1][0]
IMPORTED = (3, 4, VERSION)  # versions of an export that can be read
# Tables that an export of before version 5 has otherwise, and the next ingest makes anew.
REMADE = ("entities", "entity_aliases", "entity_mentions", "relations")

# Tables whose rows are exported, parents before children; the full-text index is made anew from them.
EXPORTED = (
    "meta",
    "sources",
    "source_lineage",
    "chunks",
    "mentions",
    "runtime_adapters",
    "entities",
    "entity_aliases",
    "entity_mentions",
    "relations",
    "memory_candidates",
    "memory_links",
    "memory_candidate_events",
    "working_memory",
)
