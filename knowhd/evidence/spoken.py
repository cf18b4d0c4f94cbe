"""Write pieces of evidence as plain sentences, which entailment models were trained on."""

from collections.abc import Iterable, Mapping

from groundwork.ports import GraphReader
from knowhd.evidence.pieces import Edge, Passage, Piece
from knowhd.evidence.shown import names_of
from knowhd.prompt import harmless
from knowhd.wording import related


def spoken(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return a sentence for each piece, by its id. Edges and chains are put into words.

    Args:
        pieces: The pieces.
        graph: Store with the names of concepts.
    """
    told = tuple(pieces)
    names = names_of(told, graph)
    return {piece.id: harmless(_said(piece, names)) for piece in told}


def _said(piece: Piece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    return " ".join(f"{related(each, names)}." for each in ((piece,) if isinstance(piece, Edge) else piece.hops))
