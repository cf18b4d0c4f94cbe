"""The cache on disk returns the mentions that were stored, but not for other names. A damaged or unwritable cache is
no error."""

import sqlite3

import pytest

from groundwork.linking import Mention, MentionCache
from groundwork.records import Match, Release, fingerprint, live

TEXT = "Aspirin treats headache."
MATCH = Match("Chemical|MESH:D001241", "aspirin", "Chemical", 1.0, "aspirin", "name", 7)
FOUND = {TEXT: (Mention("Aspirin", 0, 7, MATCH.key, "aspirin", 1.0, (MATCH,), True, "name"),), "It helps.": ()}


def release(source, id, state="live"):
    return Release(source, id, f"{source}{id}", 1, 1, 0, state, "2026-01-01T00:00:00Z", 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "mentions.sqlite"


def test_cached_mentions_are_returned_only_for_the_same_names(path):
    MentionCache(path).put(FOUND, "names")
    assert MentionCache(path).get([*FOUND, "unknown"], "names") == FOUND
    assert MentionCache(path).get(FOUND, "other names") == {}


def test_a_missing_cache_returns_nothing(path):
    assert MentionCache(path).get(FOUND, "names") == {}
    assert not path.exists()


def test_changed_bytes_are_not_read(path):
    cache = MentionCache(path)
    cache.put(FOUND, "names")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE mentions SET mentions = ?", (b"x" * 40,))
    assert cache.get(FOUND, "names") == {}


@pytest.mark.parametrize("harm", [b"", b"no database at all" * 300])
def test_a_file_that_is_not_a_database_is_made_again(path, harm):
    path.parent.mkdir(parents=True)
    path.write_bytes(harm)
    cache = MentionCache(path)
    cache.get(FOUND, "names")
    cache.put(FOUND, "names")
    assert cache.get(FOUND, "names") == FOUND


def test_a_folder_that_cannot_be_written_is_not_an_error(tmp_path):
    (tmp_path / "cache").write_text("a file where the folder should be")
    cache = MentionCache(tmp_path / "cache" / "mentions.sqlite")
    cache.put(FOUND, "names")
    assert cache.get(FOUND, "names") == {}


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ([release("concepts", "b"), release("pubtator3", "a")], True),
        ([release("pubtator3", "a"), release("concepts", "b"), release("concepts", "old", "past")], True),
        ([release("pubtator3", "a")], False),
        ([release("pubtator3", "a"), release("concepts", "c")], False),
    ],
)
def test_a_fingerprint_depends_on_the_live_releases_and_not_on_their_order(other, same):
    held = [release("pubtator3", "a"), release("concepts", "b")]
    assert (fingerprint(held) == fingerprint(other)) is same
    assert live(held, other)[0].startswith("concepts:")


@pytest.mark.parametrize("held", [[], [release("pubtator3", "a", "past")], [release("pubtator3", "a", "loading")]])
def test_without_a_settled_load_there_is_no_fingerprint(held):
    assert fingerprint(held) == ""
