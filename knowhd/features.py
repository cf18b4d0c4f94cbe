"""The named features by which `decision` judges a claim that no two concepts of the graph are found in."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

from groundwork.language import parse
from knowhd import wording as words
from knowhd.alignment import align

#: What each feature says, for the reason; its order is that of the coefficients.
NAMES: dict[str, str] = {
    "shared": "content they share",
    "share": "how much of the claim the text covers",
    "nothing": "nothing in common",
    "complement": "the text speaks of what the claim says of its subject",
    "back": "how much of the closest sentence the claim covers",
    "qualifiers": "the claim's qualifiers occur",
    "same_valence": "both speak of good or both of bad",
    "other_valence": "one speaks of good, the other of bad",
    "valence": "good or bad throughout the text, turned by denials",
    "text_valence": "the text speaks of good rather than bad",
    "same_direction": "both go the same way",
    "other_direction": "one says more, the other less",
    "denied_once": "one of them denies",
    "denied_twice": "both deny",
    "null": "the text denies an effect",
    "null_shared": "the text denies an effect, of what they share",
    "modest": "the claim says only what may be",
    "hedged": "the text is hedged",
    "open": "the text leaves it open",
    "numbers_found": "the claim's numbers occur",
    "claim_words": "how long the claim is",
    "text_words": "how long the text is",
}


@dataclass(frozen=True, slots=True)
class Features:
    """Features of one claim beside one text.

    Attributes:
        values: By name, those of NAMES.
        words: Telling words that both have.
        closest: Which sentence of the text shares most with the claim, from 0.
        sentences: How many sentences the text has.
        together: They share more than a common word.
    """

    values: dict[str, float]
    words: tuple[str, ...]
    closest: int
    sentences: int
    together: bool


def features(claim: str, sentences: Sequence[str]) -> Features:
    """The features of a claim beside the sentences of one article.

    Args:
        claim: The claim's words.
        sentences: What is shown of the article, at least one sentence.
    """
    said, told = parse(claim), [parse(sentence) for sentence in sentences]
    met, text = align(said, told), " ".join(sentences)
    c, e = words.wording(said), words.wording(told[met.closest])
    good, bad = len(words.GOOD.findall(text)), len(words.BAD.findall(text))
    throughout = (good > bad) - (good < bad)
    claimed = c.valence * (-1 if c.denied else 1)
    valence = claimed * e.valence * (-1 if e.null else 1)
    direction = c.direction * e.direction * (-1 if c.denied != e.null else 1)
    asked, found = words.numbers(claim), words.numbers(text)
    values: dict[str, float] = {
        "shared": met.shared,
        "share": met.share,
        "nothing": met.nothing,
        "complement": met.complement,
        "back": met.back,
        "qualifiers": met.qualifiers,
        "same_valence": valence > 0,
        "other_valence": valence < 0,
        "valence": claimed * throughout * (-1 if words.NULL.search(text) else 1),
        "text_valence": throughout,
        "same_direction": direction > 0,
        "other_direction": direction < 0,
        "denied_once": c.denied != e.null,
        "denied_twice": c.denied and e.null,
        "null": e.null,
        "null_shared": met.shared if e.null else 0.0,
        "modest": words.MODEST.search(claim) is not None,
        "hedged": words.HEDGED.search(told[met.closest].text) is not None,
        "open": words.OPEN.search(text) is not None,
        "numbers_found": len(asked & found) / len(asked) if asked else 0.0,
        "claim_words": log1p(len(claim.split())),
        "text_words": log1p(len(text.split())),
    }
    return Features({k: float(v) for k, v in values.items()}, met.words, met.closest, len(told), not met.nothing)
