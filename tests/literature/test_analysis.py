"""The stemmer gives the same stems as the Porter stemmer of NLTK, for every word of a real corpus."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from literature import analysis
from literature.analysis import stem
from tests.literature.corpus import biored_texts


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The patient's IL-2 receptors weren't blocked", "patient il 2 receptor weren't block"),
        ("p<0.05, 1,000.5 mg; U.S.A. a.b 1.a a:b 1:2 1;2", "p 0.05 1,000.5 mg u.s.a a.b 1 a:b 1 2 1;2"),
        ("foo_bar _a __ _1_", "foo_bar _a _1_"),
        ("β-catenin’s naïve ÜBER", "β catenin naïv über"),
        ("ΑΣ İstanbul", "ασ istanbul"),
        ("中文 かな カタカナ", "中 文 か な カタカナ"),
        ("☂ e\u0301tude", "☂ e\u0301tud"),
        ("AND or NOT (the of)", ""),
        ("", ""),
    ],
)
def test_words_become_the_tokens_of_lucenes_english_analyzer(text, wanted):
    # The wanted tokens were printed by Lucene 10.3's EnglishAnalyzer.
    assert " ".join(analysis.tokens(text)) == wanted


def test_a_very_long_word_is_cut_where_lucene_cuts_it():
    assert [len(token) for token in analysis.tokens("a" * 600)] == [255, 255, 90]


@given(st.text(st.characters(max_codepoint=127)))
def test_the_ascii_shortcut_gives_the_same_words(text):
    assert analysis._ASCII_TOKEN.findall(text) == analysis._TOKEN.findall(text)


def test_the_ascii_shortcut_gives_the_same_words_on_real_abstracts(data):
    for text in biored_texts().values():
        assert analysis._ASCII_TOKEN.findall(text) == analysis._TOKEN.findall(text)


@given(st.text())
def test_any_text_can_be_analysed_and_tokens_contain_no_whitespace(text):
    assert all(token and not any(c in " \t\n\r\f\v" for c in token) for token in analysis.tokens(text))


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("cats", "cat"), ("agreed", "agre"), ("feed", "feed"),
        ("hopping", "hop"), ("filing", "file"), ("falling", "fall"), ("happy", "happi"), ("sky", "sky"),
        ("relational", "relat"), ("conformabli", "conform"), ("radically", "radic"), ("hopefulness", "hope"),
        ("adoption", "adopt"), ("probate", "probat"), ("controll", "control"), ("is", "is"), ("il2", "il2"),
    ],
)  # fmt: skip
def test_examples_of_porters_paper_are_stemmed_as_there(word, wanted):
    assert stem(word) == wanted


def test_a_real_vocabulary_is_stemmed_as_by_nltk(data):
    reference = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
    words = set(re.findall(r"[a-z]+", " ".join(biored_texts().values()).lower()))
    assert len(words) > 8000
    assert {word: stem(word) for word in words} == {word: reference.stem(word) for word in words}
