"""Turn a judged text into rows of a table, one per claim."""

from collections.abc import Iterator, Mapping
from typing import Any

from knowhd.judge import SOURCES

#: The columns, in order. Some columns have a list in each row.
CLAIM_COLUMNS = (
    "claim",
    "sentence",
    "start",
    "end",
    "concepts",
    "names",
    *(f"verdict_{source}" for source in SOURCES),
    "reason",
    "flags",
    "cited",
    *(f"groundedness_{source}" for source in SOURCES),
    "model",
)


def claim_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each claim of a report (in the form of `GroundReport.to_dict`).

    A text without claims, or the record of a text that could not be judged, gives one row.
    """
    grounded = record.get("groundedness") or {}
    whole = {f"groundedness_{source}": grounded.get(source) for source in SOURCES} | {"model": record.get("model")}
    for claim in record.get("claims") or [{}]:
        names = {mention["key"]: mention["name"] for mention in claim.get("mentions", ())}
        start, end = claim.get("span", (None, None))
        yield {
            **whole,
            **{name: claim.get(name) for name in ("sentence", "reason", "flags", "cited", "concepts")},
            **{f"verdict_{source}": claim.get("verdicts", {}).get(source) for source in SOURCES},
            "claim": claim.get("text"),
            "start": start,
            "end": end,
            "names": [names.get(key) for key in claim["concepts"]] if claim else None,
        }
