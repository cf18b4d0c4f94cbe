"""The stemmer gives the same stems as the Porter stemmer of NLTK, for every word of a real corpus."""

import re

import pytest
from nltk.stem.porter import PorterStemmer

from literature.analysis import stem
from tests.literature.corpus import biored_texts


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
