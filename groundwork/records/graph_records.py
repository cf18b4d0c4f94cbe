"""Records of the concept graph: concepts, stored edges and results of look-ups."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from groundwork.records.base import Record, counted, frame, listed
from groundwork.records.release import Release
from groundwork.vocabulary import split_key

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Concept(Record):
    """A concept of the graph.

    Attributes:
        key: `Type|ID`, unique; the type is as in the release file.
        name: The symbol of a gene if it is known, else the most frequent mention, or the id if no name is known.
        synonyms: All known names, beginning with `name`, then the most frequent first; empty if no name is known.
        counts: Number of mentions of each of `synonyms`, in the same order.
        organism: For a gene, NCBI taxon id of its organism; empty if it is not known.
        description: For a gene, what its symbol stands for; empty if it is not known.
    """

    key: str
    name: str
    synonyms: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    organism: str = ""
    description: str = ""

    @classmethod
    def of_row(cls, row: Mapping[str, Any]) -> Self:
        """Return a row of `tables.CONCEPTS` as a record. Organism and description may be null in a server's rows."""
        return cls(
            row["key"],
            row["name"],
            tuple(row["synonyms"]),
            tuple(row["counts"]),
            row["organism"] or "",
            row["description"] or "",
        )

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
        """Number of mentions of all of its names."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class Relation(Record):
    """One relation edge as it is stored: one per pair and relation, with the pair in canonical order.

    Attributes:
        head: Key of the concept that is first in canonical order.
        relation: PubTator's relation name in lower case.
        tail: Key of the other concept; equal to head for a self-relation, which is part of no path.
        pmids: Distinct PMIDs in ascending order, at least one.
        changed_in: The release that added or last changed the edge.
    """

    head: str
    relation: str
    tail: str
    pmids: tuple[int, ...]
    changed_in: str = ""


@dataclass(frozen=True, slots=True)
class Similarity(Record):
    """A similarity edge between the concepts `head` and `tail`, where head < tail.

    Attributes:
        head: Key of one concept.
        tail: Key of the other concept.
        cosine: Cosine of the name vectors of the two concepts, in [-1, 1].
        model: Name of the embedder that made the vectors.
    """

    head: str
    tail: str
    cosine: float
    model: str


@dataclass(frozen=True, slots=True)
class Contradiction(Record):
    """Two concepts that exclude each other according to `source`, in canonical order (`vocabulary.canonical`)."""

    head: str
    tail: str
    source: str


@dataclass(frozen=True, slots=True)
class Link(Record):
    """An edge of any kind between two concepts, as the risk measurement reads it.

    Attributes:
        head: Key of one end (first in canonical order).
        tail: Key of the other end.
        kind: A relation name, `similar_to` or `contradicts`.
        articles: Number of distinct PMIDs up to the requested PMID; 0 for `similar_to` and `contradicts`.
        cosine: The cosine of a `similar_to` edge, else None.
    """

    head: str
    tail: str
    kind: str
    articles: int = 0
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Match(Record):
    """A concept that was found by a search for a text.

    Attributes:
        key: Key of the concept.
        name: Its preferred name.
        type: Its type.
        score: In (0, 1]: 1.0 for the key or the preferred name, less for a synonym. The score of a near match is lower
            than that of an exact match of the same name.
        matched: The name, or the key, that matched the text.
        how: `key`, `name`, `synonym` or `fuzzy`.
        mentions: Number of mentions of the concept by names that equal `matched`, ignoring case, hyphens and spacing; 0
            for a key.
        organism: For a gene, NCBI taxon id of its organism, as known or as its id shows it; empty if it is open.
        description: For a gene, what its symbol stands for; empty if it is not known.

    Example:
        >>> world.graph.find("metformin").concepts[0].how
        'name'
    """

    key: str
    name: str
    type: str
    score: float
    matched: str
    how: str
    mentions: int = 0
    organism: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Found(Record):
    """Concepts that were found by a search for a text, best first; `ambiguous` if several share the best score.

    Example:
        >>> world.graph.find("metformin").ambiguous
        False
    """

    concepts: tuple[Match, ...]
    ambiguous: bool

    def to_frame(self) -> "DataFrame":
        """Return the matches as a pandas DataFrame."""
        return frame(self.concepts, (each.name for each in fields(Match)))

    def __repr__(self) -> str:
        lines = (f"{each.score:.3f}  {each.key}  {each.name}  ({each.how})" for each in self.concepts)
        return listed(
            f"Found: {counted(len(self.concepts), 'concept')}{', ambiguous' if self.ambiguous else ''}", lines
        )


@dataclass(frozen=True, slots=True)
class Table(Record):
    """The result of a query that the user wrote: columns, rows of plain values, and whether the row limit removed rows.

    Example:
        >>> world.graph.query("MATCH (c:Concept {key: 'Gene|3156'}) RETURN c.name AS name").to_frame()["name"].tolist()
        ['HMGCR']
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool

    def to_frame(self) -> "DataFrame":
        """Return the table as a pandas DataFrame."""
        from pandas import DataFrame

        return DataFrame(list(self.rows), columns=list(self.columns))

    def __repr__(self) -> str:
        rows = counted(len(self.rows), "row")
        title = f"Table: {rows}{', truncated' if self.truncated else ''}; {', '.join(self.columns)}"
        return listed(title, (", ".join(map(str, row)) for row in self.rows))


@dataclass(frozen=True, slots=True)
class Counts(Record):
    """Numbers of concepts by type and of relation edges by relation; zero counts are left out.

    Attributes:
        concepts: Number of concepts by type.
        edges: Number of edges by relation.
        similarities: Number of similarity edges, of all models.
    """

    concepts: Mapping[str, int]
    edges: Mapping[str, int]
    similarities: int = 0


@dataclass(frozen=True, slots=True)
class Stats(Record):
    """Content of a graph: concepts by type, relation edges by relation, releases, and the digest of its edges.

    Example:
        >>> len(world.graph.stats().digest)
        64
    """

    concepts: Mapping[str, int]
    edges: Mapping[str, int]
    releases: tuple[Release, ...]
    digest: str

    def to_frame(self) -> "DataFrame":
        """Return the counts as a pandas DataFrame with a row per type of concept and per relation.

        Example:
            >>> world.graph.stats().to_frame().columns.tolist()
            ['kind', 'name', 'count']
        """
        from pandas import DataFrame

        counts = {"concept": self.concepts, "edge": self.edges}
        rows = [(kind, name, count) for kind, counted in counts.items() for name, count in counted.items()]
        return DataFrame(rows, columns=["kind", "name", "count"])
