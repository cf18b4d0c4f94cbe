"""A first load through the real importer: stop the server, import, start the server, run the same command again.

All these tests are slow. Runs that are killed at each step are tested without a server, in test_offline_steps.py.
"""

import shlex
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from neo4j import GraphDatabase

import cypher
import ingest
from cypher.bolt.server import CONSTRAINTS, ONLINE, OVER_CONCEPTS, OVER_EDGES
from groundwork.errors import InputError, Refused
from groundwork.settings import Settings
from tests.contracts.conftest import emptied
from tests.ingest.oracle import Load, Oracle, concepts_of, edges_of
from tests.servers import neo4j
from tests.servers.errors import UnavailableError
from tests.servers.fixtures import in_ci

pytestmark = [pytest.mark.servers, pytest.mark.slow]

ODD = (
    'Mutation|it\'s "quoted", `ticked`; with\\backslash',
    "Mutation|β-αμ 数 é 🧬",
    "SNP|RS#:1;CorrespondingGene:672",
    "Mutation|two  blanks inside",
)
ROWS = [(n, "treat", f"Chemical|MESH:D{n % 7}", f"Gene|{n % 11}") for n in range(1, 60)]
ROWS += [(n, "cause", key, "Gene|1") for key in ODD for n in range(1, 4)] + [(9, "associate", "Gene|1", "Gene|1")]
NEXT = [*ROWS[5:], (99, "treat", "Chemical|MESH:D1", "Gene|404")]


class Offline:
    """A HOME, its own server, which is stopped unless `running`, and loads into this server."""

    def __init__(self, folder: Path, server: Path, admin: str) -> None:
        self.folder, self.server = folder, server
        self.address = "bolt://127.0.0.1:1"  # no server listens here
        self.settings = Settings(home=folder / "home", neo4j_admin=admin, neo4j_home=str(server) if admin else "")
        self.file = Load("relations", ROWS).write(folder)

    def load(self, file: Path | None = None, *, online: bool = False, **options):
        importer = None if online else cypher.bulk_import(self.address, self.settings)
        with closing(cypher.connect(self.address, self.settings)) as graph:
            return ingest.load_relations([file or self.file], graph, self.settings, offline=importer, **options)

    @contextmanager
    def running(self):
        with neo4j.start(home=self.server, heap="512m", quick=True) as started:
            self.address = started.address
            try:
                with closing(cypher.connect(started.address, self.settings)) as graph:
                    yield graph
            finally:
                self.address = "bolt://127.0.0.1:1"

    @property
    def plans(self) -> list[Path]:
        return list((self.settings.home / "pending").glob("*@*"))


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A server's home that was never started."""
    home = tmp_path_factory.mktemp("server")
    (home / "conf").mkdir()
    return home


@pytest.fixture
def admin(template) -> str:
    """The command of the real neo4j-admin."""
    try:
        words = neo4j.admin_command(template)
    except UnavailableError as error:
        (pytest.fail if in_ci() else pytest.skip)(str(error))
    return shlex.join([word for word in words[1:] if not word.startswith("NEO4J_")])


@pytest.fixture
def offline(tmp_path, admin) -> Offline:
    (tmp_path / "server" / "conf").mkdir(parents=True)
    return Offline(tmp_path, tmp_path / "server", admin)


def expected(rows) -> Oracle:
    oracle = Oracle()
    oracle.load(Load("relations", rows))
    return oracle


def everything(address: str) -> tuple[list, list]:
    """Return all nodes and relationships of Neo4j with labels, types and properties, except load times and leases."""
    node = "MATCH (n) WHERE NOT n:Lease RETURN labels(n) AS labels, n {.*, loaded_at: null} AS properties"
    link = "MATCH (a)-[r]->(b) RETURN a.key, type(r), b.key, properties(r) AS properties"
    with GraphDatabase.driver(address) as driver:
        nodes, links = ([record.values() for record in driver.execute_query(query).records] for query in (node, link))
    found = [(sorted(labels), properties) for labels, properties in nodes]
    return sorted(found, key=lambda node: node[1].get("key", "")), sorted(links, key=lambda link: link[:3])


