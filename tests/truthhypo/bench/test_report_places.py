"""A report can be given to others: the author's note comes first, and no path of the machine appears."""

import json

import pytest

from tests.truthhypo.bench.reported_runs import OTHER, run_of, set_of
from truthhypo.bench.report.contents import report
from truthhypo.bench.report.page import page
from truthhypo.bench.report.places import told
from truthhypo.faces.cli.entry import run as command


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("/data/sets/one", ".../one"),
        ("/data", ".../data"),
        ("/data/sets/", ".../sets"),
        ("embedded:/data/graph", "embedded:.../graph"),
        (r"C:\data\set one", ".../set one"),
        ("sets/one", "sets/one"),
        ("bolt://db:7687", "bolt://db:7687"),
        ("https://example.org/v1", "https://example.org/v1"),
        ("kg+lit", "kg+lit"),
        ({"path": ("/data/one", 3, None)}, {"path": [".../one", 3, None]}),
    ],
)
def test_a_path_from_the_root_is_reported_by_its_last_name(value, wanted):
    assert told(value) == wanted


def test_a_report_contains_no_path_of_the_machine(tmp_path, capfd):
    place, instances = set_of(tmp_path / "set", each=2)
    folder, out = run_of(tmp_path / "run", place, instances, (OTHER,)), tmp_path / "page.html"
    assert command(["--json", "bench", "report", str(folder), "--out", str(out), "--note", "Only a walk."]) == 0
    assert json.loads(capfd.readouterr().out)["warnings"][0] == "Only a walk."
    for path in tmp_path.glob("page.*"):
        assert str(tmp_path) not in path.read_text("utf-8"), path.name
    assert "Only a walk." in out.read_text("utf-8")


def test_without_a_note_only_the_warnings_are_there(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    assert report([folder], 0, note="Mind this.").warnings == ("Mind this.", *report([folder], 0).warnings)


def test_a_set_that_is_too_small_to_probe_is_not_called_free_of_leaks(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    html = page(report([folder], 0))
    assert ("too small to tell" in html, "not found" in html) == (True, False)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["datasets"]["small"]["probed"] = ["Gene & Gene"]
    path.write_text(json.dumps(manifest), "utf-8")
    html = page(report([folder], 0))
    assert ("too small to tell" in html, "not found" in html) == (True, True)
