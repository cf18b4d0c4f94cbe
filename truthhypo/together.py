"""The parts of one question side by side, where its model is what is waited for: as a crew works on several texts."""

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import closing

from truthhypo.crew import Yielding, hire
from truthhypo.hypotheses.generate import Each, Item, Result, one_by_one
from truthhypo.world import World


def together(world: World) -> tuple[World, Each]:
    """The world as work done side by side must use it, and the way to do it; results keep the order of the items.

    Work that a crew does already, and work for a model that takes one question at a time, goes one by one.
    """
    if isinstance(world.model, Yielding):
        return world, one_by_one
    crew, shared = hire(world)
    if crew.workers == 1:
        return world, one_by_one

    def each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        with closing(crew.run(work, items)) as begun:
            outcomes = [outcome for _, outcome in begun]
        wait(outcomes)  # also after an error: nothing may use a store that its owner has closed
        return [outcome.result() for outcome in outcomes]

    return shared, each
