"""Pictures: everyone can distinguish the series, marks and names are not cut, and a picture is one element of a
page."""

import re
import xml.etree.ElementTree as Tree
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from truthhypo.bench.pictures.looks import look
from truthhypo.bench.pictures.picture import element
from truthhypo.bench.pictures.shares import Point, rows, sized

HOSTILE = "<b onclick='x'>&\"</b>"
LONG = "huggingface:organisation/A-Model-Whose-Name-Goes-On-And-On-72B-Instruct-GPTQ-Int4, the second run of it"
POINTS = [
    Point(panel, series, setting, 0.5, 0.4, 0.6, 10)
    for panel in ("All", HOSTILE)
    for series in ("a", HOSTILE)
    for setting in ("kg", LONG)
]
ALONG = [replace(point, row=0.25) for point in POINTS]
PICTURES = {
    "rows": rows(POINTS, "accuracy", ["a", HOSTILE]),
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
    points = [replace(POINTS[0], series=name) for name in series]
    made = element(rows(points, "accuracy", series), "title")

    found = [one for one in elements(made) if one.tag == "path"]
    key = [one for one in elements(made) if one.tag == "svg" and "aria-hidden" in one.attrib]
    signs = {(one.attrib["stroke"], one.attrib["fill"], one.find("path").attrib["d"]) for one in key}
    marks = {(one.attrib["stroke"], one.attrib["fill"]) for one in found if one.attrib.get("fill", "none")[0] == "#"}
    assert len(signs) == len(series)
    assert marks == {(colour, fill) for colour, fill, _ in signs}


def test_a_missing_series_does_not_change_the_looks_of_the_others():
    series = ["none", "kg", "lit"]
    (sign,) = rows([replace(POINTS[0], series="kg")], "accuracy", series).series.items()

    assert sign == ("kg", 1)
    made = str(element(rows([replace(POINTS[0], series=name) for name in ("kg", "lit")], "accuracy", series), "title"))
    assert look(1).colour in made
    assert look(0).colour not in made


def test_many_rows_continue_in_the_next_panel():
    points = [replace(POINTS[0], row=f"model {n}") for n in range(20)]

    assert list(rows(points, "accuracy", ["a"]).panels) == [f"All ({n} of 4)" for n in (1, 2, 3, 4)]
