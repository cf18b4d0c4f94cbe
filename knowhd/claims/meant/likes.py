"""What "that of" means: the noun before it that was said of another thing, "the level of A and that of B".

"The efficacy of A exceeds that of B" compares the two in one claim, and stays.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from knowhd.claims.grammar.masked import Masked
from knowhd.claims.leaning.antecedents import clause
from knowhd.claims.meant.instead import Instead

if TYPE_CHECKING:
    from spacy.tokens import Token

_NUMBER = {"that": "NN", "those": "NNS"}


def likes(parsed: Masked, before: Masked | None) -> Iterator[Instead]:
    """The noun for each "that of" and "those of"; where the sentence has none, one of the sentence before."""
    for token in parsed.doc:
        of = token.nbor() if token.i + 1 < len(token.doc) else token
        if token.lower_ not in _NUMBER or token.tag_ != "DT" or of.lower_ != "of":
            continue
        own = [noun for noun in _owned(parsed) if noun.i < token.i]
        text = parsed if own else before
        owned = [n for n in own or (_owned(text) if text else ()) if n.tag_ == _NUMBER[token.lower_]]
        if text and owned and (text is not parsed or _apart(owned[-1], token)):
            words = text.original([t for t in owned[-1].lefts if _qualifies(t, text)] + [owned[-1]])
            yield Instead(*parsed.offsets(token), f"the {words}", (words,))


def _owned(parsed: Masked) -> Iterator["Token"]:
    """The nouns that are said to be of something: "the level of A", "A levels"."""
    for noun in parsed.doc:
        owner = any(child.lower_ == "of" or parsed.hides(child) for child in noun.children)
        if noun.tag_ in {"NN", "NNS"} and not parsed.hides(noun) and owner:
            yield noun


def _apart(noun: "Token", token: "Token") -> bool:
    """Whether the two are told apart: they are joined, or another verb stands between them."""
    return bool(token.dep_ == "conj" or clause(noun) != clause(token))


def _qualifies(token: "Token", parsed: Masked) -> bool:
    return token.dep_ in {"amod", "compound"} and not parsed.hides(token)
