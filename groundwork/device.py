"""Choose the device on which a torch model runs."""

from typing import Any

from groundwork.errors import InputError
from groundwork.validation import first_line


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
