"""git oracl ontology: documents, entities and memory beside the graph; also the console script `ontology`.

Knows which module answers which action, and imports that one alone. How answers look
is in `ontology_show.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from ..companion import ontology_at
from ..ontology.embedding import ADAPTERS
from .parser import Late

# action → (module, what its functions are called there, one line)
ACTIONS: dict[str, tuple[str, str, str]] = {
    "init": ("ontology_sources", "init", "activate the ontology in this project"),
    "auto": ("ontology_sources", "auto", "activate it and read what there is, without a question"),
    "sources": ("ontology_sources", "sources", "register what may be read"),
    "add": ("ontology_sources", "add", "the same as sources add"),
    "ingest": ("ontology_sources", "ingest", "read the inbox and the registered sources"),
    "status": ("ontology_sources", "status", "what is held, what failed and why"),
    "query": ("ontology_ask", "query", "ask: passages, entities, relations, experience, code"),
    "graph": ("ontology_ask", "graph", "entities, their relations, and what documents a file"),
    "experience": ("ontology_memory", "experience", "what an agent learned: project it, recall it"),
    "hook": ("ontology_ask", "hook", "answer a host's question on stdin within a budget"),
    "memory": ("ontology_memory", "memory", "the queue under its old name: see git oracl curate"),
    "working-memory": ("ontology_memory", "working", "what agents hold at hand"),
    "storage": ("ontology_care", "storage", "back up, export, import, tidy, check"),
    "model": ("ontology_care", "model", "the table that encodes"),
    "verify": ("ontology_care", "verify", "run documents through everything, and say what holds"),
}


def configure_ontology(parser: argparse.ArgumentParser) -> None:
    """Declare the options that stand before the action, and the actions; those of one when it is asked for."""
    parser.add_argument("--db", default="", metavar="FILE", help="a store of its own instead of the project's")
    parser.add_argument("--project", default="", metavar="DIR", help="the project (default: the repository here)")
    parser.add_argument(
        "--embedding-adapter",
        choices=ADAPTERS,
        default="",
        help="how text becomes vectors (default: as configured, else auto)",
    )
    parser.add_argument(
        "--local-model-path", default="", metavar="DIR", help="a verified Model2Vec asset, for model2vec"
    )
    actions = parser.add_subparsers(
        dest="action", required=True, metavar="ACTION", help="what to do; -h after it tells its options",
        parser_class=Late,
    )  # fmt: skip
    for name, (module, stem, text) in ACTIONS.items():
        actions.add_parser(name, help=text, allow_abbrev=False).later(module, f"configure_{stem}")


def run_ontology(args: argparse.Namespace) -> int:
    """One action."""
    module, stem, _ = ACTIONS[args.action]
    run = getattr(import_module(f".{module}", __package__), f"run_{stem}")
    project = args.directory if args.action == "auto" else args.project
    with ontology_at(
        project, db=args.db, embedding=args.embedding_adapter, model_path=args.local_model_path
    ) as runtime:
        code: int = run(runtime, args)
        return code


def main() -> int:
    """The console script `ontology`: `git oracl ontology` under its short name."""
    from . import main as oracl

    return oracl(["ontology", *(os.fsencode(arg).decode("utf-8", "surrogateescape") for arg in sys.argv[1:])])
