"""What several verbs or things of a sentence share is told with each of them."""

import pytest

from knowhd.claims.claims import RuleClaims
from tests.knowhd.named import knowing

NAMES = {
    "Chemical": "caffeine, empagliflozin, zorbafen, serum urate",
    "Disease": "Parkinson disease, gout, heart failure, diabetes, glioblastoma",
    "Gene": "HIF1B, VEGFA, SIRT1, TP53, QLT2",
}
#: Another name, so that none of a sentence is known.
STRANGE = {"Gene": "zrb77"}


@pytest.fixture(scope="module", params=[NAMES, STRANGE], ids=["known", "unknown"])
def rules(request, tmp_path_factory):
    return RuleClaims(knowing(tmp_path_factory.mktemp("shared"), request.param))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Caffeine does not worsen, and may even improve, motor symptoms in Parkinson disease.",
            [
                "Caffeine does not worsen motor symptoms in Parkinson disease.",
                "Caffeine may even improve motor symptoms in Parkinson disease.",
            ],
        ),
        ("SIRT1 deacetylates and thereby inactivates TP53.", ["SIRT1 deacetylates TP53.", "SIRT1 inactivates TP53."]),
        (
            "SIRT1 may phosphorylate and thus inactivate TP53 in gout.",
            ["SIRT1 may phosphorylate TP53 in gout.", "SIRT1 may inactivate TP53 in gout."],
        ),
        (
            "Both hyperglycaemia and hypoglycaemia worsen cognition in older adults.",
            ["Hyperglycaemia worsens cognition in older adults.", "Hypoglycaemia worsens cognition in older adults."],
        ),
        (
            "Empagliflozin reduces hospitalisation for heart failure in patients with and without diabetes.",
            [
                "Empagliflozin reduces hospitalisation for heart failure in patients with diabetes.",
                "Empagliflozin reduces hospitalisation for heart failure in patients without diabetes.",
            ],
        ),
        (
            "The effect did not differ between patients with and without diabetes.",
            ["The effect did not differ between patients with and without diabetes."],
        ),
        (
            "Zorbafen inhibits QLT2, a renal urate transporter, and lowers serum urate in patients with gout.",
            [
                "Zorbafen inhibits QLT2.",
                "Zorbafen lowers serum urate in patients with gout.",
                "QLT2 is a renal urate transporter.",
            ],
        ),
    ],
)
def test_what_is_shared_is_told_with_each(rules, text, expected):
    assert [claim.text for claim in rules.extract(text)] == expected


def test_a_verb_that_may_do_without_an_object_shares_none(rules):
    assert "Caffeine decreases gout." not in [c.text for c in rules.extract("Caffeine decreases and may cause gout.")]


def test_a_circumstance_behind_a_list_is_of_each_of_it(tmp_path):
    # VEGFA is known and the first is not, so the parser hangs "in" from the first.
    rules = RuleClaims(knowing(tmp_path, {"Chemical": "hypoxia", "Gene": "VEGFA, SLC2A1", "Disease": "glioblastoma"}))
    assert [
        claim.text for claim in rules.extract("Hypoxia induces HIF1B, VEGFA and SLC2A1 in glioblastoma cells.")
    ] == [
        "Hypoxia induces HIF1B in glioblastoma cells.",
        "Hypoxia induces VEGFA in glioblastoma cells.",
        "Hypoxia induces SLC2A1 in glioblastoma cells.",
    ]


def test_what_all_that_was_said_does_is_no_doing_of_the_noun_before_it(tmp_path):
    rules = RuleClaims(knowing(tmp_path, {"Chemical": "metformin, glucose", "Gene": "AMPK"}))
    text = "Metformin activates AMPK in liver cells, which suppresses glucose production."
    assert [claim.text for claim in rules.extract(text)] == [text]
    theirs = "Metformin activates AMPK in liver cells, which suppress glucose production."
    assert "Liver cells suppress glucose production." in [claim.text for claim in rules.extract(theirs)]


EACH = {
    "Both smoking and obesity impair insulin secretion.": ("Smoking", "Obesity", "impairs insulin secretion."),
    "Smoking, obesity and stress impair memory.": ("Smoking", "Obesity", "Stress", "impairs memory."),
    "Poor sleep and high stress worsen migraine.": ("Poor sleep", "High stress", "worsens migraine."),
    "Caffeine and zorbafen worsen gout.": ("Caffeine", "Zorbafen", "worsens gout."),
    "In mice, vintagol and murexin impair memory.": ("In mice, vintagol", "In mice, murexin", "impairs memory."),
    "Blorvatin, kestimab and durazine lower LDL in adults with gout.": (
        "Blorvatin",
        "Kestimab",
        "Durazine",
        "lowers LDL in adults with gout.",
    ),
    "Vintagol and murexin increase BLX9 in mice fed a high-fat diet.": (
        "Vintagol",
        "Murexin",
        "increases BLX9 in mice fed a high-fat diet.",
    ),
}


