"""The cache of replies is keyed by content, shared by processes and limited in size. Its faults never stop a run."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from groundwork.llm.model_client import Answers, ReplyRequest

ASKED = ReplyRequest("openai:m", "", "system", "1", "prompt", {"type": "object"}, {"temperature": 0.0, "seed": 0})


@pytest.fixture
def answers(tmp_path):
    return Answers(tmp_path / "cache" / "answers.sqlite", 2**20)


def test_a_stored_answer_is_returned(answers):
    assert answers.get(ASKED) is None
    answers.put(ASKED, '{"value": "é"}')
    assert answers.get(ASKED) == '{"value": "é"}'


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai:n"},
        {"address": "http://other"},
        {"system": "System"},
        {"version": "2"},
        {"prompt": "prompt "},
        {"schema": {"type": "array"}},
        {"parameters": {"temperature": 0.0, "seed": 1}},
        {"parameters": {"temperature": 0.7, "seed": 0}},
    ],
)
def test_the_key_holds_everything_that_an_answer_depends_on(answers, change):
    answers.put(ASKED, "{}")
    assert answers.get(replace(ASKED, **change)) is None
    assert answers.get(replace(ASKED, parameters=dict(reversed(ASKED.parameters.items())))) == "{}"


def test_the_file_holds_no_question(answers):
    answers.put(replace(ASKED, prompt="a patient's own words"), "{}")
    assert b"own words" not in answers.path.read_bytes()


def test_the_log_is_moved_into_the_file_at_the_end_and_not_at_each_answer(answers):
    log = answers.path.with_name(f"{answers.path.name}-wal")
    answers.put(ASKED, "{}")
    assert log.exists()
    again = Answers(answers.path, 2**20)
    assert again.get(ASKED) == "{}"
    del again
    assert log.exists()


def test_the_cache_keeps_its_size_limit_and_drops_the_least_recently_used_answers(answers):
    first, reply = replace(ASKED, prompt="first"), '"' + "x" * 10_000 + '"'
    answers.put(first, reply)
    for number in range(300):
        answers.put(replace(ASKED, prompt=str(number)), reply)
        if number < 150:
            assert answers.get(first), "it is used all the time"
    assert answers.path.stat().st_size < 2 * 2**20
    assert answers.get(replace(ASKED, prompt="299"))
    assert answers.get(replace(ASKED, prompt="0")) is None


def test_a_file_that_is_not_a_database_is_removed_and_made_again(answers):
    answers.path.parent.mkdir()
    answers.path.write_bytes(b"something else" * 100)
    assert answers.get(ASKED) is None
    answers.put(ASKED, "{}")
    assert answers.get(ASKED) == "{}"


def test_where_nothing_can_be_written_there_is_no_cache_and_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    answers = Answers(tmp_path / "file" / "answers.sqlite", 2**20)
    answers.put(ASKED, "{}")
    assert answers.get(ASKED) is None


def test_a_locked_file_is_a_miss(answers, monkeypatch):
    answers.put(ASKED, "{}")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, timeout: connect(path, timeout=0.01))
    with closing(connect(answers.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        answers.put(replace(ASKED, prompt="other"), "{}")
        other.rollback()
    assert answers.get(ASKED) == "{}"
    assert answers.get(replace(ASKED, prompt="other")) is None


def test_several_processes_write_at_the_same_time(answers):
    code = (
        "import sys; from pathlib import Path; from groundwork.llm.model_client import Answers, ReplyRequest\n"
        "answers = Answers(Path(sys.argv[1]), 2**20)\n"
        "for n in range(40):\n"
        "    answers.put(ReplyRequest('m', '', '', '', f'{sys.argv[2]} {n}', {}, {}), sys.argv[2])\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", code, str(answers.path), name]) for name in "abc"]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    for name in "abc":
        asked = [ReplyRequest("m", "", "", "", f"{name} {n}", {}, {}) for n in range(40)]
        assert [answers.get(each) for each in asked] == [name] * 40
