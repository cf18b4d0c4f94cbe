"""The report of small runs: one page that fetches nothing, and a JSON and a CSV that say the same."""

import csv
import json
import re
from html.parser import HTMLParser

import pytest

from groundwork.errors import InputError
from tests.truthhypo.bench.reported_runs import FLOOR, HOSTILE, MODEL, OTHER, run_of, set_of
from truthhypo.bench.published import published
from truthhypo.bench.report.contents import report
from truthhypo.bench.report.files import save
from truthhypo.bench.report.page import page
from truthhypo.bench.report.tables import COLUMNS, paper_name
from truthhypo.faces.cli.entry import run as command

VOID = {"meta", "link", "br", "img", "input", "hr"}


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
