"""The report of an audit: records, and how they are made from what was counted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from groundwork.ports import GraphReader
from groundwork.records import Record, Release
from groundwork.vocabulary import RELATIONS, TYPES
from ingest.audit.census import Census, Distribution, Span
from ingest.audit.limits import Check, Limits, judge
from ingest.audit.movement import Movement, Passage
from ingest.receipt import FileRead, Rows
from ingest.snapshot import Manifest


@dataclass(frozen=True, slots=True)
class AuditReport(Record):
    """A release as its manifest has it.

    Attributes:
        source: Whose release.
        id: Its ID.
        state: As the graph has it; None if the graph does not know the release.
        loaded_at: Likewise.
        sha256: Of all files in order.
        files: In the order read.
        rows: Rows read, kept and rejected.
        rejected_by_reason: Rejected rows by reason, most first.
        reject_share: Rejected rows among the rows read.
        rules: Version of the rules that normalised it.
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


@dataclass(frozen=True, slots=True)
class TypeCount(Record):
    """Concepts of one entity type; `single`: those with one edge."""

    type: str
    concepts: int
    single: int


@dataclass(frozen=True, slots=True)
class RelationCount(Record):
    """Edges of one relation, and their share of all."""

    relation: str
    edges: int
    share: float


@dataclass(frozen=True, slots=True)
class PairCount(Record):
    """Edges of one relation between two types; `expected`: whether the rewriting of relation names ever gives it."""

    head: str
    relation: str
    tail: str
    edges: int
    share: float
    expected: bool


@dataclass(frozen=True, slots=True)
class Hub(Record):
    """A concept of high degree, and its share of all edges."""

    key: str
    name: str | None
    degree: int
    share: float


@dataclass(frozen=True, slots=True)
class Audit(Record):
    """What an audit found.

    Attributes:
        release: The release audited.
        against: The release it was compared with, None if there is none.
        edges: How many.
        self_relations: Edges of a concept with itself.
        unexpected_pairs: Edges whose relation the rewriting never gives between their types.
        pmids: The range of the evidence.
        articles: PMIDs of an edge.
        concepts: How many.
        single_edge_concepts: Those with one edge only.
        degrees: Edges of a concept, a self-relation counting once.
        hubs: Concepts with the highest degrees, falling, then by key.
        types: Concepts by type; known types that do not occur are 0.
        relations: Edges by relation, most first; known relations that do not occur are 0.
        pairs: Edges by types of the pair and relation, most first.
        movement: Against the other release, None if there is none.
        limits: Each limit and how the release stands to it.
        passed: Whether all limits are kept.
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
    """A release by its manifest and, if the graph knows it, by its record there."""
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
    limits: Limits,
    graph: GraphReader,
) -> Audit:
    """Put together what was counted.

    Args:
        release: The release audited.
        against: The release compared with, if any.
        census: What the first holds.
        hubs: Its concepts with the highest degrees, and these.
        movement: How it differs from the second.
        limits: What may pass.
        graph: Knows the concepts' names.
    """
    passages = (*movement.new, *movement.lost, *movement.hubs) if movement else ()
    names = _names(graph, {key for key, _ in hubs} | {passage.key for passage in passages})
    checks = judge(limits, census.total, release.reject_share, hubs, movement)
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
    """Names of concepts; those without one, or gone from the graph, are left out."""
    found = graph.concepts(sorted(keys))
    return {key: concept.name for key, concept in found.items() if concept.synonyms}


def _named(movement: Movement, names: Mapping[str, str]) -> Movement:
    def named(passages: tuple[Passage, ...]) -> tuple[Passage, ...]:
        return tuple(replace(passage, name=names.get(passage.key)) for passage in passages)

    return replace(movement, new=named(movement.new), lost=named(movement.lost), hubs=named(movement.hubs))
