"""Write pieces of evidence for a language model: one line each, which no text inside can break or forge."""

from collections.abc import Iterable

from groundwork.ports import GraphReader
from groundwork.records import Hop
from knowhd.evidence.pieces import Edge, Piece, Trail
from knowhd.prompt import quoted


def tokens_of(text: str) -> int:
    """Return an estimate of a text's tokens: a third of its UTF-8 bytes, rounded up.

    The estimate is high on purpose. Common tokenizers need about one token for four bytes of English.
    """
    return -(-len(text.encode("utf-8", "replace")) // 3)


class Lines:
    """Writes pieces of evidence as lines.

    Args:
        graph: Store with the names of concepts.
    """

    def __init__(self, graph: GraphReader) -> None:
        self._graph = graph

    def of(self, pieces: Iterable[Piece]) -> dict[str, str]:
        """Return one line for each piece, by its id. Text from outside is put in quotation marks."""
        told = tuple(pieces)
        names = {key: concept.name for key, concept in self._graph.concepts(keys_of(told)).items()}
        return {piece.id: _line(piece, names) for piece in told}


def _line(piece: Piece, names: dict[str, str]) -> str:
    if isinstance(piece, Edge):
        hop = Hop(piece.head, piece.relation, piece.tail, piece.articles, (), piece.belief)
        return f"knowledge graph: {_named(piece.head, names)}{_step(hop, names)}"
    if isinstance(piece, Trail):
        steps = "".join(_step(hop, names) for hop in piece.hops)
        return f"knowledge graph, chain that no article need state: {_named(piece.head, names)}{steps}"
    what = "retracted article" if piece.retracted else "article"
    return f"{what}, PMID {piece.pmid}, titled {quoted(piece.title)}: {quoted(piece.sentence)}"


def _step(hop: Hop, names: dict[str, str]) -> str:
    count = f"{hop.articles} article{'s' if hop.articles != 1 else ''}"
    return f" - {hop.relation} ({count}) - {_named(hop.tail, names)}"


def _named(key: str, names: dict[str, str]) -> str:
    return f"{quoted(names[key])} ({quoted(key)[1:-1]})" if key in names else quoted(key)


def keys_of(pieces: Iterable[Piece]) -> set[str]:
    """Return the keys of the concepts at the ends of edges in pieces of evidence."""
    pieces = tuple(pieces)
    ends = [(hop.head, hop.tail) for piece in pieces if isinstance(piece, Trail) for hop in piece.hops]
    ends += [(piece.head, piece.tail) for piece in pieces if isinstance(piece, Edge)]
    return {key for pair in ends for key in pair}
