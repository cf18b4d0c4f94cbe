"""The command that fits the reader to labelled documents, and the input that it refuses."""

import json

import numpy as np
import pytest

from groundwork.reading.reader import OPPOSED
from groundwork.reading.weights import load
from truthhypo.bench.reader.examples import Example, examples, labels, read_documents
from truthhypo.bench.reader.fitting import Decision, signs, stated, threshold_of
from truthhypo.bench.reader.statements import sentences
from truthhypo.faces.cli.entry import run


def first_documents(data, tmp_path, count):
    """A file with the first documents of BioRED Dev."""
    blocks = (data / "biored" / "Dev.PubTator").read_text("utf-8").strip().split("\n\n")
    file = tmp_path / "some.PubTator"
    file.write_text("\n\n".join(blocks[:count]) + "\n\n", "utf-8")
    return file


@pytest.mark.slow
def test_weights_are_fitted_measured_and_written_with_a_card(data, tmp_path, capsys):
    out = tmp_path / "weights.npz"
    assert run(["--json", "bench", "train-reader", str(first_documents(data, tmp_path, 25)), "--out", str(out)]) == 0
    card = json.loads(capsys.readouterr().out)
    weights = load(out)
    assert weights.card["threshold"] == card["threshold"] == weights.threshold
    assert card["documents"] == 25
    assert len(card["data"][0]["sha256"]) == 64
    figures = card["cross_validation"]
    assert 0 <= figures["calibration_error"] <= 1
    assert 0 < figures["signed"]["right"] <= 1
    assert weights.probabilities(list(weights.rows)[:5]).sum() == pytest.approx(1)


def test_too_few_documents_are_refused(data, tmp_path, capsys):
    out = tmp_path / "weights.npz"
    assert run(["bench", "train-reader", str(first_documents(data, tmp_path, 1)), "--out", str(out)]) == 2
    assert "give more documents" in capsys.readouterr().err
    assert not out.exists()


def test_examples_carry_the_relation_of_their_document(data, tmp_path):
    documents = read_documents([first_documents(data, tmp_path, 10)])
    known = {(document.pmid, pair): label for document in documents for pair, label in labels(document).items()}
    found = list(examples(documents))
    assert len(found) > 200
    assert all(example.label == known.get((example.pmid, example.pair), "none") for example in found)
    assert {example.label for example in found} >= {"none", "related", "up"}


def test_the_threshold_is_the_lowest_above_which_accuracy_suffices():
    decided = [Decision(at, 10, right, 0.5) for at, right in ((0.3, 0.88), (0.4, 0.86), (0.5, 0.87), (0.6, 0.9))]
    assert threshold_of(decided).threshold == 0.5


def test_plain_statements_are_sentences_without_places():
    found = list(sentences())
    assert ("{B} was amplified by {A}.", "up") in [(text, kind) for text, kind, _ in found]
    assert ("Loss of {A} lowers {B}.", "up") in [(text, kind) for text, kind, _ in found]
    assert not any(place in text for text, _, _ in found for place in ("{v}", "{s}", "{p}", "{g}"))


def test_a_sentence_that_hardly_states_the_relation_of_its_article_weighs_little():
    pair = frozenset({"Gene|1", "Gene|2"})
    taught = [Example(1, pair, label, frozenset(), False) for label in ("up", "up", "up")]
    taught.append(Example(2, pair, "none", frozenset(), False))
    found = np.array([[0.2, 0.8], [0.6, 0.4], [0.98, 0.02], [0.1, 0.9]])
    assert stated(taught, found, ["none", "up"]) == pytest.approx([1, 0.5, 0.2, 1])


def test_the_clearness_of_a_sign_is_its_probability_less_a_share_of_the_opposite():
    pair, other = frozenset({"Gene|1", "Gene|2"}), frozenset({"Gene|1", "Gene|3"})
    asked = [
        Example(1, each, "up", frozenset(), denied) for each, denied in ((pair, False), (pair, False), (pair, True))
    ]
    asked.append(Example(1, other, "down", frozenset(), False))
    found = np.array([[0.1, 0.1, 0.0, 0.8], [0.3, 0.1, 0.4, 0.2], [0.0, 0.0, 1.0, 0.0], [0.2, 0.0, 0.8, 0.0]])
    told = signs(asked, found)
    assert told[1, pair] == (pytest.approx(0.8 - OPPOSED * 0.4), "up")
    assert told[1, other] == (pytest.approx(0.8), "down")
