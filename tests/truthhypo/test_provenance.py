"""The program that made an answer: another file of the program, or another byte in one, counts as another program."""

import re
from importlib.metadata import version

import pytest

from truthhypo import provenance
from truthhypo.provenance import digest, digest_of, program


def test_the_program_is_named_by_its_version_and_a_digest():
    called, _, held = program().partition("+")
    assert called == version("truthhypo")
    assert re.fullmatch("[0-9a-f]{12}", held)


def test_a_changed_byte_or_file_name_changes_the_digest_and_compiled_files_do_not(tmp_path):
    room = tmp_path / "room"
    (room / "prompts").mkdir(parents=True)
    (room / "a.py").write_text("x = 1\n")
    (room / "prompts" / "judge.txt").write_text("version: 1\n")
    found = [digest_of([room])]
    (room / "__pycache__").mkdir()
    (room / "__pycache__" / "a.pyc").write_text("compiled")
    assert digest_of([room]) == found[0]
    (room / "prompts" / "judge.txt").write_text("version: 2\n")
    found.append(digest_of([room]))
    (room / "a.py").rename(room / "b.py")
    found.append(digest_of([room]))
    assert len(set(found)) == 3


def test_the_order_of_fields_does_not_change_a_digest():
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})


@pytest.mark.parametrize("name", ["ground", "risk"])
def test_a_file_begun_by_another_program_or_over_other_stores_is_not_continued(
    command, sample_home, tmp_path, monkeypatch, name
):
    texts, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    texts.write_text("Aspirin treats pain.\nSimvastatin lowers cholesterol.\n", "utf-8")
    asked = ["--home", sample_home, name, "--file", texts, "--out", out]
    assert command(*asked).json["written"] == 2
    whole = out.read_bytes()
    out.write_bytes(whole[: whole.index(b"\n") + 5])
    with monkeypatch.context() as other:
        other.setattr(provenance, "program", lambda: "9.9+0123456789ab")
        refused = command(*asked)
    assert (refused.code, f"with other program ({program()}, now 9.9+0123456789ab)" in refused.err) == (2, True)
    refused = command("--graph", "memory:", "--literature", "memory:", *asked)
    assert (refused.code, "with other graph, literature" in refused.err) == (2, True)
    assert command(*asked).json.items() >= {"kept": 1, "written": 1}.items()
    assert out.read_bytes() == whole
