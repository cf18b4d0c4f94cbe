"""Claims in which no two concepts were found, held against the literature by their wording."""

import re

import pytest

from groundwork.quoted import LONGEST
from knowhd.calibration.labelled import pair_of
from knowhd.rules.decision import CLASSES, decide, use_of
from knowhd.rules.features import NAMES, features
from knowhd.rules.judge import RuleJudge
from knowhd.rules.subject import subject_of
from knowhd.rules.worded import worded


def literature(claim, evidence):
    pair = pair_of(claim, evidence, "supported", "")
    return RuleJudge().judge(pair.claim, pair.evidence)["literature"]


def test_texts_with_nothing_in_common_are_on_neither_side():
    found = literature("Vaping raises blood pressure.", "Bats carry many viruses.")
    assert (found.verdict, dict(found.stances)) == ("not_enough", {})


def test_the_features_are_the_named_ones_and_finite():
    found = features("Zinc may cure colds.", ["Zinc did not cure colds in 20 trials."])
    assert set(found.values) == set(NAMES)
    assert all(abs(value) < 20 for value in found.values.values())
    assert found.values["denied_once"] == found.values["covered_denied"] == 1
    assert found.values["modest"] == 1
    assert found.together


@pytest.mark.parametrize(
    ("lay", "medical"),
    [("Advil is deadly.", "Mortality under ibuprofen rose."), ("Kids spread it.", "Pediatric transmission was seen.")],
)
def test_everyday_words_meet_those_of_medicine(lay, medical):
    assert features(lay, [medical]).together


def test_probabilities_are_those_of_a_distribution():
    decision = decide(features("Zinc cures colds.", ["Zinc shortened colds."]))
    assert 0 <= sum(decision.probabilities.values()) <= 1
    assert set(decision.probabilities) == set(CLASSES[:2])


def test_an_article_speaks_once_through_its_closest_sentence():
    found = literature("Zinc cures colds.", "We met. Zinc did not cure colds. Thanks.")
    assert list(found.probabilities) == ["pmid:1#s1"]


def test_few_sentences_and_many_passages_have_tables_of_their_own():
    assert (use_of(1), use_of(3), use_of(4)) == ("sentences", "sentences", "passages")


def test_the_reason_names_the_article_and_the_features_that_decided():
    pair = pair_of("Zinc cures colds.", "Zinc shortened colds and improved recovery of colds.", "supported", "")
    both = worded(pair.claim, pair.evidence)["both"]
    assert "by its wording alone" in both.reason
    if both.stances:
        assert "PMID 1" in both.reason
    assert worded(pair.claim, type(pair.evidence)((), ()))["both"].reason.startswith("No evidence")


def test_whoever_is_told_a_side_is_told_how_often_such_a_side_was_right():
    pair = pair_of("Zinc eases colds.", "Zinc shortened colds and improved recovery of colds.", "supported", "")
    both = worded(pair.claim, pair.evidence)["both"]
    (stance,) = both.stances.values()
    share = decide(features(pair.claim.text, [p.sentence for p in pair.evidence.literature])).right
    assert 0 < share < 1
    assert f"{share:.2f} of those that said {stance} were right" in both.reason
    nothing = pair_of("Vaping raises blood pressure.", "Bats carry many viruses.", "supported", "")
    assert "were right" not in worded(nothing.claim, nothing.evidence)["both"].reason


def test_an_article_that_does_not_name_the_one_concept_of_a_claim_says_nothing(stores):
    from groundwork.language import Sentence
    from knowhd.claims.claims import linked
    from knowhd.evidence.gather import Gatherer, Scope

    text = "Lettuce treats headache."
    claim = linked(text, Sentence(text, 0, len(text)), (), stores.linker)
    evidence = Gatherer(stores.graph, stores.literature, stores.linker).gather(claim, Scope())
    assert evidence.literature
    assert RuleJudge().judge(claim, evidence)["literature"].verdict == "not_enough"


CURED = "Zorbafen cured krell fever in 40 of 50 adults."


