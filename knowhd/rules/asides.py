"""Words of a claim that add nothing to what is read of it: what kind of thing a thing is, or what is said apart."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from knowhd import lexicon
from knowhd.rules import populations
from knowhd.rules.heads import LIGHT
from knowhd.rules.needs import LACKS

if TYPE_CHECKING:
    from spacy.tokens import Token

#: What a named variant of a gene is called behind its name.
_VARIANTS = lexicon.words("allele genotype haplotype mutation polymorphism snp variant")


def adds_nothing(token: "Token", own: Collection[int]) -> bool:
    """Whether a word tells no more of the things that are read, at these places, than their names do."""
    return _tells_what_it_is(token, own) or _lacks_it(token, own) or _is_more_of_it(token, own) or _is_variant(token)


def _tells_what_it_is(token: "Token", own: Collection[int]) -> bool:
    """Whether a word describes the kind of a thing that is named: "the antiviral drug A", "A, an antiviral drug"."""
    if any(each.dep_ == "appos" and each.head.i in own for each in (token, *token.ancestors)):
        return True
    if token.i + 2 not in own or token.i + 2 >= len(token.doc):
        return False
    kind = token.nbor(1)
    return kind.pos_ == "NOUN" and lexicon.base(kind.lemma_, LIGHT) is not None


def _is_variant(token: "Token") -> bool:
    """Whether a word says of a variant that is named that it is one: "the C677T polymorphism"."""
    named = any(part.dep_ == "compound" and any(map(str.isdigit, part.text)) for part in token.subtree)
    return named and lexicon.base(token.lemma_, _VARIANTS) is not None


def _is_more_of_it(token: "Token", own: Collection[int]) -> bool:
    """Whether a word says no more of a thing than that there is more of it, which does what the thing does."""
    by_another = token.i > 0 and token.nbor(-1).text == "-"
    return (
        not by_another
        and lexicon.sign_of(token.text) > 0
        and (token.head.i in own or token.i + 1 in own)
        and token.pos_ != "NOUN"
    )


def _lacks_it(token: "Token", own: Collection[int]) -> bool:
    """Whether a word is for those in whom one of the two things is lacking: "mice deficient in A"."""
    if not populations.group_of(token.text):
        return False
    below = list(token.subtree)
    return any(t.i in own for t in below) and any(lexicon.base(t.lemma_, LACKS) for t in below)


def joined(token: "Token") -> bool:
    """Whether a word stands in a clause that is joined to another: "and is approved"."""
    over = (token, *token.ancestors)
    return any(each.dep_ == "conj" and each.pos_ in {"VERB", "AUX"} for each in over)


def abreast_of(token: "Token") -> list["Token"]:
    """The nouns that a noun is joined to by "and"; with "but not" it is an exception."""
    firsts = [token.head] if token.dep_ == "conj" else []
    links = [c for each in (token, *firsts) for c in each.children if c.dep_ == "cc"]
    return [*token.conjuncts] if links and all(c.lower_ == "and" for c in links) else []
