"""What the shipped encoder reads: signs, denials, open questions and actors of plain sentences; and its file."""

import pytest

from groundwork.errors import InputError
from groundwork.reading.encoder import (
    LONGEST,
    Encoder,
    Marked,
    WordPieces,
    clearness,
    connect,
    marked,
    markers,
    shipped,
    words,
)

DRUG, GENES = ("Chemical", "Disease"), ("Gene", "Gene")


def read(text, types=DRUG):
    """Read a sentence about A and B."""
    ends = [tuple((at, at + 1) for at, letter in enumerate(text) if letter == name) for name in "AB"]
    return shipped().read([Marked(text, *ends, types)])[0]


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("A lowers B.", -1),
        ("A raises B.", 1),
        ("B was lowered by A.", -1),
        ("B is improved by A.", -1),
        ("Improvement of B by A in a trial.", -1),
        ("A worsens B.", 1),
        ("A attenuates B.", -1),
        ("A mutations predispose to B.", 1),
        ("A mutations protect against B.", -1),
        ("Inhibition of A raised B.", -1),
        ("A-induced B in a child.", 1),
    ],
)
def test_a_stated_sign_is_clear(text, sign):
    found = read(text)
    assert (found.sign, found.asserted, found.negated) == (sign, True, False)
    assert found.clear >= shipped().threshold


@pytest.mark.parametrize(
    "text",
    [
        "A does not lower B.",
        "A doesn’t lower B.",
        "A was expected to lower B but did not.",
        "A had no effect on B.",
        "There was no association between A and B.",
        "Neither A nor placebo lowered B.",
        "A failed to lower B.",
    ],
)
def test_a_denial_is_no_statement(text):
    found = read(text)
    assert found.negated
    assert found.clear < shipped().threshold


@pytest.mark.parametrize(
    "text",
    [
        "Effect of A on B in adults.",
        "Does A lower B?",
        "The aim was to find whether A lowers B.",
        "Patients with B were randomized to A or placebo.",
        "A 54-year-old man with B was treated with A.",
        "It is unknown whether A lowers B.",
        "A was studied with B.",
        "Levels of A and B were measured.",
    ],
)
def test_a_sentence_without_a_result_decides_nothing(text):
    assert read(text).clear < shipped().threshold


@pytest.mark.parametrize(
    ("text", "acts"),
    [("A inhibits B.", 0), ("B inhibits A.", 1), ("A is inhibited by B.", 1), ("B is blocked by A.", 0)],
)
def test_it_knows_who_acts(text, acts):
    assert read(text, GENES).acts == acts


def test_the_order_of_the_ends_changes_nothing_but_their_roles():
    text, one, other = "A inhibits B.", ((0, 1),), ((11, 12),)
    first, second = shipped().read([Marked(text, one, other, GENES), Marked(text, other, one, GENES)])
    assert (first.up, first.down, first.one_acts) == (second.up, second.down, second.other_acts)


def test_a_reading_does_not_depend_on_what_is_read_beside_it():
    alone = read("A lowers B.")
    beside = Encoder(shipped()._model).read(
        [
            Marked("Much longer sentences say that A raises B, too.", ((31, 32),), ((40, 41),), DRUG),
            Marked("A lowers B.", ((0, 1),), ((9, 10),), DRUG),
        ]
    )
    assert beside[1] == alone


def test_probabilities_sum_to_one():
    found = read("A may lower B.")
    assert found.up + found.down + found.related + found.none == pytest.approx(1, abs=1e-5)
    assert found.result + found.hedged + found.denied + found.unstated == pytest.approx(1, abs=1e-5)
    assert found.one_acts + found.other_acts <= 1 + 1e-5


def test_clearness_subtracts_the_opposite():
    assert clearness(0.8, 0.4) == pytest.approx(0.5)


@pytest.mark.parametrize(("content", "seen"), [(b"", "no weights"), (b"no model", "no weights")])
def test_other_files_are_refused(tmp_path, content, seen):
    path = tmp_path / "weights.onnx"
    path.write_bytes(content)
    with pytest.raises(InputError, match=seen) as told:
        connect(str(path))
    assert "train-reader" in str(told.value.wanted)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        connect(str(tmp_path / "none.onnx"))


def test_a_threshold_of_ones_own_is_used():
    assert connect("", 0.9).threshold == 0.9
    assert connect("").threshold == shipped().threshold != 0.9


VOCABULARY = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[SENTENCE]", "[DOCUMENT]", *markers(),
    "a", "lower", "##s", "##ed", "the", "-", "induced", "il", "6", "doesn", "'", "t", "cholesterol", "word", ",", ".",
]  # fmt: skip


@pytest.fixture
def pieces():
    return WordPieces(VOCABULARY)


def told(pieces, ids):
    return [VOCABULARY[number] for number in ids]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The lowers", ["the", "lower", "##s"]),
        ("IL-6 lowered", ["il", "-", "6", "lower", "##ed"]),
        ("IL–6", ["il", "-", "6"]),
        ("doesn’t", ["doesn", "'", "t"]),
        ("doesn't", ["doesn", "'", "t"]),
        ("chol\u00adesterol", ["cholesterol"]),
        ("chol\u200besterol", ["cholesterol"]),
        ("lówer", ["lower"]),
        ("zzz", ["[UNK]"]),
        ("a" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_text_is_divided_into_the_longest_known_pieces(pieces, text, found):
    assert told(pieces, pieces.of(text)) == found


def test_letters_of_every_script_and_control_signs_are_no_error(pieces):
    assert list(words("α\x00β\ufffd 中文\n")) == ["α", "β", "\ufffd", "中文"]


def test_ends_become_markers_of_their_types(pieces):
    text = "The X-induced Y lowers X."
    ids, ends = marked(pieces, text, ((4, 5), (23, 24)), ((14, 15),), ("Chemical", "Species"), ("[SENTENCE]",))
    assert told(pieces, ids) == [
        "[CLS]", "[SENTENCE]", "the", "[A-Chemical]", "-", "induced", "[B-Other]", "lower", "##s", "[A-Chemical]", ".", "[SEP]",
    ]  # fmt: skip
    assert ends == [0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("at", [0, 200, 390])
def test_a_long_sentence_is_cut_around_its_ends(pieces, at):
    text = "word " * at + "X lowers Y " + "word " * (400 - at)
    start = 5 * at
    ids, ends = marked(pieces, text, ((start, start + 1),), ((start + 9, start + 10),), ("Gene", "Gene"))
    assert len(ids) == len(ends) == LONGEST
    assert [e for e in ends if e] == [1, 2]


def test_ends_that_are_too_far_apart_are_still_read(pieces):
    text = "X " + "word " * 400 + "Y"
    ids, _ = marked(pieces, text, ((0, 1),), ((len(text) - 1, len(text)),), ("Gene", "Gene"))
    assert len(ids) == LONGEST
