"""What a change breaks: references, rules, secrets.

    change.py     one change as git has it: both sides, renames, who mentions a word
    tree.py       the paths of one side, and the questions imports ask of them
    links.py      links, includes and configured paths whose target went
    scripts.py    relative imports of JavaScript and TypeScript
    imports.py    Python names that are no longer where they are imported from
    python.py     what one Python text binds and imports, as far as that is certain
    rules.py      constraints, and what is not to be reported
    secrets.py    private stores and key files
    fix.py        references rewritten to where git knows the target went
    mend.py       … in the work tree
    run.py        the order of it all

One rule keeps it quiet: a reference is broken only if it led somewhere before
the change and leads nowhere after it. What cannot be told for certain is not
told. Only change.py asks git; the rest is given bytes and paths.
"""
