"""Dry runs: what would be asked, with answers that fit."""

from enum import StrEnum
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from groundwork.llm.planning import Planner, least
from groundwork.llm.scripted import ScriptedModel
from groundwork.llm.usage import Prices


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Part(BaseModel):
    """A part."""

    model_config = ConfigDict(extra="forbid")

    colour: Colour
    size: int = Field(ge=3)


class Whole(BaseModel):
    """A whole, of all that our shapes are made of."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(min_length=1)
    parts: list[Part] = Field(min_length=2)
    others: list[Part]
    kind: Literal["one", "two"]
    weight: float
    good: bool
    note: str | None
    extra: int = 7


def test_the_least_value_fits_its_schema():
    schema = Whole.model_json_schema()
    value = least(schema, schema["$defs"])
    assert Whole.model_validate(value)
    assert value == {
        "reason": "-",
        "parts": [{"colour": "red", "size": 3}] * 2,
        "others": [],
        "kind": "one",
        "weight": 0.0,
        "good": False,
        "note": None,
    }


class Keeping(ScriptedModel):
    """A script that is said to keep its answers, of which it has none yet."""

    prices = Prices(None, None)

    def known(self, system, prompt, shape, *, temperature, seed, version):
        return prompt, None

    def mean_length(self):
        return None


def asked_thrice(script):
    """What a plan tells of two equal questions and another."""
    planner = Planner(script, lambda shape: None)
    for prompt in ("x" * 400, "x" * 400, "y" * 400):
        assert planner.ask("", prompt, Part).size == 3
    assert script.conversations == []
    return planner.plan(texts=2, estimated_texts=1, most=1000)


def test_each_question_to_a_model_that_keeps_nothing_is_a_call():
    found = asked_thrice(ScriptedModel(["never sent"]))
    assert (found.calls, found.cached) == (3, 0)
    assert 300 < found.prompt_tokens < 600


def test_nothing_is_asked_and_equal_questions_are_counted_once():
    script = Keeping(["never sent"])
    found = asked_thrice(script)
    assert (found.calls, found.cached, found.model) == (2, 1, script.name)
    assert 200 < found.prompt_tokens < 400
    assert found.completion_tokens == {"expected": 300, "at_most": 2000}
    assert found.cost is None
    assert "characters / 4" in found.how
    assert "assumed" in found.how


@pytest.mark.parametrize(("given", "size"), [({"colour": "blue", "size": 9}, 9), ({"something": "else"}, 3), (None, 3)])
def test_a_stand_in_answers_where_its_answer_fits(given, size):
    planner = Planner(ScriptedModel([]), lambda shape: given)
    assert planner.ask("", "", Part).size == size
