"""Agreement and tests of a study by hand, and by the paper's Table 4."""

import pytest

from groundwork.statistics.significance import wilcoxon
from tests.truthhypo.bench.study.small_study import small
from truthhypo.bench.published import published
from truthhypo.bench.study.ballots import AGREED, Ballot
from truthhypo.bench.study.study_results import agreement, count


def test_agreement_by_hand():
    # Of ten: both high 4, both low 3, high against low 2, low against high 1.
    a = ["high"] * 4 + ["low"] * 3 + ["high"] * 2 + ["low"]
    b = ["high"] * 4 + ["low"] * 3 + ["low"] * 2 + ["high"]
    votes = [{f"p{place}": vote for place, vote in enumerate(each)} for each in (a, b)]

    found = agreement(*(Ballot(name, each) for name, each in zip("ab", votes, strict=True)))

    assert (found.n, found.same, found.share) == (10, 7, 0.7)
    # Chance: .6 * .5 + .4 * .5 = .5, so kappa = (.7 - .5) / .5.
    assert found.kappa == pytest.approx(0.4)
    assert -1 <= found.kappa_low < 0.4 < found.kappa_high <= 1
    assert found.low < 0.7 < found.high

    alike = Ballot("c", {"p0": "high", "p1": "high"})
    assert (agreement(alike, alike).share, agreement(alike, alike).kappa) == (1.0, None)
    mixed = Ballot("e", {"p0": "high", "p1": "low"})
    # If one annotator always chooses the same, kappa is 0, whatever the other chooses.
    assert (agreement(alike, mixed).kappa, agreement(alike, mixed).kappa_low) == (0.0, None)
    apart = Ballot("d", {"p9": "tie"})
    assert (agreement(alike, apart).n, agreement(alike, apart).share) == (0, None)


@pytest.mark.parametrize(("judge", "chosen", "sound"), [("GPT-4o", 33, 0.067), ("human", 32, 0.110)])
def test_table_4_comes_out_of_54_pairs(judge, chosen, sound):
    votes = {f"p{place}": "high" if place < chosen else "low" for place in range(54)}

    (found,) = count(small(54), [Ballot(judge, votes)]).annotators

    printed = published()
    assert round(100 * found.share, 2) == printed["Table 4", "highly-grounded", judge].value
    assert found.paper.p == pytest.approx(printed["Table 4", "p-value", judge].value, abs=5e-5)
    assert found.sound.p == pytest.approx(sound, abs=5e-4)
    assert "(paper)" in found.paper.test
    assert "(sound)" in found.sound.test


def test_the_printed_wilcoxon_follows_from_any_54_pairs_chosen_for_their_gap():
    found = wilcoxon([0.3 + place / 1000 for place in range(54)], [0.0] * 54, "larger")

    assert found.p == pytest.approx(published()["Table 4", "p-value", "groundedness"].value, rel=0.05)
    told = count(small(54), [Ballot("a", {"p0": "high"})])
    assert "circular" in told.circular.test
    assert told.groundedness == {"high": pytest.approx(0.9), "low": pytest.approx(0.4)}


def test_choices_are_counted_by_annotator_for_agreed_pairs_and_against_the_gold():
    first = Ballot("annotator-1", {"p0": "high", "p1": "low", "p2": "tie", "p3": "high"}, 2, 3)
    second = Ballot("annotator-2", {"p0": "high", "p1": "high", "p2": "tie"}, 2, 2)

    found = count(small(5), [first, second])

    (a, _, together) = found.annotators
    assert [one.name for one in found.annotators] == ["annotator-1", "annotator-2", AGREED]
    assert (a.high, a.low, a.ties, a.missing, a.first, a.first_of) == (2, 1, 1, 1, 2, 3)
    assert (together.high, together.low, together.ties, together.missing) == (1, 0, 1, 3)
    assert (a.right, a.right_of) == (2, 3)
    assert [(one.first, one.second, one.n, one.same) for one in found.agreement] == [
        ("annotator-1", "annotator-2", 3, 2),
    ]
    assert (found.truth["pairs"], found.truth["high"]) == (5, 5)
    assert count(small(5, same=True), [first]).truth == {"pairs": 0, "high": 0, "sound": None}
