"""The judge by rules on edges and sentences of a small world."""

import pytest

from groundwork.language import Sentence
from knowhd.claims.claims import linked
from knowhd.evidence.gather import Gatherer, Scope
from knowhd.rules.judge import NAME, RuleJudge
from knowhd.rules.stances import compared
from knowhd.rules.statement import Statement


def judged(stores, text, **scope):
    claim = linked(text, Sentence(text, 0, len(text)), (), stores.linker)
    evidence = Gatherer(stores.graph, stores.literature).gather(claim, Scope(**scope))
    return RuleJudge().judge(claim, evidence)


def verdicts(stores, text, **scope):
    return {source: judgement.verdict for source, judgement in judged(stores, text, **scope).items()}


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Aspirin treats headache.", "supported"),
        ("Aspirin reduces headache.", "supported"),
        ("Headache is relieved by acetylsalicylic acid.", "supported"),
        ("Aspirin causes headache.", "contradicted"),
        ("Aspirin does not treat headache.", "contradicted"),
        ("Aspirin does not cause headache.", "supported"),
        ("Aspirin is associated with headache.", "supported"),
        ("Aspirin is not associated with headache.", "contradicted"),
        ("Metformin activates AMPK.", "supported"),
        ("Metformin inhibits AMPK.", "contradicted"),
        ("MDM2 interacts with TP53.", "supported"),
        ("MDM2 inhibits TP53.", "not_enough"),
        ("Metformin treats headache.", "not_enough"),
        ("Metformin was approved for headache in 1995.", "not_enough"),
    ],
)
def test_the_graph_judges_by_signs(stores, text, verdict):
    assert verdicts(stores, text)["graph"] == verdict


@pytest.mark.parametrize(
    ("text", "scope", "verdict"),
    [
        ("Aspirin treats headache.", {}, "supported"),
        ("Aspirin causes headache.", {}, "contradicted"),
        ("Aspirin treats headache.", {"before": 10}, "not_enough"),
        ("Aspirin lowers myocardial infarction.", {"before": 30}, "supported"),
        ("Ibuprofen causes myocardial infarction.", {"exclude_retracted": True}, "contradicted"),
        ("Ibuprofen does not cause myocardial infarction.", {"exclude_retracted": True}, "supported"),
        ("Ibuprofen causes headache.", {}, "not_enough"),
    ],
)
def test_the_literature_judges_by_sentences_that_name_both(stores, text, scope, verdict):
    assert verdicts(stores, text, **scope)["literature"] == verdict


def test_evidence_on_both_sides_goes_to_the_heavier(stores):
    union = judged(stores, "Aspirin causes myocardial infarction.")["both"]
    assert (union.verdict, union.mixed) == ("contradicted", True)
    assert set(union.stances.values()) == {"supports", "contradicts"}
    tied = judged(stores, "Ibuprofen causes myocardial infarction.")["literature"]
    assert (tied.verdict, tied.mixed) == ("not_enough", True)


def test_a_claim_without_concepts_is_read_between_its_nouns(stores):
    assert verdicts(stores, "Acid lowers pain.")["graph"] == "not_enough"


def test_a_claim_in_which_no_relation_can_be_read_is_not_judged(stores):
    for text in ("Aspirin was studied with headache.", "Larger studies are warranted."):
        found = judged(stores, text)["both"]
        assert (found.verdict, found.flags) == ("failed", ("unread",))


def test_a_claim_that_says_more_than_the_evidence_is_not_decided(stores):
    found = judged(stores, "Aspirin treats headache in pregnant women with epilepsy.")["both"]
    assert (found.verdict, found.flags) == ("not_enough", ("partly",))
    assert "pregnant" in found.reason and "epilepsy" in found.reason


def test_a_claim_whose_nouns_name_nothing_is_unread(stores):
    union = judged(stores, "The analysis lowers the risk.")["both"]
    assert (union.verdict, union.flags) == ("failed", ("unread",))


def test_it_says_that_it_is_no_language_model():
    assert RuleJudge().name == NAME == "rules (deterministic, not a language model)"


def test_it_is_deterministic(stores):
    texts = ["Aspirin causes myocardial infarction.", "Ibuprofen causes myocardial infarction."]
    assert [judged(stores, text) for text in texts] == [judged(stores, text) for text in texts]


S, C = "supports", "contradicts"


@pytest.mark.parametrize(
    ("claim", "sign", "denied", "stance"),
    [
        (1, 1, False, S),
        (1, 1, True, C),
        (1, -1, False, C),
        (1, -1, True, None),
        (1, 0, False, None),
        (1, 0, True, C),
        (-1, -1, False, S),
        (-1, 1, False, C),
        (0, 0, False, S),
        (0, 1, False, S),
        (0, -1, False, S),
        (0, 0, True, C),
        (0, 1, True, None),
    ],
)
def test_how_a_sign_bears_on_a_claim(claim, sign, denied, stance):
    turned = {S: C, C: S, None: None}
    for negated in (False, True):
        statement = Statement(("A|1", "B|2"), ("a", "b"), claim, negated, False, None, {})
        assert compared(statement, sign, denied=denied) == (turned[stance] if negated else stance)
