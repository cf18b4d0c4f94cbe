"""F1 of relations on documents, against counts by hand, and the pooling of an article's sentences."""

import numpy as np
import pytest

from groundwork.reading.encoder import SIGNS
from ingest.documents.document import Annotation, Document
from truthhypo.bench.reader.article_pairs import ArticleModel, ArticlePairs, cross_predicted
from truthhypo.bench.reader.relation_f1 import RelationF1, relation_f1

A, B, C, D = (f"Gene|{number}" for number in range(4))
DOCUMENT = Document(
    1, "", "", relations=((A, "positive_correlate", B), (A, "associate", C), (B, "interact", C), (A, "associate", A))
)


def test_pairs_and_types_are_counted():
    told = {(A, B): "up", (B, C): "related", (A, D): "related"}  # one right pair, a pair of another type, and no pair
    found = relation_f1([DOCUMENT], {(1, frozenset(pair)): kind for pair, kind in told.items()})
    assert found == RelationF1(pytest.approx(2 * 2 / (3 + 3), abs=1e-4), pytest.approx(2 * 1 / (3 + 3), abs=1e-4))


def test_nothing_to_find_is_zero():
    assert relation_f1([Document(1, "", "")], {}) == RelationF1(0.0, 0.0)


def article(pmid, kind):
    """An article that names A and B, with a relation of this kind between them, or none."""
    relation = {"up": "positive_correlate", "down": "negative_correlate", "related": "associate"}
    related = ((A, relation[kind], B),) if kind in relation else ()
    named = (Annotation(A, "TP53"), Annotation(B, "MDM2"))
    return Document(pmid, "TP53", "TP53 and MDM2", annotations=named, relations=related)


def read(document, kind):
    """The one sentence of an article, as the encoder reads it."""
    return (document.pmid, frozenset((A, B))), [0.8 if name == kind else 0.2 / 3 for name in SIGNS]


def test_the_sentences_of_an_article_are_pooled_as_they_were_labelled():
    kinds = ["up", "down", "related", "none"] * 40
    documents = [article(pmid, kind) for pmid, kind in enumerate(kinds)]
    places, rows = zip(*map(read, documents, kinds), strict=True)
    pairs = ArticlePairs.of(documents, places, np.array(rows))
    expected = {(pmid, frozenset((A, B))): kind for pmid, kind in enumerate(kinds) if kind != "none"}
    assert ArticleModel().fit(pairs, documents).predict(pairs) == expected
    assert cross_predicted(pairs, documents) == expected
    assert relation_f1(documents, expected) == RelationF1(1.0, 1.0)
