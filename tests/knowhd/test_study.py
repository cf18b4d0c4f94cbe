"""Sentences of results that name only what came of a treatment are read with the one thing that the study gave."""

import pytest

from groundwork.cutting import cut
from groundwork.language import Sentence, sentences
from knowhd.claims.claims import linked
from knowhd.evidence.gather import within
from knowhd.evidence.pieces import Evidence, Passage
from knowhd.evidence.study import completed, of_study
from knowhd.rules.judge import RuleJudge
from tests.knowhd.named import knowing

GIVEN = "Sixty adults received zorbafen 20 mg daily for eight weeks, and blood was taken every fortnight. "


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    known = {"Chemical": "zorbafen, kestimab, urate, potassium", "Gene": "DVX1", "Disease": "gout, hypertension"}
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
