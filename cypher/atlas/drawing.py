"""Build an atlas: convert links, batch by batch, to numbered and sorted arrays."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from cypher.atlas.atlas import Atlas, Keys, ranges
from groundwork.network import LINKS, Bools, Floats, Ints, Marks, Wiring

N = TypeVar("N", bound=np.generic)

#: Rows that are numbered together. The texts of a batch are compared with all texts so far, once for each distinct
#: text, so large batches are faster.
_ROWS = 250_000
#: PMIDs that are moved together. The places of PMIDs need several times the memory of the PMIDs.
_MOVED = 4_000_000


@dataclass
class Sheet:
    """Links with their ends in the order of reading, and the PMIDs of relations.

    A later row takes the place of an earlier row with the same ends and kind.

    Attributes:
        numbers: The number of each key.
        kinds: The number of each kind of link.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    _heads: list[Marks] = field(default_factory=list)
    _tails: list[Marks] = field(default_factory=list)
    _kind: list[Marks] = field(default_factory=list)
    _sizes: list[Marks] = field(default_factory=list)
    _pmids: list[Any] = field(default_factory=list)
    _cosines: list[Floats] = field(default_factory=list)
    _origins: list[Marks] = field(default_factory=list)

    def add(self, batches: Iterable[pa.RecordBatch], origin: int = 0) -> None:
        """Add relation edges.

        Args:
            batches: Batches with the columns of `tables.EDGES`, or of `tables.EDGE_KEYS` for edges to remove.
            origin: A number that every edge gets, such as that of a release, or -1 for edges to remove.
        """
        for batch in gathered(batches):
            head, tail = (numbered(batch[name], self.numbers) for name in ("head", "tail"))
            kind = numbered(batch["relation"], self.kinds)
            lists = batch["pmids"] if "pmids" in batch.schema.names else None
            sizes = np.zeros(len(head), np.int32) if lists is None else np.diff(lists.offsets.to_numpy())
            pmids = np.zeros(0, np.int32) if lists is None else _narrow(lists.flatten().to_numpy())
            self.append(head, tail, kind, sizes, pmids, origins=np.full(len(head), origin, np.int32))

    def add_beside(self, batches: Iterable[pa.RecordBatch]) -> None:
        """Add similarity and contradiction links, batches of `network.LINKS`. A link may appear any number of times."""
        rows = pa.Table.from_batches(list(batches), LINKS).combine_chunks().sort_by("cosine")  # the largest counts
        for batch in rows.to_batches():
            a, b = (numbered(batch[name], self.numbers) for name in ("a", "b"))
            self.append(a, b, numbered(batch["kind"], self.kinds), cosines=batch["cosine"].to_numpy())

    def append(
        self,
        heads: Marks,
        tails: Marks,
        kind: Marks,
        sizes: Marks | None = None,
        pmids: Ints | Marks | None = None,
        *,
        cosines: Floats | None = None,
        origins: Marks | None = None,
    ) -> None:
        """Add links whose ends and kinds are numbered. `sizes` are the numbers of PMIDs of each link in `pmids`."""
        rows = len(heads)
        self._heads.append(heads)
        self._tails.append(tails)
        self._kind.append(kind)
        self._sizes.append(np.zeros(rows, np.int32) if sizes is None else sizes.astype(np.int32))
        self._pmids.append(np.zeros(0, np.int32) if pmids is None else pmids)
        self._cosines.append(np.zeros(rows) if cosines is None else cosines)
        self._origins.append(np.zeros(rows, np.int32) if origins is None else origins)

    def extend(self, other: "Sheet") -> None:
        """Add the links of another sheet that numbers keys and kinds with the same dicts."""
        for mine, more in zip(self._columns(), other._columns(), strict=True):
            mine += more

    def forget(self, gone: Bools) -> None:
        """Remove the links at some concepts, given by a boolean per number."""
        for at, (heads, tails) in enumerate(zip(self._heads, self._tails, strict=True)):
            touched = gone[heads] | gone[tails]
            if touched.any():
                self._origins[at] = np.where(touched, np.int32(-1), self._origins[at])

    def drawn(self) -> "Drawing":
        """Return the atlas of the links. This empties the sheet."""
        keys, key_ranks = _ranked(self.numbers)
        kinds, kind_ranks = _ranked(self.kinds)
        head, tail, kind = (
            key_ranks[_taken(self._heads)],
            key_ranks[_taken(self._tails)],
            kind_ranks[_taken(self._kind)],
        )
        origins = _taken(self._origins)
        order = _order(np.minimum(head, tail), np.maximum(head, tail), kind, origins, len(keys), len(kinds))
        head, tail, kind, origins = head[order], tail[order], kind[order], origins[order]
        row, pmids = _evidence(_taken(self._sizes), _taken(self._pmids), order)
        cosine = _taken(self._cosines, np.float64)[order]
        used, (head, tail) = _renumbered(len(keys), head, tail)
        names = pa.array(keys, pa.large_string())
        if len(used) < len(keys):
            names = names.take(pa.array(used))
        there, (kind,) = _renumbered(len(kinds), kind)
        kinds = [kinds[number] for number in there.tolist()]
        a, b = np.minimum(head, tail), np.maximum(head, tail)
        wiring = Wiring.of_sorted(len(used), *(ends[: int((a != b).sum())] for ends in (a, b)))
        atlas = Atlas(
            Keys(names), tuple(kinds), a, b, kind, cosine, row, pmids, wiring.first, wiring.target, wiring.link
        )
        ranks = np.zeros(len(keys), dtype=np.int32)
        ranks[used] = np.arange(len(used), dtype=np.int32)
        return Drawing(atlas, order, head > tail, origins, ranks[key_ranks])

    def _columns(self) -> list[list[Any]]:
        return [self._heads, self._tails, self._kind, self._sizes, self._pmids, self._cosines, self._origins]


