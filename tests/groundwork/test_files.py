"""."""

import os
from errno import EFBIG, EMFILE
from pathlib import Path

import pytest

from groundwork import files
from groundwork.errors import Refused
from ingest.workspace import workspace


def test_a_full_disk_is_reported_with_what_to_do():
    error = files.full(Path("/there/file"), "No space left on device")
    assert error.exit_code == 1
    assert str(error).startswith("/there/file cannot be written: No space left on device\nExpected: enough free space")
    assert "make room on the disk" in error.remedy


def test_a_full_disk_is_recognised_by_the_message_or_by_the_free_space(tmp_path, monkeypatch):
    assert files.is_full(tmp_path, "IO exception: No space left on device")
    assert files.is_full(tmp_path, "database or disk is full")
    assert not files.is_full(tmp_path / "not" / "there", "cannot read")
    left = files.disk_usage(tmp_path)._replace(free=4096)
    monkeypatch.setattr(files, "disk_usage", lambda folder: left)
    assert files.is_full(tmp_path / "not" / "there", "cannot read")


def test_too_many_open_files_are_not_reported_as_a_full_disk(tmp_path):
    with pytest.raises(Refused, match="Too many open files") as caught, workspace(tmp_path):
        raise OSError(EMFILE, os.strerror(EMFILE))
    assert "ulimit -n" in caught.value.remedy
    assert "disk" not in caught.value.remedy


def test_a_limit_on_the_size_of_a_file_is_reported_like_a_full_disk(tmp_path):
    with pytest.raises(Refused, match="cannot be written: File too large"), workspace(tmp_path):
        raise OSError(EFBIG, os.strerror(EFBIG))
