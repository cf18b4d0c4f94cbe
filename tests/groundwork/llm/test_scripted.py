import pytest
from pydantic import BaseModel

from groundwork.errors import InputError, ModelUnreachable, ReplyError
from groundwork.llm import connect
from groundwork.llm.scripted import ScriptedModel
from groundwork.ports import NO_USAGE, LanguageModel


class Answer(BaseModel):
    value: int


def test_replies_come_in_order_and_calls_are_counted():
    model = ScriptedModel([{"value": 1}, '{"value": 2}'])
    assert isinstance(model, LanguageModel)
    assert [model.ask("s", "p", Answer).value for _ in range(2)] == [1, 2]
    assert model.usage() == {**NO_USAGE, "calls": 2}
    assert model.conversations[0][1].text == "p"


def test_a_bad_reply_uses_up_the_next_one_as_its_repair():
    model = ScriptedModel(["?", {"value": 2}, "?", "?"])
    assert model.ask("s", "p", Answer).value == 2
    assert model.usage()["repairs"] == 1
    with pytest.raises(ReplyError):
        model.ask("s", "p", Answer)


def test_a_script_without_replies_left_is_reported():
    with pytest.raises(ModelUnreachable, match="0 replies"):
        ScriptedModel([]).ask("s", "p", Answer)


def test_a_script_is_a_file_of_json_lines(tmp_path, settings):
    script = tmp_path / "script.jsonl"
    script.write_text('{"value": 1}\n\n"plain words"\n{"value": 3}\n')
    model = connect(f"scripted:{script}", settings)
    assert model.name == f"scripted:{script}"
    assert [model.ask("s", "p", Answer).value for _ in range(2)] == [1, 3]


def test_a_broken_script_names_the_line(tmp_path, settings):
    script = tmp_path / "script.jsonl"
    script.write_text('{"value": 1}\n{value\n')
    with pytest.raises(InputError, match="line 2"):
        connect(f"scripted:{script}", settings)
    with pytest.raises(InputError, match="cannot be read"):
        connect("scripted:nowhere.jsonl", settings)
