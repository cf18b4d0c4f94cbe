"""Concepts that the entity files name for documents, joined onto PubMed's records.

The files have some 450 million rows. They are laid down once a load as (pmid, key), sorted and each once, with memory
bounded by the setting; a file of records then finds its own in it, since rows of like PMIDs lie together.
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
    """The pairs of entity files, sorted by PMID, then key; made if they are not in the folder yet.

    Args:
        named: The entity files.
        settings: Memory limit and threads.
        folder: Where the table stays, and the lines that are no row.
        progress: Is told the bytes read.

    Raises:
        InputError: A file that cannot be read to its end, or holds no row; no row that names a concept of a document.
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
    """Rows of the entity files kept and rejected, and the rejected ones by reason; once they are sorted."""
    said: dict[str, int] = json.loads((folder / _SAID).read_text("utf-8"))
    return said


def join(records: Path, keys: Path, settings: Settings, folder: Path) -> Path:
    """Records as `staged.RECORDS` with a column `entities` beside: the keys of their PMIDs, sorted; null if none."""
    with Engine(settings, folder) as engine:
        wanted, named = engine.table(records), engine.table(keys)
        mine = named.semi_join(wanted, "pmid").group_by("pmid").agg(entities=named.key.collect(order_by=named.key))
        return engine.write(
            wanted.left_join(mine, "pmid").drop("pmid_right").order_by("position"), folder / "joined.parquet"
        )


def _check_any(pairs: Path, named: Delivery, rejects: Rejects) -> None:
    """Files without a single pair are other files than were meant: joined, they would take the concepts away."""
    if parquet.read_metadata(pairs).num_rows:
        return
    reasons = ", ".join(f"{count} {reason}" for reason, count in rejects.by_reason.most_common())
    raise InputError(
        f"no row of {', '.join(file.path for file in named.files)} names a concept of a document ({reasons} rejected)",
        "an entity file such as bioconcepts2pubtator3 for --concepts",
        "check that this is the file you mean",
    )
