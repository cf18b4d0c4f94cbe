"""What a sentence says about two things: sign, denial, and whether it states anything at all."""

import pytest

from knowhd import lexicon
from knowhd.claims.grammar.masked import Masked
from knowhd.rules.reading import Thing, read
from tests.knowhd.conftest import mention


def reading(text, first, second, harmful=True):
    parsed = Masked(text, sorted((mention(text, first), mention(text, second)), key=lambda m: m.start))
    return read(next(parsed.doc.sents), Thing(parsed.places(first)), Thing(parsed.places(second), harmful))


SIGNED = [
    # plain verbs, active and passive
    (1, "Aspirin causes myocardial infarction.", "aspirin", "myocardial infarction"),
    (-1, "Aspirin treats headache.", "aspirin", "headache"),
    (-1, "Type 2 diabetes is treated with metformin.", "metformin", "type 2 diabetes"),
    (1, "Iron overload leads to hemochromatosis.", "iron", "hemochromatosis"),
    (-1, "Levodopa relieves the symptoms of Parkinson disease.", "levodopa", "parkinson disease"),
    (-1, "Amiodarone controls cardiac arrhythmias but can also provoke them.", "amiodarone", "cardiac arrhythmias"),
    # nouns and adjectives
    (-1, "Metformin is effective against type 2 diabetes.", "metformin", "type 2 diabetes"),
    (-1, "Metformin is used to treat type 2 diabetes.", "metformin", "type 2 diabetes"),
    (1, "Cisplatin-induced nephrotoxicity was observed.", "cisplatin", "nephrotoxicity"),
    (1, "Headache is a side effect of ibuprofen.", "headache", "ibuprofen"),
    (1, "Smoking is a risk factor for lung cancer.", "smoking", "lung cancer"),
    # signs multiply along the way
    (-1, "Aspirin reduces the risk of stroke.", "aspirin", "stroke"),
    (-1, "Vitamin D deficiency increases the risk of asthma.", "vitamin D", "asthma"),
    (-1, "Low vitamin D levels are associated with increased risk of asthma.", "vitamin D", "asthma"),
    (-1, "Scurvy is caused by a lack of ascorbic acid.", "scurvy", "ascorbic acid"),
    # good for the patient is less of the disease
    (-1, "Statins improve survival in sepsis.", "statins", "sepsis"),
    (-1, "Statins increase survival in sepsis.", "statins", "sepsis"),
    (1, "Smoking worsens asthma.", "smoking", "asthma"),
]

#: What is impaired or improved is one thing, and the disease only where it happens.
STAGED = [
    (-1, "Insulin secretion is impaired in type 2 diabetes.", "insulin", "type 2 diabetes"),
    (-1, "Type 2 diabetes impairs insulin secretion.", "insulin", "type 2 diabetes"),
    (-1, "Impaired insulin secretion causes type 2 diabetes.", "insulin", "type 2 diabetes"),
    (-1, "Impairment of insulin secretion occurs in type 2 diabetes.", "insulin", "type 2 diabetes"),
    (-1, "Type 2 diabetes compromises insulin action.", "insulin", "type 2 diabetes"),
    (-1, "Insulin function is reduced in type 2 diabetes.", "insulin", "type 2 diabetes"),
    (-1, "Insulin sensitivity is damaged in patients with type 2 diabetes.", "insulin", "type 2 diabetes"),
    (1, "Insulin secretion is improved in type 2 diabetes.", "insulin", "type 2 diabetes"),
    (-1, "Insulin improves type 2 diabetes.", "insulin", "type 2 diabetes"),
    (1, "Aspirin worsens type 2 diabetes.", "aspirin", "type 2 diabetes"),
    (-1, "Type 2 diabetes is improved by metformin.", "metformin", "type 2 diabetes"),
    (-1, "Metformin improves outcomes in type 2 diabetes.", "metformin", "type 2 diabetes"),
    (-1, "Metformin improves control of type 2 diabetes.", "metformin", "type 2 diabetes"),
    (1, "Ibuprofen impairs recovery from type 2 diabetes.", "ibuprofen", "type 2 diabetes"),
]


@pytest.mark.parametrize(("sign", "text", "first", "second"), STAGED)
def test_better_and_worse_speak_of_what_they_act_on(sign, text, first, second):
    said = reading(text, first, second)
    assert said is not None
    assert said.sign == sign


@pytest.mark.parametrize(("sign", "text", "first", "second"), SIGNED)
def test_the_sign_of_what_is_said_about_a_disease(sign, text, first, second):
    said = reading(text, first, second)
    assert said is not None
    assert (said.sign, said.negated, said.asserted, said.related) == (sign, False, True, True)


