"""The judge by rules: deterministic, and not a language model. It reads signs, and says nothing where it reads none.

A claim between two concepts and a piece of evidence are each read as "more", "less" or "something", perhaps denied.
An edge carries the sign of its relation; a sentence is read by `reading`. The two agree, oppose each other, or say
nothing of each other. A claim under a condition is decided by what states the condition alone (`conditional`). A claim
in which fewer than two concepts were found is held against the literature by its wording alone (`worded`), which is
much less sure.
"""

from collections.abc import Sequence
from dataclasses import replace

from groundwork.polarity import Sign, relation_sign
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Edge, Evidence, Passage, Piece, Trail
from knowhd.judge import SOURCES, Judgement, Source, Stance, pieces_of, weigh, without_evidence
from knowhd.rules.absent import Present
from knowhd.rules.assertion import Assertion, assertions_of, meanings, read_ends, word_of
from knowhd.rules.beyond import beyond, denies_a_degree
from knowhd.rules.conditional import asserted_by, bearing, demands, told
from knowhd.rules.decision import Tables, reading_probabilities
from knowhd.rules.framing import claims_nothing
from knowhd.rules.reading import Reading
from knowhd.rules.worded import worded

NAME = "rules (deterministic, not a language model)"
_OPEN = "It leaves open what it speaks of, so it claims nothing that evidence could decide."
_UNREAD = "The rules read no relation between the concepts of this claim."


class RuleJudge:
    """Judges claims by the signs of edges and sentences.

    Args:
        tables: Coefficients for wording in the stead of those that are shipped (see `decision`).
    """

    name = NAME

    def __init__(self, tables: Tables | None = None) -> None:
        self._tables = tables

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """One judgement per source, see `Judge`."""
        if claims_nothing(claim.text):
            return {source: Judgement("not_enough", _OPEN, {}) for source in SOURCES}
        if len(claim.concepts) < 2:
            return worded(claim, evidence, self._tables)
        demanded = demands(claim)
        assertions = asserted_by(claim) if demanded else assertions_of(claim)
        if not assertions:
            return {s: Judgement("not_enough", _UNREAD + told(demanded, ()), {}) for s in SOURCES}
        pieces = pieces_of(evidence, "both")
        read, more = stances_of(pieces, assertions), beyond(claim, assertions[0])
        borne = {p.id: read[p.id] for p in pieces if p.id in read and bearing(demanded, p, read[p.id])}
        stances = {p.id: s for p in pieces if p.id in borne and (s := more.weighed(p, borne[p.id]))}
        sure = {
            p.id: reading_probabilities(stances.get(p.id)) for p in evidence.literature if names_ends(p, assertions)
        }
        judged = {source: _judged(source, pieces_of(evidence, source), stances, assertions[0]) for source in SOURCES}
        held = {s: told(demanded, given := pieces_of(evidence, s), read) + more.told(given, borne) for s in SOURCES}
        return {
            s: replace(j, reason=j.reason + held[s], probabilities=sure if s != "graph" else {})
            for s, j in judged.items()
        }


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
        # A chain with an edge that goes no way shows no relation; an edge that goes none still is one.
        read = [a for a in assertions if set(a.ends) == ends and (sign or isinstance(piece, Edge))]
        found = {compare(a.reading, sign) for a in read}
    else:
        parsed = Present(piece.sentence, piece.mentions) if names_ends(piece, assertions) else None
        found = {_stance(parsed, assertion) for assertion in assertions} if parsed else set()
    found.discard(None)
    return found.pop() if len(found) == 1 else None


def _stance(parsed: Present, assertion: Assertion) -> Stance | None:
    """How a sentence bears on an assertion: not at all if it relates its ends in no way, or only asks."""
    reading = read_ends(parsed, assertion.ends, assertion.reading.leads)
    if reading is None or not reading.related or not reading.asserted:
        return None
    if reading.negated and denies_a_degree(parsed.text, parsed.mentions):
        return None
    return compare(assertion.reading, reading.sign, denied=reading.negated)


def names_ends(passage: Passage, assertions: Sequence[Assertion]) -> bool:
    """Whether a sentence can name both ends of an assertion: saves parsing those that don't."""
    meant = {key for mention in passage.mentions for key in meanings(mention)}
    words = passage.sentence.lower()
    return any(all(word_of(end) in words if word_of(end) else end in meant for end in a.ends) for a in assertions)


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


def _judged(source: Source, pieces: Sequence[Piece], stances: dict[str, Stance], assertion: Assertion) -> Judgement:
    if not pieces:
        return without_evidence(source)
    own = {piece.id: stances[piece.id] for piece in pieces if piece.id in stances}
    if source == "both":
        return weigh(pieces, own, assertion.words)
    told = [
        f"{stance}: {', '.join(dict.fromkeys(_named(piece) for piece in pieces if own.get(piece.id) == stance))}"
        for stance in dict.fromkeys(own.values())
    ]
    return weigh(pieces, own, f"{'; '.join(told) or f'none of {len(pieces)} pieces of evidence bears on it'}.")


def _named(piece: Piece) -> str:
    """A piece of evidence in a few words."""
    if isinstance(piece, Edge):
        return f"{piece.relation} in {piece.articles} article{'s' if piece.articles != 1 else ''}"
    if isinstance(piece, Trail):
        return f"a chain of {', '.join(hop.relation for hop in piece.hops)}"
    return f"PMID {piece.pmid}{' (retracted)' if piece.retracted else ''}"
