"""A verb that a parser takes for a noun or an adjective is still what its subject does, and no part of its object."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.named import knowing

NAMES = {
    "Chemical": "metformin, aspirin, warfarin, ibuprofen, naproxen, rapamycin, glucose",
    "Disease": "hypertension, bleeding",
    "Gene": "PTGS1, MTOR, KRAS, RPS6KB1",
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(knowing(tmp_path_factory.mktemp("verbs"), NAMES))


def told(rules, text):
    return [claim.text for claim in rules.extract(text)]


@pytest.mark.parametrize("who", ["Zorbafen", "Metformin"])
@pytest.mark.parametrize("thing", ["blorvatin", "glucose"])
@pytest.mark.parametrize(
    "second",
    ["impairs memory", "shortens survival", "silences KRAS", "silences quexin", "shrinks tumours", "worsens cognition"],
)
def test_a_word_in_s_before_an_object_is_a_second_verb(rules, who, thing, second):
    assert told(rules, f"{who} raises {thing} and {second}.") == [f"{who} raises {thing}.", f"{who} {second}."]


@pytest.mark.parametrize(
    "text",
    [
        "Metformin causes falls in adults and effects on memory.",
        "Metformin lowers the number of strokes and increases in weight.",
        "Zorbafen changes drug resistance and drug effects.",
    ],
)
def test_a_plural_without_an_object_is_no_verb(rules, text):
    assert not any(
        each.startswith(("Metformin effects", "Metformin increases", "Zorbafen drug")) for each in told(rules, text)
    )


def test_the_last_of_a_list_of_verbs_is_a_verb(rules):
    claims = told(
        rules,
        "Drugs such as aspirin, ibuprofen and naproxen raise blood pressure, lower renal flow and block PTGS1.",
    )
    names = ("Aspirin", "Ibuprofen", "Naproxen")
    doings = ("raises blood pressure", "lowers renal flow", "blocks PTGS1")
    assert claims == [f"{name} {doing}." for doing in doings for name in names]


def test_the_last_of_a_list_of_verbs_of_one_is_a_verb(rules):
    assert told(rules, "Zorbafen raises glucose, lowers blorvatin and blocks kretase.") == [
        "Zorbafen raises glucose.",
        "Zorbafen lowers blorvatin.",
        "Zorbafen blocks kretase.",
    ]


def test_a_list_of_things_with_a_verblike_last_one_stays_a_list(rules):
    claims = told(rules, "Aspirin and ibuprofen cause bleeding, hypertension and block syndrome.")
    assert not any("block" in claim.split()[1] for claim in claims)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Rapamycin inhibits MTOR, the kinase that phosphorylates RPS6KB1.",
            ["Rapamycin inhibits MTOR.", "MTOR is the kinase that phosphorylates RPS6KB1."],
        ),
        (
            "Zorbafen inhibits plovase, the enzyme that degrades kretase.",
            ["Zorbafen inhibits plovase.", "Plovase is the enzyme that degrades kretase."],
        ),
    ],
)
def test_what_an_object_is_said_to_be_is_not_said_of_the_clause(rules, text, expected):
    assert told(rules, text) == expected
