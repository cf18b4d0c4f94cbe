"""Whether a statement may be what a part of a sentence says: rather the part whole than a claim that nobody made."""

import re

from knowhd.claims.clauses import Statement
from knowhd.claims.reasons import balanced
from knowhd.claims.verbs import acts_alone

#: What pairs two lists, so that neither means anything alone.
PAIRED = re.compile(r"\brespectively\b", re.I)
#: What says nothing without the list that belongs to it.
_BY_ITSELF = re.compile(rf"{PAIRED.pattern}|^The following ")
#: A verb where its subject should stand, or where its object should.
_UNDONE = re.compile(r"(?:^(?:In|At|On|With|After|During|For) [^,]{1,80}, |\buses )(?P<verb>[a-z]+s)\b")


def sound(statement: Statement, part: str) -> bool:
    """Whether a statement can be what a part says: its brackets close, nothing acts on itself, pairs are whole.

    And somebody does what is done: not "In mice, raises A", nor "A uses increases B" of "A and C use increases B".
    """
    name = re.escape(statement.subject)
    doubled = (
        statement.pronoun == "resolved" and name and re.search(rf"\b{name}\b[^,;]*\b{name}\b", statement.text, re.I)
    )
    cut = statement.text != part
    paired = cut and _BY_ITSELF.search(statement.text)
    undone = cut and any(acts_alone(at["verb"]) for at in _UNDONE.finditer(statement.text) if at[0] not in part)
    return not (doubled or paired or undone) and (balanced(statement.text) or not balanced(part))
