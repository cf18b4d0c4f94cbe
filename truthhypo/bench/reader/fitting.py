"""Fit the relation reader: multinomial logistic regression over features of pairs, calibrated by cross-validation.

The reader is fitted twice. The second fit gives little weight to a sentence if, by the first fit, the sentence probably
does not state the relation that its document is labelled with.

All sentences of a document are in the same fold. Decisions are measured on the pairs of a document. A pair takes the
sign of its most certain sentence, if no other sentence is nearly as certain of the opposite. The unrelated pairs of a
document are weighted as if there were as many of them as signed pairs, as in
`truthhypo.bench.judge_calibration.labelled`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.reading.features import features
from groundwork.reading.reader import clearness
from groundwork.reading.weights import CLASSES, Floats
from ingest.documents.document import Document
from truthhypo.bench.reader.examples import Example, Pair, keys_of, labels
from truthhypo.bench.reader.statements import statements
from truthhypo.hypotheses.learners import check_installed

FOLDS = 5
#: Inverse of the L2 penalty, and weight of a sentence frame (`statements`) relative to a sentence of a document. All
#: verbs of a frame share its weight. Both were chosen by cross-validation on BioRED Train.
INVERSE_PENALTY = 0.1
FRAME_WEIGHT = 8.0
#: Smallest weight of a sentence about a related pair (`stated`), chosen in the same way.
LEAST_WEIGHT = 0.2
#: Features that occur in fewer examples than this are left out.
LEAST_SEEN = 2
#: Required share of correct decisions at the threshold: the goal is .85, and .02 is added for the noise of
#: cross-validation.
RIGHT = 0.87
_THRESHOLDS = np.round(np.arange(0.05, 0.96, 0.01), 2)
_TEMPERATURES = np.round(np.arange(0.5, 3.01, 0.05), 2)
#: Features whose largest absolute coefficient is smaller than this are left out of the file of weights.
_NOTHING = 0.01

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class FittedModel:
    """The weights from a fit; see `groundwork.reading.weights.save`."""

    names: tuple[str, ...]
    coefficients: Floats
    intercept: Floats


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The pairs of a document on which decisions are measured.

    Attributes:
        signed: Number of pairs with a signed relation.
        share: Weight of each unrelated pair, in [0, 1]. All unrelated pairs together weigh at most `signed`.
    """

    signed: int
    share: float

    @classmethod
    def of(cls, document: Document) -> "Evaluation":
        """Count the pairs of a document, and return the evaluation."""
        related = labels(document)
        signed = sum(label in {"up", "down"} for label in related.values())
        concepts = len(keys_of(document))
        unrelated = concepts * (concepts - 1) // 2 - len(related)
        return cls(signed, min(signed, unrelated) / unrelated if unrelated > 0 else 0.0)


@dataclass(frozen=True, slots=True)
class Decision:
    """The decisions at one threshold, as counts and shares: on the signs of pairs, or on whether pairs are related.

    Attributes:
        threshold: Minimum clearness for deciding a sign, or minimum probability for deciding a relation.
        decided: Number of pairs that are given a sign, or that are decided to be related.
        right: Share of correct decisions among these pairs. For signs, the pairs are weighted as the module describes.
        recall: Share of the pairs labelled with a sign that are given this sign, or of the pairs labelled with a
            relation that are decided to be related.
    """

    threshold: float
    decided: int
    right: float
    recall: float


def fit(examples: Sequence[Example]) -> FittedModel:
    """Fit weights on examples and on plain statements (see module `statements`).

    Negated examples are left out, because rules read negation.

    Raises:
        InputError: scikit-learn is not installed, or a class has no example.
    """
    check_installed("fitting the reader")
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    taught = [example for example in examples if not example.negated]
    lacking = set(CLASSES) - {example.label for example in taught}
    if lacking:
        raise InputError(
            f"no labelled pair of the class {sorted(lacking)[0]!r} in these documents",
            "documents with related and unrelated concepts in one sentence, of both signs",
            "give more documents",
        )
    plain = [(frozenset(n for n, _ in features(view)), kind, share) for view, kind, share in statements()]
    every = [*(example.names for example in taught), *(names for names, _, _ in plain)]
    seen = Counter(name for names in every for name in names)
    kept = frozenset(name for name, count in seen.items() if count >= LEAST_SEEN)
    vectorizer = DictVectorizer(dtype=np.float32)
    rows = [dict.fromkeys(sorted(names & kept), 1) for names in every]
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=300, tol=1e-3, warm_start=True)
    weights = np.array([1.0] * len(taught) + [FRAME_WEIGHT * share for _, _, share in plain])
    known = [example.label for example in taught] + [kind for _, kind, _ in plain]
    table = vectorizer.fit_transform(rows)
    model.fit(table, known, weights)
    weights[: len(taught)] = stated(taught, model.predict_proba(table[: len(taught)]), list(model.classes_))
    model.fit(table, known, weights)
    order = [list(model.classes_).index(name) for name in CLASSES]
    coefficients = model.coef_[order].T.astype(np.float32)
    telling = np.flatnonzero(np.abs(coefficients).max(axis=1) >= _NOTHING)
    names = vectorizer.get_feature_names_out()
    return FittedModel(
        tuple(str(names[row]) for row in telling), coefficients[telling], model.intercept_[order].astype(np.float32)
    )


