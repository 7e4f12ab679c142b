"""The tables of each SQLite file, and its format.

Knows nothing of how a file is opened, or who writes what.
"""

from __future__ import annotations

# The format of each file; one of an older format is replaced: all of it is derived.
VERSIONS = {"index": 11, "facts": 10, "history": 10, "vault": 10}

INDEX_SCHEMA = """
CREATE TABLE header(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
-- kind: 0 artifact, 1 hub, 2 constraint. stem: what tests may call it; tested: what it calls, when a test.
-- unparsed: why it is known by its text alone, or "". s, m: Eq. 2 without connectivity. sum/cnt: Eq. 4, exact.
CREATE TABLE node(
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, path BLOB NOT NULL, name BLOB NOT NULL,
    stem TEXT NOT NULL, tested TEXT NOT NULL, mode INTEGER NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
    lines INTEGER NOT NULL, checksum TEXT NOT NULL, language TEXT NOT NULL, role TEXT NOT NULL,
    placeholder INTEGER NOT NULL, unparsed TEXT NOT NULL, tags TEXT NOT NULL, resolutions TEXT NOT NULL,
    s INTEGER NOT NULL DEFAULT 0, m INTEGER NOT NULL DEFAULT 0, shard INTEGER NOT NULL, leaf BLOB,
    sum INTEGER NOT NULL DEFAULT 0, cnt INTEGER NOT NULL DEFAULT 0, deg INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX node_path ON node(path, kind);
CREATE INDEX node_name ON node(name) WHERE kind = 0;
-- Read whole, for the mean: no row of a file is touched.
CREATE INDEX node_size ON node(size, kind) WHERE kind = 0;
CREATE INDEX node_stem ON node(stem) WHERE stem <> '';
CREATE INDEX node_tested ON node(tested) WHERE tested <> '';
CREATE INDEX node_shard ON node(shard);
CREATE INDEX node_virtual ON node(kind) WHERE kind <> 0;
CREATE INDEX node_unparsed ON node(unparsed) WHERE unparsed <> '';
CREATE TABLE edge(
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, target INTEGER NOT NULL, relation INTEGER NOT NULL,
    sfrag TEXT NOT NULL, tfrag TEXT NOT NULL, w INTEGER NOT NULL, kappa INTEGER NOT NULL, part INTEGER NOT NULL,
    r INTEGER NOT NULL DEFAULT 0);
CREATE INDEX edge_source ON edge(source);
CREATE INDEX edge_target ON edge(target, relation);
-- Which nodes' links hang on which question, both ways round (see lookups.py).
CREATE TABLE lookup(bucket INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
CREATE TABLE asked(source INTEGER PRIMARY KEY, keys BLOB NOT NULL);
-- Python files below root/top: as the module top.py, or inside the directory top/.
CREATE TABLE toplevel(top TEXT, root BLOB, modules INTEGER, under INTEGER, PRIMARY KEY(top, root)) WITHOUT ROWID;
CREATE TABLE symbol(
    node INTEGER, start INTEGER, name TEXT, stop INTEGER NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY(node, start, name)) WITHOUT ROWID;
CREATE INDEX symbol_name ON symbol(name);
CREATE TABLE declared(name TEXT, node INTEGER, PRIMARY KEY(name, node)) WITHOUT ROWID;
CREATE INDEX declared_node ON declared(node);
CREATE TABLE skipped(
    path BLOB PRIMARY KEY, reason TEXT NOT NULL, mode INTEGER NOT NULL, blob TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE shard(id INTEGER PRIMARY KEY, hash BLOB NOT NULL);
CREATE TABLE chunk(id INTEGER PRIMARY KEY, node INTEGER NOT NULL, start INTEGER, stop INTEGER, title TEXT);
CREATE INDEX chunk_node ON chunk(node);
-- Vectors (see vectors.py): of each chunk, and the signs of blocks of them; which chunks wait for one, which went;
-- of each file, the sum of its chunks'.
CREATE TABLE vector(chunk INTEGER PRIMARY KEY, block INTEGER NOT NULL, code BLOB NOT NULL);
CREATE TABLE block(id INTEGER PRIMARY KEY, used INTEGER NOT NULL, chunks BLOB NOT NULL, live BLOB NOT NULL);
CREATE TABLE plane(block INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE whole(node INTEGER PRIMARY KEY, code BLOB NOT NULL);
CREATE TABLE embedding(model TEXT NOT NULL, seen TEXT NOT NULL);
CREATE TABLE pending(chunk INTEGER PRIMARY KEY);
CREATE TABLE gone(chunk INTEGER PRIMARY KEY, node INTEGER NOT NULL);
CREATE TRIGGER chunk_came AFTER INSERT ON chunk BEGIN INSERT INTO pending VALUES(new.id); END;
CREATE TRIGGER chunk_went AFTER DELETE ON chunk BEGIN
    DELETE FROM pending WHERE chunk=old.id; INSERT OR IGNORE INTO gone VALUES(old.id, old.node); END;
CREATE TABLE activity(node INTEGER PRIMARY KEY, last INTEGER NOT NULL, touches INTEGER NOT NULL);
CREATE TABLE alias(hid INTEGER PRIMARY KEY, path BLOB NOT NULL);
CREATE INDEX alias_path ON alias(path);
CREATE VIRTUAL TABLE chunk_fts USING fts5(title, body, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE chunk_vocab USING fts5vocab(chunk_fts, row);
CREATE VIRTUAL TABLE chunk_terms USING fts5vocab(chunk_fts, instance);
CREATE VIRTUAL TABLE file_fts USING fts5(path, names, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE file_vocab USING fts5vocab(file_fts, col);
CREATE VIRTUAL TABLE file_terms USING fts5vocab(file_fts, instance);
INSERT INTO chunk_fts(chunk_fts, rank) VALUES('hashsize', 16777216);
"""

