"""The ontology: documents a project registered, entities in them, memory, and the curator queue.

Knows its own store under `.agentlas/`, what may be read into it, and how a
question is answered from it with evidence. Never writes durable memory: what it
learns becomes a ticket. Knows nothing of terminals, and of the graph only names.
"""
