"""Match variants that annotations and relations write differently, so that the variants of the edges get names.

Entity files write `Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;RS#:...`. Relation files write
`ProteinMutation|RS#:...;HGVS:...`. Two such ids mean one concept if their RS numbers are equal, or if their HGVS names
and genes are equal. The concept has the key that the relations use.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from groundwork.records import split_key
from groundwork.vocabulary import VARIANTS
from ingest.identifiers import Variant, variant

#: Schema of the batches of `Variants.carriers`: the key of a variant in annotations (`key`), and the key of the same
#: variant in edges (`carrier`), which gets the names.
CARRIERS = pa.schema([pa.field("key", pa.string(), nullable=False), pa.field("carrier", pa.string(), nullable=False)])


class Variants:
    """An index of the variants in edges. They are found by the parts of their ids: RS number, or HGVS name and gene.

    Args:
        ends: Keys of the variants in edges, in any order.
    """

    def __init__(self, ends: Iterable[str]) -> None:
        self._ends = {end: variant(split_key(end)[1]) for end in ends}
        self._alike: dict[tuple[str, ...], list[str]] = {}
        for end, parts in self._ends.items():
            for trait in _traits(parts):
                self._alike.setdefault(trait, []).append(end)

    def carrier(self, key: str) -> str | None:
        """Return the key of the variant in edges that agrees best with a concept, and so gets the concept's names.

        Returns:
            The key. None if the concept keeps its own names, because it is in an edge itself, is not a variant, agrees
            with no variant, or agrees with several equally well (one RS number can have several alleles).
        """
        if key in self._ends or split_key(key)[0] not in VARIANTS:
            return None
        parts = variant(split_key(key)[1])
        alike = {end for trait in _traits(parts) for end in self._alike.get(trait, ())}
        scores = {end: (parts.agreement(self._ends[end]), parts == self._ends[end]) for end in alike}
        best = [end for end, score in scores.items() if score == max(scores.values())]
        return best[0] if len(best) == 1 else None

    def carriers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """For each batch of distinct keys, yield a batch with the schema `CARRIERS`.

        The yielded batch has one row for each key whose names are given to another key (see `carrier`).
        """
        for batch in batches:
            found = [(key, carrier) for key in batch.column("key").to_pylist() if (carrier := self.carrier(key))]
            columns = [pa.array([pair[side] for pair in found], pa.string()) for side in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, schema=CARRIERS)


def _traits(parts: Variant) -> Iterator[tuple[str, ...]]:
    """Yield the parts of an id by which it can match another id (see `Variant.agreement`)."""
    if parts.rs:
        yield (parts.rs,)
    if parts.hgvs and parts.gene:
        yield parts.hgvs, parts.gene
