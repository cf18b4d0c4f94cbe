"""The grid on statements with known answers: its measures compared with scikit-learn's, and its files."""

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

import cypher
from fuzzygraph.options import RiskOptions
from fuzzygraph.risk_report import Terms
from groundwork.errors import InputError
from tests.contracts.graphs import copied
from tests.risks import checker_of
from truthhypo.bench import grid
from truthhypo.bench.grid import Grid, risks, surrounded, understood
from truthhypo.bench.labelled import LabelledStatement, read_statements
from truthhypo.charting import reader
from truthhypo.world import World

SAID = [
    ("Does aspirin treat fever?", "yes"),
    ("Aspirin causes fever.", "no"),
    ("Does the moon hum?", "maybe"),
]


def drawn(n=200, seed=0, missing=0.2):
    draws = np.random.default_rng(seed)
    gold = ["false" if draws.random() < 0.4 else "true" for _ in range(n)]
    risk = [float(np.clip(0.5 * (g == "false") * draws.random() + 0.5 * draws.random(), 0, 1)) for g in gold]
    return gold, [None if draws.random() < missing else r for r in risk]


def test_figures_of_a_point_are_those_of_scikit_learn():
    gold, risk = drawn()
    found = grid.point(Terms(), [*gold, "maybe"], [*risk, 0.9])
    kept = [(g == "false", r) for g, r in zip(gold, risk, strict=True) if r is not None]
    false, hrs = np.array([g for g, _ in kept]), np.array([r for _, r in kept])
    assert found.measured == len(kept) and found.coverage == pytest.approx(len(kept) / 200)
    assert found.auroc == pytest.approx(roc_auc_score(false, hrs), abs=1e-12)
    assert found.f1 == pytest.approx(f1_score(false, hrs >= 0.5), abs=1e-12)
    assert found.f1_best == pytest.approx(max(f1_score(false, hrs >= t) for t in hrs), abs=1e-12)
    assert found.accuracy == pytest.approx(((hrs >= 0.5) == false).mean())


def test_a_point_is_chosen_without_the_fold_it_is_tested_on():
    gold, good = drawn(missing=0.0)
    noise = np.random.default_rng(5).random(200).tolist()
    points = [(Terms(hops=1), noise), (Terms(hops=2), good)]
    found = grid.crossed(gold, points)
    assert [c["hops"] for c in found.chosen] == [2] * 5
    assert found.auroc == pytest.approx(grid.point(Terms(), gold, good).auroc)
    assert found.f1 <= grid.point(Terms(), gold, good).f1_best
    shuffled = grid.crossed(gold, [(Terms(tau_min=t / 10), np.random.default_rng(t).random(200).tolist())
                                       for t in range(1, 10)])  # fmt: skip
    assert shuffled.f1 < found.f1 and abs(shuffled.auroc - 0.5) < 0.12


def test_without_a_measured_risk_there_is_no_auroc():
    gold = ["true", "false"] * 20
    found = grid.point(Terms(), gold, [None] * 40)
    assert (found.auroc, found.f1, found.ece, found.coverage, found.f1_all) == (None, None, None, 0.0, 0.0)
    assert grid.crossed(gold, [(Terms(), [None] * 40)]).f1 is None


def test_risks_on_the_grid_equal_those_of_single_calls(settings, sample_home):
    with World(settings.model_copy(update={"home": sample_home})) as world:
        texts = ["Metformin treats type 2 diabetes.", "Metformin causes type 2 diabetes.", "Nothing is said."]
        graph = world.graph_store
        read = surrounded(understood([LabelledStatement(text, "true") for text in texts], graph), graph)
        found = risks(read, Grid(taus=(0.2, 0.7), hops=(2, 3), alphas=(0.9,)), (settings.syst, settings.rand))
        assert len(found) == 3 * 2 * 2 * 3
        some = 0
        for terms, each in found[::5]:
            for text, hrs in zip(texts, each, strict=True):
                told = world.risk(
                    text,
                    score="paper",
                    form=terms.form,
                    alpha=terms.alpha,
                    tau_min=terms.tau_min,
                    hops=terms.hops,
                    aggregate=terms.aggregate,
                )
                assert (hrs is None) == (told.hrs is None)
                assert hrs is None or hrs == pytest.approx(told.hrs, rel=1e-9)
                some += hrs is not None
    assert some


