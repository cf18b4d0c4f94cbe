"""Read the concepts of a graph and embed their names. Concepts without a name or a usable vector are left out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.similarity.nearest import Places, Rows, Singles
from fuzzygraph.similarity.vectors import SelectedVectors, Vectors
from groundwork.errors import InputError, ModelError
from groundwork.ports import Embedder, GraphReader, Progress

_BATCH = 4096  # number of names embedded and stored at a time
_LOOKED_AT = 4096  # number of vectors checked for zeros at a time


@dataclass(frozen=True, slots=True)
class NamedConcepts:
    """Concepts that can be compared.

    Attributes:
        keys: Keys of the concepts, in ascending order.
        names: Preferred name of each concept.
        vectors: Vector of each name, (concepts, d); all numbers are finite, and no vector is all zeros.
        embedded: Number of names embedded in this run; the vectors of the other names were already stored.
        left_out: Number of concepts left out, by reason: `unnamed`; `zero_vector` (the embedder gave only zeros);
            `not_finite` (the embedder gave NaN or infinity).
    """

    keys: list[str]
    names: list[str]
    vectors: Rows
    embedded: int
    left_out: dict[str, int]


def named(graph: GraphReader, embedder: Embedder, home: Path | None, progress: Progress) -> NamedConcepts:
    """Read the concepts and embed their names.

    Args:
        graph: Store of the concepts.
        embedder: Model that embeds the names. Each name that has no stored vector is embedded once.
        home: The folder HOME, where vectors are stored. With None, no vectors are stored or read.
        progress: Receives progress.

    Raises:
        InputError: Fewer than two concepts have a name.
        ModelError: The embedder failed, returned an array of a wrong shape, or gave usable vectors for fewer than two
            concepts.
    """
    keys, names, unnamed = _read(graph)
    if len(keys) < 2:
        raise InputError(
            f"{len(keys)} concepts with a name in {graph.address}",
            "at least two to compare",
            "load names first: truthhypo ingest concepts FILE",
        )
    distinct = list(dict.fromkeys(names))
    table, places, embedded = _embedded(embedder, distinct, home, progress)
    of_name = dict(zip(distinct, places.tolist(), strict=True))
    at = np.fromiter((of_name[name] for name in names), np.int64, len(names))
    lost, empty = at < 0, np.zeros(len(at), np.bool_)
    empty[~lost] = _zero(table, at[~lost])
    left_out = {"unnamed": unnamed, "zero_vector": int(empty.sum()), "not_finite": int(lost.sum())}
    usable = np.flatnonzero(~lost & ~empty).tolist()
    if len(usable) < 2:
        raise ModelError(
            f"the embedder {embedder.name} gave a usable vector for {len(usable)} of {len(names)} concepts "
            f"({left_out['zero_vector']} zero, {left_out['not_finite']} not finite)",
            "one vector of finite numbers per name, not all zero",
            "try another embedder",
        )
    chosen = SelectedVectors(table, at[usable])
    return NamedConcepts([keys[i] for i in usable], [names[i] for i in usable], chosen, embedded, left_out)


def _read(graph: GraphReader) -> tuple[list[str], list[str], int]:
    """Return the keys of named concepts, their preferred names, and the number of concepts without a name."""
    keys, names, unnamed = [], [], 0
    for concept in graph.every_concept():
        if concept.synonyms and concept.name.strip():
            keys.append(concept.key)
            names.append(concept.name)
        else:
            unnamed += 1
    return keys, names, unnamed


def _embedded(
    embedder: Embedder, names: list[str], home: Path | None, progress: Progress
) -> tuple[Singles, Places, int]:
    """Return a table of vectors, the row number of each name, and the number of names embedded in this run.

    The row number is -1 if the vector of the name is not finite.
    """
    if home is None:
        progress.begin("embed names", len(names), "names")
        parts, places, size = [], np.full(len(names), -1, np.int64), 0
        for start, rows, finite in _batches(embedder, names, progress):
            parts.append(rows[finite])
            places[start + np.flatnonzero(finite)] = np.arange(size, size + len(parts[-1]))
            size += len(parts[-1])
        return np.concatenate(parts), places, len(names)
    kept = Vectors(home, str(getattr(embedder, "identity", embedder.name)))
    with kept.alone():
        new = kept.missing(names)
        progress.begin("embed names", len(new), "names")
        for start, rows, finite in _batches(embedder, new, progress):
            kept.add([new[start + place] for place in np.flatnonzero(finite)], rows[finite])
        return kept.table(), kept.places(names), len(new)


def _batches(
    embedder: Embedder, names: Sequence[str], progress: Progress
) -> Iterator[tuple[int, Singles, NDArray[np.bool_]]]:
    """Yield for each batch of names the position of its first name, its vectors, and a mask of the finite vectors."""
    for start in range(0, len(names), _BATCH):
        some = names[start : start + _BATCH]
        rows = np.asarray(embedder.embed(some), np.float32)
        if rows.ndim != 2 or len(rows) != len(some):
            raise ModelError(
                f"the embedder {embedder.name} gave an array of shape {rows.shape} for {len(some)} names",
                "one vector per name",
                "try another embedder",
            )
        finite = np.asarray(np.isfinite(rows).all(axis=1), np.bool_)
        yield start, rows, finite
        progress.advance(len(some))


def _zero(table: Singles, places: Places) -> NDArray[np.bool_]:
    """Return a mask over the given row numbers of a table: True for each row that holds only zeros."""
    starts = range(0, len(places), _LOOKED_AT)
    parts = [~table[places[start : start + _LOOKED_AT]].any(1) for start in starts]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)
