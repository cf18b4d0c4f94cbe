"""A server on loopback that behaves as badly as it is told to, reached without a proxy."""

import pytest

from tests.ingest.download.source import serving


@pytest.fixture(autouse=True)
def direct(monkeypatch):
    """No proxy of the developer's own machine between us and loopback."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="module")
def server():
    """One for the tests of a file; each clears what the one before it left."""
    with serving() as source:
        yield source
