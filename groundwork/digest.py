"""The digest of a graph's relation edges: one hash for one set of edges, whatever the store or the order."""

from collections.abc import Iterable
from hashlib import blake2b, sha256

import numpy as np
import pyarrow as pa

WIDTH = 16


def digest(batches: Iterable[pa.RecordBatch]) -> str:
    """Hash of relation edges with their PMIDs.

    Each edge is the line `head<TAB>relation<TAB>tail<TAB>pmid,pmid,...` in UTF-8, hashed by blake2b to 16 bytes; these
    are sorted, joined and hashed by SHA-256. Memory: 16 bytes an edge.

    Args:
        batches: Batches of `tables.EDGES`, PMIDs ascending.

    Returns:
        64 hexadecimal digits; without any edge, those of SHA-256 of nothing.
    """
    import pyarrow.compute as pc

    hashes = bytearray()
    for batch in batches:
        pmids = pc.binary_join(batch["pmids"].cast(pa.list_(pa.string())), ",")
        lines = pc.binary_join_element_wise(batch["head"], batch["relation"], batch["tail"], pmids, "\t")
        for line in lines.cast(pa.binary()).to_pylist():
            hashes += blake2b(line, digest_size=WIDTH).digest()
    return sha256(np.sort(np.frombuffer(bytes(hashes), dtype=f"S{WIDTH}")).tobytes()).hexdigest()
