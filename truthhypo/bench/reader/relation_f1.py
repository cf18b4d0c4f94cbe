"""F1 of the reader on documents with gold concepts, as BioCreative VIII's BioRED track counts it (subtask 1).

A pair of a document is predicted if in one of its sentences some relation is likelier than none. It takes the class of
the sentence in which that is surest. Relations across sentences are never predicted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from groundwork.polarity import relation_sign
from groundwork.reading.weights import CLASSES
from groundwork.statistics.classification import f1_score
from ingest.documents.document import Document
from truthhypo.bench.reader.examples import Example, Pair
from truthhypo.bench.reader.fitting import Matrix

#: The relation that a predicted pair without a sign is taken for; the others without one are rare.
_UNSIGNED = "associate"
_CLASSES = {1: "up", -1: "down"}


@dataclass(frozen=True, slots=True)
class RelationF1:
    """F1 of predicted relations, each in [0, 1]; 0 if there is nothing to find.

    Attributes:
        pair: Of related pairs.
        typed: Of related pairs with the type of their relation.
    """

    pair: float
    typed: float


def relation_f1(documents: Iterable[Document], examples: Sequence[Example], found: Matrix) -> RelationF1:
    """Return the F1 of pairs and of typed relations.

    Args:
        documents: Labelled documents.
        examples: Their examples.
        found: Probabilities of the examples, shape (examples, classes).
    """
    gold = {
        (document.pmid, frozenset((head, tail)), _CLASSES.get(relation_sign(relation), relation))
        for document in documents
        for head, relation, tail in document.relations
        if head != tail
    }
    surest: dict[tuple[int, Pair], tuple[float, str]] = {}
    for example, row in zip(examples, found, strict=True):
        kind = max(zip(row[1:], CLASSES[1:], strict=True))[1]
        place, sure = (example.pmid, example.pair), 1.0 - float(row[0])
        if not example.negated and sure >= max(0.5, surest.get(place, (0.0, ""))[0]):
            surest[place] = sure, kind
    told = {(*place, _UNSIGNED if kind == "related" else kind) for place, (_, kind) in surest.items()}
    pairs = {place[:2] for place in gold}
    pair = _f1(len(pairs & surest.keys()), len(surest), len(pairs))
    return RelationF1(pair, _f1(len(gold & told), len(told), len(gold)))


def _f1(right: int, told: int, gold: int) -> float:
    return round(float(f1_score(right, told, gold, 0.0)), 4)
