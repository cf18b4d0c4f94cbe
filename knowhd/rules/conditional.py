"""Claims that hold under a condition, "if warfarin is stopped": only evidence that states the condition decides them.

An edge of a graph states none. A sentence states it if one of its own conditions or circumstances ("in patients who
stopped warfarin") has all that the claim's condition names, and demands or excludes it alike. A claim that is widened,
"even if", "regardless of", demands as much of what bears it out, but may be refuted by any, and by what narrows it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from groundwork.linking import Mention
from groundwork.quoted import quoted
from knowhd.claims.claims import Claim
from knowhd.claims.conditions import DENYING, ONLY, Condition, conditions, stretches
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance
from knowhd.rules import populations
from knowhd.rules.assertion import Assertion, assertions_of, meanings
from knowhd.rules.circumstances import circumstances, content
from knowhd.rules.quantities import quantities
from knowhd.rules.widenings import Narrowing, Reach, narrowings, widenings

#: The share of people, in percent, that is all of them.
_ALL = 100
#: Joints of conditions that must be met, rather than of what was the case when something was seen.
_STRICT = re.compile(
    r"(?:(?:but|and|only|not|except) )*(?:if|unless|provid|assuming|supposing|on condition|in case that|in the event|"
    r"(?:as|so) long as)",
    re.I,
)
#: What does not happen where a thing is absent needs it.
_NOT_SO = re.compile(r"\b(?:not|cannot|never|no|fail(?:s|ed)? to|unable)\b|n['’]t\b", re.I)


@dataclass(frozen=True, slots=True)
class Demand:
    """One condition of a claim.

    Attributes:
        text: Its words.
        things: The concepts it names: for each, what it may mean.
        names: Their names in it.
        words: Its other content, as words meet in `alignment`.
        denied: It demands that this is not so.
        only: The claim is that nothing else will do.
        reach: How the claim is widened by it; empty where it is a condition.
    """

    text: str
    things: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    words: frozenset[str]
    denied: bool
    only: bool
    reach: Reach | Literal[""] = ""

    def met(self, passage: Passage) -> bool:
        """Whether a sentence states this condition, or that it makes no difference."""
        wide = [each for each in widenings(passage.sentence) if each.reach == "any"]
        if any(self._named(passage, each.start, each.end) for each in wide):
            return True
        if self.reach == "any":
            return populations.ranges_over(self.words, passage.sentence)
        places = [(start, end) for start, end, denied in circumstances(passage.sentence) if denied == self.denied]
        return any(self._named(passage, *place) for place in places)

    def excluded(self, passage: Passage) -> bool:
        """Whether a sentence says that what it states holds elsewhere alone."""
        if not self.reach:
            return False
        return any(
            self._touched(passage, each) if self.reach == "any" else self._opposed(passage, each)
            for each in narrowings(passage.sentence)
        )

    def spoken_of(self, sentences: Sequence[str]) -> bool:
        """Whether sentences share two of its words, or its only one: for a text that is read by its wording alone."""
        there = frozenset(word for each in sentences for word in content(each, 0, len(each), ()))
        wanted = {*self.words, *(word for name in self.names for word in content(name, 0, len(name), ()))}
        denied = not self.denied or any(DENYING.search(each) for each in sentences)
        return denied and bool(wanted) and len(wanted & there) >= min(2, len(wanted))

    def _named(self, passage: Passage, start: int, end: int) -> bool:
        """Whether a stretch of a sentence has all that this names."""
        named = {k for m in _inside(passage.mentions, start, end) for k in meanings(m)}
        bare = content(passage.sentence, start, end, ())
        return all(thing & named for thing in self.things) and self.words <= bare

    def _opposed(self, passage: Passage, narrow: Narrowing) -> bool:
        return narrow.denied != self.denied and self._named(passage, narrow.start, narrow.end)

    def _touched(self, passage: Passage, narrow: Narrowing) -> bool:
        """Whether what a sentence is narrowed to is some of what this ranges over."""
        named = {k for m in _inside(passage.mentions, narrow.start, narrow.end) for k in meanings(m)}
        of_things = bool(self.things) and all(thing & named for thing in self.things)
        return of_things or populations.is_of_range(self.words, passage.sentence[narrow.start : narrow.end])


def demands(claim: Claim) -> tuple[Demand, ...]:
    """The conditions of a claim, and what it is widened to, each in order."""
    bound = [each for each in conditions(claim.text) if not _says_a_need(claim, each)]
    found = [
        _demand(claim, each.text, (each.start, each.start + len(each.joint), each.end), each.denied, each.only)
        for each in bound
    ]
    taken = [(each.start, each.end) for each in bound]
    taken += [(each.start, each.end) for each in quantities(claim.text) if each.kind == "share"]  # "in all groups"
    wide = [
        _demand(claim, each.text.rstrip(" .!"), (each.start, each.start, each.end), each.denied, False, each.reach)
        for each in widenings(claim.text)
        if not each.of_two and not any(start < each.end and each.start < end for start, end in taken)
    ]
    return (*found, *(each for each in wide if each.things or each.words))


def _demand(
    claim: Claim, text: str, place: tuple[int, int, int], denied: bool, only: bool, reach: Reach | Literal[""] = ""
) -> Demand:
    """A demand in words that begin, go on behind their joint, and end at a place."""
    start, behind, end = place
    mentions = _inside(claim.mentions, start, end)
    things = tuple(frozenset(meanings(mention)) for mention in mentions if meanings(mention))
    words = content(claim.text, behind, end, mentions)
    if not reach and not things and not words:
        words = frozenset(re.findall(r"[^\W\d_]+", claim.text[behind:end].lower()))
    return Demand(text, things, tuple(m.text for m in mentions), words, denied, only, reach)


def _says_a_need(claim: Claim, condition: Condition) -> bool:
    """Whether a condition is what a claim is about: "without A, B does not rise" says that B needs A."""
    rest = claim.text[: condition.start] + claim.text[condition.end :]
    outside = {m.key for m in claim.mentions if m.end <= condition.start or condition.end <= m.start}
    return condition.denied and len(outside) < 2 and _NOT_SO.search(rest) is not None


def asserted_by(claim: Claim) -> tuple[Assertion, ...]:
    """What a claim asserts under its conditions; of one whose main clause relates nothing, what the whole does."""
    kept, mentions = claim.text, claim.mentions
    for start, end in reversed(stretches(claim.text)):
        kept = kept[:start] + kept[end:]
        mentions = (
            *(m for m in mentions if m.end <= start),
            *(replace(m, start=m.start - end + start, end=m.end - end + start) for m in mentions if m.start >= end),
        )
    keys = tuple(dict.fromkeys(m.key for m in mentions if m.key))
    main = assertions_of(replace(claim, text=kept, concepts=keys, mentions=mentions)) if len(keys) > 1 else ()
    return main or assertions_of(claim)


def bearing(demanded: Sequence[Demand], piece: Piece, stance: Stance | None = None) -> bool:
    """Whether a piece of evidence may decide a claim of these conditions, and on this side.

    What is claimed to hold under no other condition is supported only by what says so too; and what an article says to
    hold if something is so supports no claim without that condition, though it may refute one: a claim without a
    condition is claimed of every case.
    """
    if not demanded:
        return not (stance == "supports" and isinstance(piece, Passage) and any(_binding(piece)))
    owed = [demand for demand in demanded if stance != "contradicts" or not demand.reach]
    if owed and not isinstance(piece, Passage):
        return False
    if isinstance(piece, Passage) and not all(demand.met(piece) for demand in owed):
        return False
    exclusive = stance == "supports" and any(demand.only for demand in demanded)
    return not exclusive or (isinstance(piece, Passage) and ONLY.search(piece.sentence) is not None)


def narrowed(claim: Claim, demanded: Sequence[Demand], piece: Piece, stance: Stance) -> Stance:
    """What a piece of a stance on what a claim says without its conditions makes of it if the claim is widened.

    Who says that something holds only in women does not say that it holds in all groups, or regardless of sex.
    """
    if stance == "contradicts" or not isinstance(piece, Passage):
        return stance
    of_all = any(each.kind == "share" and each.low == _ALL for each in quantities(claim.text))
    some = of_all and any(populations.of_some(piece.sentence[n.start : n.end]) for n in narrowings(piece.sentence))
    return "contradicts" if some or any(demand.excluded(piece) for demand in demanded) else stance


def told(demanded: Sequence[Demand], pieces: Iterable[Piece], read: Mapping[str, Stance] | None = None) -> str:
    """What the reason says of the conditions of a claim read between concepts, or of those that evidence has.

    Args:
        demanded: The conditions of the claim.
        pieces: The evidence.
        read: The stances that were read, by id.
    """
    given = list(pieces)
    if not demanded:
        agreeing = [p for p in given if isinstance(p, Passage) and (read or {}).get(p.id) == "supports"]
        bound = [f"PMID {p.pmid} {quoted(each.text)}" for p in agreeing for each in _binding(p)]
        return f" Stated under a condition that the claim has not: {', '.join(bound)}." if bound else ""
    stating = sum(bearing(demanded, piece) for piece in given)
    names = " and ".join(quoted(demand.text) for demand in demanded)
    if not given:
        return f" It is claimed under a condition ({names})."
    held = f"{stating or 'none'} of {len(given)} pieces of evidence {'states' if stating < 2 else 'state'} that"
    return f" It is claimed under a condition ({names}): {held}."


def _binding(passage: Passage) -> Iterator[Condition]:
    """The conditions under which alone a sentence states what it does.

    "When" and "in the presence of" mostly tell how it was seen. A condition without which the sentence names fewer than
    two concepts is part of what it states: "if A is given, B falls".
    """
    for each in conditions(passage.sentence):
        outside = {m.key for m in passage.mentions if m.end <= each.start or each.end <= m.start}
        if (each.only or _STRICT.match(each.joint)) and (len(outside) > 1 or not passage.mentions):
            yield each


def _inside(mentions: Iterable[Mention], start: int, end: int) -> tuple[Mention, ...]:
    return tuple(mention for mention in mentions if start <= mention.start and mention.end <= end)
