"""Real servers as pytest fixtures: `neo4j_address` and `elasticsearch_address`.

A server is started when a collected test is marked `servers`, in the background, so that tests without a server run
meanwhile. A worker of pytest-xdist starts it when its first test asks for a server, because most workers run no such
test.

Where this machine cannot run a server, the tests that need it are skipped and one line at the end says so. In CI (the
variable CI is set) they fail. A server that can be run but does not start fails its tests everywhere.
"""

import os
from typing import TYPE_CHECKING

import pytest

from tests.servers.errors import UnavailableError
from tests.servers.pool import Pool, Store, stores
from tests.servers.process import Server

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

NEO4J, ELASTICSEARCH = STORES = stores(quick=True)
FIXTURES = {"neo4j_address": NEO4J, "elasticsearch_address": ELASTICSEARCH}

_POOL = Pool()

#: The stores that workers of pytest-xdist wanted and could not run: {name: reason}.
_UNTESTED = pytest.StashKey[dict[str, str]]()


def acquire(store: Store) -> Server:
    """Returns the session's server of this store. If there is none, the test is skipped, or fails in CI."""
    try:
        return _POOL.acquire(store)
    except UnavailableError as error:
        reason = f"{store.name} cannot be started here: {error}"
        if in_ci():
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)


def in_ci() -> bool:
    """Says whether a missing server is a failure."""
    return os.environ.get("CI", "").lower() not in {"", "0", "false"}


@pytest.fixture(scope="session")
def neo4j_address(request: pytest.FixtureRequest) -> str:
    """The Bolt address of the session's Neo4j without authentication, such as bolt://127.0.0.1:20001."""
    _POOL.begin(wanted(request.session.items))
    return acquire(NEO4J).address


@pytest.fixture(scope="session")
def elasticsearch_address(request: pytest.FixtureRequest) -> str:
    """The HTTP address of the session's Elasticsearch without authentication, such as http://127.0.0.1:40001."""
    _POOL.begin(wanted(request.session.items))
    return acquire(ELASTICSEARCH).address


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begins to start the servers that the collected tests need. A worker of xdist waits until a test needs one."""
    if not session.config.option.collectonly and not hasattr(session.config, "workerinput"):
        _POOL.begin(wanted(session.items))


def wanted(items: list[pytest.Item]) -> list[Store]:
    """Returns the stores that tests marked `servers` use as fixtures, or all stores if one of these tests uses none."""
    marked = [set(getattr(item, "fixturenames", ())) for item in items if item.get_closest_marker("servers")]
    if any(not names & FIXTURES.keys() for names in marked):
        return list(STORES)
    return [store for fixture, store in FIXTURES.items() if any(fixture in names for names in marked)]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Stops the servers, including servers that no test used. A worker of pytest-xdist reports what was not tested."""
    _POOL.close()
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["untested"] = _POOL.untested()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: "WorkerController") -> None:
    """Keeps what a worker reported; a worker that crashed reports nothing."""
    untested = getattr(node, "workeroutput", {}).get("untested", {})
    node.config.stash.setdefault(_UNTESTED, {}).update(untested)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints one line naming the stores that were not tested, and why; nothing if none was missing."""
    if untested := _POOL.untested() | terminalreporter.config.stash.get(_UNTESTED, {}):
        names = [store.name for store in FIXTURES.values() if store.name in untested]
        reasons = "; ".join(dict.fromkeys(untested[name] for name in names))
        terminalreporter.write_line(f"Not tested on {' and '.join(names)}: {reasons}", yellow=True)
