"""The work of a judging process: open the stores once, read-only, and judge one text after another."""

import logging
from functools import cache
from typing import Any

from groundwork.errors import TruthHypoError
from groundwork.settings import Settings
from truthhypo.service.charted import ServedWorld
from truthhypo.service.log_lines import log_to_stderr
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.problems import Problem
from truthhypo.service.requests import Request
from truthhypo.world import World

_log = logging.getLogger(__name__)


@cache
def opened(settings: Settings) -> World:
    """Return a world with open stores, and load the sentence parser. The process never closes the stores."""
    from groundwork.language import parse

    log_to_stderr(texts=settings.serve_log_texts)
    world = ServedWorld(settings)
    world.graph_store.releases()
    world.literature_store.releases()
    parse("Aspirin reduces fever.")
    return world


def warm(settings: Settings) -> None:
    """Open the stores before the first judgement. Errors are only logged; the first judgement reports them."""
    try:
        opened(settings)
    except TruthHypoError as error:
        _log.warning("the stores cannot be opened yet: %s", error.seen)


def judge(settings: Settings, name: str, request: Request) -> dict[str, Any] | Problem:
    """Answer a request. Return an error as a problem, because not all exceptions can be sent to another process."""
    try:
        return OPERATIONS[name].answered(opened(settings), request)
    except TruthHypoError as error:
        return Problem.of(error)
    except Exception as error:  # noqa: BLE001 - a bug becomes a problem, and the process continues with the next text
        _log.exception("the judgement %s failed", name)
        return Problem.fault(error)
