"""Immutable records that packages exchange. Their field names are the JSON names in the program's output."""

from groundwork.records.base import Record, plain
from groundwork.records.graph import (
    Chain,
    Chains,
    Concept,
    Contradiction,
    Counts,
    Found,
    Hop,
    Link,
    Match,
    Rank,
    Relation,
    Similarity,
    Stats,
    Table,
    split_key,
)
from groundwork.records.literature import Abstract, Hit, Hits, IndexInfo, Text
from groundwork.records.release import Release, SimilaritySet, fingerprint, live

__all__ = [
    "Abstract",
    "Chain",
    "Chains",
    "Concept",
    "Contradiction",
    "Counts",
    "Found",
    "Hit",
    "Hits",
    "Hop",
    "IndexInfo",
    "Link",
    "Match",
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
]
