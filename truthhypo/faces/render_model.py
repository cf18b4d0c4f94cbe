"""What a language model would cost, or did, for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from groundwork.llm.planning import Plan


def plan(console: Console, found: "Plan") -> None:
    """Calls, tokens and cost of a dry run."""
    replies, cost = found.completion_tokens, found.cost
    console.print(f"model   {escape(found.model)}, nothing was asked")
    console.print(f"texts   {found.texts:,}")
    console.print(f"calls   {found.calls:,}, and {found.cached:,} answers from the cache")
    told = f"{replies['expected']:,} in replies, at most {replies['at_most']:,}"
    console.print(f"tokens  {found.prompt_tokens:,} in prompts, {told}")
    unknown = "unknown: set model_price_prompt and model_price_completion"
    console.print(f"cost    {cost['expected']:.4f}, at most {cost['at_most']:.4f}" if cost else f"cost    {unknown}")
    console.print(f"[dim]{escape(found.how)}[/dim]")


def summary(console: Console, shape: Mapping[str, Any]) -> None:
    """What a run over many texts did; the model's usage where one was asked."""
    for name, value in shape.items():
        if name == "usage":
            used = ", ".join(f"{key} {_number(count)}" for key, count in value.items() if count)
            if used:
                console.print(f"usage: {used}")
        else:
            console.print(f"{name}: {escape(str(value))}")


def _number(count: float) -> str:
    return f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
