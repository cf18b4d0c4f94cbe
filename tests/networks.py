"""Networks for tests, built from records, and the exact probability that two of their concepts are connected."""

from collections.abc import Iterable, Mapping
from itertools import product
from math import prod

import networkx as nx
import pyarrow as pa

from groundwork.network import LINKS, Network
from groundwork.records import Link


def of_links(links: Iterable[Link], ends: Iterable[str] = ()) -> Network:
    """Build a network from records."""
    rows = [
        {"a": k.head, "b": k.tail, "kind": k.kind, "articles": k.articles, "cosine": k.cosine or 0.0} for k in links
    ]
    return Network.of([pa.Table.from_pylist(rows, LINKS)], ends)


def reliability(edges: Mapping[tuple[str, str], float], source: str, target: str) -> float:
    """Return the exact probability that two concepts are connected, if each edge exists independently of the others."""
    total = 0.0
    for state in product((False, True), repeat=len(edges)):
        graph = nx.Graph(ends for ends, up in zip(edges, state, strict=True) if up)
        graph.add_nodes_from((source, target))
        if nx.has_path(graph, source, target):
            total += prod(p if up else 1 - p for p, up in zip(edges.values(), state, strict=True))
    return total
