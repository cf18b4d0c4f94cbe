"""Groundedness of a set of texts: means with how much they rest on and how far they may be off."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from groundwork.records import Record
from groundwork.statistics.classification import Array, share
from groundwork.statistics.intervals import RESAMPLES, Interval, bootstrap
from knowhd.groundedness import aggregated
from knowhd.judge import SOURCES, Source

#: How the intervals of a set were made.
METHOD = f"95 % percentile bootstrap over texts, {RESAMPLES} resamples, seed 0"


@dataclass(frozen=True, slots=True)
class Estimate(Record):
    """A number in [0, 1] and its interval; both None where no text was measured, no interval for one text."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class SourceGroundedness(Record):
    """What one source says of a set of texts.

    Attributes:
        measured: Texts with a judged claim; only these count below.
        coverage: measured / texts, in [0, 1]; None without texts.
        claims_judged: Claims whose verdict is not `failed`.
        claims_failed: The others.
        macro: Mean of the texts' groundedness: every text counts the same.
        micro: Supported claims / judged claims of all texts: every claim counts the same.
        strict: Share of the texts whose judged claims are all supported.
        majority: Share of the texts more than half of whose judged claims are supported.
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
        texts: How many there are.
        sources: What each source says.
        method: How the intervals were made. Claims of one text hang together, so texts are drawn, not claims.
    """

    texts: int
    sources: Mapping[Source, SourceGroundedness]
    method: str = METHOD


def measure_set(reports: Iterable[Mapping[str, Any]]) -> SetGroundedness:
    """The groundedness of a set.

    Args:
        reports: One a text, as `GroundReport.to_dict` gives them (records of `ground --out` will do).
    """
    verdicts = [[claim["verdicts"] for claim in report["claims"]] for report in reports]
    return SetGroundedness(
        len(verdicts),
        {source: _measured([[given[source] for given in text] for text in verdicts]) for source in SOURCES},
    )


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
        _estimate(_mean, table[:, 0]),
        _estimate(_pooled, table[:, 1], table[:, 2]),
        _estimate(_mean, table[:, 3]),
        _estimate(_mean, table[:, 4]),
    )


def _estimate(statistic: Callable[..., Array], *columns: Array) -> Estimate:
    value = float(statistic(*columns)) if len(columns[0]) else None
    return Estimate(value, bootstrap(statistic, *columns))


def _mean(values: Array) -> Array:
    found: Array = values.mean(axis=-1)
    return found


def _pooled(parts: Array, wholes: Array) -> Array:
    """The share of all parts in all wholes."""
    return share(parts.sum(axis=-1), wholes.sum(axis=-1))
