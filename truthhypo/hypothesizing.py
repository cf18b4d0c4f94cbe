"""Propose the relation between two concepts, with the stores and the language model of a world."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwork.errors import InputError
from knowhd.calibration import calibration_of
from truthhypo.hypotheses.context import gather
from truthhypo.hypotheses.hypothesis import Hypothesis
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.hypotheses.select import hypothesize as chosen
from truthhypo.hypotheses.tasks import task_of
from truthhypo.lookups import meanings, resolve
from truthhypo.together import together

if TYPE_CHECKING:
    from truthhypo.world import World


def hypothesize(world: World, head: str, tail: str, options: HypothesizeOptions) -> Hypothesis:
    """Do the work of `World.hypothesize`, which documents the arguments.

    Calls of the language model are counted by `world.model.usage`.
    """
    setting, before, exclude_retracted = options.setting, options.before, options.exclude_retracted
    if setting == "parametric" and world.model is None:
        raise InputError(
            "setting 'parametric' with model 'rules', which has no knowledge of its own",
            "a language model, or a setting with knowledge",
            "give a model by the argument `model`, or kg, lit or kg+lit by the argument `setting`",
        )
    own, each = together(world)
    meant = meanings(world.graph_store, options.concepts)
    task = task_of(*(meant.get(end) or resolve(world.graph_store, end) for end in (head, tail)))
    reading = world.literature_store if "lit" in setting else None
    walking = world.graph_store if "kg" in setting else None
    without = world.uncounted(exclude_retracted=exclude_retracted) if walking else None
    context = gather(
        task, world.graph_store, walking, reading, before, options.hops, options.k, exclude_retracted, without
    )
    found = chosen(
        task,
        setting,
        context,
        own.model,
        options.n,
        options.select,
        lambda text: own.ground(text, before=before, exclude_retracted=exclude_retracted, concepts=meant),
        each,
    )
    if options.select != "groundedness":
        return found
    return replace(found, calibration=calibration_of(world.judge.name, world.settings.home))
