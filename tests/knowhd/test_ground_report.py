"""The numbers of articles for, against and silent on a claim."""

from typing import get_args

import pytest

import literature
from groundwork.language import Sentence
from groundwork.records import Abstract, Design, Text
from groundwork.settings import Settings
from knowhd.check import Checker
from knowhd.claims import linked
from knowhd.gather import contrary_text
from knowhd.ground_report import UNKNOWN, ArticleCounts, by_design, designs_in_words
from knowhd.options import Scope
from knowhd.pieces import Passage, say

S, C, D, N = "supports", "contradicts", "denied", "about_both"
RCT, ANIMAL = "randomised trial", "animal"


def passages(*told):
    return [
        Passage(
            f"pmid:{pmid}#s{n}",
            pmid,
            "",
            "",
            1.0,
            False,
            stance=C if stance == D else stance,
            denied=stance == D,
            design=design,
        )
        for n, (pmid, stance, design) in enumerate(told)
    ]


@pytest.mark.parametrize(
    ("told", "counts", "words"),
    [
        ([], {S: {}, C: {}}, ""),
        ([(1, S, None), (2, C, None)], {S: {UNKNOWN: 1}, C: {UNKNOWN: 1}}, ""),
        ([(1, N, RCT), (2, None, RCT)], {S: {}, C: {}}, ""),
        (
            [(1, S, ANIMAL), (2, S, RCT), (3, S, ANIMAL), (3, S, ANIMAL), (4, D, RCT)],
            {S: {RCT: 1, ANIMAL: 2}, C: {RCT: 1}},
            "Supported by 1 randomised trial and 2 animal studies; no such relation found by 1 randomised trial.",
        ),
        (
            [(1, S, "cohort"), (1, C, "cohort"), (2, C, None), (3, C, None), (4, D, "meta-analysis")],
            {S: {"cohort": 1}, C: {"meta-analysis": 1, "cohort": 1, UNKNOWN: 2}},
            "Supported by 1 cohort study; contradicted by 1 cohort study and 2 articles of unknown design; no such "
            "relation found by 1 meta-analysis.",
        ),
        ([(1, C, "case report")] * 2, {S: {}, C: {"case report": 1}}, "Contradicted by 1 case report."),
    ],
)
def test_articles_are_counted_once_for_each_side(told, counts, words):
    assert by_design(passages(*told)) == counts
    assert [list(each) for each in by_design(passages(*told)).values()] == [list(each) for each in counts.values()]
    assert designs_in_words(passages(*told)) == words


@pytest.mark.parametrize("design", [*get_args(Design), UNKNOWN])
def test_every_design_has_a_noun(design):
    one, several = say("studies", design).split("|")
    assert one != several


MENTIONS = [f"Aspirin causes headache in group {n}." for n in range(1, 6)]
DENIALS = {
    "denial": "Aspirin did not cause headache: no difference from placebo.",
    "opposite": "Aspirin relieves headache.",
}
SILENT = ["Headache was measured before aspirin.", "We gave aspirin to people without headache."]


@pytest.mark.parametrize(
    ("texts", "scope", "counts", "words"),
    [
        ([*MENTIONS, DENIALS["denial"]], {"k": 3}, (6, 6, 5, 0, 1, 0, 0),
         "6 articles name both ends (6 read, 0 take no side)."),
        ([*MENTIONS * 2, DENIALS["denial"]], {"k": 1}, (11, 2, 1, 0, 1, 0, 0),
         "11 articles name both ends (2 read, 0 take no side)."),
        ([*MENTIONS * 2, DENIALS["opposite"]], {"k": 1}, (11, 2, 1, 1, 0, 0, 0),
         "11 articles name both ends (2 read, 0 take no side)."),
        ([*MENTIONS * 2], {"k": 1}, (10, 2, 2, 0, 0, 0, 0),
         "10 articles name both ends (2 read, 0 take no side); none of those read states the opposite."),
        ([MENTIONS[0], *SILENT], {}, (3, 3, 1, 0, 0, 0, 2),
         "3 articles name both ends (3 read, 2 take no side); none states the opposite."),
        (SILENT[:1], {}, (1, 1, 0, 0, 0, 0, 1), "1 article names both ends (1 read, 1 takes no side)."),
        ([f"{MENTIONS[0]} {DENIALS['denial']}"], {}, (1, 1, 0, 0, 0, 1, 0),
         "1 article names both ends (1 read, 0 take no side)."),
        ([*MENTIONS, DENIALS["denial"]], {"before": 101}, (2, 2, 2, 0, 0, 0, 0),
         "2 articles name both ends (2 read, 0 take no side); none states the opposite."),
        (["Aspirin was given.", "Headache was seen."], {}, (0, 0, 0, 0, 0, 0, 0), ""),
        ([*MENTIONS, DENIALS["denial"]], {"k": 1, "tau": 0.0}, None, ""),
    ],
)  # fmt: skip
def test_the_opposite_is_looked_for_among_all_articles_that_name_both_ends(
    stores, tmp_path, texts, scope, counts, words
):
    held = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    with held.writing():
        held.put(Abstract(100 + n, Text("", text), None) for n, text in enumerate(texts))
    (claim,) = Checker(stores.graph, held).check("Aspirin causes headache.", Scope(**scope)).claims
    found = claim.articles
    assert (found and tuple(getattr(found, name) for name in ArticleCounts.__slots__)) == counts
    assert " read, " not in claim.reason if not words else words in claim.reason
    assert ("states the opposite." in claim.reason) == ("states the opposite." in words)


def test_an_article_that_lacks_a_third_concept_is_not_counted(stores, tmp_path):
    held = literature.connect("memory:", Settings(home=tmp_path), read_only=False)
    with held.writing():
        held.put([Abstract(1, Text("", MENTIONS[0]), None)])
    (claim,) = Checker(stores.graph, held).check("Aspirin causes headache in type 2 diabetes.").claims
    assert len(claim.concepts) == 3
    assert (claim.articles.named, claim.articles.read) == (0, 0)


@pytest.mark.parametrize(
    ("claim", "words"),
    [("Aspirin relieves headache.", {"cause", "worsen", "fail"}), ("A does not raise B.", {"raise", "not"})],
)
def test_the_opposite_is_searched_by_opposite_words_and_by_words_of_denial(stores, claim, words):
    said = linked(claim, Sentence(claim, 0, len(claim)), (), stores.linker)
    assert words <= set(contrary_text(said).split(" "))
