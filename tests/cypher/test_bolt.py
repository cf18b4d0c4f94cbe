"""The content of a graph on a real Neo4j, which answers as the memory store does."""

import random
import re
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import GraphDatabase

import cypher.bolt.graph
import cypher.bolt.write
from cypher.bolt import server as indexes
from cypher.bolt import write as bolt_edges
from cypher.bolt.graph import BoltGraph
from cypher.catalog import query
from cypher.memory.graph import MemoryGraph
from cypher.names import LONGEST
from groundwork.errors import StoreError, StoreUnreachable
from groundwork.tables import concept_batch, edge_batch
from groundwork.vocabulary import CONTRADICTS, RELATIONS, SIMILAR_TO, TYPES
from tests.contracts.graphs import (
    ASPIRIN,
    COX1,
    COX2,
    EXAMPLE,
    PAIN,
    concept,
    concept_keys,
    edge,
    edge_keys,
    fill,
    links_of,
    release,
    stored,
)
from tests.cypher.queries import names

pytestmark = pytest.mark.servers


def rows(store, text, **parameters):
    """Return the rows of any query, without the guard of free queries."""
    with GraphDatabase.driver(store.address) as driver:
        return [record.values() for record in driver.execute_query(text, parameters).records]


# -- the data model, as Neo4j Browser shows it


def test_concepts_carry_their_type_as_a_label(bolt):
    snp = "SNP|rs121434568"
    fill(bolt, EXAMPLE, [concept(ASPIRIN, ("aspirin", 5), ("ASA", 2)), concept(snp)])
    found = dict(rows(bolt, "MATCH (c:Concept) RETURN c.key, labels(c)"))
    assert set(found[ASPIRIN]) == {"Concept", "Chemical"}
    assert set(found[COX1]) == {"Concept", "Gene"}
    assert set(found[snp]) == {"Concept", "SNP", "Variant"}
    ((properties,),) = rows(bolt, "MATCH (c:Chemical) RETURN properties(c)")
    assert set(properties.pop("forms")) == {"aspirin", "asa", "chemical|mesh:d001241"}
    assert properties == {
        "key": ASPIRIN,
        "id": "MESH:D001241",
        "type": "Chemical",
        "name": "aspirin",
        "synonyms": ["aspirin", "ASA"],
        "counts": [5, 2],
        "mentions": 7,
        "caption": "aspirin",
        "url": "https://meshb.nlm.nih.gov/record/ui?ui=D001241",
    }


def test_the_next_load_adds_captions_to_a_graph_of_an_older_version(bolt, monkeypatch):
    monkeypatch.setattr(cypher.bolt.write, "_CONCEPTS", 2)
    fill(bolt, EXAMPLE, [concept(ASPIRIN, ("aspirin", 5))])
    shown = "MATCH (c:Concept) WHERE c.forms IS NOT NULL RETURN c.key, c.caption, c.url ORDER BY c.key"
    wanted, answer = rows(bolt, shown), bolt.query("MATCH (c:Concept) RETURN c ORDER BY c.key").rows
    assert wanted[0] == [ASPIRIN, "aspirin", "https://meshb.nlm.nih.gov/record/ui?ui=D001241"]
    assert not {"caption", "url", "forms"} & set(answer[0][0])
    rows(bolt, "MATCH (c:Concept) REMOVE c.caption, c.url")
    rows(bolt, "CREATE (:Concept {key: 'A'}), (:Concept {key: 'Zz'})")  # concepts of another program
    assert bolt.query("MATCH (c:Concept) WHERE c.forms IS NOT NULL RETURN c ORDER BY c.key").rows == answer
    killed = OSError("killed")
    with monkeypatch.context() as patch:
        send, sent = bolt._send, []

        def once(*asked, **parameters):
            sent.append(asked)
            if len(sent) == 2:
                raise killed
            return send(*asked, **parameters)

        patch.setattr(bolt, "_send", once)
        with pytest.raises(OSError, match="killed"), bolt.writing():
            pass
    assert None in [caption for _, caption, _ in rows(bolt, shown)]
    for _ in range(2):
        with bolt.writing():
            assert rows(bolt, shown) == wanted


