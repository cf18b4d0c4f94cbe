"""Records of the concept graph: concepts, edges, chains, what a look-up finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from groundwork.records.base import Record, frame
from groundwork.records.release import Release

Rank = Literal["evidence", "dwpc", "hops"]


def split_key(key: str) -> tuple[str, str]:
    """Type and id of a key, split at the first bar only (`Gene|7157` -> `Gene`, `7157`)."""
    kind, _, ident = key.partition("|")
    return kind, ident


@dataclass(frozen=True, slots=True)
class Concept(Record):
    """A concept of the graph.

    Attributes:
        key: `Type|ID`, unique; the type is the file's own.
        name: The most frequent mention, or the id when no name is known.
        synonyms: All known names, most frequent first (`name` leads); empty when no name is known.
        counts: How often each of `synonyms` was mentioned, aligned with it.
    """

    key: str
    name: str
    synonyms: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def type(self) -> str:
        """The part of the key before the first bar."""
        return split_key(self.key)[0]

    @property
    def id(self) -> str:
        """The part of the key after the first bar."""
        return split_key(self.key)[1]

    @property
    def mentions(self) -> int:
        """How often any of its names was mentioned."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """One relation edge as it is stored: one per (pair, relation), the pair in canonical order.

    Attributes:
        head: Key of the canonically first concept.
        relation: Lower-case PubTator relation name.
        tail: Key of the other concept; equal to head for a self-relation, which takes part in no path.
        pmids: Distinct PMIDs in ascending order, never empty.
        changed_in: The release that added or last changed the edge.
    """

    head: str
    relation: str
    tail: str
    pmids: tuple[int, ...]
    changed_in: str = ""


@dataclass(frozen=True, slots=True)
class Similarity(Record):
    """A similarity edge: cosine in [-1, 1] between two concepts' name vectors, by embedder `model`; head < tail."""

    head: str
    tail: str
    cosine: float
    model: str


@dataclass(frozen=True, slots=True)
class Contradiction(Record):
    """Two concepts that exclude each other, as `source` says; in canonical order (`vocabulary.canonical`)."""

    head: str
    tail: str
    source: str


@dataclass(frozen=True, slots=True)
class Hop(Record):
    """One step of a chain, or one edge as a look-up shows it, under the PMID cut that was asked for.

    Attributes:
        head: Key of the end the walk comes from (for a plain edge: the canonical head).
        relation: Lower-case relation name; `similar_to` for a similarity edge.
        tail: Key of the end the walk goes to.
        articles: Distinct PMIDs under the cut; 0 for a similarity edge.
        pmids: The newest of them, newest first.
        belief: 1 - (syst + rand^articles); alpha * mu for a similarity edge. In [0, 1].
    """

    head: str
    relation: str
    tail: str
    articles: int
    pmids: tuple[int, ...]
    belief: float


@dataclass(frozen=True, slots=True)
class Chain(Record):
    """A simple path from one concept to another, scored by the ranking asked for (12 significant digits)."""

    score: float
    hops: tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Chains(Record):
    """Chains between two concepts, best first.

    Attributes:
        head: Key the walks start from.
        tail: Key they end at.
        chains: The best of them, at most the limit asked for.
        total: How many there are in all.
        truncated: True exactly when total > len(chains).
        cypher: The Cypher a person can paste into Neo4j Browser to see the same paths.
    """

    head: str
    tail: str
    chains: tuple[Chain, ...]
    total: int
    truncated: bool
    cypher: str

    def to_frame(self) -> Any:
        """The hops as a pandas DataFrame, with the number and the score of their chain in front."""
        hops = [(number, chain.score, hop) for number, chain in enumerate(self.chains, 1) for hop in chain.hops]
        table = frame(hop for _, _, hop in hops)
        table.insert(0, "chain", [number for number, _, _ in hops])
        table.insert(1, "score", [score for _, score, _ in hops])
        return table


@dataclass(frozen=True, slots=True)
class Link(Record):
    """An edge between two concepts as the fuzzy graph reads it, whatever its kind.

    Attributes:
        head: One end (canonical first).
        tail: The other.
        kind: A relation name, `similar_to` or `contradicts`.
        articles: Distinct PMIDs under the cut; 0 for the last two kinds.
        cosine: Cosine for `similar_to`, else None.
    """

    head: str
    tail: str
    kind: str
    articles: int = 0
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Match(Record):
    """A concept found by text.

    Attributes:
        key: The concept.
        name: Its preferred name.
        type: Its type.
        score: In (0, 1]; 1.0 for the preferred name, less for a synonym, less again for a near match.
        matched: The name of the concept that matched.
        how: `key`, `name`, `synonym`, `fuzzy` or `embedding`.
        mentions: How often the concept was called by names that are spelled as `matched` is, but for case, hyphens and
            spacing; 0 for a key.
    """

    key: str
    name: str
    type: str
    score: float
    matched: str
    how: str
    mentions: int = 0


@dataclass(frozen=True, slots=True)
class Found(Record):
    """Concepts found by text, best first; ambiguous when the best score is shared by several concepts."""

    concepts: tuple[Match, ...]
    ambiguous: bool

    def to_frame(self) -> Any:
        """The matches as a pandas DataFrame."""
        return frame(self.concepts)


@dataclass(frozen=True, slots=True)
class Table(Record):
    """Answer of a free query: columns, rows of plain values, and whether the row limit cut it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame."""
        from pandas import DataFrame

        return DataFrame(list(self.rows), columns=list(self.columns))


@dataclass(frozen=True, slots=True)
class Counts(Record):
    """How many concepts of each type and relation edges of each relation there are; none that would be 0.

    Attributes:
        concepts: By type.
        edges: By relation.
        similarities: Similarity edges, of all models.
    """

    concepts: Mapping[str, int]
    edges: Mapping[str, int]
    similarities: int = 0


@dataclass(frozen=True, slots=True)
class Stats(Record):
    """What a graph holds: concepts by type, relation edges by relation, releases, and the digest of its edges."""

    concepts: Mapping[str, int]
    edges: Mapping[str, int]
    releases: tuple[Release, ...]
    digest: str
