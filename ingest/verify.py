"""Check, after the rows of a load are written and before the release is live, that the graph is as expected.

Stores can cheaply count concepts by type and edges by relation. These counts are compared with the expected counts, and
samples of fixed size are compared row by row. So the cost hardly depends on the size of the graph. The expected counts
are of unique keys, so a duplicated edge is detected. If a duplicate hides the loss of another edge, only the samples
can detect the loss.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from groundwork.errors import Refused
from groundwork.inventory import named
from groundwork.ports import GraphReader
from groundwork.records import Concept
from groundwork.tables import EDGE_KEYS, SIMILARITY_KEYS, rows_of
from groundwork.vocabulary import SIMILAR_TO
from ingest.pending import Plan
from ingest.receipt import Verification
from ingest.state import LOOKED_AT, sample

#: Maximum number of differences that an error message lists.
_LISTED = 10

_Pmids = tuple[int, ...]
_EdgeKey = tuple[str, ...]
_Drawn = list[dict[str, Any]]


def verify(graph: GraphReader, plan: Plan, home: Path) -> Verification:
    """Compare a graph with its expected content after a change.

    Args:
        graph: The store, after the change was written into it.
        plan: The change, and the expected content of the graph after it.
        home: The folder HOME, which knows the files of the release.

    Raises:
        Refused: If the content differs from the expected content. The message says where, and how to fix it.
    """
    target, edges, concepts, similar = plan.target, plan.edges, plan.concepts, plan.similarities
    files = (target.some, target.alike, edges.put, edges.drop, concepts.put, concepts.drop, similar.put, similar.drop)
    drawn = {file: list(sample(file, plan.release.sha256, LOOKED_AT)) for file in files}
    counts = graph.counts()
    found = [
        *graph.faults(),
        *_miscounted("concepts", counts.concepts, target.counts.concepts),
        *_miscounted("edges", counts.edges, target.counts.edges),
        *_miscounted("edges", {SIMILAR_TO: counts.similarities}, {SIMILAR_TO: target.counts.similarities}),
        *_wrong_edges(graph, drawn[target.some] + drawn[edges.put], drawn[edges.drop]),
        *_wrong_similarities(graph, drawn[target.alike] + drawn[similar.put], drawn[similar.drop]),
        *_wrong_concepts(graph, drawn[concepts.put], drawn[concepts.drop]),
    ]
    if found:
        raise _refused(graph.address, named(home, [plan.release]), found)
    looked_at = len({_edge(row) for file in (target.some, edges.put, edges.drop) for row in drawn[file]})
    looked_at += len({_pair(row) for file in (target.alike, similar.put, similar.drop) for row in drawn[file]})
    looked_at += len(drawn[concepts.put]) + len(drawn[concepts.drop])
    totals = sum(counts.concepts.values()), sum(counts.edges.values())
    return Verification(*totals, looked_at, counts.similarities)


def _miscounted(what: str, seen: Mapping[str, int], wanted: Mapping[str, int]) -> Iterator[str]:
    for kind in sorted(seen.keys() | wanted.keys()):
        if seen.get(kind, 0) != wanted.get(kind, 0):
            yield f"{kind} {what}: expected {wanted.get(kind, 0)}, seen {seen.get(kind, 0)}"


def _wrong_edges(graph: GraphReader, there: _Drawn, gone: _Drawn) -> Iterator[str]:
    """Yield a message for each edge that is missing, repeated, not deleted, or has unexpected PMIDs."""
    wanted = {_edge(row): tuple(row["pmids"]) for row in there}
    asked = [dict(zip(EDGE_KEYS.names, edge, strict=True)) for edge in sorted({*wanted, *map(_edge, gone)})]
    seen: dict[_EdgeKey, list[_Pmids]] = defaultdict(list)
    for row in rows_of(graph.held([pa.RecordBatch.from_pylist(asked, schema=EDGE_KEYS)])):
        seen[_edge(row)].append(tuple(row["pmids"]))
    for edge in map(_edge, asked):
        copies = [wanted[edge]] if edge in wanted else []
        if seen[edge] != copies:
            yield f"{' '.join(edge)}: expected {_evidence(copies)}, seen {_evidence(seen[edge])}"


def _wrong_similarities(graph: GraphReader, there: _Drawn, gone: _Drawn) -> Iterator[str]:
    """Yield a message for each similarity edge that is missing, repeated, not deleted, or has a wrong cosine."""
    wanted = {_pair(row): row["cosine"] for row in there}
    asked = [dict(zip(SIMILARITY_KEYS.names, pair, strict=True)) for pair in sorted({*wanted, *map(_pair, gone)})]
    seen: dict[_EdgeKey, list[float]] = defaultdict(list)
    for row in rows_of(graph.held_similarities([pa.RecordBatch.from_pylist(asked, schema=SIMILARITY_KEYS)])):
        seen[_pair(row)].append(row["cosine"])
    for pair in map(_pair, asked):
        cosines = [wanted[pair]] if pair in wanted else []
        if seen[pair] != cosines:
            model, *ends = pair
            named = f"{f' {SIMILAR_TO} '.join(ends)} by {model}"
            yield f"{named}: expected {cosines or 'none'}, seen {seen[pair] or 'none'}"


def _wrong_concepts(graph: GraphReader, there: _Drawn, gone: _Drawn) -> Iterator[str]:
    """Yield a message for each concept that is missing, not deleted, or has unexpected names."""
    wanted = {row["key"]: Concept.of_row(row) for row in there}
    keys = sorted({*wanted, *(row["key"] for row in gone)})
    seen = graph.concepts(keys)
    for key in keys:
        if seen.get(key) != wanted.get(key):
            yield f"{key}: expected {_naming(wanted.get(key))}, seen {_naming(seen.get(key))}"


def _refused(address: str, release: str, found: list[str]) -> Refused:
    more = [f"and {len(found) - _LISTED} more"] if len(found) > _LISTED else []
    return Refused(
        f"after {release} was written, the content of the graph {address} is wrong:\n  "
        + "\n  ".join([*found[:_LISTED], *more]),
        "the content of the live releases; until then the release stays 'loading' and is not live",
        "run the same command again with --rebuild, which compares the whole content of the store and corrects it",
    )


def _edge(row: Mapping[str, Any]) -> _EdgeKey:
    return tuple(row[name] for name in EDGE_KEYS.names)


def _pair(row: Mapping[str, Any]) -> _EdgeKey:
    return tuple(row[name] for name in SIMILARITY_KEYS.names)


def _evidence(copies: list[_Pmids]) -> str:
    """Return a text with the PMIDs of each copy of an edge. Long lists of PMIDs are shortened."""
    return " and ".join(f"{len(pmids)} PMIDs {_short(pmids)}" for pmids in copies) or "none"


def _naming(concept: Concept | None) -> str:
    return (
        "none" if concept is None else f"{concept.name!r} with {len(concept.synonyms)} names {_short(concept.synonyms)}"
    )


def _short(items: tuple[object, ...]) -> str:
    return "[" + ", ".join(map(str, items[:5])) + (", ..." if len(items) > 5 else "") + "]"