def stated(taught: Sequence[Example], found: Matrix, classes: list[str]) -> Matrix:
    """Return the weight of each example: how probable it is that its sentence states the relation of its document.

    BioRED labels whole documents. If one sentence states the relation of a pair clearly, another sentence may only name
    both concepts. The reader must not learn that the wording of this other sentence states a relation.

    Args:
        taught: The examples.
        found: Probabilities from a first fit, shape (examples, classes).
        classes: The classes of the columns.
    """
    own = found[np.arange(len(taught)), [classes.index(example.label) for example in taught]]
    surest: dict[tuple[int, Pair], float] = defaultdict(float)
    for example, sure in zip(taught, own, strict=True):
        surest[example.pmid, example.pair] = max(surest[example.pmid, example.pair], float(sure))
    return np.array(
        [
            1.0 if example.label == "none" else max(LEAST_WEIGHT, sure / surest[example.pmid, example.pair])
            for example, sure in zip(taught, own, strict=True)
        ]
    )


def scores(fitted: FittedModel, examples: Iterable[Example]) -> Matrix:
    """Return the linear scores of examples, shape (examples, classes)."""
    rows = {name: row for row, name in enumerate(fitted.names)}
    found = [
        fitted.intercept + fitted.coefficients[[rows[n] for n in example.names if n in rows]].sum(axis=0)
        for example in examples
    ]
    return np.array(found, dtype=np.float64).reshape(-1, len(CLASSES))


def cross_validated(examples: Sequence[Example]) -> Matrix:
    """Return the scores of each example from a model that was fitted without the example's fold."""
    found = np.zeros((len(examples), len(CLASSES)))
    fold = np.array([example.pmid % FOLDS for example in examples])
    for number in range(FOLDS):
        held = np.flatnonzero(fold == number)
        if held.size:
            fitted = fit([example for example, own in zip(examples, fold, strict=True) if own != number])
            found[held] = scores(fitted, (examples[int(index)] for index in held))
    return found


def probabilities(found: Matrix, temperature: float) -> Matrix:
    """Return the softmax of scores divided by a temperature."""
    scaled = found / temperature
    exponents = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    result: Matrix = exponents / exponents.sum(axis=1, keepdims=True)
    return result


def temperature_of(examples: Sequence[Example], found: Matrix) -> float:
    """Return the temperature with the smallest log loss on cross-validated scores."""
    gold = np.array([CLASSES.index(example.label) for example in examples])
    rows = np.arange(len(gold))

    def loss(temperature: float) -> float:
        return float(-np.log(probabilities(found, temperature)[rows, gold]).mean())

    return float(min(_TEMPERATURES, key=loss))


def signs(examples: Sequence[Example], found: Matrix) -> dict[tuple[int, Pair], tuple[float, str]]:
    """Return the sign of each pair of an article, and how clearly its sentences state the sign (`reader.clearness`).

    Args:
        examples: The examples. Negated examples are ignored.
        found: Probabilities of the examples, shape (examples, classes).
    """
    most: dict[tuple[int, Pair], tuple[float, float]] = {}
    for example, (_, _, down, up) in zip(examples, found, strict=True):
        if not example.negated:
            known = most.get((example.pmid, example.pair), (0.0, 0.0))
            most[example.pmid, example.pair] = max(known[0], down), max(known[1], up)
    return {
        place: (clearness(max(pair), min(pair)), "up" if pair[1] >= pair[0] else "down") for place, pair in most.items()
    }


def decisions(documents: Iterable[Document], examples: Sequence[Example], found: Matrix) -> list[Decision]:
    """Return the decisions on signs at each threshold. `found` contains the probabilities of the examples."""
    asked = {document.pmid: Evaluation.of(document) for document in documents}
    label = {(example.pmid, example.pair): example.label for example in examples}
    told = signs(examples, found)
    return [_decided(threshold, told, label, asked) for threshold in map(float, _THRESHOLDS)]


def _decided(
    threshold: float,
    best: dict[tuple[int, Pair], tuple[float, str]],
    label: dict[tuple[int, Pair], str],
    asked: dict[int, Evaluation],
) -> Decision:
    told = {place: sign for place, (sure, sign) in best.items() if sure >= threshold}
    weight: dict[bool, float] = defaultdict(float)
    for place, sign in told.items():
        if label[place] in {"up", "down"}:
            weight[label[place] == sign] += 2.0  # `labelled` makes two claims from a pair: the claim and its opposite
        elif label[place] == "none":
            weight[False] += asked[place[0]].share
    right = sum(label[place] == sign for place, sign in told.items())
    total = weight[True] + weight[False]
    return Decision(
        threshold,
        len(told),
        weight[True] / total if total else 1.0,
        right / max(1, sum(each.signed for each in asked.values())),
    )


def related_decisions(documents: Iterable[Document], examples: Sequence[Example], found: Matrix) -> list[Decision]:
    """Return the decisions at each threshold on whether pairs are related, with or without a sign."""
    known = {(document.pmid, pair) for document in documents for pair in labels(document)}
    best: dict[tuple[int, Pair], float] = {}
    for example, (none, *_) in zip(examples, found, strict=True):
        if not example.negated:
            place = example.pmid, example.pair
            best[place] = max(best.get(place, 0.0), 1.0 - float(none))
    decided = []
    for threshold in map(float, _THRESHOLDS):
        told = {place for place, sure in best.items() if sure >= threshold}
        right = len(told & known)
        decided.append(Decision(threshold, len(told), right / max(1, len(told)), right / max(1, len(known))))
    return decided


def threshold_of(decided: Sequence[Decision]) -> Decision:
    """Return the decisions at the lowest threshold that is precise enough.

    At this threshold and at all higher ones, the share of correct decisions is at least RIGHT. If no threshold is
    precise enough, the decisions at the highest one are returned.
    """
    wrong = [place for place, each in enumerate(decided) if each.right < RIGHT and each.decided]
    return decided[min(wrong[-1] + 1, len(decided) - 1) if wrong else 0]
