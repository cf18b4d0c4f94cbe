"""The log of a service: one JSON object per line, without the texts of requests."""

import json
import logging

import pytest

from truthhypo.service.log_lines import JsonLines

TEXT = "Aspirin treats asthma."


@pytest.mark.parametrize("texts", [False, True])
def test_an_exception_is_logged_with_its_place_and_only_on_demand_with_its_message(texts):
    try:
        raise ValueError(TEXT)
    except ValueError as error:
        given = (type(error), error, error.__traceback__)
    record = logging.LogRecord("truthhypo.serve", logging.ERROR, __file__, 1, "request %s failed", ("1",), given)
    record.fields = {"id": "1"}
    line = json.loads(JsonLines(texts=texts).format(record))
    assert line.items() >= {"level": "ERROR", "message": "request 1 failed", "id": "1"}.items()
    assert "ValueError" in line["error"]
    assert __file__ in line["error"]
    assert (TEXT in line["error"]) is texts
