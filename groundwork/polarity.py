"""Signs of relations and verbs: whether they state more or less of the object.

The sign of a relation says whether more of the head means more or less of the tail. `associate`, `interact`, `compare`,
`cotreat`, `drug_interact` and `convert` state that a relation exists but not its direction, so they have no sign.
"""

from collections.abc import Iterable
from math import prod
from typing import Literal, cast

Sign = Literal[-1, 0, 1]

RELATION_SIGNS: dict[str, Sign] = {
    "positive_correlate": 1,
    "stimulate": 1,
    "cause": 1,
    "negative_correlate": -1,
    "inhibit": -1,
    "treat": -1,
    "prevent": -1,
    "contradicts": -1,
}

#: Lemmas with their own sign; any other verb takes the sign of the relation that it maps to.
VERB_SIGNS: dict[str, Sign] = {
    "increase": 1,
    "raise": 1,
    "activate": 1,
    "induce": 1,
    "upregulate": 1,
    "decrease": -1,
    "reduce": -1,
    "lower": -1,
    "block": -1,
    "suppress": -1,
    "downregulate": -1,
}


def relation_sign(relation: str) -> Sign:
    """Return the sign of a relation: +1, -1, or 0 if it has none. The name may be in upper or lower case."""
    return RELATION_SIGNS.get(relation.lower(), 0)


def path_sign(relations: Iterable[str]) -> Sign:
    """Return the product of the signs of relations; 0 if one of them has no sign.

    Paper B (see docs/scores/index.md) reads the sign of a path in this way.
    """
    return cast(Sign, prod(map(relation_sign, relations)))
