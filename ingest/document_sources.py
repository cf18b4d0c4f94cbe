"""Documents of several sources: which document of a PMID stands in each source, and how sources are joined.

Within a source, the document of the newest release stands. Documents of different sources are joined: relations and
annotations are those of all sources, and the text is that of the first source by name that has one. So the result does
not depend on the order in which sources are loaded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, groupby
from pathlib import Path

import ibis
from ibis.expr.types import Table

from ingest.diff import EDGE_KEY
from ingest.documents import document
from ingest.documents.document import Document
from ingest.engine import Engine, count, read
from ingest.receipt import Replaced
from ingest.snapshot import Snapshot

_ROWS = 500  # number of documents in memory at a time
_CONTENT = [name for name in document.DOCUMENTS.names if name not in {"position", "pmid"}]


def newest(sources: Sequence[Sequence[Snapshot]], engine: Engine) -> Table | None:
    """Return the documents that stand: the last document of each PMID in each source.

    The columns are those of `document.DOCUMENTS`, the number of the source, and the number of the release in it.

    Args:
        sources: For each source, its snapshots from the oldest load to the newest.
        engine: Reads the snapshots.
    """
    tables = [
        engine.table(snapshot.table).mutate(source=ibis.literal(source, "int64"), load=ibis.literal(load, "int64"))
        for source, snapshots in enumerate(sources)
        for load, snapshot in enumerate(snapshots)
    ]
    if len(tables) < 2:
        return tables[0] if tables else None
    every = reduce(lambda a, b: a.union(b), tables)
    last = every.group_by("source", "pmid").agg(load=every.load.max())
    return every.semi_join(last, ["source", "pmid", "load"])


def joined(sources: Sequence[Sequence[Snapshot]], new: Sequence[Snapshot], engine: Engine) -> Iterator[Document]:
    """Yield the joined document of each PMID in the new snapshots, in the order of the PMIDs.

    Args:
        sources: For each source by name, its snapshots from the oldest load to the newest, including the new ones.
        new: The new snapshots.
        engine: Reads the snapshots.

    Raises:
        DamagedStore: If another program changed a snapshot.
    """
    for snapshot in chain(*sources):
        snapshot.checked()
    every = newest(sources, engine)
    if every is None:
        return
    if len(list(chain(*sources))) == 1:
        yield from document.to_documents(read(new[0].table, _ROWS))  # sorted by PMID already
        return
    pmids = reduce(lambda a, b: a.union(b), [engine.table(snapshot.table).select("pmid") for snapshot in new])
    rows = every.semi_join(pmids, "pmid")
    empty = (rows.title == "") & (rows.abstract == "")
    rows = rows.order_by("pmid", empty, "source").select(*document.DOCUMENTS.names)
    documents = document.to_documents(engine.stream(rows, _ROWS))
    for _, same in groupby(documents, key=lambda document: document.pmid):
        yield _join(list(same))


def replaced(before: Sequence[Snapshot], new: Snapshot, edges: Path, engine: Engine, folder: Path) -> Replaced:
    """Count the documents of earlier releases of a source that a new release replaces by different ones.

    Args:
        before: The snapshots of the source before the load, from the oldest load to the newest. The new one may be
            among them, because a release can be loaded again.
        new: The snapshot of the new release.
        edges: All edges of the graph after the load.
        engine: Reads the snapshots.
        folder: An existing folder for an intermediate file.
    """
    old = newest([before], engine)
    if old is None:
        return Replaced(0, 0, ())
    own = [number for number, snapshot in enumerate(before) if snapshot.name == new.name]
    now = engine.table(new.table).select("pmid", **{f"new_{name}": name for name in _CONTENT})
    pairs = old.filter(old.load.notin(own)).join(now, "pmid")
    differ = ibis.or_(*(~pairs[name].identical_to(pairs[f"new_{name}"]) for name in _CONTENT))
    file = engine.write(pairs.filter(differ).select("load", "relations"), folder / "replaced.parquet")
    gone = engine.table(file)
    keys = gone.select(said=gone.relations.unnest())
    told = keys.select(**{name: keys.said[name] for name in EDGE_KEY}).distinct()
    lost: int = told.anti_join(engine.table(edges), EDGE_KEY).count().to_pyarrow().as_py()
    return Replaced(count(file), lost, tuple(before[number].label for number in engine.values(gone.load)))


def _join(documents: Sequence[Document]) -> Document:
    """Return one document with the text of the first document, and with the annotations and relations of all."""
    annotations = tuple(annotation for document in documents for annotation in document.annotations)
    relations = tuple(relation for document in documents for relation in document.relations)
    return replace(documents[0], annotations=annotations, relations=relations)
