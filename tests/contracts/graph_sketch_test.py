"""The Cypher that comes with chains, pasted into a real Neo4j: the same paths in the same order."""

import pytest
from neo4j import GraphDatabase

import cypher
from cypher.sketch import literal
from tests.contracts.conftest import emptied
from tests.contracts.graphs import ASPIRIN, EXAMPLE, FEVER, ODD, PAIN, edge, fill

pytestmark = pytest.mark.servers

EDGES = (
    *EXAMPLE,
    edge(ODD[3], "treat", ODD[4], 5, 7),
    edge(ODD[4], "cause", ODD[5], 6),
    edge(ODD[5], "associate", ODD[6], 6),
    edge(PAIN, "associate", FEVER, 10, 500),
)
SIMILAR = (("m", ASPIRIN, FEVER, 0.4), ("m", ODD[3], ODD[5], 0.1))


@pytest.fixture(scope="module")
def server(neo4j_address):
    from groundwork.settings import Settings

    graph = fill(cypher.connect(emptied(neo4j_address), Settings()), EDGES, similar=SIMILAR)
    with GraphDatabase.driver(neo4j_address) as driver:
        yield graph, driver
    graph.close()


@pytest.mark.parametrize("rank", ["evidence", "dwpc", "hops"])
@pytest.mark.parametrize(
    ("head", "tail", "hops", "before", "similar"),
    [
        (ASPIRIN, PAIN, 2, None, None),
        (PAIN, ASPIRIN, 4, None, None),
        (ASPIRIN, FEVER, 3, 200, 0.9),
        (ODD[3], ODD[6], 4, None, 0.9),
        (ODD[6], ODD[3], 3, 6, None),
        (ASPIRIN, ODD[3], 4, None, None),
    ],
)
def test_the_sketch_gives_the_same_chains(server, head, tail, hops, before, similar, rank):
    graph, driver = server
    found = graph.chains(head, tail, hops=hops, before=before, similar=similar, rank=rank, limit=8)
    rows = driver.execute_query(found.cypher).records
    walked = [
        (tuple(node["key"] for node in row["path"].nodes), tuple(r.type.lower() for r in row["path"].relationships))
        for row in rows
    ]
    wanted = [((c.hops[0].head, *(h.tail for h in c.hops)), tuple(h.relation for h in c.hops)) for c in found.chains]
    assert [row["score"] for row in rows] == pytest.approx([chain.score for chain in found.chains], rel=1e-11)
    # Chains may be in another order only if their scores differ in the last bits alone.
    assert sorted(walked) == sorted(wanted) or found.truncated
    if rank == "hops":
        assert walked == wanted


@pytest.mark.parametrize("text", [*ODD, "", "\\", "'", "\\'", "a\nb\r\tc", "$x", "{x}", "\u2028"])
def test_a_text_literal_is_read_back_unchanged(server, text):
    _, driver = server
    assert driver.execute_query(f"RETURN {literal(text)} AS text").records[0]["text"] == text