def test_statements_read_together_have_the_same_risks_as_one_at_a_time(settings, sample_home):
    """The atlas gives exactly the numbers that `risk` gives for one text at a time in the memory store."""
    held = settings.model_copy(update={"home": sample_home, "graph": "memory:"})
    texts = ["Metformin treats type 2 diabetes.", "Metformine prevents tipe 2 diabetes.", "Nothing is said.",
             "Aspirin causes fever, and it does not treat headache.", "Simvastatin lowers cholesterol."]  # fmt: skip
    with World(settings.model_copy(update={"home": sample_home})) as world:
        memory = copied(world.graph_store, cypher.connect("memory:", held))
        graph, checker = reader(memory, held, 100_000), checker_of(memory)
        assert graph is not memory
        read = surrounded(understood([LabelledStatement(text, "true") for text in texts], graph), graph)
        assert {item.status for item in read} >= {"no_evidence", "no_triple"}
        some = 0
        for terms, each in risks(read, Grid(taus=(0.2,), hops=(2, 4), alphas=(0.9,)), (settings.syst, settings.rand)):
            named = {name: getattr(terms, name) for name in ("form", "alpha", "tau_min", "hops", "aggregate")}
            assert each == [checker.check(text, RiskOptions(score="paper", **named)).hrs for text in texts]
            some += sum(hrs is not None for hrs in each)
        assert some


def test_tables_of_any_kind_are_read(tmp_path):
    rows = [{"question": q, "label": g} for q, g in SAID]
    (tmp_path / "a.json").write_text(
        json.dumps({str(n): {"QUESTION": q, "final_decision": g} for n, (q, g) in enumerate(SAID)}), "utf-8"
    )
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["question", "label"])
        table.writeheader()
        table.writerows(rows)
    read = [read_statements(tmp_path / f"a.{kind}") for kind in ("json", "jsonl", "csv")]
    assert read[0] == read[1] == read[2]
    assert [each.gold for each in read[0]] == ["true", "false", "maybe"]
    assert read[0][0].text == "Aspirin treats fever."


@pytest.mark.parametrize("text", ["text,label\n", "text,label\nA.,perhaps\n", "a,b\n1,2\n"])
def test_a_table_without_statements_or_with_unknown_labels_is_refused(tmp_path, text):
    (tmp_path / "a.csv").write_text(text, "utf-8")
    with pytest.raises(InputError):
        read_statements(tmp_path / "a.csv")


def test_the_command_writes_its_files_and_says_where_the_graph_is_too_small(tmp_path, sample_home, command):
    data, out = tmp_path / "said.csv", tmp_path / "out"
    data.write_text(
        "text,label\nMetformin treats type 2 diabetes.,yes\nMetformin causes type 2 diabetes.,no\nThe moon hums.,no\n",
        "utf-8",
    )
    asked = ("--home", sample_home, "bench", "grid", "--data", data, "--out", out, "--hops", "2,3", "--taus", "0.2,0.5")
    told = command(*asked, "--alphas", "0.9")
    assert told.code == 0, told.err
    assert told.json["labels"] == {"true": 1, "false": 2}
    assert sum(told.json["reached"].values()) == 3 and told.json["reached"]["measured"] >= 1
    assert len(told.json["points"]) == 3 * 2 * 2 * 3
    assert len((out / "grid.csv").read_text("utf-8").splitlines()) == 37
    assert json.loads((out / "grid.json").read_text("utf-8"))["points"] == told.json["points"]


def test_a_grid_without_measured_statements_has_exit_code_1(tmp_path, sample_home, command):
    (tmp_path / "a.csv").write_text("text,label\nThe moon hums.,no\nKrell fever is loud.,yes\n", "utf-8")
    told = command("--home", sample_home, "bench", "grid", "--data", tmp_path / "a.csv", "--hops", "2")
    assert (told.code, told.json["reached"]["measured"]) == (1, 0)
    assert "no statement could be measured" in told.err


@pytest.mark.parametrize(
    "wrong", [("--hops", "7"), ("--taus", "x"), ("--taus", "2"), ("--forms", "round"), ("--alphas", "0")]
)
def test_points_out_of_range_are_refused_before_anything_is_read(tmp_path, command, wrong):
    (tmp_path / "a.csv").write_text("text,label\nA.,yes\n", "utf-8")
    told = command("--graph", "memory:", "bench", "grid", "--data", tmp_path / "a.csv", *wrong)
    assert told.code == 2
    assert wrong[0] in told.err
