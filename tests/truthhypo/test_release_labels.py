"""Releases are shown with the names of the files from which they were loaded."""

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from groundwork import inventory, manifest
from groundwork.errors import TruthHypoError
from groundwork.inventory import Holdings
from groundwork.records import Release
from groundwork.records.release import label
from groundwork.settings import Settings
from ingest import history, live
from ingest.pending import Pending
from ingest.snapshot import Snapshots
from truthhypo.faces.cli.entry import run
from truthhypo.faces.rest.app import application
from truthhypo.manuscripts.check import page
from truthhypo.service.operations import OPERATIONS
from truthhypo.service.requests import ReleasesRequest
from truthhypo.world import World

FILES = {
    "pubtator3": ["relation2pubtator3.tsv"],
    "concepts": ["bioconcepts2pubtator3.tsv"],
    "documents": ["documents.pubtator"],
    "pubmed": ["pubmed.xml"],
}


def files_in(releases: list[dict]) -> dict[str, list[str]]:
    return {release["source"]: release["files"] for release in releases}


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ([], "a1"),
        (["/some/folder/Train.PubTator"], "a1 (Train.PubTator)"),
        (["-"], "a1 (standard input)"),
        (["a", "b", "c"], "a1 (a, b, c)"),
        (["a", "b", "c", "d", "e"], "a1 (a, b, c, and 2 more)"),
    ],
)
def test_a_label_names_the_files_of_a_release(files, shown):
    assert label("a1", files) == shown


def test_commands_show_the_files_of_releases(command, sample_home, capfdbinary):
    home = ("--home", sample_home)
    found = command("ingest", "releases", *home).json["releases"]
    assert files_in(found) == FILES
    assert files_in(command("graph", "stats", *home).json["releases"]) == {
        source: files for source, files in FILES.items() if source != "pubmed"
    }
    for words in (["ingest", "releases"], ["graph", "stats"], ["ingest", "audit"]):
        assert run([*words, "--home", str(sample_home)]) in {0, 1}
        assert "(relation2pubtator3.tsv)" in capfdbinary.readouterr().out.decode()


def test_a_world_and_a_receipt_show_the_files_of_releases(sample_home, tmp_path, capfdbinary):
    with World(Settings(home=sample_home)) as world:
        told = repr(world)
    assert all(f" ({file})" in told for (file,) in FILES.values()), told
    (tmp_path / "some.tsv").write_text("1\ttreat\tChemical|MESH:D1\tDisease|MESH:D2\n")
    assert run(["ingest", "relations", str(tmp_path / "some.tsv"), "--home", str(tmp_path / "home")]) == 0
    assert " (some.tsv) in " in capfdbinary.readouterr().out.decode()


def test_reports_for_people_show_the_files_of_releases(sample_home, tmp_path):
    (tmp_path / "draft.md").write_text("Aspirin prevents myocardial infarction (PMID 990000005).")
    with World(Settings(home=sample_home)) as world:
        shown = [world.ground("Aspirin prevents myocardial infarction.")._repr_html_()]
        shown.append(page(world.cite_manuscript(tmp_path / "draft.md", progress=False)))
    for text in shown:
        assert all(f" ({file})" in text for (file,) in FILES.values()), text


def test_the_service_shows_the_files_of_releases(sample_home):
    app = application(Settings(home=sample_home))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert files_in(client.get("/api/v1/releases").json()["releases"]) == FILES
        for address in ("/releases", "/concepts/Gene%7C3156"):
            assert "(relation2pubtator3.tsv)" in client.get(address).text, address
        assert "(relation2pubtator3.tsv)" in client.get("/health/ready").text


def test_agents_get_the_files_of_releases(sample_home):
    with World(Settings(home=sample_home)) as world:
        described = OPERATIONS["describe_release"].answered(world, ReleasesRequest())
    assert files_in(described["releases"]) == FILES


def test_a_store_alone_shows_the_id_alone(sample_home, tmp_path):
    """Another HOME has no snapshot of these releases."""
    stores = {name: f"embedded:{sample_home / name}" for name in ("graph", "literature")}
    settings = Settings(home=tmp_path, graph=stores["graph"], literature=stores["literature"])
    with World(settings) as world:
        for release in world.graph.stats().releases:
            assert (release.files, release.label) == ((), release.id)


def test_a_snapshot_made_from_other_bytes_does_not_name_a_release(sample_home):
    with World(Settings(home=sample_home)) as world:
        release = next(one for one in world.graph.stats().releases if one.source == "documents")
    assert inventory.files_of(sample_home, "documents", release.id, release.sha256)
    assert inventory.files_of(sample_home, "documents", release.id, "0" * 64) == ()


def test_a_warning_about_a_damaged_home_is_no_obstacle(tmp_path):
    Path(tmp_path, "stores").mkdir()
    Path(tmp_path, "stores", "a.json").write_text("damaged")
    assert inventory.labels(tmp_path, ["pubmed:a"]) == ("pubmed:a",)


BEGUN = Release("mine", "a1", "0" * 64, 1, 1, 0, "live", "2026-01-01T00:00:00+00:00", kind="relations")


def harm_the_plan(home: Path) -> None:
    folder = home / "pending" / "mine@a1@2026-01-01T000000+0000"
    folder.mkdir(parents=True)
    manifest.write(folder / "plan.json", {"similarities": {}, "files": {"lost": {"bytes": 1, "sha256": "0"}}})
    Pending(home, "embedded:graph").find(BEGUN)


def harm_the_snapshot(home: Path) -> None:
    (home / "snapshots" / "mine" / "a1").mkdir(parents=True)
    raise live.lacking("embedded:graph", [BEGUN], Snapshots(home))


def miss_the_snapshot(home: Path) -> None:
    raise live.lacking("embedded:graph", [BEGUN], Snapshots(home))


@pytest.mark.parametrize(
    "fail",
    [
        harm_the_plan,
        harm_the_snapshot,
        miss_the_snapshot,
        lambda home: live.check_kind("mine", "documents", [BEGUN], home),
        lambda home: live.check_bytes(replace(BEGUN, sha256="1" * 64), [BEGUN], home),
        lambda home: history.chosen("a2", {"mine:a1": BEGUN}, home),
        lambda home: inventory.check_never_filled(home, "embedded:graph", "rebuild it"),
    ],
)
def test_errors_show_the_files_of_releases(tmp_path, fail):
    inventory.note(tmp_path, "embedded:graph", Holdings((BEGUN,), {"mine:a1": ["/some/mine.txt"]}))
    with pytest.raises(TruthHypoError) as caught:
        fail(tmp_path)
    assert "mine:a1 (mine.txt)" in str(caught.value)
