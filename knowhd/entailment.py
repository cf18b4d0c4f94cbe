"""The judge that asks an entailment model whether a piece of evidence (premise) entails or contradicts the claim.

Each piece is scored separately. A piece longer than the model's window is scored in chunks, and the largest probability
of each stance counts, as in the code of MiniCheck's authors. The claim is never cut. Verdicts follow from the stances
by the same rule as for all judges (`knowhd.judge`).

Models are opened through transformers (extra `models`). `nli:NAME_OR_PATH` opens sequence classifiers trained on pairs
of premise and hypothesis. `minicheck:NAME_OR_PATH` opens the models published under that name: classifiers that read
both texts joined by the end token, and T5 models. A T5 model answers 1 or 0 to a text that begins with `predict: `, as
in the code of MiniCheck's authors. Models run on this machine, and no code from a model's folder is run. The meaning of
a model's labels is read from its configuration; their order is not used to guess.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from groundwork.errors import InputError, ModelError, ModelUnreachable, first_line
from groundwork.language import sentences
from groundwork.model_files import device_here, missing_extra, quiet, require_model
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.records.base import counted
from knowhd.claims import Claim
from knowhd.judge import SOURCES, Case, Judgement, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.pieces import Bearing, Evidence, Piece, listed, say
from knowhd.prompt import harmless, spoken

#: Labels of published models in lower case, with `-` and blanks as `_`. None: the label means neither stance.
MEANINGS: Mapping[str, Stance | None] = {
    **dict.fromkeys(("entailment", "entails", "entailed", "support", "supports", "supported"), "supports"),
    **dict.fromkeys(("contradiction", "contradicts", "contradict", "refute", "refutes", "refuted"), "contradicts"),
    **dict.fromkeys(("neutral", "nei", "not_enough_info", "not_enough_information", "not_entailment"), None),
    **dict.fromkeys(("not_supported", "unsupported"), None),
}


def stances_of(id2label: Mapping[int, str], model: str, *, minicheck: bool = False) -> dict[int, Stance | None]:
    """Return the stance for each output of a model; None for an output that means neither stance.

    Args:
        id2label: Labels by the number of the output, from the configuration.
        model: Name of the model, for the error message.
        minicheck: If the model has two outputs whose labels are only numbers (`LABEL_0` or `0`), read them as
            MiniCheck's outputs.

    Raises:
        InputError: A label is unknown, two labels mean the same stance, or no label means support.
    """
    bare = all(label.upper().removeprefix("LABEL_") == str(number) for number, label in id2label.items())
    if minicheck and bare and set(id2label) == {0, 1}:
        return {0: None, 1: "supports"}  # in the code of MiniCheck's authors 1 means supported
    words = {number: label.strip().lower().replace("-", "_").replace(" ", "_") for number, label in id2label.items()}
    found = {number: MEANINGS.get(word) for number, word in words.items()}
    told = [stance for stance in found.values() if stance]
    if set(words.values()) <= set(MEANINGS) and "supports" in told and len(told) == len(set(told)):
        return found
    raise InputError(
        f"the labels of {model} are {', '.join(map(repr, id2label.values()))}",
        "one label for entailment (or supports), at most one for contradiction (or refutes), the others neutral",
        "correct id2label in the model's config.json according to its authors",
    )


#: Minimum probability of a stance (supports or contradicts) for a piece of evidence to get this stance.
THRESHOLD = 0.5
#: Minimum number of tokens that must be left for a premise beside the claim.
LEAST = 16
#: Number of claims whose pieces are scored together. With many pieces, those of similar length can share a batch.
TOGETHER = 32

Probabilities = Mapping[Stance, float]


class Scorer(Protocol):
    """A model that returns how probably a premise entails or contradicts a hypothesis.

    Attributes:
        name: Name for output and storage.
        window: Maximum number of tokens, premise and hypothesis together, without the model's special tokens.
    """

    name: str
    window: int

    def length(self, text: str) -> int:
        """Return the number of tokens of a text, without special tokens at its ends."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[dict[Stance, float]]:
        """Return probabilities in [0, 1] per (premise, hypothesis), for the stances that the model knows.

        Raises:
            ModelError: The model failed.
        """


