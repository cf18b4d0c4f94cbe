"""Stores that are lost, damaged, missing or of an earlier version: the messages, and how to restore the stores."""

import json
import os
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from groundwork.errors import DamagedStore, NothingLoaded, StoreUnreachable
from groundwork.settings import Settings
from tests.cypher.older import make_older
from tests.cypher.test_embedded import as_somebody_else, guarded
from tests.truthhypo.conftest import SAMPLE
from truthhypo import connect

__all__ = ["guarded"]
NEXT = SAMPLE / "relation2pubtator3.next.tsv"


@pytest.fixture
def home(sample_home, tmp_path) -> Path:
    """A HOME of its own with the sample in it."""
    copytree(sample_home, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def state(sample_home):
    return content(sample_home)


def content(home: Path) -> tuple[object, ...]:
    """What the stores hold, without their history."""
    with connect(home=home) as world:
        stats, articles = world.graph.stats(), world.literature.get(world.literature.every_pmid())
        hits = world.literature.search("does aspirin prevent infarction").hits
        releases = [(one.source, one.id, one.state) for one in stats.releases]
        return stats.concepts, stats.edges, stats.digest, releases, articles.keys(), [hit.pmid for hit in hits]


@pytest.mark.parametrize("lost", ["graph", "literature", "both"])
def test_a_lost_store_is_not_treated_as_empty_and_can_be_restored(command, home, state, lost):
    for name in ("graph", "literature") if lost == "both" else (lost,):
        rmtree(home / name)
    for argv in (
        ("graph", "stats") if lost != "literature" else ("literature", "search", "pain"),
        ("ingest", "documents", SAMPLE / "documents.pubtator"),
        ("ground", "Aspirin causes pain."),
    ):
        told = command("--home", home, *argv)
        assert (told.code, "is missing" in told.err, "ingest rebuild" in told.err) == (3, True, True)
    dry = command("--home", home, "ingest", "rebuild", "--dry-run")
    assert dry.code == 1
    assert not (home / lost).exists()
    told = command("--home", home, "ingest", "rebuild")
    again = told.json["load_again"]
    if lost == "graph":
        assert (told.code, again) == (0, [])
    else:
        assert told.code == 1
        assert [Path(path).name for one in again for path in one["files"]] == ["pubmed.xml"]
        assert command("--home", home, "doctor").code == 1
        assert command("--home", home, "ingest", "pubmed", *again[0]["files"]).code == 0
    assert command("--home", home, "doctor").code == 0
    assert content(home) == state


def test_a_rebuild_names_contradictions_that_must_be_loaded_again(command, home, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("Chemical|MESH:D001241\tChemical|MESH:D008687\n")
    assert command("--home", home, "ingest", "contradictions", pairs).json["contradictions"]["total"] == 1
    (home / "graph" / "graph.json").unlink()
    told = command("--home", home, "ingest", "rebuild")
    assert (told.code, told.json["load_again"]) == (1, [{"load": "contradictions", "files": [str(pairs)]}])
    assert Path(told.json["graph"]["kept"]).is_dir()
    command("--home", home, "ingest", "contradictions", pairs)
    assert command("--home", home, "ingest", "rebuild").code == 0


def test_a_killed_rebuild_is_completed_by_the_same_command(command, home, state, monkeypatch):
    (home / "graph" / "graph.json").write_bytes(b"")
    rename = Path.rename
    for dying in ("graph", "graph.rebuilt"):  # before the old folder is put aside, and before the new one is in place

        def killed(path, target, dying=dying):
            if path.name == dying:
                raise KeyboardInterrupt
            return rename(path, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", killed)
            assert command("--home", home, "ingest", "rebuild").code == 130
        assert command("--home", home, "graph", "stats").code == 3
    assert command("--home", home, "ingest", "rebuild").code == 0
    assert content(home) == state


@pytest.mark.parametrize(("name", "size"), [("row.npy", 0), ("pmids.npy", -4), ("concepts.sqlite", 5000)])
def test_a_damaged_graph_is_restored(command, home, state, name, size):
    (file,) = (home / "graph").glob(f"state-*/{name}")
    file.write_bytes(file.read_bytes()[:size] or b"no array" * 1000)
    assert command("--home", home, "graph", "find", "aspirin").code == 3
    told = command("--home", home, "ingest", "rebuild")
    assert (told.code, told.json["graph"]["state"]) == (0, "restored")
    assert content(home) == state


def as_before(home: Path) -> None:
    """Turn a HOME into one that an earlier version wrote."""
    rmtree(home / "stores")
    make_older(home / "graph", Settings(home=home), noted=False)
    for path in [*home.glob("*/*/*/manifest.json"), *home.glob("*/*/numbered.json"), home / "literature/manifest.json"]:
        shape = json.loads(path.read_text())
        shape.pop("checksum", None)
        path.write_text(json.dumps(shape))


def test_a_home_of_an_earlier_version_is_read_loaded_and_restored(command, home, state):
    as_before(home)
    assert content(home) == state
    assert command("--home", home, "doctor").code == 0
    (home / "graph" / "graph.json").unlink()
    assert command("--home", home, "graph", "stats").code == 3
    assert command("--home", home, "ingest", "rebuild").code == 0
    assert content(home) == state
    as_before(home)
    told = command("--home", home, "ingest", "documents", SAMPLE / "documents.pubtator")
    assert (told.code, told.json["edges"]["unchanged"]) == (0, told.json["edges"]["total"])
    assert command("--home", home, "ingest", "pubmed", SAMPLE / "pubmed.xml").code == 0
    assert "checksum" in json.loads((home / "literature" / "manifest.json").read_text())
    assert len(list((home / "stores").iterdir())) == 2


def test_an_index_of_the_earlier_format_is_refused_and_made_again(command, home, state):
    (home / "literature" / "manifest.json").write_text('{"format": 2, "version": 1}')
    told = command("--home", home, "literature", "search", "pain")
    assert (told.code, "an earlier version" in told.err, "ingest rebuild" in told.err) == (3, True, True)
    told = command("--home", home, "ingest", "rebuild")
    again = [path for one in told.json["load_again"] for path in one["files"]]
    assert (told.code, [Path(path).name for path in again]) == (1, ["pubmed.xml"])
    assert command("--home", home, "ingest", "pubmed", *again).code == 0
    assert content(home) == state


def test_a_rebuild_of_an_earlier_home_with_several_releases_of_a_source_is_refused(command, home):
    command("--home", home, "ingest", "relations", NEXT)
    as_before(home)
    (home / "graph" / "graph.lbug").unlink()
    told = command("--home", home, "ingest", "rebuild")
    assert (told.code, "several snapshots of pubtator3" in told.err) == (2, True)


def test_an_address_without_a_store_is_reported(command, tmp_path):
    for kind, argv in (("graph", ("graph", "stats")), ("literature", ("literature", "search", "pain"))):
        address = f"embedded:{tmp_path / 'none'}"
        told = command("--home", tmp_path, f"--{kind}", address, *argv)
        assert (told.code, f"there is no {kind} store at {address}" in told.err) == (3, True)
        assert "truthhypo ingest" in told.json["error"]["remedy"]
    with connect(graph=f"embedded:{tmp_path / 'none'}") as world, pytest.raises(StoreUnreachable):
        world.graph.stats()
    dry = command(
        "--home", tmp_path, "--graph", f"embedded:{tmp_path / 'none'}", "ingest", "relations", NEXT, "--dry-run"
    )
    assert dry.code == 0
    assert not (tmp_path / "none").exists()


def test_a_home_that_was_never_loaded_answers_as_empty_with_one_warning(command, tmp_path):
    told = command("--home", tmp_path / "new", "ground", "Aspirin causes pain.")
    assert (told.code, told.err.count("warning:"), "truthhypo ingest" in told.err) == (0, 1, True)
    with connect(home=tmp_path / "new") as world, pytest.warns(NothingLoaded, match="nothing was loaded") as warned:
        world.ground("Aspirin causes pain.")
    assert len(warned) == 1
    assert not (tmp_path / "new").exists()


def test_a_home_that_cannot_be_written_can_be_read(sample_home, guarded, state):
    home = guarded / "home"
    copytree(sample_home, home)
    for path in home.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.chmod(0o555)

    def read() -> None:
        assert content(home) == state
        assert not os.access(home, os.W_OK)

    assert as_somebody_else(read) == "nothing"


def test_a_graph_that_another_program_changed_is_not_opened(command, home):
    """Wrong numbers can crash a look-up, so files that changed since the last load are first compared, once."""
    (state,) = (home / "graph").glob("state-*")
    path, noted = state / "target.npy", state / "manifest.json"
    os.utime(path)
    assert command("--home", home, "graph", "stats").code == 0
    written = noted.stat().st_mtime_ns
    assert command("--home", home, "graph", "stats").code == 0
    assert noted.stat().st_mtime_ns == written
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with connect(home=home) as world, pytest.raises(DamagedStore, match=r"target\.npy has other content"):
        world.graph.find("aspirin")


@pytest.mark.parametrize(
    ("harm", "store"),
    [("folder", None), ("folder", "both"), ("manifest", "graph"), ("table", "both"), ("table", "literature")],
)
def test_a_live_snapshot_that_is_lost_is_named_and_loaded_again(command, home, state, store, harm):
    """`doctor` names the snapshot, `ingest rebuild` restores the stores without it, and the same load restores it."""
    (snapshot,) = (home / "snapshots" / "documents").iterdir()
    match harm:
        case "folder":
            rmtree(snapshot)
        case "manifest":
            (snapshot / "manifest.json").unlink()
        case "table":
            table = snapshot / "documents.parquet"
            table.write_bytes(table.read_bytes()[:-100] + bytes(100))
    for name in ("graph", "literature") if store == "both" else [store] if store else []:
        rmtree(home / name)
    told = command("--home", home, "doctor")
    assert told.code == 1
    assert any(str(snapshot) in check["found"] and "again" in check["remedy"] for check in told.json["checks"])
    told = command("--home", home, "ingest", "rebuild")
    assert told.code == 1, told.err
    assert any(str(snapshot) in line for line in told.json["snapshots"])
    lost = {one["load"]: [Path(path).name for path in one["files"]] for one in told.json["load_again"]}
    if store:
        assert lost[f"documents:{snapshot.name}"] == (["documents.pubtator"] if harm == "table" else [])
    assert (
        command("--home", home, "ingest", "documents", SAMPLE / "documents.pubtator", "--release", snapshot.name).code
        == 0
    )
    if any(load.startswith("pubmed:") for load in lost):
        assert command("--home", home, "ingest", "pubmed", SAMPLE / "pubmed.xml").code == 0
    assert command("--home", home, "ingest", "rebuild").code == 0
    assert command("--home", home, "doctor").code == 0
    assert content(home) == state


def test_a_home_that_lost_its_graph_and_all_snapshots_names_every_load_until_it_is_repeated(command, home, state):
    rmtree(home / "graph")
    rmtree(home / "snapshots")
    lost = {one["load"].split(":")[0] for one in command("--home", home, "ingest", "rebuild").json["load_again"]}
    assert lost == {"concepts", "documents", "pubtator3"}
    for source, kind, file in (
        ("concepts", "concepts", "bioconcepts2pubtator3.tsv"),
        ("pubtator3", "relations", "relation2pubtator3.tsv"),
        ("documents", "documents", "documents.pubtator"),
    ):
        wrong = [check["found"] for check in command("--home", home, "doctor").json["checks"] if not check["ok"]]
        assert {Path(found.split()[0]).parent.name for found in wrong} == lost
        assert command("--home", home, "ingest", kind, SAMPLE / file).code == 0
        lost.remove(source)
    assert command("--home", home, "doctor").code == 0
    assert content(home) == state
