"""Variants that annotations write otherwise than relations do: which variant of the edges carries their names.

The entity files say `Mutation|tmVar:p|SUB|V|600|E;HGVS:p.V600E;RS#:...`, relations `ProteinMutation|RS#:...;HGVS:...`.
They are one concept, under the relations' key, where RS number, or HGVS name and gene, are equal.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from groundwork.records import split_key
from groundwork.vocabulary import VARIANTS
from ingest.identifiers import Variant, variant

#: A variant's key as annotated, and the key of the edges' variant that carries its names.
CARRIERS = pa.schema([pa.field("key", pa.string(), nullable=False), pa.field("carrier", pa.string(), nullable=False)])


class Variants:
    """The variants of the edges, found by what they say.

    Args:
        ends: Keys of the variants that edges hold, in any order.
    """

    def __init__(self, ends: Iterable[str]) -> None:
        self._ends = {end: variant(split_key(end)[1]) for end in ends}
        self._alike: dict[tuple[str, ...], list[str]] = {}
        for end, parts in self._ends.items():
            for trait in _traits(parts):
                self._alike.setdefault(trait, []).append(end)

    def carrier(self, key: str) -> str | None:
        """The end that carries a concept's names: the one that agrees best.

        Returns:
            Its key. None if the concept carries its own names: it is an end itself, no variant, agrees with no end, or
            with several equally well (one RS number has several alleles), so that any choice would be a guess.
        """
        if key in self._ends or split_key(key)[0] not in VARIANTS:
            return None
        parts = variant(split_key(key)[1])
        alike = {end for trait in _traits(parts) for end in self._alike.get(trait, ())}
        scores = {end: (parts.agreement(self._ends[end]), parts == self._ends[end]) for end in alike}
        best = [end for end, score in scores.items() if score == max(scores.values())]
        return best[0] if len(best) == 1 else None

    def carriers(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Batches with a column `key` of distinct keys, as batches of `CARRIERS`: only keys that another carries."""
        for batch in batches:
            found = [(key, carrier) for key in batch.column("key").to_pylist() if (carrier := self.carrier(key))]
            columns = [pa.array([pair[side] for pair in found], pa.string()) for side in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, schema=CARRIERS)


def _traits(parts: Variant) -> Iterator[tuple[str, ...]]:
    """What two ids may be joined on (see `Variant.agreement`)."""
    if parts.rs:
        yield (parts.rs,)
    if parts.hgvs and parts.gene:
        yield parts.hgvs, parts.gene
