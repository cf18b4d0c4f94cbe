"""Run functions that may wait for a disk or a store, and convert their errors to problems."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from anyio import to_thread

from groundwork.errors import TruthHypoError
from truthhypo.service.engine import Engine
from truthhypo.service.problems import Problem, ProblemRaised
from truthhypo.world import World

Given = ParamSpec("Given")
Result = TypeVar("Result")


async def in_thread(call: Callable[Given, Result], *arguments: Given.args, **options: Given.kwargs) -> Result:
    """Run a function in a thread and return its result.

    Raises:
        ProblemRaised: The function failed; the attribute `problem` of the exception says why.
    """
    try:
        return await to_thread.run_sync(lambda: call(*arguments, **options))
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error


async def on_stores(engine: Engine, call: Callable[[World], Result]) -> Result:
    """Run a function on the open stores and return its result.

    Raises:
        ProblemRaised: The function failed, or the stores are closed; the attribute `problem` of the exception says why.
    """
    try:
        found: Result = await engine.look(call)
    except TruthHypoError as error:
        raise ProblemRaised(Problem.of(error)) from error
    return found
