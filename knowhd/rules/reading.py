"""What one sentence says about two things in it: more, less, something, or nothing.

The way from one to the other is the shortest path in the dependency parse. Signed words on it, and those that modify
it, multiply; denials turn it round once each. A way through "by ...ing", "without ...ing" or a second verb starts
afresh there, since what stands above it is said of something else ("lowers glucose by activating AMPK").
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from groundwork.polarity import Sign
from knowhd import lexicon
from knowhd.rules.denials import clause_of, denials, lifted
from knowhd.rules.foils import outside, unsaid
from knowhd.rules.framing import frames
from knowhd.rules.groups import CONTROLS, across, contrast, describes_a_group
from knowhd.rules.needs import NEED, as_needed, happening, is_circumstance, lacking, needs, outcome
from knowhd.rules.signs import absences, acted_by_less, direction, own_sign, set_apart, sign_of_cues
from knowhd.rules.ways import Agency, abreast, agency, leading, only_the_stage, way_between

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

#: A way of more than this many words joins nothing.
FARTHEST = 12
#: Pairs of places of two things that are read at most, the nearest ones.
PAIRS = 36

_TURNED: dict[Sign, Sign] = {1: -1, 0: 0, -1: 1}
_MODIFIERS = frozenset({"amod", "compound", "nmod", "npadvmod", "advmod", "neg", "det", "prt", "acomp", "attr", "oprd"})
_AFRESH = frozenset({"advcl", "relcl", "acl", "ccomp"})


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

    def is_passed_by(self, other: "Reading") -> bool:
        """Whether another reading is of another act, or where this says what brings about what, of the reverse."""
        reverse = self.agency == "causes" and other.agency != "none" and self.leads * other.leads < 0
        return reverse or self.act not in {"", other.act}


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
    ill, well = ([place.root for place, thing in (one, other) if thing.harmful is side] for side in (True, False))
    joined, turned = across(*way_between(a.root, b.root)), contrast(a, b)
    if joined is None or turned is None or set_apart(a) or set_apart(b):
        return None
    way, top = joined
    if not way or len(way) > FARTHEST or only_the_stage(way, top):
        return None
    silent, foiled = unsaid(a, b)
    named = {token.i for span in (a, b) for token in span} | silent
    sign: Sign = 0
    signed: list[Token] = []
    if abreast(way, top):
        top, said = _governing(top)
        sign, signed = direction([token for token in said if token.i not in named])
    else:
        said = _said(way, top)
        acted = _acted_on(way, top)
        if acted is not None and not _tells_of_disease(acted):
            return None
        said += [acted] if acted is not None and acted not in said else []
        sign, signed = sign_of_cues([token for token in said if token.i not in named], ill, well)
    event = happening(way, top, sign, signed)
    lacked = _lacked(way, top) if sign or event else []
    gone = [place for place, thing in (one, other) if (absences(place) + (place.start in thing.absent)) % 2]
    lost = len(gone) + len(lacked)
    aside = [*lacked, *lacking(way, top), *(place for place in gone if is_circumstance(way, top, place.root))]
    sign = sign if lost % 2 == (turned < 0) else _TURNED[sign]
    cues = [token for token in said if token.i not in named]
    related = signed or [t for t in cues if lexicon.base(t.lemma_, lexicon.RELATING)]
    act = NEED if needs(cues) else next(filter(None, (lexicon.act_of(t.lemma_) for t in related)), "")
    sign = sign or (outcome(cues, ill) if act == NEED else 0)
    at = sentence.start_char
    around = frames(sentence.text)
    here = [f for f in around if all(f.holds(place.start_char - at, place.end_char - at) for place in (a, b))]
    denied = [
        t
        for t in denials([*cues, a.root, b.root], top, clause_of(way, top))
        if t not in lacked and t.i not in silent and not any(f.has(t.idx - at) for f in around)
    ]
    return Reading(
        sign=sign,
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
        lessened=(len(gone) + acted_by_less(*joined, leading(*joined), signed)) % 2 == 1,
        without=event if len(aside) == 1 and turned > 0 else 0,
    )


def _said(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The tokens that say something about the pair: the way from its last fresh start on, and their modifiers."""
    at = way.index(top)
    fresh = max((i for i in range(at + 1, len(way)) if _starts_afresh(way[i])), default=0)
    kept = [way[0], *way[max(fresh - 1, 0) :]] if fresh and way[fresh].dep_ == "pcomp" else [way[0], *way[fresh:]]
    kept = [t for t in dict.fromkeys(kept) if not _done_by(t, way, top)]
    modifiers = [
        child
        for token in kept
        for child in token.children
        if child not in way and child.dep_ in _MODIFIERS and not (child.dep_ == "attr" and token != top)
        # "Z-induced" says what Z did to it
        if (child.i == 0 or child.nbor(-1).text != "-") and not _compares(child)
    ]
    finer = [grandchild for m in modifiers for grandchild in m.children if grandchild.dep_ == "advmod"]
    return [*kept, *modifiers, *finer]


