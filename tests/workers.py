"""How the tests are divided between the workers of pytest-xdist (`pytest -n 2`).

All tests that use a shared server run on one worker, because they empty its store. The other tests are handed out file by
file, because the tests of a file share its fixtures.
"""

import pytest
from xdist.scheduler import LoadGroupScheduling

#: The group of tests that run on one worker, and what marks them: a marker, or a fixture that starts a process.
SHARED = "servers"
SHARED_FIXTURES = frozenset({"language_model_address"})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that use a shared server into one group."""
    for item in items:
        fixtures = SHARED_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        if fixtures or item.get_closest_marker("servers"):
            item.add_marker(pytest.mark.xdist_group(SHARED))


class FileScheduling(LoadGroupScheduling):
    """Hand out groups whole, and other tests file by file."""

    def _split_scope(self, nodeid: str) -> str:
        return super()._split_scope(nodeid).partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log) -> FileScheduling | None:
    """Replace xdist's scheduler for `--dist loadgroup`."""
    return FileScheduling(config, log) if config.getvalue("dist") == "loadgroup" else None
