"""What holds of every claim of every text: it lies in its sentence, adds nothing, loses no name and is its own claim."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowhd import lexicon
from knowhd.claims.claims import RuleClaims
from knowhd.claims.leaning.leaning import leaning
from knowhd.claims.reasons import balanced
from tests.knowhd.hard import linker, plain, texts

DRUGS = ("quelistat", "zorbafen", "mirvanib", "aspirin", "norbixin")
GENES = ("QLT2", "ZRB1", "MRV3", "p53", "HQX7")
VERBS = {"lowers": "lower", "raises": "raise", "inhibits": "inhibit"}
#: Words of grammar that a claim may have and its text not.
GRAMMAR = lexicon.words("is are was do does did not it true that and or the of a an has have")


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return linker(tmp_path_factory.mktemp("properties"))


@pytest.fixture(scope="module")
def rules(known):
    return RuleClaims(known)


def listed(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@st.composite
def sentences(draw):
    """A sentence of one of the forms that rules take apart, of names of which some are known to nobody."""
    drugs = draw(st.lists(st.sampled_from(DRUGS), min_size=1, max_size=3, unique=True))
    genes = draw(st.lists(st.sampled_from(GENES), min_size=2, max_size=4, unique=True))
    first, second = draw(st.lists(st.sampled_from(sorted(VERBS)), min_size=2, max_size=2, unique=True))
    one, other = (first, second) if len(drugs) == 1 else (VERBS[first], VERBS[second])
    who, what, last = listed(drugs), listed(genes[:-1]), genes[-1]
    form = draw(
        st.sampled_from(
            [
                f"{who} {one} {what} and {other} {last}.",
                f"{who} may {VERBS[first]} {what}.",
                f"In mice, {who} {one} {what} and {other} {last}.",
                f"Drugs such as {who} {VERBS[first]} {what}.",
                f"{last}, whose inhibition {first} {genes[0]}, is a kinase.",
                f"{who} {one} several kinases, including {what}.",
                f"Neither {drugs[0]} nor {drugs[-1]} {first} {what}.",
                f"{genes[0]} is a kinase that {first} {last}.",
                f"However, {who} {one} {what}; {draw(st.sampled_from(DRUGS))} does too.",
            ]
        )
    )
    return form[0].upper() + form[1:]


texts_of_all = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@texts_of_all
@given(st.lists(sentences(), min_size=1, max_size=3).map(" ".join))
def test_claims_lie_in_their_sentences_add_nothing_and_lose_no_name(known, rules, text):
    claims = rules.extract(text)
    stems = {word[:4] for word in plain(text).split()}
    told = plain(" ".join(claim.text for claim in claims))
    assert len({(claim.text, claim.span) for claim in claims}) == len(claims)
    for claim in claims:
        assert text[slice(*claim.span)] == claim.sentence
        assert claim.text.strip(string.punctuation + " ")
        assert {word[:4] for word in plain(claim.text).split() if word not in GRAMMAR} <= stems
    assert [m.text for m in known.mentions(text) if plain(m.text) not in told] == []


LEFT_OUT = [
    "{drug} (e.g. as a tablet, daily) {verb} {gene}, but {other} does not.",
    "{drug} {verb} {gene} (by half). {other} does not.",
    "{drug} {verb} {gene}. Nor does {other}.",
    "Two doses of {drug} do not lower {gene} [1], and one dose does.",
    "{drug} (a) {verb} {gene} and (b) lowers QLT2 (see Fig. 2).",
]


@texts_of_all
@given(
    st.sampled_from(LEFT_OUT),
    st.sampled_from(DRUGS),
    st.sampled_from(DRUGS),
    st.sampled_from(GENES),
    st.sampled_from([*VERBS]),
)
def test_claims_close_their_brackets_and_say_what_they_say_or_are_flagged(rules, form, drug, other, gene, verb):
    text = form.format(drug=drug.capitalize(), other=other.capitalize(), gene=gene, verb=verb)
    for claim in rules.extract(text):
        assert balanced(claim.text)
        stands = claim.text == text or "pronoun_unresolved" in claim.flags
        assert stands or not claim.text.endswith((" does not.", " does.", f"does {other}."))


#: What a claim never begins or ends with, unless it is flagged; of all that leans (`test_claims_leaning.py`) the barest.
LEANS = re.compile(
    r"(?:they|he|she|its|their|this|these|those|such|both (?!\w+ and)|the (?:latter|former)|"
    r"it (?!\w+(?: \w+){1,3} (?:that|to|whether)\b))\b|[^,;]*\b(?:it|them|the latter|does so)\.$",
    re.IGNORECASE,
)
FOLLOWING = [
    "It {verb} {gene}.",
    "{drug} {verb} it.",
    "They lower {gene}, and {drug} {verb} them.",
    "Its receptor {verb} {gene}.",
    "This {verb} {gene}; {drug} does so.",
    "These effects are weak, and such effects of {drug} are rare.",
    "{drug} {verb} that of {gene}.",
    "Both lower {gene}, but the latter {verb} its receptor.",
    "The drug {verb} the enzyme, whereas {drug} {verb} the former.",
    "{drug} {verb} the level of {gene} and that of its receptor.",
    "It is known that {drug} {verb} {gene} and their receptors.",
]


@texts_of_all
@given(
    sentences(), st.sampled_from(FOLLOWING), st.sampled_from(DRUGS), st.sampled_from(GENES), st.sampled_from([*VERBS])
)
def test_what_leans_on_another_claim_is_flagged(rules, first, form, drug, gene, verb):
    second = form.format(drug=drug.capitalize(), gene=gene, verb=verb)
    for text in (second, f"{first} {second}"):
        for claim in rules.extract(text):
            flagged = "pronoun_unresolved" in claim.flags
            assert flagged or not (LEANS.match(claim.text) or leaning(claim.text, claim.mentions))


@pytest.mark.parametrize("name", ["further", "gold", "hard", "reasons"])
def test_what_leans_is_flagged_in_the_texts_of_ours(rules, name):
    rows = (Path(__file__).parent / f"claims_{name}.tsv").read_text("utf-8").splitlines()
    claims = [claim for row in rows for claim in rules.extract(row.split("\t")[0])]
    assert claims
    for claim in claims:
        assert "pronoun_unresolved" in claim.flags or not (
            LEANS.match(claim.text) or leaning(claim.text, claim.mentions)
        )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet=st.sampled_from("aB1 .,;:()-&/\n'?"), max_size=60) | sentences().map(lambda s: s[::-1]))
def test_no_text_makes_empty_or_misplaced_claims(rules, text):
    for claim in rules.extract(text):
        assert claim.text.strip()
        assert text[slice(*claim.span)] == claim.sentence


@pytest.mark.parametrize("name", ["hard", "further"])
def test_a_claim_taken_apart_again_is_itself_and_makes_no_new_one(rules, name):
    for text, _ in texts(name):
        claims = [claim.text for claim in rules.extract(text)]
        for claim in claims:
            again = [each.text for each in rules.extract(claim)]
            assert again[0] == claim
            assert set(again) <= set(claims)
