"""Properties of the judge by rules that hold for every sentence: opposites, denials, and sentences without a result."""

from itertools import product

import pytest

from tests.knowhd.test_rules import by_sentence

D, T = "{zorbitol|Chemical}", "{tremor|Disease}"
#: Verbs and their opposites, each as third person, base and past form.
PAIRS = [
    (("increases", "increase", "increased"), ("decreases", "decrease", "decreased")),
    (("induces", "induce", "induced"), ("prevents", "prevent", "prevented")),
    (("activates", "activate", "activated"), ("inhibits", "inhibit", "inhibited")),
    (("promotes", "promote", "promoted"), ("suppresses", "suppress", "suppressed")),
    (("worsens", "worsen", "worsened"), ("attenuates", "attenuate", "attenuated")),
    (("aggravates", "aggravate", "aggravated"), ("alleviates", "alleviate", "alleviated")),
    (("raises", "raise", "raised"), ("lowers", "lower", "lowered")),
    (("causes", "cause", "caused"), ("treats", "treat", "treated")),
    (("triggers", "trigger", "triggered"), ("blocks", "block", "blocked")),
    (("enhances", "enhance", "enhanced"), ("reduces", "reduce", "reduced")),
]
VERBS = [pair for both in PAIRS for pair in (both, both[::-1])]
STATED = (f"{D} {{0}} {T}.", f"In this trial, {D} {{2}} {T} in most patients.", f"{T} was {{2}} by {D}.")
DENIED = (
    f"{D} does not {{1}} {T}.",
    f"{D} doesn’t {{1}} {T}.",
    f"{D} failed to {{1}} {T}.",
    f"{T} was not {{2}} by {D}.",
)
OPEN = (
    f"Does {D} {{1}} {T}?",
    f"We studied whether {D} {{0}} {T}.",
    f"Retraction: {D} {{0}} {T}.",
    f"It is unknown whether {D} {{0}} {T}.",
)


def filled(frame, verb):
    """A frame with the forms of a verb in place of {0}, {1} and {2}."""
    for number, form in enumerate(verb):
        frame = frame.replace(f"{{{number}}}", form)
    return frame


def verdicts(claims, sentence, verb):
    return {by_sentence(filled(claim, verb), sentence).verdict for claim in claims}


@pytest.mark.parametrize(("verb", "other"), VERBS, ids=lambda verb: verb[1])
def test_a_sentence_never_supports_a_claim_and_its_turned_or_denied_form(verb, other):
    for frame in STATED:
        sentence = filled(frame, verb)
        assert verdicts(STATED[:1], sentence, verb) == {"supported"}
        assert "supported" not in verdicts(STATED[:1], sentence, other)
        assert "supported" not in verdicts(DENIED, sentence, verb)


@pytest.mark.parametrize(("verb", "other"), VERBS, ids=lambda verb: verb[1])
def test_a_denial_never_supports_what_it_denies(verb, other):
    for frame in DENIED:
        sentence = filled(frame, verb)
        assert "supported" not in verdicts(STATED[:1], sentence, verb)
        assert "supported" not in verdicts(STATED[:1], sentence, other)


@pytest.mark.parametrize(("verb", "frame"), product([both[0] for both in PAIRS], OPEN), ids=str)
def test_a_sentence_that_states_no_result_never_decides(verb, frame):
    assert verdicts((*STATED[:1], *DENIED[:1]), filled(frame, verb), verb) <= {"not_enough"}


@pytest.mark.parametrize("verb", ["studied", "measured", "compared", "given"])
def test_a_claim_without_a_relation_is_unread(verb):
    assert by_sentence(f"{D} was {verb} with {T}.", f"{D} caused {T}.").flags == ("unread",)


#: Denials in front of a claim, and whether the judge reads them as it reads "does not".
BEFORE = {
    "It is not true that {} {{0}} {}.": True,
    "It is false that {} {{0}} {}.": True,
    "There is no evidence that {} {{0}} {}.": True,
    "We found no evidence that {} {{0}} {}.": True,
    "The notion that {} {{0}} {} is wrong.": False,
}


@pytest.mark.parametrize("verb", [verb for verb, _ in VERBS], ids=lambda verb: verb[1])
def test_a_denial_in_front_of_a_claim_is_never_read_as_its_opposite(verb):
    for sentence in (filled(STATED[0], verb), filled(STATED[0], dict(VERBS)[verb])):
        denied = by_sentence(filled(DENIED[0], verb), sentence).verdict
        for frame, read in BEFORE.items():
            found = by_sentence(filled(frame.format(D, T), verb), sentence).verdict
            assert found in ({denied} if read else {denied, "not_enough"}), frame


@pytest.mark.parametrize("lead", ["We hypothesized that", "It has been speculated that", "Our aim was to show that"])
def test_a_claim_that_a_sentence_only_raises_is_unread(lead):
    claim = filled(STATED[0], PAIRS[0][0])
    sentence = filled(STATED[0], PAIRS[0][0])
    assert by_sentence(claim, sentence).verdict == "supported"
    assert by_sentence(claim, sentence, said=f"{lead} {claim}").flags == ("unread",)
    assert by_sentence(claim, sentence, said=f"We found that {claim}").verdict == "supported"


@pytest.mark.parametrize(
    "more", ["more toxic than", "causes more {tremor|Disease} than", "less effective in {tremor|Disease} than"]
)
def test_a_claim_that_compares_two_drugs_is_unread(more):
    claim = f"{D} is {more} {{aspirin|Chemical}}."
    assert by_sentence(claim, f"{D} and {{aspirin|Chemical}} cause {T}.").flags == ("unread",)


#: Predicates of states and their opposites.
STATES = [
    ("overexpressed", "underexpressed"),
    ("upregulated", "downregulated"),
    ("high", "low"),
    ("elevated", "reduced"),
]


@pytest.mark.parametrize(("state", "other"), [pair for both in STATES for pair in (both, both[::-1])])
def test_a_sentence_never_supports_a_claim_with_the_opposite_state(state, other):
    claim = f"{{interleukin-6|Gene}} is {state} in {T}."
    for sentence in (
        f"{{interleukin-6|Gene}} was {other} in {T}.",
        f"In {T}, {{interleukin-6|Gene}} was {other}.",
        f"Patients with {T} had {other} {{interleukin-6|Gene}}.",
    ):
        assert by_sentence(claim, sentence).verdict != "supported", sentence
