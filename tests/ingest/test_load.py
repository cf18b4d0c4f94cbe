"""Loads against the oracle: any sequence and order of kinds, repeated loads, and a release that replaces another."""

from itertools import count
from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cypher
import ingest
import literature
from groundwork.errors import DamagedStore, InputError, TooManyRejects
from groundwork.settings import Settings
from groundwork.tables import concept_batch
from tests.ingest.oracle import Load, Oracle, check, concepts_of, edges_of, loads, similarities_of, texts_of

slowly = settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
_FRESH = count()
KINDS = ("relations", "concepts", "documents", "pubmed", "similarity")


class Stores:
    """Memory stores and a HOME of their own."""

    def __init__(self, folder: Path, **values) -> None:
        self.folder = folder / str(next(_FRESH))
        self.settings = Settings(home=self.folder / "home", threads=1, **values)
        self.graph = cypher.connect("memory:", self.settings)
        self.literature = literature.connect("memory:", self.settings)

    def load(self, load: Load, **options) -> ingest.Receipt:
        return load.run(self.folder, self.graph, self.literature, self.settings, **options)

    def copy(self, folder: Path) -> "Stores":
        """Stores with the same content and a copy of HOME, without loading anything again."""
        twin = Stores(folder, batch_rows=self.settings.batch_rows)
        copytree(self.settings.home, twin.settings.home)
        with twin.graph.writing(), twin.literature.writing():
            twin.graph.put_concepts([concept_batch(self.graph.every_concept())])
            twin.graph.put_edges(self.graph.relations(), "copy")
            twin.graph.put_similarities(self.graph.similarities())
            twin.literature.put(self.literature.get(self.literature.every_pmid()).values())
            for store, other in ((self.graph, twin.graph), (self.literature, twin.literature)):
                for release in store.releases():
                    other.put_release(release)
        return twin


@pytest.fixture
def stores(tmp_path) -> Stores:
    return Stores(tmp_path)


def effect(before: dict, after: dict) -> ingest.Effect:
    added, removed = after.keys() - before.keys(), before.keys() - after.keys()
    changed = {key for key in after.keys() & before.keys() if after[key] != before[key]}
    return ingest.Effect(len(after), len(added), len(changed), len(removed), len(after) - len(added) - len(changed))


@slowly
@given(st.lists(loads(*KINDS), min_size=1, max_size=5), st.data())
def test_any_sequence_of_loads_gives_the_oracle_s_state_and_receipts(tmp_path, sequence, data):
    stores, oracle = Stores(tmp_path), Oracle()
    sequence.append(data.draw(st.sampled_from(sequence)))  # one of the loads is repeated
    for load in sequence:
        edges, concepts, texts = oracle.edges(), oracle.concepts(), oracle.texts()
        cosines = oracle.similarities()
        oracle.load(load)
        receipt = stores.load(load)
        check(oracle, stores.graph, stores.literature)
        assert receipt.rows.read == receipt.rows.kept + receipt.rows.rejected
        if load.kind != "pubmed":
            assert receipt.edges == effect(edges, oracle.edges())
            assert receipt.concepts == effect(concepts, oracle.concepts())
            assert (receipt.similarities or effect({}, {})) == effect(cosines, oracle.similarities())
        if load.kind in {"pubmed", "documents"}:
            assert receipt.documents.total == len(oracle.texts())
            assert receipt.documents.added == len(oracle.texts().keys() - texts.keys())


