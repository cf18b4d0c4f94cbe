"""Properties of all claims of all texts: a claim lies in its sentence and adds no content word, and no name is lost."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundwork.readable import readable
from knowhd.claims import RuleClaims
from tests.knowhd.named import knowing

DRUGS = ("quelistat", "zorbafen", "aspirin", "norbixin")
GENES = ("QLT2", "ZRB1", "p53", "HQX7")
VERBS = {"lowers": "lower", "raises": "raise", "inhibits": "inhibit"}
NAMED = {"Chemical": "quelistat, zorbafen, aspirin", "Gene": "QLT2, ZRB1, p53"}
#: Function words that a claim may contain although its text does not.
GRAMMAR = set("is are was a an do does did not of this".split())  # noqa: SIM905
CASES = [row.split("\t")[1] for row in (Path(__file__).parent / "claims.tsv").read_text("utf-8").splitlines()]

often = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return knowing(tmp_path_factory.mktemp("properties"), NAMED)


@pytest.fixture(scope="module")
def rules(known):
    return RuleClaims(known)


def plain(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def listed(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@st.composite
def sentences(draw):
    """A sentence with known and unknown names, lists, clauses, asides, frames and pronouns."""
    drugs = draw(st.lists(st.sampled_from(DRUGS), min_size=1, max_size=3, unique=True))
    genes = draw(st.lists(st.sampled_from(GENES), min_size=2, max_size=4, unique=True))
    verbs = draw(st.lists(st.sampled_from(sorted(VERBS)), min_size=2, max_size=2, unique=True))
    one, other = verbs if len(drugs) == 1 else map(VERBS.get, verbs)
    who, what, last = listed(drugs), listed(genes[:-1]), genes[-1]
    forms = [
        f"{who} {one} {what} and {other} {last}.",
        f"in mice, {who} may {VERBS[verbs[0]]} {what}, which {verbs[1]} {last}.",
        f"{last}, whose inhibition {verbs[0]} {genes[0]}, is a kinase.",
        f"neither {drugs[0]} nor {drugs[-1]} {verbs[0]} {what} ({last}).",
        f"{drugs[0]} {verbs[0]} {what}, suggesting that {last} {verbs[1]} {genes[0]}.",
        f"however, {who} {one} {what}; it {verbs[1]} {last} and that of {genes[0]}.",
        f"we found that, if {drugs[0]} {verbs[0]} {last}, their targets {other} {what} without {drugs[-1]}.",
    ]
    sentence = draw(st.sampled_from(forms))
    return sentence[0].upper() + sentence[1:]


@often
@given(st.lists(sentences(), min_size=1, max_size=3).map(" ".join))
def test_claims_lie_in_their_sentences_add_nothing_and_lose_no_name(known, rules, text):
    claims = rules.extract(text)
    stems = {word[:4] for word in plain(text).split()}
    told = plain(" ".join(claim.text for claim in claims))
    for claim in claims:
        assert text[slice(*claim.span)] == claim.sentence
        assert {word[:4] for word in plain(claim.text).split() if word not in GRAMMAR} <= stems
        assert claim.text.endswith(".") and claim.text.count("(") == claim.text.count(")")
    assert [mention.text for mention in known.mentions(text) if plain(mention.text) not in told] == []


@pytest.mark.parametrize("text", CASES)
def test_splitting_a_claim_again_returns_the_same_claim(stores, text):
    rules = RuleClaims(stores.linker)
    for claim in rules.extract(readable(text.replace("\\n", "\n"))):
        assert [again.text for again in rules.extract(claim.text)] == [claim.text]


@often
@given(st.text(max_size=80) | st.text(alphabet=st.sampled_from("aB1 .,;:()[]-&/\n'?"), max_size=60))
def test_any_text_is_read(rules, text):
    for claim in rules.extract(text):
        assert claim.text.strip()
        assert text[slice(*claim.span)] == claim.sentence
