"""The digest of a graph's relation edges: one hash per set of edges, independent of the store and of the order."""

from collections.abc import Iterable
from hashlib import blake2b, sha256

import numpy as np
import pyarrow as pa

WIDTH = 16


class Digest:
    """Computes the hash of relation edges with their PMIDs, batch by batch. It uses 16 bytes of memory per edge.

    Each edge is written as the line `head<TAB>relation<TAB>tail<TAB>pmid,pmid,...` in UTF-8 and hashed by blake2b to 16
    bytes. These hashes are sorted, joined, and hashed by SHA-256.
    """

    def __init__(self) -> None:
        self._hashes = bytearray()

    def add(self, batch: pa.RecordBatch) -> None:
        """Add a batch with the schema `tables.EDGES`. The PMIDs of each edge must be in ascending order."""
        import pyarrow.compute as pc

        pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
        lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
        for line in lines.cast(pa.binary()).to_pylist():
            self._hashes += blake2b(line, digest_size=WIDTH).digest()

    @property
    def value(self) -> str:
        """The digest as 64 hexadecimal digits. If there are no edges, it is the SHA-256 of an empty string."""
        return sha256(np.sort(np.frombuffer(bytes(self._hashes), dtype=f"S{WIDTH}")).tobytes()).hexdigest()


def digest(batches: Iterable[pa.RecordBatch]) -> str:
    """Return the hash of relation edges with their PMIDs; see `Digest`.

    Args:
        batches: Batches with the schema `tables.EDGES`. The PMIDs of each edge must be in ascending order.
    """
    made = Digest()
    for batch in batches:
        made.add(batch)
    return made.value
