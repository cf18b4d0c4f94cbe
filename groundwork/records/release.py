"""A load that a store knows of."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Literal

from groundwork.records.base import Record


@dataclass(frozen=True, slots=True)
class SimilaritySet(Record):
    """How a set of similarity edges was made, and what turns its cosines into memberships mu.

    Attributes:
        model: The embedder's name, as it stands on the edges; a graph has one set of each.
        pooling: How the model's last layer became a vector: `auto`, `cls` or `mean`; empty where it has no such choice.
        concepts: How many were compared, each with all others.
        form: The form of mu that tau is meant in: `scaled`, `paper` or `linear`.
        tau: An edge was kept if mu > tau.
        top_k: Neighbours kept for a concept.
        k: Steepness of `scaled`, > 0; None for the other forms, which have none.
        s0: Cosine at which `scaled` gives 0.5; None likewise.
        fit: Where k and s0 come from: `default`, `background`, `labels` or `given`; empty for the other forms.
    """

    model: str
    pooling: str
    concepts: int
    form: str
    tau: float
    top_k: int
    k: float | None = None
    s0: float | None = None
    fit: str = ""


@dataclass(frozen=True, slots=True)
class Release(Record):
    """A load that a store knows of.

    Attributes:
        source: `pubtator3` or another relation source's name, `concepts`, `documents`, `pubmed`, `similarity`.
        id: Unique within its source.
        sha256: Of all files in order.
        rows: Rows read.
        kept: Rows kept.
        rejected: Rows rejected; rows = kept + rejected.
        state: `loading` while its difference is being applied, `live`, or `past`.
        loaded_at: ISO 8601 time, UTC.
        order: Rises with every load of the same source into the same store.
        similarity: For similarity edges, how they were made; else None.
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
    similarity: SimilaritySet | None = None

    @property
    def flat(self) -> dict[str, str | int]:
        """As stores keep it: texts and whole numbers alone; `similarity` as JSON, empty for None."""
        shape = {field.name: getattr(self, field.name) for field in fields(self)}
        shape["similarity"] = json.dumps(self.similarity.to_dict()) if self.similarity else ""
        return shape

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> "Release":
        """What `flat` is of; properties beside these are passed over, and an earlier version had no similarity."""
        shape = {field.name: flat[field.name] for field in fields(cls) if field.name in flat}
        said = shape.get("similarity")
        return cls(**{**shape, "similarity": SimilaritySet(**json.loads(said)) if said else None})


def live(*stores: Iterable[Release]) -> tuple[str, ...]:
    """Return the live releases of stores as `SOURCE:ID`, sorted, each once."""
    return tuple(sorted({f"{each.source}:{each.id}" for held in stores for each in held if each.state == "live"}))


def fingerprint(releases: Iterable[Release]) -> str:
    """Return a text that is another one once a store holds something else; empty if its releases cannot tell.

    They cannot while a load is unfinished, nor in a store that was filled without one.
    """
    held = list(releases)
    known = sorted((each.source, each.id, each.sha256) for each in held if each.state == "live")
    if not known or any(each.state == "loading" for each in held):
        return ""
    return sha256(json.dumps(known).encode()).hexdigest()
