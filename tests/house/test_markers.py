"""Markers decide which tests run, and on which worker; tests that cannot run in an environment say why."""

import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests import conftest


@pytest.mark.parametrize("marker", ["models", "servers"])
@pytest.mark.parametrize("there", [True, False])
def test_a_test_that_needs_torch_says_where_it_can_run(request, monkeypatch, marker, there):
    monkeypatch.setattr(conftest, "find_spec", lambda name: object() if there else None)
    monkeypatch.setattr(request.node, "get_closest_marker", lambda name: object() if name == marker else None)
    if there or marker != "models":
        conftest.pytest_runtest_setup(request.node)
        return
    with pytest.raises(pytest.fail.Exception, match=r"needs torch.*make test-models"):
        conftest.pytest_runtest_setup(request.node)


def test_sigint_interrupts_the_tests_even_if_the_shell_ignores_it():
    one = "tests/truthhypo/test_entry.py::test_ctrl_c_while_python_imports_is_one_message[groundwork.errors-options2]"
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


#: The content of three files. In each, one test uses a shared server and three do not.
TESTS = """
import pytest
@pytest.mark.servers
def test_shared(): pass
@pytest.mark.parametrize("number", range(3))
def test_own(number): pass
"""


#: The content of a file with one test, which is slow.
LONG = """
import pytest
@pytest.mark.slow
def test_long(): pass
"""


@pytest.mark.slow
def test_one_worker_runs_all_tests_of_shared_servers_and_each_other_file_has_one_worker(tmp_path):
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.workers"]')
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    servers: needs servers\n    slow: takes long\n")
    for name in "abc":
        (tmp_path / f"test_{name}.py").write_text(TESTS)
    (tmp_path / "test_d.py").write_text(LONG)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-p", "xdist.plugin", "-n", "2"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(conftest.REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    workers, first = defaultdict(set), {}
    for worker, file, test in re.findall(r"\[(gw\d)\] .* PASSED (\w+)\.py::(\w+)", ran.stdout):
        first.setdefault(worker, test)
        workers["shared" if test == "test_shared" else file].add(worker)
    assert {name: len(found) for name, found in workers.items()} == dict.fromkeys(
        ("shared", "test_a", "test_b", "test_c", "test_d"), 1
    )
    assert "test_long" in first.values()  # though the other files have more tests
