"""Immutable records that packages exchange. Their field names are the JSON names in the program's output."""

from groundwork.records.base import Record, plain
from groundwork.records.chains import Chain, Chains, Edges, Hop, Rank, walk
from groundwork.records.graph_records import (
    Concept,
    Contradiction,
    Counts,
    Found,
    Link,
    Match,
    Relation,
    Similarity,
    Stats,
    Table,
)
from groundwork.records.literature_records import Abstract, Design, Hit, Hits, IndexInfo, Naming, Text
from groundwork.records.release import Release, SimilaritySet, fingerprint, live
from groundwork.vocabulary import split_key

__all__ = [
    "Abstract",
    "Chain",
    "Chains",
    "Concept",
    "Contradiction",
    "Counts",
    "Design",
    "Edges",
    "Found",
    "Hit",
    "Hits",
    "Hop",
    "IndexInfo",
    "Link",
    "Match",
    "Naming",
    "Rank",
    "Record",
    "Relation",
    "Release",
    "Similarity",
    "SimilaritySet",
    "Stats",
    "Table",
    "Text",
    "fingerprint",
    "live",
    "plain",
    "split_key",
    "walk",
]
