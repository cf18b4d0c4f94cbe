"""Groundedness: the share of a text's claims that the evidence supports (paper A, equation 3), and other aggregates.

For a set of texts there are means, the number of claims behind them, and intervals.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from groundwork.records import Record
from groundwork.statistics import RESAMPLES, Array, Interval, bootstrap, means, share, wilson
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


#: How the intervals of a set are computed.
METHOD = f"95 % percentile bootstrap over texts, {RESAMPLES} resamples, seed 0"


@dataclass(frozen=True, slots=True)
class Estimate(Record):
    """A number in [0, 1] and its interval. Both are None if no text was measured. One text gives no interval."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class SourceGroundedness(Record):
    """Groundedness of a set of texts by one source.

    Attributes:
        measured: Number of texts with a judged claim. Only these texts count in the means.
        coverage: `measured` divided by the number of texts, in [0, 1]; None without texts.
        claims_judged: Number of claims whose verdict is not `failed`.
        claims_failed: Number of claims whose verdict is `failed`.
        macro: Mean of the texts' groundedness; each text has the same weight.
        micro: Supported claims divided by judged claims of all texts; each claim has the same weight.
        strict: Share of the texts in which all judged claims are supported.
        majority: Share of the texts in which more than half of the judged claims are supported.
    """

    measured: int
    coverage: float | None
    claims_judged: int
    claims_failed: int
    macro: Estimate
    micro: Estimate
    strict: Estimate
    majority: Estimate


@dataclass(frozen=True, slots=True)
class SetGroundedness(Record):
    """The groundedness of a set of texts.

    Attributes:
        texts: Number of texts.
        sources: Groundedness by source.
        method: How the intervals are computed. Whole texts are drawn, because claims of one text are not independent.
    """

    texts: int
    sources: Mapping[Source, SourceGroundedness]
    method: str = METHOD


def measure_set(reports: Iterable[Mapping[str, Any]]) -> SetGroundedness:
    """Return the groundedness of a set of texts.

    The reports have the form of `GroundReport.to_dict`, as for instance the records of `ground --out`.
    """
    verdicts = [[claim["verdicts"] for claim in report["claims"]] for report in reports]
    sources = {source: _measured([[given[source] for given in text] for text in verdicts]) for source in SOURCES}
    return SetGroundedness(len(verdicts), sources)


def _measured(texts: list[list[Any]]) -> SourceGroundedness:
    rows = []
    for verdicts in texts:
        summed, judged = aggregated(verdicts), len(verdicts) - verdicts.count("failed")
        if judged:
            rows.append((summed.mean, verdicts.count("supported"), judged, summed.strict, summed.majority))
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return SourceGroundedness(
        len(rows),
        len(rows) / len(texts) if texts else None,
        int(table[:, 2].sum()),
        sum(verdicts.count("failed") for verdicts in texts),
        _estimate(means, table[:, 0]),
        _estimate(_pooled, table[:, 1], table[:, 2]),
        _estimate(means, table[:, 3]),
        _estimate(means, table[:, 4]),
    )


def _estimate(statistic: Callable[..., Array], *columns: Array) -> Estimate:
    value = float(statistic(*columns)) if len(columns[0]) else None
    return Estimate(value, bootstrap(statistic, *columns))


def _pooled(parts: Array, wholes: Array) -> Array:
    """Return the sum of the parts divided by the sum of the wholes."""
    return share(parts.sum(axis=-1), wholes.sum(axis=-1))
