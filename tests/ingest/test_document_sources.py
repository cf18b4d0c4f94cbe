"""Documents of several sources, documents that replace others, and documents that occur twice."""

from dataclasses import asdict
from uuid import uuid4

import pytest

import cypher
import ingest
import literature
from groundwork.errors import InputError
from groundwork.records import Release
from ingest.snapshot import Manifest
from tests.contracts.conftest import emptied
from tests.ingest.oracle import Load, Oracle, check
from tests.ingest.test_load import Stores

BRCA1, EGFR, PAIN = "Gene|672", "Gene|1956", "Disease|MESH:D7"


def document(pmid: int, title: str, *ends: str) -> tuple:
    return pmid, title, [(key, "name") for key in ends], [("associate", *ends)] if len(ends) == 2 else []


#: Three sources that share PMIDs 1 and 2. The second load of "a" replaces PMID 1 there.
LOADS = (
    Load("documents", [document(1, "a", BRCA1, EGFR), document(3, "three", PAIN)], "a"),
    Load("documents", [document(1, "a anew", BRCA1, PAIN)], "a"),
    Load("documents", [document(1, "b", EGFR, PAIN), document(2, "b two", EGFR)]),
    Load("documents", [document(2, "z two", BRCA1, PAIN)], "z"),
)


@pytest.fixture(params=["memory", "embedded", pytest.param("servers", marks=pytest.mark.servers)])
def fresh(request, tmp_path):
    """Returns empty stores at each call, and closes all of them at the end."""
    made = []

    def stores() -> Stores:
        number = len(made)
        one = Stores(tmp_path, literature_index=f"sources-{uuid4().hex[:8]}")
        addresses = {name: f"embedded:{tmp_path / f'{name} {number}'}" for name in ("graph", "literature")}
        if request.param == "servers":
            addresses["graph"] = emptied(request.getfixturevalue("neo4j_address"))
            addresses["literature"] = request.getfixturevalue("elasticsearch_address")
        if request.param != "memory":
            one.graph = cypher.connect(addresses["graph"], one.settings)
            one.literature = literature.connect(addresses["literature"], one.settings)
        made.append(one)
        return one

    yield stores
    for one in made:
        one.graph.close()
        one.literature.close()


def test_the_order_of_sources_does_not_change_graph_and_literature(fresh):
    oracle, states = Oracle(), []
    for load in LOADS:
        oracle.load(load)
    for order in ((0, 1, 2, 3), (3, 2, 0, 1), (0, 3, 1, 2)):
        stores = fresh()
        for place in order:
            stores.load(LOADS[place])
        check(oracle, stores.graph, stores.literature)
        held = stores.literature.get(stores.literature.every_pmid())
        states.append((stores.graph.stats().digest, {pmid: (one.document, one.spoken) for pmid, one in held.items()}))
    assert all(state == states[0] for state in states)


def test_the_text_is_that_of_the_first_source_that_has_one(tmp_path):
    stores = Stores(tmp_path)
    (bare := tmp_path / "bare.txt").write_text(f"1\t0\t1\tname\tGene\t{BRCA1[5:]}\n")
    ingest.load_documents([bare], stores.graph, stores.literature, stores.settings, source="a")
    stores.load(LOADS[2])
    article = stores.literature.get([1])[1]
    assert (article.text.title, article.annotated) == ("b", (PAIN, EGFR, BRCA1))


@pytest.mark.parametrize(
    ("before", "new", "documents", "edges"),
    [
        pytest.param([], LOADS[0], 0, 0, id="a first load"),
        pytest.param([LOADS[0]], LOADS[0], 0, 0, id="the same release again"),
        pytest.param([LOADS[0]], LOADS[1], 1, 1, id="another release with a PMID of the first"),
        pytest.param([LOADS[0], LOADS[1]], LOADS[0], 1, 1, id="an earlier release again"),
        pytest.param([LOADS[0]], LOADS[2], 0, 0, id="another source"),
        pytest.param(
            [LOADS[0], Load("relations", [(9, "associate", BRCA1, EGFR)])],
            LOADS[1],
            1,
            0,
            id="an edge with evidence left",
        ),
        pytest.param(
            [LOADS[0]], Load("documents", [*LOADS[0].rows, document(4, "four")], "a"), 0, 0, id="the same documents"
        ),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_receipt_counts_replaced_documents_and_the_edges_that_went_with_them(
    tmp_path, before, new, documents, edges, dry_run
):
    stores = Stores(tmp_path)
    for load in before:
        stores.load(load)
    found = stores.load(new, dry_run=dry_run).to_dict()["replaced"]
    assert (found["documents"], found["edges"], len(found["releases"])) == (documents, edges, bool(documents))


RELATIONS = [(1, "associate", BRCA1, EGFR)]


@pytest.mark.parametrize(
    ("first", "second", "seen"),
    [
        (("relations", "mine"), ("documents", "mine"), r"mine:one \(\d+\.txt\) is a release of relations"),
        (("documents", "mine"), ("relations", "mine"), r"mine:one \(\d+\.txt\) is a release of documents"),
        (("relations", "mine"), ("documents", "concepts"), "another kind of load"),
        (("documents", "mine"), ("documents", "pubmed"), "another kind of load"),
        (("documents", "mine"), ("relations", "documents"), "another kind of load"),
        (("documents", "mine"), ("documents", "a b"), "source 'a b'"),
    ],
)
def test_a_source_has_one_kind_of_release(tmp_path, first, second, seen):
    stores, rows = Stores(tmp_path), {"relations": RELATIONS, "documents": LOADS[0].rows}
    stores.load(Load(first[0], rows[first[0]], first[1]), release="one")
    before = stores.graph.releases()
    with pytest.raises(InputError, match=seen):
        stores.load(Load(second[0], rows[second[0]], second[1]))
    assert stores.graph.releases() == before


def test_a_home_of_an_earlier_version_has_its_documents_in_the_source_documents(tmp_path):
    """Earlier versions recorded no kind, neither in stores nor in snapshots."""
    old = Release("documents", "a", "0" * 64, 1, 1, 0, "live", "2026-01-01T00:00:00+00:00", 1)
    flat = {name: value for name, value in old.flat.items() if name != "kind"}
    assert Release.of(flat) == old
    assert [Release.of({**flat, "source": source}).kind for source in ("documents", "pubtator3")] == [
        "documents",
        "relations",
    ]
    assert [Manifest(source, "a", "", (), None, {}, (), 3, {}).kind for source in ("documents", "mine")] == [
        "documents",
        "relations",
    ]


@pytest.mark.parametrize("kind", ["documents", "pubmed"])
def test_an_earlier_copy_in_the_same_load_is_counted_as_repeated(tmp_path, kind):
    rows = {
        "documents": [document(1, "a", BRCA1, EGFR), document(2, "b"), document(1, "c"), document(1, "d", PAIN, EGFR)],
        "pubmed": [(1, "a", "x"), (2, "b", "x"), (1, "c", "x"), (1, "d", "x")],
    }
    stores = Stores(tmp_path)
    for repeated, chosen in ((2, rows[kind]), (0, rows[kind][1:3])):
        receipt = stores.load(Load(kind, chosen), max_rejects=0)
        assert receipt.rows.repeated == repeated
        assert receipt.rows.read == receipt.rows.kept + receipt.rows.rejected
        assert receipt.to_dict()["rows"].get("repeated", 0) == repeated
    assert asdict(receipt.rows)["repeated"] == 0
