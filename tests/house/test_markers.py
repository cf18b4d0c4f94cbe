"""Tests that cannot run in an environment say why."""

import pytest

from tests import conftest


@pytest.mark.parametrize("marker", ["models", "servers"])
@pytest.mark.parametrize("there", [True, False])
def test_what_needs_torch_says_where_it_can_run(request, monkeypatch, marker, there):
    monkeypatch.setattr(conftest, "find_spec", lambda name: object() if there else None)
    monkeypatch.setattr(request.node, "get_closest_marker", lambda name: object() if name == marker else None)
    if there or marker != "models":
        conftest.pytest_runtest_setup(request.node)
        return
    with pytest.raises(pytest.fail.Exception, match=r"needs torch.*make test-models"):
        conftest.pytest_runtest_setup(request.node)
