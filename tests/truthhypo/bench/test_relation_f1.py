"""F1 of relations on documents, against counts by hand."""

import numpy as np
import pytest

from ingest.documents.document import Document
from truthhypo.bench.reader.examples import Example
from truthhypo.bench.reader.relation_f1 import RelationF1, relation_f1

A, B, C, D = (f"Gene|{number}" for number in range(4))
DOCUMENT = Document(
    1, "", "", relations=((A, "positive_correlate", B), (A, "associate", C), (B, "interact", C), (A, "associate", A))
)


def example(first, second, *, negated=False):
    return Example(1, frozenset((first, second)), "none", frozenset(), negated)


def test_pairs_and_types_are_counted_by_the_surest_sentence():
    told = [
        (example(A, B), (0.4, 0.1, 0.4, 0.1)),  # less sure than the next
        (example(A, B), (0.1, 0.1, 0.1, 0.7)),
        (example(A, C), (0.6, 0.2, 0.1, 0.1)),  # likelier none
        (example(B, C), (0.2, 0.6, 0.1, 0.1)),  # a pair, taken for associate
        (example(A, D), (0.3, 0.5, 0.1, 0.1)),  # not related
        (example(A, C, negated=True), (0.0, 0.0, 0.0, 1.0)),
    ]
    found = relation_f1([DOCUMENT], [each for each, _ in told], np.array([row for _, row in told]))
    assert found == RelationF1(pytest.approx(2 * 2 / (3 + 3), abs=1e-4), pytest.approx(2 * 1 / (3 + 3), abs=1e-4))


def test_nothing_to_find_is_zero():
    assert relation_f1([Document(1, "", "")], [], np.zeros((0, 4))) == RelationF1(0.0, 0.0)
