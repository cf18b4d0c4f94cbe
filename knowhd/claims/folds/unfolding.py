"""A sentence that folds several into one, unfolded: "A, a drug, ...", "neither A nor B", "A as well as B", "not only".

Each way to fold is a rule on the words (`shown`), held against the parse: what a rule makes is taken only if each
sentence of it is a clause. A rule unfolds one fold; who asks takes the sentences apart in their turn.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from knowhd.claims.folds.actors import actors
from knowhd.claims.folds.appositions import appositions
from knowhd.claims.folds.colons import colons
from knowhd.claims.folds.contrasts import brackets, contrasts, trailing
from knowhd.claims.folds.elliptic import elliptic
from knowhd.claims.folds.examples import examples
from knowhd.claims.folds.gapped import gapped
from knowhd.claims.folds.instead import instead
from knowhd.claims.folds.joined import as_well, floating, neither, not_only, shared, with_and_without
from knowhd.claims.folds.kinds import kinds
from knowhd.claims.folds.mutual import mutual
from knowhd.claims.folds.numbered import numbered
from knowhd.claims.folds.raised import raised
from knowhd.claims.folds.relatives import relatives
from knowhd.claims.folds.respective import respective
from knowhd.claims.folds.whose import whose
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.grammar.shown import Part, Shown, shown
from knowhd.claims.reasons import asserts, balanced

#: Parses a text, in one or more ways.
Read = Callable[[str], Iterable[Masked]]
#: Ways of one sentence that are tried.
_TRIED = 6
#: Ways in which a sentence may be unfolded.
_RULES: tuple[Callable[[Shown], Iterator[list[Part]]], ...] = (
    respective,
    numbered,
    mutual,
    elliptic,
    gapped,
    instead,
    examples,
    colons,
    brackets,
    contrasts,
    trailing,
    neither,
    not_only,
    as_well,
    floating,
    actors,
    with_and_without,
    shared,
    raised,
    appositions,
    relatives,
    whose,
    kinds,
)


def unfolded(parsed: Masked, read: Read) -> list[Part] | None:
    """The sentences that one fold of a sentence makes, the main one first, each with whether it is denied.

    Args:
        parsed: The sentence.
        read: Parses a text; one way in which a sentence is a clause is enough.

    Returns:
        None where nothing is folded.
    """
    told = shown(parsed)
    for parts in islice((parts for rule in _RULES for parts in rule(told)), _TRIED):
        made = [part for part, _ in parts if part != parsed.text]
        if made and all(balanced(part) and any(map(asserts, read(part))) for part in made):
            return parts
    return None
