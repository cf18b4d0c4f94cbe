"""Turn a hypothesis into a row of a table, and its relation into a word for people."""

from collections.abc import Iterator, Mapping
from typing import Any

#: The name by which the rules sign their hypotheses.
RULES = "rules (deterministic, not a language model)"

#: The columns, in order.
HYPOTHESIS_COLUMNS = (
    "head",
    "head_name",
    "tail",
    "tail_name",
    "task",
    "setting",
    "relation",
    "rationale",
    "groundedness",
    "contradicted",
    "candidates",
    "chains",
    "articles",
    "model",
)


#: For each outcome that is no relation, the kind of statement as which a notebook shows it (`groundwork.pictures`).
KINDS = {"undecided": "not_enough", "failed": "error"}


def outcome(relation: str | None, model: str) -> str:
    """Return the relation of a hypothesis by a model, or why there is none: `undecided` by the rules, else `failed`."""
    return relation or ("undecided" if model == RULES else "failed")


def hypothesis_rows(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the row of a hypothesis. `candidates`, `chains` and `articles` are counts, or None if not in the record.

    Args:
        record: A hypothesis as `Hypothesis.to_dict` returns it, or the record of a pair that could not be judged.
    """
    context, candidates = record.get("context") or {}, record.get("candidates") or ()
    chosen: Mapping[str, Any] = next((each for each in candidates if each["relation"] == record.get("relation")), {})
    row = {name: record.get(name) for name in HYPOTHESIS_COLUMNS}
    yield row | {
        "head_name": context.get("head"),
        "tail_name": context.get("tail"),
        "groundedness": chosen.get("groundedness"),
        "contradicted": chosen.get("contradicted"),
        "candidates": len(candidates) if candidates else None,
        "chains": context["chains"]["total"] if context.get("chains") else None,
        "articles": len(context["passages"]) if context.get("passages") is not None else None,
    }
