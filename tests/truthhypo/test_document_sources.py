"""The commands on documents of several sources: warnings, releases, damage and restoration."""

from tests.ingest.oracle import Load
from tests.ingest.test_document_sources import LOADS, document
from truthhypo.faces.cli.entry import run


def test_a_load_that_replaces_documents_of_another_file_warns_and_names_the_option(command, tmp_path):
    files = [load.write(tmp_path / "files") for load in LOADS[:2]]
    home = ("--home", tmp_path / "home")
    first = command("ingest", "documents", files[0], "--release", "one", *home)
    assert "warning" not in first.err
    second = command("ingest", "documents", files[1], *home)
    label = f"one ({files[0].name})"
    assert second.json["replaced"] == {"documents": 1, "edges": 1, "releases": [label]}
    assert f"warning: 1 document of {label} replaced, and 1 edge removed with them" in second.err
    assert "--source" in second.err
    other = command("ingest", "documents", files[0], "--source", "other", *home)
    assert "warning" not in other.err
    assert {(one["source"], one["kind"]) for one in command("ingest", "releases", *home).json["releases"]} == {
        ("documents", "documents"),
        ("other", "documents"),
    }


def test_documents_of_every_source_are_restored_and_are_no_releases_of_relations(tmp_path, command):
    home = ("--home", tmp_path / "home")
    for source in ("a", "b"):
        assert command("ingest", "documents", LOADS[0].write(tmp_path), "--source", source, *home).code == 0
    stats, found = (command(*words, *home).json for words in (("graph", "stats"), ("ingest", "releases")))
    for words in (("ingest", "activate", found["releases"][0]["id"]), ("ingest", "audit", found["releases"][0]["id"])):
        assert "no relation release" in command(*words, *home).err
    for store in ("graph", "literature"):
        (victim,) = list((tmp_path / "home" / store).glob("manifest.json")) or [None]
        assert victim is not None
        victim.write_text("damaged")
    assert command("doctor", *home).code == 1
    done = command("ingest", "rebuild", *home)
    assert (done.code, done.json["graph"]["state"], done.json["literature"]["state"]) == (0, "restored", "restored")
    assert command("graph", "stats", *home).json == stats
    assert command("ingest", "releases", *home).json == found
    assert command("doctor", *home).code == 0


def test_repeated_copies_are_told_on_the_terminal(tmp_path, capfdbinary):
    file = Load("documents", [document(1, "a"), document(1, "b")]).write(tmp_path)
    assert run(["ingest", "documents", str(file), "--home", str(tmp_path / "home")]) == 0
    assert b"1  repeated (only the last copy of a PMID in these files is used)" in capfdbinary.readouterr().out
