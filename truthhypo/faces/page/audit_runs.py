"""Audit releases in the background of a service. The audit of a large release takes longer than a request may take."""

import asyncio
from typing import Any

from groundwork.records.release import fingerprint
from truthhypo.faces.rest.threads import on_stores
from truthhypo.service.engine import Engine
from truthhypo.service.requests import AuditRequest

_Key = tuple[str, str | None, str | None]


class AuditRuns:
    """Runs audits, one at a time, each in a judging process of an engine.

    Args:
        engine: Audits the releases.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._tasks: dict[_Key, asyncio.Task[dict[str, Any]]] = {}
        self._turn = asyncio.Lock()

    async def audit(self, request: AuditRequest, patience: float) -> dict[str, Any] | None:
        """Return an audit, or None if it is not finished in time. A later call with the same request waits again.

        If the releases have changed since an audit began, the audit is cancelled.

        Args:
            request: What to audit.
            patience: Seconds to wait at most.

        Raises:
            ProblemRaised: The audit failed.
        """
        state = await on_stores(self._engine, lambda world: fingerprint(world.graph_store.releases()))
        for key in [key for key in self._tasks if key[0] != state]:
            self._tasks.pop(key).cancel()
        key = state, request.release, request.against
        task = self._tasks.get(key) or asyncio.create_task(self._audited(request))
        self._tasks[key] = task
        await asyncio.wait({task}, timeout=patience)
        if not task.done():
            return None
        if self._tasks.get(key) is task:
            del self._tasks[key]
        return None if task.cancelled() else task.result()  # a load that needs the stores also cancels it

    def cancel(self, request: AuditRequest) -> None:
        """End an audit, if it runs."""
        for key in [key for key in self._tasks if key[1:] == (request.release, request.against)]:
            self._tasks.pop(key).cancel()

    async def _audited(self, request: AuditRequest) -> dict[str, Any]:
        async with self._turn:
            return await self._engine.work("audit_release", request)
