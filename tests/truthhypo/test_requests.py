"""Requests as language models and scripts write them: numbers and other values as text, integers with a point."""

import pytest
from pydantic import TypeAdapter, ValidationError

from truthhypo.faces.mcp.server import Page
from truthhypo.service import requests as ask

ENDS = {"head": "a", "tail": "b"}


@pytest.mark.parametrize("strict", [True, None])
@pytest.mark.parametrize(
    ("asked", "given", "field", "value"),
    [
        (ask.ChainsRequest, {**ENDS, "hops": "4"}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "hops": 4.0}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "hops": "4.0"}, "hops", 4),
        (ask.ChainsRequest, {**ENDS, "alpha": "0.5"}, "alpha", 0.5),
        (ask.ChainsRequest, {**ENDS, "similar": "true"}, "similar", True),
        (ask.ChainsRequest, {**ENDS, "before": "null"}, "before", None),
        (ask.ArticleRequest, {"pmid": "990000014"}, "pmid", 990000014),
        (ask.EdgesRequest, {"key": '["a", "b"]'}, "key", ["a", "b"]),
        (ask.GroundRequest, {"text": "x", "k": "4"}, "k", 4),
        (ask.GroundRequest, {"text": "4"}, "text", "4"),
        (ask.GroundRequest, {"text": "x", "concepts": '{"x": "Gene|1"}'}, "concepts", {"x": "Gene|1"}),
        (ask.CiteRequest, {"claim": "x", "pmids": ["12", 13.0, 14]}, "pmids", [12, 13, 14]),
        (ask.RiskRequest, {"text": "x", "hops": 2.0}, "hops", 2),
        (ask.JobRequest, {"kind": "ground", "texts": ["x"], "k": "4"}, "k", 4),
        (Page, {"max_items": "4"}, "max_items", 4),
    ],
)
def test_a_value_is_read_as_its_schema_wants_it(asked, given, field, value, strict):
    found = getattr(TypeAdapter(asked).validate_python(given, strict=strict), field)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("value", [4.5, "4.5", "four", "", "[4", "1e999", "NaN", [4], {"hops": 4}])
@pytest.mark.parametrize("asked", [ask.ChainsRequest, ask.RiskRequest])
def test_a_value_that_is_no_integer_is_refused(asked, value):
    text = ENDS if asked is ask.ChainsRequest else {"text": "x"}
    with pytest.raises(ValidationError) as refused:
        asked.model_validate({**text, "before": "7", "hops": value}, strict=True)
    assert [fault["loc"] for fault in refused.value.errors()] == [("hops",)]
