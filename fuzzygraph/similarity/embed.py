"""Names to vectors: a model where the extra `models` is installed, or plain spelling.

`trigram` needs nothing and knows nothing: two names are near when they are spelled alike. It serves to try things out
and to catch spelling variants; "heart attack" and "myocardial infarction" are strangers to it. What names mean takes
a model: BioBERT (`encoder.BIOBERT`, the paper's and the default), or any other of transformers or
sentence-transformers.
"""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fuzzygraph.similarity.encoder import Encoder
from groundwork.errors import InputError
from groundwork.ports import Embedder

TRIGRAM = "trigram"


def connect(
    name_or_path: str, *, pooling: str = "auto", device: str = "auto", batch: int = 64, precision: str = "auto"
) -> Embedder:
    """The embedder of a name.

    Args:
        name_or_path: `trigram`, or a sentence-transformers or transformers model: its folder, or its name on the
            Hugging Face hub.
        pooling: `auto`, `cls` or `mean`, as for `Encoder`; this and the following are of no matter to `trigram`.
        device: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`.
        batch: Texts a model reads at once, >= 1.
        precision: `auto`, `fp32`, `fp16` or `bf16`.

    Raises:
        InputError: An empty name, an option that is not possible, or a model is asked for and the extra `models` is
            not installed.
        ModelUnreachable: No such model here, and none could be fetched; or the folder holds none.
    """
    name = name_or_path.strip()
    if not name:
        raise InputError("an empty embedder name", "trigram, or a model's name or folder", "give --embedder NAME")
    return Trigrams() if name == TRIGRAM else Encoder(name, pooling, device, batch, precision)


class Trigrams:
    """Spelling only: counts of a name's character trigrams, hashed with a sign into a short vector.

    Case does not matter. The hash is CRC-32, so a name has the same vector on every machine and in every run; the
    sign, one of its bits, makes trigrams that fall on one place cancel out instead of adding up.

    Args:
        size: Numbers in a vector, > 0.
    """

    def __init__(self, size: int = 512) -> None:
        self.name = "trigram (spelling only)"
        self.identity = f"trigram {size}"
        self.size = size

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of `size` numbers a text; all zero for a text without a character."""
        rows = np.zeros((len(texts), self.size), np.float32)
        for row, text in zip(rows, texts, strict=True):
            padded = f" {text.strip().casefold()} "
            for start in range(len(padded) - 2):
                place = crc32(padded[start : start + 3].encode("utf-8"))
                row[place % self.size] += 1.0 if place >> 31 else -1.0
        return rows
