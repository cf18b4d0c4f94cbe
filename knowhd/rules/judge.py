"""The judge by rules: deterministic, and not a language model. It reads signs, and says nothing where it reads none.

A claim between two concepts and a piece of evidence are each read as "more", "less" or "something", perhaps denied.
An edge carries the sign of its relation; a sentence is read by `reading`. The two agree, oppose each other, or say
nothing of each other. A claim under a condition is decided by what states the condition alone (`conditional`). A claim
in which fewer than two concepts were found is held against the literature by its wording alone (`worded`), which is
much less sure.
"""

from collections.abc import Sequence
from dataclasses import replace

from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Edge, Evidence, Piece, Trail
from knowhd.judge import SOURCES, Judgement, Source, Stance, pieces_of, weigh, without_evidence
from knowhd.rules import populations
from knowhd.rules.assertion import Assertion
from knowhd.rules.conditional import Demand, demands, told
from knowhd.rules.decision import Tables, reading_probabilities
from knowhd.rules.framing import claims_nothing
from knowhd.rules.saying import Heard, saying_of
from knowhd.rules.stances import names_ends, tells_who_acts
from knowhd.rules.taken_up import read_alone
from knowhd.rules.untold import untold
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
        if lacking := untold(claim):
            return {source: Judgement("not_enough", lacking, {}) for source in SOURCES}
        if len(claim.concepts) < 2:
            return worded(claim, evidence, self._tables)
        demanded = demands(claim)
        said = saying_of(claim, demanded)
        if said is None:
            return {s: Judgement("not_enough", _UNREAD + told(demanded, ()), {}) for s in SOURCES}
        evidence = replace(evidence, literature=read_alone(evidence.literature))
        heard = said.hear(pieces_of(evidence, "both"))
        sure = {
            p.id: reading_probabilities(heard.whole.get(p.id))
            for p in evidence.literature
            if names_ends(p, (said.assertion,))
        }
        judged = {
            source: _outweighed(
                _judged(source, given, heard.whole, said.assertion), given, {**heard.borne, **heard.whole}
            )
            for source in SOURCES
            for given in [pieces_of(evidence, source)]
        }
        return {
            s: replace(
                j,
                reason=f"{j.reason}{_apart(heard, demanded, given)}{_undirected(said.assertion, heard, given)}",
                probabilities=sure if s != "graph" else {},
            )
            for s, j in judged.items()
            for given in [pieces_of(evidence, s)]
        }


def _apart(heard: Heard, demanded: Sequence[Demand], pieces: Sequence[Piece]) -> str:
    """What the reason says of pieces that agree with what a claim asserts and not with all it says."""
    elsewhere = sum(p.id in heard.read and p.id not in heard.own for p in pieces)
    beyond = heard.more.told(pieces, heard.borne)
    means = heard.means.missing(pieces, heard.borne, heard.whole) if heard.means and not beyond else ""
    conditions, rest = told(demanded, pieces, heard.own), heard.rest.told(pieces, heard.own)
    return f"{populations.told(elsewhere)}{conditions}{rest}{beyond}{means}"


def _undirected(assertion: Assertion, heard: Heard, pieces: Sequence[Piece]) -> str:
    """What the reason says of edges that decide which of two things of one type acts: they do not tell that."""
    deciding = (piece for piece in pieces if isinstance(piece, Edge) and piece.id in heard.whole)
    mute = any(not tells_who_acts(edge, assertion) for edge in deciding)
    return " An edge between two of one type does not tell which of them acts." if mute else ""


def _outweighed(judgement: Judgement, pieces: Sequence[Piece], plain: dict[str, Stance]) -> Judgement:
    """A judgement that stands only if pieces which state less than all a claim says do not outweigh it.

    Args:
        judgement: By the pieces that decide the whole claim.
        pieces: The evidence.
        plain: Stances on the whole claim, or where a piece does not decide that, on what it says without figures.
    """
    rest = weigh(pieces, {piece.id: plain[piece.id] for piece in pieces if piece.id in plain}, "").verdict
    return judgement if judgement.verdict in {"not_enough", rest} else replace(judgement, verdict="not_enough")


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
    given = f" (whose study gave {piece.given.text})" if piece.given else ""
    ill = f" (whose study was of {piece.ill.text})" if piece.ill else ""
    return f"PMID {piece.pmid}{given}{ill}{' (retracted)' if piece.retracted else ''}"
