"""Extremely long sentences and lists: they are cut or kept whole, with a flag, and nothing is lost."""

import re

import pytest

from groundwork.reading import tree
from knowhd.check import Checker
from knowhd.claims import RuleClaims
from knowhd.gather import ENDS
from knowhd.splitting import MOST


@pytest.fixture
def rules(stores):
    return RuleClaims(stores.linker)


def test_an_extremely_long_sentence_is_read_in_flagged_parts(rules):
    told = [f"aspirin treats headache in group {n}" for n in range(60)]
    text = ", and ".join(told)
    claims = rules.extract(text)
    assert [claim.text.lower().strip(".") for claim in claims] == told
    assert all("cut" in claim.flags and text[slice(*claim.span)] == claim.sentence for claim in claims)


def test_a_sentence_of_usual_length_is_not_cut(rules):
    assert [claim.flags for claim in rules.extract("Aspirin treats headache.")] == [()]


def test_the_verb_of_an_extremely_long_sentence_is_in_some_part(rules):
    words = [f"group{n}" for n in range(400)]
    text = f"Aspirin treats headache in {' '.join(words)}."
    spans = {claim.span for claim in rules.extract(text)}
    rest = {span for span in _uncovered(text, spans) if re.search(r"treats", text[slice(*span)])}
    assert not rest


def _uncovered(text, spans):
    at = 0
    for start, end in sorted(spans):
        yield at, start
        at = end
    yield at, len(text)


def test_lists_that_would_make_thousands_of_claims_are_left_whole(rules):
    drugs, ills, places = ([f"{word}{n}" for n in range(12)] for word in ("drugs", "ills", "clinics"))
    text = f"The {_listed(drugs)} cause the {_listed(ills)} in the {_listed(places)}."
    claims = rules.extract(text)
    assert 1 <= len(claims) <= MOST
    said = " ".join(claim.text for claim in claims)
    assert all(re.search(rf"\b{word}\b", said.lower()) for word in [*drugs, *ills, *places])


def test_a_claim_that_names_too_many_concepts_is_flagged(stores, monkeypatch):
    monkeypatch.setattr("knowhd.ground_report.ENDS", 1)
    (claim,) = Checker(stores.graph, stores.literature).check("Aspirin treats headache.").claims
    assert "crowded" in claim.flags
    assert ENDS > 1


def _listed(words):
    return f"{', '.join(words[:-1])} and {words[-1]}"


@pytest.mark.parametrize(
    "folds",
    [
        "aspirin, a drug, ",
        "neither aspirin nor ",
        "aspirin as well as ",
        "not only aspirin but also ",
        "unlike aspirin, ",
        "if aspirin, ",
        "headache, which aspirin ",
        "we found that ",
        "aspirin and headache respectively ",
    ],
)
def test_the_work_of_parsing_a_long_sentence_is_proportional_to_its_length(rules, monkeypatch, folds):
    tokens = tree._tokens
    read = []
    monkeypatch.setattr(tree, "_tokens", lambda text, mentions: read.append(len(text)) or tokens(text, mentions))
    work = []
    for length in (2000, 4000):
        read.clear()
        rules.extract((folds * length)[:length])
        work.append(sum(read))
    assert work[1] <= 2.6 * work[0]
    assert work[1] <= 40 * 4000


def test_all_parts_of_an_extremely_long_sentence_are_reported(rules):
    told = [f"aspirin treats headache in group {n}" for n in range(400)]
    claims = rules.extract(", and ".join(told))
    assert all("cut" in claim.flags for claim in claims)
    said = " ".join(claim.text for claim in claims)
    assert all(re.search(rf"group {n}\b", said) for n in range(400))
