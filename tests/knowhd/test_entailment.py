"""The judge by entailment, with a scorer whose probabilities are known, and the reading of labels."""

from unittest.mock import Mock, call

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwork.errors import InputError
from groundwork.language import Sentence
from knowhd.check import Checker
from knowhd.claims import Claim, linked
from knowhd.entailment import TOGETHER, EntailmentJudge, stances_of
from knowhd.judges import connect
from knowhd.pieces import Edge, Evidence, Passage
from knowhd.rules_judge import RuleJudge
from tests.knowhd.conftest import ASPIRIN, HEADACHE
from tests.knowhd.test_check import obeys

TREAT = Edge("edge:t", ASPIRIN, "treat", HEADACHE, (1, 2), 2, 0.8, (), frozenset({1, 2}))


def said(pmid, text):
    return Passage(f"pmid:{pmid}#s0", pmid, "A title", text, 1.0, False)


class Words:
    """A scorer that finds entailment or contradiction if the premise contains a given word. Each word is a token.

    Args:
        table: Maps a word of the premise to the probabilities (supports, contradicts).
        window: Maximum number of words of premise and claim together.
    """

    name = "nli:words"

    def __init__(self, table, window=64):
        self.table = table
        self.window = window
        self.calls = []

    def length(self, text):
        return len(text.split())

    def score(self, pairs):
        self.calls.append(list(pairs))
        for premise, claim in pairs:
            assert self.length(premise) + self.length(claim) <= self.window, "cut by nobody"
        chosen = [next((p for word, p in self.table.items() if word in premise), (0.1, 0.1)) for premise, _ in pairs]
        return [{"supports": pro, "contradicts": con} for pro, con in chosen]


def judged(stores, scorer, *passages, edges=(TREAT,), text="Aspirin treats headache."):
    claim = linked(text, Sentence(text, 0, len(text)), (), stores.linker)
    return EntailmentJudge(scorer, stores.graph).judge_all([(claim, Evidence(edges, passages))])[0]


def test_the_probability_gives_the_side_of_each_piece_and_articles_are_counted(stores):
    scorer = Words({"treats": (0.9, 0.05), "worse": (0.2, 0.7), "perhaps": (0.49, 0.3)})
    told = judged(stores, scorer, said(3, "It got worse."), said(4, "perhaps so"), said(5, "nothing"))
    assert {source: j.verdict for source, j in told.items()} == {
        "graph": "supported",
        "literature": "contradicted",
        "both": "supported",
    }
    assert told["both"].stances == {"edge:t": "supports", "pmid:3#s0": "contradicts"}
    assert told["both"].mixed
    assert told["both"].probabilities["pmid:4#s0"] == {"supports": 0.49, "contradicts": 0.3}
    assert told["literature"].reason == (
        "The largest probability over 3 pieces of evidence is 0.49 for support and 0.70 for contradiction; "
        "from 0.50 a piece counts as support or contradiction."
    )
    assert told["graph"].reason.startswith("The largest probability over 1 piece of evidence is 0.90 for support")


def test_edges_are_put_into_words(stores):
    scorer = Words({})
    judged(stores, scorer)
    assert scorer.calls == [[("aspirin treats headache.", "Aspirin treats headache.")]]


def test_a_long_piece_is_scored_in_chunks_and_the_largest_counts(stores):
    scorer = Words({"relief": (0.8, 0.1)}, window=30)
    long = " ".join(["Nothing was seen in this long sentence of the article."] * 20 + ["Relief came; relief stayed."])
    told = judged(stores, scorer, said(3, long), edges=())
    assert told["literature"].verdict == "supported"
    assert len(scorer.calls[0]) > 5
    assert " ".join(premise for premise, _ in scorer.calls[0]) == long


@given(st.text(st.sampled_from("ab .\n"), max_size=400), st.integers(20, 40))
def test_chunks_lose_no_word_and_fit_the_window(stores, text, window):
    scorer = Words({}, window)
    judged(stores, scorer, said(3, text), edges=())
    premises = [premise for call in scorer.calls for premise, _ in call]
    assert "".join("".join(premises).split()) == "".join(text.split())


def test_a_piece_whose_chunks_take_both_sides_takes_none(stores):
    scorer = Words({"good": (0.9, 0.0), "bad": (0.0, 0.9)}, window=30)
    told = judged(stores, scorer, said(3, "All good here. " + "More words follow here. " * 9 + "All bad."), edges=())
    assert (told["literature"].verdict, told["literature"].stances) == ("not_enough", {})


