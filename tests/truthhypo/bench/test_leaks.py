"""Features that reveal the labels of a set: what the probe finds in small sets and in the published one.

Features of a set without a card are measured. They are reported before a run, in its measures and in its report.
"""

import json
import re

import numpy as np
import pytest

from tests.truthhypo.bench import small_set
from tests.truthhypo.bench.reported_runs import OTHER, run_of, set_of
from truthhypo.bench.report import report
from truthhypo.bench.report_page import page
from truthhypo.hypotheses import dataset, leaks
from truthhypo.hypotheses.dataset import Instance, instance
from truthhypo.hypotheses.leaks import Figure, Known, Probe, read_species
from truthhypo.hypotheses.options import question, task_of
from truthhypo.hypotheses.release import TABLE_1

_QUESTION = re.compile(r"between \w+ (.*) \([^()]*\) and \w+ (.*) \([^()]*\)\? The final")
RULES = 'models = ["rules"]\nsettings = ["kg"]'


def instances(each: int, told) -> list[Instance]:
    """Return `each` pairs of either class. The second id of a pair is high if told(related, number) is true."""
    found = []
    for related in (True, False):
        for at in range(each):
            second = 500_000 + at if told(related, at) else 100 + at
            label = "stimulate" if related else "no_relation"
            keys = f"Disease|MESH:D{2 * at + related:05}", f"Gene|{second}"
            found.append(Instance(*keys, "Disease", "Gene", "Disease & Gene", label, "?"))
    return found


def probed(each, told):
    return leaks.probe(instances(each, told), Known({}))[0]


def test_a_boosted_tree_finds_a_leak_among_few_rows():
    found = probed(22, lambda related, at: related)
    assert found.auroc["gradient_boosting"].value > 0.95
    assert found.verdict == "leaks"


def test_a_set_too_small_to_show_a_leak_is_called_too_small():
    told = np.random.default_rng(0).integers(0, 2, (2, 120))
    assert probed(10, lambda related, at: told[int(related), at]).verdict == "too small", "it was not probed"
    small = probed(25, lambda related, at: told[int(related), at])
    assert small.auroc
    assert not small.leaks
    assert small.verdict == small.to_dict()["verdict"] == "too small"
    assert probed(120, lambda related, at: told[int(related), at]).verdict == "none found"


@pytest.mark.parametrize(
    ("low", "high", "verdict"), [(0.56, 0.9, "leaks"), (0.5, 0.75, "too small"), (0.45, 0.6, "none found")]
)
def test_the_verdict_depends_on_the_interval(low, high, verdict):
    figures = {"logistic": Figure(0.5, 0.45, 0.55), "gradient_boosting": Figure((low + high) / 2, low, high)}
    assert Probe("all", 100, 0.5, figures, {}, {}).verdict == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.551, 0.9, "leaks"), (0.55, 0.6, "none found"), (0.488, 0.537, "none found"), (0.3, 0.5, "too small")],
)
def test_each_figure_has_a_verdict_of_its_own(low, high, verdict):
    assert Figure(0.5, low, high).verdict == verdict


@pytest.fixture(scope="module")
def published(data):
    return dataset.read(data / "truthhypo" / "edges_test.tsv")


@pytest.fixture(scope="module")
def known(data, published) -> Known:
    names = {}
    for each in published:
        names[each.x_id], names[each.y_id] = _QUESTION.search(each.question).groups()
    return Known(names=names, species=read_species(data / "genes" / "Homo_sapiens.gene_info.gz"))


def test_the_set_loads_with_the_counts_of_table_1(published):
    counted = {
        task: {label: sum((i.rel_type, i.relation) == (task, label) for i in published) for label in labels}
        for task, labels in TABLE_1.items()
    }
    assert counted == TABLE_1


def test_the_set_is_written_as_published_and_our_questions_equal_its_own(data, published, tmp_path):
    table, _ = dataset.write(tmp_path, published)
    assert table.read_bytes() == (data / "truthhypo" / "edges_test.tsv").read_bytes()
    for each in published:
        x_name, y_name = _QUESTION.search(each.question).groups()
        assert question(each.x_id, each.y_id, x_name, y_name) == each.question


def test_the_order_of_ids_and_the_species_reveal_the_labels(published, known):
    found = leaks.rules(published, known)
    assert found.same_type_pairs == {"related": 365, "no_relation": 182}
    assert found.in_order == {"related": 365, "no_relation": 93}
    assert round(found.no_human_gene, 3) == 0.755


@pytest.mark.slow
def test_trivial_features_alone_predict_the_labels(published, known):
    probes = {probe.task: probe for probe in leaks.probe(published, known)}
    assert all(probe.leaks for probe in probes.values())
    everything = probes[leaks.ALL]
    assert everything.auroc["gradient_boosting"].value > 0.97
    assert everything.accuracy["gradient_boosting"].value > 0.92
    assert leaks.trivial_accuracy({"probe": [probe.to_dict() for probe in probes.values()]}) > 0.67


@pytest.fixture(scope="module")
def leaking(tmp_path_factory):
    """A table without a card: related pairs of genes are in canonical order, and no unrelated pair has a human gene."""
    folder = tmp_path_factory.mktemp("leaking")
    made = []
    for n in range(60):
        ids = (f"Gene|{1000 + n}", f"Gene|{5000 + n}") if n % 3 < 2 else (f"Gene|{7000 + n}", f"Gene|{6000 + n}")
        label = task_of(*ids).labels[n % 3]
        assert (label == "no_relation") == (n % 3 == 2)
        made.append(instance(*ids, label, ids[0], ids[1]))
    table, _ = dataset.write(folder, made)
    human = [f"9606\t{one.x_id[5:]}\n" for one in made if one.related]
    (folder / "gene_info").write_text("".join(human) + "10090\t6002\n", "utf-8")
    return table.rename(folder / "table.tsv")


