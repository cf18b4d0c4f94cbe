"""What the reader finds in plain sentences with the shipped weights, for every pair of types."""

from itertools import product

import pytest

from groundwork.errors import InputError
from groundwork.reading.features import PairView, features
from groundwork.reading.reader import Reader
from groundwork.reading.tree import parse, parse_all
from groundwork.reading.weights import load, save, shipped
from tests.groundwork.reading import marked

TYPES = ("Chemical", "Disease", "Gene", "SNP", "Other")
#: Cue words that are not among the verbs of the plain statements in the fit.
READ = [
    ("{A} strengthens {B}.", "up"),
    ("{B} was facilitated by {A} in rats.", "up"),
    ("{A} weakens {B}.", "down"),
    ("{A} diminishes {B}.", "down"),
    ("{B} was depressed by {A}.", "down"),
]
#: Sentences that state nothing. The types of the two ends alone decide nothing.
NEUTRAL = [
    "{A} was studied with {B}.",
    "{A} was studied with {B} in 40 patients.",
    "{A} and {B} were counted.",
    "We recorded {A} and {B}.",
    "{A} was sampled together with {B}.",
    "Samples of {A} and {B} were stored.",
]


def readings(sentence):
    """One reading for each pair of types."""
    cases = [
        marked(sentence.replace("{A}", "{Aval|" + one + "}").replace("{B}", "{Bork|" + other + "}"))
        for one, other in product(TYPES, repeat=2)
    ]
    reader = Reader()
    return [next(reader.read(tree)) for tree in parse_all(cases)]


@pytest.mark.parametrize(("sentence", "sign"), READ)
def test_plain_statements_are_read_whatever_the_types(sentence, sign):
    found = dict(zip(product(TYPES, repeat=2), readings(sentence), strict=True))
    for types, read in found.items():
        # No labelled document relates two diseases, so between them only the sign is asked for.
        classes = ("up", "down", "related") if types == ("Disease", "Disease") else ("up", "down", "related", "none")
        assert max(classes, key=read.to_dict().__getitem__) == sign, (types, read)


@pytest.mark.parametrize("sentence", NEUTRAL)
def test_types_alone_decide_nothing(sentence):
    weights = shipped()
    for read in readings(sentence):
        assert read.signed < weights.threshold
        assert read.any < weights.threshold_any


@pytest.mark.parametrize(
    ("sentence", "sign", "acts", "words"),
    [
        ("{Cisplatin|Chemical}-induced {nephrotoxicity|Disease} was reduced by rest.", "up", 0, "induced"),
        ("{Nephrotoxicity|Disease} was reduced by {amifostine|Chemical}.", "down", 1, "reduced"),
        ("Knockdown of {TP53|Gene} lowered {MDM2|Gene}.", "up", 0, "lowered"),
        ("{RAF1|Gene}, which is activated by {HRAS|Gene}, was found.", "up", 1, "activated"),
        ("{Aspirin|Chemical} lowers the risk of {stroke|Disease}.", "down", 0, "lowers"),
    ],
)
def test_sign_actor_and_deciding_words_are_read(sentence, sign, acts, words):
    text, mentions = marked(sentence)
    reader, tree = Reader(), parse(text, mentions)
    (read,) = reader.read(tree)
    assert getattr(read, sign) > 0.5
    assert read.acts == acts
    assert words in [text[start:end] for start, end in reader.speaking(tree, read)]
    assert read.up + read.down + read.related + read.none == pytest.approx(1)


def test_weights_are_read_as_they_were_written(tmp_path):
    kept = shipped()
    names, path = list(kept.rows), tmp_path / "weights.npz"
    save(path, names, kept.coefficients, kept.intercept, kept.card)
    again = load(path)
    assert again.probabilities(names[:50]) == pytest.approx(kept.probabilities(names[:50]))
    assert (again.threshold, again.card) == (kept.threshold, kept.card)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match="train-reader"):
        load(path)
    save(path, names[1:], kept.coefficients, kept.intercept, kept.card)
    with pytest.raises(InputError, match="features"):
        load(path)
    with pytest.raises(InputError, match=f"{path}.none cannot be read: No such file"):
        load(path.with_suffix(".npz.none"))


def test_members_of_a_list_have_the_same_features():
    text, mentions = marked(
        "{Cisplatin|Chemical} lowered {MDM2|Gene}, {TP53|Gene} and {RAF1|Gene} in {obesity|Disease}."
    )
    tree = parse(text, mentions)
    found = [{name for name, _ in features(PairView(tree, 0, member))} for member in (1, 2, 3)]
    assert found[0] == found[1] == found[2]
    listed = {name for name, _ in features(PairView(tree, 1, 2))}
    assert "same list:True" in listed and "same list:False" in found[0]
    assert listed != {name for name, _ in features(PairView(tree, 1, 4))}
