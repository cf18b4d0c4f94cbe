"""Non-restrictive relative clauses in a parsed sentence, ", which ...": they say something of their noun by the way."""

from typing import TYPE_CHECKING

from knowhd.claims.grammar.coordination import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Words that stand for the noun in such a clause.
RELATIVE = frozenset({"which", "who"})


def aside(token: "Token") -> bool:
    """Whether a verb heads such a clause; one about all that was said (", which is why ...") is none."""
    which = [c for c in token.children if c.dep_ in SUBJECTS and c.lower_ in RELATIVE]
    if token.dep_ != "relcl" or not which or which[0].i == 0 or which[0].nbor(-1).text != ",":
        return False
    if token.lemma_ in {"be", "mean"} and any(c.dep_ == "ccomp" for c in token.children):
        return False
    if token.tag_ == "VBZ" and token.head.tag_ in {"NNS", "NNPS"}:
        return False  # "in cells, which suppresses B": what does so is all that was said
    # ", and" inside may well belong to the clause around ("A, which inhibits B, and C cause D"): better kept whole.
    return not any(t.dep_ == "cc" and t.nbor(-1).text == "," for t in token.subtree)


def fringe(token: "Token") -> bool:
    """Whether a token is a comma that sets off such a clause."""
    beside = [token.nbor(step) for step in (-1, 1) if 0 <= token.i + step < len(token.doc)]
    return token.text == "," and any(aside(up) for near in beside for up in [near, *near.ancestors])


def in_aside(token: "Token", noun: "Token") -> bool:
    """Whether a token below a noun belongs to such a clause of it or to the commas around it."""
    step = token
    while step != noun and step.head != step:
        if aside(step):
            return True
        step = step.head
    return fringe(token)
