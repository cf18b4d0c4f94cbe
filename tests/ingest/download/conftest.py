"""A server on loopback that has the faults a test asks for, reached without a proxy."""

import pytest

from tests.ingest.download.source import serving


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """No proxy of the developer's own machine between us and loopback."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def server():
    """One server for the tests of a file. Each test first clears it."""
    with serving() as source:
        yield source
