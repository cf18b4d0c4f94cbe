"""The main commands on real Neo4j and Elasticsearch give the same answers as on the embedded stores."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from neo4j import GraphDatabase

from groundwork.settings import Settings
from tests.faults.tunnel import Cut, tunnel
from tests.truthhypo.conftest import SAMPLE
from tests.truthhypo.serving import serving
from truthhypo.faces.demo import load_sample
from truthhypo.world import World

pytestmark = pytest.mark.servers

LOADS = [
    ("relations", "relation2pubtator3.tsv"),
    ("concepts", "bioconcepts2pubtator3.tsv"),
    ("documents", "documents.pubtator"),
    ("pubmed", "pubmed.xml"),
]

#: Commands whose whole JSON must be the same on every store.
SAME = [
    ["graph", "chains", "simvastatin", "cholesterol", "--hops", "3"],
    ["graph", "chains", "metformin", "type 2 diabetes mellitus", "--hops", "3", "--rank", "dwpc", "--limit", "5"],
    ["graph", "chains", "captopril", "aspirin", "--hops", "4", "--rank", "hops", "--before", "990000025"],
    ["graph", "edges", "warfarin", "thrombosis", "VKORC1"],
    ["graph", "find", "insulin"],
    ["graph", "find", "simvastatine"],
    ["risk", "Simvastatin lowers cholesterol. Aspirin causes myocardial infarction."],
    ["risk", "Warfarin prevents thrombosis.", "--before", "990000025", "--hops", "4", "--contradiction", "inverted"],
    ["literature", "get", "990000005", "990000202"],
    ["hypothesize", "simvastatin", "HMGCR", "--setting", "kg"],
    ["cite", "Aspirin causes myocardial infarction.", "--pmid", "990000005", "--pmid", "990000201", "--pmid", "4"],
]


@pytest.fixture(scope="module")
def servers(neo4j_address, elasticsearch_address, tmp_path_factory) -> Settings:
    """Settings for both servers: an emptied graph and an index for this module alone, both with the sample release."""
    with GraphDatabase.driver(neo4j_address) as driver:
        driver.execute_query("MATCH (n) DETACH DELETE n")
    settings = Settings(
        home=tmp_path_factory.mktemp("servers-home"),
        graph=neo4j_address,
        literature=elasticsearch_address,
        literature_index=f"walk-{uuid4().hex[:8]}",
    )
    with World(settings, read_only=False) as world:
        load_sample(world)
    return settings


@pytest.fixture
def on_servers(command, servers, monkeypatch):
    """The command against both servers."""
    monkeypatch.setenv("TRUTHHYPO_LITERATURE_INDEX", servers.literature_index)
    stores = ["--home", servers.home, "--graph", servers.graph, "--literature", servers.literature]
    return lambda *argv: command(*stores, *argv)


@pytest.fixture
def embedded(command, sample_home):
    return lambda *argv: command("--home", sample_home, *argv)


def test_the_graph_is_the_same_edge_for_edge(on_servers, embedded):
    there, here = on_servers("graph", "stats").json, embedded("graph", "stats").json
    assert there["digest"] == here["digest"]
    assert there["concepts"] == here["concepts"]
    assert there["edges"] == here["edges"]


@pytest.mark.parametrize("argv", SAME, ids=lambda argv: " ".join(argv[:2]))
def test_answers_are_the_same(on_servers, embedded, argv):
    assert on_servers(*argv).json == embedded(*argv).json


def test_search_finds_the_same_documents_with_the_same_scores(on_servers, embedded):
    query = ["literature", "search", "aspirin reduces the risk of infarction", "-k", "10", "--before", "990000201"]
    there, here = on_servers(*query).json, embedded(*query).json
    assert [hit["pmid"] for hit in there["hits"]] == [hit["pmid"] for hit in here["hits"]]
    for a, b in zip(there["hits"], here["hits"], strict=True):
        assert a["score"] == pytest.approx(b["score"], rel=1e-4)
    assert there["index"]["documents"] == here["index"]["documents"]


def test_verdicts_are_the_same(on_servers, embedded):
    statements = (SAMPLE / "statements.txt").read_text("utf-8").replace("\n", " ")
    there, here = on_servers("ground", statements).json, embedded("ground", statements).json
    assert [claim["verdicts"] for claim in there["claims"]] == [claim["verdicts"] for claim in here["claims"]]
    assert [claim["verdicts"]["both"] for claim in there["claims"]] == ["supported", "contradicted", "not_enough"]


GROUND = [
    [],
    ["--hops", "3"],
    ["--before", "990000105", "--k", "3"],
    ["--tau", "2.5"],
    ["--exclude-retracted"],
    ["--evidence-tokens", "150", "--hops", "2"],
]


def scores_apart(report):
    """Return a report without its BM25 scores, and the scores. They may differ, as stores add them in single
    precision."""
    passages = [passage for claim in report["claims"] for passage in claim["evidence"]["literature"]]
    return report, [passage.pop("score") for passage in passages]


@pytest.mark.parametrize("options", GROUND, ids=" ".join)
def test_ground_gives_equal_reports_except_for_rounding_of_scores(on_servers, embedded, options):
    statements = (SAMPLE / "statements.txt").read_text("utf-8").replace("\n", " ")
    more = (
        "Warfarin prevents thrombosis. Captopril is associated with aspirin. Tamoxifen reduces the growth of melanoma."
    )
    asked = ("ground", f"{statements} {more} Is it so?", *options)
    there, scored_there = scores_apart(on_servers(*asked).json)
    here, scored_here = scores_apart(embedded(*asked).json)
    assert there == here
    assert scored_there == pytest.approx(scored_here, rel=1e-4)
    pieces = [piece for claim in here["claims"] for kind in claim["evidence"].values() for piece in kind]
    assert len(pieces) > 5
    if "--hops" in options:
        assert any(claim["evidence"]["chains"] for claim in here["claims"])
    if not options or "--exclude-retracted" in options:
        retracted = [piece["pmid"] for piece in pieces if piece.get("retracted") is True]
        assert bool(retracted) is not bool(options)


def test_the_same_files_again_change_nothing(on_servers):
    for kind, file in LOADS:
        receipt = on_servers("ingest", kind, SAMPLE / file).json
        for what in ("edges", "concepts", "documents"):
            if what in receipt:
                counts = receipt[what]
                assert counts["added"] == counts["changed"] == counts["removed"] == 0, (kind, what, counts)


def test_the_next_release_replaces_the_first_and_activate_restores_it(on_servers):
    before = on_servers("graph", "stats").json["digest"]
    first = next(r for r in on_servers("ingest", "releases").json["releases"] if r["source"] == "pubtator3")
    told = on_servers("ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv")
    assert told.code == 0
    assert told.json["edges"]["added"] > 0
    assert told.json["edges"]["removed"] > 0
    assert on_servers("graph", "stats").json["digest"] != before
    assert on_servers("ingest", "activate", first["id"]).code == 0
    assert on_servers("graph", "stats").json["digest"] == before


def test_a_graph_loaded_by_an_older_version_is_completed(on_servers, servers):
    digest = on_servers("graph", "stats").json["digest"]
    with GraphDatabase.driver(servers.graph_address) as driver:
        driver.execute_query("DROP INDEX `TREAT articles`")
        driver.execute_query("MATCH (c:Concept) REMOVE c.caption, c.url")
        assert on_servers("ingest", "rebuild").json["graph"]["state"] == "server"
        [found] = driver.execute_query(
            "SHOW INDEXES YIELD name, state WHERE name = 'TREAT articles' RETURN state"
        ).records
        assert not driver.execute_query("MATCH (c:Concept) WHERE c.caption IS NULL RETURN c.key").records
    assert found["state"] == "ONLINE"
    assert on_servers("graph", "stats").json["digest"] == digest


def test_neo4j_shows_the_model_that_the_browser_colours(on_servers, servers):
    assert on_servers("graph", "stats").code == 0
    with GraphDatabase.driver(servers.graph) as driver:
        records, _, _ = driver.execute_query(
            "MATCH (c:Concept:Chemical {key: 'Chemical|MESH:D019821'})-[r:NEGATIVE_CORRELATE]-(d:Concept) "
            "WHERE d.key = 'Chemical|MESH:D002784' RETURN r.pmids AS pmids, r.articles AS articles, r.belief AS belief"
        )
    [record] = records
    assert record["pmids"] == sorted(set(record["pmids"]))
    assert record["articles"] == len(record["pmids"]) == 4
    assert record["belief"] == pytest.approx(0.9419)


@pytest.mark.slow
def test_servers_that_die_half_way_are_reported_and_come_back(servers):
    """Connections break during an answer, and later ones are refused. The service continues, over REST and over MCP."""
    looks = [
        ("/api/v1/chains", "find_chains", {"head": "simvastatin", "tail": "cholesterol"}),
        ("/api/v1/literature", "search_literature", {"q": "cholesterol"}),
    ]
    judging = "/api/v1/ground", "ground_statement", {"text": "Warfarin prevents thrombosis."}
    with tunnel(servers.graph) as to_graph, tunnel(servers.literature) as to_literature:
        ways = to_graph, to_literature
        options = ["--graph", to_graph.address, "--literature", to_literature.address]
        limits = {"graph_timeout": 2, "literature_timeout": 2, "graph_retry": 1}
        with serving(servers.home, *options, literature_index=servers.literature_index, **limits) as service:

            def statuses():
                asked = [service.client.get(path, params=given) for path, _, given in looks]
                asked.append(service.client.post(judging[0], json=judging[2]))
                told = [called(service, name, given) for _, name, given in (*looks, judging)]
                assert not any("Traceback" in each for each in (*(answer.text for answer in asked), *map(str, told)))
                return [answer.status_code for answer in asked], [each["isError"] for each in told]

            assert statuses() == ([200] * 3, [False] * 3)
            for way in ways:
                way.meets = dying(way.passed + 100)
            assert statuses() == ([503] * 3, [True] * 3)
            assert service.client.get("/health/ready").status_code == 503
            assert service.client.get("/health/live").status_code == 200
            for way, target in zip(ways, (servers.graph, servers.literature), strict=True):
                way.refusing = False
                way.lead_to(target)
            assert statuses() == ([200] * 3, [False] * 3)


def dying(at):
    """Return a function that cuts a connection once more than `at` bytes have passed."""

    def meets(passed):
        if passed > at:
            raise Cut

    return meets


def called(service, tool, arguments):
    """The result of a tool over MCP."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    return service.client.post("/mcp", json=call, headers=headers).json()["result"]


