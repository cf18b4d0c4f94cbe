"""Conditions: found in a sentence, kept in each claim, flagged, and decided only by evidence that states them."""

import re

import pytest

from groundwork.language import Sentence
from groundwork.quoted import LONGEST
from knowhd.claims.claims import RuleClaims, linked
from knowhd.claims.conditions import conditions, peeled, stretches
from knowhd.evidence.pieces import Edge, Evidence, Passage
from knowhd.judge import SOURCES
from knowhd.rules.conditional import bearing
from knowhd.rules.judge import RuleJudge
from tests.knowhd.hard import linker

MAIN = "aspirin prevents thrombosis"


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    return linker(tmp_path_factory.mktemp("names"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"If warfarin is stopped, {MAIN}.", ["If warfarin is stopped"]),
        (f"{MAIN} if warfarin is stopped.", ["if warfarin is stopped"]),
        ("Aspirin, if warfarin is stopped, prevents thrombosis.", ["if warfarin is stopped"]),
        ("Aspirin (if given early) prevents stroke.", ["if given early"]),
        (f"If aspirin, warfarin and insulin are given, {MAIN}.", ["If aspirin, warfarin and insulin are given"]),
        (f"Unless warfarin is given, {MAIN}.", ["Unless warfarin is given"]),
        (f"In the absence of warfarin, {MAIN}.", ["In the absence of warfarin"]),
        (f"{MAIN} only when warfarin is given.", ["only when warfarin is given"]),
        (f"{MAIN} only in women.", ["only in women"]),
        (f"{MAIN} provided that warfarin is given.", ["provided that warfarin is given"]),
        (f"{MAIN} when combined with warfarin.", ["when combined with warfarin"]),
        (f"{MAIN} in combination with warfarin.", ["in combination with warfarin"]),
        (f"Had warfarin been stopped, {MAIN}.", ["Had warfarin been stopped"]),
        (f"Without insulin, {MAIN}.", ["Without insulin"]),
        (f"{MAIN} under hypoxic conditions.", ["under hypoxic conditions"]),
        (f"{MAIN} as long as warfarin is given.", ["as long as warfarin is given"]),
        # circumstances, questions, comparisons, and words that only look like conditions
        (f"In patients with hypertension, {MAIN}.", []),
        (f"{MAIN} in mice.", []),
        (f"{MAIN} after surgery.", []),
        (f"It is unclear if {MAIN}.", []),
        (f"We tested if {MAIN}.", []),
        ("Aspirin had little, if any, effect.", []),
        (f"{MAIN} when compared with placebo.", []),
        ("Aspirin provided relief.", []),
        ("Aspirin is given once daily.", []),
        ("Patients were treated with aspirin.", []),
        ("Were patients treated?", []),
    ],
)
def test_what_is_a_condition_and_what_a_circumstance(text, found):
    assert [each.text for each in conditions(text)] == found
    for each in conditions(text):
        assert text[each.start : each.end] == each.text


@pytest.mark.parametrize(
    "text",
    [
        f"If warfarin is stopped, {MAIN}.",
        "Aspirin, if warfarin is stopped, prevents thrombosis.",
        f"{MAIN} if warfarin is stopped.",
    ],
)
def test_a_sentence_without_its_condition_is_its_main_clause(text):
    (stretch,) = stretches(text)
    assert (text[: stretch[0]] + text[stretch[1] :]).lower() == f"{MAIN}."
    front, main, behind = peeled(text)
    assert main.lower() == f"{MAIN}."
    assert "warfarin is stopped" in front + behind


@pytest.mark.parametrize(
    "text",
    [
        "If warfarin is stopped, aspirin and ibuprofen prevent thrombosis and stroke.",
        "Aspirin prevents thrombosis and causes bleeding if warfarin is stopped.",
        "If warfarin is stopped, aspirin, but not ibuprofen, prevents thrombosis.",
        "If warfarin is stopped, neither aspirin nor ibuprofen prevents thrombosis.",
        "Aspirin, an old drug, prevents thrombosis if warfarin is stopped.",
        "We found that aspirin and ibuprofen prevent thrombosis if warfarin is stopped.",
        "If warfarin is stopped, aspirin prevents thrombosis because it inhibits PTGS1.",
        "Unless warfarin is stopped, aspirin, which inhibits PTGS1, prevents thrombosis.",
        "Aspirin prevents thrombosis, provided that warfarin is stopped, and causes bleeding.",
        "When warfarin is stopped, aspirin prevents thrombosis, and ibuprofen causes bleeding.",
    ],
)
def test_no_claim_of_the_main_clause_loses_its_condition(names, text):
    claims = RuleClaims(names).extract(text)
    bare = [claim for claim in claims if "warfarin is stopped" not in claim.text]
    # what a thing is, or does by the way, it is and does under any condition
    assert {c.text for c in bare} <= {"Aspirin is an old drug.", "Aspirin inhibits PTGS1."}
    assert all("conditional" in claim.flags for claim in claims if claim not in bare)
    assert claims
    assert len(bare) < len(claims)


