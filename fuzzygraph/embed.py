"""Embedders: names to vectors.

`trigram` is built in, needs no download and knows spelling only: it takes "hyperglycemia" and "hypoglycemia" for
near twins and "heart attack" and "myocardial infarction" for strangers. It is there so that the walk from names to
similarity edges can be tried and tested; for meaning give a sentence-transformers or transformers model, by name or
folder (extra `models`).
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError
from groundwork.ports import Embedder

#: Name of the built-in embedder.
TRIGRAM = "trigram"
#: Names in one batch to a model.
BATCH = 64


class Trigrams:
    """Hashed counts of character trigrams: deterministic, without a download, about spelling and not meaning.

    Args:
        dimensions: Length of a vector.
    """

    name = TRIGRAM

    def __init__(self, dimensions: int = 256) -> None:
        self._dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text; a text without a letter or digit is a row of zeros."""
        rows = np.zeros((len(texts), self._dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for trigram in _trigrams(text):
                digest = crc32(trigram.encode())
                # One bit of the hash is the sign, so that collisions cancel instead of adding up.
                row[(digest >> 1) % self._dimensions] += 1.0 if digest & 1 else -1.0
        return rows


class SentenceModel:
    """A sentence-transformers model, or a plain transformers model under mean pooling.

    Args:
        name: The model's name or folder, which is also what results are stored under.
        model: The loaded model.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, as the model pools it."""
        vectors = self._model.encode(list(texts), batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)


def embedder(name: str) -> Embedder:
    """An embedder by name: `trigram`, or a model's name or folder.

    Raises:
        InputError: The extra `models` is not installed, or there is no such model.
    """
    if name == TRIGRAM:
        return Trigrams()
    if find_spec("sentence_transformers") is None:
        raise InputError(
            f"embedder {name!r} needs the extra `models`, which is not installed",
            f"{TRIGRAM} (built in, spelling only) or an installed model",
            "install it with: pip install 'truthhypo[models]'",
        )
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceModel(name, SentenceTransformer(name))
    except (OSError, ValueError) as error:
        where = "that folder holds no model" if Path(name).is_dir() else "no model of that name could be loaded"
        raise InputError(
            f"embedder {name!r}: {where} ({str(error).splitlines()[0] if str(error) else type(error).__name__})",
            "the name or the folder of a sentence-transformers or transformers model",
            "check the name; without a network give the folder of a downloaded model and set HF_HUB_OFFLINE=1",
        ) from None


def _trigrams(text: str) -> list[str]:
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    padded = [f" {word} " for word in words]
    return [word[i : i + 3] for word in padded for i in range(len(word) - 2)]
