"""Choose the device and precision of a model, and check them before anything is loaded."""

from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from groundwork.device import device_here
from groundwork.errors import InputError

Precision = Literal["auto", "fp32", "fp16", "bf16"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device and a precision that fit together.

    Attributes:
        device: `cpu`, `cuda`, `cuda:1`, `mps`.
        precision: `fp32`, `fp16` or `bf16`.
    """

    device: str
    precision: Precision

    def dtype(self, torch: Any) -> Any:
        """Return the precision as torch's dtype."""
        return {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[self.precision]


def chosen(torch: Any, device: str, precision: str) -> Hardware:
    """Return the requested device and precision, with `auto` resolved for this machine.

    Args:
        torch: The module torch.
        device: `auto` (a GPU if there is one), `cpu`, `cuda`, `cuda:N` or `mps`.
        precision: `auto` (fp16 on a GPU, else fp32), `fp32`, `fp16` or `bf16`. Half precision needs a GPU.

    Raises:
        InputError: The device does not exist here, the precision is unknown, or half precision is requested on a CPU.
    """
    if precision not in PRECISIONS:
        raise InputError(f"precision {precision!r}", f"one of {', '.join(PRECISIONS)}", "correct --precision")
    device = device_here(torch, device, "correct --device")
    if device == "cpu" and precision in {"fp16", "bf16"}:
        raise InputError(
            f"precision {precision} on the CPU", "a GPU for half precision", "omit --precision, or give fp32"
        )
    auto: Precision = "fp32" if device == "cpu" else "fp16"
    return Hardware(device, auto if precision == "auto" else cast(Precision, precision))
