"""The measure: which share of a text's claims the evidence supports (paper A, equation 3), and other ways to sum up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundwork.records import Record
from groundwork.statistics.intervals import Interval, wilson
from knowhd.judge import SOURCES, Judgement, Source, Verdict

#: Verdicts that count as judged.
JUDGED: tuple[Verdict, ...] = ("supported", "contradicted", "not_enough")


@dataclass(frozen=True, slots=True)
class Aggregates(Record):
    """A text's verdicts summed up in four ways, by the names other tools use; all None where no claim was judged.

    Attributes:
        mean: Share of the judged claims that are supported: the paper's groundedness.
        strict: 1.0 if every judged claim is supported, else 0.0: one claim spoils the text.
        majority: 1.0 if more than half of them are supported, else 0.0.
        soft: Share of each verdict among them, so that contradicted and unknown are told apart.
    """

    mean: float | None
    strict: float | None
    majority: float | None
    soft: Mapping[Verdict, float] | None


@dataclass(frozen=True, slots=True)
class Groundedness(Record):
    """Groundedness per source, and what it rests on.

    Attributes:
        groundedness: Supported claims / claims whose verdict is not `failed`, in [0, 1]; higher is better grounded.
            None where there is no such claim: that is "not measured", never 0.
        claims_judged: Claims whose verdict is not `failed`.
        claims_failed: The others.
        coverage: claims_judged / claims, in [0, 1]; None without claims.
        intervals: Wilson's 95 % interval of the share, whose unit is the claim; None where none was judged. It says
            how far few claims can be trusted, not how far the judge can.
        aggregates: The verdicts summed up in other ways.
    """

    groundedness: Mapping[Source, float | None]
    claims_judged: Mapping[Source, int]
    claims_failed: Mapping[Source, int]
    coverage: Mapping[Source, float | None]
    intervals: Mapping[Source, Interval | None]
    aggregates: Mapping[Source, Aggregates]


def measure(judgements: Sequence[Mapping[Source, Judgement]]) -> Groundedness:
    """Groundedness over the judgements of a text's claims.

    Args:
        judgements: One mapping a claim, from source to judgement.
    """
    verdicts: dict[Source, list[Verdict]] = {
        source: [judgement[source].verdict for judgement in judgements] for source in SOURCES
    }
    judged = {source: len(given) - given.count("failed") for source, given in verdicts.items()}
    aggregates = {source: aggregated(given) for source, given in verdicts.items()}
    return Groundedness(
        {source: aggregates[source].mean for source in SOURCES},
        judged,
        {source: given.count("failed") for source, given in verdicts.items()},
        {source: judged[source] / len(given) if given else None for source, given in verdicts.items()},
        {source: wilson(given.count("supported"), judged[source]) for source, given in verdicts.items()},
        aggregates,
    )


def aggregated(verdicts: Sequence[Verdict]) -> Aggregates:
    """Verdicts summed up; failed ones are left out."""
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
