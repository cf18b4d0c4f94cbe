"""Groundedness of a set of texts: means, the number of claims behind them, and intervals."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from groundwork.records import Record
from groundwork.statistics.classification import Array, share
from groundwork.statistics.intervals import RESAMPLES, Interval, bootstrap, means
from knowhd.groundedness import aggregated
from knowhd.judge import SOURCES, Source

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
