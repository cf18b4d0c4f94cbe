"""Sentences with marked ends as word pieces."""

import pytest

from groundwork.reading.encoder import LONGEST, WordPieces, marked, markers, words

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
