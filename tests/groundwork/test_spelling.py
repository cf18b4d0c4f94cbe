"""Opposites by word, prefix and suffix; MEASURED.md says how many are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.spelling import MOST, PREFIXES, SCALES, SUFFIXES, Sureness, opposed, opposed_pairs, rewordings


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hypertrophy", "atrophy"),
        ("euthyroid", "hypothyroid"),
        ("normotensive", "hypertensive"),
        ("depolarization", "hyperpolarization"),
        ("esotropia", "exotropia"),
        ("retrograde", "anterograde"),
        ("heterozygous", "homozygous"),
        ("reversible", "irreversible"),
        ("asymptomatic", "symptomatic"),
        ("leukocytosis", "leukopenia"),
        ("thrombocytosis", "thrombocytopenia"),
        ("eosinophilia", "eosinopenia"),
        ("bronchodilators", "bronchoconstrictor"),
        ("sympatholytics", "sympathomimetics"),
        ("lipogenesis", "lipolysis"),
        ("seropositive", "seronegative"),
        ("aggravates", "alleviated"),
        ("inducing", "suppresses"),
        ("boosts", "depletes"),
        ("intensified", "curbed"),
        ("relief", "aggravation"),
        ("silencers", "enhancer"),
        ("Acidosis", "ALKALOSIS"),
    ],
)
def test_opposites_are_known_both_ways_and_in_any_form_of_the_word(one, other):
    assert opposed(one, other)
    assert opposed(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anions", "ions"),
        ("serine", "anserine"),
        ("pair", "impair"),
        ("press", "impress"),
        ("analysis", "catalysis"),
        ("deduce", "reduce"),
        ("increase", "increases"),
        ("inhibits", "suppressed"),
        ("penia", "cytosis"),
        ("leukopenia", "lymphopenia"),
        ("polynucleotides", "oligonucleotides"),
    ],
)
def test_words_that_only_look_like_opposites_are_not_recognised(one, other):
    assert not opposed(one, other)
    assert not opposed(other, one)


def test_a_prefix_may_be_joined_with_a_hyphen():
    assert opposed_pairs("pro-apoptotic genes", "anti-apoptotic genes") == (("proapoptotic", "antiapoptotic"),)
    assert opposed_pairs("was up-regulated", "was downregulated") == (("upregulated", "downregulated"),)
    assert opposed_pairs("pre-mRNA", "post-mRNA") == (("premrna", "postmrna"),)


@given(st.sampled_from([word for scale in SCALES for end in scale for word in end.split()]), st.data())
def test_no_word_is_on_both_ends_of_a_scale_or_opposes_itself(word, data):
    other = data.draw(st.sampled_from([word, f"{word}s"]))
    assert not opposed(word, other)


@given(st.text("abcdefghij", min_size=7, max_size=12), st.sampled_from(PREFIXES), st.sampled_from(SUFFIXES))
def test_affixes_on_any_stem_make_opposites(stem, prefixes, suffixes):
    x, y, _ = prefixes
    assert opposed(x + stem, y + stem)
    assert opposed(stem + suffixes[0], stem + suffixes[1])


MADE = {
    ("type 2 diabetes mellitus", "diabetes mellitus, type 2"): Sureness.REORDERED,
    ("Leukodystrophy, Metachromatic", "Metachromatic Leukodystrophy"): Sureness.REORDERED,
    ("experimental autoimmune encephalomyelitis", "encephalomyelitis, autoimmune, experimental"): Sureness.REORDERED,
    ("cancer of the lung", "lung cancer"): Sureness.REORDERED,
    ("Type II diabetes", "Type 2 diabetes"): Sureness.REORDERED,
    ("type II diabetes mellitus", "diabetes mellitus, type 2"): Sureness.REORDERED,
    ("Ca2+", "calcium"): Sureness.REORDERED,
    ("b-thalassemia", "beta-thalassemia"): Sureness.REORDERED,
    ("(+)-methamphetamine", "methamphetamine"): Sureness.REORDERED,
    ("attention-deficit/hyperactivity disorder", "attention-deficit hyperactivity disorder"): Sureness.REORDERED,
    ("hypertensive", "hypertension"): Sureness.INFLECTED,
    ("cardiotoxic", "cardiotoxicity"): Sureness.INFLECTED,
    ("diabetic", "diabetes"): Sureness.INFLECTED,
    ("renal damage", "kidney diseases"): Sureness.SYNONYM,
    ("lung cancer", "lung neoplasms"): Sureness.SYNONYM,
    ("hearing and visual impairment", "hearing impairment"): Sureness.BROADER,
    ("cardiac, renal, and thymic malformations", "renal malformations"): Sureness.BROADER,
    ("malaria infection", "malaria"): Sureness.BROADER,
    ("acute stroke", "stroke"): Sureness.BROADER,
    ("juvenile idiopathic arthritis", "arthritis, juvenile"): Sureness.BROADER,
    ("tobramycin sulfate", "tobramycin"): Sureness.BROADER,
    ("human GADD45A gene", "GADD45A gene"): Sureness.BROADER,
}


@pytest.mark.parametrize(("phrase", "other"), MADE, ids=" > ".join)
def test_a_phrase_is_reworded_with_its_certainty(phrase, other):
    assert rewordings(phrase)[other] == MADE[phrase, other]


def test_surer_rewordings_come_first():
    ranks = list(rewordings("severe renal damage").values())
    assert ranks == sorted(ranks)


def test_a_sentence_is_not_reworded():
    assert rewordings("the patients who were given the drug had a severe renal damage") == {}


@given(st.text(max_size=60))
def test_any_text_is_reworded_within_bounds(text):
    made = rewordings(text)
    assert len(made) <= MOST
    assert text not in made and all(len(other) > 1 for other in made)
