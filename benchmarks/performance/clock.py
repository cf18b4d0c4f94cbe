"""Measure the time of questions that are asked one after the other, in this process or on a server."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.performance.measure import cpu_of, say
from groundwork.errors import TimeLimit


@dataclass(frozen=True)
class Clock:
    """Asks questions one after the other until the time is up.

    Attributes:
        seconds: The time for each way and setting, after a third of this time for warming up.
        server: Process of a server, to report its processor time too.
    """

    seconds: float
    server: int | None

    def told(
        self, name: str, asked: str, way: Callable[..., Any], questions: Sequence[tuple[Any, ...]]
    ) -> dict[str, Any]:
        """Return a row with the milliseconds of wall and processor time for a question."""
        say(f"{name}, {asked}")
        self._asked(way, questions, self.seconds / 3)
        cpu, served = time.process_time(), cpu_of(self.server) or 0.0
        walls, stopped = self._asked(way, questions, self.seconds)
        used, more = time.process_time() - cpu, (cpu_of(self.server) or 0.0) - served
        row = {"way": name, "asked": asked, "answers": len(walls), "stopped": stopped}
        shares = {"p50": float(np.median(walls)), "p95": float(np.quantile(walls, 0.95))}
        return {**row, **shares, "cpu": used * 1e3 / len(walls), "server": more * 1e3 / len(walls)}

    def _asked(
        self, way: Callable[..., Any], questions: Sequence[tuple[Any, ...]], seconds: float
    ) -> tuple[list[float], int]:
        walls: list[float] = []
        stopped, began = 0, time.perf_counter()
        for arguments in questions:
            start = time.perf_counter()
            try:
                way(*arguments)
            except TimeLimit:
                stopped += 1
            walls.append((time.perf_counter() - start) * 1000.0)
            if time.perf_counter() - began > seconds:
                break
        return walls, stopped