def test_edges_carry_their_evidence(bolt):
    fill(bolt, EXAMPLE, release="2026-01")
    found = rows(bolt, "MATCH ({key: $a})-[r]->({key: $b}) RETURN type(r), properties(r)", a=ASPIRIN, b=PAIN)
    properties = {"pmids": [100, 200, 300], "articles": 3, "first_pmid": 100, "last_pmid": 300}
    properties |= {"changed_in": "2026-01", "url": "https://pubmed.gov/?term=100,200,300"}
    assert found == [["TREAT", {**properties, "belief": pytest.approx(0.923, abs=1e-15)}]]


def test_the_statement_in_the_docs_adds_missing_urls_to_relations_only(bolt):
    edges = [edge(ASPIRIN, "treat", PAIN, *range(1, 31)), edge(ASPIRIN, "inhibit", COX2, 7), *EXAMPLE[3:5]]
    fill(bolt, edges, similar=[("m", ASPIRIN, COX1, 0.5)], contradictions=[(ASPIRIN, COX1, "s")])
    urls = "MATCH (a)-[r]->(b) RETURN a.key, type(r), b.key, r.url ORDER BY a.key, b.key, type(r)"
    wanted = rows(bolt, urls)
    assert {kind for _, kind, _, url in wanted if url is None} == {"SIMILAR_TO", "CONTRADICTS"}
    rows(bolt, "MATCH ()-[r]->() REMOVE r.url")
    statement = re.search(r"```cypher\n:auto (MATCH .*?)```", Path("docs/servers.md").read_text("utf-8"), re.DOTALL)
    with GraphDatabase.driver(bolt.address) as driver, driver.session() as session:
        session.run(statement[1]).consume()
    assert rows(bolt, urls) == wanted


def test_keys_are_unique_by_constraint(bolt):
    fill(bolt, EXAMPLE)
    constraints = {name: (labels, fields) for name, labels, fields in rows(
        bolt, "SHOW CONSTRAINTS YIELD name, labelsOrTypes, properties RETURN name, labelsOrTypes, properties"
    )}  # fmt: skip
    assert constraints["concept_key"] == (["Concept"], ["key"])
    assert constraints["release_id"] == (["Release"], ["source", "id"])
    every = rows(bolt, "SHOW INDEXES YIELD name, type, state WHERE type <> 'LOOKUP' RETURN name, state")
    assert ["concept_forms", "ONLINE"] in every and {state for _, state in every} == {"ONLINE"}


def test_a_load_makes_the_indexes_that_are_missing(bolt):
    wanted = {index.name for index in (*indexes.CONSTRAINTS, *indexes.OVER_CONCEPTS, *indexes.OVER_EDGES)}
    fill(bolt, EXAMPLE)
    assert wanted <= _online(bolt)
    for name in ("concept_types", "TREAT articles", "CAUSE releases"):
        rows(bolt, f"DROP INDEX `{name}`")
    rows(bolt, "MATCH ()-[r]->() DELETE r")
    with bolt.writing():
        assert wanted - _online(bolt) == {"TREAT articles", "CAUSE releases"}  # made after the first edges
    fill(bolt, EXAMPLE)
    assert wanted <= _online(bolt)


def _online(store):
    return {name for name, _, state in store.server.read("indexes") if state == "ONLINE"}


def test_the_same_load_twice_changes_nothing(bolt):
    bolt.put_release(release("pubtator3", "a"))
    for _ in range(2):
        fill(bolt, EXAMPLE, similar=[("m", COX1, COX2, 0.4)], contradictions=[(COX1, COX2, "s")])
        bolt.put_release(release("pubtator3", "a"))
    assert rows(bolt, "MATCH ()-[r]->() RETURN count(r)") == [[len(EXAMPLE) + 2]]
    assert rows(bolt, "MATCH (r:Release) RETURN count(r)") == [[1]]


