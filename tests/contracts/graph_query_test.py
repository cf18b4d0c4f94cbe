"""Free queries: the same answer on every store, read-only, limited."""

import json
from itertools import pairwise

import pytest

import cypher
from groundwork.errors import InputError, QueryRefused, SizeLimit, TimeLimit
from tests.contracts.graphs import ASPIRIN, COX1, EXAMPLE, ODD, PAIN, concept, edge, fill, stored


def test_a_query_returns_columns_and_rows(graph):
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3))])
    table = graph.query(
        "MATCH (a:Concept {key: $key})-[r]-(b:Concept) RETURN b.key AS key, r.articles AS n, r.pmids AS pmids "
        "ORDER BY n DESC, key LIMIT 2",
        {"key": ASPIRIN},
    )
    assert table.columns == ("key", "n", "pmids")
    assert table.rows == ((PAIN, 3, [100, 200, 300]), ("Gene|5743", 2, [160, 260]))
    assert not table.truncated


def test_nodes_edges_and_paths_come_as_plain_dicts(graph):
    fill(graph, EXAMPLE, [concept(ASPIRIN, ("aspirin", 3), ("ASA", 1))])
    table = graph.query("MATCH p = (a:Concept {key: $a})-[r:TREAT]->(b:Concept) RETURN a, r, p", {"a": ASPIRIN})
    ((node, link, path),) = table.rows
    assert node == {
        "key": ASPIRIN,
        "id": "MESH:D001241",
        "type": "Chemical",
        "name": "aspirin",
        "synonyms": ["aspirin", "ASA"],
        "counts": [3, 1],
        "mentions": 4,
    }
    assert link == {
        "type": "TREAT",
        "pmids": [100, 200, 300],
        "articles": 3,
        "first_pmid": 100,
        "last_pmid": 300,
        "belief": pytest.approx(0.923, abs=1e-15),
        "changed_in": "r1",
    }
    assert path["nodes"][0] == node and path["nodes"][1]["key"] == PAIN and path["edges"] == [link]
    assert json.loads(json.dumps(table.to_dict(), allow_nan=False))["rows"][0][0]["name"] == "aspirin"


def test_a_query_sees_only_the_graph(graph):
    fill(graph, EXAMPLE, similar=[("m", ASPIRIN, COX1, 0.5)], contradictions=[(ASPIRIN, COX1, "s")])
    assert graph.query("MATCH (n) WHERE n.key IS NOT NULL RETURN count(n) AS n").rows == ((5,),)
    assert graph.query("MATCH (n)-[r]->() RETURN count(r) AS n").rows == ((len(EXAMPLE) + 2,),)
    kinds = graph.query("MATCH (:Concept)-[r:SIMILAR_TO|CONTRADICTS]->(:Concept) RETURN count(r) AS n")
    assert kinds.rows == ((2,),)


def test_odd_values_pass_as_parameters(graph):
    fill(graph, [edge(a, "associate", b, 1) for a, b in pairwise(ODD)])
    for key in ODD:
        assert graph.query("MATCH (c:Concept {key: $key}) RETURN c.key AS key", {"key": key}).rows == ((key,),)


@pytest.mark.parametrize(("limit", "shown", "truncated"), [(0, 0, True), (4, 4, True), (5, 5, False), (9, 5, False)])
def test_rows_are_limited_and_truncation_is_exact(graph, limit, shown, truncated):
    table = fill(graph, EXAMPLE).query("MATCH (c:Concept) RETURN c.key AS key", limit=limit)
    assert (len(table.rows), table.truncated) == (shown, truncated)


def test_the_setting_limits_the_rows_of_every_query(graph_address, settings):
    graph = fill(cypher.connect(graph_address, settings.model_copy(update={"row_limit": 3})), EXAMPLE)
    asked = "MATCH (c:Concept) RETURN c.key AS key"
    for limit in (None, 3):
        table = graph.query(asked, limit=limit)
        assert (len(table.rows), table.truncated) == (3, True)
    for limit in (4, 10_000, -1):
        with pytest.raises(InputError, match="setting row_limit"):
            graph.query(asked, limit=limit)
    graph.close()


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (c:Concept {key: 'x'})",
        "MATCH (c:Concept) SET c.name = 'x' RETURN c.key",
        "MATCH (c:Concept) DETACH DELETE c",
        "CALL db.labels()",
        "RETURN 1; RETURN 2",
        "COPY (MATCH (n) RETURN n) TO '/tmp/x.csv'",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (c) WHERE EXISTS { MATCH (c) SET c.x = 1 } RETURN c",
    ],
)
def test_queries_that_do_more_than_read_are_refused(graph, query):
    fill(graph, EXAMPLE)
    with pytest.raises(QueryRefused):
        graph.query(query)
    assert len(stored(graph)) == len(EXAMPLE)


