"""Find the neighbours of a concept in the graph, for people who browse the graph."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from groundwork.ports import GraphReader
from groundwork.records import Record
from truthhypo.lookups import resolve
from truthhypo.world import World

#: Maximum number of neighbours shown for a relation, of similar concepts, and of PMIDs shown for an edge.
NEIGHBOURS, SIMILAR, PMIDS = 12, 20, 5


@dataclass(frozen=True, slots=True)
class Neighbour(Record):
    """A concept that has an edge to the given concept.

    Attributes:
        key: Key of the concept.
        name: Preferred name of the concept.
        articles: Number of articles that report the edge.
        pmids: PMIDs of the newest of these articles, newest first.
    """

    key: str
    name: str
    articles: int
    pmids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Similar(Record):
    """A concept whose name is similar to the name of the given concept.

    Attributes:
        key: Key of the concept.
        name: Preferred name of the concept.
        cosine: Cosine of the vectors of the two names, in [-1, 1].
        model: The model that made the vectors.
    """

    key: str
    name: str
    cosine: float
    model: str


@dataclass(frozen=True, slots=True)
class Neighbourhood(Record):
    """The neighbours of a concept in the graph, and concepts with similar names.

    Attributes:
        neighbours: The neighbours by relation: at most NEIGHBOURS per relation, those with the most articles first.
        total: Number of neighbours by relation.
        similar: Concepts with similar names, most similar first, at most SIMILAR.
    """

    neighbours: Mapping[str, tuple[Neighbour, ...]]
    total: Mapping[str, int]
    similar: tuple[Similar, ...]


def neighbourhood(world: World, concept: str) -> Neighbourhood:
    """Return the neighbourhood of a concept, given by key or name.

    Raises:
        UnknownConcept: The graph has no such concept.
    """
    graph = world.graph_store
    key = resolve(graph, concept)
    edges: defaultdict[str, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for relation, other, pmids in counted_edges(world, key):
        edges[relation].append((other, pmids))
    best = {
        relation: sorted(held, key=lambda each: (-len(each[1]), each[0]))[:NEIGHBOURS]
        for relation, held in sorted(edges.items())
    }
    alike = sorted(graph.similar_at(key), key=lambda each: (-each[1], each[0], each[2]))[:SIMILAR]
    named = names(graph, [other for held in best.values() for other, _ in held] + [each[0] for each in alike])
    return Neighbourhood(
        {
            relation: tuple(
                Neighbour(other, named[other], len(pmids), tuple(sorted(pmids, reverse=True)[:PMIDS]))
                for other, pmids in held
            )
            for relation, held in best.items()
        },
        {relation: len(edges[relation]) for relation in best},
        tuple(Similar(other, named[other], cosine, model) for other, cosine, model in alike),
    )


def counted_edges(world: World, key: str) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield (relation, other concept, PMIDs that count) of each relation edge of a concept that has such PMIDs."""
    without = world.uncounted()
    for relation, other, pmids in world.graph_store.edges_at(key):
        if counted := without.left(pmids) if without else pmids:
            yield relation, other, counted


def names(graph: GraphReader, keys: Iterable[str]) -> dict[str, str]:
    """Return the preferred name of each concept by key; the key itself if the graph has no name for the concept."""
    wanted = set(keys)
    found = graph.concepts(wanted)
    return {key: (found[key].name if key in found else "") or key for key in wanted}
