"""Labelled pairs and statements, and judges measured on them, also by `bench calibrate`."""

import json

import pytest

from groundwork.errors import InputError
from knowhd.calibration import calibration_of, keep
from knowhd.judge import Judgement
from knowhd.rules_judge import NAME, RuleJudge
from truthhypo.bench.judge_calibration import confidence, confusion_matrix, figures_of, resampled
from truthhypo.bench.labelled import LABELS, biored, pair_of, read_pairs, statement
from truthhypo.faces.cli.entry import run

ROWS = [
    ("Zinc prevents colds.", "Zinc prevented colds.", "Supports", "q1"),
    ("Zinc prevents colds.", "Zinc did not prevent colds.", "Refutes", "q1"),
    ("Tea prevents colds.", "Bats carry viruses.", "Neutral", "q2"),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Does aspirin reduce fever?", "Aspirin reduces fever."),
        ("Do statins improve survival after stroke?", "Statins improve survival after stroke."),
        ("Does a low dose influence the outcome?", "A low dose influences the outcome."),
        ("Is obesity associated with asthma?", "Obesity is associated with asthma."),
        ("Is zinc an effective alternative to copper?", "Zinc is an effective alternative to copper."),
        ("Is there a link between coffee and gout?", "Coffee is associated with gout."),
        ("Can early feeding prevent sepsis?", "Early feeding can prevent sepsis."),
        ("Night work: is it harmful to the heart?", "Night work is harmful to the heart."),
        ("Night work: does it cause diabetes?", "Night work causes diabetes."),
        ("Night work: a new risk factor for diabetes?", "Night work is a new risk factor for diabetes."),
        ("Sleep in nurses: does night work cause diabetes?", "Night work causes diabetes."),
        ("Does smoking modify the risk?", "Smoking modifies the risk."),
        ("Aspirin reduces fever", "Aspirin reduces fever."),
        ("Aspirin reduces fever.", "Aspirin reduces fever."),
    ],
)
def test_a_question_becomes_its_statement(question, said):
    assert statement(question) == said


@pytest.mark.parametrize("text", ["?", "Why?", "Is it?", "Does?", "", "Do mice?"])
def test_a_text_that_is_not_a_question_still_becomes_a_statement(text):
    assert statement(text).endswith(".")
    assert "?" not in statement(text)


def test_pairs_of_a_group_are_resampled_together():
    pairs = [("supported", "supported"), ("supported", "failed"), ("not_enough", "contradicted")]
    one_group, two_groups = resampled(pairs, "aaa"), resampled(pairs, "aab")
    assert (one_group == confusion_matrix(pairs)).all()
    assert (two_groups[:, 0, 0] == two_groups[:, 0, 3]).all()
    assert {*two_groups[:, 0, 0]} == {0, 1, 2}


def test_a_constant_judge_gets_chance_and_is_named():
    pairs = [pair_of("a", "b.", label, str(n)) for n, label in enumerate(LABELS * 20)]
    found = figures_of(pairs, [Judgement("not_enough", "", {})] * len(pairs), "set")
    assert found.balanced_accuracy == pytest.approx(1 / 3, abs=1e-3)
    assert (found.kappa, found.constant, found.ece) == (0, "not_enough", None)


def test_failed_judgements_are_counted_as_wrong():
    pairs = [pair_of("a", "b.", "supported", "1"), pair_of("a", "c.", "contradicted", "2")]
    found = figures_of(pairs, [Judgement("failed", "", {}), Judgement("contradicted", "", {})], "set")
    assert (found.failed, found.confusion["supported"]["failed"], found.balanced_accuracy) == (1, 1, 0.5)


def test_shared_evidence_and_questions_are_purged():
    pairs = [
        pair_of("a", "One thing.", "supported", "asked"),
        pair_of("b", "Two  things.", "supported", "new"),
        pair_of("c", "Three things.", "contradicted", "newer"),
    ]
    against = [pair_of("z", "two things.", "supported", "asked")]
    found = figures_of(pairs, [Judgement("supported", "", {})] * 3, "set", against)
    assert [(part.without, part.n) for part in found.purged] == [
        ("evidence", 2),
        ("questions", 2),
        ("evidence or questions", 1),
    ]
    emptied = figures_of(pairs, [Judgement("supported", "", {})] * 3, "set", pairs)
    assert [(part.n, part.kappa) for part in emptied.purged] == [(0, None)] * 3


def test_the_probability_of_a_verdict():
    sure = {"a": {"supports": 0.7, "contradicts": 0.2}, "b": {"supports": 0.1, "contradicts": 0.3}}
    assert confidence(Judgement("supported", "", {"a": "supports"}, probabilities=sure)) == 0.7
    assert confidence(Judgement("not_enough", "", {}, probabilities=sure)) == pytest.approx(0.1)
    assert confidence(Judgement("supported", "", {"a": "supports"})) is None


def test_the_sets_are_read_whole(data):
    pairs = read_pairs(data / "healthver")
    assert [sum(p.label == label for p in pairs) for label in LABELS] == [533, 391, 993]
    pairs = read_pairs(data / "citation_integrity")
    assert [sum(p.label == label for p in pairs) for label in LABELS] == [191, 101, 24]
    assert not any("<|" in pair.claim.text for pair in pairs)


