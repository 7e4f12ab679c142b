"""The verbs that relate two things in an English sentence, and the relation each states.

Knows a table, and how a verb is found in a text. What stands beside it is looked at in
`statements.py`. Pure data.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Verb(NamedTuple):
    """How a relation is said. `turned`: what follows is the subject. `kind_of`: what follows is a common noun."""

    relation: str
    pattern: str
    turned: bool = False
    kind_of: bool = False


_MADE = "created|founded|written|developed|designed|built|invented|authored|released|published"
_OFFICE = "manager|lead|head|director|chair|chief executive|CEO"
_SUPPORT = (
    r"(?:adds?|added|has|gained|provides|offers|includes) (?:full |native |built-in |experimental |official"
    r" |initial |basic )?support for"
)

TABLE = (
    Verb("owns", "owns|is (?:the )?owner of|is responsible for"),
    Verb("owns", "is owned by", turned=True),
    Verb("maintains", "maintains|is (?:the |a )?(?:lead )?maintainer of"),
    Verb("maintains", "is (?:developed and )?maintained by", turned=True),
    Verb("manages", f"manages|leads|heads|directs|operates|is (?:the )?(?:{_OFFICE}) (?:of|at|for)"),
    Verb("manages", "is (?:managed|led|headed|run|operated|chaired) by", turned=True),
    Verb(
        "depends_on",
        "depends on|relies on|requires|is built on(?: top of)?|is built with|builds on|is based on|is powered by",
    ),
    Verb("runs_on", "runs on(?: top of)?"),
    Verb("depends_on", "is required by", turned=True),
    Verb("uses", "uses|makes use of|consumes|integrates with|reads from|writes to"),
    Verb("uses", "is used by", turned=True),
    Verb("supports", f"supports|works with|is compatible with|{_SUPPORT}"),
    Verb("supports", "is supported by", turned=True),
    Verb("replaces", "replaces|supersedes|succeeds|takes the place of|is a (?:drop-in )?replacement for"),
    Verb(
        "replaces",
        "(?:is|was|has been) (?:replaced|superseded|succeeded) (?:by|with)|(?:is|was|has been) deprecated in"
        " favou?r of",
        turned=True,
    ),
    Verb("alternative_to", "is an alternative to"),
    Verb("part_of", "is (?:a )?part of|belongs to|is a (?:subsidiary|division|member|component) of|is included in"),
    Verb("part_of", "contains|includes|comprises|ships with|bundles", turned=True),
    Verb(
        "supplies",
        r"supplies|delivers to|(?:provides|supplies|delivers|sells|offers) (?!access )[a-z][\w -]{2,40} to",
    ),
    Verb("provides", "provides|exposes|offers|defines"),
    Verb("provides", "is provided by|is defined in|is defined by", turned=True),
    Verb(
        "extends", "extends|subclasses|inherits(?: directly)? from|derives from|is (?:a|the) (?:subclass|extension) of"
    ),
    Verb("extends", "is (?:extended|subclassed) by", turned=True),
    Verb("derived_from", "is (?:a )?fork(?:ed)? (?:of|from)|is derived from"),
    Verb("implements", r"implements|is an? (?:[\w-]+ )?implementation of"),
    Verb("implements", "is implemented by", turned=True),
    Verb("wraps", r"wraps|is a (?:thin |simple |small )?wrapper (?:around|for)"),
    Verb("configured_by", "is (?:configured|controlled) (?:by|via|with|using|through|in)"),
    Verb("connects_to", "(?:connects|talks) to|communicates with"),
    Verb("accepts", "accepts|takes"),
    Verb("overrides", "overrides|takes precedence over"),
    Verb("overrides", "is overridden by", turned=True),
    Verb("equivalent_to", "is (?:equivalent to|the same as|identical to)|is equal to"),
    Verb("imports", "imports"),
    Verb("produces", "generates|produces|emits|creates"),
    Verb("calls", "calls|invokes|delegates to"),
    Verb("calls", "is called by", turned=True),
    Verb("returns", "returns"),
    Verb("raises", "raises|throws"),
    Verb("reports_to", "reports to"),
    Verb("works_for", r"works (?:for|at)|joined|is employed by|is an? [a-z][\w -]{2,30} at"),
    Verb("acquired", "acquired|bought|has acquired"),
    Verb("acquired", "(?:was|has been) (?:acquired|bought) by", turned=True),
    Verb("created", "created|founded|wrote|developed|designed|built|invented|authored|released|published"),
    Verb("created", f"(?:is|was) (?:originally )?(?:{_MADE}) by", turned=True),
    Verb("written_in", "is (?:written|implemented) in"),
    Verb("approved_by", "(?:is|was) approved by"),
    Verb("alias_of", "is (?:an alias|a synonym|a shortcut|a shorthand|shorthand|short) (?:for|of|to)|stands for"),
    Verb("is_a", "is an?", kind_of=True),
)
_ADVERBS = "currently now also directly still mainly officially originally jointly internally essentially".split()
_ADVERB = f"(?:(?:{'|'.join(_ADVERBS)}) )?"
# Most words are no verb of the table: a look at how one begins and ends is cheaper than all alternatives.
_LOOK = "(?=(?:is|was|has|can|[a-z]+(?:s|ed)|built|bought|wrote)[ \n])"
_ANY = "|".join(f"(?P<v{place}>{verb.pattern})" for place, verb in enumerate(TABLE))
VERB = re.compile(rf" {_ADVERB}{_LOOK}(?:{_ANY})(?=[ \n])")


def found(match: re.Match[str]) -> Verb:
    """The verb that a match of `VERB` is."""
    assert match.lastgroup is not None
    return TABLE[int(match.lastgroup[1:])]
