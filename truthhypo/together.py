"""The parts of one question in parallel, if its model answers several calls at a time."""

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import closing

from truthhypo.hypotheses.generate import Each, Item, Result, one_by_one
from truthhypo.worker_pool import YieldingModel, pool_for
from truthhypo.world import World


def together(world: World) -> tuple[World, Each]:
    """The world as work done side by side must use it, and the way to do it; results keep the order of the items.

    Work that a pool does already, and work for a model that takes one question at a time, goes one by one.
    """
    if isinstance(world.model, YieldingModel):
        return world, one_by_one
    pool, shared = pool_for(world)
    if pool.workers == 1:
        return world, one_by_one

    def each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        with closing(pool.run(work, items)) as begun:
            outcomes = [outcome for _, outcome in begun]
        wait(outcomes)  # also after an error: nothing may use a store that its owner has closed
        return [outcome.result() for outcome in outcomes]

    return shared, each
