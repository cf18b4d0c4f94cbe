"""Groundedness: the share of a text's claims that the evidence supports (paper A, equation 3), and other aggregates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from groundwork.records import Record
from groundwork.statistics.intervals import Interval, wilson
from knowhd.judge import SOURCES, Judgement, Source, Verdict

#: Verdicts that count as judged. A claim with the verdict `failed` does not.
JUDGED: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")


@dataclass(frozen=True, slots=True)
class Aggregates(Record):
    """A text's verdicts aggregated in four ways, named as in other tools. All are None if no claim was judged.

    Attributes:
        mean: Share of the judged claims that are supported. This is the paper's groundedness.
        strict: 1.0 if every judged claim is supported, else 0.0.
        majority: 1.0 if more than half of the judged claims are supported, else 0.0.
        soft: Share of each verdict among the judged claims.
    """

    mean: float | None
    strict: float | None
    majority: float | None
    soft: Mapping[Verdict, float] | None


class Measures(TypedDict):
    """The measures of a text. `GroundReport` says what each of them means."""

    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]
    coverage: Mapping[Source, float | None]
    intervals: Mapping[Source, Interval | None]
    aggregates: Mapping[Source, Aggregates]


def measure(judgements: Sequence[Mapping[Source, Judgement]]) -> Measures:
    """Return the measures of a text from the judgements of its claims."""
    verdicts = {source: [judgement[source].verdict for judgement in judgements] for source in SOURCES}
    judged = {source: len(given) - given.count("failed") for source, given in verdicts.items()}
    aggregates = {source: aggregated(given) for source, given in verdicts.items()}
    return {
        "groundedness": {source: aggregates[source].mean for source in SOURCES},
        "claims_judged": judged,
        "claims_failed": {source: given.count("failed") for source, given in verdicts.items()},
        "coverage": {source: judged[source] / len(given) if given else None for source, given in verdicts.items()},
        "intervals": {s: wilson(given.count("supported"), judged[s]) for s, given in verdicts.items()},
        "aggregates": aggregates,
    }


def aggregated(verdicts: Sequence[Verdict]) -> Aggregates:
    """Aggregate verdicts. Verdicts `failed` are ignored."""
    counts = {verdict: verdicts.count(verdict) for verdict in JUDGED}
    judged, supported = sum(counts.values()), counts["supported"]
    if not judged:
        return Aggregates(None, None, None, None)
    return Aggregates(
        supported / judged,
        float(supported == judged),
        float(2 * supported > judged),
        {verdict: count / judged for verdict, count in counts.items()},
    )
