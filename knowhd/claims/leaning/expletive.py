"""The "it" that only holds a place: "it is known that", "it is A that", "it is hard to tell", "it seems that"."""

from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.claims.grammar.coordination import SUBJECTS

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Verbs that take such an "it" by themselves.
_IMPERSONAL = lexicon.words("appear be become emerge follow happen remain seem transpire turn")
#: They are said of doing something, not of who does it: "it is likely to rise" is said of a thing.
_OF_DOING = lexicon.words(
    """advisable customary desirable difficult easy essential feasible hard helpful important impossible interesting
    necessary noteworthy plausible possible prudent reasonable sensible tempting unclear unnecessary useful wise
    worthwhile"""
)
#: "A makes it possible to ..."
_MAKING = lexicon.words("make find consider think deem render believe")
_ASKING = lexicon.words("whether how why what")
_ONE_OF_MANY = lexicon.words("a an no")
_DEGREE = lexicon.words("so such")


def expletive(token: "Token") -> bool:
    """Whether a token is such an "it"."""
    if token.lower_ != "it":
        return False
    behind = [t for t in token.sent if t.i > token.i]
    making = token.i > 0 and token.nbor(-1).lemma_ in _MAKING
    told = token.dep_ == "nsubjpass" or making or any(t.lemma_ in _IMPERSONAL for t in behind[:4])
    return told and any(_opens(t, [b for b in behind if b.i < t.i]) for t in behind)


def _opens(token: "Token", before: list["Token"]) -> bool:
    """Whether a word opens the clause that an "it" stands for.

    Args:
        token: The word.
        before: What stands between the two.
    """
    if not before or any(t.lower_ in _DEGREE for t in before):
        return False
    if token.lower_ == "that" and token.dep_ in SUBJECTS:  # "it is A that ..."
        return any(t.tag_ == "NNP" for t in before) and all(t.lower_ not in _ONE_OF_MANY for t in before)
    if token.lower_ == "that":
        return token.dep_ in {"mark", "advmod"}
    if token.lower_ in _ASKING:
        return before[-1].pos_ not in {"NOUN", "PROPN"}
    infinitive = token.tag_ == "TO" and token.i + 1 < len(token.doc) and token.nbor().tag_ == "VB"
    return infinitive and before[-1].lower_ in _OF_DOING
