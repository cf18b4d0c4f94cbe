"""All that a claim says between two things, held against evidence: its assertion, its conditions, its figures, of whom.

Between concepts (`judge`) and between phrases (`nouns`) it is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Piece
from knowhd.judge import Stance
from knowhd.rules import populations
from knowhd.rules.alone import said_of_one, sole_of
from knowhd.rules.assertion import Assertion, assertions_of
from knowhd.rules.beyond import Beyond, beyond
from knowhd.rules.conditional import Demand, asserted_by, bearing, demands, narrowed
from knowhd.rules.mechanisms import Mechanism, mechanism_of
from knowhd.rules.moves import foremost
from knowhd.rules.rankings import Ranking, ranking_of
from knowhd.rules.residue import Residue, residue_of
from knowhd.rules.stances import stances_of

Stances = dict[str, Stance]


@dataclass(frozen=True, slots=True)
class Heard:
    """What pieces of evidence say of a claim, by id, ever more of what it says counted in.

    Attributes:
        read: Their stances on what it asserts.
        own: Of those that are of whom it speaks of.
        found: Of those that are not what their article sets out from, if it comes to another.
        borne: Of those that state its conditions, and speak of all else that it speaks of.
        whole: Their stances on all it says.
        more: What it says beyond what it asserts.
        means: By what means it says that it is so, if it does.
        rest: What else it speaks of.
    """

    read: Stances
    own: Stances
    found: Stances
    borne: Stances
    whole: Stances
    more: Beyond
    means: Mechanism | None
    rest: Residue


@dataclass(frozen=True, slots=True)
class Saying:
    """What a claim says.

    Attributes:
        claim: The claim, with the things it speaks of marked.
        demanded: Its conditions.
        assertions: What it asserts, at least one unless it ranks.
        ranking: What it puts before what, if it does.
    """

    claim: Claim
    demanded: tuple[Demand, ...]
    assertions: tuple[Assertion, ...]
    ranking: Ranking | None

    @property
    def assertion(self) -> Assertion:
        """The clearest that it says."""
        return self.assertions[0] if self.assertions or self.ranking is None else self.ranking.assertion

    def hear(self, pieces: Sequence[Piece]) -> Heard:
        """What pieces of evidence say of it."""
        ranked = self.ranking.stances_of(pieces) if self.ranking else {}
        sole = sole_of(self.claim, self.assertion)
        others = sole.refuted(pieces) if sole else said_of_one(pieces, self.assertion)
        told = {**stances_of(pieces, self.assertions), **others, **ranked}
        read: Stances = {key: stance for key, stance in told.items() if stance}
        more = beyond(self.claim, self.assertion, ranked)
        own = {
            p.id: narrowed(self.claim, self.demanded, p, read[p.id])
            for p in pieces
            if p.id in read and not populations.others(self.claim.text, p)
        }
        found = foremost(pieces, own)
        rest = Residue() if self.ranking else residue_of(self.claim, self.assertion)
        borne = {
            p.id: found[p.id]
            for p in pieces
            if p.id in found and bearing(self.demanded, p, found[p.id]) and rest.spoken_of(p, found[p.id], pieces)
        }
        stated = {p.id: s for p in pieces if p.id in borne and (s := more.weighed(p, borne[p.id]))}
        means = mechanism_of(self.claim, negated=self.assertion.reading.negated)
        whole = means.weighed(pieces, stated) if means else stated
        return Heard(read, own, found, borne, whole, more, means, rest)


def saying_of(claim: Claim, demanded: tuple[Demand, ...] | None = None) -> Saying | None:
    """What a claim says between the things marked in it; None where the rules read nothing.

    Args:
        claim: The claim.
        demanded: Its conditions, if they are known.
    """
    demanded = demands(claim) if demanded is None else demanded
    assertions, ranking = asserted_by(claim) if demanded else assertions_of(claim), ranking_of(claim)
    return Saying(claim, demanded, assertions, ranking) if assertions or ranking else None
