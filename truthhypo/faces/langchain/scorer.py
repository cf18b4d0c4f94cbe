"""A Runnable that scores texts: groundedness and hallucination risk."""

from typing import Any, TypedDict

from langchain_core.runnables import Runnable, RunnableConfig

from truthhypo.world import World


class Score(TypedDict):
    """What a text scored.

    Attributes:
        text: The text.
        groundedness: Supported claims / claims judged, by source (graph, literature, both); None without claims.
        hrs: Mean hallucination risk of its measured sentences, 0-1; None where none was measured.
        strength: Mean strength of the evidence that hrs rests on, 0-1; None likewise.
        flags: `thin` if little is known, for or against, about a measured sentence.
        ground: The whole report of `World.ground`, as contract.md shapes it.
        risk: The whole report of `World.risk`.
    """

    text: str
    groundedness: dict[str, float | None]
    hrs: float | None
    strength: float | None
    flags: list[str]
    ground: dict[str, Any]
    risk: dict[str, Any]


class Scorer(Runnable[str, Score]):
    """Groundedness and risk of a text; `invoke`, `batch`, `ainvoke`, `abatch`, and `|` in a chain.

    A batch runs in threads; `max_concurrency` in its config bounds them. Errors are those of `World.ground` and
    `World.risk`; `batch(..., return_exceptions=True)` gives them in the place of their text.

    Args:
        world: What judges.
        before: Only evidence with PMID <= before counts.
        k: Abstracts per claim at most.
        exclude_retracted: Leave retracted articles out.
    """

    def __init__(self, world: World, *, before: int | None = None, k: int = 8, exclude_retracted: bool = False) -> None:
        self._world = world
        self._before = before
        self._k = k
        self._exclude_retracted = exclude_retracted

    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> Score:
        """Score one text."""
        return self._call_with_config(self._score, input, config, **kwargs)

    def _score(self, text: str) -> Score:
        ground = self._world.ground(
            text, before=self._before, k=self._k, exclude_retracted=self._exclude_retracted
        ).to_dict()
        risk = self._world.risk(text, before=self._before, exclude_retracted=self._exclude_retracted).to_dict()
        return Score(
            text=text,
            groundedness=ground["groundedness"],
            hrs=risk["hrs"],
            strength=risk["strength"],
            flags=risk["flags"],
            ground=ground,
            risk=risk,
        )