def test_any_table_can_be_read(tmp_path):
    file = tmp_path / "mine.jsonl"

    def labelled(second: str) -> list:
        rows = [("A helps.", ["A", "helped."], "entails"), ("A helps.", "B.", second)]
        named = [dict(zip(("claim", "evidence", "label"), row, strict=True)) for row in rows]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in named))
        return [pair.label for pair in read_pairs(file)]

    assert labelled("Not_Enough") == ["supported", "not_enough"]
    with pytest.raises(InputError, match="row 2: the label 'odd'"):
        labelled("odd")


@pytest.mark.parametrize(
    "content",
    ["", '"claim"\n', "c,e,l\nA,B,Supports\n", "claim,evidence,label\nA,,Supports\n", "claim,evidence,label\n"],
)
def test_a_table_without_pairs_is_refused(tmp_path, content):
    file = tmp_path / "mine.csv"
    file.write_text(content)
    with pytest.raises(InputError):
        read_pairs(file)
    with pytest.raises(InputError):
        read_pairs(tmp_path / "nothing.csv")


def test_relations_become_claims_for_and_against(data):
    pairs = list(biored(data / "biored" / "Dev.PubTator"))
    counts = [sum(p.label == label for p in pairs) for label in LABELS]
    assert counts[0] == counts[1] > 500
    assert len({p.group for p in pairs}) > 80
    for pair in pairs:
        assert len(pair.claim.concepts) == 2
        for holder in (pair.claim, *pair.evidence.literature):
            text = getattr(holder, "sentence", "") if holder is not pair.claim else pair.claim.text
            assert all(text[m.start : m.end] == m.text for m in holder.mentions)


def test_the_judge_by_rules_does_better_than_chance_on_documents_it_was_not_fitted_on():
    known = calibration_of(NAME)
    assert known is not None
    assert known.dataset.startswith("BioRED Dev")
    assert known.precision >= 0.88
    assert known.kappa >= 0.34  # it was .474 with a linear reader that was right less often; the goal is .55


def test_a_set_is_judged_the_same_twice(data):
    pairs = read_pairs(data / "healthver")[:20]
    first, again = ([RuleJudge().judge(p.claim, p.evidence) for p in pairs] for _ in range(2))
    assert first == again


def test_a_judge_that_was_not_measured_has_no_figures(tmp_path):
    assert calibration_of("openai:somebody") is None
    assert calibration_of("openai:somebody", tmp_path) is None


def test_own_figures_take_precedence_over_the_shipped_ones(tmp_path):
    pairs = [pair_of("a", "b.", label, str(n)) for n, label in enumerate(LABELS)]
    found = figures_of(pairs, [Judgement("supported", "", {})] * 3, "mine.csv", pairs)
    keep(NAME, found, tmp_path)
    keep("another", found, tmp_path)
    calibration = calibration_of(NAME, tmp_path)
    assert (calibration.dataset, calibration.n) == ("mine.csv", 3)
    assert len(calibration.beside) == 3
    assert calibration_of("another", tmp_path).dataset == "mine.csv"
    (tmp_path / "calibration.json").write_text("[]")
    with pytest.raises(InputError, match="bench calibrate"):
        calibration_of(NAME, tmp_path)


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "pairs.csv"
    lines = [",".join(f'"{cell}"' for cell in row) for row in ROWS]
    file.write_text("\n".join(["claim,evidence,label,question", *lines]) + "\n", "utf-8")
    return file


def run_calibrate(tmp_path, capfd, *words):
    code = run(
        ["--home", str(tmp_path / "home"), "--graph", "memory:", "--json", "bench", "calibrate", *map(str, words)]
    )
    return code, json.loads(capfd.readouterr().out)


def test_the_figures_of_a_judge_are_measured_kept_and_shown_again(tmp_path, table, capfd):
    code, found = run_calibrate(tmp_path, capfd, "--data", table, "--against", table)
    assert code == 0
    assert (found["n"], found["failed"], found["dataset"]) == (3, 0, "pairs.csv")
    assert sum(sum(row.values()) for row in found["confusion"].values()) == 3
    assert found["ece_n"] > 0
    assert [part["n"] for part in found["purged"]] == [0, 0, 0]
    code, known = run_calibrate(tmp_path, capfd)
    assert (code, known["dataset"], known["kappa"]) == (0, "pairs.csv", found["kappa"])
    assert len(known["beside"]) == 3


def test_a_judge_of_one_verdict_is_named_and_exits_1(tmp_path, table, capfd):
    file = tmp_path / "odd.csv"
    file.write_text("claim,evidence,label\n" + "Tea prevents colds.,Bats carry viruses.,Supports\n" * 3, "utf-8")
    code, found = run_calibrate(tmp_path, capfd, "--data", file)
    assert (code, found["constant"]) == (1, "not_enough")


def test_a_label_without_a_meaning_is_refused(tmp_path, table, capfd):
    file = tmp_path / "mine.csv"
    file.write_text("claim,evidence,label\nZinc prevents colds.,Zinc prevented colds.,odd\n", "utf-8")
    assert run_calibrate(tmp_path, capfd, "--data", file)[0] == 2


def test_people_get_a_table(tmp_path, table, capfd):
    assert run(["--home", str(tmp_path), "--graph", "memory:", "bench", "calibrate", "--data", str(table)]) == 0
    shown = capfd.readouterr().out
    assert "kappa" in shown
    assert "not_enough" in shown
