"""Propose the relation between two concepts, with the stores and the language model of a world."""

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from groundwork.errors import InputError
from knowhd.calibration.figures import calibration_of
from truthhypo.hypotheses.context import Setting, gather
from truthhypo.hypotheses.hypothesis import Hypothesis
from truthhypo.hypotheses.select import Select
from truthhypo.hypotheses.select import hypothesize as chosen
from truthhypo.hypotheses.tasks import task_of
from truthhypo.lookups import checked, dated, meanings, resolve
from truthhypo.together import together
from truthhypo.world import World


def hypothesize(
    world: World,
    head: str,
    tail: str,
    setting: Setting,
    before: int | None,
    hops: int,
    k: int,
    n: int,
    select: Select,
    exclude_retracted: bool,
    concepts: Mapping[str, str] | None,
) -> Hypothesis:
    """Do the work of `World.hypothesize`, which documents the arguments.

    Calls of the language model are counted by `world.model.usage`.
    """
    dated(before)
    checked("setting", setting, get_args(Setting))
    checked("select", select, get_args(Select))
    if setting == "parametric" and world.model is None:
        raise InputError(
            "setting 'parametric' with model 'rules', which has no knowledge of its own",
            "a language model, or a setting with knowledge",
            "give a model by the argument `model`, or kg, lit or kg+lit by the argument `setting`",
        )
    own, each = together(world)
    meant = meanings(world.graph_store, concepts)
    task = task_of(*(meant.get(end) or resolve(world.graph_store, end) for end in (head, tail)))
    reading = world.literature_store if "lit" in setting else None
    walking = world.graph_store if "kg" in setting else None
    context = gather(task, world.graph_store, walking, reading, before, hops, k, exclude_retracted)
    found = chosen(
        task,
        setting,
        context,
        own.model,
        n,
        select,
        lambda text: own.ground(text, before=before, exclude_retracted=exclude_retracted, concepts=meant),
        each,
    )
    if select != "groundedness":
        return found
    return replace(found, calibration=calibration_of(world.judge.name, world.settings.home))
