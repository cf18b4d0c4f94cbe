"""Markers decide which tests run, and on which worker; tests that cannot run in an environment say why."""

import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest
from tests.workers import FileScheduling


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


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        ("not models", ["quick"]),
        ("servers", ["quick"]),
        ("slow or not models", ["quick", "slow"]),
        ("soak", ["quick", "soak"]),
    ],
)
def test_slow_and_soak_tests_are_left_out_unless_the_expression_names_them(expression, left):
    items = [SimpleNamespace(name=name, get_closest_marker=name.__eq__) for name in ("quick", "slow", "soak")]
    config = SimpleNamespace(
        option=SimpleNamespace(markexpr=expression), hook=SimpleNamespace(pytest_deselected=lambda items: None)
    )
    conftest.pytest_collection_modifyitems(config, items)
    assert [item.name for item in items] == left


@pytest.mark.parametrize(
    ("test", "scope"),
    [
        ("tests/cypher/test_bolt.py::test_one[@servers]", "tests/cypher/test_bolt.py"),
        ("tests/truthhypo/test_langchain.py::TestTool::test_one", "tests/truthhypo/test_langchain.py"),
        ("tests/cypher/test_bolt.py::test_one[neo4j]@servers", "servers"),
    ],
)
def test_workers_take_a_file_or_all_tests_of_the_shared_servers(test, scope):
    assert FileScheduling.__new__(FileScheduling)._split_scope(test) == scope
