"""What one sentence says about two things in it: more, less, something, or nothing.

The way from one to the other is the shortest path in the dependency parse. Signed words on it, and those that modify
it, multiply; denials turn it round once each. A way through "by ...ing", "without ...ing" or a second verb starts
afresh there, since what stands above it is said of something else ("lowers glucose by activating AMPK").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from groundwork.polarity import Sign
from knowhd import lexicon
from knowhd.rules.denials import clause_of, denials, lifted
from knowhd.rules.foils import outside, unsaid
from knowhd.rules.framing import Frame, frames
from knowhd.rules.groups import across, contrast
from knowhd.rules.needs import NEED, as_needed, happening, is_circumstance, lacking, needs, outcome
from knowhd.rules.said import said_between, without
from knowhd.rules.signs import absences, acted_by_less, direction, set_against, set_apart, sign_of_cues
from knowhd.rules.ways import GIVEN, Agency, Way, abreast, agency, given_more, leading, only_the_stage, way_between

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

#: A way of more than this many words joins nothing.
FARTHEST = 12
#: Pairs of places of two things that are read at most, the nearest ones.
PAIRS = 36

_TURNED: dict[Sign, Sign] = {1: -1, 0: 0, -1: 1}


@dataclass(frozen=True, slots=True)
class Thing:
    """One of the two.

    Attributes:
        places: Where it stands in the sentence, as spaCy spans.
        harmful: Less of it is better.
        absent: The first tokens of those places at which the sentence says that it is absent (see `absent`).
    """

    places: tuple["Span", ...]
    harmful: bool = False
    absent: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence says about two things.

    Attributes:
        sign: +1 more, -1 less, 0 no direction; before denial.
        related: It says that there is something between them (always true for a sign).
        negated: It denies it.
        asserted: It states it, rather than asking or planning.
        hedged: It states it with "may", "suggests" and the like.
        cues: The words this was read from, in order.
        length: Words on the way.
        leads: +1 where the first of the two is the subject that acts on the second, -1 the other way round, 0 where the
            grammar does not say.
        agency: How clearly it does.
        act: What exactly is done, one of `lexicon.ACTS`; empty for anything else.
        together: It says that the two go together, whatever its sign.
        lessened: It says so of the absence of the one that acts, or of less of it.
        without: Which way that goes which it says of one of the two where the other is absent; 0 where it says none.
        aside: It says so only to tell of which of the two it speaks: "A-induced B".
    """

    sign: Sign
    related: bool
    negated: bool
    asserted: bool
    hedged: bool
    cues: tuple[str, ...]
    length: int
    leads: Sign = 0
    agency: Agency = "none"
    act: str = ""
    together: bool = False
    lessened: bool = False
    without: Sign = 0
    aside: bool = False

    def is_passed_by(self, other: "Reading") -> bool:
        """Whether another reading is of another act, or where this says what brings about what, of the reverse."""
        reverse = self.agency == "causes" and other.agency != "none" and self.leads * other.leads < 0
        return reverse or (self.act != other.act and (self.act != "" or other.act == GIVEN))


def read(sentence: "Span", first: Thing, second: Thing, asked: Reading | None = None) -> Reading | None:
    """What the sentence says about the two.

    Args:
        sentence: A parsed sentence.
        first: One thing; its places lie in the sentence.
        second: The other.
        asked: What is asked about: of two clauses that say it both ways round, the one that says it so counts, and
            where it is asked what brings about what, "B causes A" says nothing of "A causes B"; nor does one act
            say anything of another.

    Returns:
        The reading of the clearest pair of places (related before unrelated, then as it is asked, then the shortest
        way), or None when none of them is joined.
    """
    pairs = [(a, b) for a, b in product(first.places, second.places) if a.end <= b.start or b.end <= a.start]
    if len(pairs) > PAIRS:
        pairs = sorted(pairs, key=lambda pair: abs(pair[0].start - pair[1].start))[:PAIRS]
    read = [reading for a, b in outside(pairs) if (reading := _between(sentence, (a, first), (b, second)))]
    readings = [as_needed(reading, asked) for reading in read]
    leads = asked.leads if asked else 0
    told = [reading for reading in readings if not (asked and asked.is_passed_by(reading))]
    return min(told, key=lambda r: (not r.related, r.leads * leads < 0, r.length), default=None)


