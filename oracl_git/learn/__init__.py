"""From what was opened to what is proposed: the learning loop.

Knows how the local query log becomes tickets, where undecided tickets are kept, and how
approved ones change the tracked files of `.agentlas/`. Knows nothing of rankings; never
commits, never decides.
"""
