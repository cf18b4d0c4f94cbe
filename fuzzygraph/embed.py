"""Names to vectors: a sentence model where the extra `models` is installed, or plain spelling.

`trigram` needs nothing and knows nothing: two names are near when they are spelled alike. It serves to try things out
and to catch spelling variants; "heart attack" and "myocardial infarction" are strangers to it. What names mean takes
a model, such as `dmis-lab/biobert-base-cased-v1.2` (BioBERT, the paper's) or any sentence-transformers model.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError, ModelError, ModelUnreachable
from groundwork.ports import Embedder

TRIGRAM = "trigram"
_BATCH = 64  # texts a sentence model reads at once


def connect(name_or_path: str) -> Embedder:
    """The embedder of a name.

    Args:
        name_or_path: `trigram`, or a sentence-transformers or transformers model: its folder, or its name on the
            Hugging Face hub. A model that does not say how it pools its tokens is mean-pooled.

    Raises:
        InputError: An empty name, or a model is asked for and the extra `models` is not installed.
        ModelUnreachable: No such model here, and none could be fetched.
    """
    name = name_or_path.strip()
    if not name:
        raise InputError("an empty embedder name", "trigram, or a model's name or folder", "give --embedder NAME")
    return Trigrams() if name == TRIGRAM else SentenceModel(name)


class Trigrams:
    """Spelling only: counts of a name's character trigrams, hashed with a sign into a short vector.

    Case does not matter. The hash is CRC-32, so a name has the same vector on every machine and in every run; the
    sign, one of its bits, makes trigrams that fall on one place cancel out instead of adding up.

    Args:
        size: Numbers in a vector, > 0.
    """

    def __init__(self, size: int = 512) -> None:
        self.name = "trigram (spelling only)"
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


class SentenceModel:
    """A sentence-transformers model, on a GPU if there is one.

    A folder's name is its full path, so that one model is one set of edges wherever the command is run.

    Args:
        name_or_path: As for `connect`.

    Raises:
        InputError: The extra `models` is not installed.
        ModelUnreachable: The model is neither here nor to be had.
    """

    def __init__(self, name_or_path: str) -> None:
        folder = Path(name_or_path).expanduser()
        self.name = str(folder.resolve()) if folder.is_dir() else name_or_path
        self._model = _load(self.name)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, as the model pools it; the same text gives the same row up to rounding.

        Raises:
            ModelError: The model failed on these texts (out of memory, for example).
        """
        try:
            rows = self._model.encode(
                list(texts),
                batch_size=_BATCH,
                convert_to_numpy=True,
                normalize_embeddings=False,
                show_progress_bar=False,
            )
        except RuntimeError as error:  # torch's own errors, memory included
            raise ModelError(
                f"the embedder {self.name} failed: {_first_line(error)}", "a vector for each name", "free some memory"
            ) from error
        return np.asarray(rows, np.float32)


def _load(name: str) -> Any:
    """The model of that name, from its folder, the local cache or the hub."""
    try:
        from safetensors import SafetensorError  # type: ignore[import-not-found]  # comes with transformers
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise InputError(
            f"the embedder {name!r} needs the extra `models`, which is not installed ({_first_line(error)})",
            "sentence-transformers and torch beside this program",
            "install it with: pip install 'truthhypo[models]'; or use --embedder trigram, which compares spelling only",
        ) from None
    try:
        return SentenceTransformer(name)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:  # of files, the hub's client, torch
        raise ModelUnreachable(
            f"the embedder {name!r} cannot be loaded: {_first_line(error)}",
            "a model's folder, or a name that the model hub knows, such as dmis-lab/biobert-base-cased-v1.2",
            "check the spelling and the network (HF_HUB_OFFLINE=1 forbids fetching), or give the folder of a "
            "downloaded model",
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
