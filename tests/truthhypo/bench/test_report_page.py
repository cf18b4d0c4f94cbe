"""The page of a report: pictures, grids, and how it is printed."""

import json
import re
import xml.etree.ElementTree as Tree
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from fuzzygraph.risk_report import Terms
from groundwork.errors import InputError
from tests.truthhypo.bench.browser import HEIGHT, POINTS, WIDTH, chromium, printed
from tests.truthhypo.bench.reported_runs import FLOOR, run_of, set_of
from tests.truthhypo.bench.test_report import Page
from truthhypo.bench import grid, report
from truthhypo.bench.grid import GridReport, read_grid, write_grid
from truthhypo.bench.pictures import Point, element, look, rows, sized
from truthhypo.bench.report_page import page, save
from truthhypo.bench.reported_runs import comparisons, names
from truthhypo.faces.cli.entry import run as command

HOSTILE = "<b onclick='x'>&\"</b>"
NAME = "huggingface:organisation/A-Model-Whose-Name-Goes-On-And-On-72B-Instruct-GPTQ-Int4"
LONG = f"{NAME}, the second run of it"
MARKS = [
    Point(panel, series, setting, 0.5, 0.4, 0.6, 10)
    for panel in ("All", HOSTILE)
    for series in ("a", HOSTILE)
    for setting in ("kg", LONG)
]
ALONG = [replace(point, row=0.25) for point in MARKS]
PICTURES = {
    "rows": rows(MARKS, "accuracy", ["a", HOSTILE]),
    "sized": sized(ALONG, "groundedness", "accuracy", ["a", HOSTILE], "answers"),
}
#: Matrices for linear RGB, by kind of vision: Machado, Oliveira and Fernandes 2009, severity 1.
SEEN = {
    "all colours": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
#: From linear sRGB to CIE XYZ (D65).
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.072175], [0.0193339, 0.119192, 0.9503041]])
MODELS = (
    *(f"openai:gpt-4o-{n}" for n in range(10)),
    NAME,
    "huggingface:meta-llama/Llama-3.1-8B-Instruct",
    FLOOR,
)


