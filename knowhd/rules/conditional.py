"""Claims that hold under a condition, "if warfarin is stopped": only evidence that states the condition decides them.

An edge of a graph states none. A sentence states it if one of its own conditions or circumstances ("in patients who
stopped warfarin") has all that the claim's condition names, and demands or excludes it alike.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from groundwork.language import parse
from groundwork.linking import Mention
from knowhd import lexicon
from knowhd.claims.claims import Claim
from knowhd.claims.conditions import DENYING, ONLY, Condition, conditions, stretches
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import Stance
from knowhd.rules.alignment import likeness
from knowhd.rules.assertion import Assertion, assertions_of, meanings

#: Words that say no more than that the condition is so.
_LIGHT = lexicon.words(
    """be have do give take use administer receive present presence absence absent lack exist occur apply combine
    combination coadminister case event patient subject people individual therapy treatment also
    concomitant condition"""
)
#: A circumstance: from a preposition, or a participle, to the next comma.
_CIRCUMSTANCE = re.compile(
    r"\b(?:in|among|for|with|without|after|during|following|on|under|upon|while|where|who|receiving|given|plus|lacking|"
    r"when|if)\s[^,;()]+",
    re.I,
)

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
    """

    text: str
    things: tuple[frozenset[str], ...]
    names: tuple[str, ...]
    words: frozenset[str]
    denied: bool
    only: bool

    def met(self, passage: Passage) -> bool:
        """Whether a sentence states this condition."""
        return any(self._in(passage, *place) for place in _circumstances(passage.sentence))

    def spoken_of(self, sentences: Sequence[str]) -> bool:
        """Whether sentences share two of its words, or its only one: for a text that is read by its wording alone."""
        there = frozenset(word for each in sentences for word in _content(each, 0, len(each), ()))
        wanted = {*self.words, *(word for name in self.names for word in _content(name, 0, len(name), ()))}
        denied = not self.denied or any(DENYING.search(each) for each in sentences)
        return denied and bool(wanted) and len(wanted & there) >= min(2, len(wanted))

    def _in(self, passage: Passage, start: int, end: int, denied: bool) -> bool:
        if denied != self.denied:
            return False
        named = {k for m in _inside(passage.mentions, start, end) for k in meanings(m)}
        bare = _content(passage.sentence, start, end, ())
        return all(thing & named for thing in self.things) and self.words <= bare


def demands(claim: Claim) -> tuple[Demand, ...]:
    """The conditions of a claim, in order."""
    found = []
    for each in conditions(claim.text):
        if _says_a_need(claim, each):
            continue
        mentions = _inside(claim.mentions, each.start, each.end)
        start = each.start + len(each.joint)
        things = tuple(frozenset(meanings(mention)) for mention in mentions if meanings(mention))
        words = _content(claim.text, start, each.end, mentions)
        if not things and not words:
            words = frozenset(re.findall(r"[^\W\d_]+", each.what.lower()))
        found.append(Demand(each.text, things, tuple(m.text for m in mentions), words, each.denied, each.only))
    return tuple(found)


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
    if not isinstance(piece, Passage) or not all(demand.met(piece) for demand in demanded):
        return False
    exclusive = stance == "supports" and any(demand.only for demand in demanded)
    return not exclusive or ONLY.search(piece.sentence) is not None


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
        bound = [f"PMID {p.pmid} {each.text!r}" for p in agreeing for each in _binding(p)]
        return f" Stated under a condition that the claim has not: {', '.join(bound)}." if bound else ""
    stating = sum(bearing(demanded, piece) for piece in given)
    names = " and ".join(repr(demand.text) for demand in demanded)
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


def _circumstances(sentence: str) -> list[tuple[int, int, bool]]:
    """Where a sentence tells conditions and circumstances, and whether each excludes what it names."""
    own = [(each.start, each.end, each.denied) for each in conditions(sentence)]
    found = [
        (place.start(), place.end(), len(DENYING.findall(place[0])) % 2 == 1)
        for place in _CIRCUMSTANCE.finditer(sentence)
        if not any(place.start() < end and start < place.end() for start, end, _ in own)
    ]
    return own + found


def _inside(mentions: Iterable[Mention], start: int, end: int) -> tuple[Mention, ...]:
    return tuple(mention for mention in mentions if start <= mention.start and mention.end <= end)


def _content(text: str, start: int, end: int, mentions: Sequence[Mention]) -> frozenset[str]:
    """The words of a stretch that say what must be so, without those of concepts."""
    return frozenset(
        likeness(token)
        for token in parse(text)
        if start <= token.idx < end
        and token.text[0].isalnum()
        and not token.is_stop
        and token.lemma_.lower() not in _LIGHT
        and not DENYING.fullmatch(token.text)
        and not any(mention.start <= token.idx < mention.end for mention in mentions)
    )