@pytest.mark.parametrize(
    ("claim", "missing"),
    [
        ("Bananas cured krell fever in 40 of 50 adults.", "'Bananas', which 1 of 1 articles do not name"),
        ("Krell fever was cured by bananas in 40 of 50 adults.", "'bananas', which 1 of 1 articles do not name"),
        ("The use of bananas cured krell fever in 40 of 50 adults.", "'bananas', which 1 of 1 articles do not name"),
        ("It is true that bananas cured krell fever in 40 of 50 adults.", "'bananas', which 1 of 1"),
        ("It cured krell fever in 40 of 50 adults.", "What 'It' stands for is not said"),
        ("The former cured krell fever in 40 of 50 adults.", "What 'former' stands for is not said"),
    ],
)
def test_an_article_that_does_not_name_the_subject_of_a_claim_decides_nothing(claim, missing):
    found = literature(claim, CURED)
    assert (found.verdict, dict(found.stances)) == ("not_enough", {})
    assert missing in found.reason


@pytest.mark.parametrize("claim", [CURED, "Krell fever was cured by zorbafen in 40 of 50 adults."])
def test_an_article_that_names_the_subject_of_a_claim_decides_it(claim):
    found = literature(claim, CURED)
    assert found.verdict == "supported"
    assert "do not name" not in found.reason


@pytest.mark.parametrize(
    "claim",
    [
        "The {0} cured krell fever.",
        "Zorbafen cured krell fever in adults if they had slept well in a {0}.",
    ],
)
def test_a_reason_quotes_no_more_of_a_long_claim_than_tells_it(claim):
    long = " ".join(f"very large green bowl of fruit number {n} and the" for n in range(20)) + " bananas"
    reason = literature(claim.format(long), "Mirvanib cured krell fever in adults.").reason
    quotes = re.findall(r"'([^']*)'", reason)
    assert any(quote.endswith(" ...") for quote in quotes)
    assert max(map(len, quotes)) <= LONGEST + 4


def test_who_speaks_of_others_than_a_claim_decides_nothing():
    pair = pair_of(
        "Nelfapride improves gastric emptying in humans.",
        "In diabetic rats, nelfapride accelerated gastric emptying by 40 %.",
        "not_enough",
        "",
    )
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == "not_enough"


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Cells need glucose.", "Cells were washed."),
        ("Cells do not need serum.", "The cells were washed twice."),
        ("Cancer cells grow faster than normal cells.", "Cells were washed."),
        ("Vaccines cause autism.", "Vaccines were stored at low temperature."),
        ("Patients recover quickly.", "Patients gave written consent."),
        ("Zorbafen is not safe in pregnancy.", "Zorbafen was bought from a supplier."),
    ],
)
def test_who_says_nothing_of_what_a_claim_says_decides_nothing(claim, told):
    found = literature(claim, told)
    assert (found.verdict, dict(found.stances)) == ("not_enough", {})


def test_the_reason_says_who_says_nothing_of_what_a_claim_says():
    assert "'Cells', and 1 of 1 articles name nothing" in literature("Cells need glucose.", "Cells were washed.").reason


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("Cells need glucose.", "Without sugar, cells died."),
        ("Vaccines cause autism.", "Vaccination was no cause of autism."),
        ("Zinc cures colds.", "Zinc shortened colds and improved recovery of colds."),
    ],
)
def test_who_says_something_of_both_in_other_words_may_decide(claim, told):
    pair = pair_of(claim, told, "supported", "")
    assert subject_of(pair.claim).told_of_by(pair.evidence.literature)


SCURVY = (
    "Forty adults with vitamin C deficiency were studied. Scurvy is caused by it. Patients were treated with ascorbic "
    "acid for a month. Gums healed within two weeks."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Vitamin C deficiency is treated with iron.",
        "Vitamin C deficiency is treated with zorbafen.",
        "Zinc treats vitamin C deficiency.",
        "Vitamin C deficiency causes anemia.",
        "Scurvy is treated with bananas.",
    ],
)
@pytest.mark.parametrize(
    "told", [SCURVY, "Vitamin C deficiency is treated with ascorbic acid.", "Vitamin C deficiency is common."]
)
def test_a_third_thing_that_is_not_in_the_evidence_is_decided_by_nothing(claim, told):
    assert literature(claim, told).verdict == "not_enough"


def test_what_is_in_it_may_be_decided():
    assert literature("Scurvy is caused by vitamin C deficiency.", SCURVY).verdict == "supported"
