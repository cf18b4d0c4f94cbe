"""What sentences say of chance, by figures and by words beside them."""

from time import perf_counter

import pytest

from knowhd.calibration.labelled import pair_of
from knowhd.rules.clause import clause_at
from knowhd.rules.judge import RuleJudge
from knowhd.rules.significance import maybe_chance

FELL = "Karnex lowered blood pressure"


@pytest.mark.parametrize(
    "figures",
    [
        "(P = 0.42)",
        "(n = 235; p = .42)",
        "(95% CI -9 to 1; n = 235; P = 0.42)",
        "[n = 235; p > .05]",
        "(t(40) = 1.2; p = .42)",
        "(F[1, 40] = 1.2; p = .42; n = 9)",
        "(p=.42, n=40)",
        "(p >= .06)",
        "with a p of .42",
        "at a P value of 0.07",
        ", P value .42",
        "(P = .42 and P = .61)",
        "(n = 40; n.s.)",
        "(P = NS)",
        "(40 mm Hg, not significant)",
        "(p = .42), but did not change DOL2",
    ],
)
def test_what_may_be_chance_shows_no_difference(figures):
    pair = pair_of("Karnex lowers blood pressure.", f"{FELL} {figures}.", "not_enough", "")
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == "not_enough"


@pytest.mark.parametrize(
    "figures",
    [
        "",
        "(n = 120)",
        "(n = 235; p = .042)",
        "(n = 235; p < .001)",
        "(P = 0.05)",
        "with a p of .01",
        "(p < .001), but not DOL2 (n = 40; p = .42)",
        "(p = .42) at first and (p = .01) later",
        "in P 1 wards",
        "in carriers of p53",
    ],
)
def test_what_is_none_shows_one(figures):
    pair = pair_of("Karnex lowers blood pressure.", f"{FELL} {figures}.", "supported", "")
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [("Karnex does not lower blood pressure.", "supported"), ("Karnex lowers blood pressure.", "contradicted")],
)
def test_a_figure_beside_a_denial_bears_it_out(claim, verdict):
    pair = pair_of(claim, "Karnex did not lower blood pressure (n = 40; p = .42).", "", "")
    assert RuleJudge().judge(pair.claim, pair.evidence)["literature"].verdict == verdict


def test_a_clause_does_not_end_within_brackets():
    text = "A fell (n = 4 [8; 9]; p = .4); B rose (n = 3"
    assert clause_at(text, 2) == (0, text.index("; B"))
    assert clause_at(text, text.index("B")) == (text.index(" B"), len(text))


@pytest.mark.parametrize("piece", ["(", "(p = ", "[(; ", "p .4;", "p value of ", "( not significant", "not ", ", ns, "])
def test_bad_input_is_read_in_linear_time(piece):
    begun = perf_counter()
    list(maybe_chance(piece * (20_000 // len(piece))))
    short = perf_counter() - begun
    assert short < 5
