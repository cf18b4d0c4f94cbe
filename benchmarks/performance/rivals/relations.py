"""Normalise a release by plain ways: `python -m benchmarks.performance.rivals.relations WAY FILE`.

Each plain way collects all edges, with their ends in the order of the file, and the sorted PMIDs of each edge. Ours
also rejects rows with reasons, decodes HTML entities, puts pairs into canonical order and writes the result.
"""

import gzip
import sys
import tempfile
from pathlib import Path

from benchmarks.performance.asking import tell

_COLUMNS = ["pmid", "relation", "a", "b"]


def by_pandas(path: Path) -> tuple[int, int]:
    """Read, group, collect."""
    import pandas as pd

    frame = pd.read_csv(path, sep="\t", names=_COLUMNS, quoting=3, keep_default_na=False, compression="infer")
    frame = frame.drop_duplicates()
    edges = frame.groupby(["a", "relation", "b"], sort=False)["pmid"].agg(sorted)
    return len(edges), int(edges.map(len).sum())


def by_dict(path: Path) -> tuple[int, int]:
    """Collect into a dict of sets."""
    edges: dict[tuple[str, str, str], set[int]] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            pmid, relation, a, b = line.rstrip("\n").split("\t")
            edges.setdefault((a, relation, b), set()).add(int(pmid))
    ordered = {edge: sorted(pmids) for edge, pmids in edges.items()}
    return len(ordered), sum(map(len, ordered.values()))


def by_duckdb(path: Path) -> tuple[int, int]:
    """Run one SQL statement in one thread, spilling to disk if needed."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "db")) as database:
        database.execute("SET threads = 1")
        database.execute(
            "CREATE TABLE edges AS SELECT a, relation, b, list_sort(list(DISTINCT pmid)) AS pmids FROM read_csv(?, "
            "delim = '\t', header = false, quote = '', escape = '', nullstr = '\\N', "
            "columns = {'pmid': 'BIGINT', 'relation': 'VARCHAR', 'a': 'VARCHAR', 'b': 'VARCHAR'}) "
            "GROUP BY a, relation, b",
            [str(path)],
        )
        edges, evidence = database.execute("SELECT count(*), sum(len(pmids)) FROM edges").fetchall()[0]
    return edges, int(evidence)


def by_polars(path: Path) -> tuple[int, int]:
    """Run a lazy query with the streaming engine of polars, if polars is installed."""
    import polars as pl

    rows = pl.scan_csv(path, separator="\t", has_header=False, new_columns=_COLUMNS, quote_char=None)
    grouped = rows.group_by("a", "relation", "b").agg(pl.col("pmid").unique().sort())
    edges = grouped.collect(engine="streaming")
    return edges.height, int(edges["pmid"].list.len().sum())


def by_ours(path: Path) -> tuple[int, int]:
    """Read and normalise with this project into the table of a snapshot, without opening a store."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from groundwork.settings import Settings
    from ingest import kinds
    from ingest.engine import Engine
    from ingest.intake import Options, take_in

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = Settings(home=folder / "home", threads=1)
        kind, source = kinds.RELATIONS, "pubtator3"
        taken = take_in(source, [path], kind.reader(folder), kind.schema, settings, Options(), folder)
        with Engine(settings, folder) as engine:
            _, table = kind.snapshot(taken, engine, engine, folder / "snapshot")
        with pq.ParquetFile(table) as edges:
            lengths = (pc.list_value_length(batch["pmids"]) for batch in edges.iter_batches(columns=["pmids"]))
            return edges.metadata.num_rows, sum(pc.sum(part).as_py() for part in lengths)


WAYS = {"pandas": by_pandas, "dict": by_dict, "duckdb": by_duckdb, "polars": by_polars, "ours": by_ours}

if __name__ == "__main__":
    found_edges, found_evidence = WAYS[sys.argv[1]](Path(sys.argv[2]))
    tell(edges=found_edges, evidence=found_evidence)
