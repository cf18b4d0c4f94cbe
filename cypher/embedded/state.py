"""The states of an embedded graph: each is a folder with all of its concepts and links, which never changes.

The links are an atlas (`cypher.atlas`). Beside its arrays, a state has arrays for what look-ups of paths do not need:
which end of an edge is its head, which load changed it, and the similarity and contradiction links one by one.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cypher.atlas import files
from cypher.atlas.atlas import Atlas, ranges
from cypher.atlas.drawing import Sheet, gathered, numbered
from cypher.atlas.files import Summary
from cypher.embedded.concepts import REMEDY, ConceptBook
from cypher.lookups import missing_end
from cypher.rows import concepts_of
from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.manifest import Fault
from groundwork.network import LINKS, Bools, Floats, Ints, Marks
from groundwork.records import Contradiction, Counts
from groundwork.tables import EDGES, HASH, SIMILARITIES, hashes_of, joined
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

_BOOK = "concepts.sqlite"
#: The arrays of a state beside those of its atlas.
_ARRAYS = (
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
_BESIDE = (SIMILAR_TO, CONTRADICTS)
_OPPOSED = pa.schema({"head": pa.string(), "tail": pa.string(), "source": pa.string()})
#: Concepts that are written, or keys that are looked up, together.
_CONCEPTS = 20_000


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
        arrays: dict[str, Any] = {name: np.zeros(0, np.int32) for name in _ARRAYS}
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
            arrays = {name: files.array(folder, name) for name in _ARRAYS}
            names: dict[str, Any] = {name: tuple(noted[name]) for name in ("releases", "models", "sources")}
            atlas, summary = files.mapped(folder, noted), Summary.of(noted["summary"])
        except FileNotFoundError:
            if not folder.exists():
                raise
            raise DamagedStore(f"the graph store {folder.parent} is damaged: {path} is missing", "", REMEDY) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            fault = Fault(path, f"cannot be read: {error}", "the manifest that a load wrote")
            raise manifest.damaged(f"the graph store {folder.parent}", [fault], REMEDY) from error
        return cls(folder, atlas, ConceptBook(folder / _BOOK), **arrays, **names, summary=summary)

    @property
    def name(self) -> str:
        """A text that no other state has."""
        return self.folder.name if self.folder else "empty"

    @property
    def relations(self) -> Bools:
        """Per link, whether it is a relation."""
        return np.array([kind not in _BESIDE for kind in self.atlas.kinds], dtype=bool)[self.atlas.kind]

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


class Draft:
    """A state in the making: another state with the changes of a load.

    Args:
        old: The state to start from.
        folder: The folder for the new state, which does not exist yet.
    """

    def __init__(self, old: State, folder: Path) -> None:
        self._old, self._folder = old, folder
        self._made: ConceptBook | None = None
        self._sheet: Sheet | None = None
        self._hashes: list[Any] = []
        self._releases = list(old.releases)
        self._models, self._sources = (
            {name: number for number, name in enumerate(names)} for names in (old.models, old.sources)
        )
        self._similar = _Links(old.similar_head, old.similar_tail, old.similar_model, old.similar_cosine)
        self._opposed = _Links(old.opposed_head, old.opposed_tail, old.opposed_source, np.zeros(len(old.opposed_head)))

    def put_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_concepts`."""
        for batch in gathered(_filled(batches) or (), _CONCEPTS):
            self._book.put(concepts_of([batch]))

    def put_edges(
        self, batches: Iterable[pa.RecordBatch], release: str, dropped: Iterable[pa.RecordBatch] = ()
    ) -> None:
        """See `GraphWriter.put_edges`."""
        put, drop = _filled(batches), _filled(dropped)
        if put is None and drop is None:
            return
        if release not in self._releases:
            self._releases.append(release)
        sheet, hashes = self._links, list[Any]()
        part = Sheet(sheet.numbers, sheet.kinds)
        with self._ends_known():
            part.add(_hashed(put or (), hashes), self._releases.index(release))
        part.add(_hashed(drop or (), hashes), -1)
        sheet.extend(part)
        self._hashes += hashes

    def drop_concepts(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_concepts`."""
        for keys in (batch["key"].to_pylist() for batch in gathered(_filled(batches) or (), _CONCEPTS)):
            self._book.drop(keys)
            numbers = self._links.numbers
            gone = np.zeros(len(numbers), dtype=bool)
            for key in keys:
                if key in numbers:
                    number = numbers.pop(key)  # if the concept comes back, it gets another number
                    gone[number], numbers[f"{key}\0{number}"] = True, number
            self._links.forget(gone)
            for links in (self._similar, self._opposed):
                links.keep(~(gone[links.head] | gone[links.tail]))

    def put_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.put_similarities`."""
        if edges := _filled(batches):
            with self._ends_known():
                added = [self._numbered(edge, self._models, "model", edge["cosine"].to_numpy()) for edge in edges]
            self._similar = self._similar.joined(*added)

    def drop_similarities(self, batches: Iterable[pa.RecordBatch]) -> None:
        """See `GraphWriter.drop_similarities`."""
        if edges := _filled(batches):
            gone = [self._numbered(edge, self._models, "model", np.full(edge.num_rows, np.nan)) for edge in edges]
            self._similar = self._similar.joined(*gone)

    def put_contradictions(self, source: str, pairs: Iterable[Contradiction]) -> None:
        """See `GraphWriter.put_contradictions`."""
        kept = self._opposed.label != self._sources.get(source, -1)
        rows = [{"head": pair.head, "tail": pair.tail, "source": source} for pair in pairs]
        batch = pa.RecordBatch.from_pylist(rows, schema=_OPPOSED)
        if kept.all() and not rows:
            return
        with self._ends_known():
            added = self._numbered(batch, self._sources, "source", np.zeros(batch.num_rows))
        self._opposed.keep(kept)
        self._opposed = self._opposed.joined(added)

    def finish(self) -> State:
        """Write the new state into its folder, and return it.

        Raises:
            OSError: A file cannot be written.
        """
        old, self._folder = self._old, self._made_folder()
        if self._made is None:
            _linked(old, _BOOK, self._folder)
            counts = old.summary.counts.concepts
        else:
            found = self._made.counts()
            counts = {kind: found[kind] for kind in sorted(found)}
            self._made.close()
        if self._sheet is not None or old.folder is None:
            return self._drawn(self._links, counts)
        for file in sorted(old.folder.iterdir()):
            if file.name not in {_BOOK, files.MANIFEST}:
                _linked(old, file.name, self._folder)
        edges = old.summary.counts.edges, old.summary.counts.similarities
        shape = Summary(Counts(counts, *edges), old.summary.digest)
        names = {"releases": old.releases, "models": old.models, "sources": old.sources}
        files.seal(self._folder, old.atlas.kinds, shape, **names)
        return State.opened(self._folder)

    def _drawn(self, sheet: Sheet, concepts: Mapping[str, int]) -> State:
        """Write the links of a sheet, with the similarity edges and contradictions, into the folder of the state."""
        similar, opposed = self._similar, self._opposed
        similar = similar.last(len(sheet.numbers))
        opposed = opposed.last(len(sheet.numbers))
        for links, kind in ((similar, SIMILAR_TO), (opposed, CONTRADICTS)):
            order = np.argsort(links.value, kind="stable")  # of the models, the one with the largest cosine counts
            number = sheet.kinds.setdefault(kind, len(sheet.kinds))
            kinds = np.full(len(order), number, np.int32)
            sheet.append(links.head[order], links.tail[order], kinds, cosines=links.value[order])
            self._hashes.append(np.zeros(len(order), HASH))
        drawing = sheet.drawn()
        hashes = np.concatenate([np.zeros(0, HASH), *self._hashes])[drawing.order]
        self._hashes.clear()
        atlas = drawing.atlas
        kinds = np.bincount(atlas.kind, minlength=len(atlas.kinds)).tolist()
        edges = {kind: rows for kind, rows in zip(atlas.kinds, kinds, strict=True) if kind not in _BESIDE}
        related = np.array([kind not in _BESIDE for kind in atlas.kinds], dtype=bool)[atlas.kind]
        summary = Summary(Counts(dict(concepts), edges, len(similar.head)), joined(hashes[related]))
        similar, opposed = (links.renumbered(drawing.ranks) for links in (similar, opposed))
        arrays: tuple[Any, ...] = (
            *(drawing.turned, drawing.origins, hashes),
            *(similar.head, similar.tail, similar.label, similar.value),
            *(opposed.head, opposed.tail, opposed.label),
        )
        for name, array in zip(_ARRAYS, arrays, strict=True):
            np.save(self._folder / f"{name}.npy", array)
        names = {"releases": self._releases, "models": list(self._models), "sources": list(self._sources)}
        files.save(atlas, self._folder, summary, **names)
        return State.opened(self._folder)

    @property
    def _book(self) -> ConceptBook:
        """The concepts of the new state, in a copy of the old file."""
        if self._made is None:
            folder = self._made_folder()
            if self._old.folder:
                shutil.copyfile(self._old.folder / _BOOK, folder / _BOOK)
            self._made = ConceptBook(folder / _BOOK, draft=True)
        return self._made

    @property
    def _links(self) -> Sheet:
        """The links of the new state: at first, the relations of the old state."""
        if self._sheet is None:
            old = self._old
            atlas, related = old.atlas, old.relations
            some = slice(None) if related.all() else np.flatnonzero(related)
            a, b, turned = atlas.a[some], atlas.b[some], old.turned[some]
            self._sheet = Sheet(
                {key: number for number, key in enumerate(atlas.keys)},
                {kind: number for number, kind in enumerate(atlas.kinds)},
            )
            self._sheet.append(
                np.where(turned, b, a),
                np.where(turned, a, b),
                atlas.kind[some],
                np.diff(atlas.row)[some],
                atlas.pmids,  # only relations have PMIDs
                origins=old.origin[some],
            )
            self._hashes = [old.hashes[some]]
        return self._sheet

    def _numbered(self, batch: pa.RecordBatch, labels: dict[str, int], name: str, values: Floats) -> "_Links":
        numbers = self._links.numbers
        head, tail, label = numbered(batch["head"], numbers), numbered(batch["tail"], numbers), batch[name]
        return _Links(head, tail, numbered(label, labels), values)

    @contextmanager
    def _ends_known(self) -> Iterator[None]:
        """Refuse links within the block that end at a concept that is not in the graph."""
        numbers = self._links.numbers
        before = len(numbers)
        try:
            yield
            new = list(islice(numbers, before, None))
            book = self._made or self._old.book
            for start in range(0, len(new), _CONCEPTS):
                if (missing := book.absent(new[start : start + _CONCEPTS])) is not None:
                    raise missing_end(missing)
        except BaseException:
            for key in list(islice(numbers, before, None)):
                del numbers[key]
            raise

    def _made_folder(self) -> Path:
        self._folder.mkdir(exist_ok=True)
        return self._folder


@dataclass(slots=True)
class _Links:
    """Similarity edges or contradictions, with the numbers of their ends in a sheet.

    Attributes:
        head: Numbers of the heads.
        tail: Numbers of the tails.
        label: The number of the model or source of each link.
        value: The cosine of each link; NaN for a link that takes the earlier ones with the same ends and label away.
    """

    head: Marks
    tail: Marks
    label: Marks
    value: Floats

    def joined(self, *more: "_Links") -> "_Links":
        """Return these links and others after them."""
        every = (self, *more)
        heads, tails, labels, values = zip(*((one.head, one.tail, one.label, one.value) for one in every), strict=True)
        return _Links(*map(np.concatenate, (heads, tails, labels, values)))

    def keep(self, kept: Bools) -> None:
        """Keep only some links."""
        if not kept.all():
            for column in ("head", "tail", "label", "value"):
                setattr(self, column, getattr(self, column)[kept])

    def last(self, size: int) -> "_Links":
        """Return the last one of the links with the same ends and label, without those that are taken away."""
        labels = int(self.label.max(initial=0)) + 1
        identity = (self.head.astype(np.int64) * size + self.tail) * labels + self.label
        order = np.argsort(identity, kind="stable")
        last = np.ones(len(order), dtype=bool)
        last[:-1] = identity[order][1:] != identity[order][:-1]
        chosen = order[last]
        chosen = chosen[~np.isnan(self.value[chosen])]
        return _Links(self.head[chosen], self.tail[chosen], self.label[chosen], self.value[chosen])

    def renumbered(self, ranks: Marks) -> "_Links":
        """Return the links with other numbers of their ends, sorted by head, tail and label."""
        head, tail = ranks[self.head], ranks[self.tail]
        order = np.lexsort((self.label, tail, head))
        return _Links(head[order], tail[order], self.label[order], self.value[order])


def _filled(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch] | None:
    """Return the batches that have rows; None if there are none, so that a load without changes writes no state."""
    there = (batch for batch in batches if batch.num_rows)
    first = next(there, None)
    return None if first is None else chain([first], there)


def _hashed(batches: Iterable[pa.RecordBatch], hashes: list[Any]) -> Iterator[pa.RecordBatch]:
    """Yield batches, and add the hash of each row to a list; edges to remove have no PMIDs and get an empty hash."""
    for batch in batches:
        if "pmids" in batch.schema.names:
            hashes.append(hashes_of(batch))
        else:
            hashes.append(np.zeros(batch.num_rows, HASH))
        yield batch


def _linked(old: State, name: str, folder: Path) -> None:
    """Put a file of another state into a folder, without copying it if the file system allows that."""
    if old.folder is None:
        ConceptBook(folder / name, draft=True).close()
        return
    try:
        (folder / name).hardlink_to(old.folder / name)
    except OSError:
        shutil.copyfile(old.folder / name, folder / name)
