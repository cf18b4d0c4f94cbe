"""The parts of a running service that the pages use."""

from dataclasses import dataclass

from truthhypo.faces.jobs.job_runner import Runner
from truthhypo.faces.jobs.store import JobStore
from truthhypo.service.engine import Engine
from truthhypo.service.kept_results import ResultStore


@dataclass(frozen=True, slots=True)
class Served:
    """The parts of a running service.

    Attributes:
        engine: Answers the requests.
        jobs: The store of jobs.
        runner: Runs the jobs.
        results: The store of kept results.
    """

    engine: Engine
    jobs: JobStore
    runner: Runner
    results: ResultStore
