"""Where a model of torch's runs."""

from typing import Any

from groundwork.errors import InputError


def device_here(torch: Any, name: str, remedy: str) -> str:
    """The device of that name, if it is here.

    Args:
        torch: The module; only those who run models have it.
        name: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:N` or `mps`.
        remedy: Where it is corrected.

    Raises:
        InputError: No such device here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(0, device=torch.device(name))
    except (RuntimeError, AssertionError) as error:  # torch's own, the second where it was built without CUDA
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"no device {name!r} here: {said}", "auto, cpu, cuda, cuda:N or mps", remedy) from None
    return name
