"""The content of a report: runs, cells, comparisons, printed numbers and short paths."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from groundwork.errors import InputError
from groundwork.statistics import preferred
from tests.truthhypo.bench.reported_runs import FLOOR, HOSTILE, MODEL, OTHER, run_of, set_of
from truthhypo.bench.measures import Outcome
from truthhypo.bench.report import report, shortened, warnings_of
from truthhypo.bench.report_figures import COLUMNS, Figure, PrintedNumber, Size, paper_name, published, sizes
from truthhypo.bench.report_page import page, save
from truthhypo.bench.reported_runs import Cell, compare, comparisons, groups
from truthhypo.bench.runs import Entry, Grounding
from truthhypo.faces.cli.entry import run as command

VOID = {"meta", "link", "br", "img", "input", "hr"}
ONE = Cell("run", "set", "m", "kg", "greedy", None)
NUMBERS = published()
SIZES = sizes(NUMBERS.values())
TASKS = ("Chemical & Gene", "Disease & Gene", "Gene & Gene")
ROWS = sorted({row for table, row, _ in NUMBERS if table == "Table 2"})


class Page(HTMLParser):
    """Elements with their attributes, text, numbers, and whether every element was closed in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.text, self.open, self.bad = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.bad.append(tag)

    def handle_data(self, data):
        self.text.append(data)

    @property
    def numbers(self):
        return {float(attrs["value"]) for tag, attrs in self.elements if tag == "data"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    place, instances = set_of(root / "set")
    return run_of(root / "one", place, instances), run_of(root / "two", place, instances, (OTHER, MODEL))


@pytest.fixture(scope="module")
def found(folders):
    return report(folders[:1], instances=4)


@pytest.fixture(scope="module")
def html(found):
    return page(found)


@pytest.fixture(scope="module")
def read(html):
    return Page(html)


def test_the_page_is_well_formed_and_its_links_lead_somewhere(read):
    assert (read.bad, read.open) == ([], [])
    ids = [attrs["id"] for _, attrs in read.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for tag, attrs in read.elements if tag == "a"]
    assert links
    assert all(link[0] == "#" and link[1:] in ids for link in links)


def test_the_page_fetches_nothing_and_runs_nothing(read, html):
    assert not {"script", "img", "link", "iframe", "object", "embed", "form", "base"} & {
        tag for tag, _ in read.elements
    }
    for tag, attrs in read.elements:
        assert not [
            name for name in attrs if name.startswith("on") or name in {"src", "srcset", "action", "xlink:href"}
        ], tag
        if "href" in attrs:
            assert attrs["href"].startswith("#")
        assert "://" not in (attrs.get("style") or "")
    style = re.search(r"<style>(.*?)</style>", html, re.S)[1]
    assert "url(" not in style
    assert "@import" not in style
    (policy,) = [
        attrs["content"] for tag, attrs in read.elements if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "script" not in policy  # no directive allows scripts


def test_hostile_text_is_shown_as_text(read, html):
    assert HOSTILE in " ".join("".join(read.text).split())
    assert "<script" not in html
    assert "onerror=alert(1)>" not in html


def test_every_figure_stands_on_the_page_in_the_json_and_in_the_csv(found, read, tmp_path):
    files = save(found, tmp_path / "r.html")
    shape = json.loads((tmp_path / "r.json").read_text("utf-8"))
    rows = list(csv.DictReader((tmp_path / "r.csv").read_text("utf-8").splitlines()))

    kinds = ("html", "json", "csv")
    assert set(files.to_dict().values()) == {str(tmp_path / f"r.{kind}") for kind in kinds}
    assert len(rows) == len(shape["figures"]) == len(found.figures) > 200
    for row, one in zip(rows, shape["figures"], strict=True):
        flat = {**one.pop("cell"), **one}
        assert row == {name: "" if value is None else str(value) for name, value in flat.items()}
        shown = {one[name] for name in ("value", "low", "high", "n", "failed", "undecided", "coverage")} - {None}
        assert shown <= read.numbers
    assert list(rows[0]) == list(COLUMNS)


def test_nothing_is_ever_nan(found, html, tmp_path):
    save(found, tmp_path / "r.html")

    json.loads((tmp_path / "r.json").read_text("utf-8"), parse_constant=lambda word: pytest.fail(word))
    for text in (html, (tmp_path / "r.csv").read_text("utf-8")):
        assert not re.search(r"\b((?i:nan|inf|infinity)|None|undefined)\b", text)


def test_paired_tests_agree_with_the_measures(found):
    """If no instance is left out, the difference of two cells equals the difference of their measured accuracies."""
    accuracy = {
        one.cell: one.value
        for one in found.figures
        if (one.task, one.measure) == ("average", "relation_accuracy_micro")
    }
    whole = [one for one in found.comparisons if one.left_out == 0]

    assert len(whole) >= 8
    for one in whole:
        assert one.accuracy.value == pytest.approx(accuracy[one.first] - accuracy[one.second], abs=2e-6)


def test_settings_models_and_selections_are_compared_in_pairs(found):
    kinds = {(one.apart, one.second.model == FLOOR) for one in found.comparisons}

    assert kinds == {
        (("setting",), False),  # parametric beside kg+lit
        (("model",), False),  # the language model beside the rules
        (("select",), False),  # greedy, majority, groundedness
        (("model", "setting"), True),  # each beside the best baseline
    }
    # 2 pairs of settings, 2 pairs of models, 3 pairs of selections in each of 4 cells, 4 pairs with the baseline.
    assert len(found.comparisons) == 2 + 2 + 12 + 4
    assert all(one.adjusted >= one.mcnemar.p for one in found.comparisons if one.mcnemar.p is not None)


def test_two_runs_of_one_set_are_compared(folders):
    found = report(folders, instances=0)

    assert [run.name for run in found.runs] == ["one", "two"]
    # Only the run differs. In these runs, the errors of a model depend on its place in the list of models.
    between = [one for one in found.comparisons if one.apart == ("run",)]
    assert {(one.first.run, one.second.run, one.first.model) for one in between} == {
        ("one", "two", MODEL),
        ("one", "two", OTHER),
    }
    assert (found.instances, found.instances_in_all) == ((), 72)
    assert "one" in page(found)


def test_failures_are_counted_and_are_in_no_score(found):
    (asked,) = {one.asked for one in found.figures if one.task == "average"}
    failed = {one.cell.model: one.failed for one in found.figures if one.task == "average"}

    assert asked == 72
    assert failed == {MODEL: 1, OTHER: 0, FLOOR: 0}
    assert {
        one.n
        for one in found.figures
        if one.cell.model == MODEL and one.measure == "link_accuracy" and one.task == "average"
    } == {71}


def test_the_floor_is_computed_from_the_sets_own_counts(found):
    # 8 instances of each label: 16 related of 24, so F1 = 2 * 16 / (2 * 16 + 8) and link accuracy = 2/3.
    assert set(found.floors["small"]) == {"Chemical & Gene", "Disease & Gene", "Gene & Gene", "average"}
    assert {round(value, 6) for value in found.floors["small"].values()} == {0.8, round(2 / 3, 6)}


def test_settings_without_knowledge_give_a_warning(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)

    found = report([run_of(tmp_path / "run", place, instances, (MODEL, OTHER), chains=0)], instances=0)

    told = [warning for warning in found.warnings if "no chain was found" in warning]
    assert told == ["run, small, kg+lit: no chain was found for 18 of 18 instances"], "once a setting, not once a model"
    assert not any("abstract was found" in warning for warning in found.warnings)


def test_small_sets_give_a_warning(found):
    assert any("24 instances are too few" in warning for warning in found.warnings)


def test_a_warning_about_several_runs_and_models_is_given_once(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    runs = [run_of(tmp_path / name, place, instances, (MODEL, OTHER), chains=0) for name in "01"]
    found = [report(runs[:of], 0) for of in (1, 2)]

    one, two = ([each for each in told.warnings if "no chain was found" in each] for told in found)
    assert one == ["0, small, kg+lit: no chain was found for 18 of 18 instances"]
    assert two == ["2 settings (0, small, kg+lit; 1, small, kg+lit): no chain was found for 18 of 18 instances"]
    assert len(found[0].warnings) == len(found[1].warnings)


def test_the_published_set_gives_a_warning_and_has_printed_scores_beside_it(tmp_path):
    counts = {
        (row.split(" / ")[0], row.split(" / ")[1]): int(one.value)
        for (name, row, _), one in published().items()
        if name == "Table 1"
    }
    place, instances = set_of(tmp_path / "set", each=478)
    taken = []
    for one in instances:
        if counts[one.rel_type, one.relation]:
            counts[one.rel_type, one.relation] -= 1
            taken.append(one)
    found = report([run_of(tmp_path / "run", place, taken, (MODEL,), mode=None, samples=1)], instances=0)

    beside = {
        (one.cell.setting, one.task, one.measure): one.printed for one in found.figures if one.printed is not None
    }
    assert beside["kg+lit", "average", "relation_accuracy_micro"] == 0.5993
    assert beside["parametric", "Gene & Gene", "link_f1"] == 0.7932
    assert beside["kg+lit", "Disease & Gene", "groundedness_both"] == 0.8668
    assert len(beside) == 2 * (2 * 4 + 3 * 3)  # two settings: Table 2's four pairs and Table 3's three tasks
    assert all(one.source is not None for one in found.figures if one.printed is not None)
    assert any("labels of the published set can be predicted" in warning for warning in found.warnings)
    assert "printed" in page(found)


def test_other_sets_have_no_printed_scores_beside_them(found):
    assert {one.printed for one in found.figures} == {None}


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai:gpt-4o-mini", "gpt-4o-mini"),
        ("openai:gpt-4o-2024-08-06", "gpt-4o"),
        ("huggingface:meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("openai:gpt-4o-mini-search", "gpt-4o-mini-search"),
    ],
)
def test_a_model_is_found_by_its_name_in_the_paper(model, name):
    assert paper_name(model) == name


def test_a_folder_that_cannot_be_reported_says_how_to_mend_it(folders, tmp_path):
    with pytest.raises(InputError, match="contains no run"):
        report([tmp_path])
    with pytest.raises(InputError, match="folders"):
        report([folders[0], folders[0]])
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    gold = (place / "instances.tsv").read_text("utf-8")
    (place / "instances.tsv").write_text(gold.replace("\tinhibit\t", "\tstimulate\t", 1), "utf-8")
    with pytest.raises(InputError, match="gold"):
        report([folder])
    (place / "instances.tsv").write_text(gold, "utf-8")
    records = (folder / "records.jsonl").read_text("utf-8")
    (folder / "records.jsonl").write_text("".join(records.splitlines(keepends=True)[:-1]), "utf-8")
    with pytest.raises(InputError, match="rescore"):
        report([folder])
    (folder / "measures.json").unlink()
    with pytest.raises(InputError) as told:
        report([folder])
    assert "bench rescore" in str(told.value)


def test_the_command_writes_three_files_and_says_where(folders, tmp_path, capfd):
    out = tmp_path / "page.html"

    code = command(["--json", "bench", "report", str(folders[0]), "--out", str(out), "--instances", "1"])

    told = json.loads(capfd.readouterr().out)
    assert (code, told["html"], told["runs"]) == (0, str(out), ["one"])
    assert all((tmp_path / f"page.{kind}").exists() for kind in ("html", "json", "csv"))
    assert command(["--json", "bench", "report", str(folders[0]), "--out", str(tmp_path / "page.pdf")]) == 2
    place, instances = set_of(tmp_path / "set", each=2)
    small, there = run_of(tmp_path / "small", place, instances, (FLOOR,)), tmp_path / "new" / "in"
    assert command(["--json", "bench", "report", str(small), "--out", str(there / "r.html")]) == 0
    assert (there / "r.csv").exists()
    assert command(["--json", "bench", "report", str(folders[0]), "--out", str(out / "r.html")]) == 2, "below a file"
    assert command(["--json", "bench", "report", str(tmp_path), "--out", str(out)]) == 2


def test_without_the_extra_it_says_what_to_install(folders, tmp_path, capfd, monkeypatch):
    monkeypatch.setattr("truthhypo.faces.cli.bench.find_spec", lambda name: None if name == "altair" else name)

    assert command(["bench", "report", str(folders[0]), "--out", str(tmp_path / "page.html")]) == 2
    assert "truthhypo[bench]" in capfd.readouterr().err


def answers(said: Sequence[tuple[str, str | None, float | None]], task: str = "Gene & Gene") -> tuple[Outcome, ...]:
    judged = [{} if share is None else {"rules": Grounding(share, share, share, 0.0, ())} for *_, share in said]
    return tuple(
        Outcome(str(n), task, gold, Entry("set", str(n), "m", "kg", 0, 0, relation, groundedness=judged[n]))
        for n, (gold, relation, _) in enumerate(said)
    )


def test_cells_name_the_properties_in_which_they_differ():
    assert ONE.apart(replace(ONE, model="n", setting="lit")) == ("model", "setting")
    assert ONE.apart(replace(ONE, select="groundedness", judge="rules")) == ("select",)
    assert replace(ONE, select="groundedness", judge="a").apart(replace(ONE, select="groundedness", judge="b")) == (
        "select",
    )
    assert ONE.apart(replace(ONE, run="again")) == ("run",)
    assert ONE.apart(replace(ONE, run="again", model="n")) == ("model",)


def test_only_instances_that_both_cells_answered_are_compared():
    up, none = "positive_correlate", "no_relation"
    ours = answers([(up, up, 1.0), (up, up, 0.5), (none, up, 0.5), (up, None, None), (up, up, None)])
    theirs = answers([(up, none, 0.5), (up, up, 0.5), (none, none, 0.0), (up, up, 1.0)])

    found = compare(ONE, ours, replace(ONE, setting="lit"), theirs)

    assert (found.n, found.left_out) == (3, 2)  # one failed, one was not asked
    assert found.accuracy.value == 0  # 2 of 3 right, both
    assert (found.mcnemar.n, found.mcnemar.p) == (2, 1.0)


def test_each_model_is_compared_only_with_the_best_baseline():
    right = answers([("inhibit", "inhibit", None)] * 4)
    half = answers([("inhibit", "inhibit", None), ("inhibit", "stimulate", None)] * 2)
    poor, good = (replace(ONE, model=f"baseline:{name}", setting="none") for name in ("poor", "good"))

    found = comparisons({ONE: right, poor: answers([("inhibit", "stimulate", None)] * 4), good: half})

    assert [(one.first, one.second) for one in found] == [(ONE, good)]
    assert found[0].accuracy.value == 0.5


def test_cells_of_two_datasets_are_never_compared():
    right = answers([("inhibit", "inhibit", None)] * 4)

    assert comparisons({ONE: right, replace(ONE, dataset="other"): right}) == ()


def test_groups_have_the_counts_worked_out_by_hand():
    judged = [("inhibit", "inhibit", 1.0)] * 6 + [("inhibit", "stimulate", 0.95)] * 6 + [("inhibit", "inhibit", 0.3)]
    lost = [("inhibit", None, None), ("inhibit", "inhibit", None)]

    found = [one for one in groups({ONE: answers(judged + lost)}) if one.task == "average"]

    assert [(one.above, one.below, one.n, one.drawn) for one in found] == [(0.3, 0.4, 1, False), (0.9, 1.0, 12, True)]
    assert (found[1].accuracy, found[1].groundedness) == (0.5, pytest.approx(0.975))
    assert found[1].low < 0.5 < found[1].high
    assert groups({replace(ONE, select="majority"): answers(judged)}) == ()


def test_unreliable_figures_and_constant_judges_give_warnings():
    figure = Figure(ONE, "average", "groundedness_both", "rules", 0.5, 0.4, 0.6, 40, 200, 0, 0, 0.2, None, None)
    of_task = Figure(ONE, "Gene & Gene", "link_f1", None, 0.5, 0.4, 0.6, 40, 99, 0, 0, None, None, None)
    constant = {"rules": {"constant": "not_enough"}, "other": {"constant": None}, "new": None}

    other = replace(figure, measure="groundedness_graph", coverage=0.4)

    found = warnings_of((), (other, figure, of_task, replace(of_task, task="Disease & Gene", asked=100)), constant)

    assert found == (
        "judge rules: answers not_enough almost always",
        "run, set, m, kg: only 20% of the answers could be judged by rules",
        "set, Gene & Gene: 99 instances are too few to separate models; look at the intervals",
    )


def test_a_warning_about_several_models_is_given_once_with_their_number():
    figure = Figure(ONE, "average", "groundedness_both", "rules", 0.5, 0.4, 0.6, 40, 200, 0, 0, 0.2, None, None)
    models = [
        replace(figure, cell=replace(ONE, model=f"m{n}"), coverage=share)
        for n, share in enumerate((0.5, 0.2, 0.7, 0.25, 0.95))
    ]
    assert warnings_of((), models[:1], {}) == ("run, set, m0, kg: only 50% of the answers could be judged by rules",)
    assert warnings_of((), models, {}) == (
        "4 cells (run, set, m0, kg; run, set, m1, kg; run, set, m2, kg; ...): "
        "only 20% to 70% of the answers could be judged by rules",
    )


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("/data/sets/one", ".../one"),
        ("/data", ".../data"),
        ("/data/sets/", ".../sets"),
        ("embedded:/data/graph", "embedded:.../graph"),
        (r"C:\data\set one", ".../set one"),
        ("sets/one", "sets/one"),
        ("bolt://db:7687", "bolt://db:7687"),
        ("https://example.org/v1", "https://example.org/v1"),
        ("kg+lit", "kg+lit"),
        ({"path": ("/data/one", 3, None)}, {"path": [".../one", 3, None]}),
    ],
)
def test_a_path_from_the_root_is_reported_by_its_last_name(value, wanted):
    assert shortened(value) == wanted


