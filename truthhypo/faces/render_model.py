"""Print the cost of a language model for people: expected by a dry run, or used by a run."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from groundwork.llm.planning import Plan


def plan(console: Console, found: "Plan") -> None:
    """Print calls, tokens and cost that a dry run expects."""
    replies, cost = found.completion_tokens, found.cost
    console.print(f"model   {escape(found.model)} (dry run: no call was made)")
    console.print(f"texts   {found.texts:,}")
    console.print(f"calls   {found.calls:,}, plus {found.cached:,} answers from the cache")
    told = f"{replies['expected']:,} in replies, at most {replies['at_most']:,}"
    console.print(f"tokens  {found.prompt_tokens:,} in prompts, {told}")
    unknown = "unknown: set model_price_prompt and model_price_completion"
    console.print(f"cost    {cost['expected']:.4f}, at most {cost['at_most']:.4f}" if cost else f"cost    {unknown}")
    console.print(f"[dim]{escape(found.how)}[/dim]")


def summary(console: Console, shape: Mapping[str, Any]) -> None:
    """Print what a run over many texts did, and the usage of the model if one was called."""
    for name, value in shape.items():
        if name == "usage":
            used = ", ".join(f"{key} {_number(count)}" for key, count in value.items() if count)
            if used:
                console.print(f"usage: {used}")
        else:
            console.print(f"{name}: {escape(str(value))}")


def _number(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
