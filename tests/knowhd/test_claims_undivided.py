"""One name with an "and" in it, and what things do together, stay in one claim."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.made_up import linker


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(linker(tmp_path_factory.mktemp("undivided")))


@pytest.mark.parametrize(
    "text",
    [
        "Quelistat and mirvanib together lower QLT2.",
        "Quelistat and mirvanib jointly lower QLT2.",
        "Combined quelistat and mirvanib lower QLT2.",
        "Quelistat and mirvanib lower QLT2 in combination.",
        "Quelistat, zorbafen and mirvanib together lower QLT2.",
        "The combination of quelistat and mirvanib lowers QLT2.",
        "Quelistat lowers QLT2 further than mirvanib and zorbafen together.",
        "Aspirin is less effective than quelistat and mirvanib combined.",
        "Quelistat raises QLT2 more than fostakin and pelumab in combination.",
        "Quelistat and mirvanib lower QLT2 more than either alone.",
        "Quelistat plus mirvanib lowers QLT2 more than either drug alone.",
        "Quelistat together with mirvanib lowers QLT2.",
        "The interaction between QLT2 and ZRB1 causes krell fever.",
        "The ratio of QLT2 to ZRB1 predicts krell fever.",
        "The balance between QLT2 and ZRB1 controls p53.",
        "QLT2 and ZRB1 form a complex.",
    ],
)
def test_what_things_do_together_is_not_said_of_each(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [text]


def test_what_things_do_together_to_several_is_told_for_each_of_those(rules):
    assert [claim.text for claim in rules.extract("Quelistat and mirvanib together raise QLT2 and ZRB1.")] == [
        "Quelistat and mirvanib together raise QLT2.",
        "Quelistat and mirvanib together raise ZRB1.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Head and neck cancer is treated by zorbafen.",
        "Head and neck tumours are treated by zorbafen.",
        "Zorbafen treats head and neck tumours.",
        "Liver and kidney failure is treated by zorbafen.",
        "Breast and lung cancer are treated by zorbafen.",
        "Signal transducer and activator of transcription 5 raises QLT2.",
        "Quelistat lowers signal transducer and activator of transcription 5.",
    ],
)
def test_a_name_with_an_and_in_it_is_not_cut(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [text]


def test_two_names_are_told_apart_though_the_verb_does_not_agree(rules):
    made = [claim.text for claim in rules.extract("Quelistat and mirvanib inhibits QLT2.")]
    assert made == ["Quelistat inhibits QLT2.", "Mirvanib inhibits QLT2."]


def test_what_each_of_two_things_is_less_than_is_told_of_each(rules):
    made = [claim.text for claim in rules.extract("Quelistat lowers QLT2 more than mirvanib and zorbafen.")]
    assert made == ["Quelistat lowers QLT2 more than mirvanib.", "Quelistat lowers QLT2 more than zorbafen."]
