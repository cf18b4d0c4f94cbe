"""Print the cost of a language model as text for people: the estimate of a dry run, or the usage of a run."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from truthhypo.faces.layout import field

if TYPE_CHECKING:
    from groundwork.llm.planning import Plan

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


def plan(console: Console, found: "Plan", failed: Sequence[Mapping[str, Any]] = ()) -> None:
    """Print the calls, tokens and cost that a dry run estimated, and the texts that could not be judged."""
    replies, cost = found.completion_tokens, found.cost
    console.print(f"model   {escape(found.model)} (dry run: no call was made)")
    console.print(f"texts   {found.texts:,}")
    console.print(f"calls   {found.calls:,}, plus {found.cached:,} answers from the cache")
    told = f"{replies['expected']:,} in replies, at most {replies['at_most']:,}"
    console.print(f"tokens  {found.prompt_tokens:,} in prompts, {told}")
    unknown = "unknown: set model_price_prompt and model_price_completion"
    console.print(f"cost    {cost['expected']:.4f}, at most {cost['at_most']:.4f}" if cost else f"cost    {unknown}")
    console.print(f"[dim]{escape(found.how)}[/dim]")
    for each in failed:
        field(console, "failed  ", escape(f"{each['text'][:60]!r}: {each['error']['seen']}"))


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