class EntailmentJudge:
    """Judges claims by the probabilities of a scorer.

    Args:
        scorer: The model.
        graph: Store with the names of concepts.
    """

    def __init__(self, scorer: Scorer, graph: GraphReader) -> None:
        self.name = scorer.name
        self._scorer = scorer
        self._graph = graph

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case. `progress` advances after every TOGETHER cases.

        Raises:
            ModelError: The model failed.
        """
        seen = progress or Silent()
        seen.begin("judging", len(cases), "claims")
        found: list[dict[Source, Judgement]] = []
        for start in range(0, len(cases), TOGETHER):
            found += self._together(cases[start : start + TOGETHER])
            seen.advance(len(found) - start)
        return found

    def _together(self, cases: Sequence[Case]) -> list[dict[Source, Judgement]]:
        """Return the judgements of cases whose pieces are scored together."""
        pairs: list[tuple[str, str]] = []
        owners: list[tuple[int, str]] = []
        for number, (claim, evidence) in enumerate(cases):
            hypothesis = harmless(claim.text)
            for piece, premise in spoken(pieces_of(evidence, "both"), self._graph).items():
                parts = list(self._chunks(premise, hypothesis))
                pairs += [(part, hypothesis) for part in parts]
                owners += [(number, piece)] * len(parts)
        found: list[dict[str, dict[Stance, float]]] = [{} for _ in cases]
        for (number, piece), scores in zip(owners, self._scorer.score(pairs) if pairs else [], strict=True):
            best = found[number].setdefault(piece, {})
            best.update({stance: max(p, best.get(stance, 0.0)) for stance, p in scores.items()})
        return [self._judged(*case, scored) for case, scored in zip(cases, found, strict=True)]

    def _judged(self, claim: Claim, evidence: Evidence, scored: Mapping[str, Probabilities]) -> dict[Source, Judgement]:
        if pieces_of(evidence, "both") and not scored:
            size = self._scorer.length(harmless(claim.text))
            return dict.fromkeys(SOURCES, failed(say("entailment", "too_long", size=size, window=self._scorer.window)))
        return {source: self._by(pieces_of(evidence, source), scored, source) for source in SOURCES}

    def _by(self, pieces: Sequence[Piece], scored: Mapping[str, Probabilities], source: Source) -> Judgement:
        if not pieces:
            return without_evidence(source)
        own = {piece.id: scored[piece.id] for piece in pieces}
        stances = {piece: stance for piece, p in own.items() if (stance := self._stance(p))}
        judged = weigh(pieces, stances, self._reason(own))
        told: dict[str, Mapping[Bearing, float]] = {piece: dict(p.items()) for piece, p in own.items()}
        return replace(judged, probabilities=told)

    def _stance(self, probabilities: Probabilities) -> Stance | None:
        """Return the stance that reaches the threshold; None if no stance reaches it, or if both do.

        Both can reach it, because each probability is the largest over all chunks of a piece.
        """
        sides = [stance for stance, p in probabilities.items() if p >= THRESHOLD]
        return sides[0] if len(sides) == 1 else None

    def _reason(self, scored: Mapping[str, Probabilities]) -> str:
        told = dict.fromkeys(stance for p in scored.values() for stance in p)
        most = [say("entailment", stance, probability=max(p[stance] for p in scored.values())) for stance in told]
        pieces = f"{counted(len(scored), 'piece')} of evidence"
        return say("entailment", "largest", pieces=pieces, sides=listed(most, "and"), threshold=THRESHOLD)

    def _chunks(self, premise: str, hypothesis: str) -> Iterable[str]:
        """Yield parts of a premise that fit into the window beside the claim; nothing if the claim leaves no room."""
        room = self._scorer.window - self._scorer.length(hypothesis)
        if room < LEAST:
            return
        if self._scorer.length(premise) <= room:
            yield premise
            return
        part = ""
        for unit in self._units(premise, room):
            longer = f"{part} {unit}".strip()
            if part and self._scorer.length(longer) > room:
                yield part
                longer = unit
            part = longer
        if part:
            yield part

    def _units(self, premise: str, room: int) -> Iterable[str]:
        """Yield the sentences of a premise. A sentence that is too long is split into words.

        A word that is too long is split into parts.
        """
        for sentence in sentences(premise):
            if self._scorer.length(sentence.text) <= room:
                yield sentence.text
                continue
            for word in sentence.text.split():
                if self._scorer.length(word) <= room:
                    yield word
                else:
                    yield from (word[at : at + room // 4] for at in range(0, len(word), room // 4))


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
