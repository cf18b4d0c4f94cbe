"""Figures of both groups, and ratios with their intervals, tell which way two things go."""

import time

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.rules.arms import by_figures
from knowhd.rules.judge import RuleJudge
from knowhd.rules.ratios import intervals, risk
from tests.knowhd.named import knowing


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    known = {
        "Chemical": "zorbafen, kestimab, aspirin, urate, leptin",
        "Gene": "DVX1, BDNF",
        "Disease": "gout, sepsis, depression, pancreatic cancer, stroke, asthma",
    }
    return knowing(tmp_path_factory.mktemp("names"), known)


def judged(names, text, sentence):
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    passage = Passage("pmid:1#s1", 1, "", sentence, 1.0, False, 1, names.mentions(sentence))
    return RuleJudge().judge(claim, Evidence((), (passage,)))["literature"].verdict


@pytest.mark.parametrize(
    ("claim", "sentence", "verdict"),
    [
        (
            "BDNF is higher in depression.",
            "Serum BDNF was 18.1 ng/ml in patients with depression and 26.4 ng/ml in controls (p < 0.001).",
            "contradicted",
        ),
        (
            "Leptin is raised in asthma.",
            "Leptin was 14.2 ± 3.1 in children with asthma versus 9.0 ± 2.2 in healthy children.",
            "supported",
        ),
        (
            "Zorbafen treats depression.",
            "In depression, the response rate at week 8 was 61% with zorbafen 150 mg and 28% with placebo (P < 0.001).",
            "supported",
        ),
        (
            "Zorbafen worsens sepsis.",
            "In sepsis, survival was 61% with zorbafen and 28% with placebo.",
            "contradicted",
        ),
        (
            "Zorbafen reduces pancreatic cancer.",
            "In pancreatic cancer, median survival was 6.1 months with zorbafen and 7.0 months without it.",
            "contradicted",
        ),
        (
            "Aspirin causes stroke.",
            "Stroke occurred in 4.1% of users of aspirin compared with 2.0% of non-users.",
            "supported",
        ),
        (
            "Zorbafen lowers urate.",
            "At week 4, urate had fallen by 2.1 mg/dl with zorbafen and by 0.3 mg/dl with placebo.",
            "supported",
        ),
        (
            "Zorbafen lowers DVX1.",
            "DVX1 was 4.4 in vehicle-treated mice and 3.1 in zorbafen-treated mice.",
            "supported",
        ),
        # it may be chance
        (
            "Zorbafen lowers urate.",
            "Urate was 6.1 mg/dl with zorbafen and 6.4 mg/dl with placebo (p = 0.4).",
            "not_enough",
        ),
        # two that were given something each
        ("Zorbafen lowers urate.", "Urate was 6.1 mg/dl with zorbafen and 7.0 mg/dl with kestimab.", "not_enough"),
        # not of the disease, but in those who have it
        (
            "Zorbafen treats gout.",
            "In gout, urate was 6.1 mg/dl with zorbafen and 7.0 mg/dl with placebo.",
            "not_enough",
        ),
        # nothing without how many there were
        ("Aspirin causes stroke.", "Stroke hit 12 patients with aspirin and 8 patients with placebo.", "not_enough"),
        # both groups were asked about something else
        (
            "Zorbafen lowers urate.",
            "Age was 61 with zorbafen and 63 with placebo, and urate was measured.",
            "not_enough",
        ),
    ],
)
def test_the_figures_of_both_groups_tell_which_way_it_goes(names, claim, sentence, verdict):
    assert judged(names, claim, sentence) == verdict


@pytest.mark.parametrize(
    ("claim", "sentence", "verdict"),
    [
        (
            "Aspirin increases stroke.",
            "Aspirin was associated with stroke (OR 0.62, 95% CI 0.45-0.85).",
            "contradicted",
        ),
        ("Aspirin decreases stroke.", "Aspirin was associated with stroke (OR 0.62, 95% CI 0.45-0.85).", "supported"),
        ("Leptin increases asthma.", "Leptin was associated with asthma (hazard ratio 1.8; 1.2 to 2.6).", "supported"),
        (
            "Leptin is associated with asthma.",
            "Leptin was associated with asthma (OR 1.8, 95% CI 1.2-2.6).",
            "supported",
        ),
        ("Aspirin increases stroke.", "Aspirin was associated with stroke (OR 1.32, 95% CI=0.98-1.77).", "not_enough"),
        ("Aspirin decreases stroke.", "Aspirin reduced stroke (hazard ratio 0.92, 95% CI 0.80-1.06).", "not_enough"),
        ("Aspirin decreases stroke.", "Aspirin reduced stroke (hazard ratio 0.72, 95% CI 0.60-0.86).", "supported"),
        # the ratio is of the good outcome
        ("Zorbafen increases sepsis.", "Zorbafen was related to recovery from sepsis (OR 2.1, 1.3-3.4).", "not_enough"),
        # what is found along with it is not more of it
        ("Zorbafen increases urate.", "Zorbafen was associated with urate (OR 2.1, 95% CI 1.3-3.4).", "not_enough"),
    ],
)
def test_a_ratio_beside_one_tells_which_way_two_things_go_together(names, claim, sentence, verdict):
    assert judged(names, claim, sentence) == verdict


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("(OR=2.26, 95% CI 1.68-3.02 in Czechs, OR=14.8, 95% CI 2.0-651 in Azeri)", [(1.68, 3.02), (2.0, 651.0)]),
        ("(hazard ratio [HR] = 0.38; 95% CI, 0.16 to 0.93; P = .020)", [(0.16, 0.93)]),
        ("hazard ratio for death, 0.79; 95% CI, 0.66 to 0.95", [(0.66, 0.95)]),
        ("(12 v 25 events; hazard ratio .48, 95 % CI .3-.8)", [(0.3, 0.8)]),
        ("odds ratio [OR] = 1.5; 95% confidence interval [CI] = 1.1-2.0", [(1.1, 2.0)]),
        ("mean difference -0.3 mmol/l, 95% CI -0.9 to 0.2", [(-0.9, 0.2)]),
        ("OR 1.8 in 2005-2009", []),
        ("with relative risks of 1.3, 2.2 and 5.0 for light, moderate and heavy use", []),
        ("the HR unit has 12 beds (10-14 in winter)", []),
    ],
)
def test_intervals_are_read_as_they_are_written(text, limits):
    assert [(each.low, each.high) for each in intervals(text)] == limits


def test_ratios_that_do_not_agree_tell_nothing():
    assert risk("OR 2.0 (1.5-2.7) in men and OR 0.5 (0.3-0.8) in women") == 0


@pytest.mark.parametrize(
    "piece", ["1 a with ", "1 in a and ", " 1", "OR 1", "difference 1 a ", "HR (HR) = 1 (95% CI ", " "]
)
def test_long_senseless_text_takes_no_long_time(piece):
    text = (piece * (100_000 // len(piece) + 1))[:100_000]
    started = time.perf_counter()
    intervals(text)
    by_figures(text, [(0, 1)], [(2, 3)], ill=True)
    assert time.perf_counter() - started < 10
