"""The notebooks of docs: each runs from its start, and its stored outputs are those of the run."""

import nbformat
import pytest

from tests.notebooks import executed, notebooks, outputs

NAMES = [path.stem for path in notebooks()]


@pytest.mark.parametrize("path", notebooks(), ids=NAMES)
def test_a_notebook_has_stored_outputs_without_errors(path):
    notebook = nbformat.read(path, as_version=4)
    told = list(outputs(notebook))
    assert told
    assert [(kind, text) for _, kind, text in told if kind == "error" or (kind == "stderr" and "Warning" in text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", notebooks(), ids=NAMES)
def test_a_notebook_runs_and_gives_its_stored_outputs(path):
    kept = nbformat.read(path, as_version=4)
    assert list(outputs(executed(path))) == list(outputs(kept))