def test_an_edge_to_an_unknown_concept_fails_its_whole_portion(bolt):
    fill(bolt, EXAMPLE)
    lost = edge(PAIN, "prevent", "Gene|404", 1)
    with pytest.raises(StoreError, match=re.escape("Gene|404")):
        bolt.put_edges([edge_batch([edge(PAIN, "prevent", COX1, 1), lost])], "r2")
    assert (PAIN, "prevent", COX1) not in stored(bolt) and len(stored(bolt)) == len(EXAMPLE)


def test_a_read_only_store_refuses_to_write(bolt, settings):
    reader = BoltGraph(bolt.address, settings, read_only=True)
    with pytest.raises(StoreError, match="for reading only"), reader.writing():
        pass
    reader.close()


# -- names

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
LUCENE = [
    'a "quoted" name',
    "back\\slash\\",
    "AND OR NOT +-&|!(){}[]^~*?:/",
    "/regex.*/",
    "forms:x",
    "<1-9>#@&~",
    "β-catenin",
    "🧬 gene",
    "a\nb",
    "ﬁbrosis",
    "İstanbul",
]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spelt=st.lists(st.lists(TEXTS | st.sampled_from(LUCENE), min_size=1, max_size=3, unique=True), max_size=8))
def test_names_with_any_characters_are_found_as_in_the_memory_store(bolt, spelt):
    concepts = [concept(f"Gene|{i}", *((name, n + 1) for n, name in enumerate(names))) for i, names in enumerate(spelt)]
    memory = MemoryGraph(bolt.settings)
    for store in (bolt, memory):
        with store.writing():
            store.drop_concepts([concept_keys(*(f"Gene|{i}" for i in range(8)))])
            store.put_concepts([concept_batch(concepts)])
    asked = [name for names in spelt for name in names] + LUCENE
    assert bolt.named(asked) == memory.named(asked)
    for text in asked[:6]:
        assert bolt.find(text[:-1] + "x" + text[-1]) == memory.find(text[:-1] + "x" + text[-1])


def test_a_very_long_name_is_found_and_does_not_break_the_index(bolt):
    """A term above 32,766 bytes in a full-text index stops a Neo4j database for good."""
    endless = "é" * 40_000
    fill(bolt, [], [concept("Gene|1", (endless, 2), ("short", 1)), concept("Gene|2", ("é" * (LONGEST - 1), 1))])
    assert [match.key for match in bolt.find(endless).concepts] == ["Gene|1"]
    assert bolt.concepts(["Gene|1"])["Gene|1"].name == endless
    assert [match.key for match in bolt.find("short").concepts] == ["Gene|1"]


def test_replaced_names_are_gone(bolt):
    fill(bolt, [], [concept("Gene|1", ("old", 1))])
    fill(bolt, [], [concept("Gene|1", ("new", 1))])
    assert bolt.find("old").concepts == () and bolt.find("new").concepts[0].key == "Gene|1"


def test_many_names_are_found_in_one_call(bolt):
    fill(bolt, [], [concept(f"Gene|{i}", (f"name {i}", 1)) for i in range(1500)])
    assert len(bolt.named([f"name {i}" for i in range(3000)])) == 1500


# -- pages


def test_pages_leave_nothing_out_and_keep_the_order(bolt, monkeypatch):
    monkeypatch.setattr(cypher.bolt.graph, "_CONCEPT_PAGE", 2)
    monkeypatch.setattr(cypher.bolt.graph, "_HEAD_PAGE", 2)
    keys = ["Gene|1", "Gene|a", "Gene|é", "Gene|\uffee", "Gene|🧬", "SNP|1", "Chemical|z"]
    edges = [edge(a, "associate", b, i + 1) for i, a in enumerate(keys) for b in keys[i:]]
    fill(bolt, edges)
    assert [found.key for found in bolt.every_concept()] == sorted(keys)
    assert stored(bolt) == {(e.head, e.relation, e.tail): e.pmids for e in edges}


