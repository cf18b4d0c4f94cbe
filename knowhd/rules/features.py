"""The named features by which `decision` judges a claim that no two concepts of the graph are found in."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p

from groundwork.language import parse
from knowhd.rules import wording as words
from knowhd.rules.alignment import align

#: What each feature says, for the reason; its order is that of the coefficients.
NAMES: dict[str, str] = {
    "shared": "content they share",
    "share": "how much of the claim the text covers",
    "covered": "a fifth of the claim is covered",
    "nothing": "nothing in common",
    "back": "how much of the closest sentence the claim covers",
    "denied_once": "one of them denies",
    "covered_denied": "one of them denies, on what is covered",
    "other_valence": "one speaks of good, the other of bad",
    "valence": "good or bad throughout the text, turned by denials",
    "modest": "the claim says only what may be",
    "claim_words": "how long the claim is",
}
#: Share of a claim's content from which a text is about it.
_COVERED = 0.2


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
    c, e = words.wording(claim), words.wording(sentences[met.closest])
    good, bad = len(words.GOOD.findall(text)), len(words.BAD.findall(text))
    throughout = (good > bad) - (good < bad)
    claimed = c.valence * (-1 if c.denied else 1)
    valence = claimed * e.valence * (-1 if e.null else 1)
    covered, denied_once = met.share > _COVERED, c.denied != e.null
    values: dict[str, float] = {
        "shared": met.shared,
        "share": met.share,
        "covered": covered,
        "nothing": met.nothing,
        "back": met.back,
        "denied_once": denied_once,
        "covered_denied": covered and denied_once,
        "other_valence": valence < 0,
        "valence": claimed * throughout * (-1 if words.NULL.search(text) else 1),
        "modest": words.MODEST.search(claim) is not None,
        "claim_words": log1p(len(claim.split())),
    }
    return Features({k: float(v) for k, v in values.items()}, met.words, met.closest, len(told), not met.nothing)
