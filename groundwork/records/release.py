"""Records of the releases that a store contains."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import PurePath
from typing import Any, Literal

from groundwork.records.base import Record

#: Kinds of releases other than `relations`. A source with such a name has only releases of this kind.
OTHER_KINDS = frozenset({"concepts", "documents", "genes", "names", "pubmed", "similarity"})

_NAMED = 3  # number of files that a label names


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
        source: The name of a source of relations or documents, such as `pubtator3`; or `concepts`, `genes`, `names`,
            `pubmed`, `similarity`.
        id: Unique within its source.
        sha256: Hash of all loaded files in order.
        rows: Number of rows read.
        kept: Number of rows kept.
        rejected: Number of rows rejected; rows = kept + rejected.
        state: `loading` while the changes are being written, then `live`; `past` when its data are no longer used.
        loaded_at: ISO 8601 time, UTC.
        order: Increases with every load of the same source into the same store.
        similarity: How similarity edges were made; None for other sources.
        kind: `relations`, or one of `OTHER_KINDS`. If it is not given, as in records of earlier versions, the source
            tells it.
        files: Names of the files from which it was loaded, for people to read. Stores do not keep them;
            `groundwork.inventory.with_files` finds them. Empty if they are not known.
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
    kind: str = ""
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.kind:
            object.__setattr__(self, "kind", kind_of(self.source))

    @property
    def label(self) -> str:
        """The ID for people to read, with the names of the files if they are known."""
        return label(self.id, self.files)

    @property
    def flat(self) -> dict[str, str | int]:
        """The record as stores keep it: texts and whole numbers only; `similarity` as JSON, empty for None."""
        shape = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "files"}
        shape["similarity"] = json.dumps(self.similarity.to_dict()) if self.similarity else ""
        return shape

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> "Release":
        """Return the release of a `flat` record; further properties are ignored, and `similarity` may be missing."""
        shape = {field.name: flat[field.name] for field in fields(cls) if field.name in flat}
        said = shape.get("similarity")
        return cls(**{**shape, "similarity": SimilaritySet(**json.loads(said)) if said else None})


def label(id: str, files: Sequence[str]) -> str:
    """Return a release's ID for people to read, with the names of its files if they are known.

    Args:
        id: ID, or SOURCE:ID.
        files: Paths of the files from which the release was loaded; `-` is the standard input.
    """
    names = [file_name(path) for path in files[:_NAMED]]
    more = [f"and {len(files) - _NAMED} more"] if len(files) > _NAMED else []
    return f"{id} ({', '.join([*names, *more])})" if names else id


def file_name(path: str) -> str:
    """Return the name of a loaded file for people to read."""
    return "standard input" if path == "-" else PurePath(path).name


def kind_of(source: str) -> str:
    """Return the kind of the releases of a source, if nothing but the name of the source is known."""
    return source if source in OTHER_KINDS else "relations"


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
