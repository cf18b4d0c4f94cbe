"""Report the progress of some work to a browser by server-sent events."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from fastapi.responses import StreamingResponse

from truthhypo.faces.jobs.store import OPEN
from truthhypo.faces.rest.threads import in_thread
from truthhypo.service.problems import ProblemRaised

#: Seconds between two reports on progress, and number of reports in one answer. After an answer, browsers ask again by
#: themselves. Answers are short, because the service waits for the end of each answer before it stops.
_PULSE, _REPORTS = 0.5, 20


def progress_report(state: str, done: int, total: int, rate: float | None) -> dict[str, Any]:
    """Return the progress of some work, with rate per second and seconds left. Both are null if unknown."""
    left = (total - done) / rate if rate else None
    return {"state": state, "done": done, "total": total, "rate": rate, "left": left}


def progress_events(report: Callable[[], dict[str, Any]]) -> StreamingResponse:
    """Return an answer with reports on progress. It ends when the work is over, or after `_REPORTS` reports.

    Args:
        report: Function that returns the progress (`progress_report`). It raises ProblemRaised if, for
            instance, the work was deleted.
    """
    headers = {"Cache-Control": "no-store"}
    return StreamingResponse(_events(report), media_type="text/event-stream", headers=headers)


async def _events(report: Callable[[], dict[str, Any]]) -> AsyncIterator[str]:
    yield "retry: 500\n\n"
    for _ in range(_REPORTS):
        try:
            told = await in_thread(report)
        except ProblemRaised:
            return
        yield f"data: {json.dumps(told)}\n\n"
        if told["state"] not in OPEN:
            return
        await asyncio.sleep(_PULSE)
