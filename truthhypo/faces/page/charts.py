"""Lay out bar charts of years: compute the positions of bars and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundwork.records.base import counted

#: Sizes in units of the picture: its width, the maximum height of a bar, and the height of a row of labels.
_WIDTH, _BARS, _LABELS = 760, 120, 24
#: Minimum height of the area above or below the axis, if it has bars: the area needs room for its largest count.
_LEAST = 24
#: Room at the left for the largest count, room at the right for half a label, and the maximum width of a year.
_LEFT, _RIGHT, _WIDEST = 46, 12, 40
#: Minimum room for the label of a year. Years without room get no label.
_LABEL = 42


@dataclass(frozen=True, slots=True)
class Bar:
    """The bars of a year: one up, and one down if the chart has two sides.

    Attributes:
        year: The year.
        x: Left end of the bars.
        width: Width of the bars.
        up: Height of the bar above the axis.
        down: Height of the bar below the axis.
        label: Whether the year is written below its bars.
        title: The counts as words.
        verdict: The verdict of the year; empty in a chart without verdicts.
    """

    year: int
    x: float
    width: float
    up: float
    down: float
    label: bool
    title: str
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar chart.

    Attributes:
        width: Width of the chart.
        height: Height of the chart.
        axis: Vertical position of the axis.
        bottom: Vertical position of the lower end of the bars.
        most: The count of the highest bar above the axis.
        least: The count of the longest bar below the axis; 0 if there is none.
        bars: The bars of each year.
    """

    width: int
    height: int
    axis: int
    bottom: int
    most: int
    least: int
    bars: tuple[Bar, ...]


def articles_chart(years: Mapping[str, int]) -> Chart | None:
    """Return the chart of articles per year, without gaps between the years; None without articles."""
    if not years:
        return None
    counts = {int(year): count for year, count in years.items()}
    every = range(min(counts), max(counts) + 1)
    rows = [(year, counts.get(year, 0), 0, "", f"{year}: {counted(counts.get(year, 0), 'article')}") for year in every]
    return _chart(rows, sides=1)


def timeline_chart(claim: Mapping[str, Any]) -> Chart | None:
    """Return the chart of a claim over time (`service.timeline.ClaimTimeline` as JSON); None without deciding articles.

    A year that is missing in `claim` gets the verdict of the year before. Bars above the axis show articles that
    support the claim, and bars below the axis show articles that contradict it.
    """
    if not any(each["supports"] or each["contradicts"] for each in claim["years"]):
        return None
    known = {each["year"]: each for each in claim["years"]}
    rows, verdict = [], ""
    for year in range(min(known), max(known) + 1):
        counts = known.get(year, {"supports": 0, "contradicts": 0, "verdict": verdict})
        up, down, verdict = counts["supports"], counts["contradicts"], counts["verdict"]
        title = f"{year}: {up} support, {down} contradict, verdict {verdict.replace('_', ' ')}"
        rows.append((year, up, down, verdict, title))
    return _chart(rows, sides=2)


def _chart(rows: Sequence[tuple[int, int, int, str, str]], sides: int) -> Chart:
    above, below = (max(counts) for counts in list(zip(*rows, strict=True))[1:3])
    most = max(1, above, below)
    rise, fall = (max(_LEAST, round(_BARS * count / most)) if count else 0 for count in (above, below))
    step = min(float(_WIDEST), (_WIDTH - _LEFT - _RIGHT) / len(rows))
    every = max(1, round(_LABEL / step + 0.5))
    bars = tuple(
        Bar(
            year,
            round(_LEFT + number * step, 1),
            round(step * 0.8, 1),
            round(_BARS * up / most, 1),
            round(_BARS * down / most, 1),
            (len(rows) - 1 - number) % every == 0,
            title,
            verdict,
        )
        for number, (year, up, down, verdict, title) in enumerate(rows)
    )
    bottom = 10 + rise + fall
    return Chart(_WIDTH, bottom + _LABELS * sides, 10 + rise, bottom, above, below, bars)
