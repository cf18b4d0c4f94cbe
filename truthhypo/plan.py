"""`--dry-run`: what a judgement would ask of the language model, found by walking through it without asking."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from groundwork.language import sentences
from groundwork.linking import Linker
from groundwork.llm.planning import Plan, Planner
from knowhd.claims.claims import RuleClaims
from truthhypo.world import RULES, World


def plan(world: World, texts: Iterable[str], judge: Callable[[World, str], object]) -> Plan:
    """Walk through judgements with a model that only writes down what it is asked.

    Evidence is gathered as it would be; answers in the cache are used. Where the model would have to take a text apart
    first, the rules' claims stand in for its own.

    Args:
        world: Where it would be judged.
        texts: What would be judged.
        judge: The judgement.
    """
    count = estimated = 0
    if world.model is None:
        return Plan(RULES, len(list(texts)), 0, 0, 0, {"expected": 0, "at_most": 0}, _NOTHING, 0, "rules ask nobody")
    stand_in = StandIn(Linker(world.graph_store))
    planner = Planner(world.model, stand_in)
    walked = world.with_model(planner)
    for text in texts:
        stand_in.read(text)
        judge(walked, text)
        count += 1
        estimated += stand_in.used
    return planner.plan(count, estimated, world.settings.model_tokens)


_NOTHING: Mapping[str, float] = {"expected": 0.0, "at_most": 0.0}


class StandIn:
    """Makes up the answers of one text after the other: claims by rules, where claims are asked for.

    Attributes:
        used: A made-up answer decided what was asked next.
    """

    def __init__(self, linker: Linker) -> None:
        self._claims = RuleClaims(linker)
        self._text = ""
        self.used = False

    def read(self, text: str) -> None:
        """Go on to another text."""
        self._text, self.used = text, False

    def __call__(self, shape: type[BaseModel]) -> Mapping[str, Any] | None:
        """Claims by the rules, where claims are asked for; None where they are not."""
        if "claims" not in shape.model_fields:
            return None
        self.used = True
        places = [(line.start, line.end) for line in sentences(self._text)]
        return {
            "claims": [
                {"text": claim.text, "sentence": places.index(claim.span) + 1 if claim.span in places else 0}
                for claim in self._claims.extract(self._text)
            ]
        }
