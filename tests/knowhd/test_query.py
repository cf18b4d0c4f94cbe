"""The query for the literature: a claim's words, and the names of each concept."""

import pytest

from groundwork.linking import Mention
from groundwork.records import Concept
from knowhd.claims import Claim
from knowhd.gather import NAMES, query

ASPIRIN = Concept(
    "Chemical|MESH:D001241", "aspirin", ("aspirin", "Aspirins", "ASA", "acetylsalicylic acid"), (9, 3, 2, 5)
)


def claim(text: str, **named: str) -> Claim:
    mentions = tuple(
        Mention(name, start, start + len(name), key, name, 1.0)
        for name, key in named.items()
        for start in [text.index(name)]
    )
    return Claim(text, text, (0, len(text)), tuple(named.values()), mentions=mentions)


def test_a_concept_is_asked_for_by_its_own_name_first_then_by_the_most_frequent():
    asked = query(claim("Old Aspirin treats headache.", Aspirin=ASPIRIN.key), {ASPIRIN.key: ASPIRIN})
    assert asked.text.split() == ["Old", "treats", "headache."]
    assert asked.names == (("Aspirin", "acetylsalicylic acid", "ASA"),)


def test_names_with_the_same_words_count_together():
    names = ("renal failure", "Kidney failure", "failure of kidneys", "kidney-failures", "uraemia")
    concept = Concept("Disease|D1", names[0], names, (9, 2, 1, 2, 3))
    (asked,) = query(claim("renal failure", **{"renal failure": "Disease|D1"}), {"Disease|D1": concept}).names
    assert asked == ("renal failure", "Kidney failure", "uraemia", "failure of kidneys")


def test_only_the_best_names_are_asked_for():
    names = tuple(f"name{letter}" for letter in "abcdefghijkl")
    concept = Concept("Gene|1", names[0], names, tuple(range(12, 0, -1)))
    (asked,) = query(claim("namea binds", namea="Gene|1"), {"Gene|1": concept}).names
    assert asked == names[: NAMES + 1]


def test_a_claim_without_concepts_is_its_text():
    asked = query(claim("Garlic prevents colds."), {})
    assert (asked.text, asked.names) == ("Garlic prevents colds.", ())


@pytest.mark.parametrize(
    ("key", "spelled"),
    [
        ("SNP|rs1800566", {"rs1800566"}),
        ("ProteinMutation|p|SUB|V|66|M", {"V66M", "Val66Met"}),
        ("DNAMutation|c|SUB|C|677|T", {"677C>T", "C677T"}),
        ("ProteinMutation|RS#:121908192;HGVS:p.R194W;CorrespondingGene:2671", {"rs121908192", "R194W"}),
        ("Gene|7157", set()),
    ],
)
def test_a_variant_is_asked_for_as_texts_write_it(key, spelled):
    (asked,) = query(claim("it matters", it=key), {}).names
    assert set(asked) == {"it"} | spelled
