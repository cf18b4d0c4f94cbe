"""A load that a store knows of."""

from dataclasses import dataclass
from typing import Literal

from groundwork.records.base import Record


@dataclass(frozen=True, slots=True)
class Release(Record):
    """A load that a store knows of.

    Attributes:
        source: `pubtator3` or another relation source's name, `concepts`, `documents`, `pubmed`.
        id: Unique within its source.
        sha256: Of all files in order.
        rows: Rows read.
        kept: Rows kept.
        rejected: Rows rejected; rows = kept + rejected.
        state: `loading` while its difference is being applied, `live`, or `past`.
        loaded_at: ISO 8601 time, UTC.
        order: Rises with every load of the same source into the same store.
    """

    source: str
    id: str
    sha256: str
    rows: int
    kept: int
    rejected: int
    state: Literal["loading", "live", "past"]
    loaded_at: str
    order: int = 0