@pytest.mark.parametrize(
    ("sign", "text", "first", "second"),
    [
        (-1, "Simvastatin lowers cholesterol.", "simvastatin", "cholesterol"),
        (-1, "Knockdown of TP53 increased MDM2 expression.", "TP53", "MDM2"),
        (-1, "MDM2 is a negative regulator of TP53.", "MDM2", "TP53"),
        (-1, "MDM2 negatively regulates TP53.", "MDM2", "TP53"),
        (1, "Metformin improves insulin.", "metformin", "insulin"),
        (1, "Metformin inhibits mTOR and activates AMPK.", "metformin", "AMPK"),
        (-1, "Metformin lowers glucose by activating AMPK.", "metformin", "glucose"),
        (1, "Metformin lowers glucose by activating AMPK.", "metformin", "AMPK"),
        (0, "TP53 interacts with MDM2.", "TP53", "MDM2"),
        (0, "The association between coffee and tea is strong.", "coffee", "tea"),
        (1, "Coffee and tea are positively correlated.", "coffee", "tea"),
        (-1, "Coffee and tea are inversely correlated.", "coffee", "tea"),
        (1, "Coffee has a positive correlation with tea.", "coffee", "tea"),
        (-1, "There is a negative correlation between coffee and tea.", "coffee", "tea"),
    ],
)
def test_the_sign_of_what_is_said_about_anything_else(sign, text, first, second):
    said = reading(text, first, second, harmful=False)
    assert said is not None
    assert (said.sign, said.negated, said.related) == (sign, False, True)


@pytest.mark.parametrize(
    ("sign", "text", "first", "second"),
    [
        (1, "Metformin did not increase stroke.", "metformin", "stroke"),
        (-1, "Metformin failed to reduce stroke.", "metformin", "stroke"),
        (-1, "There is no evidence that metformin reduces stroke.", "metformin", "stroke"),
        (-1, "It is unlikely that metformin reduces stroke.", "metformin", "stroke"),
        (-1, "We found little evidence that metformin reduces stroke.", "metformin", "stroke"),
        (1, "Metformin lowers glucose without causing hypoglycemia.", "metformin", "hypoglycemia"),
        (-1, "Aspirin is not effective for stroke prevention.", "aspirin", "stroke"),
        (-1, "Neither aspirin nor warfarin prevented stroke.", "aspirin", "stroke"),
        (-1, "No reduction in stroke was seen with aspirin.", "aspirin", "stroke"),
        (-1, "No patient with stroke benefits from aspirin.", "aspirin", "stroke"),
        (0, "There was no association between coffee and cancer.", "coffee", "cancer"),
        (0, "Simvastatin had no effect on Parkinson disease.", "simvastatin", "parkinson disease"),
    ],
)
def test_a_denial_is_told_from_its_sign(sign, text, first, second):
    said = reading(text, first, second)
    assert said is not None
    assert (said.sign, said.negated) == (sign, True)


@pytest.mark.parametrize(
    "text",
    [
        "We investigated whether aspirin prevents stroke.",
        "The aim was to test if aspirin reduces stroke.",
        "It remains unclear how aspirin reduces stroke.",
        "Does aspirin prevent stroke?",
    ],
)
def test_asking_and_planning_assert_nothing(text):
    said = reading(text, "aspirin", "stroke")
    assert said is None or not said.asserted


def test_maybe_is_hedged():
    assert reading("Aspirin may prevent stroke.", "aspirin", "stroke").hedged
    assert not reading("Aspirin prevents stroke.", "aspirin", "stroke").hedged


def test_two_subjects_of_one_verb_are_not_related_by_it():
    assert not reading("Aspirin and ibuprofen cause bleeding.", "aspirin", "ibuprofen").related


@pytest.mark.parametrize(
    "text", ["Aspirin increases glucose in stroke.", "In stroke, glucose was increased by aspirin."]
)
def test_what_is_only_the_stage_is_not_acted_on(text):
    assert reading(text, "aspirin", "stroke") is None
    assert reading(text, "aspirin", "glucose").sign == 1


def test_a_denial_elsewhere_in_the_sentence_does_not_reach_the_pair():
    text = "The kinase stays active without a signal, and the activity of BRAF is increased in melanoma."
    said = reading(text, "BRAF", "melanoma")
    assert (said.sign, said.negated) == (1, False)


def test_no_word_is_both_more_and_less():
    assert not lexicon.RAISING & lexicon.LOWERING
    assert not lexicon.BETTERING & lexicon.WORSENING
    assert {lexicon.sign_of(word) for word in ("lowers", "lowered", "glucose-lowering", "reducing")} == {-1}
    assert {lexicon.sign_of(word) for word in ("raises", "increased", "cisplatin-induced")} == {1}
    assert lexicon.sign_of("table") == 0
