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