def test_a_report_contains_no_path_of_the_machine(tmp_path, capfd):
    place, instances = set_of(tmp_path / "set", each=2)
    folder, out = run_of(tmp_path / "run", place, instances, (OTHER,)), tmp_path / "page.html"
    assert command(["--json", "bench", "report", str(folder), "--out", str(out), "--note", "Only a walk."]) == 0
    assert json.loads(capfd.readouterr().out)["warnings"][0] == "Only a walk."
    for path in tmp_path.glob("page.*"):
        assert str(tmp_path) not in path.read_text("utf-8"), path.name
    assert "Only a walk." in out.read_text("utf-8")


def test_without_a_note_only_the_warnings_are_there(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    assert report([folder], 0, note="Mind this.").warnings == ("Mind this.", *report([folder], 0).warnings)


def test_a_set_that_is_too_small_to_probe_is_not_called_free_of_leaks(tmp_path):
    place, instances = set_of(tmp_path / "set", each=2)
    folder = run_of(tmp_path / "run", place, instances, (OTHER,))
    html = page(report([folder], 0))
    assert ("too small to tell" in html, "not found" in html) == (True, False)
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["datasets"]["small"]["probed"] = ["Gene & Gene"]
    path.write_text(json.dumps(manifest), "utf-8")
    html = page(report([folder], 0))
    assert ("too small to tell" in html, "not found" in html) == (True, True)


def link_accuracy_range(f1: Mapping[str, float], tasks: Mapping[str, Size]) -> tuple[float, float]:
    """Return the range of link accuracies over all instances that these link F1s allow.

    A task has P related and N unrelated pairs. With TP true positives, F1 = f means 2 TP (1 - f) / f errors: P - TP
    misses, and the others are false positives. The number of false positives is between 0 and N. So TP is
    between P f / (2 - f) and the smaller of P and (P + N) f / (2 - f).

    Args:
        f1: Link F1 by task, in (0, 1].
        tasks: Sizes of the same tasks.

    Returns:
        The lowest and the highest accuracy, in [0, 1].
    """
    low = high = 0.0
    for task, score in f1.items():
        size = tasks[task]
        most = min(size.related, size.total * score / (2 - score))
        least = size.related * score / (2 - score)
        low += size.total - 2 * most * (1 - score) / score
        high += size.total - 2 * least * (1 - score) / score
    total = sum(tasks[task].total for task in f1)
    return low / total, high / total


def table_2(row: str, task: str, measure: str) -> float:
    return NUMBERS["Table 2", row, f"{task} / {measure}"].value


def test_every_table_is_whole():
    count = {
        table: sum(place[0] == table for place in NUMBERS) for table in ("Table 1", "Table 2", "Table 3", "Table 4")
    }

    # 9 labels; 16 rows by 4 x 2; 3 tasks x 4 settings x 3 sources; 3 x 3 and the 54 pairs of Section 5.
    assert count == {"Table 1": 9, "Table 2": 128, "Table 3": 36, "Table 4": 10}
    assert len(ROWS) == 16
    assert all(one.source.startswith("paper A, ") for one in NUMBERS.values())


def test_table_1_adds_up_and_its_negatives_are_the_mean_of_the_other_labels():
    assert {task: size.total for task, size in SIZES.items()} == dict(zip(TASKS, (1209, 268, 547), strict=True))
    assert sum(size.total for size in SIZES.values()) == 2024
    assert all(size.unrelated == size.related // 2 for size in SIZES.values())


@pytest.mark.parametrize("row", ROWS)
def test_the_average_accuracy_of_table_2_is_the_micro_average(row):
    """Each accuracy gives a whole number of right answers. Their sum, divided by 2,024, is the printed average."""
    right = 0
    for task in TASKS:
        share = table_2(row, task, "relation_accuracy") / 100 * SIZES[task].total
        assert abs(share - round(share)) <= 0.005 / 100 * SIZES[task].total  # two digits were printed
        right += round(share)

    assert round(100 * right / 2024, 2) == pytest.approx(table_2(row, "average", "relation_accuracy"))


@pytest.mark.parametrize("row", ROWS)
def test_the_average_f1_of_table_2_can_be_link_accuracy(row):
    low, high = link_accuracy_range({task: table_2(row, task, "link_f1") / 100 for task in TASKS}, SIZES)

    assert low - 1e-4 <= table_2(row, "average", "link_f1") / 100 <= high + 1e-4


def test_the_average_f1_of_table_2_is_not_the_mean_of_the_three():
    apart = [
        abs(table_2(row, "average", "link_f1") - sum(table_2(row, task, "link_f1") for task in TASKS) / 3)
        for row in ROWS
    ]

    assert max(apart) > 10  # Llama-3.1-8B, parametric: 66.90 beside a mean of 79.57


def test_the_range_of_link_accuracy_by_enumeration():
    """Every confusion matrix of a small task with a given F1 lies in the range, and its ends are reached."""
    counts = {"a": 6.0, "no_relation": 2.0}
    task = [PrintedNumber("Table 1", f"T / {label}", "instances", count, "x") for label, count in counts.items()]
    seen = [
        (hits + 2 - false) / 8
        for hits in range(1, 7)
        for false in range(3)
        if abs(2 * hits / (6 + hits + false) - 2 / 3) < 1e-9
    ]

    low, high = link_accuracy_range({"T": 2 / 3}, sizes(task))

    assert (low, high) == pytest.approx((min(seen), max(seen)))


def test_always_related_beats_cells_of_table_2():
    assert [round(100 * SIZES[task].floor, 1) for task in TASKS] == [80.0, 80.1, 80.0]
    below = [(row, task) for row in ROWS for task in TASKS if table_2(row, task, "link_f1") < 100 * SIZES[task].floor]

    assert len(below) == 21


def test_the_shares_of_table_4_are_whole_pairs_and_give_its_p_values():
    pairs = int(NUMBERS["Table 4", "pairs", "pairs"].value)
    for judge in ("GPT-4o", "human"):
        high, low = (NUMBERS["Table 4", f"{group}-grounded", judge].value for group in ("highly", "lowly"))
        chosen = round(high / 100 * pairs)

        assert (round(100 * chosen / pairs, 2), round(100 - high, 2)) == (high, low)
        assert float(f"{preferred(chosen, pairs)[0].p:.2e}") == NUMBERS["Table 4", "p-value", judge].value
