"""Edges as the parameters of the queries that write them."""

from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cypher.bolt import write as bolt_edges
from cypher.bolt.write import by_heads, portioned
from groundwork.records import Relation
from groundwork.settings import Settings
from groundwork.tables import EDGES, edge_batch, rows_of
from tests.contracts.graphs import edge

_keys = st.integers(0, 6).map("Gene|{}".format)
_pmids = st.lists(st.integers(1, 99), min_size=1, max_size=8, unique=True).map(sorted).map(tuple)
_edges = st.lists(st.builds(Relation, _keys, st.sampled_from(["treat", "cause"]), _keys, _pmids), max_size=40)


def table(edges):
    return pa.Table.from_batches([edge_batch(edges)]) if edges else EDGES.empty_table()


@given(_edges, st.integers(1, 9), st.integers(1, 20))
def test_portions_contain_every_edge_in_order_and_within_bounds(edges, most, values):
    with patch.object(bolt_edges, "MOST", most), patch.object(bolt_edges, "VALUES", values):
        portions = list(portioned(table(edges), "r", Settings()))
    said = []
    for portion in portions:
        assert len(set(portion.keys)) == len(portion.keys)
        assert {portion.keys[place] for row in portion.rows for place in row[:2]} == set(portion.keys)
        assert len(portion.rows) == 1 or sum(len(row[3]) for row in portion.rows) <= values
        assert 0 < len(portion.rows) <= most
        said += [(portion.keys[row[0]], row[2].lower(), portion.keys[row[1]], tuple(row[3])) for row in portion.rows]
    assert said == [(one.head, one.relation, one.tail, one.pmids) for one in edges]


def test_values_derived_from_pmids_are_written_with_the_pmids():
    edges = table([edge("Gene|1", "treat", "Gene|1", 5), edge("Gene|1", "treat", "Gene|2", 7, 3)])
    for some in (edges, edges.slice(1)):  # also if the lists of earlier rows are cut off
        [portion] = portioned(some, "r", Settings(syst=0.1, rand=0.5))
        assert portion.rows[-1][2:7] == ("TREAT", [3, 7], 2, 3, 7)
        assert portion.rows[-1][7] == pytest.approx(0.65, abs=1e-15)
        assert portion.rows[-1][8] == "https://pubmed.gov/?term=3,7"


@given(_edges, st.integers(1, 10))
def test_heads_are_sorted_and_the_last_version_of_an_edge_is_written_last(edges, rows):
    batches = [edge_batch(edges[start : start + rows]) for start in range(0, len(edges), rows)]
    written = {}
    for found in by_heads(batches):
        heads = found["head"].to_pylist()
        assert heads == sorted(heads)
        for row in rows_of(found.to_batches()):
            written[row["head"], row["relation"], row["tail"]] = tuple(row["pmids"])
    assert written == {(one.head, one.relation, one.tail): one.pmids for one in edges}


@given(_edges, st.integers(1, 10))
def test_if_edges_are_sorted_by_head_no_two_tables_share_a_head(edges, rows):
    edges = sorted(edges, key=lambda one: one.head)
    batches = [edge_batch(edges[start : start + rows]) for start in range(0, len(edges), rows)]
    heads = [key for found in by_heads(batches) for key in set(found["head"].to_pylist())]
    assert len(heads) == len(set(heads))
