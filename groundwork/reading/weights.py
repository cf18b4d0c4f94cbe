"""The fitted weights of the reader: a linear model over named features, evaluated with numpy alone."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError

#: Classes of the relation between two mentions, in the order of the columns of the coefficients.
CLASSES = ("none", "related", "down", "up")
#: Version of the features. Increase it when the features change, so that weights for other features are rejected.
FORMAT = 3

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """A fitted multinomial logistic regression.

    Attributes:
        rows: Row number of each feature in `coefficients`.
        coefficients: Shape (features, classes).
        intercept: Shape (classes,).
        temperature: Divisor of the scores that calibrates the probabilities, > 0.
        threshold: Smallest clearness (`reader.clearness`) with which a sign is decided, in (0, 1).
        threshold_any: Smallest probability with which a relation is decided, in (0, 1).
        card: Training data, date and measured figures.
        sha256: Checksum of the file, in hexadecimal digits.
    """

    rows: Mapping[str, int]
    coefficients: Floats
    intercept: Floats
    temperature: float
    threshold: float
    threshold_any: float
    card: Mapping[str, Any]
    sha256: str

    def probabilities(self, names: Iterable[str]) -> Floats:
        """Return the probability of each class for a set of features; the probabilities sum to 1."""
        known = [row for name in dict.fromkeys(names) if (row := self.rows.get(name)) is not None]
        scores = (self.intercept + self.coefficients[known].sum(axis=0)) / self.temperature
        exponents = np.exp(scores - scores.max())
        found: Floats = exponents / exponents.sum()
        return found

    def row(self, name: str) -> Floats | None:
        """Return the coefficients of a feature, or None if it was not fitted."""
        found = self.rows.get(name)
        return None if found is None else self.coefficients[found]


@lru_cache(maxsize=1)
def shipped() -> Weights:
    """Return the weights that come with the program."""
    with as_file(files("groundwork.reading").joinpath("weights.npz")) as path:
        return load(path)


def load(path: Path) -> Weights:
    """Read a file of weights written by `save`.

    Raises:
        InputError: If the file cannot be read, or was fitted for other features.
    """
    wanted, remedy = "a file made by `truthhypo bench train-reader`", "correct the path, or make the file again"
    try:
        held = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}", wanted, remedy) from error
    try:
        with np.load(BytesIO(held), allow_pickle=False) as file:
            card = json.loads(bytes(file["card"]).decode())
            names = bytes(file["names"]).decode().split("\n")
            coefficients = file["coefficients"].astype(np.float32)
            intercept = file["intercept"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise InputError(f"{path} contains no weights of a reader: {error}", wanted, remedy) from error
    if card.get("format") != FORMAT or len(names) != len(coefficients):
        raise InputError(
            f"{path} was fitted for features of version {card.get('format')}",
            f"weights for features of version {FORMAT}",
            "make the file again with `truthhypo bench train-reader`",
        )
    rows = {name: row for row, name in enumerate(names)}
    decided = card["temperature"], card["threshold"], card["threshold_any"]
    return Weights(rows, coefficients, intercept, *decided, card, sha256(held).hexdigest())


def save(path: Path, names: Sequence[str], coefficients: Floats, intercept: Floats, card: Mapping[str, Any]) -> None:
    """Write weights to a file; the same values always give the same bytes.

    Args:
        path: The file. If its name does not end with `.npz`, numpy adds this suffix.
        names: The features, one per row.
        coefficients: Shape (features, classes).
        intercept: Shape (classes,).
        card: Contains `temperature`, `threshold`, `threshold_any` and the description of the fit.
    """
    np.savez_compressed(
        path,
        card=np.frombuffer(json.dumps({"format": FORMAT, **card}, indent=1).encode(), dtype=np.uint8),
        names=np.frombuffer("\n".join(names).encode(), dtype=np.uint8),
        coefficients=coefficients.astype(np.float16),
        intercept=intercept.astype(np.float32),
    )
