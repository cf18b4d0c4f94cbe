"""Language models that transformers runs on this machine.

They are loaded from the local cache of the Hugging Face hub, a folder, or a GGUF file.

The prompt describes the shape of the reply, and sampling is not constrained to this shape. One question runs at a time,
because all questions share the processor of this machine.
"""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from groundwork.errors import InputError, ModelFaltered, ReplyError, first_line
from groundwork.llm.replies import ReplyFormat, Turn, Words, in_words
from groundwork.model_files import missing_extra, quiet, require_model
from groundwork.settings import Settings


class LocalChatProvider:
    """A causal language model with a chat template; it is loaded at the first question.

    Args:
        name: Name of the model in outputs and stored results.
        source: A name or folder for `from_pretrained`, or a .gguf file.
        settings: Settings with the token limit of a reply.

    Raises:
        InputError: If transformers or torch is not installed, or the model has no files.
        ModelUnreachable: If the model is neither on this machine nor on the hub.
    """

    remote = False

    def __init__(self, name: str, source: str, settings: Settings) -> None:
        require_model(f"huggingface:{source}")
        try:
            import torch
            import transformers
        except ImportError as error:
            raise missing_extra(name, first_line(error)) from None
        self.name = name
        self.address = _identity(Path(source))
        self._torch, self._transformers = torch, transformers
        self._source = source
        self._tokens = settings.model_tokens
        self._loaded: tuple[Any, Any] | None = None
        self._lock = Lock()

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, seconds: float, spent: Callable[[int, int], None]) -> str:
        """Return the model's reply as text; see `ChatProvider.say`."""
        asked = turns if issubclass(wanted.shape, Words) else in_words(turns, wanted.schema)
        with self._lock:
            tokenizer, model = self._load()
            began = monotonic()
            shown = tokenizer.apply_chat_template(
                [{"role": turn.role, "content": turn.text} for turn in asked],
                add_generation_prompt=True,
                return_tensors="pt",
                return_dict=True,
            ).to(model.device)
            length = int(shown["input_ids"].shape[1])
            most = getattr(model.config, "max_position_embeddings", None)
            if most is not None and length >= most:
                raise ModelFaltered(
                    f"the prompt is too long for the model {self.name}: {length} tokens, of {most} possible",
                    "a shorter prompt",
                    "give less evidence (a smaller k), or use a model with a longer context",
                )
            self._torch.manual_seed(wanted.seed)
            sampling = (
                {"do_sample": True, "temperature": wanted.temperature} if wanted.temperature else {"do_sample": False}
            )
            with self._torch.inference_mode():
                said = model.generate(
                    **shown, **sampling, max_new_tokens=self._tokens, max_time=seconds, pad_token_id=_padding(tokenizer)
                )[0][length:]
        spent(length, len(said))
        ended = len(said) and int(said[-1]) in _ends(model)
        if not ended and monotonic() - began >= seconds:
            raise TimeoutError
        if not ended and len(said) >= self._tokens:
            reason = f"the reply was cut off after {self._tokens} tokens (the setting model_tokens)"
            raise ReplyError(reason, "a complete reply", "ask a shorter question or use another model")
        return str(tokenizer.decode(said, skip_special_tokens=True))

    def _load(self) -> tuple[Any, Any]:
        """Return the tokenizer and the model; load them at the first call."""
        if self._loaded is None:
            path = Path(self._source)
            options = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
            source = str(path.parent) if options else self._source
            try:
                with quiet():
                    tokenizer = self._transformers.AutoTokenizer.from_pretrained(source, **options)
                    model = self._transformers.AutoModelForCausalLM.from_pretrained(source, **options).eval()
            except (OSError, ValueError, ImportError, KeyError) as error:
                raise InputError(
                    f"transformers cannot load {self._source}: {' '.join(str(error).split())[:200]}",
                    "a causal language model on this machine",
                    "download it first (hf download NAME), or give the folder of the model",
                ) from None
            if not getattr(tokenizer, "chat_template", None):
                raise InputError(f"{self._source} has no chat template", "a chat model", "choose an instruction model")
            self._loaded = tokenizer, model.to("cuda" if self._torch.cuda.is_available() else "cpu")
        return self._loaded


def _identity(path: Path) -> str:
    """Return a hash of the names, sizes and modification times of a local model's files; "" if `path` is missing."""
    if not path.exists():
        return ""
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    stats = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return f"local:{sha256(json.dumps(stats).encode()).hexdigest()[:16]}"


def _ends(model: Any) -> set[int]:
    """Return the tokens that end a reply."""
    ends = model.generation_config.eos_token_id
    return set(ends) if isinstance(ends, list) else {ends}


def _padding(tokenizer: Any) -> int | None:
    chosen: int | None = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    return chosen
