"""The concepts of a graph with a vector each: names read, embedded where new, and set aside where there is none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.similarity.nearest import Places, Rows, Singles
from fuzzygraph.similarity.vectors import Chosen, Vectors
from groundwork.errors import InputError, ModelError
from groundwork.ports import Embedder, GraphReader, Progress

_BATCH = 4096  # names embedded, kept and told as progress at a time
_LOOKED_AT = 4096  # vectors read at a time to see whether they are zero


@dataclass(frozen=True, slots=True)
class Named:
    """Concepts that can be compared.

    Attributes:
        keys: In ascending order.
        names: Their preferred names.
        vectors: (concepts, d), finite and not zero.
        embedded: Names that were embedded now; the others' vectors were kept.
        left_out: How many concepts were set aside, by reason: `unnamed`; `zero_vector`, for which the embedder knows no
            direction; `not_finite`, for which it gave NaN or infinity.
    """

    keys: list[str]
    names: list[str]
    vectors: Rows
    embedded: int
    left_out: dict[str, int]


def named(graph: GraphReader, embedder: Embedder, home: Path | None, progress: Progress) -> Named:
    """Read the concepts and see that each has a vector.

    Args:
        graph: Where concepts are read.
        embedder: Names to vectors; asked once for each name that has none kept.
        home: HOME, where vectors are kept; None keeps none.
        progress: Who is told.

    Raises:
        InputError: Fewer than two concepts with a name.
        ModelError: The embedder failed, gave something else than rows, or for fewer than two concepts a direction.
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
            "one vector of finite numbers a name, not all zero",
            "try another embedder, or --precision fp32",
        )
    chosen = Chosen(table, at[usable])
    return Named([keys[i] for i in usable], [names[i] for i in usable], chosen, embedded, left_out)


def _read(graph: GraphReader) -> tuple[list[str], list[str], int]:
    """Keys in ascending order, their preferred names, and how many concepts have none."""
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
    """A table of vectors, the row of each name (-1: not finite), and how many names were embedded for it."""
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
    """Where each batch of names begins, its rows, and which of them are finite."""
    for start in range(0, len(names), _BATCH):
        some = names[start : start + _BATCH]
        rows = np.asarray(embedder.embed(some), np.float32)
        if rows.ndim != 2 or len(rows) != len(some):
            raise ModelError(
                f"the embedder {embedder.name} gave an array of shape {rows.shape} for {len(some)} names",
                "one vector a name",
                "try another embedder",
            )
        finite = np.asarray(np.isfinite(rows).all(axis=1), np.bool_)
        yield start, rows, finite
        progress.advance(len(some))


def _zero(table: Singles, places: Places) -> NDArray[np.bool_]:
    """Which of the rows at those places are all zero."""
    starts = range(0, len(places), _LOOKED_AT)
    parts = [~table[places[start : start + _LOOKED_AT]].any(1) for start in starts]
    return np.concatenate(parts) if parts else np.zeros(0, np.bool_)
