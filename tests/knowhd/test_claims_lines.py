"""Items of a written list are lines of their own."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.made_up import linker

BOTH = ["Quelistat lowers QLT2.", "Mirvanib raises ZRB1."]


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("lines")))


@pytest.mark.parametrize(
    "text",
    [
        "* Quelistat lowers QLT2.\n* Mirvanib raises ZRB1.",
        "- Quelistat lowers QLT2.\n- Mirvanib raises ZRB1.",
        "• Quelistat lowers QLT2.\n  • Mirvanib raises ZRB1.",
        "1. Quelistat lowers QLT2.\n2. Mirvanib raises ZRB1.",
        "We found:\n- Quelistat lowers QLT2.\n- Mirvanib raises ZRB1.",
        "* Quelistat lowers QLT2.\n\n* Mirvanib raises ZRB1.",
    ],
)
def test_an_item_of_a_list_is_a_line_of_its_own(rules, text):
    claims = rules.extract(text)
    assert [claim.text for claim in claims] == BOTH
    assert all(text[slice(*claim.span)] == claim.sentence for claim in claims)


def test_items_that_say_nothing_by_themselves_are_not_lost(rules):
    told = " ".join(claim.text for claim in rules.extract("Quelistat lowers:\n- QLT2\n- ZRB1"))
    assert all(name in told for name in ("Quelistat", "QLT2", "ZRB1"))


def test_items_of_a_list_that_is_doubted_as_a_whole_stay_in_it(rules):
    (claim,) = rules.extract("It is not true that:\n- Quelistat lowers QLT2.\n- Mirvanib raises ZRB1.")
    assert claim.text.startswith("It is not true that")


def test_a_pronoun_in_an_item_means_what_the_list_is_about(rules):
    claims = rules.extract("Quelistat has two effects:\n- It lowers QLT2.\n- It raises ZRB1.")
    assert [claim.text for claim in claims[1:]] == ["Quelistat lowers QLT2.", "Quelistat raises ZRB1."]


def test_a_dash_within_a_sentence_makes_no_list(rules):
    (claim,) = rules.extract("Quelistat - a new drug - lowers QLT2.")
    assert claim.sentence == "Quelistat - a new drug - lowers QLT2."
