"""The digest of a graph's relation edges: one hash for one set of edges, whatever the store or the order."""

from collections.abc import Iterable
from hashlib import blake2b, sha256

import numpy as np
import pyarrow as pa

WIDTH = 16


class Digest:
    """The hash of relation edges with their PMIDs, batch by batch. Memory: 16 bytes an edge.

    Each edge is the line `head<TAB>relation<TAB>tail<TAB>pmid,pmid,...` in UTF-8, hashed by blake2b to 16 bytes; these
    are sorted, joined and hashed by SHA-256.
    """

    def __init__(self) -> None:
        self._hashes = bytearray()

    def add(self, batch: pa.RecordBatch) -> None:
        """Take in a batch of `tables.EDGES`, PMIDs ascending."""
        import pyarrow.compute as pc

        pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
        lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
        for line in lines.cast(pa.binary()).to_pylist():
            self._hashes += blake2b(line, digest_size=WIDTH).digest()

    @property
    def value(self) -> str:
        """64 hexadecimal digits; without any edge, those of SHA-256 of nothing."""
        return sha256(np.sort(np.frombuffer(bytes(self._hashes), dtype=f"S{WIDTH}")).tobytes()).hexdigest()


def digest(batches: Iterable[pa.RecordBatch]) -> str:
    """Return the hash of relation edges with their PMIDs; see `Digest`.

    Args:
        batches: Batches of `tables.EDGES`, PMIDs ascending.
    """
    made = Digest()
    for batch in batches:
        made.add(batch)
    return made.value
