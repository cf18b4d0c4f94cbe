"""Checksums in rows: a value that was changed from outside is noticed. Changes by the program are no damage."""

import sqlite3
from contextlib import closing

import pytest

from groundwork import sqlite_file

SCHEMA = """
CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, made REAL NOT NULL, said TEXT, used REAL);
CREATE TABLE IF NOT EXISTS text (
    job TEXT NOT NULL REFERENCES job (id) ON DELETE CASCADE, number INTEGER NOT NULL, content BLOB,
    PRIMARY KEY (job, number)
) WITHOUT ROWID;
"""
JOB = "INSERT INTO job (id, made, said, used) VALUES (?, ?, ?, ?)"
TEXT = "INSERT INTO text (job, number, content) VALUES (?, ?, ?)"


@pytest.fixture
def path(tmp_path):
    """A file with two jobs and one text. The values include a character outside ASCII, NULL and bytes."""
    path = tmp_path / "some.sqlite"
    written(path, [(JOB, ("a", 1, "é\u2028", 1.0)), (JOB, ("b", 2.5, None, 1.0)), (TEXT, ("a", 1, b"\xff"))])
    return path


def written(path, changes, *, kept=True):
    """Change a file as the program does or, without `kept`, as another program does."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA foreign_keys = ON")
        if kept:
            database.executescript(SCHEMA)
            sqlite_file.keep_checksums(database)
        with database:
            for change, values in changes:
                database.execute(change, values)


@pytest.mark.parametrize(
    "change",
    [
        ("UPDATE job SET said = ? WHERE id = 'a'", ("e",)),
        ("UPDATE job SET said = ? WHERE id = 'b'", ("",)),
        ("UPDATE job SET made = ? WHERE id = 'b'", (2.6,)),
        ("UPDATE job SET id = ? WHERE id = 'b'", ("c",)),
        ("UPDATE job SET checksum = ? WHERE id = 'b'", (1,)),
        ("UPDATE text SET content = ?", (b"\xfe",)),
        ("UPDATE text SET number = ?", (2,)),
    ],
)
def test_a_value_that_was_changed_from_outside_is_noticed(path, change):
    assert sqlite_file.damage(path) == ""
    written(path, [change], kept=False)
    table = change[0].split()[1]
    assert sqlite_file.damage(path) == f"has values that were changed from outside (rows of {table}: 1)"


@pytest.mark.parametrize(
    "change",
    [
        ("UPDATE job SET said = ?", ("new",)),
        ("UPDATE job SET used = ?", (3.0,)),
        ("INSERT OR REPLACE INTO job (id, made, said) VALUES (?, 7, 'x')", ("b",)),
        ("INSERT OR IGNORE INTO job (id, made, said) VALUES (?, 7, 'x')", ("b",)),
        ("INSERT INTO job (id, made) VALUES (?, 7) ON CONFLICT (id) DO UPDATE SET said = 'y'", ("b",)),
        ("DELETE FROM job WHERE id = ?", ("a",)),
    ],
)
def test_a_change_by_the_program_is_no_damage(path, change):
    written(path, [change])
    assert sqlite_file.damage(path) == ""


def test_a_row_of_an_earlier_version_gets_its_checksum_when_it_is_written(tmp_path):
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
    written(path, [(JOB, ("a", 1.0, "", 0.0)), (JOB, ("b", 1.0, "", 0.0))], kept=False)
    assert sqlite_file.damage(path) == ""
    written(path, [("UPDATE job SET made = 2 WHERE id = ?", ("b",))])
    written(path, [("UPDATE job SET said = ?", ("changed",))], kept=False)
    assert sqlite_file.damage(path) == "has values that were changed from outside (rows of job: 1)"


def test_rowcount_counts_the_rows_that_the_statement_changed(path):
    with closing(sqlite3.connect(path)) as database:
        sqlite_file.keep_checksums(database)
        assert database.execute("UPDATE job SET said = 'x'").rowcount == 2
        assert database.execute("DELETE FROM job WHERE id = 'none'").rowcount == 0
