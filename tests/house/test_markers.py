"""Tests run in any environment, or say why they cannot."""

import signal
import subprocess
import sys
from pathlib import Path

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


def test_sigint_interrupts_what_a_test_starts_though_the_shell_ignores_it():
    one = "tests/truthhypo/test_entry.py::test_ctrl_c_while_python_imports_is_one_message[argv0-typer]"
    told = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", one],
        cwd=Path(__file__).parents[2],
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stdout
