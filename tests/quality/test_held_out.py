"""Held-out edges of BioRED and BC5CDR by topology; MEASURED.md has the figures of the main scores."""

import json

from benchmarks.quality.held_out import annotated
from benchmarks.quality.held_out_scores import topology
from benchmarks.quality.held_out_split import ranked, split
from truthhypo.bench.grid.questions import statement


def test_paths_rank_edges_well_if_held_out_at_random_and_hardly_if_held_out_by_document(data):
    _, statements = annotated(data)
    found = {}
    for by in ("edge", "document"):
        cut = split(statements, by)
        columns = topology(cut.left, cut.cases)
        found[by] = {name: ranked(cut.cases, columns[name]).auroc for name in ("paths", "dwpc 0.5", "adamic-adar")}
    # Measured: .757, .778, .656 at random; .539, .540, .507 by document.
    assert found["edge"]["paths"] >= 0.74 and found["edge"]["dwpc 0.5"] >= 0.76, found
    assert found["edge"]["adamic-adar"] < found["edge"]["paths"] - 0.05, found
    assert 0.525 <= found["document"]["paths"] <= 0.56, found
    assert found["document"]["adamic-adar"] < found["document"]["paths"], found


def test_questions_of_pubmedqa_become_statements(data):
    given = json.loads((data / "pubmedqa/pqal_dev.json").read_text("utf-8")).values()
    said = [statement(item["QUESTION"]) for item in given]
    assert not [text for text in said if "?" in text or not text.endswith(".")]
    begun = (
        "is ",
        "are ",
        "do ",
        "does ",
        "did ",
        "can ",
        "should ",
        "was ",
        "were ",
        "will ",
        "could ",
        "has ",
        "have ",
    )
    # Measured: 40 of 500 still begin with their verb.
    left = [text for text in said if text.lower().startswith(begun)]
    assert len(left) <= 45, len(left)
