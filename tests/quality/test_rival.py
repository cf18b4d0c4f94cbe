"""The plain dictionary with which linking is compared."""

from collections import Counter

from benchmarks.quality.corpus import Annotation
from benchmarks.quality.rival import Dictionary


def test_the_most_frequent_key_comes_first_and_unknown_strings_get_keys_of_similar_ones():
    mentioned = {"Disease|a": Counter({"Flu": 2}), "Disease|b": Counter({"flu": 1}), "Gene|1": Counter({"flu": 9})}
    named = {"Disease|b": Counter({"flu": 2, "influenza": 1})}
    dictionary = Dictionary(mentioned, named)
    assert dictionary.ranked(Annotation("FLU", "Disease", ())) == ["Disease|b", "Disease|a"]
    assert dictionary.ranked(Annotation("influenzae", "Disease", ()))[0] == "Disease|b"
    assert dictionary.ranked(Annotation("flu", "Chemical", ())) == []
