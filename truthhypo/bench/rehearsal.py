"""Estimate calls, tokens and cost of a run (`bench run --dry-run`), by running it without calls."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from groundwork.linking import Linker
from groundwork.llm.planning import Plan, Planner
from groundwork.llm.usage import Usage
from groundwork.ports import LanguageModel, Progress
from truthhypo.bench.answering import Answerer
from truthhypo.bench.entries import Grounding
from truthhypo.bench.grounders import Grounder, by_name
from truthhypo.bench.knowledge import Library
from truthhypo.bench.prepared import PreparedSuite, connect, is_language_model
from truthhypo.bench.runner import done, pending
from truthhypo.bench.runs import Run
from truthhypo.bench.sets import Case
from truthhypo.bench.suite import SELF, ModelAsked
from truthhypo.plan import StandIn, answer, rationale
from truthhypo.world import World


def rehearse(
    prepared: PreparedSuite, world: World, out: Run, progress: Progress, shard: tuple[int, int] | None
) -> dict[str, Any]:
    """Estimate the calls that a run or a shard still needs. Nothing is sent and nothing is written.

    Answers that are not in the cache are replaced by made-up ones: a rationale of three sentences about the two
    concepts, and the claims that the rules find. So calls for answers are exact, and calls of judges are estimates.

    Returns:
        `dry_run`, and `models` with a `groundwork.llm.planning.Plan` per model: first the answerers, then the judges.

    Raises:
        InputError: The folder contains another run.
    """
    if (held := out.manifest()) is not None:
        out.see(held, prepared.manifest)
    known, plans = done(out), []
    cast = _Cast(prepared, world)
    for asked in prepared.suite.models:
        if not is_language_model(asked.name):
            continue
        items, _ = pending(prepared, asked.name, known, shard)
        answerer = cast.answerer(asked)
        progress.begin(f"{asked.name}, dry run", len(items), "answers")
        for item in items:
            cast.actor.play(item.case, item.sample)
            answerer.answer(item)
            progress.advance(1)
        plans.append(cast.plan(asked.name, len(items)))
    plans += [cast.plan(name, 0) for name in prepared.suite.judges if name in cast.planners]
    return {"dry_run": True, "models": [plan.to_dict() for plan in plans]}


class _Actor:
    """Make up the answers of a language model: a rationale or claims, depending on what is asked for."""

    def __init__(self, world: World) -> None:
        self._claims: StandIn | None = None
        self._world = world
        self._rationale = ""
        self.estimated = 0

    def play(self, case: Case, sample: int) -> None:
        """Switch to another case, or to another sample of the same case."""
        self._rationale = rationale(*case.names, sample)

    def read(self, text: str) -> None:
        """Switch to the text that is judged next."""
        if self._claims is None:
            self._claims = StandIn(Linker(self._world.graph_store))
        self._claims.read(text)
        self.estimated += 1

    def __call__(self, shape: type[BaseModel]) -> Mapping[str, Any] | None:
        if "rationale" in shape.model_fields:
            return answer(shape, self._rationale)
        return self._claims(shape) if self._claims else None


class _Rehearsed(Grounder):
    """A judge that gives each text to the actor before judging, so that the actor can make up its claims."""

    def __init__(self, actor: _Actor, name: str, prepared: PreparedSuite, world: World, model: LanguageModel) -> None:
        super().__init__(name, world, prepared.suite.judging, model)
        self._actor = actor

    def ground(self, text: str, before: int) -> tuple[Grounding, Usage]:
        """Give the text to the actor, and then judge as `Grounder.ground` does."""
        self._actor.read(text)
        return super().ground(text, before)


class _Cast:
    """The planners of all models by name, and the answerers that use these planners."""

    def __init__(self, prepared: PreparedSuite, world: World) -> None:
        self._prepared = prepared
        self._world = world
        self._library = Library(world, prepared.suite.context)
        self.actor = _Actor(world)
        self.planners: dict[str, Planner] = {}
        self._most: dict[str, int] = {}
        own = [name for name in prepared.suite.judges if name != SELF and not by_name(name)]
        self._judges = {name: self._planner(name, None) for name in own}

    def answerer(self, asked: ModelAsked) -> Answerer:
        """Return the answerer of a model, with the judges that are language models. The other judges make no calls."""
        planner = self._planner(asked.name, asked)
        judges = {**({SELF: planner} if SELF in self._prepared.suite.judges else {}), **self._judges}
        grounders = [_Rehearsed(self.actor, name, self._prepared, self._world, model) for name, model in judges.items()]
        return Answerer(asked.name, planner, self._library, grounders, self._prepared.suite.samples)

    def plan(self, name: str, answers: int) -> Plan:
        """Return the plan recorded for a model. Texts whose claims were made up are counted as estimated."""
        estimated, self.actor.estimated = self.actor.estimated if answers else 0, 0
        return self.planners[name].plan(answers, estimated, self._most[name])

    def _planner(self, name: str, asked: ModelAsked | None) -> Planner:
        if name not in self.planners:
            model = connect(name, asked, self._prepared.settings)
            assert model is not None  # the rules are not a language model
            self.planners[name] = Planner(model, self.actor)
            own = asked.settings if asked else {}
            self._most[name] = own.get("model_tokens", self._prepared.settings.model_tokens)
        return self.planners[name]