def test_the_importer_takes_every_row_and_is_not_run_again(offline):
    receipt = offline.load()
    assert receipt.offline.step == "imported"
    assert "start the server" in receipt.offline.next
    assert receipt.verified is None
    assert (receipt.edges.total, receipt.concepts.total) == (
        len(expected(ROWS).edges()),
        len(expected(ROWS).concepts()),
    )
    (database,) = (offline.server / "data" / "databases").glob("neo4j")
    imported = {file: file.stat().st_mtime_ns for file in database.iterdir()}
    assert imported
    again = offline.load()
    assert (again.offline.step, again.edges) == ("imported", receipt.edges)
    assert {file: file.stat().st_mtime_ns for file in database.iterdir()} == imported


def test_a_graph_loaded_offline_is_the_one_loaded_online(offline, neo4j_address):
    with offline.file.open("a") as file:
        file.write("no row\n")
    receipt = offline.load()
    with offline.running() as graph:
        assert [release.state for release in graph.releases()] == ["loading"]
        finished = offline.load()
        assert finished.offline is None
        assert finished.edges == receipt.edges
        assert (finished.rows, finished.rejected_by_reason) == (receipt.rows, receipt.rejected_by_reason)
        # The files were not read again. A second reading would have made a new file of rejects.
        assert (finished.files, finished.rejects_file) == (receipt.files, receipt.rejects_file)
        assert finished.rows.rejected == 1
        assert finished.verified.edges == receipt.edges.total
        assert [release.state for release in graph.releases()] == ["live"]
        assert not offline.plans
        indexed = {name for name, _, state in graph.server.read("indexes") if state == ONLINE}
        assert {index.name for index in (*CONSTRAINTS, *OVER_CONCEPTS, *OVER_EDGES)} <= indexed
        assert edges_of(graph) == expected(ROWS).edges()
        assert concepts_of(graph) == expected(ROWS).concepts()
        assert [match.key for match in graph.find("β-αμ 数 é 🧬").concepts] == [ODD[1]]
        found = everything(graph.address)
        again = offline.load(online=True)
        assert again.edges.unchanged == again.edges.total
        with pytest.raises(InputError, match="contains a graph already"):
            offline.load()
        offline.load(Load("relations", NEXT).write(offline.folder), online=True)
        assert edges_of(graph) == expected(NEXT).edges()
    with closing(cypher.connect(emptied(neo4j_address), offline.settings)) as online:
        ingest.load_relations([offline.file], online, offline.settings)
        assert everything(neo4j_address) == found


def test_another_load_finishes_what_was_imported(offline):
    offline.load()
    other = Load("relations", [(1, "cause", "Chemical|MESH:D1", "Gene|500")], "other")
    with offline.running() as graph:
        ingest.load_relations([other.write(offline.folder)], graph, offline.settings, source="other")
        assert {release.source: release.state for release in graph.releases()} == {"pubtator3": "live", "other": "live"}
        both = expected(ROWS)
        both.load(other)
        assert edges_of(graph) == both.edges()
        assert not offline.plans


def test_a_database_that_is_there_is_overwritten_only_when_told_to(offline):
    offline.load()
    following = Load("relations", NEXT).write(offline.folder)
    with pytest.raises(InputError, match="already has a database neo4j") as caught:
        offline.load(following)
    assert "--rebuild" in caught.value.remedy
    assert offline.load(following, rebuild=True).offline.step == "imported"
    with offline.running() as graph:
        offline.load(following)
        assert edges_of(graph) == expected(NEXT).edges()


def test_an_import_that_lost_rows_is_reported_when_the_server_runs(offline):
    offline.load()
    with offline.running() as graph:
        with GraphDatabase.driver(graph.address) as driver:
            driver.execute_query("MATCH ({key: 'Chemical|MESH:D1'})-[r:TREAT]->() DELETE r")
        with pytest.raises(Refused, match="treat edges: expected"):
            offline.load()
        assert [release.state for release in graph.releases()] == ["loading"]
        receipt = offline.load(rebuild=True)
        assert edges_of(graph) == expected(ROWS).edges()
        assert receipt.verified.edges == len(expected(ROWS).edges())
        assert [release.state for release in graph.releases()] == ["live"]
