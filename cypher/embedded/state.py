"""The states of an embedded graph: each is a folder with all of its concepts and links, which never changes.

The links are an atlas (`cypher.atlas`). Beside its arrays, a state has arrays for what look-ups of paths do not need:
which end of an edge is its head, which load changed it, and the similarity and contradiction links one by one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from cypher.atlas import files
from cypher.atlas.atlas import Atlas, ranges
from cypher.atlas.drawing import Sheet
from cypher.embedded.concepts import REMEDY, ConceptBook
from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.manifest import Fault
from groundwork.network import LINKS, Bools, Floats, Ints, Marks
from groundwork.records import Contradiction, Counts
from groundwork.tables import EDGES, HASH, SIMILARITIES, joined
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

BOOK = "concepts.sqlite"
#: The arrays of a state beside those of its atlas.
ARRAYS = (
    "turned",
    "origin",
    "hashes",
    "similar_head",
    "similar_tail",
    "similar_model",
    "similar_cosine",
    "opposed_head",
    "opposed_tail",
    "opposed_source",
)


class Summary(NamedTuple):
    """The numbers of concepts and edges of a graph, and the digest of its relation edges."""

    counts: Counts
    digest: str

    @property
    def shape(self) -> dict[str, Any]:
        """The summary as JSON."""
        return {"counts": asdict(self.counts), "digest": self.digest}

    @classmethod
    def of(cls, shape: Mapping[str, Any]) -> Self:
        """Return the summary that `shape` describes."""
        return cls(Counts(**shape["counts"]), shape["digest"])


@dataclass(frozen=True, slots=True)
class State:
    """One state of an embedded graph. Concepts are numbered as in the atlas, and links have its order.

    Attributes:
        folder: The folder of the state; None for the empty graph.
        atlas: All links.
        book: The concepts and their names.
        turned: Per link, whether its head is the end with the greater key.
        origin: Per link, the index in `releases` of the release that last changed it; 0 if it is not a relation.
        hashes: Per link, the hash of the edge for the digest of the graph; empty if it is not a relation.
        similar_head: Per similarity edge, the number of its head. Edges are sorted by head, tail and model.
        similar_tail: Per similarity edge, the number of its tail.
        similar_model: Per similarity edge, the index of its model in `models`.
        similar_cosine: Per similarity edge, its cosine.
        opposed_head: Per contradiction, the number of its head.
        opposed_tail: Per contradiction, the number of its tail.
        opposed_source: Per contradiction, the index of its source in `sources`.
        releases: IDs of the releases that changed edges.
        models: Names of the embedders of similarity edges.
        sources: Names of the sources of contradictions.
        summary: The counts of the graph, and the digest of its relation edges.
    """

    folder: Path | None
    atlas: Atlas
    book: ConceptBook
    turned: Bools
    origin: Marks
    hashes: Any
    similar_head: Marks
    similar_tail: Marks
    similar_model: Marks
    similar_cosine: Floats
    opposed_head: Marks
    opposed_tail: Marks
    opposed_source: Marks
    releases: tuple[str, ...]
    models: tuple[str, ...]
    sources: tuple[str, ...]
    summary: Summary

    @classmethod
    def empty(cls) -> "State":
        """Return the state of a graph without content."""
        arrays: dict[str, Any] = {name: np.zeros(0, np.int32) for name in ARRAYS}
        arrays |= {"turned": np.zeros(0, bool), "hashes": np.zeros(0, HASH), "similar_cosine": np.zeros(0)}
        summary = Summary(Counts({}, {}, 0), joined(np.zeros(0, HASH)))
        atlas = Sheet().drawn().atlas
        return cls(None, atlas, ConceptBook(None), **arrays, releases=(), models=(), sources=(), summary=summary)

    @classmethod
    def opened(cls, folder: Path) -> "State":
        """Open the state in a folder.

        Raises:
            DamagedStore: A file is missing or was changed from outside.
            FileNotFoundError: The folder does not exist.
        """
        path = folder / files.MANIFEST
        try:
            noted = manifest.read(path)
            if found := files.faults_of(folder, noted):
                raise manifest.damaged(f"the graph store {folder.parent}", found, REMEDY)
            arrays = {name: files.array(folder, name) for name in ARRAYS}
            names: dict[str, Any] = {name: tuple(noted[name]) for name in ("releases", "models", "sources")}
            atlas, summary = files.mapped(folder, noted), Summary.of(noted["summary"])
        except FileNotFoundError:
            if not folder.exists():
                raise
            raise DamagedStore(f"the graph store {folder.parent} is damaged: {path} is missing", "", REMEDY) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            fault = Fault(path, f"cannot be read: {error}", "the manifest that a load wrote")
            raise manifest.damaged(f"the graph store {folder.parent}", [fault], REMEDY) from error
        return cls(folder, atlas, ConceptBook(folder / BOOK), **arrays, **names, summary=summary)

    @property
    def name(self) -> str:
        """A text that no other state has."""
        return self.folder.name if self.folder else "empty"

    def edges(self, links: Ints, *, origin: bool = False) -> pa.RecordBatch:
        """Return relation links as a batch of `tables.EDGES`; with `origin`, also the column `changed_in`."""
        atlas = self.atlas
        turned, a, b = self.turned[links], atlas.a[links], atlas.b[links]
        head, tail = (self.keys(np.where(turned, one, other)) for one, other in ((b, a), (a, b)))
        kinds = pa.array(atlas.kinds, pa.string()).take(pa.array(atlas.kind[links]))
        sizes = atlas.row[links + 1] - atlas.row[links]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        if len(links) and (np.diff(links) == 1).all():  # the links stand side by side, and so do their PMIDs
            values = atlas.pmids[atlas.row[links[0]] : atlas.row[links[-1] + 1]]
        else:
            values = atlas.pmids[ranges(atlas.row[links], sizes)]
        pmids = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values.astype(np.int64)))
        batch = pa.RecordBatch.from_arrays([head, kinds, tail, pmids], schema=EDGES)
        if origin:
            names = pa.array(self.releases, pa.string()).take(pa.array(self.origin[links]))
            batch = batch.append_column("changed_in", names)
        return batch

    def similar(self, some: slice | Ints = slice(None)) -> pa.RecordBatch:
        """Return similarity edges as a batch of `tables.SIMILARITIES`; all of them, or those at some places."""
        models = pa.array(self.models, pa.string()).take(pa.array(self.similar_model[some]))
        head, tail = (self.keys(numbers[some]) for numbers in (self.similar_head, self.similar_tail))
        return pa.RecordBatch.from_arrays(
            [models, head, tail, pa.array(self.similar_cosine[some])], schema=SIMILARITIES
        )

    def opposed(self) -> Iterator[Contradiction]:
        """Yield the contradictions of all sources."""
        rows = (self.opposed_head, self.opposed_tail, self.opposed_source)
        for head, tail, source in zip(*(each.tolist() for each in rows), strict=True):
            yield Contradiction(self.atlas.keys[head], self.atlas.keys[tail], self.sources[source])

    def beside(self) -> Iterator[pa.RecordBatch]:
        """Yield all similarity and contradiction links, one by one, as batches of `network.LINKS`."""
        for head, tail, kind, cosine in (
            (self.similar_head, self.similar_tail, SIMILAR_TO, self.similar_cosine),
            (self.opposed_head, self.opposed_tail, CONTRADICTS, np.zeros(len(self.opposed_head))),
        ):
            columns = [self.keys(head), self.keys(tail), pa.array([kind] * len(head), pa.string())]
            articles = pa.array(np.zeros(len(head), np.int64))
            yield pa.RecordBatch.from_arrays([*columns, articles, pa.array(cosine)], schema=LINKS)

    def keys(self, numbers: Marks | Ints) -> pa.Array:
        """Return the keys of concepts by their numbers."""
        return self.atlas.keys.texts.take(pa.array(numbers)).cast(pa.string())

    def places(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the numbers of keys. Keys of concepts without links are left out."""
        found = ((key, self.atlas.number(key)) for key in keys)
        return {key: number for key, number in found if number is not None}

    def similar_places(self, head: int, tail: int) -> range:
        """Return the places of the similarity edges between two concepts, given by ascending numbers."""
        begin, end = (int(np.searchsorted(self.similar_head, head, side)) for side in ("left", "right"))
        tails = self.similar_tail[begin:end]
        low, high = (int(np.searchsorted(tails, tail, side)) for side in ("left", "right"))
        return range(begin + low, begin + high)
