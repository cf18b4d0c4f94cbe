"""Records of edges and chains of edges, as look-ups return them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from groundwork.errors import InputError
from groundwork.records.base import Record, counted, frame, listed
from groundwork.vocabulary import Sign, path_sign

if TYPE_CHECKING:
    from altair import LayerChart
    from networkx import MultiGraph
    from pandas import DataFrame


def network(edges: Iterable[tuple[str, str, Mapping[str, Any]]], names: Mapping[str, str]) -> "MultiGraph[str]":
    """Return edges as an undirected NetworkX graph. An edge that occurs several times is added once.

    Args:
        edges: For each edge, the keys of its ends and its attributes. The attribute `relation` distinguishes edges of
            the same pair.
        names: Names of the concepts by key. Each node gets a `name` (its key if no name is given) and a `type`.

    Raises:
        InputError: NetworkX is not installed.
    """
    try:
        from networkx import MultiGraph
    except ImportError:
        raise InputError(
            "the package networkx is not installed", "networkx, for to_networkx()", "install it: pip install networkx"
        ) from None
    graph: MultiGraph[str] = MultiGraph()
    for head, tail, attributes in edges:
        for key in (head, tail):
            graph.add_node(key, name=names.get(key, key), type=key.partition("|")[0])
        graph.add_edge(head, tail, key=attributes["relation"], **attributes)
    return graph


Rank = Literal["evidence", "dwpc", "hops"]


@dataclass(frozen=True, slots=True)
class Hop(Record):
    """One step of a chain, or one edge of a look-up. Only articles up to the requested PMID (the cut) count.

    Attributes:
        head: Key of the concept that the step starts from; for an edge, the first in canonical order.
        relation: Relation name in lower case; `similar_to` for a similarity edge.
        tail: Key of the concept that the step leads to.
        articles: Number of distinct PMIDs up to the cut; 0 for a similarity edge.
        pmids: The newest of these PMIDs, newest first.
        belief: In [0, 1]. For a relation, 1 - (syst + rand^articles) with the settings syst and rand. For a similarity
            edge, alpha * mu; see the argument `similar` of `GraphReader.chains`.

    Example:
        >>> world.graph.edges("simvastatin", "HMGCR").edges[0].articles
        2
    """

    head: str
    relation: str
    tail: str
    articles: int
    pmids: tuple[int, ...]
    belief: float


@dataclass(frozen=True, slots=True)
class Chain(Record):
    """A simple path between two concepts, with its score under the requested ranking (12 significant digits).

    Example:
        >>> [hop.relation for hop in world.graph.chains("simvastatin", "HMGCR").chains[0].hops]
        ['negative_correlate']
    """

    score: float
    hops: tuple[Hop, ...]

    @property
    def sign(self) -> Sign:
        """The product of the signs of its relations; 0 if one of them has no sign."""
        return path_sign(hop.relation for hop in self.hops)


@dataclass(frozen=True, slots=True)
class Chains(Record):
    """Chains between two concepts, best first.

    Attributes:
        head: Key of the start.
        tail: Key of the end.
        chains: The best chains, at most the requested limit.
        total: Number of all chains.
        truncated: True exactly if total > len(chains).
        cypher: A Cypher query that shows the same paths in Neo4j Browser.
        names: Names of the concepts by key, as far as they are known; for tables and pictures only.

    Example:
        >>> world.graph.chains("simvastatin", "HMGCR").to_networkx().nodes["Gene|3156"]["name"]
        'HMGCR'
    """

    head: str
    tail: str
    chains: tuple[Chain, ...]
    total: int
    truncated: bool
    cypher: str

    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, metadata={"private": True})

    def keys(self) -> frozenset[str]:
        """Return the keys of all concepts in the chains."""
        return _ends(hop for chain in self.chains for hop in chain.hops) | {self.head, self.tail}

    def to_frame(self) -> "DataFrame":
        """Return the hops as a pandas DataFrame; the first columns are the number and the score of their chain."""
        hops = [(number, chain.score, hop) for number, chain in enumerate(self.chains, 1) for hop in chain.hops]
        table = frame((hop for _, _, hop in hops), _HOP, self.names)
        table.insert(0, "chain", [number for number, _, _ in hops])
        table.insert(1, "score", [score for _, score, _ in hops])
        return table

    def to_networkx(self) -> "MultiGraph[str]":
        """Return the edges of the chains as a NetworkX graph; see `groundwork.records.chains.network`."""
        return network((_edge(hop) for chain in self.chains for hop in chain.hops), self.names)

    def plot(self) -> "LayerChart":
        """Return an altair chart with one bar per chain. The bar shows the score, and its colour the sign of the chain.

        The extra `bench` installs altair. In a notebook the chart is a picture, which needs no network.

        Raises:
            InputError: altair is not installed.
        """
        from groundwork.pictures import SIGN_COLOURS, bars, offline

        signs = {1: ("raises", "plus", "+"), -1: ("lowers", "minus", "−"), 0: ("without a sign", "none", "·")}
        rows = [
            {
                "label": f"{place}. {' – '.join(_named(key, self.names) for key in _keys(chain))}",
                "text": "; ".join(f"{hop.relation} ({counted(hop.articles, 'article')})" for hop in chain.hops),
                "value": chain.score,
                "kind": signs[chain.sign][0],
            }
            for place, chain in enumerate(self.chains, 1)
        ]
        ends = " and ".join(_named(key, self.names) for key in (self.head, self.tail))
        kinds = {name: (SIGN_COLOURS[colour], symbol) for name, colour, symbol in signs.values()}
        return offline(bars(rows, kinds, "score", f"Scores of the {len(rows)} best chains between {ends}"))

    def __repr__(self) -> str:
        ends = f"{_named(self.head, self.names)} and {_named(self.tail, self.names)}"
        lines = (f"{chain.score:.3f}  {walk(chain.hops, self.names)}" for chain in self.chains)
        return listed(f"Chains between {ends}: {self.total:,}, of which {len(self.chains):,} are listed", lines)


@dataclass(frozen=True, slots=True)
class Edges(Record):
    """Relation edges among some concepts. Iterating over this record yields the edges.

    Attributes:
        edges: The edges.
        names: Names of the concepts by key, as far as they are known; for tables and pictures only.

    Example:
        >>> world.graph.edges("simvastatin", "HMGCR")
        Edges: 1
          Simvastatin -negative_correlate- HMGCR  2 articles
    """

    edges: tuple[Hop, ...]
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False, metadata={"private": True})

    def keys(self) -> frozenset[str]:
        """Return the keys of the concepts at the ends of the edges."""
        return _ends(self.edges)

    def to_frame(self) -> "DataFrame":
        """Return the edges as a pandas DataFrame."""
        return frame(self.edges, _HOP, self.names)

    def to_networkx(self) -> "MultiGraph[str]":
        """Return the edges as a NetworkX graph; see `groundwork.records.chains.network`."""
        return network(map(_edge, self.edges), self.names)

    def __iter__(self) -> Iterator[Hop]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def __repr__(self) -> str:
        lines = (f"{walk((hop,), self.names)}  {counted(hop.articles, 'article')}" for hop in self.edges)
        return listed(f"Edges: {len(self.edges):,}", lines)


_HOP = tuple(each.name for each in fields(Hop))


def _ends(hops: Iterable[Hop]) -> frozenset[str]:
    return frozenset(key for hop in hops for key in (hop.head, hop.tail))


def _edge(hop: Hop) -> tuple[str, str, dict[str, Any]]:
    told = {"relation": hop.relation, "articles": hop.articles, "pmids": hop.pmids, "belief": hop.belief}
    return hop.head, hop.tail, told


def _named(key: str, names: Mapping[str, str]) -> str:
    return names.get(key, key)


def _keys(chain: Chain) -> list[str]:
    return [chain.hops[0].head, *(hop.tail for hop in chain.hops)]


def walk(hops: tuple[Hop, ...], names: Mapping[str, str]) -> str:
    """Return hops as names with relations between them, for example `aspirin -inhibit- PTGS2`."""
    return _named(hops[0].head, names) + "".join(f" -{hop.relation}- {_named(hop.tail, names)}" for hop in hops)
