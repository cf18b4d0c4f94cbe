"""Rewordings of names of diseases, chemicals and genes, and the certainty of each."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.rewording import MOST, Sureness, rewordings

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
