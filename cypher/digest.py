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
    lines = bytearray()
    for batch in batches:
        for row in batch.to_pylist():
            pmids = ",".join(map(str, row["pmids"]))
            line = f"{row['head']}\t{row['relation']}\t{row['tail']}\t{pmids}"
            lines += blake2b(line.encode(), digest_size=WIDTH).digest()
    hashes = np.frombuffer(bytes(lines), dtype=f"S{WIDTH}")
    return sha256(np.sort(hashes).tobytes()).hexdigest()
