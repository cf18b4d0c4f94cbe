"""Normal forms of names, the window of candidates for near matches, and the lookup of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz

from cypher import names
from cypher.names import CUTOFF, find, find_all, forms_of, nearest, normalise, window
from groundwork.records import Concept

WORDS = st.text(alphabet="abcdeéαβßẞ -1", max_size=14)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("IL-6", "il 6"),
        ("Straße", "STRASSE"),
        ("ﬁbrin", "FIBRIN"),
        ("μ-opioid", "µ opioid"),
        ("Ca²⁺", "ca2+"),
        ("e\u0301", "É"),
        ("non\u2011small\u2013cell", "NonSmallCell"),
        ("a\u200bb\u00adc", "abc"),
        ("ΑΒΣ", "αβς"),
        ("TGF\u03921", "TGF-beta1"),
        ("ß-catenin", "beta-catenin"),
        ("Aß", "A-beta"),
        ("Tgfß1", "TGFẞ1"),
        ("IL-1ß", "IL-1β"),
        ("STRAẞE", "straße"),
    ],
)
def test_spellings_of_one_name_have_one_form(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), [("TNF-α", "TNF-a"), ("NAD", "NAD+"), ("IL-6", "IL-16"), ("5'", "5")])
def test_different_names_have_different_forms(one, other):
    assert normalise(one) != normalise(other)


def test_a_name_of_hyphens_alone_keeps_its_hyphen():
    assert normalise(" - ") == "-" and normalise("  ") == ""
    assert forms_of(Concept("Gene|1", " ", ("-",), (1,))) == {"gene|1", "-"}


@given(WORDS)
def test_normalising_twice_changes_nothing(text):
    assert normalise(normalise(text)) == normalise(text)


@given(WORDS.map(normalise), WORDS.map(normalise), st.sampled_from([0.6, 0.8, 0.95]))
def test_the_window_contains_every_near_name_that_shares_a_gram(one, other, cutoff):
    near = window(one, cutoff)
    shared = any(gram in other for gram in near.grams)
    if shared and fuzz.ratio(one, other) >= 100 * cutoff:
        assert near.holds(other)
    if near.holds(other):
        assert shared


def test_short_names_have_no_near_matches():
    assert window("ab", CUTOFF).grams == ()


class Names:
    species = ""

    def __init__(self, *concepts):
        self.all = concepts

    def named_by(self, forms):
        return [c for c in self.all if forms_of(c) & set(forms)]

    def forms_near(self, grams, shortest, longest):
        return [
            f for c in self.all for f in forms_of(c) if shortest <= len(f) <= longest and any(g in f for g in grams)
        ]

    def every_form(self):
        return {f for c in self.all for f in forms_of(c)}


@given(st.lists(WORDS.filter(str.strip), max_size=8), st.lists(WORDS, max_size=6), st.integers(1, 40))
def test_batches_of_any_size_find_the_same_as_single_lookups(called, texts, cells):
    index = Names(*(Concept(f"Gene|{n}", name, (name,), (n,)) for n, name in enumerate(called)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(names, "_CELLS", cells)
        assert find_all(index, texts) == {text: find(index, text) for text in texts}


def test_an_error_names_the_nearest_keys():
    index = Names(
        Concept("Chemical|MESH:D008687", "metformin", ("metformin",), (9,)),
        Concept("Chemical|MESH:D008686", "metergoline", ("metergoline",), (2,)),
        Concept("Gene|5742", "PTGS1", ("PTGS1",), (2,)),
    )
    assert nearest(index, "Chemical|MESH:D008688")[0] == "Chemical|MESH:D008687 (metformin)"
    assert nearest(index, "metformine")[0] == "Chemical|MESH:D008687 (metformin)"
    assert nearest(index, "Metformin") == ("Chemical|MESH:D008687 (metformin)",)
    assert nearest(index, "Species|9606") == nearest(index, "") == ()
