"""A question → ranked answers with reasons.

Reads one `store.index.Index` and nothing else; knows nothing of git, terminals
or editors. Each question is a module: search, related, trace, symbols, references, context.
"""
