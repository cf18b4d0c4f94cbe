"""Results as abstracts tell them: no difference, later, and what was only thought."""

import pytest

from groundwork.language import Sentence, sentences
from groundwork.reading.placing import within
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.evidence.study import of_study
from knowhd.rules.judge import RuleJudge
from tests.knowhd.named import knowing


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    known = {
        "Chemical": "zorbafen, kestimab, aspirin, urate",
        "Gene": "DVX1",
        "Disease": "gout, stroke, asthma, dementia",
    }
    return knowing(tmp_path_factory.mktemp("names"), known)


def judged(names, text, abstract):
    claim, mentions = linked(text, Sentence(text, 0, len(text)), (), names), names.mentions(abstract)
    shown = [
        Passage(f"pmid:1#s{n}", 1, "", s.text, 1.0, False, n, within(mentions, s))
        for n, s in enumerate(sentences(abstract))
    ]
    return RuleJudge().judge(claim, Evidence((), of_study(shown)))["literature"].verdict


@pytest.mark.parametrize(
    ("claim", "abstract", "verdict"),
    [
        (
            "Zorbafen causes asthma.",
            "Asthma occurred as often in children exposed to zorbafen as in unexposed children.",
            "contradicted",
        ),
        (
            "Aspirin causes asthma.",
            "Asthma was no more frequent in children exposed to aspirin than in controls.",
            "contradicted",
        ),
        ("DVX1 is associated with gout.", "DVX1 was similarly distributed in gout and controls.", "contradicted"),
        (
            "DVX1 is associated with gout.",
            "The distribution of the DVX1 genotypes in gout did not differ significantly from the control group.",
            "contradicted",
        ),
        ("Zorbafen lowers urate.", "Urate was comparable in the zorbafen and placebo groups.", "contradicted"),
        # two that were given something each, and what is no likeness
        ("Zorbafen lowers urate.", "Urate did not differ between zorbafen and kestimab.", "not_enough"),
        (
            "Zorbafen causes asthma.",
            "Asthma was not as common in children on zorbafen as in unexposed children.",
            "not_enough",
        ),
        ("Zorbafen lowers urate.", "Urate fell with zorbafen as compared to placebo.", "supported"),
    ],
)
def test_what_is_the_same_as_in_controls_is_no_effect(names, claim, abstract, verdict):
    assert judged(names, claim, abstract) == verdict


@pytest.mark.parametrize(
    ("claim", "sentence", "verdict"),
    [
        ("Zorbafen lowers stroke.", "Zorbafen prolonged the time to stroke.", "supported"),
        ("Zorbafen lowers stroke.", "Zorbafen produced an increased latency to first stroke.", "supported"),
        ("Aspirin lowers stroke.", "Aspirin shortened the time to stroke.", "contradicted"),
        ("Zorbafen lowers dementia.", "Zorbafen delayed the onset of dementia.", "supported"),
        ("Aspirin increases dementia.", "Aspirin delayed the progression of dementia.", "contradicted"),
        # what is later is no disease, or it is not till then
        ("Zorbafen lowers urate.", "Zorbafen delayed urate excretion.", "not_enough"),
        ("Zorbafen increases urate.", "Zorbafen prolonged the time of exposure to urate.", "supported"),
        ("Zorbafen increases stroke.", "Zorbafen increased stroke over time.", "supported"),
    ],
)
def test_what_comes_later_is_less_of_a_disease(names, claim, sentence, verdict):
    assert judged(names, claim, sentence) == verdict


@pytest.mark.parametrize(
    ("abstract", "verdict"),
    [
        ("Zorbafen has been thought to lower urate. Its use is widespread.", "not_enough"),
        ("Zorbafen has long been believed to lower urate. It is cheap.", "not_enough"),
        ("We speculate that zorbafen lowers urate.", "not_enough"),
        ("It is tempting to speculate that zorbafen lowers urate.", "not_enough"),
        ("Zorbafen has been thought to lower urate. We found no effect of zorbafen on urate.", "contradicted"),
        ("Zorbafen has been thought to raise urate. Zorbafen lowered urate in 40 adults.", "supported"),
        # it is said, and of something else it was thought
        ("Zorbafen has been shown to lower urate.", "supported"),
        ("Zorbafen lowered urate, as has been found before.", "supported"),
    ],
)
def test_what_has_been_thought_or_speculated_is_no_finding(names, abstract, verdict):
    assert judged(names, "Zorbafen lowers urate.", abstract) == verdict