def _compares(token: "Token") -> bool:
    """Whether a word compares how well or how often a thing is done, and says nothing of which way."""
    apart = token.dep_ == "amod" or lexicon.sign_of(token.head.lemma_) != 0
    return token.tag_ == "RBR" and apart and any(child.lower_ == "than" for child in token.children)


def _done_by(token: "Token", way: Sequence["Token"], top: "Token") -> bool:
    """Whether a noun on the way is what one of the two does to something else: "inhibition of Z by A reduces B"."""
    if token == top or token.pos_ not in {"NOUN", "PROPN"}:
        return False
    mutual = {"with"} if lexicon.base(token.lemma_, lexicon.RELATING) else set()
    return any(t.head == token and t.dep_ == "prep" and t.lower_ in lexicon.MEANS - mutual for t in way)


def _lacked(way: Sequence["Token"], top: "Token") -> list["Token"]:
    """The "without" before one of the two, where no third thing is acted on, or "unless": "without A, B rose"."""
    unless = [c for t in way for c in t.children if c.dep_ == "mark" and c.lower_ == "unless"]
    if any(child.dep_ in {"dobj", "nsubjpass"} and child not in {way[0], way[-1]} for child in top.children):
        return unless  # "A lowers C without B"
    ends = {way[0].head, way[-1].head}
    return unless + [t for t in way if t.lower_ == "without" and t.dep_ == "prep" and t in ends]


def _acted_on(way: Sequence["Token"], top: "Token") -> "Token | None":
    """What a verb acts on, where one of the two is only the stage: "bleeding" in "A increases bleeding in B"."""
    staging = [i for i, t in enumerate(way) if t.dep_ == "prep" and t.lower_ in lexicon.STAGING]
    doing = [way[i].head for i in staging if way[i].head.dep_ == "pcomp"]  # "good at inducing remission in B"
    if done := [c for verb in doing for c in verb.children if c.dep_ == "dobj" and c not in way]:
        return done[0]
    if any(way[i].head == top for i in staging):
        return next((c for c in top.children if c.dep_ in {"dobj", "nsubjpass"} and c not in way), None)
    falling = [way[i - 1] for i in staging if i > way.index(top) + 1]
    return next((t for t in falling if t.pos_ in {"NOUN", "PROPN"} and not CONTROLS.fullmatch(t.text)), None)


def _tells_of_disease(acted: "Token") -> bool:
    """Whether more or less of something says more or less of the disease on whose stage it happens."""
    tables = (lexicon.OUTCOMES, lexicon.COURSE, lexicon.RELATING, lexicon.RISKING, lexicon.REMEDYING)
    return own_sign(acted) != 0 or any(lexicon.base(acted.lemma_, table) for table in tables)


def _governing(top: "Token") -> tuple["Token", list["Token"]]:
    """What two coordinated things stand under, if it relates them to each other: "association between A and B".

    A verb with an object of its own ("A and B reduce C") says nothing about the two.
    """
    while top.dep_ in {"pobj", "prep", "conj", "nmod", "compound"}:
        top = top.head
    relates = lexicon.base(top.lemma_, lexicon.RELATING)
    over = top.head if top.dep_ in {"nsubj", "nsubjpass"} and not relates else top
    passing = any(child.dep_ in {"dobj", "prep"} for child in over.children) and over.pos_ == "VERB"
    return over, [] if passing else [over, *(child for child in over.children if child.dep_ in _MODIFIERS)]


def _starts_afresh(token: "Token") -> bool:
    if token.dep_ == "pcomp":
        return token.head.lower_ in lexicon.MEANS
    if describes_a_group(token):
        return False
    return token.dep_ in _AFRESH or (token.dep_ == "conj" and token.pos_ in {"VERB", "AUX"})
