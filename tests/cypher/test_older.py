"""A graph that an earlier version of the program kept in a ladybug database is carried over when it is first used."""

from contextlib import closing
from dataclasses import replace

import pytest

import cypher
from groundwork.errors import DamagedStore, StoreError
from groundwork.records import Concept
from tests.contracts.graphs import ASPIRIN, EXAMPLE, FEVER, PAIN, edge, fill, release, stored
from tests.cypher.older import make_older
from tests.cypher.test_embedded import as_somebody_else, guarded

__all__ = ["guarded"]

GENE = Concept("Gene|7157", "TP53", ("TP53",), (3,), "9606", "tumor protein p53")
LACKING = ("ALTER TABLE Release DROP similarity", "ALTER TABLE Concept DROP organism")


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "graph"


@pytest.fixture
def opened(folder, settings):
    def connected(**options):
        return closing(cypher.connect(f"embedded:{folder}", settings, **options))

    with connected() as graph:
        fill(graph, EXAMPLE, [GENE], [("m", ASPIRIN, PAIN, 0.5)], [(ASPIRIN, FEVER, "opposites")])
        fill(graph, [edge(ASPIRIN, "cause", PAIN, 7)], release="r2")
        graph.put_release(release("pubtator3", "old"))
    return connected


def content(graph):
    changed = graph.query("MATCH ()-[r]->() WHERE r.articles > 0 RETURN r.changed_in, count(r) ORDER BY r.changed_in")
    return graph.stats(), stored(graph), list(graph.beside()), list(graph.every_concept()), changed.rows


@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize("changes", [(), LACKING])
def test_an_older_graph_is_carried_over_by_its_first_reader_or_load(opened, folder, settings, changes, noted):
    with opened() as graph:
        wanted = content(graph)
        if changes:
            wanted[3][[one.key for one in wanted[3]].index(GENE.key)] = replace(GENE, organism="")
    make_older(folder, settings, changes=changes, noted=noted)
    with opened(read_only=True) as reader:
        assert content(reader) == wanted
        assert reader.find("tp53").concepts[0].key == GENE.key
    assert sorted(path.name.partition("-")[0] for path in folder.iterdir()) == ["drawn", "graph.json", "lock", "state"]
    make_older(folder, settings)
    with opened() as graph:
        fill(graph, [], [GENE])
        assert graph.stats().edges == wanted[0].edges


def test_an_older_graph_that_is_damaged_or_of_another_format_is_refused(opened, folder, settings):
    make_older(folder, settings)
    database = (folder / "graph.lbug").read_bytes()
    for name, harmed, error, told in (
        ("graph.lbug", database[:-1] + b"\xff", DamagedStore, "ingest rebuild"),
        ("graph.lbug", database[:4096], DamagedStore, "ingest rebuild"),
        ("manifest.json", b"{", DamagedStore, "ingest rebuild"),
        ("format", b"0", StoreError, "load the files again"),
    ):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(harmed)
        for use in (lambda graph: graph.stats(), lambda graph: fill(graph, EXAMPLE)):
            with opened() as graph, pytest.raises(error) as refused:
                use(graph)
            assert told in refused.value.remedy
        (folder / name).write_bytes(whole)
    with opened() as graph:
        assert len(stored(graph)) == len(EXAMPLE) + 1


@pytest.mark.filterwarnings("ignore::groundwork.errors.AtlasMissing")
def test_an_older_graph_that_cannot_be_written_is_read(guarded, settings):
    guarded.chmod(0o755)
    folder = guarded / "graph"
    with closing(cypher.connect(f"embedded:{folder}", settings)) as graph:
        fill(graph, EXAMPLE)
    make_older(folder, settings)
    for path in (*folder.rglob("*"), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)

    def look_up():
        with closing(cypher.connect(f"embedded:{folder}", settings, read_only=True)) as graph:
            raise StoreError(f"{graph.chains(ASPIRIN, PAIN).total} chains, {len(stored(graph))} edges")

    assert as_somebody_else(look_up) == "StoreError: 4 chains, 9 edges"
    folder.chmod(0o755)
