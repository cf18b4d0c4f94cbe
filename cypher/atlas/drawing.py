"""Build an atlas: convert batches of links to numbered and sorted arrays in one pass."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cypher.atlas.atlas import Atlas
from cypher.atlas.keys import Keys
from cypher.atlas.ranges import ranges
from groundwork.network import Floats, Ints, Marks, Wiring


@dataclass
class _Sheet:
    """The data read so far: links with their ends in the order of reading, and the PMIDs of relations."""

    numbers: dict[str, int] = field(default_factory=dict)
    heads: list[Ints] = field(default_factory=list)
    tails: list[Ints] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    kind: list[Ints] = field(default_factory=list)
    sizes: list[Ints] = field(default_factory=list)
    pmids: list[Ints | Marks] = field(default_factory=list)
    cosines: list[Floats] = field(default_factory=list)

    def add(self, batch: pa.RecordBatch, names: tuple[str, str, str]) -> None:
        """Add a batch whose columns of head, tail and kind have these names."""
        head, tail, kind = (batch[name] for name in names)
        pmids, cosine = (batch[name] if name in batch.schema.names else None for name in ("pmids", "cosine"))
        rows = len(head)
        self.heads.append(_numbered(head, self.numbers))
        self.tails.append(_numbered(tail, self.numbers))
        self.kind.append(_numbered(kind, self.kinds))
        if pmids is None:
            self.sizes.append(np.zeros(rows, dtype=np.int64))
        else:
            self.sizes.append(np.diff(pmids.offsets.to_numpy()).astype(np.int64))
            values = pmids.flatten().to_numpy()
            narrow = not len(values) or int(values.max()) < 2**31
            self.pmids.append(values.astype(np.int32 if narrow else np.int64))
        self.cosines.append(np.zeros(rows) if cosine is None else cosine.to_numpy())


def drawn(relations: Iterable[pa.RecordBatch], beside: Iterable[pa.RecordBatch]) -> Atlas:
    """Build an atlas.

    Args:
        relations: Batches with the schema `tables.EDGES`, each edge once.
        beside: Batches with the schema `network.LINKS`: similarity and contradiction links, any number of times.
    """
    sheet = _Sheet()
    for batch in relations:
        sheet.add(batch, ("head", "tail", "relation"))
    for batch in beside:
        sheet.add(batch, ("a", "b", "kind"))
    keys, key_ranks = _ranked(sheet.numbers)
    kinds, kind_ranks = _ranked(sheet.kinds)
    head, tail, kind = (_joined(part) for part in (sheet.heads, sheet.tails, sheet.kind))
    head, tail, kind = key_ranks[head], key_ranks[tail], kind_ranks[kind]
    a, b = np.minimum(head, tail), np.maximum(head, tail)
    cosine = np.concatenate(sheet.cosines) if sheet.cosines else np.zeros(0)
    order = _order(a, b, kind, cosine, len(keys), len(kinds))
    row, pmids = _evidence(sheet, order)
    a, b, kind, cosine = a[order], b[order], kind[order], cosine[order]
    apart = int((a != b).sum())
    wiring = Wiring.of(len(keys), a[:apart], b[:apart])
    return Atlas(
        Keys(pa.array(keys, pa.large_string())),
        tuple(kinds),
        a.astype(np.int32),
        b.astype(np.int32),
        kind.astype(np.int32),
        cosine,
        row,
        pmids,
        wiring.first,
        wiring.target,
        wiring.link,
    )


def _numbered(texts: pa.Array, numbers: dict[str, int]) -> Ints:
    """Return the number of each text; new texts get the next numbers."""
    coded = texts.dictionary_encode()
    local = [numbers.setdefault(text, len(numbers)) for text in coded.dictionary.to_pylist()]
    found: Ints = np.array(local, dtype=np.int64)[coded.indices.to_numpy()]
    return found


def _ranked(numbers: dict[str, int]) -> tuple[list[str], Ints]:
    """Return the texts in ascending order, and for each number the place of its text in this order."""
    texts = sorted(numbers)
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[[numbers[text] for text in texts]] = np.arange(len(texts))
    return texts, ranks


def _order(a: Ints, b: Ints, kind: Ints, cosine: Floats, keys: int, kinds: int) -> Ints:
    """Return the indices that sort links by (a, b, kind), with self-relations last.

    If several links have the same a, b and kind, only the one with the largest cosine is kept.
    """
    identity = (np.where(a == b, keys, 0) + a) * keys * kinds + b * kinds + kind
    order = np.argsort(identity, kind="stable")
    again = np.flatnonzero(identity[order][1:] == identity[order][:-1])
    if again.size:
        order = np.lexsort((-cosine, identity))
    first = np.ones(len(order), dtype=bool)
    first[1:] = identity[order][1:] != identity[order][:-1]
    kept: Ints = order[first]
    return kept


def _evidence(sheet: _Sheet, order: Ints) -> tuple[Ints, Ints]:
    """Return the index of the first PMID of each link, and all PMIDs, with the links in the given order."""
    sizes = _joined(sheet.sizes)
    pmids: Any = np.concatenate(sheet.pmids) if sheet.pmids else np.zeros(0, dtype=np.int32)
    begins = np.cumsum(sizes) - sizes
    row = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(sizes[order], out=row[1:])
    return row, pmids[ranges(begins[order], sizes[order])]


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
