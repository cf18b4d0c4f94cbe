"""Estimate the calls to the language model that a judgement needs (`--dry-run`), by running it without calls.

Answers that are not in the cache are replaced by made-up ones. A made-up rationale has three sentences about the two
concepts. Made-up claims are the claims that the rules find.
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
    """Run judgements with a model that records its prompts but calls nothing, and return the estimate.

    Evidence is gathered as usual, and cached answers are used. Where the model would first split a text into claims,
    the claims by rules are used instead.

    Args:
        world: The stores and the model.
        texts: The texts to judge.
        judge: Function that judges a text with the world it is given.
    """
    count = estimated = 0
    if world.model is None:
        return Plan(
            RULES, len(list(texts)), 0, 0, 0, {"expected": 0, "at_most": 0}, _NOTHING, 0, "the rules call no model"
        )
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
    """Return a made-up rationale about two concepts. It differs for each number, because sampled answers differ."""
    much = f" by {number} percent" if number else ""
    return f"The evidence links {x} with {y}. {x} is reported to affect {y}{much}. This suggests a relation."


def answer(shape: type[BaseModel], words: str) -> Mapping[str, Any]:
    """Return a made-up answer that consists of this rationale and the first label of the shape."""
    return {"rationale": words, "relation": shape.model_json_schema()["$defs"]["Label"]["enum"][0]}


class StandIn:
    """Make up the answers of a language model, one text at a time: claims found by rules, and rationales.

    Attributes:
        used: Whether made-up claims were returned. Then the following prompts are estimates.
    """

    def __init__(self, linker: Linker) -> None:
        self._claims = RuleClaims(linker)
        self._text = ""
        self._pair, self._answers = ("", ""), 0
        self.used = False

    def read(self, text: str) -> None:
        """Switch to another text."""
        self._text = text

    def meet(self, x: str, y: str) -> None:
        """Switch to another question, about the relation of two concepts."""
        self._pair, self._answers = (x, y), 0

    def __call__(self, shape: type[BaseModel]) -> Mapping[str, Any] | None:
        """Return claims found by rules, or a rationale, if the shape asks for one of these; otherwise None."""
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
    """A world whose model only records its prompts. The stand-in receives each text or pair before it is judged."""

    def __init__(self, world: World, planner: Planner, stand_in: StandIn) -> None:
        super().__init__(world.settings)
        self._lender = world
        self._stand_in = stand_in
        vars(self)["model"] = planner

    def with_model(self, model: object) -> World:
        """Return this world, because the planner replaces every model."""
        del model
        return self

    def for_worker(self, model: object) -> World:
        """Return this world, because the planner replaces every model."""
        return self.with_model(model)

    def ground(self, text: str, **options: Any) -> GroundReport:
        """Give the text to the stand-in, and then call `World.ground`."""
        self._stand_in.read(text)
        return super().ground(text, **options)

    def hypothesize(self, head: str, tail: str, **options: Any) -> Hypothesis:
        """Give the names of the pair to the stand-in, and then call `World.hypothesize`."""
        keys = [resolve(self.graph_store, end) for end in (head, tail)]
        named = self.graph_store.concepts(keys)
        self._stand_in.meet(*(named[key].name for key in keys))
        return super().hypothesize(head, tail, **options)
