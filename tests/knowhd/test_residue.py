"""What is left of a claim beside what is read of it, and what speaks of that in the same way."""

from dataclasses import replace

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.pieces import Edge, Evidence, Passage
from knowhd.report import reported
from knowhd.rules.assertion import assertions_of
from knowhd.rules.judge import RuleJudge
from knowhd.rules.residue import residue_of
from knowhd.rules.rests import Marks
from tests.knowhd.made_up import linker


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return linker(tmp_path_factory.mktemp("names"))


def claim_of(names, text: str):
    return linked(text, Sentence(text, 0, len(text)), (), names)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Quelistat lowers QLT2.", []),
        ("Treatment with quelistat significantly reduces serum levels of QLT2 in patients.", []),
        ("Quelistat is a potent inhibitor of QLT2.", []),
        ("Kim et al. found that quelistat lowers QLT2.", []),
        ("The antiviral drug quelistat lowers QLT2.", []),
        ("Quelistat lowers QLT2 if zorbafen is given.", []),
        ("Quelistat lowers QLT2 by 20 % and is approved.", []),
        ("Quelistat lowers QLT2 in the liver.", ["liver"]),
        ("Oral quelistat lowers QLT2 in mice.", ["Oral", "mice"]),
        ("The QLT2 C677T polymorphism raises ZRB1.", ["T", "C677"]),
        ("A polymorphism raises QLT2 and lowers ZRB1.", ["polymorphism"]),
        ("Mice deficient in QLT2 have low ZRB1.", []),
        ("Quelistat lowers QLT2 without lowering ZRB1.", ["lowering", "ZRB1"]),
        ("Quelistat-induced krell fever is relieved by zorbafen.", ["Quelistat", "induced"]),
    ],
)
def test_what_no_rule_has_read_is_left(names, text, left):
    claim = claim_of(names, text)
    residue = residue_of(claim, assertions_of(claim)[0])
    assert [rest.text for rest in residue.rests + residue.beside] == left


@pytest.mark.parametrize(
    ("text", "owed"),
    [
        ("Quelistat lowers QLT2 in the liver.", []),
        ("Oral quelistat lowers QLT2 in mice.", []),
        ("Quelistat does not lower QLT2 in the liver.", ["liver"]),
        ("Quelistat lowers QLT2 after surgery.", ["surgery"]),
        ("A high dose of quelistat lowers QLT2.", ["high"]),
        ("QLT2 resistance is treated with quelistat.", ["resistance"]),
        ("Quelistat-induced krell fever is relieved by zorbafen.", ["Quelistat", "induced"]),
    ],
)
def test_where_or_in_whom_is_not_owed_by_what_refutes_the_whole(names, text, owed):
    claim = claim_of(names, text)
    assert [rest.text for rest in residue_of(claim, assertions_of(claim)[0]).rests] == owed


def test_another_that_does_the_same_is_owed_by_support_alone(names):
    claim = claim_of(names, "Quelistat and zorbafen lower QLT2.")
    residue = residue_of(claim, assertions_of(claim)[0])
    told = shown(names, "Quelistat raised QLT2.")
    assert [residue.spoken_of(told[0], stance, told) for stance in ("supports", "contradicts")] == [False, True]


@pytest.mark.parametrize(
    ("claim", "sentences", "verdict"),
    [
        ("Quelistat lowers QLT2 in mice.", ["Mice were given quelistat.", "Quelistat lowered QLT2."], "supported"),
        ("Quelistat lowers QLT2 in children.", ["We treated infants.", "Quelistat raised QLT2."], "contradicted"),
        ("Quelistat lowers QLT2 in women.", ["Both sexes took part.", "Quelistat lowered QLT2."], "not_enough"),
        ("Quelistat lowers QLT2 in mice.", ["Mice were kept.", "Quelistat lowered QLT2 in humans."], "not_enough"),
        ("Quelistat lowers QLT2 in the liver.", ["Livers were taken.", "Quelistat lowered QLT2."], "not_enough"),
    ],
)
def test_of_whom_it_is_any_sentence_of_the_article_tells(names, claim, sentences, verdict):
    told = shown(names, *sentences)
    judged = RuleJudge().judge(claim_of(names, claim), Evidence((), told))["literature"]
    assert judged.verdict == verdict


def test_another_article_does_not_tell_of_whom_it_is(names):
    first, second = shown(names, "Mice were given quelistat.", "Quelistat lowered QLT2.")
    told = (replace(first, pmid=2, id="pmid:2#s0"), second)
    judged = RuleJudge().judge(claim_of(names, "Quelistat lowers QLT2 in mice."), Evidence((), told))["literature"]
    assert judged.verdict == "not_enough"
    assert "It speaks of 'mice' as well" in judged.reason


def shown(names, *sentences: str) -> tuple[Passage, ...]:
    """An article of these sentences."""
    return tuple(
        Passage(f"pmid:1#s{n}", 1, "", text, 1.0, False, n, names.mentions(text)) for n, text in enumerate(sentences)
    )


@pytest.mark.parametrize(
    ("text", "word", "mark"),
    [
        ("given before surgery", "surgery", "before"),
        ("following surgery", "surgery", "after"),
        ("lowered A without nausea", "nausea", "without"),
        ("without nausea, in women", "women", ""),
        ("did not lower glucose", "glucose", "not"),
        ("lowered glucose", "glucose", ""),
    ],
)
def test_a_word_is_marked_by_the_last_that_marks_what_follows(text, word, mark):
    assert Marks(text).at(text.index(word)) == mark


def test_the_reason_names_what_is_not_spoken_of(names):
    text, told = "Quelistat lowers QLT2 in the liver.", "Quelistat lowered QLT2."
    passage = Passage("pmid:1#s0", 1, "", told, 1.0, False, 0, names.mentions(told))
    reason = RuleJudge().judge(claim_of(names, text), Evidence((), (passage,)))["literature"].reason
    assert "It speaks of 'liver' as well: 1 of 1 pieces that bear on the rest do not." in reason


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("QLT2 inhibits ZRB1.", True),
        ("ZRB1 inhibits QLT2.", True),
        ("Quelistat inhibits QLT2.", False),
        ("QLT2 is associated with ZRB1.", False),
    ],
)
def test_edges_alone_that_do_not_tell_who_acts_are_flagged(names, text, flagged):
    claim = claim_of(names, text)
    edge = Edge("edge:1", claim.concepts[0], "inhibit", claim.concepts[1], (1,), 1, 0.9, (), frozenset({1}))
    evidence = Evidence((edge,), ())
    report = reported(text, claim, evidence, RuleJudge().judge(claim, evidence))
    assert report.verdicts["graph"] == "supported"
    assert ("undirected" in report.flags) is flagged


def test_a_sentence_beside_the_edge_tells_who_acts(names):
    text = "QLT2 inhibits ZRB1."
    claim = claim_of(names, text)
    edge = Edge("edge:1", claim.concepts[0], "inhibit", claim.concepts[1], (1,), 1, 0.9, (), frozenset({1}))
    told = Passage("pmid:1#s0", 1, "", text, 1.0, False, 0, names.mentions(text))
    evidence = Evidence((edge,), (told,))
    assert "undirected" not in reported(text, claim, evidence, RuleJudge().judge(claim, evidence)).flags


def test_marks_of_a_long_text_are_found_in_step_with_its_length():
    text = "not without before but " * 4_000
    assert Marks(text + "glucose").at(len(text)) == ""
