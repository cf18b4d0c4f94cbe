"""What a claim and a text have in common, word by word: which of the claim's content the text speaks of.

Words meet by their first letters or by `everyday`; rare ones weigh more than those that stand in any abstract.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log1p, sqrt
from typing import TYPE_CHECKING

from knowhd.rules.everyday import COMMON, PERVASIVE, SAME

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

#: Letters by which inflected and derived words meet: infect, infection, infectious.
_LETTERS = 5
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "X"})
_BEGINNINGS = frozenset(word[:_LETTERS] for word in COMMON)
#: Shared weight below which two texts speak of different things: no more than one common word.
_NOTHING = 0.35


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two texts share.

    Attributes:
        shared: log(1 + weight of the claim's words that the text has).
        share: That weight over the weight of all words of the claim, in [0, 1].
        nothing: They share no more than a common word.
        back: Root of the share of the closest sentence that the claim has, in [0, 1].
        closest: Which sentence shares most with the claim.
        words: The shared words, as the claim writes them.
    """

    shared: float
    share: float
    nothing: bool
    back: float
    closest: int
    words: tuple[str, ...]


def align(claim: "Doc", sentences: Sequence["Doc"]) -> Alignment:
    """What a parsed claim shares with the parsed sentences of a text.

    Args:
        claim: The claim.
        sentences: At least one sentence.
    """
    wanted, bags = _weights(claim), [_weights(sentence) for sentence in sentences]
    there = frozenset(key for bag in bags for key in bag)
    per_sentence = [_common(wanted, bag) for bag in bags]
    closest = max(range(len(bags)), key=per_sentence.__getitem__)
    common = _common(wanted, there)
    tokens = _content(claim)
    return Alignment(
        shared=log1p(common),
        share=common / (sum(wanted.values()) or 1.0),
        nothing=common < _NOTHING,
        back=sqrt(per_sentence[closest] / (sum(bags[closest].values()) or 1.0)),
        closest=closest,
        words=tuple(dict.fromkeys(t.text for t in tokens if likeness(t) in there and weight(t) >= 1)),
    )


def _common(wanted: Mapping[str, float], there: frozenset[str] | Mapping[str, float]) -> float:
    return sum(each for key, each in wanted.items() if key in there)


def _weights(doc: "Doc") -> dict[str, float]:
    """The weight of each word of a text, once."""
    found: dict[str, float] = {}
    for token in _content(doc):
        key = likeness(token)
        found[key] = max(found.get(key, 0.0), weight(token))
    return found


def _content(doc: "Doc") -> list["Token"]:
    return [
        t for t in doc if t.pos_ in _CONTENT and not t.is_stop and len(t.text) > 1 and any(map(str.isalpha, t.text))
    ]


def likeness(token: "Token") -> str:
    """What a word is compared by: the thing of which it is an everyday name, or its first letters."""
    word, lemma = token.lower_, token.lemma_.lower()
    return SAME.get(word) or SAME.get(lemma) or word[:_LETTERS]


def weight(token: "Token") -> float:
    """1 for a telling word, half for one that is common or has everyday names, least for the pervasive disease."""
    key = likeness(token)
    if key in PERVASIVE:
        return 0.2
    common = key[:_LETTERS] in _BEGINNINGS or token.lower_ in SAME or token.lemma_.lower() in SAME
    return (0.5 if common else 1.0) * (0.5 if token.pos_ == "ADV" else 1.3 if token.pos_ == "PROPN" else 1.0)
