"""Predict the relation that an article states between two concepts, from all sentences that name both concepts.

The encoder gives probabilities for one sentence, but BioRED labels whole articles. A random forest combines
the sentences of a pair with the prominence of the two concepts: how often the article names them, and whether its title
names them. Only the standard metric (`relation_f1`) uses this model. Judgements always use single sentences.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundwork.reading.encoder import SIGNS
from groundwork.records import split_key
from groundwork.statistics import f1_score
from groundwork.vocabulary import relation_sign
from ingest.documents.document import Document
from truthhypo.bench.reader.table import Pair, labels
from truthhypo.hypotheses.leaks import check_installed

#: Relation of predicted pairs without a sign. Other unsigned relations are rare.
_UNSIGNED = "associate"
_CLASSES = {1: "up", -1: "down"}
Place = tuple[int, Pair]
Matrix = NDArray[np.float64]
#: Number of folds of `cross_predicted`.
FOLDS = 5
#: Minimum probability of a relation for a pair to count as related, chosen by cross-validation on BioRED Train.
CUT = 0.4
#: Number of trees in the forest, and minimum number of pairs in a leaf.
_TREES, _LEAF = 200, 10
_FAMILIES = ("Chemical", "Disease", "Gene", "Variant", "Other")


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


@dataclass(frozen=True, slots=True, eq=False)
class ArticlePairs:
    """The pairs of concepts that are named in the same sentence of an article.

    Attributes:
        places: PMID and pair of concepts of each row.
        rows: Features, shape (pairs, columns). The last column is a number for the types of the two concepts.
    """

    places: list[Place]
    rows: Matrix

    @classmethod
    def of(cls, documents: Iterable[Document], places: Sequence[Place], found: Matrix) -> "ArticlePairs":
        """Combine the sentences of each pair.

        Args:
            documents: The articles.
            places: The article and the pair of each sentence.
            found: Probabilities of the signs that the encoder reads in the sentences, shape (sentences, signs).
        """
        sentences: dict[Place, list[Matrix]] = defaultdict(list)
        for place, row in zip(places, found, strict=True):
            sentences[place].append(row)
        known = {document.pmid: document for document in documents}
        counts = {pmid: Counter(a.key for a in document.annotations) for pmid, document in known.items()}
        rows = []
        for (pmid, pair), listed in sentences.items():
            held = np.array(listed)
            pooled = [float(len(held)), *held[:, 1:].max(axis=0), float(held[:, 0].min()), *held[:, 1:].mean(axis=0)]
            rows.append([*pooled, *_prominence(known[pmid], pair, counts[pmid])])
        return cls(list(sentences), np.array(rows, dtype=np.float64))


class ArticleModel:
    """A random forest that predicts the relations of `ArticlePairs`."""

    def __init__(self) -> None:
        self._forest: Any = None

    def fit(self, pairs: ArticlePairs, documents: Iterable[Document]) -> "ArticleModel":
        """Fit the model on pairs of labelled documents.

        The probabilities in `pairs` must come from a reader that was not fitted on these documents.

        Raises:
            InputError: scikit-learn is not installed.
        """
        check_installed("the model of articles")
        from sklearn.ensemble import RandomForestClassifier

        known = {document.pmid: labels(document) for document in documents}
        gold = [known[pmid].get(pair, "none") for pmid, pair in pairs.places]
        self._forest = RandomForestClassifier(_TREES, min_samples_leaf=_LEAF, random_state=0)
        self._forest.fit(pairs.rows, gold)
        return self

    def predict(self, pairs: ArticlePairs) -> dict[Place, str]:
        """Return the most likely class ("up", "down" or "related") of each pair that is predicted to be related."""
        if not pairs.places:
            return {}
        found = np.zeros((len(pairs.places), len(SIGNS)))
        found[:, [SIGNS.index(name) for name in self._forest.classes_]] = self._forest.predict_proba(pairs.rows)
        kinds = [SIGNS[1 + int(kind)] for kind in found[:, 1:].argmax(axis=1)]
        told = 1.0 - found[:, 0] >= CUT
        return {place: kind for place, kind, says in zip(pairs.places, kinds, told, strict=True) if says}


def cross_predicted(pairs: ArticlePairs, documents: Sequence[Document]) -> dict[Place, str]:
    """Predict the relations of the pairs in each fold of documents with a model that was fitted on the other folds."""
    fold = np.array([pmid % FOLDS for pmid, _ in pairs.places])
    told: dict[Place, str] = {}
    for number in range(FOLDS):
        held = _part(pairs, fold == number)
        told |= ArticleModel().fit(_part(pairs, fold != number), documents).predict(held) if held.places else {}
    return told


def _part(pairs: ArticlePairs, chosen: Any) -> ArticlePairs:
    return ArticlePairs([pairs.places[row] for row in np.flatnonzero(chosen)], pairs.rows[chosen])


def _prominence(document: Document, pair: Pair, counts: Mapping[str, int]) -> list[float]:
    """Return features of the prominence of two concepts in an article."""
    first, second = sorted(_FAMILIES.index(_family(key)) for key in pair)
    often = sorted(counts[key] for key in pair)
    titled = {a.key for a in document.annotations if a.mention and a.mention in document.title}
    return [*often, len(pair & titled), len(counts), first * len(_FAMILIES) + second]


def _family(key: str) -> str:
    kind = split_key(key)[0]
    return kind if kind in _FAMILIES[:3] else "Variant" if kind not in {"Species", "CellLine"} else "Other"
