"""Write similarity edges to a file: cosine, mu, and if requested mu divided by the sum of mu at each end."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from fuzzygraph.membership import Membership
from fuzzygraph.similarity.nearest import Floats, Pairs, Places
from groundwork.errors import InputError

_SUFFIXES = (".tsv", ".parquet")


def check_path(path: Path) -> None:
    """Check that a file has a supported ending and that its folder exists.

    Raises:
        InputError: The file does not end in .tsv or .parquet, or its folder does not exist.
    """
    if path.suffix not in _SUFFIXES or not path.absolute().parent.is_dir():
        wanted = f"a file ending in {' or '.join(_SUFFIXES)}, in a folder that exists"
        raise InputError(f"--out {path}", wanted, "choose another path with --out")


def row_shares(heads: Places, tails: Places, mu: Floats, count: int) -> tuple[Floats, Floats]:
    """Return P(tail | head) and P(head | tail): mu divided by the sum of mu over all edges of the head, or of the tail.

    So the shares of each concept sum to 1.

    Args:
        heads: (edges,) positions in [0, count).
        tails: (edges,) positions in [0, count).
        mu: (edges,) memberships in [0, 1].
        count: Number of concepts.

    Returns:
        Two arrays in [0, 1]; 0 for a concept whose edges all have mu = 0.
    """
    sums = np.bincount(heads, mu, count) + np.bincount(tails, mu, count)
    sums[sums == 0] = 1.0
    return mu / sums[heads], mu / sums[tails]


def write(path: Path, pairs: Pairs, keys: list[str], membership: Membership, *, row_normalised: bool) -> None:
    """Write the edges: head, tail, cosine, mu and, if requested, p_tail_given_head and p_head_given_tail.

    Raises:
        InputError: As for `check_path`.
    """
    check_path(path)
    named = pa.array(keys, pa.string())
    mu = membership.mus(pairs.cosines)
    columns = {
        "head": named.take(pa.array(pairs.heads)),
        "tail": named.take(pa.array(pairs.tails)),
        "cosine": pa.array(pairs.cosines),
        "mu": pa.array(mu),
    }
    if row_normalised:
        forth, back = row_shares(pairs.heads, pairs.tails, mu, len(keys))
        columns |= {"p_tail_given_head": pa.array(forth), "p_head_given_tail": pa.array(back)}
    table, draft = pa.table(columns), path.with_name(path.name + ".part")
    if path.suffix == ".parquet":
        pq.write_table(table, draft)
    else:
        options = pyarrow.csv.WriteOptions(delimiter="\t", quoting_style="needed")
        pyarrow.csv.write_csv(table, draft, options)
    draft.replace(path)
