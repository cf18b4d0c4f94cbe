"""A checker of risks as the program makes it."""

from fuzzygraph.check import Checker
from groundwork.ports import GraphReader
from groundwork.reading.encoder import shipped
from knowhd.statement import TripleReader


def checker_of(graph: GraphReader) -> Checker:
    """Return a checker that measures what a graph says about the claims that are judged."""
    return Checker(graph, TripleReader(graph, shipped()))
