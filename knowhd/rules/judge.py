"""The judge by rules. It is deterministic and uses no language model.

The same encoder (`groundwork.reading.encoder`) reads a claim and each sentence that names both ends of the claim. The
two relations agree, are opposite, or are unrelated. A piece takes a side only if it also contains the other content
words of the claim. The types of the two ends only matter for the question which end acts. A claim without a
readable relation is not judged: its verdict is `failed`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from groundwork.ports import Progress, Silent, watched
from groundwork.reading.encoder import Encoder, shipped
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Edge, Evidence, Piece
from knowhd.judge import SOURCES, Case, Judgement, Source, failed, pieces_of, weigh
from knowhd.rules.reasons import Reasons
from knowhd.rules.stances import Reading, of_link, of_passages, tells_who_acts
from knowhd.rules.statement import Statement, statement_of
from knowhd.wording import say

NAME = "rules (deterministic, not a language model)"


class RuleJudge:
    """Judges claims by the relations that edges and sentences state.

    Args:
        reader: Reader of relations; by default with the weights of this package.
    """

    def __init__(self, reader: Encoder | None = None) -> None:
        self._reader = reader or shipped()
        # Figures of accuracy are kept by name, and those of the shipped weights do not hold for other weights.
        other = "" if self.weights == shipped().sha256 else f" with weights {self.weights[:12]}"
        self.name = NAME.replace("rules", f"rules{other}", 1)

    @property
    def weights(self) -> str:
        """Return the SHA-256 of the reader's weights."""
        return self._reader.sha256

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case, as `Judge` defines."""
        return [self.judge(*case) for case in watched(cases, progress or Silent(), "judging", "claims")]

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """Return one judgement per source on one claim."""
        statement = statement_of(claim, self._reader)
        if statement is None:
            return dict.fromkeys(SOURCES, replace(failed(say("rules", "unread")), flags=("unread",)))
        readings = of_passages(evidence.literature, statement, self._reader)
        readings |= {link.id: read for link in evidence.graph + evidence.chains if (read := of_link(link, statement))}
        why = Reasons(claim.text, statement, evidence, readings).by_source()
        return {source: _judged(statement, pieces_of(evidence, source), readings, why[source]) for source in SOURCES}


def _judged(statement: Statement, pieces: Sequence[Piece], readings: Mapping[str, Reading], why: str) -> Judgement:
    own = {piece.id: readings[piece.id] for piece in pieces if piece.id in readings}
    deciding = {key: reading.stance for key, reading in own.items() if reading.stance}
    found = weigh(pieces, deciding, why)
    edges = [piece for piece in pieces if isinstance(piece, Edge) and piece.id in deciding]
    raised = {
        "partly": not deciding and any(reading.lacking for reading in own.values()),
        "negated": statement.negated,
        "hedged": statement.hedged,
        "undirected": bool(edges) and len(edges) == len(deciding) and not tells_who_acts(edges, statement),
    }
    probabilities = {key: reading.bearing for key, reading in own.items()}
    flags = tuple(flag for flag, up in raised.items() if up)
    unrelated = tuple(piece.id for piece in pieces if piece.id not in own)
    denied = frozenset(key for key in deciding if own[key].denied)
    return replace(found, flags=flags, probabilities=probabilities, unrelated=unrelated, denied=denied)
