"""The report of a run of twelve models on paper, as Chromium lays it out: A4, whole, and large enough to read."""

import pytest

from tests.truthhypo.bench.browser import HEIGHT, POINTS, WIDTH, chromium, printed
from tests.truthhypo.bench.reported_runs import FLOOR, run_of, set_of
from tests.truthhypo.bench.test_report_grids import grid_of
from truthhypo.bench.report import contents
from truthhypo.bench.report.page import page
from truthhypo.bench.report.paired_tests import comparisons

LONG = "huggingface:organisation/A-Model-Whose-Name-Goes-On-And-On-72B-Instruct-GPTQ-Int4"
MODELS = (*(f"openai:gpt-4o-{n}" for n in range(10)), LONG, "huggingface:meta-llama/Llama-3.1-8B-Instruct", FLOOR)


@pytest.fixture(
    scope="module", params=[1, pytest.param(12, marks=pytest.mark.slow)], ids=["one model", "twelve models"]
)
def models(request):
    return (*MODELS[11 : 11 + request.param], FLOOR) if request.param == 1 else MODELS


@pytest.fixture(scope="module")
def told(models, tmp_path_factory):
    browser, root = chromium(), tmp_path_factory.mktemp("printed")
    place, instances = set_of(root / "set", each=4)
    run = run_of(root / "run", place, instances, models, samples=1, settings=("kg+lit",))
    grid_of(root / "grid")
    with pytest.MonkeyPatch.context() as patched:  # test only a few pairs of cells: all take a minute
        patched.setattr(contents, "comparisons", lambda cells: comparisons(dict(list(cells.items())[:3])))
        found = contents.report([run, root / "grid"], instances=1)
    return printed(browser, page(found), root)


def test_nothing_is_wider_than_the_page(told):
    """Otherwise Chromium would print the whole page smaller."""
    assert told["width"] <= WIDTH
    assert [one["name"] for one in told["tables"] if one["box"][2] > WIDTH] == []


def test_text_is_large_enough(told):
    letters = [one["letters"] * POINTS for panel in told["panels"] for one in panel["texts"]]

    assert len(letters) > 80
    assert min(letters) >= 8
    assert min(cell["letters"] * POINTS for table in told["tables"] for cell in table["cells"]) >= 7


def test_panels_are_large_and_fit_a_page(told):
    for panel in told["panels"]:
        left, top, right, bottom = panel["box"]
        assert right - left >= WIDTH / 2 - 10, panel["title"]
        assert 60 < bottom - top < HEIGHT / 2, panel["title"]


def test_text_stays_in_its_panel_and_is_not_cut(told, models):
    for panel in told["panels"]:
        for one in panel["texts"]:
            assert panel["box"][0] - 1 <= one["box"][0], one["text"]
            assert one["box"][2] <= panel["box"][2] + 1, one["text"]
            assert "…" not in one["text"]
    told_of = "".join(one["text"] for panel in told["panels"] for one in panel["texts"])
    assert all(model in told_of for model in models)


def test_marks_are_not_cut_at_0_and_at_100_percent(told):
    marks = [(mark, frame) for panel in told["panels"] for mark, frame in panel["marks"]]

    assert len(marks) > 20
    for mark, frame in marks:
        assert frame[0] <= mark[0] < mark[2] <= frame[2]
        assert frame[1] <= mark[1] < mark[3] <= frame[3]
    heights = {round((mark[1] + mark[3] - frame[1] * 2) / (frame[3] - frame[1]) / 2, 1) for mark, frame in marks}
    assert {0.1, 0.9} <= heights, "this run has groups that are all right and all wrong"
