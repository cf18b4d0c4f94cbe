"""Seals of files kept for people: any change is named. A file that is gone or was never sealed is no fault."""

import pytest

from groundwork.manifest import seal, seal_faults, unseal

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
    assert (fault.seen, fault.remedy) == (
        "has other content than this program wrote",
        f"remove {path}; make it again",
    )


def test_a_folder_that_is_absent_has_no_faults(tmp_path):
    assert not list(seal_faults(tmp_path / "absent", ""))
    seal(tmp_path / "absent" / "file")
    unseal(tmp_path / "absent" / "file")
