"""Draw the results of many texts or pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from groundwork.pictures import BLUE, GREY, MARKS, ORANGE, bars, offline
from groundwork.records.base import counted

if TYPE_CHECKING:
    from altair import LayerChart

_COLOURS = {
    **dict.fromkeys(("supported", "measured", "proposed"), BLUE),
    **dict.fromkeys(("contradicted", "risky"), ORANGE),
}


def many_plot(results: Iterable[tuple[str, str]], item: str) -> LayerChart:
    """Return a chart with one bar per result, most frequent first; see `ManyReport.plot`.

    Args:
        results: The kind of the result of each text, and the name of the result.
        item: What is counted, in the singular: `text` or `pair`.
    """
    found = Counter(results)
    rows: list[Mapping[str, str | int]] = [
        {"label": name, "text": name, "value": count, "kind": kind} for (kind, name), count in found.most_common()
    ]
    kinds = {kind: (_COLOURS.get(kind, GREY), MARKS[kind]) for kind, _ in found}
    told = f"Results of {counted(found.total(), item)}"
    return offline(bars(rows, kinds, f"{item}s", told))
