"""How the static embedding is built: tools/build_embedding.py is the way in."""
