"""What a text lists is claimed one by one, however little the parser makes of its names."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.made_up import linker

DRUGS = "Quelistat, zorbafen, mirvanib, drelutine, fostakin and pelumab"
GENES = "QLT2, ZRB1, MRV3, DRL4, FST5 and p53"


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("lists")))


def told(rules, text):
    return [claim.text for claim in rules.extract(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Quelistat lowers QLT2, ZRB1 and p53.",
            ["Quelistat lowers QLT2.", "Quelistat lowers ZRB1.", "Quelistat lowers p53."],
        ),
        (
            "Quelistat lowers QLT2, ZRB1, and Xyz9.",
            ["Quelistat lowers QLT2.", "Quelistat lowers ZRB1.", "Quelistat lowers Xyz9."],
        ),
        ("Quelistat & mirvanib lower QLT2", ["Quelistat lowers QLT2.", "Mirvanib lowers QLT2."]),
        ("Quelistat lowers QLT2 & ZRB1.", ["Quelistat lowers QLT2.", "Quelistat lowers ZRB1."]),
    ],
)
def test_each_name_of_a_list_is_a_claim_of_its_own(rules, text, expected):
    assert told(rules, text) == expected


def test_lists_on_both_sides_make_every_pair(rules):
    wanted = {f"{drug.capitalize()} lowers {gene}." for drug in names(DRUGS) for gene in names(GENES)}
    made = told(rules, f"{DRUGS} lower {GENES}.")
    assert len(made) == len(wanted) == 36
    assert set(made) == wanted


def test_what_lists_too_much_to_tell_stays_whole(rules):
    text = f"{DRUGS} lower {', '.join(f'QLT{n}' for n in range(2, 30))} and p53."
    assert len(told(rules, text)) <= 144


def names(listed):
    return listed.replace(" and ", ", ").split(", ")
