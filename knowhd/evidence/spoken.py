"""Write pieces of evidence as plain sentences, which entailment models were trained on."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from groundwork.ports import GraphReader
from knowhd.evidence.pieces import Edge, Passage, Piece
from knowhd.evidence.shown import keys_of
from knowhd.prompt import harmless

#: Phrase between the names of an edge's ends. Edges have no direction; the canonical order reads best.
VERBS: Mapping[str, str] = MappingProxyType(
    {
        "associate": "is associated with",
        "cause": "causes",
        "compare": "was compared with",
        "convert": "is converted to",
        "cotreat": "is used in treatment together with",
        "drug_interact": "has a drug interaction with",
        "inhibit": "inhibits",
        "interact": "interacts with",
        "negative_correlate": "is negatively correlated with",
        "positive_correlate": "is positively correlated with",
        "prevent": "prevents",
        "stimulate": "stimulates",
        "treat": "treats",
    }
)


def spoken(pieces: Iterable[Piece], graph: GraphReader) -> dict[str, str]:
    """Return a sentence for each piece, by its id. Edges and chains are put into words.

    Args:
        pieces: The pieces.
        graph: Store with the names of concepts.
    """
    told = tuple(pieces)
    names = {key: concept.name for key, concept in graph.concepts(keys_of(told)).items()}
    return {piece.id: harmless(_said(piece, names)) for piece in told}


def _said(piece: Piece, names: Mapping[str, str]) -> str:
    if isinstance(piece, Passage):
        return piece.sentence
    steps = (piece,) if isinstance(piece, Edge) else piece.hops
    return " ".join(
        f"{names.get(step.head, step.head)} {VERBS.get(step.relation, step.relation.replace('_', ' '))} "
        f"{names.get(step.tail, step.tail)}."
        for step in steps
    )
