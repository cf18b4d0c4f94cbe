"""The judge by rules: deterministic, and not a language model. It reads signs, and says nothing where it reads none.

A claim and a piece of evidence are each read as "more", "less" or "something" between two concepts, perhaps denied.
An edge carries the sign of its relation; a sentence is read by `reading`. The two agree, oppose each other, or say
nothing of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from groundwork.linking import Mention
from groundwork.polarity import Sign, relation_sign
from groundwork.records import split_key
from knowhd.claims import Claim
from knowhd.evidence import Edge, Evidence
from knowhd.judge import SOURCES, Judgement, Piece, Source, Stance, pieces_of, weigh, without_evidence
from knowhd.masked import Masked
from knowhd.reading import Reading, Thing, read

NAME = "rules (deterministic, not a language model)"


@dataclass(frozen=True, slots=True)
class Assertion:
    """A claim as the rules read it.

    Attributes:
        ends: Keys of the two concepts it is about.
        reading: What it says about them.
    """

    ends: tuple[str, str]
    reading: Reading

    @property
    def words(self) -> str:
        """What was read, for the reason."""
        kind = {1: "more", -1: "less", 0: "some relation"}[self.reading.sign]
        cues = ", ".join(repr(cue) for cue in self.reading.cues)
        return f"Read as {'not ' if self.reading.negated else ''}{kind} ({cues})."


class RuleJudge:
    """Judges claims by the signs of edges and sentences."""

    name = NAME

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """One judgement per source, see `Judge`."""
        assertion = assertion_of(claim)
        if assertion is None:
            reason = _unread(claim)
            return {source: Judgement("not_enough", reason, {}) for source in SOURCES}
        stances = {piece.id: stance for piece in pieces_of(evidence, "both") if (stance := stance_of(piece, assertion))}
        return {source: _judged(source, pieces_of(evidence, source), stances, assertion) for source in SOURCES}


def assertion_of(claim: Claim) -> Assertion | None:
    """What a claim says, about which two of its concepts; None where the rules cannot read it.

    Of all pairs of concepts the one with a sign comes first, then that with a relation, then the shortest way.
    """
    if len(claim.concepts) < 2:
        return None
    parsed = Masked(claim.text, claim.mentions)
    found = []
    for first, second in combinations(claim.concepts, 2):
        reading = _read(parsed, first, second)
        if reading is not None and reading.related:
            found.append(Assertion((first, second), reading))
    return min(found, key=lambda a: (a.reading.sign == 0, a.reading.length), default=None)


def stance_of(piece: Piece, assertion: Assertion) -> Stance | None:
    """Whether a piece of evidence supports or contradicts an assertion; None if it does neither."""
    if isinstance(piece, Edge):
        if {piece.head, piece.tail} != set(assertion.ends):
            return None
        return compare(assertion.reading, relation_sign(piece.relation), denied=False)
    if not {key for m in piece.mentions for key in _meanings(m)} >= set(assertion.ends):
        return None
    reading = _read(Masked(piece.sentence, piece.mentions), *assertion.ends)
    if reading is None or not reading.related or not reading.asserted:
        return None
    return compare(assertion.reading, reading.sign, denied=reading.negated)


def compare(claim: Reading, sign: Sign, *, denied: bool) -> Stance | None:
    """How a sign bears on a claim.

    ============  ======================  ==========================================
    the claim     the evidence            stance
    ============  ======================  ==========================================
    some relation  some relation           supports; contradicts if denied
    some relation  a sign                  supports; nothing if denied
    a sign        the same                supports; contradicts if denied
    a sign        the opposite            contradicts; nothing if denied
    a sign        none (some relation)    nothing; contradicts if denied
    ============  ======================  ==========================================

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


def _read(parsed: Masked, first: str, second: str) -> Reading | None:
    """What a text says about two concepts, in the first of its sentences that joins them."""
    for sentence in parsed.doc.sents:
        things = [
            Thing(
                tuple(place for place in parsed.places(key) if sentence.start <= place.start < sentence.end),
                harmful=split_key(key)[0] == "Disease",
            )
            for key in (first, second)
        ]
        reading = read(sentence, *things)
        if reading is not None:
            return reading
    return None


def _meanings(mention: Mention) -> set[str]:
    """The concepts a mention may mean."""
    return {match.key for match in mention.alternatives} | ({mention.key} if mention.key else set())


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
    return f"PMID {piece.pmid}{' (retracted)' if piece.retracted else ''}"


def _unread(claim: Claim) -> str:
    if len(claim.concepts) < 2:
        return "The rules need two concepts of the graph in a claim; here they find " + (
            f"only {claim.concepts[0]}." if claim.concepts else "none."
        )
    return "The rules read no relation between the concepts of this claim."
