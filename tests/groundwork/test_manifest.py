"""Manifests: the listed files are compared, and a change of the manifest itself is noticed."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from groundwork import inventory, manifest
from groundwork.errors import DamagedStore
from groundwork.inventory import Holdings
from groundwork.manifest import FileEntry, seal, seal_faults, unseal


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data").write_bytes(b"0123456789")
    return tmp_path


@pytest.mark.parametrize(
    ("change", "seen", "thorough"),
    [
        (lambda path: path.unlink(), "is missing", False),
        (lambda path: path.write_bytes(b""), "has 0 bytes", False),
        (lambda path: path.write_bytes(b"01234"), "has 5 bytes", False),
        (lambda path: path.write_bytes(b"012345678X"), "has other content", True),
    ],
)
def test_a_missing_or_changed_file_is_a_fault(folder, change, seen, thorough):
    entry = FileEntry.of(folder / "data")
    assert list(manifest.faults(folder, {"data": entry}, thorough=True)) == []
    change(folder / "data")
    quick = list(manifest.faults(folder, {"data": entry}))
    (fault,) = manifest.faults(folder, {"data": entry}, thorough=True)
    assert fault.seen.startswith(seen)
    assert bool(quick) is not thorough


@pytest.mark.parametrize("name", ["../data", "/etc/passwd", "a/../../data"])
def test_a_name_that_leads_out_of_the_folder_is_refused(name):
    with pytest.raises(ValueError, match="outside its folder"):
        manifest.entries({name: {"bytes": 1}})


@pytest.mark.parametrize("text", [None, "[" * 200_000])
def test_a_manifest_that_would_hang_or_crash_the_reader_is_an_error(tmp_path, text):
    """A named pipe without a writer, and brackets nested deeper than Python can go."""
    path = tmp_path / "manifest.json"
    os.mkfifo(path) if text is None else path.write_text(text)
    with pytest.raises((OSError, ValueError)):
        manifest.read(path)


def test_a_device_or_a_pipe_is_written_into_and_not_replaced(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with ThreadPoolExecutor() as pool:
        read = pool.submit(path.read_bytes)
        manifest.replace(path, "text")
        assert read.result(10) == b"text"
    assert path.is_fifo()


def test_any_changed_byte_of_a_manifest_is_noticed(tmp_path):
    path = tmp_path / "manifest.json"
    shape = {"files": {"é": {"bytes": 1, "sha256": ""}}, "text": "a\nb", "number": 0.1}
    manifest.write(path, shape)
    assert manifest.read(path) == shape
    content = path.read_bytes()
    begin = content.index(b'", ') + 3  # after the entry of the checksum
    for at in range(begin, len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        with pytest.raises(ValueError):
            manifest.read(path)
    path.write_text('{"of": "an earlier version"}')
    assert manifest.read(path) == {"of": "an earlier version"}
    path.write_text("[]")
    with pytest.raises(ValueError):
        manifest.read(path)


def test_the_holdings_of_a_store_are_known_after_home_was_moved(tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    inventory.note(old, f"embedded:{old / 'graph'}", Holdings((), {"contradictions": ["/a"]}))
    inventory.note(old, "memory:", Holdings())
    old.rename(new)
    assert len(list((new / "stores").iterdir())) == 1
    known = inventory.holdings(new, f"embedded:{new / 'graph'}")
    assert known == Holdings((), {"contradictions": ["/a"]})
    assert inventory.holdings(new, f"embedded:{new / 'literature'}") is None
    with pytest.raises(DamagedStore, match="is missing") as caught:
        inventory.check_never_filled(new, f"embedded:{new / 'graph'}", "rebuild it")
    assert caught.value.remedy.startswith("rebuild it")


def test_a_manifest_that_is_not_utf8_is_reported_without_its_content(tmp_path):
    (tmp_path / "manifest.json").write_bytes(b'{"checksum": \xff}' + b" " * 1000)
    with pytest.raises(ValueError, match="byte 13 is not UTF-8") as told:
        manifest.read(tmp_path / "manifest.json")
    assert len(repr(told.value)) < 100


SEAL = ".rows.tsv.seal"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_bytes(b"one\ttwo\n")
    seal(path)
    return path


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("rows.tsv", b"one\ttwo\n", []),
        ("rows.tsv", b"one\ttwx\n", ["rows.tsv"]),
        ("rows.tsv", b"one", ["rows.tsv"]),
        ("rows.tsv", b"", ["rows.tsv"]),
        ("rows.tsv", None, []),
        ("other.tsv", b"never sealed", []),
        (SEAL, b"", [SEAL]),
        (SEAL, b"{}", [SEAL]),
        (SEAL, b"\xff" * 9, [SEAL]),
        (SEAL, None, []),
    ],
)
def test_a_changed_file_or_seal_is_named(path, name, content, named):
    changed = path.with_name(name)
    changed.unlink(missing_ok=True)
    if content is not None:
        changed.write_bytes(content)
    assert [fault.path.name for fault in seal_faults(path.parent, "make it again")] == named


@pytest.mark.parametrize("byte", range(0, 150, 7))
def test_a_byte_that_was_changed_in_a_seal_never_passes(path, byte):
    kept = path.with_name(SEAL)
    content = bytearray(kept.read_bytes())
    content[byte] ^= 0xFF
    kept.write_bytes(content)
    assert [fault.path.name for fault in seal_faults(path.parent, "")] == [SEAL]


def test_a_writer_that_is_killed_before_it_sealed_leaves_a_file_without_a_seal(path):
    unseal(path)
    path.write_bytes(b"a new report\n")
    assert not list(seal_faults(path.parent, ""))
    seal(path)
    path.write_bytes(b"a changed report\n")
    (fault,) = seal_faults(path.parent, "make it again")
    assert (fault.seen, fault.remedy) == ("has other content than this program wrote", f"remove {path}; make it again")


def test_a_folder_that_is_absent_has_no_faults(tmp_path):
    assert not list(seal_faults(tmp_path / "absent", ""))
    seal(tmp_path / "absent" / "file")
    unseal(tmp_path / "absent" / "file")