@pytest.mark.parametrize(("text", "expected"), EACH.items())
def test_a_verb_that_the_parser_loses_is_said_of_each_that_does_it(rules, text, expected):
    *who, said = expected
    assert [claim.text for claim in rules.extract(text)] == [f"{each} {said}" for each in who]


def test_a_second_verb_is_said_of_each_as_well(rules):
    made = [claim.text for claim in rules.extract("Norbixin and drelutine impair memory and raise QLT2.")]
    assert made == [
        f"{who} {said}" for who in ("Norbixin", "Drelutine") for said in ("impairs memory.", "raises QLT2.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Liver and kidney damage predicts death.",  # "damage" is no verb here
        "Both systolic and diastolic pressure lower survival.",  # both are of pressure
        "Vintagol and murexin together impair memory.",
        "Combining vintagol and murexin may impair memory.",
        "Drug release profiles of caffeine changed.",
        "Both drugs impair memory.",
    ],
)
def test_what_is_no_list_of_those_who_do_it_stays_whole(rules, text):
    assert [claim.text for claim in rules.extract(text)] == [text]


@pytest.mark.parametrize("text", ["Zorbafen does not lower gout.", "Zorbafen neither raises nor lowers QLT2."])
def test_a_name_that_looks_like_a_plural_is_one_thing(rules, text):
    assert not [claim.text for claim in rules.extract(text) if " do not " in claim.text]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    """Names of which two may stand beside each other and be told apart."""
    more = {**NAMES, "Chemical": f"{NAMES['Chemical']}, aspirin, metformin", "Gene": f"{NAMES['Gene']}, CRP, PCSK9"}
    return RuleClaims(knowing(tmp_path_factory.mktemp("gapped"), more))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Metformin lowers PCSK9, aspirin CRP and caffeine VEGFA.",
            ["Metformin lowers PCSK9.", "Aspirin lowers CRP.", "Caffeine lowers VEGFA."],
        ),
        ("Aspirin treats gout and zorbafen glioblastoma.", ["Aspirin treats gout.", "Zorbafen treats glioblastoma."]),
        ("Quelistat inhibits HQX7, and mirvanib, MRV3.", ["Quelistat inhibits HQX7.", "Mirvanib inhibits MRV3."]),
        ("Caffeine causes gout; metformin, diabetes.", ["Caffeine causes gout.", "Metformin causes diabetes."]),
        (
            "Caffeine causes gout, diabetes and headache.",
            [f"Caffeine causes {x}." for x in ("gout", "diabetes", "headache")],
        ),
        ("Smoking raises mortality, heart rate and cancer risk.", None),
    ],
)
def test_a_verb_that_is_said_once_is_said_of_each_pair(known, text, expected):
    made = [claim.text for claim in known.extract(text)]
    assert made == expected if expected else "Heart raises rate." not in made


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zorbafen inhibits QLT2, reducing fibrosis.", ["Zorbafen inhibits QLT2.", "Zorbafen reduces fibrosis."]),
        ("Zorbafen inhibits QLT2, leading to fibrosis.", ["Zorbafen inhibits QLT2.", "Zorbafen leads to fibrosis."]),
        ("Caffeine blocks SIRT1, causing gout.", ["Caffeine blocks SIRT1.", "Caffeine causes gout."]),
        ("Zorbafen inhibits QLT2, suggesting a role in gout.", None),
        ("Zorbafen may inhibit QLT2, reducing fibrosis.", None),
        ("Zorbafen does not inhibit QLT2, causing gout.", None),
        ("Caffeine was given to block SIRT1.", None),
        ("Zorbafen prevents gout, as QLT2 raises urate.", ["Zorbafen prevents gout.", "QLT2 raises urate."]),
        ("Caffeine prevents gout, as SIRT1 acts on TP53.", ["Caffeine prevents gout.", "SIRT1 acts on TP53."]),
        ("Zorbafen lowers QLT2, as expected from its structure.", None),
        (
            "Some drugs (e.g. aspirin, metformin) cause gout.",
            ["Some drugs cause gout.", "Aspirin causes gout.", "Metformin causes gout."],
        ),
    ],
)
def test_what_is_said_behind_a_comma_is_a_claim_where_it_is_asserted(known, text, expected):
    assert [claim.text for claim in known.extract(text)] == (expected or [text])
