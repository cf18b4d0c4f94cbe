"""The content of the memory store: dicts, and two indexes for searching them."""

from collections import defaultdict
from dataclasses import dataclass, field

from cypher.rows import EdgeKey, SimilarityKey
from groundwork.records import Concept, Relation, Release, Similarity


@dataclass
class Content:
    """The content of a memory store.

    Attributes:
        concepts: Concepts by key.
        by_form: Keys of concepts by each form of their keys, names and synonyms (see `names.forms_of`).
        edges: Relation edges by head, relation and tail.
        touching: For each concept, the keys of the relation edges that begin or end at this concept.
        similar: Similarity edges by model, head and tail.
        contradictions: Pairs of keys of contradicting concepts, by source.
        releases: Releases by source and ID.
    """

    concepts: dict[str, Concept] = field(default_factory=dict)
    by_form: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    edges: dict[EdgeKey, Relation] = field(default_factory=dict)
    touching: dict[str, set[EdgeKey]] = field(default_factory=lambda: defaultdict(set))
    similar: dict[SimilarityKey, Similarity] = field(default_factory=dict)
    contradictions: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    releases: dict[tuple[str, str], Release] = field(default_factory=dict)
