"""Print the summary of a run over many texts, with the usage of the language model."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape

from truthhypo.faces.layout import field

#: Description of each counter of a run over many texts, in display order.
_COUNTERS = {
    "texts": "texts in the file",
    "empty": "records of the file without a text",
    "written": "judged in this run",
    "kept": "judged in an earlier run",
    "failed": "failed: the same command judges them again",
    "left": "not judged, because the budget was spent",
    "unusable": "with claims of which none could be judged, because no reply of the model was usable",
    "unread": "in which the rules read no relation",
}


def summary(console: Console, shape: Mapping[str, Any]) -> None:
    """Print the counts of a run over many texts. Counts of 0 are left out, except for `texts` and `written`."""
    for name, words in _COUNTERS.items():
        if shape[name] or name in {"texts", "written"}:
            field(console, f"{shape[name]:>9,}  ", words)
    for name in dict.fromkeys(shape[name] for name in ("out", "records")):
        field(console, "written to ", escape(name))
    used = ", ".join(f"{key} {_number(count)}" for key, count in shape["usage"].items() if count)
    if used:
        field(console, "usage      ", used)


def _number(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
