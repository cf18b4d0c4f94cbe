"""How a piece of evidence bears on what a claim asserts: it supports it, contradicts it, or says nothing of it."""

from collections.abc import Sequence
from dataclasses import replace

from groundwork.polarity import Sign, relation_sign
from groundwork.records import split_key
from knowhd import lexicon
from knowhd.evidence.pieces import Edge, Passage, Piece, Trail
from knowhd.evidence.study import completed
from knowhd.judge import Stance
from knowhd.rules.absent import Present
from knowhd.rules.arms import by_figures
from knowhd.rules.assertion import Assertion, harmful, meanings, read_ends
from knowhd.rules.beyond import denies_a_degree
from knowhd.rules.framing import frames
from knowhd.rules.groups import level
from knowhd.rules.ratios import risk
from knowhd.rules.reading import Reading
from knowhd.rules.strength import says_as_much

#: What a relation says, where its name says less: PubTator calls `treat` all that goes against a disease.
_SAID_BY = {"treat": ("treat", "prevent")}
#: Relations whose one end acts on the other, which is the disease where only one end is; others go both ways.
_DONE_TO_DISEASES = frozenset({"cause", "treat", "prevent"})


def stances_of(pieces: Sequence[Piece], assertions: Sequence[Assertion]) -> dict[str, Stance]:
    """The stances of the pieces that have one, by id."""
    return {piece.id: stance for piece in pieces if (stance := stance_of(piece, assertions))}


def stance_of(piece: Piece, assertions: Sequence[Assertion]) -> Stance | None:
    """Whether a piece of evidence supports or contradicts what a claim asserts.

    None if it does neither, or supports one of its assertions and contradicts another.
    """
    if isinstance(piece, Edge | Trail):
        ends = {piece.head, piece.tail}
        sign = piece.sign if isinstance(piece, Trail) else relation_sign(piece.relation)
        # A chain with an edge that goes no way shows no relation; an edge that goes none still is one, but no one act.
        shown = sign or isinstance(piece, Edge)
        read = [
            a for a in assertions if set(a.ends) == ends and shown and not a.reading.act and not _reversed(piece, a)
        ]
        found = {_stated(a.reading, piece, sign) for a in read}
    else:
        parsed = Present(*completed(piece)) if names_ends(piece, assertions) else None
        found = {_stance(parsed, assertion) for assertion in assertions} if parsed else set()
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _stated(claim: Reading, piece: Edge | Trail, sign: Sign) -> Stance | None:
    """How an edge or a chain of a sign bears on a claim: not at all if its relation says less."""
    if isinstance(piece, Edge) and sign == claim.sign:
        told = _SAID_BY.get(piece.relation, (piece.relation,))
        return compare(claim, sign) if says_as_much(claim, told) else None
    return compare(claim, sign)


def tells_who_acts(edge: Edge, assertion: Assertion) -> bool:
    """Whether an edge tells which of its two acts, if an assertion says so: one between two of one type does not."""
    one, other = (split_key(end)[0] for end in (edge.head, edge.tail))
    return assertion.reading.agency != "causes" or one != other


def _reversed(piece: Edge | Trail, assertion: Assertion) -> bool:
    """Whether a disease does in an assertion what an edge says is done to it: "thrombosis prevents warfarin"."""
    reading, ends = assertion.reading, assertion.ends
    doer, other = ends if reading.leads > 0 else ends[::-1]
    if not isinstance(piece, Edge) or piece.relation not in _DONE_TO_DISEASES or reading.agency != "causes":
        return False
    if reading.lessened and piece.relation == "cause":
        return True  # what a cause does says nothing of what its absence does
    return split_key(doer)[0] == "Disease" != split_key(other)[0]


def _stance(parsed: Present, assertion: Assertion) -> Stance | None:
    """How a sentence bears on an assertion: not at all if it relates its ends in no way, or only asks."""
    reading = read_ends(parsed, assertion.ends, assertion.reading)
    if reading is None or not reading.related:
        return _by_groups(parsed, assertion)
    if not reading.asserted:
        return None
    if reading.negated and denies_a_degree(parsed.text, parsed.mentions):
        return None
    claim, reading = assertion.reading, _by_risk(reading, parsed.text, assertion)
    if reading.sign == claim.sign and not _bears(reading, claim):
        return None
    if claim.lessened and not reading.lessened and reading.sign > 0 and _brings_about_disease(reading, assertion):
        return None
    return compare(claim, reading.sign, denied=reading.negated)


def _bears(reading: Reading, claim: Reading) -> bool:
    """Whether a sentence of the sign of a claim says as much by its words."""
    return says_as_much(claim, reading.cues, denied=reading.negated, together=reading.together)


def _brings_about_disease(reading: Reading, assertion: Assertion) -> bool:
    """Whether a sentence says what causes a disease: what its absence does is not said by that."""
    return reading.agency == "causes" and any(harmful(end) for end in assertion.ends)


def _by_risk(reading: Reading, text: str, assertion: Assertion) -> Reading:
    """A reading that two things go together, with the way that the ratios of its sentence tell of a disease."""
    told = reading.together and not reading.sign and not reading.negated and any(map(harmful, assertion.ends))
    if not told or any(lexicon.base(word, lexicon.OUTCOMES) for word in text.split()):
        return reading
    sign = risk(text)
    return replace(reading, sign=-sign if reading.lessened else sign)


def _by_groups(parsed: Present, assertion: Assertion) -> Stance | None:
    """What the groups of a study tell of two things that no words relate: as much in both, or their figures."""
    text, claim, ends = parsed.text, assertion.reading, assertion.ends
    if claim.act or lexicon.OPEN.search(text):
        return None
    one, other = ([(m.start, m.end) for m in parsed.mentions if end in meanings(m)] for end in ends)
    if level(text, one, other):
        return compare(claim, 0, denied=True)
    told = {
        by_figures(text, one, other, ill=harmful(ends[1])),
        by_figures(text, other, one, ill=harmful(ends[0])),
    } - {0}
    if len(told) != 1 or any(frame.open for frame in frames(text)) or not says_as_much(claim, ()):
        return None
    return compare(claim, told.pop())


def names_ends(passage: Passage, assertions: Sequence[Assertion]) -> bool:
    """Whether a sentence can name both ends of an assertion: saves parsing those that don't."""
    meant = {key for mention in passage.meant for key in meanings(mention)}
    return any(meant.issuperset(assertion.ends) for assertion in assertions)


def compare(claim: Reading, sign: Sign, *, denied: bool = False) -> Stance | None:
    """How a sign bears on a claim.

    =============  ==============  =====================================
    the claim      the evidence    stance
    =============  ==============  =====================================
    some relation  some relation   supports; contradicts if denied
    some relation  a sign          supports; nothing if denied
    a sign         the same        supports; contradicts if denied
    a sign         the opposite    contradicts; nothing if denied
    a sign         some relation   nothing; contradicts if denied
    =============  ==============  =====================================

    A denied claim turns the stance round.
    """
    if claim.sign == 0:
        agrees = None if denied and sign else not denied
    elif sign == claim.sign:
        agrees = not denied
    else:
        agrees = False if denied == (sign == 0) else None
    if agrees is None:
        return None
    return "supports" if agrees != claim.negated else "contradicts"