def test_a_claim_too_long_for_the_window_fails_and_is_not_truncated(stores):
    scorer = Words({}, window=20)
    told = judged(stores, scorer, said(3, "word"), text="Aspirin treats headache " + "very " * 30 + "well.")
    assert {j.verdict for j in told.values()} == {"failed"}
    assert "34 tokens" in told["both"].reason
    assert scorer.calls == []


def test_without_evidence_the_verdict_is_not_enough_and_nothing_is_scored(stores):
    scorer = Words({})
    assert {j.verdict for j in judged(stores, scorer, edges=()).values()} == {"not_enough"}
    assert scorer.calls == []


def test_claims_scored_together_are_judged_as_when_scored_alone(stores):
    scorer = Words({"treats": (0.9, 0.0)})
    judge = EntailmentJudge(scorer, stores.graph)
    cases = [
        (Claim(f"claim {n}", "", (0, 0), ()), Evidence((TREAT,), (said(n, f"sentence {n}"),)[: n % 2]))
        for n in range(5)
    ]
    together = judge.judge_all(cases)
    assert len(scorer.calls) == 1
    assert together == [judge.judge_all([case])[0] for case in cases]


def test_progress_of_a_long_text_is_shown_while_it_is_scored(stores):
    judge, seen = EntailmentJudge(Words({"treats": (0.9, 0.0)}), stores.graph), Mock()
    cases = [(Claim(f"claim {n}", "", (0, 0), ()), Evidence((TREAT,), ())) for n in range(TOGETHER * 2 + 1)]
    assert judge.judge_all(cases, seen) == [judge.judge_all([case])[0] for case in cases]
    assert seen.mock_calls == [
        call.begin("judging", len(cases), "claims"),
        *(call.advance(amount) for amount in (TOGETHER, TOGETHER, 1)),
    ]


def test_a_text_is_judged_by_entailment_and_the_report_tells_the_probability(stores):
    judge = EntailmentJudge(Words({"treats": (0.75, 0.125)}), stores.graph)
    checker = Checker(stores.graph, stores.literature, judge=judge)
    shape = obeys(checker.check("Aspirin treats headache."))
    (claim,) = shape["claims"]
    assert (shape["model"], shape["calibration"]) == ("nli:words", None)
    assert claim["verdicts"]["graph"] == "supported"
    told = {edge["id"]: (edge["stance"], edge["probability"]) for edge in claim["evidence"]["graph"]}
    assert told[claim["cited"][0]] == ("supports", 0.75)


@pytest.mark.parametrize(
    ("labels", "stances"),
    [
        ({0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}, {0: "contradicts", 1: None, 2: "supports"}),
        ({0: "entailment", 1: "neutral", 2: "contradiction"}, {0: "supports", 1: None, 2: "contradicts"}),
        ({0: "entailment", 1: "not_entailment"}, {0: "supports", 1: None}),
        ({0: "SUPPORTS", 1: "REFUTES", 2: "NOT ENOUGH INFO"}, {0: "supports", 1: "contradicts", 2: None}),
    ],
)
def test_labels_are_read_by_name_whatever_their_order(labels, stances):
    assert stances_of(labels, "nli:x") == stances


@pytest.mark.parametrize(
    "labels",
    [
        {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"},
        {0: "LABEL_0", 1: "LABEL_1"},
        {0: "neutral", 1: "contradiction"},
        {0: "entailment", 1: "supports", 2: "neutral"},
        {0: "positive", 1: "negative"},
        {},
    ],
)
def test_unclear_labels_are_refused(labels):
    with pytest.raises(InputError, match="labels of nli:x"):
        stances_of(labels, "nli:x")


def test_labels_that_are_only_numbers_are_accepted_only_for_minicheck():
    assert stances_of({0: "LABEL_0", 1: "LABEL_1"}, "minicheck:x", minicheck=True) == {0: None, 1: "supports"}
    with pytest.raises(InputError):
        stances_of({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, "minicheck:x", minicheck=True)


def test_rules_names_a_judge_and_unknown_names_are_refused(stores):
    assert isinstance(connect("rules", stores.graph), RuleJudge)
    for name in ("", "nli:", "minicheck: ", "openai:gpt", "nil:x"):
        with pytest.raises(InputError, match="there is no judge"):
            connect(name, stores.graph)
