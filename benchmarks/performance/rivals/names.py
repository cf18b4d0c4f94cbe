"""Count the names of concepts by plain ways: `python -m benchmarks.performance.rivals.names WAY FILE`.

Both ways count every mention once for each id of its row. Rows with the id `-` are left out. Nothing else is checked.
"""

import gzip
import sys
import tempfile
from collections import Counter
from html import unescape
from pathlib import Path

from benchmarks.performance.asking import tell


def by_dict(path: Path) -> tuple[int, int]:
    """Count with a Counter of (key, name)."""
    counts: Counter[tuple[str, str]] = Counter()
    keys = set()
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            _, kind, text, mentions, _ = line.rstrip("\n").split("\t")
            plain = unescape(text)
            for ident in [plain] if kind == "Mutation" else plain.split(";"):
                if ident != "-":
                    key = f"{kind}|{ident}"
                    keys.add(key)
                    counts.update((key, name) for name in mentions.split("|") if name)
    return len(keys), len(counts)


def by_duckdb(path: Path) -> tuple[int, int]:
    """Count with SQL in one thread, spilling to disk if needed."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "db")) as database:
        database.execute("SET threads = 1")
        database.execute(
            "CREATE TABLE mentions AS SELECT type, unnest(CASE WHEN type = 'Mutation' THEN [replace(id, '&gt;', '>')] "
            "ELSE string_split(id, ';') END) AS id, string_split(names, '|') AS names FROM read_csv(?, "
            "delim = '\t', header = false, quote = '', escape = '', nullstr = '\\N', columns = {'pmid': 'BIGINT', "
            "'type': 'VARCHAR', 'id': 'VARCHAR', 'names': 'VARCHAR', 'resource': 'VARCHAR'}) WHERE id <> '-'",
            [str(path)],
        )
        [(keys,)] = database.execute("SELECT count(*) FROM (SELECT DISTINCT type, id FROM mentions)").fetchall()
        [(names,)] = database.execute(
            "SELECT count(*) FROM (SELECT type, id, name, count(*) FROM "
            "(SELECT type, id, unnest(names) AS name FROM mentions) WHERE name <> '' GROUP BY ALL)"
        ).fetchall()
    return keys, names


WAYS = {"dict": by_dict, "duckdb": by_duckdb}

if __name__ == "__main__":
    found_keys, found_names = WAYS[sys.argv[1]](Path(sys.argv[2]))
    tell(concepts=found_keys, names=found_names)
