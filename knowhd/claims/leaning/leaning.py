"""What a claim leans on that does not stand in it: "it", "this drug", "the latter", "does so", "the effect".

An expression leans unless what it may mean stands before it in the claim, agrees with it in number and is free to be
meant (`antecedents`). "It is known that" and "there is" hold a place only (`expletive`). "We" is whoever wrote the text
in each of its claims, and leans on none.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.frames import SAYING
from knowhd.claims.grammar.masked import Masked
from knowhd.claims.leaning.antecedents import Antecedents, told_before
from knowhd.claims.leaning.expletive import expletive
from knowhd.claims.verbs import relates

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Nouns for a kind of thing, and nouns that say only with more words what they are of: behind a bare "the" they point.
KINDS = lexicon.words(
    """agent antibody bacterium chemical complex compound cytokine disease disorder drug enzyme gene hormone illness
    inhibitor kinase medication medicine metabolite molecule mutation oncogene pathogen peptide phosphatase protease
    protein receptor substance syndrome toxin tumor tumour variant virus"""
)
RELATIONAL = (
    lexicon.words(
        """cohort combination complication condition consequence decline dose finding group intervention mechanism
        outcome phenomenon phenotype process response symptom treatment"""
    )
    | lexicon.RELATING
    | lexicon.RAISING
    | lexicon.LOWERING
)
_ONE = lexicon.words("it its he him his she her hers")
_MANY = lexicon.words("they them their theirs")
_DEMONSTRATIVE = lexicon.words("this these that those")
#: Behind "those" they say who is meant: "those who smoke".
_MEANT = lexicon.words("who whose with without")
#: Alone they are of several things that were named.
_SOME = lexicon.words("all another both each either few many most neither none several some")
#: Behind "the" they tell what was named from something else.
_ORDER = lexicon.words("former latter others same other above aforementioned abovementioned")
_PLACE = lexicon.words("here hereby herein there thereafter thereby therefrom therein thereof thereto thereupon")
_SLOTS = frozenset({"nsubj", "nsubjpass", "dobj"})
_OF = lexicon.words("of between against that which who")
#: Verbs that may stand for another, and what may stand beside them: "does not either", "did too in mice".
_PROVERBS = lexicon.words("do be have")
_BESIDE = frozenset({"nsubj", "nsubjpass", "neg", "punct", "cc", "aux", "conj", "mark", "advcl"})
_ALSO = lexicon.words("also either likewise not similarly so too")

_Rule = Callable[["Token", Antecedents], bool]


def leaning(text: str, mentions: tuple[Mention, ...]) -> tuple[str, ...]:
    """The words of a claim that lean on something outside it, in order.

    Args:
        text: The claim.
        mentions: The concepts it names.
    """
    return tuple(token.text for token in leaners(Masked(text, mentions)))


def leaners(parsed: Masked) -> tuple["Token", ...]:
    """The tokens of a parsed claim that lean on something outside it, in order."""
    known = Antecedents(parsed)
    own = (token for token in parsed.doc if not parsed.hides(token))
    return tuple(token for token in own if any(rule(token, known) for rule in _RULES))


def _pronoun(token: "Token", known: Antecedents) -> bool:
    """A personal or possessive pronoun: "it lowers", "its target"."""
    if token.lower_ in _MANY:
        if token.head.lower_ == "among":  # "A and B share genes, among them C"
            return not any(map(known.several, known.nouns(token)))
        return not any(map(known.several, known.free(token)))
    if token.lower_ not in _ONE or not token.tag_.startswith("PRP") or expletive(token):
        return False
    return all(map(known.plural, known.free(token)))


def _demonstrative(token: "Token", known: Antecedents) -> bool:
    """A demonstrative, alone or before a noun: "this lowers", "these effects", "that of A"."""
    if token.lower_ not in _DEMONSTRATIVE or token.tag_ not in {"DT", "PDT"}:
        return False
    if token.lower_ == "that" and token.i > 0 and SAYING.fullmatch(token.nbor(-1).text):
        return False  # "we hypothesised that"
    noun = token.head if token.dep_ == "det" and token.head.i > token.i and token.head.pos_ == "NOUN" else None
    if noun is not None:
        return not _told(noun, known)
    if token.lower_ == "those" and _next(token) in _MEANT:
        return False
    if token.lower_ in {"that", "those"}:  # "the level of A and that of B"
        many = token.lower_ == "those"
        return not any(known.plural(one) == many for one in known.kinds(token))
    return not told_before(token)


def _such(token: "Token", known: Antecedents) -> bool:
    """Only told by what stood before: "such an increase"; not "drugs such as A" and "such drugs as A"."""
    if token.lower_ != "such" or _next(token) in {"as", "that"}:
        return False
    return _next(token.head) != "as" and not _told(token.head, known)


def _definite(token: "Token", known: Antecedents) -> bool:
    """A noun behind a bare "the", with nothing that says which: "the drug", "the inhibition"."""
    qualifies = token.dep_ == "compound" and token.head.pos_ in {"NOUN", "PROPN"}
    if token.pos_ != "NOUN" or token.lemma_.lower() not in KINDS | RELATIONAL or qualifies:
        return False
    beside = {child.dep_ for child in token.children} - {"cc", "conj", "punct", "case", "det", "nummod"}
    first = next((child for child in token.children if child.dep_ == "nummod"), token)  # "the two drugs"
    bare = first.i > 0 and first.nbor(-1).lower_ == "the" and not beside
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    of = following is not None and (following.pos_ == "ADP" and token.lemma_.lower() in RELATIONAL)
    said = of or (following is not None and (following.lower_ in _OF or following.pos_ == "PROPN"))
    return bare and not said and not _told(token, known)


def _order(token: "Token", known: Antecedents) -> bool:
    """Told from something else: "the latter", "the other", "the same drug"; not "the same drug as A"."""
    ahead = {t.lower_ for t in token.doc[max(0, token.i - 2) : token.i]}  # "the two former drugs"
    if token.lower_ not in _ORDER or "the" not in ahead or _next(token) == "hand":
        return False
    before = list(known.nouns(token))
    if token.lower_ == "same":
        compared = any(t.lower_ == "as" for t in token.sent if t.i > token.i)
        return not compared and not any(map(known.several, before))
    if token.lower_ in {"former", "latter"}:
        return len(before) < 2
    return not any(t.lower_ in {"one", "first"} for t in token.doc[: token.i])


def _quantity(token: "Token", known: Antecedents) -> bool:
    """How many of what was named: "both inhibit A", "each other"; not "both drugs" and "each of the drugs"."""
    if token.lower_ not in _SOME:
        return False
    mutual = token.lower_ == "each" and _next(token) == "other"
    misread = token.i == 0 and relates(_next(token)) and token.head.tag_ != "NNS"
    slot = token.dep_ in _SLOTS or misread or (token.dep_ == "det" and token.head.pos_ == "VERB")
    alone = slot and _next(token) != "of" and token.pos_ != "NOUN"
    return (mutual or alone) and not any(map(known.several, known.nouns(token)))


def _one(token: "Token", known: Antecedents) -> bool:
    """One of a kind that was named: "a stronger one"; not "one drug" and "one of the drugs"."""
    numbering = token.dep_ in {"nummod", "quantmod", "advmod", "compound"}
    alone = token.lower_ == "ones" or (token.lower_ == "one" and not numbering and _next(token) != "of")
    return alone and next(known.kinds(token), None) is None


def _verb(token: "Token", _known: Antecedents) -> bool:
    """A verb for one that stands elsewhere: "A does so", "A did not"."""
    if token.lower_ == "so" and token.head.lemma_ == "do" and abs(token.i - token.head.i) == 1:
        return not told_before(token.head)
    stands = token.lemma_ in _PROVERBS or token.tag_ == "MD"
    if not stands or token.dep_ in {"aux", "auxpass"} or token.pos_ not in {"VERB", "AUX"}:
        return False
    beside = [c for c in token.children if c.dep_ not in _BESIDE and c.lower_ not in _ALSO]
    placed = token.lemma_ == "do" and all(c.dep_ == "prep" for c in beside)
    acting = any(c.dep_ in _SLOTS for c in token.children)
    return acting and (not beside or placed) and not told_before(token)


def _place(token: "Token", _known: Antecedents) -> bool:
    """A place or a way: "A accumulates there", "thereby"; not "there is"."""
    return token.lower_ in _PLACE and token.dep_ != "expl" and token.tag_ != "EX" and not told_before(token)


def _relative(token: "Token", _known: Antecedents) -> bool:
    """A relative pronoun without what is meant: "which lowers B", "of which"."""
    opens = token.i == 0 or (token.i == 1 and token.nbor(-1).pos_ == "ADP")
    return opens and token.tag_ in {"WDT", "WP", "WP$"}


def _told(noun: "Token", known: Antecedents) -> bool:
    """Whether what a noun points to may stand before it: in another clause, or as the same noun."""
    return told_before(noun) or any(t.lemma_ == noun.lemma_ for t in known.nouns(noun))


def _next(token: "Token") -> str:
    return str(token.doc[token.i + 1].lower_) if token.i + 1 < len(token.doc) else ""


_RULES: tuple[_Rule, ...] = (
    _pronoun,
    _demonstrative,
    _such,
    _definite,
    _order,
    _quantity,
    _one,
    _verb,
    _place,
    _relative,
)
