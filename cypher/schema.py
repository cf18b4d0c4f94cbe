"""The tables of an embedded graph, and the conversion of records to rows of these tables.

There is one table for concepts and one per relation. If one table contains two relationships between the same two
concepts, ladybug 0.22.0 gives wrong answers for patterns of two or more hops through them.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cypher.embedded.session import Session
from groundwork.chance import belief
from groundwork.records import Contradiction, Release, split_key
from groundwork.settings import Settings
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO

#: Version of the tables below. Increase it when they change, so that older folders are refused with a clear message.
FORMAT = 1

CONCEPT = "Concept"
RELEASE = "Release"

_TEXTS, _NUMBERS = pa.list_(pa.string()), pa.list_(pa.int64())
_CONCEPT_ROWS = pa.schema(
    {
        "key": pa.string(),
        "id": pa.string(),
        "type": pa.string(),
        "name": pa.string(),
        "synonyms": _TEXTS,
        "counts": _NUMBERS,
        "mentions": pa.int64(),
        "organism": pa.string(),
        "description": pa.string(),
    }
)
EDGE_ROWS = pa.schema(
    {
        "from": pa.string(),
        "to": pa.string(),
        "pmids": _NUMBERS,
        "articles": pa.int64(),
        "first_pmid": pa.int64(),
        "last_pmid": pa.int64(),
        "belief": pa.float64(),
        "changed_in": pa.string(),
    }
)
SIMILARITY_ROWS = pa.schema({"from": pa.string(), "to": pa.string(), "cosine": pa.float64(), "model": pa.string()})
_CONTRADICTION_ROWS = pa.schema({"from": pa.string(), "to": pa.string(), "source": pa.string()})

_RELEASE_ROWS = pa.schema(
    {
        "key": pa.string(),
        "source": pa.string(),
        "id": pa.string(),
        "sha256": pa.string(),
        "rows": pa.int64(),
        "kept": pa.int64(),
        "rejected": pa.int64(),
        "state": pa.string(),
        "loaded_at": pa.string(),
        "order": pa.int64(),
        "similarity": pa.string(),
        "kind": pa.string(),
    }
)

_NODES = (
    f"CREATE NODE TABLE IF NOT EXISTS {CONCEPT}(key STRING PRIMARY KEY, id STRING, type STRING, name STRING, "
    "synonyms STRING[], counts INT64[], mentions INT64)",
    f"CREATE NODE TABLE IF NOT EXISTS {RELEASE}(key STRING PRIMARY KEY, source STRING, id STRING, sha256 STRING, "
    "rows INT64, kept INT64, rejected INT64, state STRING, loaded_at STRING, `order` INT64)",
    # Added separately, so that a folder created before these columns existed gets them from the next load.
    f"ALTER TABLE {RELEASE} ADD IF NOT EXISTS similarity STRING DEFAULT ''",
    f"ALTER TABLE {CONCEPT} ADD IF NOT EXISTS organism STRING",
    f"ALTER TABLE {CONCEPT} ADD IF NOT EXISTS description STRING",
    f"ALTER TABLE {RELEASE} ADD IF NOT EXISTS kind STRING DEFAULT ''",
)
_EDGE = "pmids INT64[], articles INT64, first_pmid INT64, last_pmid INT64, belief DOUBLE, changed_in STRING"
_PROPERTIES = dict.fromkeys(RELATIONS, _EDGE) | {
    SIMILAR_TO: "cosine DOUBLE, model STRING",
    CONTRADICTS: "source STRING",
}


def create(session: Session) -> None:
    """Create the missing tables, and remove incomplete tables that a killed load left."""
    with session.together():
        for statement in statements():
            session.run(statement)
        for kind in _PROPERTIES:
            drop(session, shadow(kind))


def statements() -> tuple[str, ...]:
    """Return the statements that create the missing tables."""
    return (*_NODES, *(links(kind, kind.upper()) for kind in _PROPERTIES))


def links(kind: str, name: str) -> str:
    """Return the statement that creates the table `name` for one kind of link, unless it exists.

    Args:
        kind: A relation, `similar_to` or `contradicts`.
        name: Name of the table.
    """
    return f"CREATE REL TABLE IF NOT EXISTS {name}(FROM {CONCEPT} TO {CONCEPT}, {_PROPERTIES[kind]})"


def shadow(kind: str) -> str:
    """Return the name of the new table that will replace the table of this kind of link."""
    return f"{kind.upper()}_TO_COME"


def drop(session: Session, name: str) -> None:
    """Remove a table if it exists."""
    session.run(f"DROP TABLE IF EXISTS {name}")


def concept_rows(concepts: pa.Table) -> pa.Table:
    """Return rows for the table of concepts.

    Args:
        concepts: A table with the columns of `tables.CONCEPTS`.
    """
    import pyarrow.compute as pc

    kinds, ids = [], []
    for key in concepts["key"].to_pylist():
        kind, ident = split_key(key)
        kinds.append(kind)
        ids.append(ident)
    counts = concepts["counts"].combine_chunks()
    owners, values = pc.list_parent_indices(counts).to_numpy(), counts.flatten().to_numpy()
    mentions = np.bincount(owners, weights=values, minlength=len(counts)).astype(np.int64)
    columns = {
        "key": concepts["key"],
        "id": ids,
        "type": kinds,
        "name": concepts["name"],
        "synonyms": concepts["synonyms"],
        "counts": counts,
        "mentions": mentions,
        **{name: _or_null(concepts[name]) for name in ("organism", "description")},
    }
    return pa.table(columns).cast(_CONCEPT_ROWS)


def _or_null(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return texts with null in place of empty ones, so that free queries see no such property."""
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(texts, ""), None, texts)


