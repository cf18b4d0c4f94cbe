"""Convert edges to graphs of NetworkX, which users draw and analyse."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from groundwork.errors import InputError

if TYPE_CHECKING:
    from networkx import MultiGraph


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
