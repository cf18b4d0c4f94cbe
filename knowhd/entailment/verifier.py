"""Models of entailment through transformers (extra `models`): `nli:NAME_OR_PATH` and `minicheck:NAME_OR_PATH`.

`nli:` takes sequence classifiers trained on pairs (premise, hypothesis). `minicheck:` takes the verifiers published
under that name: classifiers that read the two joined by the end mark, and T5 models that answer 1 or 0 after
`predict: ` (as in their authors' code). Both run here; nothing in a model's folder is run as code.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundwork.device import device_here
from groundwork.errors import InputError, ModelError, ModelUnreachable
from groundwork.quiet import quiet
from knowhd.entailment.labels import stances_of
from knowhd.judge import Stance

KINDS = ("nli", "minicheck")
#: Windows of models that name none: of T5 that which MiniCheck is used with.
WINDOW, T5_WINDOW = 512, 2048
_MARKS = 8  # tokens left for the model's own marks, and for joints that tokenize differently
_UNBOUNDED = 1_000_000  # what tokenizers say that know no bound is larger


class Verifier:
    """A local model as a `Scorer`.

    Args:
        name: `nli:` or `minicheck:`, and the model's folder or its name on the Hugging Face hub.
        device: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:1`, `mps`.
        batch: Pairs read at once, >= 1.

    Raises:
        InputError: The extra is not installed, the labels are unclear, or there is no such device.
        ModelUnreachable: The model is neither here nor to be had.
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
        """Tokens of a text, without marks at its ends."""
        return len(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[dict[Stance, float]]:
        """Probabilities per (premise, hypothesis); see `Scorer`. Pairs of like length are read together."""
        order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]) + len(pairs[at][1]))
        found: dict[int, dict[Stance, float]] = {}
        for start in range(0, len(order), self._batch):
            chosen = order[start : start + self._batch]
            try:
                rows = self._probabilities([pairs[at] for at in chosen])
            except RuntimeError as error:  # torch's own errors, memory included
                raise ModelError(
                    f"the verifier {self.name} failed: {_first_line(error)}",
                    "a probability for each pair",
                    "free some memory, or give a smaller judge_batch",
                ) from error
            for at, row in zip(chosen, rows, strict=True):
                found[at] = {stance: row[number] for number, stance in self._stances.items() if stance}
        return [found[at] for at in range(len(pairs))]

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        with self._torch.inference_mode():
            if self._answers:
                read = self._encoded([f"predict: {premise}{self._end}{claim}" for premise, claim in pairs])
                start = self._model.config.decoder_start_token_id
                first = self._torch.full((len(pairs), 1), start, dtype=self._torch.long, device=self._device)
                logits = self._model(**read, decoder_input_ids=first).logits[:, 0, list(self._digits)]
            elif self._minicheck:
                logits = self._model(
                    **self._encoded([f"{premise}{self._end}{claim}" for premise, claim in pairs])
                ).logits
            else:
                logits = self._model(**self._encoded([p for p, _ in pairs], [c for _, c in pairs])).logits
            rows: list[list[float]] = self._torch.softmax(logits.float(), dim=-1).cpu().tolist()
            return rows

    def _encoded(self, first: list[str], second: list[str] | None = None) -> Any:
        return self._tokenizer(first, second, padding=True, return_tensors="pt").to(self._device)

    @property
    def _end(self) -> str:
        end: str = self._tokenizer.eos_token or self._tokenizer.sep_token or " "
        return end

    def _read(self, config: Any) -> dict[int, Stance | None]:
        """What the outputs mean; those of a T5 model are its answers 0 and 1."""
        if not self._answers:
            return stances_of(dict(config.id2label), self.name, minicheck=self._minicheck)
        no, yes = (self._tokenizer(digit, add_special_tokens=False)["input_ids"][:1] for digit in "01")
        if not no or not yes or no == yes:
            raise InputError(
                f"{self.name} answers in words, and its tokenizer tells 0 and 1 not apart",
                "a sequence classifier, or a model that answers 0 and 1",
                "name a model published as MiniCheck, with its own tokenizer",
            )
        self._digits = (no[0], yes[0])
        return {0: None, 1: "supports"}


def _load(name: str, minicheck: bool) -> tuple[Any, Any, Any, Any]:
    """torch, and the configuration, tokenizer and model of that name, from its folder, the local cache or the hub."""
    place = name.partition(":")[2]
    try:
        import torch
        import transformers
        from safetensors import SafetensorError  # type: ignore[import-not-found]  # comes with transformers
    except ImportError as error:
        raise InputError(
            f"the judge {name!r} needs the extra `models`, which is not installed ({_first_line(error)})",
            "transformers and torch beside this program",
            "install it with: pip install 'truthhypo[models]'; or use --judge rules",
        ) from None
    try:
        with quiet():
            config = transformers.AutoConfig.from_pretrained(place)
            answers = minicheck and config.is_encoder_decoder
            auto = transformers.AutoModelForSeq2SeqLM if answers else transformers.AutoModelForSequenceClassification
            model, told = auto.from_pretrained(place, output_loading_info=True)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:  # of files, the hub's client, torch
        raise ModelUnreachable(
            f"the judge {name!r} cannot be loaded: {_first_line(error)}",
            "a model's folder, or a name that the model hub knows",
            "check the spelling and the network (HF_HUB_OFFLINE=1 forbids fetching), or give the folder of a "
            "downloaded model",
        ) from error
    if told["missing_keys"]:  # transformers fills them with random numbers
        lacking = f"it has no {', '.join(sorted(told['missing_keys']))}"
        raise InputError(
            f"{name} answers in words: {lacking}" if config.is_encoder_decoder else f"{name} is no judge: {lacking}",
            "a sequence classifier with the labels entailment, neutral, contradiction",
            "name one trained on pairs of premise and claim; a MiniCheck model is named minicheck:NAME",
        )
    return torch, config, tokenizer, model


def _window(config: Any, tokenizer: Any) -> int:
    """Tokens a model reads, its marks included."""
    places = getattr(config, "max_position_embeddings", None)
    if places and "roberta" in config.model_type:
        places -= (config.pad_token_id or 0) + 1  # its positions are counted from behind the padding
    bounds = [bound for bound in (places, tokenizer.model_max_length) if bound and bound < _UNBOUNDED]
    return min(bounds) if bounds else T5_WINDOW if config.is_encoder_decoder else WINDOW


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