@pytest.mark.slow
@slowly
@given(
    st.lists(
        loads(*KINDS),
        min_size=2,
        max_size=5,
        unique_by=lambda load: (load.kind, load.source),
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_kinds_does_not_matter(tmp_path, sequence, random):
    states = []
    for _ in range(2):
        stores = Stores(tmp_path)
        for load in sequence:
            stores.load(load)
        articles = {
            pmid: (article.record, article.document, article.concepts)
            for pmid, article in stores.literature.get(stores.literature.every_pmid()).items()
        }
        graph = stores.graph
        states.append((graph.stats().digest, edges_of(graph), concepts_of(graph), similarities_of(graph), articles))
        random.shuffle(sequence)
    assert states[0] == states[1]


@slowly
@given(loads("relations"), loads("relations"))
def test_a_release_replaces_the_one_before_it(tmp_path, first, second):
    first.source = second.source = "pubtator3"
    one, other = Stores(tmp_path), Stores(tmp_path)
    one.load(first)
    one.load(second)
    other.load(second)
    assert one.graph.stats().digest == other.graph.stats().digest
    assert concepts_of(one.graph) == concepts_of(other.graph)


@slowly
@given(loads(*KINDS))
def test_the_same_again_changes_nothing(tmp_path, load):
    stores = Stores(tmp_path)
    stores.load(load)
    again = stores.load(load)
    effects = [again.edges, again.concepts, again.documents, again.similarities]
    assert {(e.added, e.changed, e.removed) for e in effects if e is not None} == {(0, 0, 0)}


@slowly
@given(loads(*KINDS), loads(*KINDS))
def test_a_dry_run_tells_the_effect_and_changes_nothing(tmp_path, held, load):
    stores = Stores(tmp_path)
    stores.load(held)
    before = edges_of(stores.graph), concepts_of(stores.graph), texts_of(stores.literature)
    known = ingest.releases(stores.graph, stores.literature)
    snapshots = sorted((stores.settings.home / "snapshots").rglob("*"))
    dry = stores.load(load, dry_run=True)
    assert (edges_of(stores.graph), concepts_of(stores.graph), texts_of(stores.literature)) == before
    assert ingest.releases(stores.graph, stores.literature) == known
    assert sorted((stores.settings.home / "snapshots").rglob("*")) == snapshots
    real = stores.load(load)
    assert (dry.edges, dry.concepts, dry.documents) == (real.edges, real.concepts, real.documents)
    assert dry.similarities == real.similarities
    assert dry.dry_run
    assert not real.dry_run


RELATIONS = Load("relations", [(1, "treat", "Chemical|MESH:D1", "Disease|MESH:D1")])
OTHER = Load("relations", [(2, "cause", "Chemical|MESH:D2", "Disease|MESH:D1")])


def test_a_self_relation_is_an_edge(stores):
    stores.load(Load("relations", [(1, "associate", "Gene|1", "Gene|1")]))
    assert edges_of(stores.graph) == {("Gene|1", "associate", "Gene|1"): {1}}


def test_articles_of_several_sources_are_joined(stores):
    stores.load(RELATIONS)
    stores.load(Load("relations", [(2, "treat", "Chemical|MESH:D1", "Disease|MESH:D1")], "mine"))
    assert edges_of(stores.graph) == {("Chemical|MESH:D1", "treat", "Disease|MESH:D1"): {1, 2}}
    assert [(r.source, r.state) for r in stores.graph.releases()] == [("mine", "live"), ("pubtator3", "live")]


def test_releases_tell_what_is_live(stores):
    for load in (RELATIONS, OTHER, RELATIONS):
        stores.load(load)
    found = ingest.releases(stores.graph, stores.literature)
    assert [(r.state, r.order) for r in found] == [("past", 2), ("live", 3)]


def test_names_of_a_type_are_replaced_whole_and_others_stay(stores):
    stores.load(Load("concepts", [(1, "Gene|1", ["a"]), (1, "Disease|MESH:D1", ["d"])]))
    stores.load(Load("concepts", [(1, "Gene|2", ["b"])]))
    genes = {"Gene|2": ("A2M", {"A2M": 0, "b": 1})}  # the program knows the symbol
    assert concepts_of(stores.graph) == {**genes, "Disease|MESH:D1": ("d", {"d": 1})}
    stores.load(Load("concepts", [(1, "Disease|MESH:D2", [])]))
    assert concepts_of(stores.graph) == {**genes, "Disease|MESH:D2": ("MESH:D2", {})}
    assert [r.state for r in stores.graph.releases()] == ["past", "live", "live"]


def test_the_same_id_with_other_bytes_is_refused(stores):
    stores.load(RELATIONS, release="one")
    before = stores.graph.stats()
    with pytest.raises(InputError, match="other bytes"):
        stores.load(OTHER, release="one")
    assert stores.graph.stats() == before
    stores.load(Load("concepts", [(1, "Gene|1", ["a"])]), release="one")  # an ID is unique within its source
    stores.load(Load("pubmed", [(1, "t", "a")]), release="one")
    with pytest.raises(InputError, match="other bytes"):
        stores.load(Load("pubmed", [(1, "t", "b")]), release="one")


def test_the_same_id_is_refused_for_another_store_of_the_same_home(stores):
    stores.load(RELATIONS, release="one")
    stores.graph = cypher.connect("memory:", stores.settings)
    with pytest.raises(InputError, match="other bytes"):
        stores.load(OTHER, release="one")
    stores.load(RELATIONS, release="one")
    assert len(edges_of(stores.graph)) == 1


@pytest.mark.parametrize("release", ["", "../x", "a/b", "x:y", ".hidden", "a" * 101, "é"])
def test_a_release_id_that_is_no_plain_name_is_refused(stores, release):
    with pytest.raises(InputError, match="release ID"):
        stores.load(RELATIONS, release=release)


@pytest.mark.parametrize("source", ["concepts", "documents", "pubmed", "", "../x"])
def test_reserved_and_odd_source_names_are_refused(stores, source):
    with pytest.raises(InputError):
        stores.load(Load("relations", RELATIONS.rows, source))


def test_a_home_without_the_live_snapshot_says_so_and_can_be_rebuilt(stores, tmp_path):
    stores.load(RELATIONS)
    stores.load(Load("concepts", [(1, "Gene|1", ["a"])]))
    stores.settings = Settings(home=tmp_path / "another")
    with pytest.raises(InputError, match=r"no snapshot of concepts:[0-9a-f]{12}, pubtator3:") as caught:
        stores.load(OTHER)
    assert "--rebuild" in caught.value.remedy
    receipt = stores.load(OTHER, rebuild=True)
    oracle = Oracle()
    oracle.load(OTHER)
    check(oracle, stores.graph, stores.literature)
    assert (receipt.edges.added, receipt.edges.removed) == (1, 1)
    assert (receipt.concepts.added, receipt.concepts.removed) == (1, 2)
    assert [(r.source, r.state) for r in stores.graph.releases()] == [
        ("concepts", "past"),
        ("pubtator3", "past"),
        ("pubtator3", "live"),
    ]


def test_loading_the_lost_release_again_brings_its_snapshot_back(stores, tmp_path):
    stores.load(RELATIONS)
    stores.settings = Settings(home=tmp_path / "another")
    assert stores.load(RELATIONS).edges.unchanged == 1
    assert stores.load(OTHER).edges.removed == 1


def test_releases_read_by_another_version_are_named_with_the_commands_that_load_them_again(stores, monkeypatch):
    names = Load("concepts", [(1, "Gene|1", ["a"])])
    files = [(load.kind, stores.load(load).files[0].path) for load in (names, RELATIONS)]
    for module in ("snapshot", "kinds", "merged"):
        monkeypatch.setattr(f"ingest.{module}.{'normalise.' * (module == 'kinds')}RULES", -1)
    for load, left in ((OTHER, files), (names, files[1:])):
        with pytest.raises(InputError, match="another version of this program read the files") as caught:
            stores.load(load)
        commands = caught.value.remedy.partition(": ")[2].split("; ")
        assert [command.split()[:4] for command in commands] == [["truthhypo", "ingest", *file] for file in left]
    assert stores.load(RELATIONS).edges.unchanged == 1
    assert stores.load(OTHER).edges.removed == 1


def test_a_damaged_snapshot_is_named_and_repaired_by_loading_its_files_again(stores):
    receipt = stores.load(RELATIONS)
    (table,) = stores.settings.home.glob("snapshots/pubtator3/*/edges.parquet")
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(DamagedStore, match=str(table)) as caught:
        stores.load(OTHER)
    assert receipt.files[0].path in caught.value.remedy
    assert stores.load(RELATIONS).edges.unchanged == 1


def test_nothing_is_left_in_the_work_and_pending_folders(stores):
    stores.load(RELATIONS)
    left = stores.settings.home / "work" / "run-left"
    left.mkdir()
    (left / "rows.parquet").write_bytes(b"of a killed run")
    stores.load(OTHER)
    assert not left.exists()
    assert [path.name for path in (stores.settings.home / "work").iterdir()] == ["sweep.lock"]
    assert not list((stores.settings.home / "pending").glob("*@*"))


def rows(good: int, bad: int) -> list:
    return [(n + 1, "treat" if n < good else "heal", "Chemical|MESH:D1", "Disease|MESH:D1") for n in range(good + bad)]


@pytest.mark.parametrize(
    ("good", "bad", "allowed", "refused"),
    [
        (1, 100, None, False),
        (1, 101, None, True),
        (19_800, 200, None, False),
        (19_799, 201, None, True),
        (1, 1, 0, True),
        (5, 5, 5, False),
        (0, 3, None, True),
        (0, 3, 10, True),
    ],
)
def test_too_many_rejects_change_nothing(stores, good, bad, allowed, refused):
    stores.load(RELATIONS)
    before = stores.graph.stats()
    load = Load("relations", rows(good, bad))
    if not refused:
        receipt = stores.load(load, max_rejects=allowed)
        shape = receipt.to_dict()
        assert stores.graph.stats() != before
    else:
        with pytest.raises(TooManyRejects) as caught:
            stores.load(load, max_rejects=allowed)
        shape = caught.value.receipt
        assert stores.graph.stats() == before
        assert not list(stores.settings.home.glob("snapshots/*/" + str(shape["release"])))
    assert shape["rows"] == {"read": good + bad, "kept": good, "rejected": bad}
    assert shape["rejected_by_reason"] == {"unknown_relation": bad}
    lines = Path(shape["rejects_file"]).read_text("utf-8").splitlines()
    assert [int(line.split("\t")[1]) for line in lines] == list(range(good + 1, good + bad + 1))


def test_a_refusal_names_the_number_that_would_allow_it(stores):
    with pytest.raises(TooManyRejects) as caught:
        stores.load(Load("relations", rows(1, 101)))
    allowed = int(caught.value.remedy.partition("--max-rejects ")[2])
    assert stores.load(Load("relations", rows(1, 101)), max_rejects=allowed).rows.rejected == 101


def test_a_refusal_tells_that_mentions_without_an_id_are_usual_in_entity_files(stores):
    names = [(1, "Chemical|MESH:D000001", ["aspirin"]), *[(1, "Chemical|-", ["BE9"])] * 101]
    with pytest.raises(TooManyRejects) as caught:
        stores.load(Load("concepts", names))
    assert "without an id" in caught.value.remedy
    assert "--max-rejects 101" in caught.value.remedy
