"""Going back to an older release, listing what is there, and the difference of two releases."""

import re

import pyarrow.parquet as pq
import pytest

import ingest
from groundwork.errors import InputError
from groundwork.settings import Settings
from ingest.diff import CHANGES
from tests.ingest.oracle import Load, Oracle, check
from tests.ingest.test_load import Stores

A = Load(
    "relations",
    [
        (1, "treat", "Chemical|MESH:D1", "Disease|MESH:D1"),
        (2, "treat", "Chemical|MESH:D1", "Disease|MESH:D1"),
        (3, "cause", "Chemical|MESH:D1", "Gene|1"),
        (4, "associate", "Gene|1", "Gene|2"),
    ],
)
B = Load(
    "relations",
    [
        (2, "treat", "Disease|MESH:D1", "Chemical|MESH:D1"),
        (5, "treat", "Chemical|MESH:D1", "Disease|MESH:D1"),
        (4, "associate", "Gene|1", "Gene|2"),
        (6, "associate", "DNAMutation|HGVS:c.1A>G", "Gene|2"),
    ],
)


@pytest.fixture
def stores(tmp_path) -> Stores:
    stores = Stores(tmp_path)
    stores.load(A, release="a")
    stores.load(B, release="b")
    return stores


def test_activate_makes_an_older_release_live_again(stores):
    receipt = ingest.activate("a", stores.graph, stores.settings)
    oracle = Oracle()
    oracle.load(A)
    check(oracle, stores.graph, stores.literature)
    assert receipt.edges == ingest.Effect(total=3, added=1, changed=1, removed=1, unchanged=1)
    assert (receipt.release, receipt.rows.read, len(receipt.files)) == ("a", 4, 1)
    assert {r.id: r.state for r in stores.graph.releases()} == {"a": "live", "b": "past"}
    again = ingest.activate("pubtator3:a", stores.graph, stores.settings)
    assert again.edges.unchanged == 3


def test_activate_and_diff_name_the_choices(stores, tmp_path):
    with pytest.raises(InputError, match="no relation release") as caught:
        ingest.activate("c", stores.graph, stores.settings)
    assert re.search(r"pubtator3:a \(\d+\.txt\), pubtator3:b \(\d+\.txt\)", caught.value.wanted)
    stores.load(Load("relations", A.rows[:1], "mine"), release="a")
    with pytest.raises(InputError, match="several") as caught:
        ingest.activate("a", stores.graph, stores.settings)
    assert re.search(r"mine:a \(\d+\.txt\), pubtator3:a \(\d+\.txt\)", caught.value.wanted)
    with pytest.raises(InputError, match="several"):
        ingest.compare("a", "b", stores.settings)
    assert ingest.compare("mine:a", "pubtator3:a", stores.settings).added == 2
    stores.load(Load("concepts", [(1, "Gene|1", ["x"])]), release="names")
    with pytest.raises(InputError, match="no relation release"):
        ingest.activate("names", stores.graph, stores.settings)
    with pytest.raises(InputError, match="no relation release"):
        ingest.compare("b", "names", stores.settings)
    with pytest.raises(InputError, match="no snapshot"):
        ingest.activate("b", stores.graph, Settings(home=tmp_path / "another"))
    with pytest.raises(InputError, match="no relation release") as caught:
        ingest.compare("a", "b", Settings(home=tmp_path / "another"))
    assert "--home" in caught.value.remedy


def test_diff_counts_and_lists_what_differs(stores, tmp_path):
    found = ingest.compare("a", "b", stores.settings, out=tmp_path / "d.parquet")
    assert found.to_dict() == {"added": 1, "changed": 1, "removed": 1, "out": str(tmp_path / "d.parquet")}
    table = pq.read_table(tmp_path / "d.parquet")
    assert table.schema == CHANGES
    assert [tuple(row.values()) for row in table.to_pylist()] == [
        ("removed", "Chemical|MESH:D1", "cause", "Gene|1", [], [3]),
        ("changed", "Chemical|MESH:D1", "treat", "Disease|MESH:D1", [5], [1]),
        ("added", "Gene|2", "associate", "DNAMutation|HGVS:c.1A>G", [6], []),
    ]
    ingest.compare("a", "b", stores.settings, out=tmp_path / "d.tsv")
    assert (tmp_path / "d.tsv").read_text("utf-8").splitlines() == [
        "change\thead\trelation\ttail\tpmids_added\tpmids_removed",
        "removed\tChemical|MESH:D1\tcause\tGene|1\t\t3",
        "changed\tChemical|MESH:D1\ttreat\tDisease|MESH:D1\t5\t1",
        "added\tGene|2\tassociate\tDNAMutation|HGVS:c.1A>G\t6\t",
    ]
    assert ingest.compare("b", "b", stores.settings).to_dict() == {"added": 0, "changed": 0, "removed": 0, "out": None}


@pytest.mark.parametrize("name", ["d.csv", "missing/d.tsv", "d"])
def test_diff_refuses_other_formats_and_missing_folders(stores, tmp_path, name):
    with pytest.raises(InputError, match="--out"):
        ingest.compare("a", "b", stores.settings, out=tmp_path / name)


def test_releases_of_both_stores_are_listed_once(stores):
    stores.load(Load("documents", [(1, "t", [("Gene|1", "x")], [])]), release="d")
    stores.load(Load("pubmed", [(1, "t", "a")]), release="p")
    found = ingest.releases(stores.graph, stores.literature)
    assert [(r.source, r.id, r.state) for r in found] == [
        ("documents", "d", "live"),
        ("pubmed", "p", "live"),
        ("pubtator3", "a", "past"),
        ("pubtator3", "b", "live"),
    ]
