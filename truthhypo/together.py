"""Work in parallel on the items of one task, such as the candidate answers to a question.

Each item waits for a remote model. The worker pool is the same as for many texts (`truthhypo.worker_pool`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import wait
from contextlib import closing
from typing import TYPE_CHECKING

from truthhypo.hypotheses.generate import Each, Item, Result, one_by_one
from truthhypo.worker_pool import YieldingModel, pool_for

if TYPE_CHECKING:
    from truthhypo.world import World


def together(world: World) -> tuple[World, Each]:
    """Return a world for parallel work, and a function that applies `work` to items and returns the results in order.

    The function works on one item after the other if a worker pool is already running, if the world has no model, or
    if the model takes one call at a time.
    """
    if isinstance(world.model, YieldingModel):
        return world, one_by_one
    pool, shared = pool_for(world)
    if pool.workers == 1:
        return world, one_by_one

    def each(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        with closing(pool.run(work, items)) as begun:
            outcomes = [outcome for _, outcome in begun]
        wait(outcomes)  # also after an error, so that no worker uses a store after the owner closed the store
        return [outcome.result() for outcome in outcomes]

    return shared, each
