"""Where a sentence tells under what conditions and circumstances something was so: "if A is given", "in women"."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundwork.language import parse
from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.conditions import DENYING, conditions
from knowhd.rules.alignment import likeness

if TYPE_CHECKING:
    from spacy.tokens import Token

#: Words that say no more than that the condition is so.
_LIGHT = lexicon.words(
    """be have do give take use administer receive present presence absence absent lack exist occur apply combine
    combination coadminister case event patient subject people individual therapy treatment also
    concomitant condition status"""
)
#: A circumstance: from a preposition, or a participle, to the next comma.
_CIRCUMSTANCE = re.compile(
    r"\b(?:in|among|for|with|without|after|during|following|on|under|upon|while|where|who|receiving|given|plus|lacking|"
    r"when|if)\s[^,;()]+",
    re.I,
)


def circumstances(sentence: str) -> list[tuple[int, int, bool]]:
    """Where a sentence tells conditions and circumstances, and whether each excludes what it names."""
    own = [(each.start, each.end, each.denied) for each in conditions(sentence)]
    found = [
        (place.start(), place.end(), len(DENYING.findall(place[0])) % 2 == 1)
        for place in _CIRCUMSTANCE.finditer(sentence)
        if not any(place.start() < end and start < place.end() for start, end, _ in own)
    ]
    return own + found


def content(text: str, start: int, end: int, mentions: Sequence[Mention]) -> frozenset[str]:
    """The words of a stretch that say what must be so, without those of concepts."""
    return frozenset(
        _singular(token)
        for token in parse(text)
        if start <= token.idx < end
        and token.text[0].isalnum()
        and not token.is_stop
        and token.lemma_.lower() not in _LIGHT
        and not DENYING.fullmatch(token.text)
        and not any(mention.start <= token.idx < mention.end for mention in mentions)
    )


def _singular(token: "Token") -> str:
    """What a word is compared by, of one where it speaks of several."""
    return likeness(token).removesuffix("s" if token.tag_ == "NNS" else "")
