"""The steps of `nli` at a small size: training and test pairs are kept apart, and the program can read the trained
model."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality.nli import (
    Example,
    apart,
    by_words,
    few,
    figures,
    folds,
    judged,
    read,
    stated,
    taught,
    threshold,
    whole,
)
from benchmarks.quality.siblings import minilm
from cypher.memory.graph import MemoryGraph
from groundwork.settings import Settings
from knowhd.judges import connect
from truthhypo.bench.labelled import LABELS, evidence_of, pair_of, read_pairs

FACTS = [
    ("Aspirin relieved headache in all patients.", "Aspirin treats headache.", "supported"),
    ("Aspirin worsened headache in all patients.", "Aspirin treats headache.", "contradicted"),
    ("Metformin is taken with meals.", "Aspirin treats headache.", "not_enough"),
    ("Statins lowered cholesterol.", "Statins reduce cholesterol.", "supported"),
    ("Statins raised cholesterol.", "Statins reduce cholesterol.", "contradicted"),
    ("Trials of statins are expensive.", "Statins reduce cholesterol.", "not_enough"),
] * 2


def test_no_fold_trains_on_the_pairs_on_which_it_is_judged(data):
    pairs = read_pairs(data / "healthver")
    judged = Counter()
    for kept, inside in folds(pairs, 4):
        judged.update(inside)
        for what in (evidence_of, lambda pair: pair.group):
            assert not {what(pairs[n]) for n in kept} & {what(pairs[n]) for n in inside}
        assert len(kept) > len(pairs) / 2
    assert judged == Counter(range(len(pairs))), "each pair is judged once"


def test_a_claim_is_paired_with_a_sentence_that_names_its_ends(data):
    found = read(data / "biored" / "Dev.PubTator", each=50)
    assert Counter(example.label for example in found) == dict.fromkeys(LABELS, 50)
    ends = [re.fullmatch("(.+) (?:increases|decreases) (.+)[.]", example.hypothesis).groups() for example in found]
    named = [any(end in example.premise for end in both) for example, both in zip(found, ends, strict=True)]
    assert sum(named) >= 0.8 * len(named), "the others are named by other words"


def test_only_a_few_pairs_of_each_claim_and_label_are_kept():
    pairs = [pair_of("A does B.", f"Trial {n}.", "supported" if n else "contradicted", "q") for n in range(5)]
    assert few(pairs, 3) == pairs[:4]


def test_the_baseline_learns_from_words():
    pairs = [pair_of(claim, premise, label, claim) for premise, claim, label in FACTS]
    assert [judgement.verdict for judgement in by_words(stated(pairs), pairs)] == [pair.label for pair in pairs]


def test_evidence_joined_into_one_piece_loses_no_text():
    pair = pair_of("A does B.", "A is old. A does B.", "supported", "q")
    assert [p.sentence for p in whole(pair).evidence.literature] == ["A is old. A does B."]
    assert evidence_of(whole(pair)) == evidence_of(pair)


@pytest.mark.models
@pytest.mark.parametrize("form", ["nli", "minicheck"])
def test_the_programs_judge_reads_the_trained_model(form, tmp_path):
    examples = [Example(*fact) for fact in FACTS]
    for name in ("one", "other"):
        taught(minilm(), tmp_path / name, examples, form, epochs=12, rate=3e-4)
    graph = MemoryGraph(Settings(home=tmp_path))
    pairs = [pair_of(claim, premise, label, claim) for premise, claim, label in FACTS]
    judges = [connect(f"{form}:{tmp_path / name}", graph, Settings(judge_device="cpu")) for name in ("one", "other")]
    given = [[judge.judge_all([(pair.claim, pair.evidence)])[0]["literature"] for pair in pairs] for judge in judges]
    assert [each.probabilities for each in given[0]] == [each.probabilities for each in given[1]], "the same every time"
    told = {"contradicted": "not_enough"} if form == "minicheck" else {}
    assert [each.verdict for each in given[0]] == [told.get(pair.label, pair.label) for pair in pairs]
    assert {len(p) for each in given[0] for p in each.probabilities.values()} == {1 if form == "minicheck" else 2}
    assert not Path(tmp_path / "one" / "pytorch_model.bin").exists(), "weights that run no code"


def test_no_claim_passage_or_group_is_on_both_sides():
    pairs = [pair_of(f"Claim {n % 7}.", f"Passage {n % 9}.", LABELS[n % 3], str(n // 2)) for n in range(63)]
    kept = apart(pairs, inside := [0, 1])
    assert kept == [n for n in range(2, 63) if n % 7 not in (0, 1) and n % 9 not in (0, 1)]
    assert not {pairs[n].group for n in kept} & {pairs[n].group for n in inside}


@pytest.mark.parametrize(
    ("right", "least"),
    [
        ([True] * 40 + [False] * 60, 50),
        ([False] * 6 + [True] * 24 + [False] * 70, 30),
        ([True] * 15 + [False] * 85, None),
        ([True, False] * 50, None),
    ],
    ids=["falls below", "is reached late", "too few", "never"],
)
def test_the_threshold_is_the_lowest_with_enough_right(right, least):
    chances = np.linspace(1, 0, len(right))
    assert threshold(chances, np.array(right)) == (float("inf") if least is None else chances[least - 1])


@pytest.mark.parametrize("telling", [True, False])
def test_a_head_decides_only_if_its_features_tell(telling):
    pairs = [pair_of(f"Claim {n}.", f"Passage {n}.", LABELS[n % 3], str(n)) for n in range(300)]
    x = np.random.default_rng(0).normal(size=(300, 3))
    if telling:
        x += 6 * np.eye(3)[[n % 3 for n in range(300)]]
    cells = figures(pairs[:100], judged(pairs, x, 1.0, range(100)))
    assert (float(cells[0].split()[0]) > 0.95) == telling
    assert ["nan" in cell for cell in cells[1:4]] == [not telling] * 3
