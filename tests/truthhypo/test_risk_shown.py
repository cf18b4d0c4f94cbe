"""Wherever a person sees HRS, the strength of the evidence is shown beside it, with a flag if the evidence is thin."""

import pytest
from rich.console import Console

import cypher
from fuzzygraph.check import Checker
from groundwork.records import Relation
from groundwork.settings import Settings
from tests.contracts.graphs import concept, fill
from truthhypo.faces import render_judgement

DRUG, GENE, DISEASE = "Chemical|MESH:D1", "Gene|1", "Disease|MESH:D2"
CONCEPTS = [concept(DRUG, ("drugamol", 1)), concept(GENE, ("GENE1", 1)), concept(DISEASE, ("diseasitis", 1))]
WEAK = [Relation(DRUG, "positive_correlate", GENE, (1,)), Relation(DISEASE, "positive_correlate", GENE, (2,))]
STRONG = [*WEAK, Relation(DRUG, "cause", DISEASE, (1, 2, 3))]


@pytest.mark.parametrize(("relations", "thin"), [(WEAK, True), (STRONG, False)])
@pytest.mark.parametrize("times", [1, 2])
def test_strength_and_flag_stand_beside_hrs(relations, thin, times):
    report = Checker(fill(cypher.connect("memory:", Settings()), relations, CONCEPTS)).check(
        " ".join(["Drugamol causes diseasitis."] * times)
    )
    console = Console(record=True, width=200)
    render_judgement.risk(console, report, {})
    lines = [line for line in console.export_text().splitlines() if "HRS" in line]
    assert len(lines) == (1 if times == 1 else times + 1)
    for line in lines:
        assert f"strength {report.strength:.3f}" in line
        assert ("thin" in line) is thin
