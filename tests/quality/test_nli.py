"""The steps of `nli` at a small size: training and test pairs are kept apart, and the program can read the trained
model."""

import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality.fine_tuning import Example, taught
from benchmarks.quality.nli import by_words, whole
from benchmarks.quality.nli_pairs import few, folds, read, stated
from benchmarks.quality.siblings import minilm
from cypher.memory.graph import MemoryGraph
from groundwork.settings import Settings
from knowhd.judges import connect
from truthhypo.bench.judge_calibration.confusion import LABELS
from truthhypo.bench.judge_calibration.labelled import evidence_of, pair_of
from truthhypo.bench.judge_calibration.pairs import load

FACTS = [
    ("Aspirin relieved headache in all patients.", "Aspirin treats headache.", "supported"),
    ("Aspirin worsened headache in all patients.", "Aspirin treats headache.", "contradicted"),
    ("Metformin is taken with meals.", "Aspirin treats headache.", "not_enough"),
    ("Statins lowered cholesterol.", "Statins reduce cholesterol.", "supported"),
    ("Statins raised cholesterol.", "Statins reduce cholesterol.", "contradicted"),
    ("Trials of statins are expensive.", "Statins reduce cholesterol.", "not_enough"),
] * 2


def test_no_fold_trains_on_the_pairs_on_which_it_is_judged(data):
    pairs = load(data / "healthver")
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
