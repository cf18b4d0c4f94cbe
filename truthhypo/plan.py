"""`--dry-run`: what a judgement would ask of the language model, found by walking through it without asking.

Answers that are not in the cache are made up: a rationale of three sentences on the two concepts, whose claims are
those that the rules find.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from groundwork.language import sentences
from groundwork.linking import Linker
from groundwork.llm.planning import Plan, Planner
from knowhd.claims.claims import RuleClaims
from knowhd.report import GroundReport
from truthhypo.hypotheses.hypothesis import Hypothesis
from truthhypo.lookups import resolve
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
    walked = _Walked(world, planner, stand_in)
    for text in texts:
        stand_in.used = False
        stand_in.read(text)
        judge(walked, text)
        count += 1
        estimated += stand_in.used
    return planner.plan(count, estimated, world.settings.model_tokens)


_NOTHING: Mapping[str, float] = {"expected": 0.0, "at_most": 0.0}


def rationale(x: str, y: str, number: int = 0) -> str:
    """A made-up rationale on two concepts; by number another, as sampled answers hardly ever share their words."""
    much = f" by {number} percent" if number else ""
    return f"The evidence links {x} with {y}. {x} is reported to affect {y}{much}. This suggests a relation."


def answer(shape: type[BaseModel], words: str) -> Mapping[str, Any]:
    """A made-up answer with that rationale and the first of the labels."""
    return {"rationale": words, "relation": shape.model_json_schema()["$defs"]["Label"]["enum"][0]}


class StandIn:
    """Makes up the answers of one text after the other: claims by rules where claims are asked for, and rationales.

    Attributes:
        used: A made-up answer decided what was asked next.
    """

    def __init__(self, linker: Linker) -> None:
        self._claims = RuleClaims(linker)
        self._text = ""
        self._pair, self._answers = ("", ""), 0
        self.used = False

    def read(self, text: str) -> None:
        """Go on to another text."""
        self._text = text

    def meet(self, x: str, y: str) -> None:
        """Go on to another question, on the relation of two concepts."""
        self._pair, self._answers = (x, y), 0

    def __call__(self, shape: type[BaseModel]) -> Mapping[str, Any] | None:
        """Claims by the rules, or a rationale, where they are asked for; None where they are not."""
        if "rationale" in shape.model_fields:
            self._answers += 1
            return answer(shape, rationale(*self._pair, self._answers - 1))
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


class _Walked(World):
    """A world whose model only writes down what it is asked; its stand-in hears what is judged next."""

    def __init__(self, world: World, planner: Planner, stand_in: StandIn) -> None:
        super().__init__(world.settings)
        self._lender = world
        self._stand_in = stand_in
        vars(self)["model"] = planner

    def with_model(self, model: object) -> World:
        """Itself: whoever is asked, it is the planner."""
        del model
        return self

    def ground(self, text: str, **options: Any) -> GroundReport:
        """As the world itself would."""
        self._stand_in.read(text)
        return super().ground(text, **options)

    def hypothesize(self, head: str, tail: str, **options: Any) -> Hypothesis:
        """As the world itself would."""
        keys = [resolve(self.graph_store, end) for end in (head, tail)]
        named = self.graph_store.concepts(keys)
        self._stand_in.meet(*(named[key].name for key in keys))
        return super().hypothesize(head, tail, **options)
