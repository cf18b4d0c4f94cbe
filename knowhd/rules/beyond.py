"""Whether evidence that agrees with what a claim asserts bears out all that the claim says beyond it.

"A lowers B by half" is more than "A lowers B": a sentence bears it out if it states the same figure or one within it,
the same word, the same comparison; an edge of a graph states none. What speaks against the assertion needs no more:
who does not lower B does not lower it by half. Behind a denial it is the other way round: "does not lower it by half"
is not refuted by "lowers it". And a sentence that denies no more than the degree, "did not always lower it", denies
nothing.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundwork.linking import Mention
from groundwork.quoted import quoted
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Passage, Piece
from knowhd.judge import CONTRARY, Stance
from knowhd.rules.assertion import Assertion, meanings
from knowhd.rules.comparisons import Comparison
from knowhd.rules.qualifiers import Qualifier, Word, qualifiers
from knowhd.rules.quantities import Quantity

_DENIAL = re.compile(
    r"\b(?:not(?!\s+(?:only|just|merely)\b)|cannot|fail(?:s|ed)?\s+to|unable|no(?=\s+(?:more|less|better|worse|[a-z]{3,9}er)\b))\b|"
    r"n['’]t\b",
    re.I,
)
_APART = re.compile(r"[;,]|\b(?:but|and|whereas|while|although)\b", re.I)
#: To deny one of these is to deny a degree. A dose, a time or the size of a study is not: it was seen so.
_DEGREES = frozenset({"share", "amount", "fold", "always", "wholly", "only", "foremost", "lasting", "at once"})


@dataclass(frozen=True, slots=True)
class Beyond:
    """What a claim says beyond what it asserts.

    Attributes:
        assertion: What it asserts.
        qualifiers: What it says beyond, in order.
        denial: Where it begins to deny; its end where it does not.
        ranked: Ids of the pieces that speak of what it compares (see `rankings`).
    """

    assertion: Assertion
    qualifiers: tuple[Qualifier, ...]
    denial: int
    ranked: frozenset[str]

    def weighed(self, piece: Piece, stance: Stance) -> Stance | None:
        """What a piece that takes a stance on the assertion says of the whole claim; None if not enough."""
        owed = self._owed(stance)
        if not owed:
            return stance
        if not isinstance(piece, Passage):
            return None
        stated = qualifiers(piece.sentence, piece.mentions)
        found = {self._borne_out(each, stated, piece) for each in owed}
        return CONTRARY[stance] if None in found else stance if found == {True} else None

    def told(self, pieces: Iterable[Piece], read: Mapping[str, Stance]) -> str:
        """What the reason says of what a claim says beyond; empty if all is borne out that agrees."""
        given = [piece for piece in pieces if piece.id in read and self._owed(read[piece.id])]
        silent = [piece for piece in given if self.weighed(piece, read[piece.id]) is None]
        if not silent:
            return ""
        names = " and ".join(quoted(each.text) for each in self._owed(read[silent[0].id]))
        counted = f"{len(silent)} of {len(given)} pieces of evidence that bear on the rest"
        return f" It says {names}: {counted} do not state that."

    def _owed(self, stance: Stance) -> list[Qualifier]:
        """What a piece of this stance must state: what denial does not reach if it supports, what it does if not.

        How much there is beside something else ("higher with A than with C") is all that such a claim says, so nothing
        else speaks against it either.
        """
        return [
            each
            for each in self.qualifiers
            if ((each.start > self.denial) == (stance == "contradicts") and not self._in_none(each))
            or (isinstance(each, Comparison) and each.by == "amount")
        ]

    def _in_none(self, each: Qualifier) -> bool:
        """Whether a claim denies something of any: "not in any patient" is refuted by one."""
        return each.start > self.denial and _of_any(each)

    def _borne_out(self, wanted: Qualifier, stated: Iterable[Qualifier], piece: Passage) -> bool | None:
        """Whether a sentence states a qualifier; None if it states the opposite of a comparison."""
        if isinstance(wanted, Comparison):
            return piece.id in self.ranked if wanted.of_two else _compared(wanted, stated)
        if isinstance(wanted, Word):
            return any(isinstance(each, Word) and wanted.covers(each) for each in stated)
        alike = [each for each in stated if isinstance(each, Quantity) and each.kind == wanted.kind]
        own_figures = [each for each in alike if self._belongs(each, piece)] if len(alike) > 1 else alike
        return any(wanted.covers(each) for each in own_figures)

    def _belongs(self, figure: Quantity, piece: Passage) -> bool:
        """Whether a figure is of one of the two things: of what is named last before it, or else first behind it."""
        before = [mention for mention in piece.mentions if mention.end <= figure.start]
        nearest = before[-1] if before else next(iter(piece.mentions), None)
        return nearest is not None and bool(meanings(nearest) & set(self.assertion.ends))


def beyond(claim: Claim, assertion: Assertion, ranked: Iterable[str] = ()) -> Beyond:
    """What a claim says beyond an assertion of its own; `ranked` as in `Beyond`."""
    denied = _DENIAL.search(claim.text) if assertion.reading.negated else None
    found = qualifiers(claim.text, claim.mentions)
    return Beyond(assertion, found, denied.start() if denied else len(claim.text), frozenset(ranked))


def _compared(wanted: Comparison, stated: Iterable[Qualifier]) -> bool | None:
    """Whether a sentence compares with the same word, the same way; None if the other way."""
    alike = [each for each in stated if isinstance(each, Comparison) and each.than & wanted.than]
    if any(each.orders <= wanted.orders for each in alike):
        return True
    return None if any(each.orders.isdisjoint(wanted.orders) for each in alike) else False


def denies_a_degree(sentence: str, mentions: Iterable[Mention]) -> bool:
    """Whether a sentence denies, in one clause, what stands before a degree: "did not lower it completely"."""
    found = [
        each
        for each in qualifiers(sentence, mentions)
        if isinstance(each, Comparison) or (each.kind in _DEGREES and not _of_any(each))
    ]
    return any(
        denial.end() <= each.start and not _APART.search(sentence, denial.end(), each.start)
        for denial in _DENIAL.finditer(sentence)
        for each in found
    )


def _of_any(each: Qualifier) -> bool:
    return isinstance(each, Quantity) and each.text.lower().startswith("any")
