"""Questions become the statements they ask about."""

import pytest

from truthhypo.bench.grid.questions import statement


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does aspirin reduce fever?", "Aspirin reduces fever."),
        ("Do statins improve survival after stroke?", "Statins improve survival after stroke."),
        ("Does a low dose influence the outcome?", "A low dose influences the outcome."),
        ("Is obesity associated with asthma?", "Obesity is associated with asthma."),
        ("Is zinc an effective alternative to copper?", "Zinc is an effective alternative to copper."),
        ("Is there a link between coffee and gout?", "Coffee is associated with gout."),
        ("Can early feeding prevent sepsis?", "Early feeding can prevent sepsis."),
        ("Night work: is it harmful to the heart?", "Night work is harmful to the heart."),
        ("Night work: does it cause diabetes?", "Night work causes diabetes."),
        ("Night work: a new risk factor for diabetes?", "Night work is a new risk factor for diabetes."),
        ("Sleep in nurses: does night work cause diabetes?", "Night work causes diabetes."),
        ("Does smoking modify the risk?", "Smoking modifies the risk."),
        ("Aspirin reduces fever", "Aspirin reduces fever."),
        ("Aspirin reduces fever.", "Aspirin reduces fever."),
    ],
)
def test_a_question_becomes_its_statement(question, said):
    assert statement(question) == said


@pytest.mark.parametrize("text", ["?", "Why?", "Is it?", "Does?", "", "Do mice?"])
def test_a_text_that_is_not_a_question_still_becomes_a_statement(text):
    assert statement(text).endswith(".")
    assert "?" not in statement(text)
