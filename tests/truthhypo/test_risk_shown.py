"""What a person sees of a risk: strength and thin evidence beside each HRS, and of which claim each result is."""

import pytest
from rich.console import Console

import cypher
from fuzzygraph.options import RiskOptions
from groundwork.records import Relation
from groundwork.settings import Settings
from tests.contracts.graphs import concept, fill
from tests.risks import checker_of
from truthhypo.faces import render_judgement

DRUG, GENE, DISEASE = "Chemical|MESH:D1", "Gene|1", "Disease|MESH:D2"
CONCEPTS = [concept(DRUG, ("drugamol", 1)), concept(GENE, ("GENE1", 1)), concept(DISEASE, ("diseasitis", 1))]
WEAK = [Relation(DRUG, "positive_correlate", GENE, (1,)), Relation(DISEASE, "positive_correlate", GENE, (2,))]
STRONG = [*WEAK, Relation(DRUG, "cause", DISEASE, (1, 2, 3))]


@pytest.mark.parametrize(("relations", "thin"), [(WEAK, True), (STRONG, False)])
@pytest.mark.parametrize("times", [1, 2])
def test_strength_and_flag_stand_beside_hrs(relations, thin, times):
    report = checker_of(fill(cypher.connect("memory:", Settings()), relations, CONCEPTS)).check(
        " ".join(["Drugamol causes diseasitis."] * times)
    )
    console = Console(record=True, width=200)
    render_judgement.risk(console, report, {})
    told = console.export_text().splitlines()
    assert sum(line.split() == ["sentence", "Drugamol", "causes", "diseasitis."] for line in told) == times
    lines = [line for line in told if "HRS" in line]
    assert len(lines) == (1 if times == 1 else times + 1)
    for line in lines:
        assert f"strength {report.strength:.3f}" in line
        assert ("thin" in line) is thin


def test_each_result_names_its_sentence_its_triple_and_what_is_not_linked():
    checker = checker_of(fill(cypher.connect("memory:", Settings()), STRONG, CONCEPTS))
    console = Console(record=True, width=200)
    render_judgement.risk(console, checker.check("Drugamol does not cause diseasitis. Foobar causes diseasitis."), {})
    lines = [" ".join(line.split()) for line in console.export_text().splitlines()]
    assert [line for line in lines if line.startswith(("sentence", "read as", "risk unlinked"))] == [
        "sentence Drugamol does not cause diseasitis.",
        "read as Drugamol | not cause | diseasitis",
        "sentence Foobar causes diseasitis.",
        "read as Foobar | causes | diseasitis",
        "risk unlinked (no risk is measured; not linked to a concept: Foobar)",
    ]


@pytest.mark.parametrize("limit", [3, 20])
def test_all_paths_that_were_asked_for_are_shown(limit):
    genes = [f"Gene|{number}" for number in range(1, 7)]
    steps = [Relation(end, "positive_correlate", gene, (1, 2)) for gene in genes for end in (DRUG, DISEASE)]
    names = [*CONCEPTS[::2], *(concept(gene, (f"GENE{gene[-1]}", 1)) for gene in genes)]
    checker = checker_of(fill(cypher.connect("memory:", Settings()), steps, names))
    console = Console(record=True, width=200)
    render_judgement.risk(console, checker.check("Drugamol causes diseasitis.", RiskOptions(paths=limit)), {})
    shown = [line for line in console.export_text().splitlines() if line.startswith("  path")]
    assert len(shown) == min(limit, len(genes))
