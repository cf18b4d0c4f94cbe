"""Embed names: with a neural model (extra `models`), or by spelling alone.

`trigram` needs no extra, but two names are near only if they are spelled alike. It is useful for trials and for
spelling variants; "heart attack" and "myocardial infarction" are not near. The meaning of names needs a model: BioBERT
(`BIOBERT`, the paper's model and the default), or any other model of transformers, to which pooling is added, or of
sentence-transformers.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from groundwork.errors import InputError, ModelError, ModelUnreachable, first_line
from groundwork.model_files import device_here, quiet
from groundwork.ports import Embedder

TRIGRAM = "trigram"
Pooling = Literal["auto", "cls", "mean"]
_POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
#: BioBERT, the paper's embedder (with `cls`).
BIOBERT = "dmis-lab/biobert-base-cased-v1.2"
#: A tokenizer without a length limit has a `model_max_length` above this number.
_UNBOUNDED = 100_000
_WINDOW = 512


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


class Encoder:
    """A model that embeds texts.

    The name of a local model is the full path of its folder, so that the name, under which similarity edges are stored,
    does not depend on the current folder. If the pooling is not `auto`, the pooling is part of the name.

    Args:
        name_or_path: A model's folder, or its name on the model hub.
        pooling: `auto`: the pooling that a sentence-transformers model defines, and `mean` for other models; `cls`: the
            vector of the first token (as in the paper with BioBERT); `mean`: the mean over all tokens except padding.
        device: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:N` or `mps`.
        batch: Number of texts per batch, >= 1.

    Attributes:
        name: Name of the model, as stored with similarity edges.
        pooling: The pooling as requested.
        identity: Text that identifies the vectors: name, pooling and version of the model.

    Raises:
        InputError: The optional packages `truthhypo[models]` are not installed, or an argument is invalid.
        ModelUnreachable: The model is not on this machine and could not be downloaded, or the folder holds no model.
    """

    def __init__(self, name_or_path: str, pooling: str = "auto", device: str = "auto", batch: int = 64) -> None:
        if pooling not in _POOLINGS:
            raise InputError(f"pooling {pooling!r}", f"one of {', '.join(_POOLINGS)}", "correct --pooling")
        if batch < 1:
            raise InputError(f"batch = {batch}", "at least one text per batch", "correct --batch")
        folder = Path(name_or_path).expanduser()
        model = str(folder.resolve()) if folder.is_dir() else name_or_path
        torch, kinds = _imported(model)
        device = device_here(torch, device, "correct --device")
        self._batch, self.pooling = batch, pooling
        if pooling == "auto":
            self._model, version = _whole(model, kinds, torch, device)
        else:
            self._model, version = _bare(model, torch, device, pooling)
        self.name = model if pooling == "auto" else f"{model} ({pooling})"
        self.identity = f"{self.name} fp32 {version}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector (row) per text, not normalised. The same text gives the same vector up to rounding.

        Raises:
            ModelError: The model failed on these texts, for instance by lack of memory.
        """
        try:
            rows = self._model.encode(
                list(texts),
                batch_size=self._batch,
                convert_to_numpy=True,
                normalize_embeddings=False,
                show_progress_bar=False,
            )
        except RuntimeError as error:  # errors of torch, including lack of memory
            raise ModelError(
                f"the embedder {self.name} failed: {first_line(error)}",
                "a vector for each name",
                "free some memory, or give a smaller --batch",
            ) from error
        return np.asarray(rows, np.float32)


class _PoolingModel:
    """A transformers model whose last layer is pooled to one vector per text."""

    def __init__(self, model: Any, tokenizer: Any, torch: Any, device: str, pooling: str) -> None:
        self._model, self._tokenizer, self._torch = model, tokenizer, torch
        self._device, self._pooling = device, pooling
        places = getattr(model.config, "max_position_embeddings", None) or _WINDOW
        if "roberta" in model.config.model_type:
            places -= (model.config.pad_token_id or 0) + 1  # roberta numbers its positions from pad_token_id + 1
        limit = tokenizer.model_max_length
        self._window = min(places, limit if limit < _UNBOUNDED else places)

    def encode(self, texts: list[str], *, batch_size: int, **_: object) -> NDArray[np.float32]:
        """Return one vector (row) per text.

        Texts of similar length share a batch, because every text is padded to the longest text of its batch.
        """
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows: list[NDArray[np.float32]] = []
        with self._torch.inference_mode():
            for start in range(0, len(order), batch_size):
                some = [texts[place] for place in order[start : start + batch_size]]
                rows.append(self._pool(some).cpu().numpy())
        if not rows:
            return np.zeros((0, self._model.config.hidden_size), np.float32)
        found = np.empty((len(texts), rows[0].shape[1]), np.float32)
        found[order] = np.concatenate(rows)
        return found

    def _pool(self, texts: list[str]) -> Any:
        read = self._tokenizer(texts, padding=True, truncation=True, max_length=self._window, return_tensors="pt").to(
            self._device
        )
        states = self._model(**read).last_hidden_state
        if self._pooling == "cls":
            return states[:, 0]
        mask = read["attention_mask"].unsqueeze(-1).to(states.dtype)
        return (states * mask).sum(1) / mask.sum(1).clamp(min=1.0)


def _imported(name: str) -> tuple[Any, Any]:
    """Return the modules torch and sentence_transformers."""
    try:
        import sentence_transformers
        import torch
    except ImportError as error:
        raise InputError(
            f"the embedder {name!r} needs the extra `models`, which is not installed ({first_line(error)})",
            "sentence-transformers and torch",
            "install them with: pip install 'truthhypo[models]'; or use the embedder trigram (spelling only)",
        ) from None
    return torch, sentence_transformers


def _whole(name: str, kinds: Any, torch: Any, device: str) -> tuple[Any, str]:
    """Return a sentence-transformers model, and a text that identifies its version.

    If the model defines no pooling, the mean is used.
    """
    return _loaded(
        name,
        lambda: kinds.SentenceTransformer(name, device=device).to(torch.float32),
        lambda model: getattr(getattr(model[0], "auto_model", None), "config", None),
    )


def _bare(name: str, torch: Any, device: str, pooling: str) -> tuple[Any, str]:
    """Return a transformers model with pooling added, and a text that identifies its version."""
    from transformers import AutoModel, AutoTokenizer

    def load() -> Any:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModel.from_pretrained(name).to(device, torch.float32).eval()
        return _PoolingModel(model, tokenizer, torch, device, pooling)

    return _loaded(name, load, lambda pooled: pooled._model.config)


def _loaded(name: str, load: Any, config: Any) -> tuple[Any, str]:
    """Return the model that `load` gives, and a text that identifies its version."""
    from safetensors import SafetensorError  # type: ignore[import-not-found]  # comes with transformers

    folder = Path(name)
    if folder.is_dir() and not any((folder / file).is_file() for file in ("config.json", "modules.json")):
        raise _unreachable(name, "the folder has neither config.json nor modules.json, so it holds no model")
    try:
        with quiet():
            model = load()
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError) as error:  # files, hub, torch
        raise _unreachable(name, first_line(error)) from error
    if folder.is_dir():
        return model, _fingerprint(folder)
    return model, str(getattr(config(model), "_commit_hash", None) or "")


def _fingerprint(folder: Path) -> str:
    """Return a digest of the names, sizes and modification times of a folder's files."""
    seen = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            told = path.stat()
            seen.update(f"{path.relative_to(folder)} {told.st_size} {told.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:16]


def _unreachable(name: str, why: str) -> ModelUnreachable:
    return ModelUnreachable(
        f"the embedder {name!r} cannot be loaded: {why}",
        f"a model's folder, or a name on the model hub, such as {BIOBERT}",
        "check the spelling and the network (HF_HUB_OFFLINE=1 forbids downloads), or give the folder of a "
        "downloaded model",
    )
