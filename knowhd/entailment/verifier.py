"""Entailment models through transformers (extra `models`): `nli:NAME_OR_PATH` and `minicheck:NAME_OR_PATH`.

`nli:` opens sequence classifiers trained on pairs of premise and hypothesis. `minicheck:` opens the models published
under that name: classifiers that read both texts joined by the end token, and T5 models. A T5 model answers 1 or 0 to a
text that begins with `predict: `, as in the code of MiniCheck's authors. Models run on this machine, and no code from a
model's folder is run.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundwork.device import device_here
from groundwork.errors import InputError, ModelError, ModelUnreachable
from groundwork.model_files import missing_extra, require_model
from groundwork.quiet import quiet
from groundwork.validation import first_line
from knowhd.entailment.labels import stances_of
from knowhd.judge import Stance

KINDS = ("nli", "minicheck")
#: Windows in tokens for models that state none: `WINDOW` for classifiers, `T5_WINDOW` (as in MiniCheck) for T5 models.
WINDOW, T5_WINDOW = 512, 2048
_MARKS = 8  # tokens reserved for special tokens, and for places where joined texts tokenize differently
_UNBOUNDED = 1_000_000  # tokenizers without a limit state a larger number than this


class Verifier:
    """A local model as a `Scorer`.

    Args:
        name: `nli:` or `minicheck:` followed by the model's folder or its name on the Hugging Face hub.
        device: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:1`, `mps`.
        batch: Number of pairs per batch, >= 1.

    Raises:
        InputError: The extra is not installed, the labels are unclear, or the device does not exist.
        ModelUnreachable: The model is not on this machine and could not be downloaded.
    """

    def __init__(self, name: str, device: str = "auto", batch: int = 16) -> None:
        kind, _, place = name.partition(":")
        folder = Path(place).expanduser()
        self.name = f"{kind}:{folder.resolve() if folder.is_dir() else place}"
        self._batch = batch
        self._minicheck = kind == "minicheck"
        self._torch, config, self._tokenizer, self._model = _load(self.name, self._minicheck)
        self._answers = self._minicheck and bool(config.is_encoder_decoder)
        self._stances = self._read(config)
        self.window = _window(config, self._tokenizer) - _MARKS
        self._device = device_here(self._torch, device, "set judge_device")
        self._model.to(self._device).eval()

    def length(self, text: str) -> int:
        """Return the number of tokens of a text, without special tokens at its ends."""
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[dict[Stance, float]]:
        """Return probabilities per (premise, hypothesis), as `Scorer` does. Pairs of similar length share a batch."""
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]) + len(pairs[at][1]))
        found: dict[int, dict[Stance, float]] = {}
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            try:
                rows = self._probabilities([pairs[at] for at in chosen])
            except RuntimeError as error:  # errors of torch, including lack of memory
                raise ModelError(
                    f"the verifier {self.name} failed: {first_line(error)}",
                    "a probability for each pair",
                    "free some memory, or set judge_batch to a smaller number",
                ) from error
            for at, row in zip(chosen, rows, strict=True):
                found[at] = {stance: row[number] for number, stance in self._stances.items() if stance}
        return [found[at] for at in range(len(pairs))]

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        with self._torch.inference_mode():
            if self._minicheck:
                end = self._tokenizer.eos_token or self._tokenizer.sep_token or " "
                joined = [f"{premise}{end}{claim}" for premise, claim in pairs]
            if self._answers:
                read = self._encoded([f"predict: {text}" for text in joined])
                start = self._model.config.decoder_start_token_id
                first = self._torch.full((len(pairs), 1), start, dtype=self._torch.long, device=self._device)
                logits = self._model(**read, decoder_input_ids=first).logits[:, 0, list(self._digits)]
            elif self._minicheck:
                logits = self._model(**self._encoded(joined)).logits
            else:
                logits = self._model(**self._encoded([p for p, _ in pairs], [c for _, c in pairs])).logits
            rows: list[list[float]] = self._torch.softmax(logits.float(), dim=-1).cpu().tolist()
            return rows

    def _encoded(self, first: list[str], second: list[str] | None = None) -> Any:
        return self._tokenizer(first, second, padding=True, return_tensors="pt").to(self._device)

    def _read(self, config: Any) -> dict[int, Stance | None]:
        """Return the stance for each output. The outputs of a T5 model are its answers 0 and 1."""
        if not self._answers:
            return stances_of(dict(config.id2label), self.name, minicheck=self._minicheck)
        no, yes = (self._tokenizer(digit, add_special_tokens=False)["input_ids"][:1] for digit in "01")
        if not no or not yes or no == yes:
            raise InputError(
                f"{self.name} generates text, and its tokenizer does not distinguish 0 and 1",
                "a sequence classifier, or a model that answers 0 and 1",
                "choose a model published as MiniCheck, with its own tokenizer",
            )
        self._digits = (no[0], yes[0])
        return {0: None, 1: "supports"}


def _load(name: str, minicheck: bool) -> tuple[Any, Any, Any, Any]:
    """Return torch and the model's configuration, tokenizer and weights, from a folder, the local cache or the hub."""
    require_model(name)
    place = name.partition(":")[2]
    try:
        import torch
        import transformers
        from safetensors import SafetensorError  # type: ignore[import-not-found]  # comes with transformers
    except ImportError as error:
        raise missing_extra(name, first_line(error)) from None
    try:
        with quiet():
            config = transformers.AutoConfig.from_pretrained(place)
            answers = minicheck and config.is_encoder_decoder
            auto = transformers.AutoModelForSeq2SeqLM if answers else transformers.AutoModelForSequenceClassification
            model, told = auto.from_pretrained(place, output_loading_info=True)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:  # errors of files, the hub's client and torch
        raise ModelUnreachable(
            f"the judge {name!r} cannot be loaded: {first_line(error)}",
            "a model's folder, or a name on the model hub",
            "check the spelling and the network (HF_HUB_OFFLINE=1 forbids downloads), or give the folder of a "
            "downloaded model",
        ) from error
    if told["missing_keys"]:  # transformers fills missing weights with random numbers
        lacking = f"it has no {', '.join(sorted(told['missing_keys']))}"
        raise InputError(
            f"{name} generates text: {lacking}" if config.is_encoder_decoder else f"{name} is not a judge: {lacking}",
            "a sequence classifier with the labels entailment, neutral, contradiction",
            "choose one trained on pairs of premise and claim; a MiniCheck model is named minicheck:NAME",
        )
    return torch, config, tokenizer, model


def _window(config: Any, tokenizer: Any) -> int:
    """Return the number of tokens that a model reads, including its special tokens."""
    places = getattr(config, "max_position_embeddings", None)
    if places and "roberta" in config.model_type:
        places -= (config.pad_token_id or 0) + 1  # roberta numbers positions from pad_token_id + 1
    bounds = [bound for bound in (places, tokenizer.model_max_length) if bound and bound < _UNBOUNDED]
    return min(bounds) if bounds else T5_WINDOW if config.is_encoder_decoder else WINDOW
