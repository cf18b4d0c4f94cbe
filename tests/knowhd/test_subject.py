"""What a claim is about, and whether an article names it: pairs written before the code that they test."""

import pytest

from knowhd.calibration.labelled import pair_of
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.rules.judge import RuleJudge
from knowhd.rules.subject import subject_of


def judged(claim, sentences, title=""):
    """The literature's judgement on a claim beside some sentences of one article."""
    shown = [Passage(f"pmid:1#s{n}", 1, title, each, 1.0, False, n) for n, each in enumerate(sentences)]
    pair = pair_of(claim, "None.", "supported", "")
    return RuleJudge().judge(pair.claim, Evidence((), tuple(shown)))["literature"]


#: Claims whose subject the article never names, though it shares what is said of it.
STRANGERS = {
    "another fruit": ("Bananas cured krell fever.", ["Zorbafen cured krell fever."]),
    "another drug": (
        "Metformin shortened hospital stay by two days.",
        ["Aspirin shortened hospital stay by two days."],
    ),
    "in the passive": ("Krell fever was cured by mirvanib.", ["Krell fever was cured by zorbafen."]),
    "a use of it": ("The use of bananas cured krell fever.", ["The use of zorbafen cured krell fever."]),
    "a dose of it": ("A daily dose of bananas cured krell fever.", ["A daily dose of zorbafen cured krell fever."]),
    "pills of it": ("Banana pills cured krell fever.", ["Zorbafen pills cured krell fever."]),
    "treatment with it": ("Treatment with mirvanib cured krell fever.", ["Treatment with zorbafen cured krell fever."]),
    "of one kind": ("Yellow bananas cured krell fever.", ["Zorbafen cured krell fever."]),
    "of the same kind": ("The new drug mirvanib cured krell fever.", ["The new drug zorbafen cured krell fever."]),
    "behind authors": ("Kim et al. found that mirvanib cured krell fever.", ["Zorbafen cured krell fever."]),
    "behind a study": ("A study showed that mirvanib cured krell fever.", ["This study: zorbafen cured krell fever."]),
    "behind a frame": ("It is true that mirvanib cured krell fever.", ["It is true that zorbafen cured krell fever."]),
    "authors of both": ("We found that mirvanib cured krell fever.", ["We found that zorbafen cured krell fever."]),
    "two of them": ("Bananas and mirvanib cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "its letters": ("Bananas cured krell fever.", ["BNZ cured krell fever."]),
    "a drug unsaid": ("Mirvanib cured krell fever.", ["This drug cured krell fever."]),
    "a pronoun": ("It cured krell fever.", ["Zorbafen cured krell fever."]),
    "another title": ("Mirvanib cured krell fever.", ["The drug cured krell fever."], "Zorbafen in krell fever"),
    "what it acts on": ("Krell fever raised blood pressure in rats.", ["Zorbafen raised blood pressure in rats."]),
    "in many sentences": (
        "Bananas cured krell fever.",
        ["We treated 40 adults.", "Krell fever was common.", "Zorbafen cured krell fever.", "Nobody died."],
    ),
    "passive in many sentences": (
        "Krell fever was cured by bananas.",
        ["We treated 40 adults.", "Krell fever was common.", "Krell fever was cured by zorbafen.", "Nobody died."],
    ),
    "one of two clauses in many sentences": (
        "Bananas cured krell fever and mortality fell.",
        ["We treated 40 adults.", "Krell fever was common.", "Zorbafen cured krell fever.", "Mortality fell."],
    ),
    "a light head in many sentences": (
        "The use of bananas cured krell fever.",
        ["The use of masks was common.", "Krell fever was common.", "Zorbafen cured krell fever.", "Nobody died."],
    ),
    "whom it was given to": (
        "Patients who took bananas recovered from krell fever.",
        ["Patients who took zorbafen recovered from krell fever."],
    ),
    "after it": ("Patients recovered after bananas.", ["Patients recovered after zorbafen."]),
    "what it fell with": ("Risk of krell fever fell with bananas.", ["Risk of krell fever fell with zorbafen."]),
    "an effect of it": (
        "The effect of bananas on krell fever was large.",
        ["The effect of zorbafen on krell fever was large."],
    ),
    "children given it": (
        "Children given bananas recovered from krell fever.",
        ["Children given zorbafen recovered from krell fever."],
    ),
    "another vitamin": ("Vitamin C lowered mortality.", ["Vitamin D lowered mortality."]),
    "where it comes from": ("Bananas from Peru cured krell fever.", ["Zorbafen from Peru cured krell fever."]),
    "giving it": ("Giving bananas early cured krell fever.", ["Giving zorbafen early cured krell fever."]),
    "what is likely": (
        "It is believed that it is likely that bananas cured krell fever.",
        ["It is believed that it is likely that zorbafen cured krell fever."],
    ),
    "another short form": ("VDX lowered mortality.", ["Zorbafen and krellin (ZK) lowered mortality."]),
}

#: Claims whose subject the article names, each in its own way.
KNOWN = {
    "as it is": ("Zorbafen cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "plural": ("A banana cured krell fever.", ["Bananas cured krell fever in 40 adults."]),
    "derived": ("Obesity raised mortality of krell fever.", ["Obese adults had a raised mortality of krell fever."]),
    "short form": (
        "Angiotensin receptor blockers cured krell fever.",
        ["Angiotensin receptor blockers (ARBs) were given.", "ARBs cured krell fever in 40 adults."],
    ),
    "short form only in the claim": (
        "MTX cured krell fever.",
        ["Methotrexate (MTX) was given.", "Methotrexate cured krell fever in 40 adults."],
    ),
    "defined in the claim": (
        "Krellic acid (KRA) cured krell fever.",
        ["KRA cured krell fever in 40 adults."],
    ),
    "defined in the title": (
        "Angiotensin receptor blockers cured krell fever.",
        ["ARBs cured krell fever in 40 adults."],
        "Angiotensin receptor blockers (ARBs) in krell fever",
    ),
    "initials alone": (
        "High blood pressure raised mortality of krell fever.",
        ["HBP raised mortality of krell fever."],
    ),
    "one word for it": (
        "High blood pressure raised mortality of krell fever.",
        ["Hypertension raised mortality of krell fever."],
    ),
    "another name": ("Advil cured krell fever.", ["Ibuprofen cured krell fever in 40 adults."]),
    "part of a phrase": ("Zorbafen tablets of 5 mg cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "head unsaid": (
        "Elevated zorbafen concentrations cured krell fever.",
        ["Zorbafen cured krell fever in 40 adults."],
    ),
    "a kind and its name": (
        "The antiviral drug mirvanib cured krell fever.",
        ["Mirvanib cured krell fever in adults."],
    ),
    "in the title only": (
        "Zorbafen cured krell fever.",
        ["The drug cured krell fever in adults."],
        "Zorbafen in adults",
    ),
    "this drug": ("Zorbafen cured krell fever.", ["Zorbafen was given.", "This drug cured krell fever in 40 adults."]),
    "these patients": (
        "Smokers died of krell fever more often.",
        ["We followed smokers.", "These patients died of krell fever more often."],
    ),
    "behind authors": ("Kim et al. found that zorbafen cured krell fever.", ["Zorbafen cured krell fever in adults."]),
    "behind us": ("We found that zorbafen cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "behind research": ("Research shows zorbafen cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "behind a group": (
        "They demonstrated that zorbafen cured krell fever.",
        ["Zorbafen cured krell fever in 40 adults."],
    ),
    "agent": ("Krell fever was cured by zorbafen.", ["Zorbafen cured krell fever in 40 adults."]),
    "use of it": ("The use of zorbafen cured krell fever.", ["Zorbafen cured krell fever in 40 adults."]),
    "doing it": ("Giving zorbafen early cured krell fever.", ["Early zorbafen cured krell fever in 40 adults."]),
    "a pronoun behind its noun": (
        "Zorbafen cured krell fever and it lowered mortality.",
        ["Zorbafen cured krell fever and lowered mortality."],
    ),
    "whom it was given to": (
        "Patients who took zorbafen recovered from krell fever.",
        ["Zorbafen let patients recover from krell fever."],
    ),
    "who studied it": ("Okafor and Lind examined krell fever.", ["We examined krell fever in 40 adults."]),
    "an everyday phrase in the article": (
        "Hypertension raised mortality of krell fever.",
        ["High blood pressure raised mortality of krell fever."],
    ),
    "in many sentences": (
        "Zorbafen cured krell fever.",
        ["We gave zorbafen.", "Krell fever was common.", "The drug cured krell fever in adults.", "Nobody died."],
    ),
}


@pytest.mark.parametrize("case", STRANGERS.values(), ids=STRANGERS)
def test_an_article_that_never_names_the_subject_decides_nothing(case):
    found = judged(*case)
    assert (found.verdict, dict(found.stances)) == ("not_enough", {})


@pytest.mark.parametrize("case", KNOWN.values(), ids=KNOWN)
def test_an_article_that_names_the_subject_in_its_own_way_decides(case):
    found = judged(*case)
    assert "do not name" not in found.reason
    assert found.verdict == "supported"


def test_what_is_said_to_be_said_is_what_the_claim_is_about():
    text = "It is believed that it is likely that zorbafen cured krell fever."
    assert subject_of(pair_of(text, "None.", "supported", "").claim).text == "zorbafen"


def test_the_reason_tells_who_says_it_of_something_else():
    assert "1 of 1 articles say nearly the same of something else" in judged(*STRANGERS["children given it"]).reason
    assert "something else" not in judged(*KNOWN["as it is"]).reason