# -- the queries


@pytest.mark.parametrize("name", names("neo4j"))
def test_a_query_has_the_parameters_and_columns_of_its_header(bolt, name):
    found = query("neo4j", name)
    kinds = (*RELATIONS, SIMILAR_TO, CONTRADICTS) if "KINDS" in found.text else RELATIONS[:1]
    assert set(re.findall(r"\$(\w+)", found.text)) == set(found.parameters)
    if name == "schema_online" or not found.columns:
        return
    with bolt.writing():
        pass
    with GraphDatabase.driver(bolt.address, notifications_min_severity="OFF") as driver, driver.session() as session:
        given = dict.fromkeys(found.parameters, None) | {"size": 1, "keys": [], "rows": [], "pmids": 1, "lucene": "x"}
        text = found.naming(*kinds)
        result = session.run(text if text.startswith("SHOW") else f"EXPLAIN {text}", given)
        assert tuple(result.keys()) == found.columns


# -- the same answers as in memory


@pytest.fixture(scope="module")
def world():
    """20,000 concepts with 40,000 edges. Degrees follow a power law. Edges have few PMIDs, so that scores tie."""
    rng = random.Random(20260801)
    kinds = sorted(TYPES)
    keys = [f"{rng.choice(kinds)}|{n}" for n in range(20_000)]
    weights = [(n + 3) ** -0.8 for n in range(len(keys))]
    ends = rng.choices(keys, weights, k=80_000)
    found = {}
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        one = edge(a, rng.choice(RELATIONS), b, *rng.sample(range(1, 60), rng.choice([1, 1, 1, 2, 3, 12])))
        found[one.head, one.relation, one.tail] = one
    concepts = [concept(key, (f"name {n % 9000}", 1 + n % 7)) for n, key in enumerate(keys)]
    similar = [("m", *sorted(rng.sample(keys[:300], 2)), rng.uniform(-1, 1)) for _ in range(600)]
    return keys, list(found.values()), concepts, list({pair[1:3]: pair for pair in similar}.values())


@pytest.mark.slow
def test_a_large_graph_answers_as_the_memory_store_does(bolt, world):
    keys, edges, concepts, similar = world
    memory = fill(MemoryGraph(bolt.settings), edges, concepts, similar)
    fill(bolt, edges, concepts, similar)
    assert bolt.stats() == memory.stats()
    rng = random.Random(7)
    for _ in range(15):
        head, tail = rng.choice(keys[:40]), rng.choice(keys[:400])
        hops, before = rng.choice([1, 2, 3, 3, 4]), rng.choice([None, 30, 10])
        alpha = rng.choice([None, None, 0.9])
        if hops == 4:
            head = rng.choice(keys[200:])  # a search between two hubs takes long in the memory store
        asked = {"hops": hops, "before": before, "rank": rng.choice(["evidence", "dwpc", "hops"]), "similar": alpha}
        assert bolt.chains(head, tail, **asked) == memory.chains(head, tail, **asked), (head, tail, asked)
        links = {"hops": min(hops, 3), "before": before, "similar": alpha is not None}
        assert links_of(bolt, head, tail, **links) == links_of(memory, head, tail, **links), (head, tail, links)
    some = rng.sample(keys, 50) + keys[:50]
    assert bolt.edges(some, before=30, pmids=3) == memory.edges(some, before=30, pmids=3)
    texts = [f"Name-{n}" for n in range(0, 9500, 100)]
    assert bolt.named(texts) == memory.named(texts)
    assert bolt.find("nime 77") == memory.find("nime 77")


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_edges_in_any_order_and_more_than_once_are_written_once(bolt, monkeypatch, rows):
    """Edges are written in portions of any size, also if their heads already have edges. The last version of an edge
    remains."""
    monkeypatch.setattr(bolt_edges, "MOST", 3)
    keys = [f"Gene|{n}" for n in range(5)]
    rng = random.Random(3)
    edges = [edge(a, kind, b, rng.randint(1, 99)) for a in keys for b in keys for kind in ("treat", "cause", "treat")]
    rng.shuffle(edges)
    fill(bolt, edges[:1])
    bolt.put_concepts([concept_batch([concept(key) for key in keys])])
    with bolt.writing():
        bolt.put_edges((edge_batch(edges[n : n + rows]) for n in range(0, len(edges), rows)), "r")
    assert stored(bolt) == {(e.head, e.relation, e.tail): e.pmids for e in edges}


