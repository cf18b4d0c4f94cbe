"""Which of two things a claim puts before the other, and what sentences say of that: "A is superior to C in B".

A claim that compares is borne out by what leaves no other order of the same two possible, on the same scale and for the
same thing, and refuted by what leaves none of its own. What does either alone ("A treats B") says nothing of it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from groundwork.linking import Mention
from groundwork.polarity import Sign
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance
from knowhd.rules.absent import Present
from knowhd.rules.assertion import Assertion, meanings, read_ends
from knowhd.rules.comparisons import Comparison, comparisons, turned
from knowhd.rules.framing import frames
from knowhd.rules.reading import Reading

#: How often a thing is done, or is there.
_OFTEN = re.compile(r"\b(?:often|frequently|commonly)\b", re.I)
#: What may stand behind the other of two, which belongs to the comparison: "than aspirin did".
_DID = re.compile(r"(?:\s+(?:did|does|do|was|were|is|are|had|has)\b)?", re.I)
#: Scales on which more of it is more, or less, of the thing that it is for.
_FOR_A_THING = frozenset({"act", "amount", "good"})


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a claim puts before what.

    Attributes:
        comparison: Its words, the two, and where the one may stand.
        things: The other concepts of the claim, in order: what the two are compared in.
        by: The scale, see `_seen`.
        orders: Where the one may stand on it.
    """

    comparison: Comparison
    things: tuple[str, ...]
    by: str
    orders: frozenset[int]

    @property
    def assertion(self) -> Assertion:
        """The comparison as something asserted, for the reason."""
        one, other = min(self.comparison.one), min(self.comparison.than)
        cues = (self.comparison.text,)
        return Assertion((one, other), Reading(0, True, False, True, False, cues, len(cues)))

    def stances_of(self, pieces: Iterable[Piece]) -> dict[str, Stance]:
        """The stances of the pieces that compare the same two by the same, by id."""
        return {piece.id: stance for piece in pieces if (stance := self._stance_of(piece))}

    def _stance_of(self, piece: Piece) -> Stance | None:
        if not isinstance(piece, Passage) or not self._spoken_of(piece):
            return None
        stances = {self._weighed(each, piece) for each in comparisons(piece.sentence, piece.mentions)} - {None}
        return stances.pop() if len(stances) == 1 else None

    def _weighed(self, stated: Comparison, passage: Passage) -> Stance | None:
        own = self.comparison
        if own.one & stated.one and own.than & stated.than:
            side = 1
        elif own.one & stated.than and own.than & stated.one:
            side = -1
        else:
            return None
        by, orders = _seen(stated, passage.sentence, passage.mentions, self.things)
        if by != self.by:
            return None
        orders = turned(orders, side)
        return "supports" if orders <= self.orders else "contradicts" if orders.isdisjoint(self.orders) else None

    def _spoken_of(self, passage: Passage) -> bool:
        """Whether a sentence names all that the claim does, and states something."""
        named = [meanings(mention) for mention in passage.mentions]
        sides = (self.comparison.one, self.comparison.than, *({thing} for thing in self.things))
        stated = lexicon.OPEN.search(passage.sentence) is None and not any(f.open for f in frames(passage.sentence))
        return stated and all(any(side & each for each in named) for side in sides)


def ranking_of(claim: Claim) -> Ranking | None:
    """What a claim puts before what, where it compares two of its concepts."""
    for found in comparisons(claim.text, claim.mentions):
        if found.of_two:
            things = tuple(key for key in claim.concepts if key not in found.one | found.than)
            return Ranking(found, things, *_seen(found, claim.text, claim.mentions, things))
    return None


def _seen(
    stated: Comparison, text: str, mentions: Sequence[Mention], things: Sequence[str]
) -> tuple[str, frozenset[int]]:
    """The scale of a comparison and its orders on it, seen as more or less of what the two are compared in.

    "A lowers B more than C" and "B is lower with A than with C" are the same of B, and "better" in a disease is less of
    it; what is compared in nothing is left on its own scale.
    """
    if stated.by not in _FOR_A_THING or not things:
        return stated.by, stated.orders
    sign = _read(stated, text, mentions, things[0])
    if stated.by == "amount":
        # "prevents B more often" is less of B, "B is seen more often" more
        lessened = sign < 0 and _OFTEN.search(stated.text) is not None
        return f"amount of {things[0]}", turned(stated.orders, -1) if lessened else stated.orders
    sign = sign or (-1 if split_key(things[0])[0] == "Disease" else 0)
    return (f"amount of {things[0]}", turned(stated.orders, sign)) if sign else (stated.by, stated.orders)


def _read(stated: Comparison, text: str, mentions: Sequence[Mention], thing: str) -> Sign:
    """Which way a text says that one of two acts on a thing; "prevents B better" is read as "prevents B" first."""
    start, end = stated.start, stated.start + len(stated.text)
    end += len(found[0]) if (found := _DID.match(text, end)) else 0
    moved = (replace(m, start=m.start - end + start, end=m.end - end + start) for m in mentions if m.start >= end)
    kept = [*(m for m in mentions if m.end <= start), *moved]
    for shown in ((text[:start] + text[end:], kept), (text, mentions)):
        parsed = Present(*shown)
        read = [reading for one in sorted(stated.one) if (reading := read_ends(parsed, (one, thing)))]
        signed: list[Sign] = [reading.sign for reading in read if reading.sign]
        if signed:
            return signed[0]
    return 0