def judged(names, text, *sentences):
    """Verdicts on a claim by an edge that aspirin prevents thrombosis in three articles, and by sentences."""
    claim = linked(text, Sentence(text, 0, len(text)), (), names)
    aspirin, thrombosis = (names.mentions(word)[0].key for word in ("aspirin", "thrombosis"))
    edge = Edge("edge:1", aspirin, "prevent", thrombosis, (3, 2, 1), 3, 0.9, (), frozenset({1, 2, 3}))
    passages = tuple(
        Passage(f"pmid:{n}#s0", n, "", each, 1.0, False, 0, names.mentions(each))
        for n, each in enumerate(sentences, start=10)
    )
    return RuleJudge().judge(claim, Evidence((edge,), passages))


CONDITIONAL = [
    f"If warfarin is stopped, {MAIN}.",
    f"{MAIN} if warfarin is stopped.",
    f"Unless warfarin is given, {MAIN}.",
    f"In the absence of warfarin, {MAIN}.",
    f"{MAIN} only when warfarin is given.",
    f"Provided that warfarin is given, {MAIN}.",
    f"{MAIN} when combined with warfarin.",
    f"{MAIN} only in women.",
]


@pytest.mark.parametrize("text", CONDITIONAL)
@pytest.mark.parametrize("verb", ["prevents", "causes"])
def test_evidence_without_the_condition_neither_supports_nor_contradicts(names, text, verb):
    text = text.replace("prevents", verb)
    found = judged(names, text, "Aspirin prevents thrombosis.", "Aspirin prevented thrombosis in patients.")
    assert {found[source].verdict for source in SOURCES} == {"not_enough"}
    condition = conditions(text)[0].text
    assert all(condition in found[source].reason for source in SOURCES)
    assert judged(names, f"Aspirin {verb} thrombosis.")["graph"].verdict != "not_enough"


@pytest.mark.parametrize(
    ("text", "sentence", "verdict"),
    [
        (CONDITIONAL[0], "When warfarin was stopped, aspirin prevented thrombosis.", "supported"),
        (CONDITIONAL[0], "In patients who stopped warfarin, aspirin prevented thrombosis.", "supported"),
        (CONDITIONAL[0], "If warfarin is stopped, aspirin causes thrombosis.", "contradicted"),
        (CONDITIONAL[0], "If warfarin is given, aspirin prevents thrombosis.", "not_enough"),
        (CONDITIONAL[0], "Unless warfarin is stopped, aspirin prevents thrombosis.", "not_enough"),
        (CONDITIONAL[2], "In the absence of warfarin, aspirin prevented thrombosis.", "supported"),
        (CONDITIONAL[2], "In patients on warfarin, aspirin prevented thrombosis.", "not_enough"),
        (CONDITIONAL[3], "Aspirin prevented thrombosis in patients without warfarin.", "supported"),
        (CONDITIONAL[4], "Aspirin prevents thrombosis when warfarin is given.", "not_enough"),
        (CONDITIONAL[4], "Aspirin prevents thrombosis only when warfarin is given.", "supported"),
        (CONDITIONAL[4], "Aspirin causes thrombosis when warfarin is given.", "contradicted"),
        (CONDITIONAL[6], "Aspirin combined with warfarin prevents thrombosis.", "supported"),
    ],
)
def test_evidence_that_states_the_condition_decides(names, text, sentence, verdict):
    assert judged(names, text, sentence)["literature"].verdict == verdict


def test_a_claim_that_is_all_condition_is_read_as_a_whole(names):
    text = "Headache worsens when aspirin is stopped."
    assert judged(names, text, "Aspirin treats headache.")["literature"].verdict == "not_enough"


def test_a_claim_without_concepts_is_held_to_its_condition_too(names):
    text = "Masks stop the spread of colds if they are worn outdoors."
    plain = "Masks stop the spread of colds."
    assert judged(names, plain, plain)["literature"].verdict == "supported"
    assert judged(names, text, plain)["literature"].verdict == "not_enough"
    assert "worn outdoors" in judged(names, text, plain)["literature"].reason


def test_what_holds_only_under_a_condition_supports_no_claim_without_one():
    for told, wanted in [
        ("Aspirin increased stroke only when combined with alcohol.", False),
        ("Aspirin increased stroke when combined with alcohol.", True),
    ]:
        passage = Passage("pmid:1#s0", 1, "", told, 1.0, False)
        assert bearing((), passage, "supports") is wanted
        assert bearing((), passage, "contradicts")


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [(f"{MAIN} if {{0}}.", "Aspirin prevents thrombosis."), (f"{MAIN}.", "Aspirin prevents thrombosis only if {0}.")],
)
def test_a_reason_quotes_the_beginning_of_a_long_condition(names, claim, sentence):
    long = "warfarin was stopped " + " ".join(f"by nurse number {n} of the ward" for n in range(12))
    reason = judged(names, claim.format(long), sentence.format(long))["literature"].reason
    (quote,) = [each for each in re.findall(r"'([^']*)'", reason) if "warfarin" in each]
    assert quote.endswith(" ...")
    assert len(quote) <= LONGEST + 4
