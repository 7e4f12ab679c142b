"""Git's hooks: what is installed, what they note, and who works it off.

    shim.py        the shell that git runs: notes one event, starts one worker, exits 0
    install.py     where that shell goes, and how it leaves without a trace
    configured.py  … where git takes hooks from its configuration
    journal.py     the spool, the lock and the log, under $GIT_DIR/oracl
    worker.py      one process that brings the index to HEAD and is gone

A hook is an accelerator, never the truth: every question compares HEAD itself.
So a hook may fail at anything, and must then be silent. Nothing here writes
git's index, HEAD or a tracked file.
"""