def lab(colour: str, seen: object) -> np.ndarray:
    """CIE L*a*b* of a colour as seen with normal vision or with a colour deficiency (`seen`)."""
    srgb = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    ratio = XYZ @ np.clip(np.asarray(seen) @ linear, 0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def first_round() -> list[str]:
    """The colours before they repeat."""
    return list(dict.fromkeys(look(n).colour for n in range(100)))


@pytest.mark.parametrize("seen", SEEN.values(), ids=SEEN)
def test_the_colour_blind_can_distinguish_the_colours(seen):
    distances = [np.linalg.norm(lab(a, seen) - lab(b, seen)) for a, b in combinations(first_round(), 2)]

    assert len(first_round()) <= 8
    assert min(distances) >= 16  # a just noticeable difference is about 2


def test_each_colour_has_its_own_shape_and_similar_greys_differ_in_their_dashes():
    looks = [look(n) for n in range(len(first_round()))]

    assert len({one.shape for one in looks}) == len(looks)
    grey = sorted(looks, key=lambda one: lab(one.colour, np.eye(3))[0])
    assert all(one.dash != other.dash for one, other in pairwise(grey))


def test_no_two_series_look_alike():
    looks = [look(n) for n in range(150)]

    assert len({(one.colour, one.fill, one.shape, one.dash) for one in looks}) == len(looks)
    marks = looks[:56]
    assert len({(one.colour, one.shape) for one in marks}) == len(marks)
    for one, other in combinations(looks[:14], 2):  # of the same colour, one is full and one hollow
        assert one.colour != other.colour or one.fill != other.fill


def elements(text: str) -> list[Tree.Element]:
    return list(Tree.fromstring(str(text)).iter())


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_one_element_that_fetches_nothing(picture):
    made = element(picture, "title", "what to see")
    found = elements(made)

    assert "http" not in made
    assert not {"script", "image", "foreignObject", "a", "img"} & {one.tag for one in found}
    assert not [name for one in found for name in one.attrib if name.startswith("on")]
    ids = [one.attrib["id"] for one in found if "id" in one.attrib]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", made)) <= {*ids}
    drawings = [one for one in found if one.tag == "svg" and one.attrib.get("role") == "img"]
    assert len(drawings) == len(picture.panels) == 2
    assert all({one.attrib["aria-labelledby"], one.attrib["aria-describedby"]} <= {*ids} for one in drawings)
    assert all(one in drawings or one.attrib["aria-hidden"] == "true" for one in found if one.tag == "svg")
    texts = ["".join(one.itertext()) for one in found if one.tag in {"li", "p"}]
    assert texts.count(HOSTILE) == 2, "in the key, and as a panel's name"


def test_names_are_not_cut():
    texts = ["".join(one.itertext()) for one in elements(element(PICTURES["rows"], "title"))]

    letters = "".join(texts).replace(" ", "")
    assert LONG.replace(" ", "") in letters
    assert "…" not in letters


def test_marks_in_a_picture_look_like_those_of_its_key():
    series = [f"model {n}" for n in range(12)]
    points = [replace(MARKS[0], series=name) for name in series]
    made = element(rows(points, "accuracy", series), "title")

    found = [one for one in elements(made) if one.tag == "path"]
    key = [one for one in elements(made) if one.tag == "svg" and "aria-hidden" in one.attrib]
    signs = {(one.attrib["stroke"], one.attrib["fill"], one.find("path").attrib["d"]) for one in key}
    marks = {(one.attrib["stroke"], one.attrib["fill"]) for one in found if one.attrib.get("fill", "none")[0] == "#"}
    assert len(signs) == len(series)
    assert marks == {(colour, fill) for colour, fill, _ in signs}


def test_a_missing_series_does_not_change_the_looks_of_the_others():
    series = ["none", "kg", "lit"]
    (sign,) = rows([replace(MARKS[0], series="kg")], "accuracy", series).series.items()

    assert sign == ("kg", 1)
    made = str(element(rows([replace(MARKS[0], series=name) for name in ("kg", "lit")], "accuracy", series), "title"))
    assert look(1).colour in made
    assert look(0).colour not in made


def test_many_rows_continue_in_the_next_panel():
    points = [replace(MARKS[0], row=f"model {n}") for n in range(20)]

    assert list(rows(points, "accuracy", ["a"]).panels) == [f"All ({n} of 4)" for n in (1, 2, 3, 4)]


def grid_of(folder, n=60):
    """A grid of two taus and two hops with random risks. False statements have higher risks."""
    draws = np.random.default_rng(0)
    gold = ["false" if place % 3 == 0 else "true" for place in range(n)]
    points = [
        (Terms(tau_min=tau, hops=hops, paths=0), [float(0.3 * (g == "false") + 0.6 * draws.random()) for g in gold])
        for tau in (0.2, 0.5)
        for hops in (1, 3)
    ]
    found = GridReport(
        dataset="drawn <b>",
        labels={"true": 40, "false": 20},
        reached={"no_triple": 0, "unlinked": 0, "no_evidence": 0, "measured": n},
        points=tuple(grid.point(each, gold, risks) for each, risks in points),
        crossed=grid.crossed(gold, points),
        terms=points[1][0],
        warnings=("drawn by lot",),
    )
    write_grid(found, folder)
    return found


def test_a_grid_comes_back_as_it_was_written(tmp_path):
    found = grid_of(tmp_path / "grid")

    assert read_grid(tmp_path / "grid") == found
    pointless = json.dumps({**found.to_dict(), "points": []})
    for text in ("{}", "[", '{"points": []}', pointless):
        (tmp_path / "grid" / "grid.json").write_text(text, "utf-8")
        with pytest.raises(InputError, match=r"grid\.json cannot be read"):
            read_grid(tmp_path / "grid")


def test_runs_and_grids_stand_on_one_page_with_all_their_numbers(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    run = run_of(tmp_path / "run", place, instances)
    grid = grid_of(tmp_path / "grid")

    found = report.report([run, tmp_path / "grid"], instances=1)

    told = Page(page(found))
    assert (told.bad, told.open) == ([], [])
    assert ([one.name for one in found.runs], [one.name for one in found.grids]) == (["run"], ["grid"])
    for point in grid.points:
        assert {point.auroc, point.f1_all, point.coverage, point.ece} <= told.numbers
    pictures = [attrs for tag, attrs in told.elements if tag == "svg" and "aria-hidden" not in attrs]
    ids = {attrs["id"] for _, attrs in told.elements if "id" in attrs}
    assert len(pictures) >= 4
    assert all({one["aria-labelledby"], one["aria-describedby"]} <= ids for one in pictures)
    text = "".join(told.text)
    assert "It prints no F1 and no curve" in text
    assert "grid: drawn by lot" in found.warnings

    save(found, tmp_path / "r.html")
    shape = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert {row["source"] for row in shape["said_of_tau"]} == {f"paper B, Section {n}" for n in ("2", "3", "6.7")}


def test_a_grid_alone_is_a_report_by_command(tmp_path, capfd):
    grid_of(tmp_path / "grid")
    out = tmp_path / "page.html"

    code = command(["--json", "bench", "report", str(tmp_path / "grid"), "--out", str(out)])

    told = json.loads(capfd.readouterr().out)
    assert (code, told["runs"], told["grids"], told["figures"]) == (0, [], ["grid"], 0)
    read_again = Page(out.read_text("utf-8"))
    assert (read_again.bad, read_again.open) == ([], [])
    links = {attrs["href"][1:] for tag, attrs in read_again.elements if tag == "a"}
    assert links == {"tau"}


def test_folders_with_equal_names_get_different_names(tmp_path):
    places = [tmp_path / "a" / "x" / "run", tmp_path / "b" / "x" / "run", tmp_path / "b" / "y" / "run"]

    found = names(places)

    assert list(found.values()) == places
    assert list(found) == [str(places[0]), str(places[1]), "y/run"]


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
        patched.setattr(report, "comparisons", lambda cells: comparisons(dict(list(cells.items())[:3])))
        found = report.report([run, root / "grid"], instances=1)
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
