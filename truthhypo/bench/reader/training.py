"""Fit the weights of the relation reader on labelled documents, and describe the data and the results in a card."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from groundwork.errors import InputError
from groundwork.manifest import FileEntry
from groundwork.reading.weights import CLASSES, save
from groundwork.statistics.calibration import calibration_error
from ingest.documents.document import Document
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs, cross_predicted
from truthhypo.bench.reader.examples import Example, examples, read_documents
from truthhypo.bench.reader.fitting import (
    FOLDS,
    RIGHT,
    Decision,
    FittedModel,
    Matrix,
    cross_validated,
    decisions,
    fit,
    probabilities,
    related_decisions,
    scores,
    temperature_of,
    threshold_of,
)
from truthhypo.bench.reader.relation_f1 import relation_f1


def train(data: Sequence[Path], out: Path, *, held_out: Sequence[Path] = ()) -> Mapping[str, Any]:
    """Fit weights on documents, and write the weights to a file.

    Args:
        data: Documents in PubTator or BioC-JSON format with relations.
        out: The file to write.
        held_out: Documents that are used only for measuring. Documents that are also in `data` are left out.

    Returns:
        The card that is stored with the weights.

    Raises:
        InputError: A file cannot be read, a class of relations occurs in no document, or there are too few documents
            for the folds.
    """
    documents = read_documents(data)
    if len({document.pmid % FOLDS for document in documents}) < FOLDS:
        raise InputError(
            f"{len(documents)} documents",
            f"enough documents for {FOLDS} folds, for instance 200",
            "give more documents",
        )
    taught = list(examples(documents))
    crossed = cross_validated(taught)
    temperature = temperature_of(taught, crossed)
    found = probabilities(crossed, temperature)
    signed = threshold_of(decisions(documents, taught, found))
    related = threshold_of(related_decisions(documents, taught, found))
    pairs = ArticlePairs.of(documents, taught, found)
    fitted = fit(taught)
    card: dict[str, Any] = {
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": _files(data),
        "documents": len(documents),
        "examples": {name: sum(example.label == name for example in taught) for name in CLASSES},
        "features": len(fitted.names),
        "temperature": temperature,
        "threshold": signed.threshold,
        "threshold_any": related.threshold,
        "cross_validation": {
            "folds": f"{FOLDS}, by document",
            "threshold_from": f"the lowest at which {RIGHT:g} of the decided pairs are right",
            "signed": asdict(signed),
            "related": asdict(related),
            "f1": asdict(relation_f1(documents, cross_predicted(pairs, documents))),
            "calibration_error": _error(taught, found),
        },
    }
    if held_out:
        own = {document.pmid for document in documents}
        rest = [document for document in read_documents(held_out) if document.pmid not in own]
        card["held_out"] = {
            "data": _files(held_out),
            "documents": len(rest),
            **_measured(rest, fitted, ArticleModel().fit(pairs, documents), card),
        }
    save(out, fitted.names, fitted.coefficients, fitted.intercept, card)
    return card


def _error(asked: Sequence[Example], found: Matrix) -> float | None:
    """Return the calibration error of the probability of the most probable class; None without examples."""
    gold = np.array([CLASSES.index(example.label) for example in asked], dtype=int)
    error = calibration_error(found.max(axis=1), found.argmax(axis=1) == gold)
    return None if error is None else round(error, 4)


def _files(paths: Sequence[Path]) -> list[dict[str, str]]:
    """Return the name and SHA-256 of each file."""
    return [{"name": path.name, "sha256": FileEntry.of(path).sha256} for path in paths]


def _measured(
    documents: Sequence[Document], fitted: FittedModel, model: ArticleModel, card: Mapping[str, Any]
) -> dict[str, Any]:
    asked = list(examples(documents))
    found = probabilities(scores(fitted, asked), card["temperature"])
    return {
        "signed": asdict(_at(card["threshold"], decisions(documents, asked, found))),
        "related": asdict(_at(card["threshold_any"], related_decisions(documents, asked, found))),
        "f1": asdict(relation_f1(documents, model.predict(ArticlePairs.of(documents, asked, found)))),
        "calibration_error": _error(asked, found),
    }


def _at(threshold: float, decided: Sequence[Decision]) -> Decision:
    return min(decided, key=lambda each: abs(each.threshold - threshold))
