"""Join the concepts in entity files to PubMed's records.

The entity files have about 450 million rows. Once per load, their distinct pairs (pmid, key) are stored, sorted by
PMID. The setting `memory_limit` bounds the memory for this. The pairs for a file of records are then found quickly,
because rows of similar PMIDs are together.
"""

import json
from pathlib import Path

from pyarrow import parquet

from groundwork.errors import InputError
from groundwork.ports import Progress
from groundwork.settings import Settings
from ingest import concepts
from ingest.engine import Engine, write
from ingest.pubmed.delivery import Delivery
from ingest.rejects import Rejects, RowCount

_SAID = "entities.json"


def sort(named: Delivery, settings: Settings, folder: Path, progress: Progress) -> Path:
    """Write the distinct pairs (pmid, key) of entity files, sorted by both, unless they are already in the folder.

    Args:
        named: The entity files.
        settings: Memory limit and threads.
        folder: The folder for the table and for the rejected lines.
        progress: Receives the number of bytes read.

    Returns:
        The path of the table.

    Raises:
        InputError: If a file cannot be read to its end, has no row, or no row names a concept of a document.
    """
    file, raw, fresh = (folder / name for name in ("keys.parquet", "pairs.parquet", "keys.parquet.new"))
    if not file.exists():
        files, rows = [named.open(number) for number in range(len(named.files))], RowCount()
        with Rejects(folder / "no-entities.tsv") as rejects:
            write(concepts.read_pairs(files, rejects, rows, progress), concepts.PAIRS, raw)
        _check_any(raw, named, rejects)
        said = {"kept": rows.kept, "rejected": rejects.total, **dict(rejects.by_reason.most_common())}
        (folder / _SAID).write_text(json.dumps(said), "utf-8")
        with Engine(settings, folder) as engine:
            engine.write(engine.table(raw).distinct().order_by("pmid", "key"), fresh)
        raw.unlink()
        fresh.replace(file)
    return file


def counts(folder: Path) -> dict[str, int]:
    """Return the numbers of entity rows kept and rejected, and the rejected ones by reason; call this after `sort`."""
    said: dict[str, int] = json.loads((folder / _SAID).read_text("utf-8"))
    return said


def join(records: Path, keys: Path, settings: Settings, folder: Path) -> Path:
    """Write the records with an additional column `entities`, and return the path.

    Args:
        records: The records (`staged.RECORDS`).
        keys: The result of `sort`. The column `entities` holds all keys that this table has for the PMID of the record,
            sorted; null if the table has none.
        settings: Memory limit and threads.
        folder: The folder for the result.
    """
    with Engine(settings, folder) as engine:
        wanted, named = engine.table(records), engine.table(keys)
        mine = named.semi_join(wanted, "pmid").group_by("pmid").agg(entities=named.key.collect(order_by=named.key))
        return engine.write(
            wanted.left_join(mine, "pmid").drop("pmid_right").order_by("position"), folder / "joined.parquet"
        )


def _check_any(pairs: Path, named: Delivery, rejects: Rejects) -> None:
    """Raise InputError if there is no pair, because wrong files would remove all concepts of the articles."""
    if parquet.read_metadata(pairs).num_rows:
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in rejects.by_reason.most_common())
    raise InputError(
        f"{', '.join(file.path for file in named.files)} assigns no concept to any article ({reasons} rejected)",
        "a file of concepts in articles, such as bioconcepts2pubtator3, for --concepts",
        "check that this is the right file",
    )
