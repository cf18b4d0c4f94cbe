"""Rows are divided into portions of bounded size, and concepts get the labels of their type."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cypher.bolt import write as parameter_rows
from cypher.bolt.write import concept_row, portions
from tests.contracts.graphs import concept


@given(weights=st.lists(st.integers(0, 60)), most=st.integers(1, 5))
def test_portions_keep_all_in_order_and_within_bounds(weights, most):
    with_bound = parameter_rows.VALUES
    try:
        parameter_rows.VALUES = 50
        found = list(portions(weights, lambda weight: weight, most))
    finally:
        parameter_rows.VALUES = with_bound
    assert [weight for portion in found for weight in portion] == weights
    assert all(0 < len(portion) <= most and (sum(portion) <= 50 or len(portion) == 1) for portion in found)
    # Each portion is as large as possible: the next item would not have fitted.
    for one, other in pairwise(found):
        assert len(one) == most or sum(one) + other[0] > 50


def test_a_variant_has_two_labels_beside_concept():
    assert concept_row(concept("SNP|rs1"))["labels"] == ["SNP", "Variant"]
    assert concept_row(concept("Gene|1"))["labels"] == ["Gene"]
