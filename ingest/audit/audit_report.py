"""The records of an audit report, and their construction from the counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from groundwork.ports import GraphReader
from groundwork.records import Record, Release
from groundwork.records.release import label
from groundwork.vocabulary import RELATIONS, TYPES
from ingest.audit.census import Census, Distribution, Movement, Passage, Span
from ingest.receipt import FileRead, Rows
from ingest.rejects import visible
from ingest.snapshot import Manifest

if TYPE_CHECKING:
    from ingest.audit.census import Move, Movement


#: Share of the previous edges that may be lost.
LOST_EDGES = 0.05
#: Share of the previous concepts that may be lost.
LOST_CONCEPTS = 0.02
#: Share by which the number of edges may rise or fall.
GROWTH = 0.5
#: Share by which the number of edges of a relation, or of a relation between two types, may differ from the expected
#: number. Differences of fewer than `EDGES` edges always pass. If both limits are just reached (100 of 500 edges), the
#: difference is 4.5 standard deviations. So there is no separate test for chance.
MOVE = 0.2
#: Share of the rows read that may be rejected.
REJECTS = 0.01
#: Share of all edges that may belong to one concept, if it has at least `EDGES` edges.
HUB = 0.05
#: `MOVE` applies only to differences of at least this many edges, `HUB` only to concepts with at least this many.
EDGES = 100


@dataclass(frozen=True, slots=True)
class Check(Record):
    """One limit, and whether the release is within it.

    Attributes:
        name: What is limited, in words.
        value: The measured value, the largest if there are several; None if there is nothing to measure.
        limit: The largest value that passes.
        passed: Whether the value is within the limit.
        culprits: The concepts or relations whose values exceed the limit, largest value first. Empty for a check that
            does not measure concepts or relations one by one.
    """

    name: str
    value: float | None
    limit: float
    passed: bool
    culprits: tuple[str, ...] = ()

    def __str__(self) -> str:
        value = "not measured" if self.value is None else f"{self.value:.4g}"
        culprits = f": {'; '.join(self.culprits)}" if self.culprits else ""
        return f"{self.name} {value}, limit {self.limit:.4g}{culprits}"


def judge(
    edges: int, rejected: float, hubs: Sequence[tuple[str, int]], movement: "Movement | None"
) -> tuple[Check, ...]:
    """Compare a release with the limits.

    Args:
        edges: Number of edges of the release.
        rejected: Share of the rows of the release that were rejected.
        hubs: (key, degree) of the concepts with the highest degrees, in descending order.
        movement: The differences from another release; None if there is none to compare with.
    """
    large = [(visible(key), degree / max(edges, 1)) for key, degree in hubs if degree >= EDGES]
    far: list[tuple[str, float]] | None = None
    if movement is not None:
        far = [
            (_told(move), abs(move.relative))
            for move in (*movement.relations, *movement.pairs)
            if abs(move.after - move.expected) >= EDGES
        ]
    return (
        _check("rejected rows", REJECTS, rejected),
        _worst("largest hub", HUB, large or None),
        _check("lost edges", LOST_EDGES, movement.lost_edge_share if movement else None),
        _check("lost concepts", LOST_CONCEPTS, movement.lost_concept_share if movement else None),
        _check("growth", GROWTH, abs(movement.growth - 1) if movement else None),
        _worst("unexpected movement", MOVE, far),
    )


def _check(name: str, limit: float, value: float | None) -> Check:
    return Check(name, value, limit, value is None or value <= limit)


def _worst(name: str, limit: float, values: list[tuple[str, float]] | None) -> Check:
    """Return the check of the largest of several values with names; `values` is None if nothing can be measured."""
    if values is None:
        return Check(name, None, limit, True)
    broken = sorted(((value, what) for what, value in values if value > limit), key=lambda one: (-one[0], one[1]))
    worst = max((value for _, value in values), default=0.0)
    return Check(name, worst, limit, not broken, tuple(what for _, what in broken))


def _told(move: "Move") -> str:
    cell = " ".join(part for part in (move.head, move.relation, move.tail) if part)
    return f"{cell} has {move.after} edges, {move.expected:.0f} expected"


@dataclass(frozen=True, slots=True)
class AuditReport(Record):
    """A release as its manifest and its record in the graph describe it.

    Attributes:
        source: Source of the release.
        id: ID of the release.
        state: State in the graph; None if the graph does not know the release.
        loaded_at: Time of the load in the graph; None if the graph does not know the release.
        sha256: Hash of all files in order.
        files: The files in the order read.
        rows: Numbers of rows read, kept and rejected.
        rejected_by_reason: Number of rejected rows by reason, largest first.
        reject_share: Share of the rows read that were rejected.
        rules: Version of the rules that normalised the release.
    """

    source: str
    id: str
    state: Literal["loading", "live", "past"] | None
    loaded_at: str | None
    sha256: str
    files: tuple[FileRead, ...]
    rows: Rows
    rejected_by_reason: Mapping[str, int]
    reject_share: float
    rules: int

    @property
    def label(self) -> str:
        """The ID for people to read, with the names of the files."""
        return label(self.id, [file.path for file in self.files])


@dataclass(frozen=True, slots=True)
class TypeCount(Record):
    """Number of concepts of one entity type; `single` is the number of these concepts with one edge only."""

    type: str
    concepts: int
    single: int


@dataclass(frozen=True, slots=True)
class RelationCount(Record):
    """Number of edges of one relation, and their share of all edges."""

    relation: str
    edges: int
    share: float


@dataclass(frozen=True, slots=True)
class PairCount(Record):
    """Number of edges of one relation between two entity types.

    `expected` says whether the rules that name relations allow this relation between these types.
    """

    head: str
    relation: str
    tail: str
    edges: int
    share: float
    expected: bool


@dataclass(frozen=True, slots=True)
class Hub(Record):
    """A concept with a high degree, and its share of all edges."""

    key: str
    name: str | None
    degree: int
    share: float


@dataclass(frozen=True, slots=True)
class Audit(Record):
    """The result of an audit.

    Attributes:
        release: The audited release.
        against: The release with which the audited release was compared; None if there is none.
        edges: Number of edges.
        self_relations: Number of edges of a concept with itself.
        unexpected_pairs: Number of edges with a relation that, by the naming rules, cannot occur between the types of
            their two concepts.
        pmids: Range of the PMIDs.
        articles: Distribution of the number of PMIDs per edge.
        concepts: Number of concepts.
        single_edge_concepts: Number of concepts with one edge only.
        degrees: Distribution of the number of edges per concept; a self-relation counts once.
        hubs: Concepts with the highest degrees, in descending order, then by key.
        types: Numbers of concepts by type, including known types with 0 concepts.
        relations: Numbers of edges by relation, largest first, including known relations with 0 edges.
        pairs: Numbers of edges by relation and the types of the two concepts, largest first.
        movement: Differences from the release in `against`; None if there is no such release.
        limits: Each limit, and whether the release is within it.
        passed: Whether the release is within all limits.
    """

    release: AuditReport
    against: AuditReport | None
    edges: int
    self_relations: int
    unexpected_pairs: int
    pmids: Span
    articles: Distribution
    concepts: int
    single_edge_concepts: int
    degrees: Distribution
    hubs: tuple[Hub, ...]
    types: tuple[TypeCount, ...]
    relations: tuple[RelationCount, ...]
    pairs: tuple[PairCount, ...]
    movement: Movement | None
    limits: tuple[Check, ...]
    passed: bool


def told(said: Manifest, record: Release | None) -> AuditReport:
    """Return the description of a release from its manifest and, if the graph knows it, its record there."""
    return AuditReport(
        said.source,
        said.release,
        record.state if record else None,
        record.loaded_at if record else None,
        said.sha256,
        said.files,
        said.rows,
        dict(sorted(said.rejected_by_reason.items(), key=lambda reason: (-reason[1], reason[0]))),
        said.rows.rejected / max(said.rows.read, 1),
        said.rules,
    )


def report(
    release: AuditReport,
    against: AuditReport | None,
    census: Census,
    hubs: list[tuple[str, int]],
    movement: Movement | None,
    graph: GraphReader,
) -> Audit:
    """Build the report from the counts.

    Args:
        release: The audited release.
        against: The release with which the audited release is compared; None if there is none.
        census: Content of the audited release.
        hubs: (key, degree) of the concepts with the highest degrees in the audited release.
        movement: Differences of the audited release from the release in `against`; None if there is no such release.
        graph: Provides the names of concepts.
    """
    passages = (*movement.new, *movement.lost) if movement else ()
    names = _names(graph, {key for key, _ in hubs} | {passage.key for passage in passages})
    checks = judge(census.total, release.reject_share, hubs, movement)
    pairs = _pairs(census)
    return Audit(
        release=release,
        against=against,
        edges=census.total,
        self_relations=census.selves,
        unexpected_pairs=sum(pair.edges for pair in pairs if not pair.expected),
        pmids=census.pmids,
        articles=Distribution.of(census.articles),
        concepts=sum(census.concepts.values()),
        single_edge_concepts=census.concepts.get(1, 0),
        degrees=Distribution.of(census.concepts),
        hubs=tuple(Hub(key, names.get(key), degree, degree / max(census.total, 1)) for key, degree in hubs),
        types=_types(census),
        relations=_relations(census),
        pairs=pairs,
        movement=movement and _named(movement, names),
        limits=checks,
        passed=all(check.passed for check in checks),
    )


def _types(census: Census) -> tuple[TypeCount, ...]:
    kinds = sorted(TYPES | census.types.keys())
    spread = {kind: census.types.get(kind, {}) for kind in kinds}
    return tuple(TypeCount(kind, sum(spread[kind].values()), spread[kind].get(1, 0)) for kind in kinds)


def _relations(census: Census) -> tuple[RelationCount, ...]:
    counts = {**dict.fromkeys(RELATIONS, 0), **census.relations()}
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(RelationCount(name, edges, edges / max(census.total, 1)) for name, edges in ranked)


def _pairs(census: Census) -> tuple[PairCount, ...]:
    ranked = sorted(census.cells.items(), key=lambda item: (-item[1], item[0]))
    return tuple(PairCount(*cell, edges, edges / max(census.total, 1), cell.expected) for cell, edges in ranked)


def _names(graph: GraphReader, keys: set[str]) -> dict[str, str]:
    """Return the names of concepts; concepts without a name or not in the graph are left out."""
    found = graph.concepts(sorted(keys))
    return {key: concept.name for key, concept in found.items() if concept.synonyms}


def _named(movement: Movement, names: Mapping[str, str]) -> Movement:
    def named(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        return tuple(replace(passage, name=names.get(passage.key)) for passage in passages)

    return replace(movement, new=named(movement.new), lost=named(movement.lost))
