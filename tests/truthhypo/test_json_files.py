"""Records remain after the run that wrote them, and an incomplete line is ignored."""

import json

import pytest

from groundwork.errors import InputError, StoreBusy
from truthhypo.json_files import RecordFile


def test_what_was_appended_is_read_again_and_an_incomplete_line_is_removed_by_the_next_run(tmp_path):
    file = RecordFile(tmp_path / "a.jsonl", unsettled=60.0)
    with file.locked(), file.appending() as append:
        append({"text": "ä\ud800"})
        append({"n": 2})
    whole = file.path.read_bytes()
    with file.path.open("ab") as stream:
        stream.write(b'{"n": 3' + b" " * 200_000)
    assert [json.loads(line) for line in file.lines()] == [{"text": "ä\ud800"}, {"n": 2}]
    assert [json.loads(line) for line in file.lines(len(whole))] == []
    with file.locked():
        assert file.path.read_bytes() == whole
    file.path.write_bytes(b"no line at all")
    with file.locked():
        assert file.path.read_bytes() == b""


def test_one_run_writes_a_file_at_a_time(tmp_path):
    first, second = RecordFile(tmp_path / "a.jsonl"), RecordFile(tmp_path / "a.jsonl")
    with first.locked(), pytest.raises(StoreBusy, match="another run"), second.locked():
        pass
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="check the path"), RecordFile(tmp_path / "folder").locked():
        pass