FACTS_SCHEMA = """
CREATE TABLE extractor(id INTEGER PRIMARY KEY, version TEXT UNIQUE NOT NULL);
-- outline, links: Facts in two parts. text: its chunks as words, NUL between title, body, title, …
CREATE TABLE facts(
    id INTEGER PRIMARY KEY, blob TEXT NOT NULL, language TEXT NOT NULL, extractor INTEGER NOT NULL,
    skip TEXT NOT NULL, outline BLOB NOT NULL, links BLOB NOT NULL, text BLOB NOT NULL,
    UNIQUE(blob, language, extractor));
-- The vectors of texts, and the one model they were made with.
CREATE TABLE vector(key BLOB PRIMARY KEY, code BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE embedding(model TEXT NOT NULL);
"""

HISTORY_SCHEMA = """
CREATE TABLE path(id INTEGER PRIMARY KEY, path BLOB UNIQUE NOT NULL);
-- files: the touched paths as packed uint32 ids. edge: its parents were not in this clone when it was read.
CREATE TABLE entry(
    id INTEGER PRIMARY KEY, oid TEXT UNIQUE NOT NULL, time INTEGER NOT NULL, subject TEXT NOT NULL, files BLOB NOT NULL,
    edge INTEGER NOT NULL);
CREATE INDEX entry_edge ON entry(edge) WHERE edge;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE touch(path INTEGER NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY(path, entry)) WITHOUT ROWID;
CREATE TABLE rename(entry INTEGER NOT NULL, old INTEGER NOT NULL, new INTEGER NOT NULL);
CREATE INDEX rename_entry ON rename(entry);
CREATE INDEX rename_old ON rename(old);
CREATE INDEX rename_new ON rename(new);
CREATE VIRTUAL TABLE entry_fts USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE entry_vocab USING fts5vocab(entry_fts, row);
CREATE VIRTUAL TABLE entry_terms USING fts5vocab(entry_fts, instance);
"""

# What only a snapshot needs. tree: the one that `source` is of. part: shard hash → digest of its edges, by partition.
VAULT_SCHEMA = """
CREATE TABLE tree(oid TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE source(path BLOB PRIMARY KEY, shard INTEGER NOT NULL, key BLOB NOT NULL, leaf BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX source_shard ON source(shard);
CREATE TABLE source_root(shard INTEGER PRIMARY KEY, hash BLOB NOT NULL);
CREATE TABLE content(blob TEXT PRIMARY KEY, sha BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE part(shard INTEGER, part INTEGER, body BLOB NOT NULL, edges INTEGER NOT NULL, hash BLOB,
    PRIMARY KEY(shard, part)) WITHOUT ROWID;
"""

SCHEMAS = {"index": INDEX_SCHEMA, "facts": FACTS_SCHEMA, "history": HISTORY_SCHEMA, "vault": VAULT_SCHEMA}
