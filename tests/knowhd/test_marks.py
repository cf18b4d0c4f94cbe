"""A person's word on pieces of evidence: what it changes in the judgement of a claim."""

from dataclasses import replace

import pytest

from groundwork.language import Sentence
from knowhd.claims import linked
from knowhd.judge import Judgement, failed, weigh
from knowhd.marks import Mark, key_of, with_marks
from knowhd.pieces import Edge, Evidence, Passage
from tests.knowhd.conftest import ASPIRIN, HEADACHE

TEXT = "Aspirin treats headache."
EDGE = Edge("edge:t", ASPIRIN, "treat", HEADACHE, (1, 2), 2, 0.8, (), frozenset({1, 2}))
FIRST, LAST = (Passage(f"pmid:{n}#s1", n, "A title", f"Sentence {n}.", 1.0, False, 1) for n in (3, 4))
PIECES = (EDGE, FIRST, LAST)


def mark(piece, stance, said="wrong", text=None, claim=TEXT):
    return Mark(
        claim, piece.id, said, stance, "ada", "why", getattr(piece, "sentence", "") if text is None else text, "t"
    )


def judged(stores, stances, *marks, obeyed=True, before=None):
    claim = linked(TEXT, Sentence(TEXT, 0, len(TEXT)), (), stores.linker)
    given = before or weigh(PIECES, stances, "Because.")
    found = with_marks(
        (claim, Evidence((EDGE,), (FIRST, LAST))),
        {"literature": replace(given), "both": given},
        {m.key: m for m in marks},
        obeyed=obeyed,
    )
    return found["both"], given


@pytest.mark.parametrize(
    ("stances", "marks", "verdict"),
    [
        ({FIRST.id: "supports"}, [mark(FIRST, None)], "not_enough"),
        ({FIRST.id: "supports"}, [mark(FIRST, "contradicts", "other")], "contradicted"),
        ({FIRST.id: "supports"}, [mark(FIRST, "supports", "right")], "supported"),
        ({}, [mark(LAST, "contradicts", "right")], "contradicted"),  # the judge takes no side any more
        ({FIRST.id: "supports", EDGE.id: "contradicts"}, [mark(EDGE, None)], "supported"),
        ({FIRST.id: "supports", LAST.id: "contradicts"}, [mark(LAST, None)], "supported"),
        ({FIRST.id: "supports", LAST.id: "supports"}, [mark(LAST, None)], "supported"),
    ],
)
def test_a_verdict_obeys_marks_and_the_reason_says_so(stores, stances, marks, verdict):
    found, before = judged(stores, stances, *marks)
    assert found.verdict == verdict
    assert {key: each.program for key, each in found.marked.items()} == {m.piece: stances.get(m.piece) for m in marks}
    changed = any(stances.get(m.piece) != m.stance for m in marks)
    told = "A person's mark decides" if verdict != before.verdict else "A person's mark was obeyed"
    assert found.reason.startswith(told if changed else "Because. A person confirmed 1 stance.")
    assert found.reason.count("Because.") == (not changed)  # the reasons of each source repeat what the judge said
    off, _ = judged(stores, stances, *marks, obeyed=False)
    assert off.marked == found.marked  # shown, and not obeyed
    assert replace(off, marked={}) == before


@pytest.mark.parametrize(
    "other",
    [
        mark(FIRST, None, claim="Aspirin causes headache."),
        mark(FIRST, None, text="Another sentence."),  # the article has changed since
        replace(mark(FIRST, None), piece="pmid:9#s1"),
    ],
)
def test_a_mark_holds_only_for_its_claim_piece_and_sentence(stores, other):
    found, before = judged(stores, {FIRST.id: "supports"}, other)
    assert found == before


def test_what_the_judge_said_of_a_changed_piece_is_dropped(stores):
    before = Judgement(
        "contradicted",
        "Because.",
        {FIRST.id: "contradicts"},
        probabilities={FIRST.id: {"contradicts": 0.9}, LAST.id: {"about_both": 0.8}},
        unrelated=(EDGE.id,),
        denied=frozenset({FIRST.id}),
    )
    found, _ = judged(stores, {}, mark(FIRST, None), mark(EDGE, "supports"), before=before)
    assert (found.verdict, found.stances, found.unrelated, found.denied) == (
        "supported",
        {EDGE.id: "supports"},
        (),
        frozenset(),
    )
    assert found.probabilities == {LAST.id: {"about_both": 0.8}}


def test_a_claim_that_was_not_judged_stays_failed(stores):
    found, _ = judged(stores, {}, mark(FIRST, "supports"), before=failed("No reply."))
    assert (found.verdict, found.reason) == ("failed", "No reply.")
    assert found.marked[FIRST.id].said == "wrong"


def test_case_spaces_and_full_stop_of_a_claim_make_no_difference():
    assert key_of(" Aspirin  treats\nheadache. ", "p") == key_of("aspirin treats headache", "p")