def test_edges_among_hubs_are_written_concurrently_without_retries(bolt, monkeypatch, caplog):
    """Concurrent transactions share most of their concepts, and none waits for another."""
    monkeypatch.setattr(bolt_edges, "MOST", 60)
    keys = [f"Gene|{n:02}" for n in range(40)]
    first, second = (
        [edge(a, kind, b, n) for i, a in enumerate(keys) for b in keys[i:] for kind in kinds]
        for n, kinds in ((1, ("treat",)), (2, ("treat", "cause")))
    )
    fill(bolt, [], [concept(key) for key in keys])
    for edges in (first, second):
        with bolt.writing():
            bolt.put_edges((edge_batch(edges[n : n + 200]) for n in range(0, len(edges), 200)), "r")
    assert stored(bolt) == {(e.head, e.relation, e.tail): e.pmids for e in second}
    assert not [record for record in caplog.records if "retried" in record.getMessage()]


def test_a_missing_constraint_or_index_is_a_fault(bolt):
    fill(bolt, EXAMPLE)
    rows(bolt, "DROP CONSTRAINT concept_key")
    rows(bolt, "DROP INDEX concept_forms")
    assert bolt.faults() == ("constraint concept_key is missing", "index concept_forms is missing")
    rows(bolt, "CREATE INDEX concept_key FOR (c:Concept) ON (c.key)")  # finds concepts, but does not prevent duplicates
    assert "constraint concept_key is missing" in bolt.faults()
    rows(bolt, "DROP INDEX concept_key")
    with bolt.writing():
        assert bolt.faults() == ()


def test_names_are_not_unknown_because_their_index_is_missing(bolt):
    assert bolt.find("aspirin").concepts == ()  # nothing was loaded
    fill(bolt, EXAMPLE, [concept(ASPIRIN, ("aspirin", 5))])
    rows(bolt, "DROP INDEX concept_forms")
    with closing(BoltGraph(bolt.address, bolt.settings)) as fresh:
        for name in ("aspirin", "asprin"):
            with pytest.raises(StoreUnreachable, match="no index of names"):
                fresh.find(name)
    with bolt.writing():
        bolt.put_concepts([])
    assert [match.key for match in bolt.find("aspirin").concepts] == [ASPIRIN]


def test_a_duplicated_edge_is_read_twice(bolt):
    fill(bolt, EXAMPLE)
    rows(bolt, "MATCH (a {key: $a})-[r:TREAT]->(b) CREATE (a)-[s:TREAT]->(b) SET s = r", a=ASPIRIN)
    batches = bolt.held([edge_keys(EXAMPLE[0])])
    assert [row["pmids"] for batch in batches for row in batch.to_pylist()] == [[100, 200, 300]] * 2


def test_concepts_written_by_another_program_are_counted(bolt):
    fill(bolt, EXAMPLE)
    rows(bolt, "CREATE (:Concept:Cell {key: 'Cell|1', type: 'Cell'})")
    assert bolt.counts().concepts == {"Cell": 1, "Chemical": 1, "Disease": 2, "Gene": 2}


def test_the_query_for_counts_covers_every_type_of_concept():
    assert set(re.findall(r"MATCH \(c:(\w+)\)", query("neo4j", "concept_count").text)) == TYPES | {"Concept"}
