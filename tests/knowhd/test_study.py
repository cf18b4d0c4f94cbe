"""Sentences of results that name only what came of a treatment are read with the one thing that the study gave."""

import pytest

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from groundwork.reading.placing import within
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.evidence.study import completed, of_study
from knowhd.rules.judge import RuleJudge
from tests.knowhd.named import knowing

GIVEN = "Sixty adults received zorbafen 20 mg daily for eight weeks, and blood was taken every fortnight. "


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    known = {
        "Chemical": "zorbafen, kestimab, urate, potassium",
        "Gene": "DVX1",
        "Disease": "gout, hypertension, sepsis",
    }
    return knowing(tmp_path_factory.mktemp("names"), known)


def article(names, text):
    mentions = names.mentions(text)
    parts = [part for sentence in sentences(text) for part in cut(sentence)]
    return of_study(
        [Passage(f"pmid:1#s{n}", 1, "", p.text, 1.0, False, n, within(mentions, p)) for n, p in enumerate(parts)]
    )


def judged(names, text, abstract):
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    return RuleJudge().judge(claim, Evidence((), article(names, abstract)))["literature"]


@pytest.mark.parametrize(
    ("claim", "abstract", "verdict"),
    [
        ("Zorbafen lowers urate.", GIVEN + "Serum urate fell by a fifth.", "supported"),
        (
            "Zorbafen raises urate.",
            GIVEN + "RESULTS: Serum urate fell from 9.1 to 7.2 mg/dl (P < 0.001).",
            "contradicted",
        ),
        ("Zorbafen lowers urate.", GIVEN + "Serum urate did not increase.", "not_enough"),
        (
            "Zorbafen lowers DVX1.",
            "Cells were incubated with zorbafen for 24 h. DVX1 expression was reduced.",
            "supported",
        ),
        (
            "Zorbafen lowers DVX1.",
            "Zorbafen was given to 12 rats. At eight weeks DVX1 was lower than in controls.",
            "supported",
        ),
        ("Zorbafen lowers urate.", "Adults received zorbafen or placebo. Serum urate was lower.", "supported"),
        # what it gave is told by the article itself
        ("Zorbafen lowers urate.", "Serum urate fell by a fifth. " + GIVEN, "not_enough"),
        ("Zorbafen lowers urate.", "Zorbafen is a new drug for gout. Serum urate fell by a fifth.", "not_enough"),
        (
            "Zorbafen lowers urate.",
            "Adults with gout often receive zorbafen. Serum urate fell by a fifth.",
            "not_enough",
        ),
        # one of several things that were given, or nothing
        ("Zorbafen lowers urate.", "Adults received zorbafen or kestimab. Serum urate fell by a fifth.", "not_enough"),
        (
            "Zorbafen lowers urate.",
            "Adults received zorbafen plus blorvatin. Serum urate fell by a fifth.",
            "not_enough",
        ),
        ("Zorbafen lowers urate.", "Adults received zorbafen or placebo. Serum urate fell in controls.", "not_enough"),
        # somebody else did it
        ("Zorbafen lowers urate.", GIVEN + "Kestimab reduced serum urate.", "not_enough"),
        ("Zorbafen lowers urate.", GIVEN + "Serum urate was lowered by diet.", "not_enough"),
        ("Zorbafen lowers urate.", GIVEN + "We asked whether serum urate was reduced.", "not_enough"),
    ],
)
def test_results_are_those_of_what_was_given(names, claim, abstract, verdict):
    assert judged(names, claim, abstract).verdict == verdict


def test_a_reason_says_that_the_study_gave_it(names):
    found = judged(names, "Zorbafen lowers urate.", GIVEN + "Serum urate fell by a fifth.")
    assert "whose study gave zorbafen" in found.reason
    assert found.stances == {"pmid:1#s1": "supports"}


def test_what_is_read_has_its_names_where_it_says_them(names):
    shown = article(names, GIVEN + "RESULTS: Potassium and DVX1 increased with age.")
    text, mentions = completed(shown[1])
    assert text == "With zorbafen, Potassium and DVX1 increased with age."
    assert [text[m.start : m.end] for m in mentions] == ["zorbafen", "Potassium", "DVX1"]
    assert completed(shown[0]) == (shown[0].sentence, shown[0].mentions)


