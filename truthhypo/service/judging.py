"""What a process that judges does: it opens the stores once, read-only, and judges one text after another."""

import logging
from functools import cache
from typing import Any

from groundwork.errors import TruthHypoError
from groundwork.settings import Settings
from truthhypo.service.charted import ServedWorld
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem
from truthhypo.service.requests import Request
from truthhypo.world import World

_log = logging.getLogger(__name__)


@cache
def opened(settings: Settings) -> World:
    """The world of this process, with its reader of sentences loaded; it stays open until the process ends."""
    from groundwork.language import parse

    world = ServedWorld(settings)
    world.graph_store.releases()
    world.literature.releases()
    parse("Aspirin reduces fever.")
    return world


def warm(settings: Settings) -> None:
    """Open the world before the first judgement. What is wrong with it, the first judgement will tell."""
    try:
        opened(settings)
    except TruthHypoError as error:
        _log.warning("the stores cannot be opened yet: %s", error.seen)


def judge(settings: Settings, name: str, request: Request) -> dict[str, Any] | Problem:
    """Answer a request; an error comes back as a problem, since errors do not travel between processes whole."""
    try:
        return OPERATIONS[name].answered(opened(settings), request)
    except TruthHypoError as error:
        return Problem.of(error)
    except Exception as error:  # noqa: BLE001 - a bug is told as a problem, and the process judges on
        _log.exception("the judgement %s failed", name)
        return Problem.fault(error)
