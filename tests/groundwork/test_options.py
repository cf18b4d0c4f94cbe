"""Records of options: ranges, and the forms that are derived from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_type_hints

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from fuzzygraph.options import RiskKeywords, RiskOptions
from groundwork.errors import InputError
from groundwork.options import Options, concepts_option, entries, option, options_in, with_options
from knowhd.options import GroundKeywords, GroundOptions
from truthhypo.hypotheses.options import HypothesizeKeywords, HypothesizeOptions
from truthhypo.service.requests import GroundRequest, SearchRequest


@dataclass(frozen=True, kw_only=True)
class Weather(Options):
    degrees: float = option(20.0, "Temperature.", gt=-274)
    humidity: int = option(50, "Percent of humidity.", ge=0, le=100, most_served=90)
    sky: Literal["clear", "grey"] = option("clear", "How the sky looks.")
    wind: float | None = option(None, "Speed of the wind.")
    dry: bool = option(True, "It does not rain.", opposite=("rain", "It rains."))
    clouds: Sequence[Literal["cirrus", "stratus"]] = option((), "Clouds.", most_served=2)
    towns: Sequence[str] = option((), "Towns.")
    concepts: Mapping[str, str] | None = concepts_option()

    def __post_init__(self):
        super().__post_init__()
        if self.sky == "clear" and not self.dry:
            raise InputError("rain from a clear sky", "clouds, or no rain", "choose one")


@with_options(Weather)
class Asked(BaseModel):
    """A request."""

    model_config = ConfigDict(extra="forbid", strict=True)
    place: str


@with_options(Weather, "humidity")
class Short(BaseModel):
    """A request with one option."""


@pytest.mark.parametrize(
    ("given", "seen", "wanted"),
    [
        ({"degrees": -274.0}, "degrees = -274.0", "above -274"),
        ({"degrees": float("nan")}, "degrees = nan", "above -274"),
        ({"humidity": 101}, "humidity = 101", "0 to 100"),
        ({"humidity": -1}, "humidity = -1", "0 to 100"),
        ({"sky": "blue"}, "sky 'blue'", "clear or grey"),
        ({"wind": float("inf")}, "wind = inf", "a finite number"),
        ({"clouds": ["cirrus", "fog"]}, "clouds 'fog'", "cirrus or stratus"),
        ({"towns": [7]}, "towns 7", "a name"),
        ({"dry": False}, "rain from a clear sky", "clouds, or no rain"),
    ],
)
def test_a_value_out_of_range_is_refused_by_the_record_and_by_the_model(given, seen, wanted):
    with pytest.raises(InputError) as refused:
        Weather(**given)
    assert (refused.value.seen, refused.value.wanted) == (seen, wanted)
    asked = {"rain" if name == "dry" else name: value is False or value for name, value in given.items()}
    with pytest.raises(ValidationError):
        Asked(place="Oslo", **asked)


def test_a_model_has_the_defaults_the_limits_and_the_help_of_the_record():
    assert options_in(Asked(place="Oslo"), Weather) == Weather(concepts={})
    assert options_in(Asked(place="Oslo", rain=True, sky="grey"), Weather).dry is False
    assert options_in(Short(humidity=7), Weather) == Weather(humidity=7)
    asked = Asked(place="Oslo", clouds=["cirrus"], towns=["Oslo", "Bergen"])
    assert (
        options_in(asked, Weather).keywords()
        == Weather(clouds="cirrus", towns=["Oslo", "Bergen"], concepts={}).keywords()
    )
    with pytest.raises(ValidationError):
        Asked(place="Oslo", clouds=["cirrus"] * 3)
    shape = Asked.model_json_schema()
    assert (shape["description"], shape["required"]) == ("A request.", ["place"])
    assert shape["properties"]["humidity"] == {
        "default": 50,
        "description": "Percent of humidity. Range: 0 to 100.",
        "maximum": 90,
        "minimum": 0,
        "title": "Humidity",
        "type": "integer",
    }
    assert shape["properties"]["rain"]["default"] is False


@pytest.mark.parametrize(("name", "value"), [("design", "trial"), ("organism", "unicorn")])
def test_unknown_designs_and_organisms_are_refused(name, value):
    with pytest.raises(InputError, match=value):
        GroundOptions(**{name: [value]})
    for asked in (GroundRequest, SearchRequest):
        with pytest.raises(ValidationError):
            asked.model_validate({"text" if asked is GroundRequest else "q": "pain", name: [value]})


@pytest.mark.parametrize(
    ("record", "keywords"),
    [(RiskOptions, RiskKeywords), (GroundOptions, GroundKeywords), (HypothesizeOptions, HypothesizeKeywords)],
)
def test_type_checkers_know_the_options_as_keywords(record: type[Options], keywords: type[TypedDict]):
    assert {each.name: each.type for each in entries(record)} == get_type_hints(keywords)