OF_SEPSIS = "We randomised 120 adults with severe sepsis to zorbafen or placebo. "


@pytest.mark.parametrize(
    ("claim", "abstract", "verdict"),
    [
        ("Zorbafen treats sepsis.", OF_SEPSIS + "Mortality was lower with zorbafen than with placebo.", "supported"),
        ("Zorbafen reduces sepsis.", OF_SEPSIS + "RESULTS: Zorbafen reduced mortality by a third.", "supported"),
        ("Zorbafen worsens sepsis.", OF_SEPSIS + "Zorbafen prolonged survival.", "contradicted"),
        (
            "Zorbafen is not effective in sepsis.",
            OF_SEPSIS + "The response rate at day 7 was 61% with zorbafen 150 mg and 28% with placebo (P < 0.001).",
            "contradicted",
        ),
        (
            "Zorbafen treats sepsis.",
            "A trial compared zorbafen plus kestimab with kestimab alone in 588 patients with sepsis. "
            "Median survival was 6.1 months with zorbafen and 7.0 months without it (hazard ratio 1.24, 1.04-1.48).",
            "contradicted",
        ),
        (
            "DVX1 is higher in gout.",
            "We compared serum DVX1 in 30 patients with gout and 30 controls. "
            "RESULTS: Serum DVX1 was 18.1 ng/ml in patients and 26.4 ng/ml in controls (p < 0.001).",
            "contradicted",
        ),
        (
            "Urate is raised in gout.",
            "Urate was measured in 30 patients with gout and 30 controls. Urate was higher in patients than in controls.",
            "supported",
        ),
        # of another outcome than the disease's own
        ("Zorbafen treats sepsis.", OF_SEPSIS + "Serum potassium was lower with zorbafen.", "not_enough"),
        # nobody with it was studied, or others were as well
        ("Zorbafen treats sepsis.", "Sepsis kills many adults. Zorbafen reduced mortality in mice.", "not_enough"),
        (
            "Zorbafen treats sepsis.",
            "We studied 60 patients with sepsis and 60 patients with gout. Zorbafen reduced mortality.",
            "not_enough",
        ),
        # another disease is named
        ("Zorbafen treats sepsis.", OF_SEPSIS + "Zorbafen reduced mortality from gout.", "not_enough"),
        # it is asked, or was before
        ("Zorbafen treats sepsis.", OF_SEPSIS + "We asked whether zorbafen reduced mortality.", "not_enough"),
        ("Zorbafen treats sepsis.", "Zorbafen reduces mortality. " + OF_SEPSIS, "not_enough"),
        # those who were given something else
        (
            "Urate is raised in gout.",
            "Urate was measured in 30 patients with gout. Urate was higher in patients receiving kestimab than in controls.",
            "not_enough",
        ),
        (
            "Zorbafen treats sepsis.",
            OF_SEPSIS + "Mortality did not differ between zorbafen and placebo.",
            "contradicted",
        ),
        ("Zorbafen treats sepsis.", OF_SEPSIS + "Mortality was similar with zorbafen and placebo.", "contradicted"),
    ],
)
def test_outcomes_are_those_of_the_disease_that_was_studied(names, claim, abstract, verdict):
    assert judged(names, claim, abstract).verdict == verdict


def test_what_is_read_of_patients_has_their_disease_behind_them(names):
    shown = article(
        names,
        "We typed DVX1 in 30 patients with gout. DVX1 was higher in patients than in controls. Zorbafen had no effect "
        "on survival.",
    )
    text, mentions = completed(shown[1])
    assert text == "DVX1 was higher in patients with gout than in controls."
    assert [text[m.start : m.end] for m in mentions] == ["DVX1", "gout"]
    text, mentions = completed(shown[2])
    assert text == "In gout, Zorbafen had no effect on survival."
    assert [text[m.start : m.end] for m in mentions] == ["gout", "Zorbafen"]
