"""Every named query declares its parameters and columns, and uses exactly the declared ones."""

import re

import pytest

from cypher import catalog, schema
from cypher.embedded.session import MEMORY, Session
from groundwork.errors import StoreError
from groundwork.settings import Settings
from tests.cypher.queries import names


@pytest.fixture(scope="module")
def session():
    session = Session(MEMORY, Settings())
    schema.create(session)
    yield session
    session.close()


@pytest.mark.parametrize("name", names("embedded"))
def test_an_embedded_query_has_the_parameters_and_columns_of_its_header(session, name):
    query = catalog.query("embedded", name)
    text = query.naming("treat")
    assert set(re.findall(r"\$(\w+)", query.text)) == set(query.parameters)
    assert query.purpose.endswith(".")
    assert query.parameters == ()
    assert tuple(session.arrow(text).column_names) == query.columns


def test_a_relation_outside_the_vocabulary_is_refused():
    query = catalog.query("embedded", "relation_rows")
    assert "[r:TREAT]" in query.naming("treat")
    with pytest.raises(KeyError):
        query.naming("TREAT]->() DELETE")


def test_a_missing_query_is_reported():
    with pytest.raises(StoreError, match="embedded/nothing"):
        catalog.query("embedded", "nothing")