@pytest.mark.parametrize("query", ["MATCH (c RETURN c", "RETURN nothing_like_it(1)", "MATCH (c:Concept) RETURN d", ""])
def test_queries_that_cannot_be_parsed_are_bad_input(graph, query):
    with pytest.raises(InputError):
        fill(graph, EXAMPLE).query(query)


CALLING = "MATCH (c:Concept {key: $key}) CALL { WITH c MATCH (c)-[:TREAT]-(d) RETURN count(d) AS n } RETURN n"
COLLECTING = "MATCH (c:Concept {key: $key}) RETURN size(COLLECT { MATCH (c)-[:TREAT]-(d) RETURN d.key }) AS n"
WAYS = [
    "MATCH (c:Concept {key: $key}) RETURN COUNT { MATCH (c)-[:TREAT]-(d) } AS n",
    "MATCH (c:Concept {key: $key}) WITH c MATCH (c)-[:TREAT]-(d) RETURN count(d) AS n",
    "MATCH (c:Concept {key: $key}), (d:Concept) WHERE EXISTS { MATCH (c)-[:TREAT]-(d) } RETURN count(d) AS n",
]


@pytest.mark.parametrize("query", [CALLING, COLLECTING])
def test_a_subquery_works_or_is_refused_with_a_workaround(graph, graph_address, query):
    fill(graph, EXAMPLE)
    treated = sum(edge.relation == "treat" and ASPIRIN in (edge.head, edge.tail) for edge in EXAMPLE)
    assert all(graph.query(way, {"key": ASPIRIN}).rows == ((treated,),) for way in WAYS)
    if graph_address.startswith(("embedded:", "memory:")):
        with pytest.raises(InputError, match="subquery") as refused:
            graph.query(query, {"key": ASPIRIN})
        assert "EXISTS" in refused.value.wanted
        assert "COUNT" in refused.value.wanted
        assert "Neo4j" in refused.value.remedy
    else:
        assert graph.query(query, {"key": ASPIRIN}).rows == ((treated,),)


def test_a_name_spelled_like_a_subquery_is_not_a_subquery(graph):
    assert graph.query("RETURN {call: 1} AS collect, [1] AS n").rows == (({"call": 1}, [1]),)


def test_a_missing_parameter_is_named(graph):
    with pytest.raises(InputError, match=r"\$key"):
        fill(graph, EXAMPLE).query("MATCH (c:Concept {key: $key}) RETURN c", {"other": 1})
    assert graph.query("RETURN $a AS a, $b AS b", {"a": [1, 2], "b": "x", "unused": 2}).rows == (([1, 2], "x"),)


def test_a_query_over_the_time_limit_is_stopped_and_the_error_names_the_limit(graph_address, settings):
    graph = cypher.connect(graph_address, settings.model_copy(update={"graph_timeout": 0.5}))
    fill(graph, [], [concept(f"Gene|{n}") for n in range(300)])
    with pytest.raises(TimeLimit, match="graph_timeout"):
        graph.query(
            "MATCH (a:Concept), (b:Concept), (c:Concept), (d:Concept) WHERE a.key + b.key < c.key + d.name RETURN count(*)"
        )
    assert graph.query("RETURN 1 AS one").rows == ((1,),)
    graph.close()


@pytest.mark.parametrize(
    ("query", "size"), [("UNWIND range(1, 400) AS x RETURN 'abcdefgh' AS text", 400), ("RETURN $text AS text", 9000)]
)
def test_an_answer_over_the_size_limit_is_stopped_and_the_error_names_the_limit(graph_address, settings, query, size):
    graph = cypher.connect(graph_address, settings.model_copy(update={"answer_bytes": 3000}))
    with pytest.raises(SizeLimit, match="answer_bytes"):
        graph.query(query, {"text": "a" * size})
    assert graph.query("RETURN $text AS text", {"text": "a" * 2000}).rows == (("a" * 2000,),)
    graph.close()


def test_explain_is_accepted(graph):
    fill(graph, EXAMPLE).query("EXPLAIN MATCH (c:Concept) RETURN c")


@pytest.mark.parametrize("value", [float("nan"), [1.0, float("inf")], {"a": [float("-inf")]}])
def test_nan_and_infinite_parameters_are_refused(graph, value):
    with pytest.raises(InputError, match="finite"):
        graph.query("RETURN $x AS x", {"x": value})


@pytest.mark.parametrize("value", [[{"a": 1}, {"b": 2}], [1, "a"], {"m": [[1], "b"]}])
def test_a_parameter_is_passed_on_unchanged_or_refused(graph, value):
    try:
        rows = graph.query("RETURN $x AS x", {"x": value}).rows
    except InputError as error:
        assert "lists of values with one type" in str(error)
    else:
        assert rows == ((value,),)
