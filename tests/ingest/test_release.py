"""Reading files: line numbers, sizes, hashes, bounded memory, and every fault that a file can have."""

import gzip
import hashlib
import os
import tracemalloc
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwork.errors import InputError
from groundwork.ports import Silent
from ingest.rejects import LINE_LIMIT, OverlongLine, Reason, decoded
from ingest.release import SourceFile, SourceFiles, gunzip, whole_lines


def lines(path: Path) -> list[tuple[int, bytes]]:
    return list(SourceFile(path).lines())


def test_lines_are_numbered_and_lose_their_line_ends(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_bytes(b"\xef\xbb\xbfone\r\n\r\ntwo\rstill\nlast")
    assert lines(file) == [(1, b"one"), (2, b""), (3, b"two\rstill"), (4, b"last")]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(1, 7))
def test_whole_lines_lose_nothing_wherever_the_chunks_end(parts, size):
    content = b"\n".join(parts)
    chunks = [content[at : at + size] for at in range(0, len(content), size)]
    assert b"".join(data for data, _ in whole_lines(iter(chunks))) == content


@settings(deadline=None)
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5), st.integers(1, 50), st.integers(0, 9))
def test_gzip_members_and_padding_are_read(members, size, padding):
    packed = b"".join(gzip.compress(member) for member in members) + b"\0" * padding
    chunks = (packed[at : at + size] for at in range(0, len(packed), size))
    assert b"".join(gunzip(chunks)) == b"".join(members)


def test_gzip_is_recognised_by_name_or_by_its_first_bytes(tmp_path):
    packed = gzip.compress(b"a\nb\n") + gzip.compress(b"c\n")
    for name in ("x.gz", "x.tsv"):
        (tmp_path / name).write_bytes(packed)
        file = SourceFile(tmp_path / name)
        assert [line for _, line in file.lines()] == [b"a", b"b", b"c"]
        assert (file.bytes, file.sha256) == (len(packed), hashlib.sha256(packed).hexdigest())


def test_a_named_pipe_without_a_writer_is_reported_then_read(tmp_path, monkeypatch):
    monkeypatch.setattr("groundwork.files._PATIENCE", 0.05)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    class Writer(Silent):
        def note(self, text):
            told.append(text)
            Thread(target=pipe.write_bytes, args=[b"x\ny\n"]).start()

    told = []
    assert list(SourceFile(pipe).lines(Writer())) == [(1, b"x"), (2, b"y")]
    assert told == [f"waiting for a program to write to the named pipe {pipe}; press Ctrl-C to stop"]


def test_standard_input_is_read_and_hashed(tmp_path, monkeypatch):
    (tmp_path / "in").write_bytes(b"x\ny\n")
    with (tmp_path / "in").open("r") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        file = SourceFile("-")
        assert list(file.lines()) == [(1, b"x"), (2, b"y")]
    assert file.sha256 == hashlib.sha256(b"x\ny\n").hexdigest()


def test_the_hash_of_several_files_is_the_hash_of_their_bytes_in_order(tmp_path):
    contents = [b"x\n", gzip.compress(b"y\n"), b"z"]
    paths = [tmp_path / f"{n}" for n in range(3)]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    files = SourceFiles(paths)
    assert files[1].peek() == b"y\n"  # peeking into a file does not change the order of the hashed bytes
    for file in files:
        list(file.lines())
    assert files.sha256 == hashlib.sha256(b"".join(contents)).hexdigest()
    assert files[1].bytes == len(contents[1])


def test_peek_consumes_nothing_and_drain_reads_the_rest(tmp_path):
    (tmp_path / "a").write_bytes(b"abc\n" * 200_000)
    file = SourceFile(tmp_path / "a")
    assert file.peek().startswith(b"abc\n")
    file.drain()
    assert file.bytes == 800_000
    assert file.sha256 == hashlib.sha256(b"abc\n" * 200_000).hexdigest()


@pytest.mark.parametrize("zipped", [False, True])
def test_an_overlong_line_is_flagged_and_the_rest_is_read(tmp_path, zipped):
    content = b"a\n" + b"x" * 10_000_000 + b"\nb\n" + b"y" * LINE_LIMIT + b"\n" + b"z" * (LINE_LIMIT + 1)
    file = tmp_path / ("a.gz" if zipped else "a")
    file.write_bytes(gzip.compress(content) if zipped else content)
    read = lines(file)
    assert [number for number, _ in read] == [1, 2, 3, 4, 5]
    assert [isinstance(line, OverlongLine) for _, line in read] == [False, True, False, False, True]
    assert len(read[1][1]) == LINE_LIMIT
    assert read[3][1] == b"y" * LINE_LIMIT
    assert decoded(read[1][1]) is Reason.OVERLONG_LINE


def test_memory_is_bounded_without_any_line_end(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"x" * 200_000_000, 1))
    tracemalloc.start()
    (line,) = lines(tmp_path / "a.gz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(line[1], OverlongLine)
    assert peak < 20_000_000


def truncated(tmp_path: Path) -> Path:
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"row\n" * 100_000)[:-20])
    return tmp_path / "t.gz"


def corrupt(tmp_path: Path) -> Path:
    packed = bytearray(gzip.compress(bytes(range(256)) * 4000))
    packed[len(packed) // 2] ^= 0xFF
    (tmp_path / "c.gz").write_bytes(packed)
    return tmp_path / "c.gz"


def written(name: str, content: bytes):
    def make(tmp_path: Path) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return make


@pytest.mark.parametrize(
    ("make", "seen"),
    [
        (lambda tmp: tmp / "missing", "No such file"),
        (lambda tmp: tmp, "directory"),
        (truncated, "broken gzip"),
        (corrupt, "broken gzip"),
        (written("plain.gz", b"not gzip\n"), "broken gzip"),
        (written("garbage.gz", gzip.compress(b"a\n") + b"junk"), "broken gzip"),
        (written("empty", b""), "no row"),
        (written("empty.gz", b""), "no row"),
        (written("nothing.gz", gzip.compress(b"")), "no row"),
        (written("blank", b"\r\n\n\n"), "no row"),
    ],
)
def test_errors_of_bad_files_say_what_was_seen_and_what_to_do(tmp_path, make, seen):
    path = make(tmp_path)
    with pytest.raises(InputError) as caught:
        lines(path)
    assert seen in caught.value.seen
    assert str(path) in caught.value.seen
    assert caught.value.wanted
    assert caught.value.remedy


@pytest.mark.parametrize("paths", [[], ["-", "-"]])
def test_no_file_or_standard_input_twice_is_refused(paths):
    with pytest.raises(InputError):
        SourceFiles(paths)
