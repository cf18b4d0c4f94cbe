"""Embed names: with a neural model (extra `models`), or by spelling alone.

`trigram` needs no extra, but two names are near only if they are spelled alike. It is useful for trials and for
spelling variants; "heart attack" and "myocardial infarction" are not near. The meaning of names needs a model: BioBERT
(`encoder.BIOBERT`, the paper's model and the default), or any other model of transformers or sentence-transformers.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.similarity.encoder import Encoder
from groundwork.errors import InputError
from groundwork.ports import Embedder

TRIGRAM = "trigram"


def connect(name_or_path: str, *, pooling: str = "auto", device: str = "auto", batch: int = 64) -> Embedder:
    """Return the embedder of this name.

    Args:
        name_or_path: `trigram`, or a sentence-transformers or transformers model, given as its folder or its name on
            the Hugging Face hub.
        pooling: `auto`, `cls` or `mean`, as for `Encoder`. `trigram` ignores this and the following arguments.
        device: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`.
        batch: Number of texts per batch, >= 1.

    Raises:
        InputError: The name is empty, an option is not possible, or the extra `models` is needed and not installed.
        ModelUnreachable: The model is not on this machine and could not be downloaded, or the folder holds no model.
    """
    name = name_or_path.strip()
    if not name:
        raise InputError("an empty embedder name", "trigram, or a model's name or folder", "give --embedder NAME")
    return Trigrams() if name == TRIGRAM else Encoder(name, pooling, device, batch)


class Trigrams:
    """Embeds by spelling: counts of a name's character trigrams, hashed with a sign into a short vector.

    Case is ignored. The hash is CRC-32, so a name has the same vector on every machine and in every run. The sign is
    one bit of the hash; it makes trigrams with the same place in the vector cancel on average.

    Args:
        size: Length of a vector, > 0.
    """

    def __init__(self, size: int = 512) -> None:
        self.name = "trigram (spelling only)"
        self.identity = f"trigram {size}"
        self.size = size

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of `size` numbers per text; all zero for a blank text."""
        rows = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {text.strip().casefold()} "
            for start in range(len(padded) - 2):
                place = crc32(padded[start : start + 3].encode("utf-8"))
                row[place % self.size] += 1.0 if place >> 31 else -1.0
        return rows
