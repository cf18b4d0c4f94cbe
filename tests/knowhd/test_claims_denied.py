"""No denial of a sentence is lost on the way to its claims."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.made_up import linker


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("denied")))


@pytest.mark.parametrize("joint", ["or", "nor"])
def test_neither_denies_each_of_several_doings(rules, joint):
    claims = rules.extract(f"Neither quelistat nor zorbafen lowers QLT2 {joint} raises ZRB1.")
    assert [claim.text for claim in claims] == [
        "Quelistat does not lower QLT2.",
        "Quelistat does not raise ZRB1.",
        "Zorbafen does not lower QLT2.",
        "Zorbafen does not raise ZRB1.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Instead of lowering QLT2, quelistat raises it.",
        "Rather than lowering QLT2, quelistat raises it.",
        "Quelistat raises QLT2 instead of lowering it.",
        "Quelistat raises QLT2, rather than lowering it.",
        "Quelistat raises QLT2 rather than lower it.",
        "Quelistat raises, rather than lowers, QLT2.",
        "Quelistat raises rather than lowers QLT2.",
    ],
)
def test_what_is_not_done_in_the_stead_of_another_doing_is_denied(rules, text):
    claims = rules.extract(text)
    assert [claim.text for claim in claims] == ["Quelistat raises QLT2.", "Quelistat does not lower QLT2."]
    assert not any(claim.flags for claim in claims)


@pytest.mark.parametrize("text", ["Quelistat may raise QLT2 rather than lowering it."])
def test_what_is_possible_only_denies_nothing(rules, text):
    assert len(rules.extract(text)) == 1


def test_what_is_not_done_to_a_thing_is_denied(rules):
    assert [claim.text for claim in rules.extract("QLT2 is raised rather than lowered by quelistat.")] == [
        "QLT2 is raised by quelistat.",
        "QLT2 is not lowered by quelistat.",
    ]
