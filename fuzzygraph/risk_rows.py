"""Turn the measured risk of a text into rows of a table, one per claim of a sentence."""

from collections.abc import Iterator, Mapping
from typing import Any

_SIDES = ("support", "contradiction", "unsigned")
_SUMS = ("sum", "max", "noisy_or")
#: Fields of a claim that are columns under their own names, before and after the sums over paths.
_SCORES = ("status", "hrs", "strength", "p_net", "p_claim", "p_opposite", "p_none")
_REST = ("paths_total", "flags", "disagreement")

#: The columns, in order.
RISK_COLUMNS = (
    "sentence",
    "subject",
    "subject_key",
    "subject_name",
    "predicate",
    "relation",
    "negated",
    "object",
    "object_key",
    "object_name",
    *_SCORES,
    *(f"{side}_{how}" for side in _SIDES for how in _SUMS),
    *_REST,
    "hrs_text",
    "strength_text",
    "flags_text",
)


def risk_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each claim and for each sentence without a claim. A text without sentences gives one row.

    Args:
        record: A report as `RiskReport.to_dict` returns it, or the record of a text that could not be judged.
    """
    whole = {f"{name}_text": record.get(name) for name in ("hrs", "strength", "flags")}
    for sentence in record.get("sentences") or [{}]:
        triple = sentence.get("triple") or {}
        row = whole | {name: sentence.get(name) for name in (*_SCORES, *_REST)}
        row |= {name: triple.get(name) for name in ("subject", "predicate", "relation", "negated", "object")}
        for end in ("subject", "object"):
            row |= _spread(sentence, end, ("key", "name"))
        for side in _SIDES:
            row |= _spread(sentence, side, _SUMS)
        yield row | {"sentence": sentence.get("text")}


def _spread(record: Mapping[str, Any], name: str, parts: tuple[str, ...]) -> dict[str, Any]:
    """Return the parts of a nested field as separate columns NAME_PART."""
    held = record.get(name) or {}
    return {f"{name}_{part}": held.get(part) for part in parts}
