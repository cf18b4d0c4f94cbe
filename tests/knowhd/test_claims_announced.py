"""What a sentence announces, puts in front or marks up is told in plain words; what cannot be told stays whole."""

import pytest

from groundwork.readable import readable
from knowhd.claims.claims import RuleClaims
from tests.knowhd.named import knowing

NAMES = {
    "Chemical": "enalapril, captopril, lisinopril, rapamycin, metformin, glucose",
    "Disease": "obesity, hypertension",
    "Gene": "MTOR, RPS6KB1, AMPK",
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return RuleClaims(knowing(tmp_path_factory.mktemp("announced"), NAMES))


def told(rules, text):
    return [claim.text for claim in rules.extract(text)]


@pytest.mark.parametrize("what", ["drugs cause", "cause", "inhibitors may cause", "do not cause"])
@pytest.mark.parametrize("last", [", lisinopril", " and lisinopril", ", and lisinopril"])
def test_what_is_said_of_the_following_is_said_of_each_behind_the_colon(rules, what, last):
    verb = {"may cause": "may cause", "do not cause": "does not cause"}.get(what.removeprefix("inhibitors "), "causes")
    expected = [f"{name} {verb} cough." for name in ("Enalapril", "Captopril", "Lisinopril")]
    assert told(rules, f"The following {what} cough: enalapril, captopril{last}.") == expected


@pytest.mark.parametrize(
    "text",
    [
        "The following risk factors raise mortality: smoking, plovatin use and hypertension in adults.",
        "The following was seen: zorbafen raises kretase.",
        "The following genes, which drive cancer, cause pain: MTOR, AMPK.",
    ],
)
def test_the_following_is_never_told_without_what_follows(rules, text):
    claims = told(rules, text)
    assert claims == [text] or not any("following" in claim for claim in claims)


@pytest.mark.parametrize(
    ("who", "what", "target"), [("rapamycin", "RPS6KB1", "MTOR"), ("plovatin", "kretase", "zorbase")]
)
def test_a_means_in_front_is_told_as_one_behind(rules, who, what, target):
    front = told(rules, f"By inhibiting {target}, {who} lowers {what}.")
    assert front == told(rules, f"{who.capitalize()} lowers {what} by inhibiting {target}.")
    assert front == [f"{who.capitalize()} lowers {what}.", f"{who.capitalize()} inhibits {target}."]


@pytest.mark.parametrize(
    "text",
    [
        "By inhibiting MTOR, rapamycin may lower RPS6KB1.",
        "By inhibiting MTOR, rapamycin does not lower RPS6KB1.",
        "By comparing mice, rapamycin lowers RPS6KB1.",
        "By activating AMPK in the liver, metformin lowers glucose in mice, rats and pigs.",
    ],
)
def test_a_means_in_front_of_what_is_open_or_denied_is_not_asserted(rules, text):
    assert not any(
        " inhibits " in claim or " activates " in claim or "compares" in claim for claim in told(rules, text)
    )


@pytest.mark.parametrize(
    "text",
    [
        "Neither of the two drugs lowers glucose.",
        "The two drugs lower glucose.",
        "The three proteins bind AMPK.",
    ],
)
def test_a_number_of_things_that_are_not_named_leans_on_what_stood_before(rules, text):
    assert "pronoun_unresolved" in rules.extract(text)[0].flags


@pytest.mark.parametrize(
    "text",
    [
        "The two genes that encode glucose transporters bind AMPK.",
        "Two drugs lower glucose.",
        "The two drugs metformin and rapamycin lower glucose.",
    ],
)
def test_a_number_of_things_that_are_named_leans_on_nothing(rules, text):
    assert not any("pronoun_unresolved" in claim.flags for claim in rules.extract(text))


@pytest.mark.parametrize(
    "text",
    [
        "**Metformin** lowers [glucose](https://a.org/b_c).",
        "Metformin \u202elowers\u202c glucose.",
        "Metformin\ufeff lowers [glucose](x)\u2069.",
    ],
)
def test_markup_is_no_part_of_a_claim_and_its_span_points_into_the_text(rules, text):
    (claim,) = rules.extract(readable(text))
    assert claim.text == "Metformin lowers glucose."
    assert all(word in text[slice(*claim.span)] for word in ("etformin", "lowers", "glucose"))
