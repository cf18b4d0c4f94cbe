"""A Runnable that scores texts: groundedness and hallucination risk."""

from typing import Any, TypedDict

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig

from knowhd.options import GroundOptions
from truthhypo.world import World


class Score(TypedDict):
    """The scores of a text.

    Attributes:
        text: The text.
        groundedness: Supported claims divided by judged claims, by source (graph, literature, both); None if no claim
            was judged.
        hrs: Mean hallucination risk of the measured sentences, 0 to 1; None if no sentence was measured.
        strength: Mean strength of the evidence behind hrs, 0 to 1; None if no sentence was measured.
        flags: `thin` if there is little evidence for or against a measured sentence.
        ground: The whole report of `World.ground`, as the JSON of `ground --json`.
        risk: The whole report of `World.risk`.
    """

    text: str
    groundedness: dict[str, float | None]
    hrs: float | None
    strength: float | None
    flags: list[str]
    ground: dict[str, Any]
    risk: dict[str, Any]


class Scorer(Runnable[str | BaseMessage, Score]):
    """Computes groundedness and risk of a text by `invoke`, `batch`, `ainvoke`, `abatch`, or in a chain with `|`.

    Instead of a text it takes a message, such as the answer of a chat model. Then the text of the message is scored;
    other parts of its content, such as images and reasoning, are not.

    A batch runs in threads; `max_concurrency` in the config limits their number. Errors are the same as in
    `World.ground` and `World.risk`. With `batch(..., return_exceptions=True)`, an error takes the place of the score.

    Args:
        world: The stores and the model.
        before: Use only evidence with a PMID up to this one.
        k: Maximum number of abstracts per claim.
        exclude_retracted: Ignore retracted articles.
    """

    def __init__(
        self, world: World, *, before: int | None = None, k: int = GroundOptions.k, exclude_retracted: bool = False
    ) -> None:
        self._world = world
        self._before = before
        self._k = k
        self._exclude_retracted = exclude_retracted

    def invoke(self, input: str | BaseMessage, config: RunnableConfig | None = None, **kwargs: Any) -> Score:
        """Score one text or message."""
        return self._call_with_config(self._score, input, config, **kwargs)

    def _score(self, given: str | BaseMessage) -> Score:
        text = str(given.text) if isinstance(given, BaseMessage) else given
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