@pytest.fixture(scope="module")
def held(leaking):
    """The part of a manifest that describes the leaking set."""
    counts = {"Gene & Gene": {"positive_correlate": 20, "negative_correlate": 20, "no_relation": 20}}
    return {"mode": None, "tasks": counts} | leaks.measure_leaks(leaking, str(leaking.parent / "gene_info"))


def test_a_set_without_a_card_is_probed_like_a_built_set(held):
    assert held["leaks"] == held["probed"] == ["Gene & Gene", "all"]
    assert held["rules"]["in_order"] == {"related": 40, "no_relation": 0}
    assert [leaks.leak_verdict(held, task) for task in ("Gene & Gene", "all")] == ["yes", "yes"]


def test_warnings_have_the_measured_figures(held):
    said = list(leaks.leak_warnings(held))
    figure = held["probe"][-1]["auroc"]["gradient_boosting"]
    assert any("Gene & Gene, all tasks pooled" in one and f"AUROC {figure['value']:.3f}" in one for one in said)
    assert any("all related gene pairs (40 of 40), but only in 0 of 20 unrelated pairs" in one for one in said)
    assert any("without a human gene is unrelated is right for 100.0 % (majority 66.7 %)" in one for one in said)


def test_without_a_list_of_species_a_warning_says_so(leaking, held):
    said = list(leaks.leak_warnings(held | {"rules": held["rules"] | {"no_human_gene": None}}))
    assert any("set `species` of the dataset to NCBI's gene_info" in one for one in said)
    assert not any("human gene" in one for one in said)


def test_a_run_over_a_leaking_set_warns_and_its_measures_and_report_do(run_bench, command, folder, leaking):
    place = f'path = "{leaking}"\nspecies = "{leaking.parent / "gene_info"}"'
    suite = small_set.suite(folder, head=RULES, **{"datasets.set": place})
    told = run_bench(suite=suite)
    assert told.code == 0, told.err
    manifest = json.loads((folder / "out" / "manifest.json").read_text("utf-8"))["datasets"]["set"]
    assert manifest["leaks"] == ["Gene & Gene", "all"]
    scores = command("bench", "rescore", folder / "out").json
    html = page(report([folder / "out"], 0))
    for said in leaks.leak_warnings(manifest):
        assert f"warning: set: {said}" in told.err
        assert f"set: {said}" in scores["warnings"]
    assert "all related gene pairs (40 of 40" in html
    assert "is right for 100.0 %" in html
    assert told.err.count("trivial features predict the labels") == 1


def test_a_run_that_is_continued_is_not_probed_again(run_bench, folder, leaking, monkeypatch):
    suite = small_set.suite(folder, head=RULES, **{"datasets.set": f'path = "{leaking}"\nlimit = 6'})
    first = run_bench(suite=suite)
    monkeypatch.setattr(leaks, "probe", None)
    again = run_bench(suite=suite)
    assert (first.code, again.code) == (0, 0), again.err
    assert [line for line in again.err.splitlines() if "warning" in line] == [
        line for line in first.err.splitlines() if "warning" in line
    ]


def test_the_report_shows_the_pooled_verdict_too(tmp_path):
    place, instances = set_of(tmp_path / "set")
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    tasks = list(manifest["datasets"]["small"]["tasks"])
    manifest["datasets"]["small"] |= {"probed": [*tasks, "all"], "leaks": ["all"]}
    path.write_text(json.dumps(manifest), "utf-8")
    html = page(report([folder], 0))
    rows = [row for row in html.split("<tr>") if '<th scope="row">small</th>' in row and "all tasks" in row]
    assert len(rows) == 1
    assert '<td class="word">yes</td>' in rows[0]
    assert html.count('<td class="word">not found</td>') == 9


def test_a_run_begun_before_sets_without_a_card_were_probed_says_so():
    old = {"mode": None, "leaks": [], "probed": [], "tasks": {}}
    assert leaks.leak_verdict(old, "all") == "not probed"
    assert any("was not tested" in one for one in leaks.leak_warnings(old))


@pytest.mark.parametrize(
    ("measured", "said"), [(True, "is 0.679 here"), (False, "is not known, because it was not tested")]
)
def test_the_figure_of_older_notes_stands_beside_ours_with_its_source(tmp_path, measured, said):
    place, instances = set_of(tmp_path / "set")
    folder = run_of(tmp_path / "run", place, instances, (OTHER,), mode=None)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["datasets"]["small"]["tasks"] = {task: dict(labels) for task, labels in TABLE_1.items()}
    if measured:
        told = {"relation_accuracy": {"logistic": {"value": 0.679}, "gradient_boosting": {"value": 0.677}}, "n": 9}
        manifest["datasets"]["small"] |= {"probe": [{"task": task} | told for task in TABLE_1]}
    path.write_text(json.dumps(manifest), "utf-8")
    found = [one for one in report([folder], 0).warnings if "0.705" in one]
    assert len(found) == 1
    assert said in found[0]
    assert "0.705 in earlier notes (with ungrouped folds)" in found[0]
