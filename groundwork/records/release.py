"""Records of the releases that a store contains."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Literal

from groundwork.records.base import Record


@dataclass(frozen=True, slots=True)
class SimilaritySet(Record):
    """How a set of similarity edges was made, and the parameters that convert its cosines to memberships mu.

    Attributes:
        model: Name of the embedder, which each edge also contains; a graph has at most one set per embedder.
        pooling: How vectors are made from the model's last layer: `auto`, `cls` or `mean`; empty for `trigram`.
        concepts: Number of concepts compared, each with all others.
        form: The form of mu to which tau refers: `scaled`, `paper` or `linear`.
        tau: An edge was kept if mu > tau.
        top_k: Maximum number of neighbours kept per concept.
        k: Steepness of `scaled`, > 0; None for the other forms.
        s0: Cosine at which `scaled` gives 0.5; None for the other forms.
        fit: Where k and s0 come from: `default`, `background`, `labels` or `given`; empty if there is no k.
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
    """The record of one load in a store.

    Attributes:
        source: The name of a relation source, such as `pubtator3`; or `concepts`, `documents`, `pubmed`, `similarity`.
        id: Unique within its source.
        sha256: Hash of all loaded files in order.
        rows: Number of rows read.
        kept: Number of rows kept.
        rejected: Number of rows rejected; rows = kept + rejected.
        state: `loading` while the changes are being written, then `live`; `past` when its data are no longer used.
        loaded_at: ISO 8601 time, UTC.
        order: Increases with every load of the same source into the same store.
        similarity: How similarity edges were made; None for other sources.
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
        """The record as stores keep it: texts and whole numbers only; `similarity` as JSON, empty for None."""
        shape = {field.name: getattr(self, field.name) for field in fields(self)}
        shape["similarity"] = json.dumps(self.similarity.to_dict()) if self.similarity else ""
        return shape

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> "Release":
        """Return the release of a `flat` record; further properties are ignored, and `similarity` may be missing."""
        shape = {field.name: flat[field.name] for field in fields(cls) if field.name in flat}
        said = shape.get("similarity")
        return cls(**{**shape, "similarity": SimilaritySet(**json.loads(said)) if said else None})


def live(*stores: Iterable[Release]) -> tuple[str, ...]:
    """Return the live releases of stores as distinct `SOURCE:ID`, sorted."""
    return tuple(sorted({f"{each.source}:{each.id}" for held in stores for each in held if each.state == "live"}))


def fingerprint(releases: Iterable[Release]) -> str:
    """Return a text that changes whenever the content of a store changes.

    The text is empty if the releases do not determine the content: while a load is unfinished, or if the store was
    filled without a load.
    """
    held = list(releases)
    known = sorted((each.source, each.id, each.sha256) for each in held if each.state == "live")
    if not known or any(each.state == "loading" for each in held):
        return ""
    return sha256(json.dumps(known).encode()).hexdigest()
