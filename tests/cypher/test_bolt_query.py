"""Free queries on a real Neo4j: what the guard allows, what the server refuses, and how values are returned."""

import pytest

from cypher.bolt.graph import BoltGraph
from groundwork.errors import InputError, QueryRefused, SizeLimit, TimeLimit
from tests.contracts.graphs import ASPIRIN, EXAMPLE, PAIN, concept, fill

pytestmark = pytest.mark.servers


@pytest.mark.parametrize(
    "cypher",
    [
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "load csv with headers from 'http://127.0.0.1/' as line return line",
        "MATCH (n) CALL { WITH n LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line } RETURN line",
        "CALL dbms.components()",
        "CALL db.index.fulltext.queryNodes('concept_forms', 'x') YIELD node RETURN node",
        "SHOW SETTINGS",
    ],
)
def test_queries_that_read_files_or_call_procedures_are_refused(bolt, cypher):
    with pytest.raises(QueryRefused):
        bolt.query(cypher)


@pytest.mark.parametrize(
    "cypher",
    [
        "CREATE (n:Concept {key: 'Gene|1'})",
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) SET n.key = 'x'",
        "CREATE INDEX foo FOR (n:Concept) ON (n.name)",
    ],
)
def test_the_server_refuses_writes_too(bolt, cypher):
    """Even without the guard, transactions are read-only."""
    fill(bolt, EXAMPLE)
    with pytest.raises((QueryRefused, InputError)):
        bolt.server.free(cypher, {}, 10)
    assert bolt.stats().edges and not bolt.query("MATCH (c:Concept {key: 'x'}) RETURN c").rows


def test_nodes_edges_and_paths_come_back_as_plain_values(bolt):
    fill(bolt, EXAMPLE, [concept(ASPIRIN, ("aspirin", 2))])
    ((node, edge, path, many),) = bolt.query(
        "MATCH p = (a:Chemical {key: $a})-[r]->(b {key: $b}) RETURN a, r, p, {list: [a, 1.5, null, true]}",
        {"a": ASPIRIN, "b": PAIN},
    ).rows
    assert node["key"] == ASPIRIN and node["synonyms"] == ["aspirin"] and "forms" not in node
    assert edge["type"] == "TREAT" and edge["pmids"] == [100, 200, 300]
    assert [step["key"] for step in path["nodes"]] == [ASPIRIN, PAIN] and path["edges"] == [edge]
    assert many == {"list": [node, 1.5, None, True]}


def test_times_come_back_as_iso_text(bolt):
    (row,) = bolt.query(
        "RETURN date('2026-08-01'), datetime('2026-08-01T12:00:00Z'), localtime('12:30'), duration('P1DT2H'), 0.0 / 0.0"
    ).rows
    assert row == ("2026-08-01", "2026-08-01T12:00:00.000000000+00:00", "12:30:00.000000000", "P1DT2H", None)


@pytest.mark.parametrize(
    ("cypher", "parameters"),
    [
        ("MATCH (c:Concept RETURN c", {}),
        ("MATCH (c:Concept) RETURN d", {}),
        ("RETURN $x", {}),
        ("RETURN 1 / 0", {}),
        ("RETURN $x", {"x": 2**70}),
        ("RETURN $x", {"x": "\udc80"}),
        ("RETURN date('tomorrow')", {}),
    ],
)
def test_mistakes_in_a_query_are_input_errors(bolt, cypher, parameters):
    with pytest.raises(InputError):
        bolt.query(cypher, parameters)


def test_a_long_query_is_stopped_and_the_limit_is_named(bolt, settings):
    hasty = BoltGraph(bolt.address, settings.model_copy(update={"graph_timeout": 0.2}))
    with pytest.raises(TimeLimit, match=r"0\.2 s") as caught:
        hasty.query("UNWIND range(1, 1000000000) AS x WITH x WHERE x % 7 = 8 RETURN count(x)")
    assert "graph_timeout" in str(caught.value)
    hasty.close()


@pytest.mark.parametrize(
    ("opening", "middle", "closing", "most"),
    [
        ("NOT ", "true", "", 100),
        ("[", "1", "]", 100),
        ("{a: ", "1", "}", 100),
        ("abs(", "1", ")", 100),
        ("CASE 1 WHEN 1 THEN ", "1", " END", 100),
        ("EXISTS { MATCH (n:Chemical) WHERE ", "true", " }", 10),
        ("COUNT { MATCH (n:Chemical) WHERE 0 < ", "1", " }", 10),
    ],
)
def test_nesting_is_accepted_up_to_a_depth_that_neo4j_can_handle(bolt, opening, middle, closing, most):
    """Deeper queries overflow Neo4j's stack, or keep one of its cores busy long after the time limit."""

    def nested(levels):
        return f"RETURN {opening * levels}{middle}{closing * levels} AS found"

    assert len(bolt.query(nested(most)).rows) == 1
    with pytest.raises(InputError, match=f"(at most|deeper than|more than) {most}"):
        bolt.query(nested(most + 1))


def test_a_long_flat_chain_ends_at_the_limit_and_the_next_query_is_answered(bolt, settings):
    hasty = BoltGraph(bolt.address, settings.model_copy(update={"graph_timeout": 1.0}))
    with pytest.raises(TimeLimit, match="graph_timeout"):
        hasty.query("RETURN " + "+".join(["1"] * 40_000) + " AS sum")
    assert hasty.query("RETURN 1 AS one").rows == ((1,),)
    hasty.close()


def test_a_query_over_the_servers_memory_is_reported_at_once_and_the_setting_named(bolt, settings):
    patient = BoltGraph(bolt.address, settings.model_copy(update={"graph_timeout": 300.0}))
    with pytest.raises(SizeLimit, match=r"db\.memory\.transaction\.max"):
        patient.query(
            "UNWIND range(1, 3000) AS x RETURN size(collect(reduce(s=toString(x), i IN range(1, 18) | s + s)))"
        )
    assert patient.query("RETURN 1 AS one").rows == ((1,),)
    patient.close()


def test_explain_runs_nothing_and_gives_no_rows(bolt):
    assert bolt.query("EXPLAIN MATCH (c:Concept) RETURN c.key AS key").rows == ()
