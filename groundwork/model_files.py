"""Models that run on this machine: check that the files are there, choose the device, and load without output.

The check comes before torch is imported, which takes many seconds.
"""

import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundwork.errors import InputError, ModelUnreachable, first_line

#: The extra that each kind of local model needs.
EXTRAS = {"nli": "models", "minicheck": "models", "huggingface": "huggingface"}
#: A name on the model hub. Any other name of a model is a path.
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
#: Files with weights that transformers reads. An index lists the files into which the weights are split.
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_INDEX = tuple(f"{name}.index.json" for name in _WEIGHTS)
_WANTED = "a model's folder with config.json and weights, or a name on the model hub"
#: Seconds that the hub has to answer.
_HUB_SECONDS = 10


def require_model(name: str) -> None:
    """Check that the files of a local model are on this machine or on the model hub. Nothing is downloaded.

    Args:
        name: `KIND:NAME_OR_PATH`. Kinds that are not in `EXTRAS` are not checked.

    Raises:
        InputError: There is no such folder, the folder or hub has no weights, or the extra is not installed.
        ModelUnreachable: The model is neither on this machine nor on the hub, or the hub cannot be reached.
    """
    kind, _, place = name.partition(":")
    if kind not in EXTRAS:
        return
    path = Path(place).expanduser()
    if path.suffix == ".gguf" and kind == "huggingface":
        if not path.is_file():
            raise InputError(f"no such file: {path}", "a .gguf file", f"correct the path in {name}")
    elif path.is_dir():
        _require_weights(name, path, {file.name for file in path.iterdir()})
    elif path.exists():
        raise InputError(f"{path} is not a folder", _WANTED, f"name the folder of the model in {name}")
    elif not _HUB_NAME.fullmatch(place):
        raise InputError(f"no such folder: {path}", _WANTED, f"correct the path in {name}")
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise missing_extra(name, f"there is no package {package}")
    if not path.exists():
        _require_on_hub(name, place)


def missing_extra(name: str, why: str) -> InputError:
    """Return the error for a local model whose extra is not installed."""
    extra = EXTRAS[name.partition(":")[0]]
    return InputError(
        f"the model {name!r} needs the extra `{extra}`, which is not installed ({why})",
        "transformers and torch",
        f"install them with: pip install 'truthhypo[{extra}]'; or use the judge rules, which needs no model",
    )


def _require_on_hub(name: str, place: str) -> None:
    """Check the files of a model in the cache of the hub's client; without them, ask the hub once for its list."""
    from huggingface_hub import HfApi, snapshot_download  # type: ignore[import-not-found]  # comes with transformers

    try:
        folder = Path(snapshot_download(place, local_files_only=True))
        _require_weights(name, folder, {file.name for file in folder.iterdir()})
    except (OSError, InputError):  # not in the cache, or not all of it
        try:
            found = HfApi().model_info(place, timeout=_HUB_SECONDS).siblings or []
        except Exception as error:  # the client raises errors of several HTTP packages
            raise ModelUnreachable(
                f"there is no folder {place} and no downloaded model {place} on this machine, and the model hub does "
                f"not answer or does not have it: {first_line(error)}",
                _WANTED,
                "check the spelling and the network (HF_HUB_OFFLINE=1 forbids downloads), or give the folder of a "
                "downloaded model",
            ) from error
        _require_weights(name, None, {each.rfilename for each in found})


def _require_weights(name: str, folder: Path | None, files: Collection[str]) -> None:
    """Check that files make a model."""
    lacking = [] if "config.json" in files else ["config.json"]
    if not any(each in files for each in (*_WEIGHTS, *_INDEX)):
        lacking.append(" or ".join(_WEIGHTS))
    elif folder is not None and not any(each in files for each in _WEIGHTS):
        index = next(each for each in _INDEX if each in files)
        lacking += sorted({*_parts(folder / index)} - {*files})
    if lacking:
        where = folder if folder is not None else f"the hub's model {name.partition(':')[2]}"
        raise InputError(
            f"{where} has no {', '.join(lacking)}", _WANTED, f"download the whole model, or correct {name}"
        )


def _parts(index: Path) -> Collection[str]:
    """Return the names of the files into which weights are split."""
    try:
        held = json.loads(index.read_bytes())["weight_map"]
        return frozenset(map(str, held.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{index} cannot be read: {first_line(error)}", _WANTED, "download the model again") from None


def device_here(torch: Any, name: str, remedy: str) -> str:
    """Return the torch device that a name stands for, and check that this machine has it.

    Args:
        torch: The torch module. It is an argument because only callers that run models import it.
        name: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:N` or `mps`.
        remedy: The remedy for the error message: where to correct the name.

    Raises:
        InputError: If this machine has no such device.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=torch.device(name))
    except (RuntimeError, AssertionError) as error:  # torch raises AssertionError if it was built without CUDA
        seen = f"this machine has no device {name!r}: {first_line(error)}"
        raise InputError(seen, "auto, cpu, cuda, cuda:N or mps", remedy) from None
    return name


@contextmanager
def quiet() -> Iterator[None]:
    """Hide the progress bars of transformers on stderr inside the context; downloads from the hub are still shown."""
    from huggingface_hub import utils as hub  # comes with transformers
    from transformers.utils import logging

    shown, told = logging.is_progress_bar_enabled(), not hub.are_progress_bars_disabled()
    logging.disable_progress_bar()  # this disables the hub's bars as well
    if told:
        hub.enable_progress_bars()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
        if not told:
            hub.disable_progress_bars()
