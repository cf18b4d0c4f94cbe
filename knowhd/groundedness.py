"""The measure: which share of a text's claims the evidence supports (paper A, equation 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwork.records import Record
from knowhd.judge import SOURCES, Judgement, Source


@dataclass(frozen=True, slots=True)
class Groundedness(Record):
    """Groundedness per source, and what it rests on.

    Attributes:
        groundedness: Supported claims / claims whose verdict is not `failed`, in [0, 1]; higher is better grounded.
            None where there is no such claim: that is "not measured", never 0.
        claims_judged: Claims whose verdict is not `failed`.
        claims_failed: The others.
    """

    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]


def measure(judgements: Sequence[Mapping[Source, Judgement]]) -> Groundedness:
    """Groundedness over the judgements of a text's claims.

    Args:
        judgements: One mapping a claim, from source to judgement.
    """
    share: dict[Source, float | None] = {}
    judged: dict[Source, int] = {}
    lost: dict[Source, int] = {}
    for source in SOURCES:
        verdicts = [judgement[source].verdict for judgement in judgements]
        lost[source] = verdicts.count("failed")
        judged[source] = len(verdicts) - lost[source]
        share[source] = verdicts.count("supported") / judged[source] if judged[source] else None
    return Groundedness(share, judged, lost)
