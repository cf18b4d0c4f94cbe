"""`doctor` names files under HOME that were changed. Stores are tested elsewhere."""

import json
import sqlite3
from contextlib import closing
from types import SimpleNamespace

import pytest

from groundwork import manifest
from groundwork.errors import DamagedStore
from groundwork.linking import Mention, MentionCache
from groundwork.llm.model_client import Answers, ReplyRequest
from groundwork.records import Release
from groundwork.settings import Settings
from tests.truthhypo.bench.reported_runs import OTHER, run_of, set_of
from tests.truthhypo.conftest import SAMPLE
from truthhypo.faces.cli.entry import run
from truthhypo.faces.doctor import home_faults
from truthhypo.faces.jobs import JobStore
from truthhypo.service.database import ResultStore
from truthhypo.service.timeline import year_cuts
from truthhypo.service.watching import WatchList

LOCKS = (
    *("graph/lock", "graph/drawn/lock", "drawn/x/lock", "literature/lock", "loads/x/lock"),
    *("pending/x.lock", "vectors/x/lock", "jobs/x.jsonl.lock", "cache/runs/x.jsonl.lock", "work/sweep.lock"),
    *("work/x/lock", "atlas/x/lock", "watch/lock"),
)


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


def reject(home):
    source = home.parent / "relations.tsv"
    source.write_text((SAMPLE / "relation2pubtator3.tsv").read_text("utf-8") + "one column\n")
    assert run(["--home", str(home), "ingest", "relations", str(source), "--dry-run"]) == 0


def report(home):
    place, instances = set_of(home.parent / "set", each=2)
    folder = run_of(home.parent / "run", place, instances, (OTHER,))
    assert run(["--home", str(home), "bench", "report", str(folder)]) == 0


def cut_years(home):
    loaded = (Release("pubmed", "one", "sha", 1, 1, 0, "live", "2026-01-01T00:00:00Z", 1),)
    literature = SimpleNamespace(releases=lambda: loaded, pmid_by_year=lambda _: {2000: 1000, 2001: 2000})
    year_cuts(SimpleNamespace(settings=Settings(home=home), literature_store=literature))


def put_invalid_utf8_into_definition(path):
    """Put an invalid UTF-8 byte into the definition of a table. SQLite repeats this byte in its error message."""
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE TABL\xff"))


def flip(path):
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("write", "kind"),
    [
        (reject, "rejects/*.tsv"),
        (reject, "rejects/.*.seal"),
        (report, "reports/run.json"),
        (cut_years, "cache/years.json"),
    ],
)
def test_a_changed_file_is_named_until_it_is_written_again(tmp_path, write, kind):
    home = tmp_path / "home"
    write(home)
    assert named(home) == []
    (path,) = home.glob(kind)
    flip(path)
    assert named(home) == [path.relative_to(home).as_posix()]
    path.unlink()
    write(home)
    assert named(home) == []


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"", False),
        (b"12345", False),
        (b"12345\nsome-machine\n987\n", False),  # written on a file system without locks
        (b"\xce2345", True),
        (b"12345\n\xce", True),
        (b"\0" * 64, True),
        (b"some words", True),
    ],
)
@pytest.mark.parametrize("file", LOCKS)
def test_a_lock_file_holds_nothing_or_a_process(tmp_path, file, content, wrong):
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    found = [fault for fault in home_faults(Settings(home=tmp_path)) if fault.path == path]
    assert [fault.remedy for fault in found] == [f"end all processes that use {tmp_path}, then remove {path}"] * wrong


def test_a_report_that_replaces_another_is_not_damage(tmp_path):
    home = tmp_path / "home"
    report(home)
    page = home / "reports" / "run.html"
    assert run(["bench", "report", str(tmp_path / "run"), "--out", str(page), "--note", "another"]) == 0
    assert named(home) == []


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


def change(path, statement):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement)


READS = {
    "watch": (watch, "watch/statements.sqlite", lambda home: WatchList(Settings(home=home)).all()),
    "jobs": (queue, "jobs/jobs.sqlite", lambda home: JobStore(Settings(home=home)).waiting()),
    "results": (keep_result, "results/results.sqlite", lambda home: ResultStore(Settings(home=home)).get("x")),
}


@pytest.mark.parametrize("kind", READS)
def test_records_of_a_table_with_invalid_utf8_in_its_definition_are_refused(tmp_path, kind):
    write, file, read = READS[kind]
    write(tmp_path)
    put_invalid_utf8_into_definition(tmp_path / file)
    with pytest.raises(DamagedStore, match="cannot be read"):
        read(tmp_path)
    assert named(tmp_path) == [file]


@pytest.mark.parametrize(
    ("kind", "statement", "seen"),
    [
        ("watch", "DROP TABLE statements", "lost columns of its table statements"),
        (
            "watch",
            "ALTER TABLE statements RENAME COLUMN latest TO lutest",
            "lost columns of its table statements: latest",
        ),
        ("watch", "UPDATE statements SET latest = '{}'", "has a row that was changed"),
        ("jobs", "DROP TABLE texts", "lost columns of its table texts"),
        ("results", "DROP TABLE results", "lost columns of its table results"),
    ],
)
def test_a_changed_table_or_row_is_refused_by_readers_and_writers_and_named(tmp_path, kind, statement, seen):
    write, file, read = READS[kind]
    write(tmp_path)
    change(tmp_path / file, statement)
    for use in (read, write):
        with pytest.raises(DamagedStore, match=seen):
            use(tmp_path)
    assert named(tmp_path) == [file]


def test_years_of_a_wrong_shape_are_computed_again(tmp_path):
    cut_years(tmp_path)
    path = tmp_path / "cache" / "years.json"
    state = manifest.read(path)["state"]
    for years in ({"2023": "a"}, [1], 7):
        path.write_text(json.dumps({"state": state, "years": years}))
        cut_years(tmp_path)
        assert manifest.read(path)["years"] == {"2000": 1000, "2001": 2000}


def test_a_cache_with_invalid_utf8_in_its_definition_is_made_again(tmp_path):
    keep_reply(tmp_path)
    put_invalid_utf8_into_definition(tmp_path / "cache" / "answers.sqlite")
    assert "cache/answers.sqlite" in named(tmp_path)
    keep_reply(tmp_path)  # removes it
    keep_reply(tmp_path)
    assert named(tmp_path) == []
