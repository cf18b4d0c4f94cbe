"""The report under docs/ is that of the suite beside it, whole, and says first that its scores mean nothing."""

import json
from pathlib import Path

import pytest

from truthhypo.bench.suite import Suite, read

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "example-report"
REPORT = json.loads((EXAMPLE / "report.json").read_text("utf-8"))


def test_its_suite_is_the_one_beside_it():
    (run,) = REPORT["runs"]
    held = Suite.model_validate(run["manifest"]["suite"], strict=False)
    assert held.model_copy(update={"datasets": None}) == read(str(EXAMPLE / "suite.toml")).model_copy(
        update={"datasets": None}
    )
    assert run["missing"] == {"records": 0, "of": 12 * (2 + 3 + 4 * 2)}


def test_it_says_first_that_its_scores_mean_nothing():
    assert "scores mean nothing" in REPORT["warnings"][0]
    html = (EXAMPLE / "report.html").read_text("utf-8")
    assert html.index("scores mean nothing") < html.index('id="truth"')


@pytest.mark.parametrize("path", sorted(EXAMPLE.iterdir()), ids=lambda path: path.name)
def test_no_place_of_the_machine_stands_in_it(path):
    text = path.read_text("utf-8")
    assert not [place for place in ("/tmp/", "/work/", "/root", "/home/") if place in text]
