"""The example of docs/py2neo.md, run by py2neo against a real server."""

import subprocess
import sys

import pytest

import cypher
import ingest
from groundwork.settings import Settings
from tests.contracts.conftest import emptied
from tests.house.test_examples import examples
from tests.truthhypo.conftest import SAMPLE

DOCUMENT = "docs/py2neo.md"
#: How the document connects. The test puts the address of its own server there.
CONNECTED = 'Graph("bolt://127.0.0.1:7687", auth=("neo4j", "PASSWORD"))'


def rows(table):
    return [line.split() for line in table.strip().splitlines()]


@pytest.mark.models
@pytest.mark.servers
def test_py2neo_reads_the_graph_as_its_document_shows(neo4j_address, tmp_path):
    settings = Settings(home=tmp_path)
    graph = cypher.connect(emptied(neo4j_address), settings)
    ingest.load_relations([str(SAMPLE / "relation2pubtator3.tsv")], graph, settings)
    ingest.load_concepts([str(SAMPLE / "bioconcepts2pubtator3.tsv")], graph, settings)
    graph.close()
    (_, program), (_, wanted) = examples(DOCUMENT, "py|text")
    assert CONNECTED in program
    program = program.replace(CONNECTED, f'Graph("{neo4j_address}", auth=None)')
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert rows(done.stdout) == rows(wanted)
