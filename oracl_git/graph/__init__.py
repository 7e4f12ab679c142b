"""Facts and paths → edges, weights, ranks and digests.

Pure: no file, no database, no clock. Knows every formula of the graph; what it
needs from the rest of the tree it asks through `names.Names`.
"""
