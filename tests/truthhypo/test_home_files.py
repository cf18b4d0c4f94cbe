"""Files under HOME outside the stores that were changed so that they can still be read: `doctor` names them."""

import sqlite3
from contextlib import closing

import pytest

from groundwork.linking import Mention
from groundwork.llm.answers import Answers, ReplyRequest
from groundwork.mention_cache import MentionCache
from groundwork.settings import Settings
from truthhypo.faces.home_files import home_faults
from truthhypo.faces.jobs.store import JobStore
from truthhypo.service.results import ResultStore
from truthhypo.service.watchlist import WatchList


def named(home):
    return [fault.path.relative_to(home).as_posix() for fault in home_faults(Settings(home=home))]


def watch(home):
    WatchList(Settings(home=home)).add("Aspirin treats pain.")


def queue(home):
    JobStore(Settings(home=home)).add("risk", ["Aspirin treats pain."], {"hops": 2}, None)


def keep_result(home):
    ResultStore(Settings(home=home)).add({"hops": 2}, {"risk": 0.25})


def keep_reply(home):
    Answers(home / "cache" / "answers.sqlite", 2**20).put(ReplyRequest("m:n", "", "", "", "p", {}, {}), '{"a": 1}')


def keep_mentions(home):
    mention = Mention("Aspirin", 0, 7, "Chemical|MESH:D001241", "aspirin", 1.0, (), True, "name")
    MentionCache(home / "cache" / "mentions.sqlite").put({"Aspirin": (mention,)}, "names")


@pytest.mark.parametrize(
    ("write", "file", "change"),
    [
        (watch, "watch/statements.sqlite", "UPDATE statements SET text = 'Aspirin treats pain!'"),
        (watch, "watch/statements.sqlite", "UPDATE statements SET judged = 1"),
        (queue, "jobs/jobs.sqlite", "UPDATE jobs SET options = '{\"hops\": 3}'"),
        (queue, "jobs/jobs.sqlite", "UPDATE texts SET text = 'Aspirin treats pain!'"),
        (keep_result, "results/results.sqlite", "UPDATE results SET answer = '{\"risk\": 0.35}'"),
        (keep_reply, "cache/answers.sqlite", "UPDATE replies SET reply = '{\"a\": 2}'"),
        (keep_mentions, "cache/mentions.sqlite", "UPDATE mentions SET key = x'00'"),
    ],
)
def test_a_value_that_was_changed_in_a_row_is_named(tmp_path, write, file, change):
    write(tmp_path)
    assert named(tmp_path) == []
    with closing(sqlite3.connect(tmp_path / file)) as database, database:
        assert database.execute(change).rowcount
    assert named(tmp_path) == [file]