def _between(sentence: "Span", one: tuple["Span", Thing], other: tuple["Span", Thing]) -> Reading | None:
    """What is said between two places, each of one of the two things."""
    a, b = one[0], other[0]
    joined, turned = _joined(a, b)
    told = said_between(*joined) if joined else None
    if joined is None or told is None:
        return None
    way, (top, said) = joined[0], told
    silent, foiled = unsaid(a, b)
    named = {token.i for span in (a, b) for token in span} | silent
    cues = [token for token in said if token.i not in named]
    ill, well = ([place.root for place, thing in (one, other) if thing.harmful is side] for side in (True, False))
    sign, signed = direction(cues) if abreast(*joined) else sign_of_cues(cues, ill, well)
    missing = _missing(way, top, (one, other), sign, signed)
    sign = sign if missing.lost % 2 == (turned < 0) else _TURNED[sign]
    related = signed or [t for t in cues if lexicon.base(t.lemma_, lexicon.RELATING)]
    act = _act(joined, cues, related)
    here = _frames_around(sentence, a, b)
    denying = denials([*cues, a.root, b.root], top, clause_of(way, top))
    kept = [t for t in _unframed(sentence, denying) if not set_against(t)]
    denied = [t for t in kept if t not in missing.words and t.i not in silent]
    return Reading(
        sign=sign or (outcome(cues, ill) if act == NEED else 0),
        related=bool(related),
        negated=(len(denied) + sum(f.turns for f in here) + foiled) % 2 == 1,
        asserted=lexicon.OPEN.search(sentence.text) is None and not any(f.open for f in here),
        hedged=any(lexicon.base(t.lemma_, lexicon.HEDGING) for t in [*cues, *top.children, *lifted(top)]),
        cues=tuple(t.text for t in sorted({*related, *denied}, key=lambda t: t.i)),
        length=len(way),
        leads=leading(*joined),
        agency=agency(*joined),
        act=act,
        together=any(lexicon.base(t.lemma_, lexicon.GOING_TOGETHER) for t in cues),
        lessened=(missing.gone + acted_by_less(*joined, leading(*joined), signed)) % 2 == 1,
        without=missing.event if turned > 0 else 0,
        aside=joined[1] in (a.root, b.root),
    )


def _joined(a: "Span", b: "Span") -> tuple[Way | None, Sign]:
    """The way that says something of two places, if there is one, and what a comparison of groups makes of its sign."""
    joined, turned = across(*way_between(a.root, b.root)), contrast(a, b)
    if joined is None or turned is None or set_apart(a) or set_apart(b):
        return None, 1
    way, _ = joined
    fit = way and len(way) <= FARTHEST and not only_the_stage(*joined)
    return joined if fit else None, turned


class _Missing(NamedTuple):
    """What a sentence says not to be there of two things.

    Attributes:
        gone: How many of the two.
        words: The words that say so beside them: "without", "unless".
        event: Which way that goes which it says where one of them is absent, see `happening`; 0 for none or both.
    """

    gone: int
    words: Sequence["Token"]
    event: Sign

    @property
    def lost(self) -> int:
        """How often the sign is turned by that."""
        return self.gone + len(self.words)


def _missing(
    way: Sequence["Token"],
    top: "Token",
    two: Sequence[tuple["Span", Thing]],
    sign: Sign,
    signed: Sequence["Token"],
) -> _Missing:
    """What is said not to be there of two things, along the way between them; for `sign` and `signed` see `signs`."""
    event = happening(way, top, sign, signed)
    lacked = without(way, top) if sign or event else []
    gone = [place for place, thing in two if (absences(place) + (place.start in thing.absent)) % 2]
    beside = [place for place in gone if is_circumstance(way, top, place.root)]
    told = len(lacked) + len(lacking(way, top)) + len(beside)
    return _Missing(len(gone), lacked, event if told == 1 else 0)


def _act(joined: Way, cues: Sequence["Token"], related: Sequence["Token"]) -> str:
    """What exactly is done, see `Reading.act`."""
    if needs(cues):
        return NEED
    return GIVEN if given_more(*joined) else next(filter(None, (lexicon.act_of(t.lemma_) for t in related)), "")


def _frames_around(sentence: "Span", a: "Span", b: "Span") -> list[Frame]:
    """The frames of a sentence that hold both places."""
    at = sentence.start_char
    return [f for f in frames(sentence.text) if all(f.holds(p.start_char - at, p.end_char - at) for p in (a, b))]


def _unframed(sentence: "Span", tokens: Sequence["Token"]) -> list["Token"]:
    """Those of a sentence's tokens that are no words of its frames."""
    around = frames(sentence.text)
    return [t for t in tokens if not any(f.has(t.idx - sentence.start_char) for f in around)]
