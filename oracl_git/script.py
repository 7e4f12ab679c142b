"""Where the console scripts start.

Knows that a ^C may come before there is anybody to answer it, and ends the process then, without a word: how far
Python came with its modules is nobody's concern. Knows nothing of verbs. Only the console scripts load this: whoever
imports the package says itself what a signal does.
"""

import signal

if signal.getsignal(signal.SIGINT) == signal.default_int_handler:  # a parent may have it ignored: nohup
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until `inherited.endings`


def main() -> int:
    """`git-oracl`."""
    from .cli import main as run

    return run()


def ontology() -> int:
    """`ontology`: `git oracl ontology` under its short name."""
    from .cli.ontology import main as run

    return run()
