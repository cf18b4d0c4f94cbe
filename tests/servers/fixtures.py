"""Real servers as pytest fixtures: `neo4j_address` and `elasticsearch_address`.

A server is started when a collected test is marked `servers`, in the background, so that tests which need none run
meanwhile. Where this machine cannot run it, the tests that need it are skipped and one line at the end says so; in CI
(the variable CI is set) they fail. A server that is there and does not start fails them anywhere.
"""

import os

import pytest

from tests.servers.errors import UnavailableError
from tests.servers.pool import Pool, Store, stores
from tests.servers.process import Server

NEO4J, ELASTICSEARCH = STORES = stores(quick=True)
FIXTURES = {"neo4j_address": NEO4J, "elasticsearch_address": ELASTICSEARCH}

_POOL = Pool()


def acquire(store: Store) -> Server:
    """Returns the session's server of this store; skips the test, or fails it in CI, where none can be had."""
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
def neo4j_address() -> str:
    """The Bolt address of an own Neo4j without authentication, such as bolt://127.0.0.1:20001."""
    return acquire(NEO4J).address


@pytest.fixture(scope="session")
def elasticsearch_address() -> str:
    """The HTTP address of an own Elasticsearch without authentication, such as http://127.0.0.1:40001."""
    return acquire(ELASTICSEARCH).address


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begins to start the servers that the collected tests need."""
    if not session.config.option.collectonly:
        _POOL.begin(wanted(session.items))


def wanted(items: list[pytest.Item]) -> list[Store]:
    """Returns the stores that tests marked `servers` name as fixtures; all, if one of these tests names none."""
    marked = [set(getattr(item, "fixturenames", ())) for item in items if item.get_closest_marker("servers")]
    if any(not names & FIXTURES.keys() for names in marked):
        return list(STORES)
    return [store for fixture, store in FIXTURES.items() if any(fixture in names for names in marked)]


def pytest_sessionfinish() -> None:
    """Stops the servers, those too that no test came to use."""
    _POOL.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says which stores were not tested."""
    report_untested(terminalreporter)


def report_untested(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints one line naming the stores that were not tested, and why; nothing if none was missing."""
    if untested := _POOL.untested():
        reasons = "; ".join(dict.fromkeys(untested.values()))
        terminalreporter.write_line(f"Not tested on {' and '.join(untested)}: {reasons}", yellow=True)
