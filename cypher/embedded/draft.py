"""A state of an embedded graph in the making: another state with the changes of a load."""

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
from cypher.atlas.drawing import Sheet, gathered, last_of_each, numbered
from cypher.embedded.concepts import REMEDY, ConceptBook
from cypher.embedded.state import ARRAYS, BOOK, State, Summary
from cypher.lookups import missing_end
from cypher.rows import concepts_of
from groundwork.manifest import damaged
from groundwork.network import Bools, Floats, Marks
from groundwork.records import Contradiction, Counts
from groundwork.tables import HASH, hashes_of, joined
from groundwork.vocabulary import CONTRADICTS, SIMILAR_TO

_OPPOSED = pa.schema({"head": pa.string(), "tail": pa.string(), "source": pa.string()})
#: Concepts that are written, or keys that are looked up, together.
_CONCEPTS = 20_000


class Draft:
    """A state in the making: another state with the changes of a load.

    Args:
        old: The state to start from.
        folder: The folder for the new state, which does not exist yet.
    """

    def __init__(self, old: State, folder: Path) -> None:
        self._old, self._folder, self._checked = old, folder, False
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
        with self._keys_forgotten():
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
                    gone[number], numbers[_nowhere(number)] = True, number
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
            with self._keys_forgotten():
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

    def _verified(self) -> State:
        """Return the old state, whose files are first compared with their checksums, once.

        Otherwise the next manifest would declare damage that nobody has noticed to be whole.

        Raises:
            DamagedStore: A file was changed from outside.
        """
        if self._old.folder and not self._checked:
            if found := files.faults(self._old.folder, REMEDY):
                raise damaged(f"the graph store {self._old.folder.parent}", found, REMEDY)
            self._checked = True
        return self._old

    def finish(self) -> State:
        """Write the new state into its folder, and return it.

        Raises:
            OSError: A file cannot be written.
        """
        old, self._folder = self._verified(), self._made_folder()
        if self._made is None:
            _linked(old, BOOK, self._folder)
            counts = old.summary.counts.concepts
        else:
            found = self._made.counts()
            counts = {kind: found[kind] for kind in sorted(found)}
            self._made.close()
        if self._sheet is not None or old.folder is None:
            return self._drawn(self._links, counts)
        for file in sorted(old.folder.iterdir()):
            if file.name not in {BOOK, files.MANIFEST}:
                _linked(old, file.name, self._folder)
        edges = old.summary.counts.edges, old.summary.counts.similarities
        shape = Summary(Counts(counts, *edges), old.summary.digest)
        names = {"releases": old.releases, "models": old.models, "sources": old.sources}
        files.seal(self._folder, old.atlas.kinds, summary=shape.shape, **names)
        return State.opened(self._folder)

    def _drawn(self, sheet: Sheet, concepts: Mapping[str, int]) -> State:
        """Write the links of a sheet, with the similarity edges and contradictions, into the folder of the state."""
        similar, opposed = (links.last(len(sheet.numbers)) for links in (self._similar, self._opposed))
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
        counts = Counts(dict(concepts), atlas.edge_counts, len(similar.head))
        summary = Summary(counts, joined(hashes[atlas.relations]))
        similar, opposed = (links.renumbered(drawing.ranks) for links in (similar, opposed))
        arrays: tuple[Any, ...] = (
            *(drawing.turned, drawing.origins, hashes),
            *(similar.head, similar.tail, similar.label, similar.value),
            *(opposed.head, opposed.tail, opposed.label),
        )
        for name, array in zip(ARRAYS, arrays, strict=True):
            np.save(self._folder / f"{name}.npy", array)
        names = {"releases": self._releases, "models": list(self._models), "sources": list(self._sources)}
        files.save(atlas, self._folder, summary=summary.shape, **names)
        return State.opened(self._folder)

    @property
    def _book(self) -> ConceptBook:
        """The concepts of the new state, in a copy of the old file."""
        if self._made is None:
            folder = self._made_folder()
            if old := self._verified().folder:
                shutil.copyfile(old / BOOK, folder / BOOK)
            self._made = ConceptBook(folder / BOOK, draft=True)
        return self._made

    @property
    def _links(self) -> Sheet:
        """The links of the new state: at first, the relations of the old state."""
        if self._sheet is None:
            old = self._verified()
            atlas, related = old.atlas, old.atlas.relations
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

    @contextmanager
    def _keys_forgotten(self) -> Iterator[None]:
        """Let the block number keys that need not be in the graph. They stay unknown to later links."""
        numbers = self._links.numbers
        before = len(numbers)
        yield
        for key in list(islice(numbers, before, None)):
            number = numbers.pop(key)
            numbers[_nowhere(number)] = number

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
        chosen = last_of_each(identity)
        chosen = chosen[~np.isnan(self.value[chosen])]
        return _Links(self.head[chosen], self.tail[chosen], self.label[chosen], self.value[chosen])

    def renumbered(self, ranks: Marks) -> "_Links":
        """Return the links with other numbers of their ends, sorted by head, tail and label."""
        head, tail = ranks[self.head], ranks[self.tail]
        order = np.lexsort((self.label, tail, head))
        return _Links(head[order], tail[order], self.label[order], self.value[order])


def _nowhere(number: int) -> str:
    """Return a text that is no key of a concept, for a number whose key is not in the graph."""
    return f"\0{number}"


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