def test_the_page_of_a_judgement_is_the_same(servers, sample_home, tmp_path):
    text = (SAMPLE / "statements.txt").read_text("utf-8")
    home = shutil.copytree(sample_home, tmp_path / "home")
    stores = {"graph": servers.graph, "literature": servers.literature, "literature_index": servers.literature_index}
    seen = []
    for settings in ({}, stores):
        with serving(home, **settings) as service:
            path = service.client.post("/judge", data={"text": text}).headers["location"]
            page = service.client.get(path)
            assert page.status_code == 200
            seen.append(re.sub(r"<time .*?</time>", "", page.text).replace(path, ""))
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_the_service_answers_without_a_pause_while_a_release_is_loaded(on_servers, servers):
    """This must be the last test of the module, because it loads another release."""
    options = ["--graph", servers.graph, "--literature", servers.literature]
    with serving(servers.home, *options, literature_index=servers.literature_index) as service:
        ask = service.client.get
        before = ask("/api/v1/stats").json()
        told = on_servers("graph", "chains", "simvastatin", "cholesterol").json
        answer = ask("/api/v1/chains", params={"head": "simvastatin", "tail": "cholesterol"}).json()
        assert answer == {**told, "release": answer["release"]}
        with ThreadPoolExecutor(1) as pool:
            load = pool.submit(on_servers, "ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv")
            while not load.done():
                assert ask("/api/v1/concepts", params={"q": "insulin"}).status_code == 200
            release = f"pubtator3:{load.result().json['release']}"
        assert release not in before["release"]
        assert release in ask("/api/v1/stats").json()["release"]
        assert (
            release
            in service.client.post("/api/v1/ground", json={"text": "Warfarin prevents thrombosis."}).json()["release"]
        )
