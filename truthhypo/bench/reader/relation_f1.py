"""Compute F1 of predicted relations on documents with gold concepts, as in BioCreative VIII, BioRED track, subtask 1.

A pair is never predicted if no sentence names both of its concepts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundwork.statistics import f1_score
from groundwork.vocabulary import relation_sign
from ingest.documents.document import Document
from truthhypo.bench.reader.article_pairs import Place

#: Relation of predicted pairs without a sign. Other unsigned relations are rare.
_UNSIGNED = "associate"
_CLASSES = {1: "up", -1: "down"}


@dataclass(frozen=True, slots=True)
class RelationF1:
    """Two F1 scores of predicted relations, in [0, 1]; 0 if there is nothing to find.

    Attributes:
        pair: F1 of related pairs.
        typed: F1 of related pairs with the type of their relation.
    """

    pair: float
    typed: float


def relation_f1(documents: Iterable[Document], told: Mapping[Place, str]) -> RelationF1:
    """Return the F1 of pairs and of typed relations.

    Args:
        documents: Labelled documents.
        told: Class of each predicted pair: "up", "down" or "related".
    """
    gold = {
        (document.pmid, frozenset((head, tail)), _CLASSES.get(relation_sign(relation), relation))
        for document in documents
        for head, relation, tail in document.relations
        if head != tail
    }
    typed = {(*place, _UNSIGNED if kind == "related" else kind) for place, kind in told.items()}
    pairs = {place[:2] for place in gold}
    pair = _f1(len(pairs & told.keys()), len(told), len(pairs))
    return RelationF1(pair, _f1(len(gold & typed), len(typed), len(gold)))


def _f1(right: int, told: int, gold: int) -> float:
    return round(float(f1_score(right, told, gold, 0.0)), 4)
