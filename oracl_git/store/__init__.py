"""The index on disk: facts cache, history, and one SQLite file per worktree.

Knows tables, transactions and how an update moves the index from one commit to
another. The only importer of sqlite3 for the index. Knows nothing of questions.
"""