@dataclass(frozen=True, slots=True)
class Drawing:
    """An atlas with what only its drawing knows.

    Attributes:
        atlas: The atlas.
        order: Per link of the atlas, the row of the sheet that it comes from.
        turned: Per link, whether its head is the end with the greater key.
        origins: Per link, the number that the row had in the sheet.
        ranks: Per number of the sheet, the number of the key in the atlas; 0 if the key has no links.
    """

    atlas: Atlas
    order: Ints
    turned: Bools
    origins: Marks
    ranks: Marks


def drawn(relations: Iterable[pa.RecordBatch], beside: Iterable[pa.RecordBatch]) -> Atlas:
    """Build an atlas.

    Args:
        relations: Batches with the schema `tables.EDGES`, each edge once.
        beside: Batches with the schema `network.LINKS`: similarity and contradiction links, any number of times.
    """
    sheet = Sheet()
    sheet.add(relations)
    sheet.add_beside(beside)
    return sheet.drawn().atlas


def gathered(batches: Iterable[pa.RecordBatch], rows: int = _ROWS) -> Iterator[pa.RecordBatch]:
    """Join batches, so that each has about `rows` rows; the last one may be smaller. Empty batches are left out."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= rows:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held = []
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


def numbered(texts: pa.Array, numbers: dict[str, int]) -> Marks:
    """Return the number of each text; new texts get the next numbers."""
    coded = texts.dictionary_encode()
    local = [numbers.setdefault(text, len(numbers)) for text in coded.dictionary.to_pylist()]
    found: Marks = np.array(local, dtype=np.int32)[coded.indices.to_numpy()]
    return found


def _ranked(numbers: dict[str, int]) -> tuple[list[str], Marks]:
    """Return the texts in ascending order, and for each number the place of its text in this order."""
    texts = sorted(numbers)
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[[numbers[text] for text in texts]] = np.arange(len(texts), dtype=np.int32)
    return texts, ranks


def _order(a: Marks, b: Marks, kind: Marks, origins: Marks, keys: int, kinds: int) -> Ints:
    """Return the indices that sort links by (a, b, kind), with self-relations last.

    Of the links with the same a, b and kind, only the last one is kept, and only if it is not to be removed.
    """
    identity: Ints = (a == b).astype(np.int64) * keys + a
    identity *= np.int64(keys) * kinds
    identity += b.astype(np.int64) * kinds + kind
    order = last_of_each(identity)
    there = origins[order] >= 0
    return order if there.all() else order[there]


def last_of_each(identity: Ints) -> Ints:
    """Return the index of the last row with each number, in the order of the numbers."""
    order = np.argsort(identity, kind="stable")
    ranked = identity[order]
    last = np.ones(len(order), dtype=bool)
    last[:-1] = ranked[1:] != ranked[:-1]
    return order if last.all() else order[last]


def _evidence(sizes: Marks, pmids: Any, order: Ints) -> tuple[Ints, Any]:
    """Return the index of the first PMID of each link, and all PMIDs, with the links in the given order."""
    begins = np.cumsum(sizes, dtype=np.int64) - sizes
    row = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(sizes[order], out=row[1:])
    moved = np.empty(int(row[-1]), dtype=pmids.dtype)
    begin = 0
    while begin < len(order):
        end = max(begin + 1, int(np.searchsorted(row, row[begin] + _MOVED, "right")) - 1)
        some = order[begin:end]
        moved[row[begin] : row[end]] = pmids[ranges(begins[some], sizes[some].astype(np.int64))]
        begin = end
    return row, moved


def _renumbered(size: int, *parts: Marks) -> tuple[Ints, list[Marks]]:
    """Number only what occurs in some arrays of numbers below `size`.

    Returns:
        The numbers that occur, ascending, and the arrays with the places of their numbers among these.
    """
    there = np.zeros(size, dtype=bool)
    for part in parts:
        there[part] = True
    used = np.flatnonzero(there)
    if len(used) == size:
        return used, list(parts)
    places = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return used, [places[part] for part in parts]


def _narrow(values: Any) -> Any:
    """Return PMIDs as 32-bit integers if all of them fit."""
    return values.astype(np.int32 if not len(values) or int(values.max()) < 2**31 else np.int64)


def _taken(parts: list[np.ndarray[Any, np.dtype[N]]], kind: Any = np.int32) -> np.ndarray[Any, np.dtype[N]]:
    """Return arrays as one, and empty the list, because both together need twice the memory."""
    joined = np.concatenate(parts) if parts else np.zeros(0, kind)
    parts.clear()
    return joined
