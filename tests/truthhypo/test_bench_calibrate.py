"""`bench calibrate` on small tables."""

import json

import pytest

from truthhypo.faces.cli.entry import run

ROWS = [
    ("Zinc prevents colds.", "Zinc prevented colds.", "Supports", "q1"),
    ("Zinc prevents colds.", "Zinc did not prevent colds.", "Refutes", "q1"),
    ("Tea prevents colds.", "Bats carry viruses.", "Neutral", "q2"),
]


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
