"""The files for Neo4j Browser: each saved query runs on a real server, and the guide has the same queries."""

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from neo4j import GraphDatabase

import cypher
from cypher import browser_files
from groundwork.settings import Settings
from groundwork.vocabulary import RELATION_SIGNS, RELATIONS, TYPES, VARIANTS
from tests.contracts.conftest import emptied
from tests.contracts.graphs import ASPIRIN, COX2, EXAMPLE, PAIN, concept, edge, fill, release

FOLDER = files("cypher") / "browser"
QUERIES = {f.name: f.read_text("utf-8") for f in FOLDER.iterdir() if f.name.endswith(".cypher")}
PARAMETERS = {"head": ASPIRIN, "tail": PAIN, "before": 200, "name": "ASPIR", "release": "r1", "least": 1}
#: Operators that find nodes or edges, and those of them that use an index or the counts kept by the server.
FINDS, INDEXED = re.compile(r"Scan|Seek|CountStore|ProcedureCall"), re.compile(r"Index|CountStore|ProcedureCall")


def parameters(text):
    return {name: PARAMETERS[name] for name in re.findall(r"\$(\w+)", text)}


def operators(plan):
    return {plan["operatorType"].split("@")[0]}.union(*map(operators, plan.get("children", [])))


class Guide(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.slides, self.runnable = [], 0, []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.slides += tag == "slide"
        if tag == "pre":
            assert dict(attrs)["class"] == "pre-scrollable code runnable"
            self.runnable.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["pre"]:
            self.runnable[-1] += data


@pytest.fixture(scope="module")
def guide():
    parser = Guide()
    parser.feed(browser_files.guide("http://localhost/style.grass"))
    parser.close()
    assert parser.open == []
    return parser


@pytest.fixture(scope="module")
def driver(neo4j_address):
    graph = cypher.connect(emptied(neo4j_address), Settings())
    named = [concept(ASPIRIN, ("aspirin", 3)), concept(COX2, ("COX-2", 2))]
    disputed = [edge(ASPIRIN, "cause", PAIN, 8), edge(ASPIRIN, "negative_correlate", "Gene|1", 3)]
    fill(graph, [*EXAMPLE, *disputed], named, [("m", ASPIRIN, "Gene|9", 0.4)])
    with graph.writing():
        graph.put_release(release("pubtator3", "r1"))
    graph.close()
    with GraphDatabase.driver(neo4j_address) as driver:
        yield driver


@pytest.mark.servers
@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_saved_query_returns_rows(driver, name):
    text = QUERIES[name]
    assert re.match(r"// [A-Z].{10,}\n", text)
    used = parameters(text)
    assert all(parameter in text.splitlines()[0] for parameter in used)
    assert driver.execute_query(text, used).records


@pytest.mark.servers
@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_saved_query_reads_an_index_or_the_servers_counts(driver, name):
    text = QUERIES[name]
    plan = driver.execute_query(f"EXPLAIN {text}", parameters(text)).summary.plan
    finds = list(filter(FINDS.search, operators(plan)))
    assert finds and all(map(INDEXED.search, finds)), finds


@pytest.mark.servers
def test_a_name_is_found_whatever_characters_are_in_it(driver):
    for name in ("Aspi-R in", '(*"COX~:', "\\ + /", "COX–2"):
        found = driver.execute_query(QUERIES["find-by-name.cypher"], name=name).records
        assert [record["c"]["name"] for record in found] == ({"A": ["aspirin"], "C": ["COX-2"]}.get(name[0], []))


def test_queries_over_all_relations_name_every_relation():
    for name in ("relations.cypher", "new-in-a-release.cypher"):
        assert sorted(re.findall(r"\[r?:(\w+)\]", QUERIES[name])) == sorted(map(str.upper, RELATIONS))


@pytest.mark.servers
def test_the_queries_of_the_guide_return_rows(driver, guide):
    for text in guide.runnable:
        if not text.startswith(":"):
            assert driver.execute_query(text, parameters(text)).records


def test_the_guide_has_every_slide_and_query(guide):
    assert guide.slides == 8
    shown = "\n".join(guide.runnable)
    assert [name for name, text in QUERIES.items() if text.partition("\n")[2].strip() not in shown] == []


def test_the_style_knows_every_type_and_every_signed_relation():
    style = (FOLDER / "style.grass").read_text("utf-8")
    assert style.count("{\n") == style.count("}\n")
    assert {f"node.{kind}" for kind in TYPES - VARIANTS} | {"node.Variant"} <= set(re.findall(r"node\.\w+", style))
    colours = dict(re.findall(r"relationship\.(\w+) \{\s+color: (#\w+)", style))
    captions = dict(re.findall(r"relationship\.(\w+) \{[^}]*caption: '(.*)'", style))
    assert set(re.findall(r"node[^{]*\{[^}]*caption: '([^']*)'", style)) == {"{caption}", "{id}"}  # {id} of a release
    for relation in RELATIONS:
        sign = RELATION_SIGNS.get(relation, 0)
        assert colours.get(relation.upper()) == {1: "#B2182B", -1: "#2166AC", 0: None}[sign]
        assert captions[relation.upper()] == relation.replace("_", " ") + " ({articles})"
