"""Make the weights of the reader from labelled documents, with a card that says what they are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from groundwork.errors import InputError
from groundwork.reading.weights import CLASSES, save
from ingest.documents.document import Document
from truthhypo.bench.reader.examples import Example, examples, read_documents
from truthhypo.bench.reader.fitting import (
    FOLDS,
    RIGHT,
    Decided,
    Fitted,
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


def train(data: Sequence[Path], out: Path, *, held_out: Sequence[Path] = ()) -> Mapping[str, Any]:
    """Fit weights on documents and write them.

    Args:
        data: Documents in PubTator or BioC-JSON format with relations.
        out: The file to write.
        held_out: Documents that are measured on and not fitted on; those that `data` holds as well are left out.

    Returns:
        The card that is written with the weights.

    Raises:
        InputError: A file cannot be read, or the documents lack a class of relations or are too few to be parted.
    """
    documents = read_documents(data)
    if len({document.pmid % FOLDS for document in documents}) < FOLDS:
        raise InputError(
            f"{len(documents)} documents", f"enough documents for {FOLDS} folds, some hundred", "give more documents"
        )
    taught = list(examples(documents))
    crossed = cross_validated(taught)
    temperature = temperature_of(taught, crossed)
    found = probabilities(crossed, temperature)
    signed = threshold_of(decisions(documents, taught, found))
    related = threshold_of(related_decisions(documents, taught, found))
    fitted = fit(taught)
    card = {
        "made": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": [{"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()} for path in data],
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
            "calibration_error": calibration_error(taught, found),
        },
    }
    if held_out:
        own = {document.pmid for document in documents}
        rest = [document for document in read_documents(held_out) if document.pmid not in own]
        card["held_out"] = {
            "data": [{"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()} for path in held_out],
            "documents": len(rest),
            **_measured(rest, fitted, temperature, signed.threshold, related.threshold),
        }
    save(out, fitted.names, fitted.coefficients, fitted.intercept, card)
    return card


def calibration_error(taught: Sequence[Example], found: Matrix, bins: int = 10) -> float:
    """Return the expected calibration error of the likeliest class, over bins of equal width, in [0, 1]."""
    gold = np.array([CLASSES.index(example.label) for example in taught])
    sure, hit = found.max(axis=1), found.argmax(axis=1) == gold
    place = np.minimum((sure * bins).astype(int), bins - 1)
    parts = [np.flatnonzero(place == number) for number in range(bins)]
    return round(float(sum(abs(sure[p].mean() - hit[p].mean()) * p.size for p in parts if p.size) / len(gold)), 4)


def _measured(
    documents: Sequence[Document], fitted: Fitted, temperature: float, threshold: float, threshold_any: float
) -> dict[str, Any]:
    asked = list(examples(documents))
    found = probabilities(scores(fitted, asked), temperature)
    return {
        "signed": asdict(_at(threshold, decisions(documents, asked, found))),
        "related": asdict(_at(threshold_any, related_decisions(documents, asked, found))),
        "calibration_error": calibration_error(asked, found),
    }


def _at(threshold: float, decided: Sequence[Decided]) -> Decided:
    return min(decided, key=lambda each: abs(each.threshold - threshold))