def edge_rows(edges: pa.Table, changed_in: Sequence[str], settings: Settings) -> pa.Table:
    """Return rows for the table of a relation, including the values derived from the PMIDs.

    Args:
        edges: A table with the columns of `tables.EDGES`. The returned rows do not contain the relation.
        changed_in: The release that last changed each edge.
        settings: The settings with the constants of belief, `syst` and `rand`.
    """
    import pyarrow.compute as pc

    pmids = edges["pmids"].combine_chunks()
    articles = pc.list_value_length(pmids).to_numpy().astype(np.int64)
    ends = np.cumsum(articles)
    values = pmids.flatten().to_numpy()
    distinct, where = np.unique(articles, return_inverse=True)
    beliefs = np.array([belief(n, settings.syst, settings.rand) for n in distinct.tolist()], dtype=np.float64)[where]
    columns = {
        "from": edges["head"],
        "to": edges["tail"],
        "pmids": pmids,
        "articles": articles,
        "first_pmid": values[ends - articles],
        "last_pmid": values[ends - 1],
        "belief": beliefs,
        "changed_in": changed_in,
    }
    return pa.table(columns).cast(EDGE_ROWS)


def similarity_rows(edges: pa.Table) -> pa.Table:
    """Return rows for the table of similarities.

    Args:
        edges: A table with the columns of `tables.SIMILARITIES`, or only those of `tables.SIMILARITY_KEYS`.
    """
    renamed = edges.rename_columns({"head": "from", "tail": "to"})
    return renamed.select([name for name in SIMILARITY_ROWS.names if name in renamed.column_names])


def contradiction_rows(pairs: Iterable[Contradiction]) -> pa.Table:
    """Return rows for the table of contradictions."""
    rows = [{"from": p.head, "to": p.tail, "source": p.source} for p in pairs]
    return pa.Table.from_pylist(rows, schema=_CONTRADICTION_ROWS)


def release_rows(releases: Iterable[Release]) -> pa.Table:
    """Return rows for the table of releases."""
    rows = [{"key": f"{release.source}:{release.id}", **release.flat} for release in releases]
    return pa.Table.from_pylist(rows, schema=_RELEASE_ROWS)
