"""Draw random rows of a Parquet file; the same seed always gives the same rows."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

#: Maximum number of row groups to draw from, so that drawing a few rows does not read a whole release.
_GROUPS = 16


def sample(file: Path, seed: str, rows: int) -> Iterator[dict[str, Any]]:
    """Draw at most `rows` rows of a file at random, and yield them in the order of the file."""
    chance = random.Random(seed)  # noqa: S311 - used for sampling, not for secrets
    with pq.ParquetFile(file) as source:
        every = range(source.num_row_groups)
        groups = sorted(chance.sample(every, min(_GROUPS, len(every))))
        sizes = [source.metadata.row_group(group).num_rows for group in groups]
        drawn = sorted(chance.sample(range(sum(sizes)), min(rows, sum(sizes))))
        start = 0
        for group, size in zip(groups, sizes, strict=True):
            here = [row - start for row in drawn if start <= row < start + size]
            start += size
            if here:
                yield from source.read_row_group(group).take(pa.array(here)).to_pylist()
