"""How the tests are divided between the workers of pytest-xdist (`pytest -n 3`).

All tests that use a shared server run on one worker, because they empty its store. The other tests are handed out file
by file, because the tests of a file share its fixtures. The longest files are handed out first, so that no worker waits
for another at the end.

xdist offers the same as `--dist loadgroup`, but its release 3.8 ignores the groups under pytest 9.2 without a message.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

#: The marker of tests that use a shared server, which is also the name of their common scope. A test that uses one of
#: the fixtures is treated as if it had the marker.
SHARED = "servers"
SHARED_FIXTURES = frozenset({"language_model_address"})

#: Keys of pytest's cache for the ids of these tests and of slow tests. Workers know the markers and write the ids; the
#: controller, which hands out the tests, reads them.
SHARED_KEY, SLOW_KEY = "workers/shared", "workers/slow"

#: A test marked `slow` counts as this many other tests.
SLOW = 30


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Store the ids of marked tests before the controller is told which tests were collected."""
    if getattr(session.config, "workerinput", {}).get("workerid") == "gw0":
        cache, items = session.config.cache, session.items
        cache.set(SHARED_KEY, [item.nodeid for item in items if uses_shared_server(item)])
        cache.set(SLOW_KEY, [item.nodeid for item in items if item.get_closest_marker("slow")])


def uses_shared_server(item: pytest.Item) -> bool:
    """Say whether a test uses a server that other tests use too."""
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker(SHARED) is not None or not SHARED_FIXTURES.isdisjoint(fixtures)


class FileScheduling(LoadScopeScheduling):
    """Hand out the tests of the shared servers together, and the others file by file; the longest first."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        self.shared: frozenset[str] = frozenset()
        self.slow: frozenset[str] = frozenset()

    def schedule(self) -> None:
        """Hand out tests once all workers have collected them."""
        self.shared = frozenset(self.config.cache.get(SHARED_KEY, []))
        self.slow = frozenset(self.config.cache.get(SLOW_KEY, []))
        super().schedule()

    def _assign_work_unit(self, node: WorkerController) -> None:
        self.workqueue.move_to_end(max(self.workqueue, key=self._length), last=False)
        super()._assign_work_unit(node)

    def _length(self, scope: str) -> int:
        return sum(SLOW if nodeid in self.slow else 1 for nodeid in self.workqueue[scope])

    def _split_scope(self, nodeid: str) -> str:
        return SHARED if nodeid in self.shared else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling:
    """Replace the scheduler of xdist."""
    return FileScheduling(config, log)
