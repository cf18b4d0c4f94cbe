import json
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from groundwork.errors import ReplyError
from groundwork.llm.replies import Turn, converse, read


class Side(StrEnum):
    YES = "yes"
    NO = "no"


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    side: Side
    cited: tuple[str, ...]
    count: int


GOOD = '{"side": "yes", "cited": ["a"], "count": 1}'


def test_a_json_document_becomes_a_typed_value():
    assert read(GOOD, Answer) == Answer(side=Side.YES, cited=("a",), count=1)


DRAFT = '{"side": "no", "cited": [], "count": 9}'


@pytest.mark.parametrize(
    "wrapped",
    [
        f"  {GOOD}\n",
        f"\ufeff{GOOD}",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"\n```JSON\n{GOOD}\n  ```\n",
        f"```json\r\n{GOOD}\r\n```\r\n",
        f"```json {GOOD} ```",
        f"~~~json\n{GOOD}\n~~~",
        f"Here you are: {GOOD}",
        f"```json\n{GOOD}\n```\nI hope that helps. The set {{a, b}} is not cited.",
        f"<think>Perhaps {DRAFT}?</think>\n{GOOD}",
        f"Perhaps {DRAFT}?\n</think>\n\n{GOOD}",
        f"<THINK>\n</THINK><think>no</think>```json\n{GOOD}\n```",
        f"<reasoning>None.</reasoning>The answer is:\n{GOOD}",
    ],
)
def test_thoughts_fences_and_words_around_the_one_document_are_dropped(wrapped):
    assert read(wrapped, Answer).count == 1


def test_a_thought_inside_the_document_is_kept():
    cited = '{"side": "yes", "cited": ["</think>", "a {\\"b\\": 1}"], "count": 1}'
    assert read(cited, Answer).cited == ("</think>", 'a {"b": 1}')


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "empty"),
        ("No, it is not. yes", "not one JSON document"),
        (f"{GOOD} {GOOD}", "second JSON document"),
        (f"Either {GOOD} or {DRAFT}.", "second JSON document"),
        (f"<think>Perhaps {GOOD}", "before its thoughts do"),
        ("<think>Nothing.</think>", "empty"),
        ('{"side": "yes", "cited": [{"side": "yes", "cited": [], "count": 1}', "not one JSON document"),
        (GOOD.replace("}", ",}"), "line 1"),
        (GOOD.replace("1", "NaN"), "NaN is not JSON"),
        (GOOD.replace('"count"', '"side"'), "'side' appears twice"),
        (GOOD.replace("1", '"1"'), "count"),
        (GOOD.replace("1", "1.5"), "count"),
        (GOOD.replace("yes", "Yes"), "side"),
        (GOOD.replace('"count": 1', '"count": 1, "more": 2'), "more"),
        ('{"side": "yes"}', "cited"),
        ("[" * 100_000, "not usable"),
        ("__import__('os').system('true')", "not one JSON document"),
    ],
)
def test_anything_else_is_refused_with_the_reason(reply, why):
    with pytest.raises(ReplyError, match="not usable") as refused:
        read(reply, Answer)
    assert why in refused.value.seen
    assert "Answer" in refused.value.wanted


@given(st.text())
def test_any_text_is_either_read_or_refused(text):
    try:
        assert isinstance(read(text, Answer), Answer)
    except ReplyError as error:
        assert error.seen


@given(st.sampled_from(Side), st.lists(st.text()), st.integers())
def test_any_value_that_fits_the_schema_is_read_back_unchanged(side, cited, count):
    document = json.dumps({"side": side, "cited": cited, "count": count})
    assert read(document, Answer) == Answer(side=side, cited=tuple(cited), count=count)


def talk(*replies):
    """Return the value, the last prompt that the model was sent, and the number of repairs."""
    left, shown, repairs = list(replies), [], []

    def say(turns):
        shown[:] = turns
        return left.pop(0)

    try:
        return converse(say, "system", "question", Answer, lambda: repairs.append(1)), shown, len(repairs)
    except ReplyError as error:
        return error, shown, len(repairs)


def test_a_good_reply_needs_no_repair():
    value, shown, repairs = talk(GOOD)
    assert (value.count, repairs) == (1, 0)
    assert shown == [Turn("system", "system"), Turn("user", "question")]


def test_a_bad_reply_goes_back_once_with_the_reason():
    value, shown, repairs = talk("nonsense", GOOD)
    assert (value.count, repairs) == (1, 1)
    assert [turn.role for turn in shown] == ["system", "user", "assistant", "user"]
    assert shown[2].text == "nonsense"
    assert "not one JSON document" in shown[3].text


def test_a_reply_still_bad_after_one_repair_is_an_error():
    error, _, repairs = talk("nonsense", "[]", GOOD)
    assert isinstance(error, ReplyError)
    assert repairs == 1
    assert "after one repair round" in error.seen
