"""Every named query declares its parameters and columns, and uses exactly the declared ones."""

import re

import pyarrow as pa
import pytest

from cypher import catalog, schema
from cypher.embedded.session import MEMORY, Session
from groundwork.errors import StoreError
from groundwork.settings import Settings
from groundwork.vocabulary import RELATIONS
from tests.cypher.queries import names

TEXTS = ("key", "head", "tail", "name", "source", "id", "sha256", "state", "loaded_at", "similarity", "kind")
NUMBERS = ("mentions", "rows", "kept", "rejected", "order")
ROWS = (
    {column: ["x"] for column in TEXTS} | {column: [1] for column in NUMBERS} | {"synonyms": [["x"]], "counts": [[1]]}
)


@pytest.fixture(scope="module")
def session():
    session = Session(MEMORY, Settings())
    schema.create(session)
    yield session
    session.close()


@pytest.mark.parametrize("name", names("embedded"))
def test_an_embedded_query_has_the_parameters_and_columns_of_its_header(session, name):
    query = catalog.query("embedded", name)
    text = query.naming("treat", "cause") if "KINDS" in query.text else query.naming("treat")
    assert set(re.findall(r"\$(\w+)", query.text)) == set(query.parameters)
    assert query.purpose.endswith(".")
    values = {"keys": ["x"], "before": 5, "rows": pa.table(ROWS), "pmids": [1], "counts": [1], "synonyms": ["x"]}
    values |= dict.fromkeys(("articles", "first_pmid", "last_pmid", "mentions"), 1) | {"belief": 0.5, "cosine": 0.5}
    given = {parameter: values.get(parameter, "x") for parameter in query.parameters}
    if query.columns:
        assert tuple(session.arrow(text, given).column_names) == query.columns
    else:
        session.run(text, given)


def test_queries_that_list_relations_list_them_all():
    texts = [catalog.query("embedded", name).text for name in names("embedded")]
    listed = [found for text in texts for found in re.findall(r"\[r?:([A-Z_]+(?:\|[A-Z_]+)+)\]", text)]
    assert {tuple(one.lower().split("|")) for one in listed} == {RELATIONS}


def test_a_relation_outside_the_vocabulary_is_refused():
    query = catalog.query("embedded", "drop_edge")
    assert "[r:TREAT]" in query.naming("treat")
    with pytest.raises(KeyError):
        query.naming("TREAT]->() DELETE")


def test_a_missing_query_is_reported():
    with pytest.raises(StoreError, match="embedded/nothing"):
        catalog.query("embedded", "nothing")
