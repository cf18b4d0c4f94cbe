"""`ingest similarity`: its output, what it refuses, and the state after a kill."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

from truthhypo.faces.cli.entry import run

PROGRAM = [str(Path(sys.executable).parent / "truthhypo")]
OPTIONS = ["ingest", "similarity", "--embedder", "trigram", "--form", "linear"]


@pytest.fixture
def home(sample_home, tmp_path):
    """A separate HOME with the sample release."""
    return shutil.copytree(sample_home, tmp_path / "home")


def links(command, home):
    told = command(
        "--home", home, "graph", "query", "MATCH (a)-[r:SIMILAR_TO]->(b) RETURN a.key, b.key, r.cosine, r.model"
    )
    assert told.code == 0, told.err
    return sorted(map(tuple, told.json["rows"]))


def test_the_receipt_stands_on_stdout_and_the_survey_on_stderr(command, home):
    told = command("--home", home, *OPTIONS, "--tau", 0.6)
    assert told.code == 0, told.err
    assert set(told.json) >= {"concepts", "edges", "form", "tau", "cosine", "seconds"}
    assert set(told.json["cosine"]) == {"min", "median", "max"}
    assert told.json["edges"] == len(links(command, home)) > 0
    assert "share of pairs kept by each tau" in told.err
    again = command("--home", home, *OPTIONS, "--tau", 0.6).json
    assert (again["embedded"], again["edges"]) == (0, told.json["edges"])


def test_a_tau_that_keeps_all_is_refused_with_the_survey_and_written_if_forced(command, home):
    told = command("--home", home, *OPTIONS, "--tau", 0.1)
    assert told.code == 1
    assert "share of pairs kept by each tau" in told.err
    assert "--force" in told.err
    assert links(command, home) == []
    forced = command("--home", home, *OPTIONS, "--tau", 0.1, "--force", "--top-k", 2)
    assert (forced.code, forced.json["edges"]) == (0, len(links(command, home)))


def test_a_load_that_changes_names_warns_that_the_edges_are_made_of_old_names(command, home, tmp_path):
    names = tmp_path / "names.tsv"
    names.write_text("990000001\tDisease\tMESH:D003924\tkrell fever\tsample\n", "utf-8")
    load = ["--home", home, "ingest", "concepts", names, "--release"]
    assert "similarity edges" not in command(*load, "one").err
    assert command("--home", home, *OPTIONS, "--tau", 0.6).json["edges"] > 0
    assert "similarity edges" not in command(*load, "one").err
    names.write_text("990000001\tDisease\tMESH:D003924\tzorb fever\tsample\n", "utf-8")
    assert "the names of 1 concept are new or changed" in command(*load, "two").err


def test_similarities_are_a_release_that_is_listed_can_be_restored_and_gives_risk_its_k(command, home):
    scaled = ["ingest", "similarity", "--embedder", "trigram", "--fit", "background", "--top-k"]
    told = command("--home", home, *scaled, 5).json
    few = links(command, home)
    effect = {"total": len(few), "added": len(few), "changed": 0, "removed": 0, "unchanged": 0}
    assert told["similarities"] == effect
    assert told["rows"] == {"read": len(few), "kept": len(few), "rejected": 0}
    command("--home", home, *scaled, 9)
    assert len(links(command, home)) > len(few)
    made = [one for one in command("--home", home, "ingest", "releases").json["releases"] if one["similarity"]]
    assert [(one["id"], one["state"], one["similarity"]["top_k"]) for one in made if one["state"] == "past"] == [
        (told["release"], "past", 5)
    ]
    assert command("--home", home, "ingest", "activate", told["release"]).json["similarities"]["total"] == len(few)
    assert links(command, home) == few
    terms = command("--home", home, "risk", "Captopril reduces hypertension.", "--no-words").json["terms"]
    fitted = told["survey"]["membership"]
    assert (terms["k"], terms["s0"]) == pytest.approx((fitted["k"], fitted["s0"]), abs=1e-4)
    assert terms["fit"] == f"similarity:{told['release']}"
    given = command("--home", home, "risk", "Captopril reduces hypertension.", "--no-words", "--k", 9, "--s0", 0.4).json
    assert (given["terms"]["k"], given["terms"]["s0"], given["terms"]["fit"]) == (9.0, 0.4, "given")
    assert command("--home", home, "risk", "Captopril reduces hypertension.", "--k", 9).code == 2


def test_risks_help_says_that_k_and_s0_go_together(capsys):
    assert run(["risk", "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "needs the option --s0." in text
    assert "needs the option --k." in text


def test_a_batch_of_risks_continues_only_with_the_scale_and_the_errors_of_its_start(
    command, home, tmp_path, monkeypatch
):
    fitted = ["ingest", "similarity", "--embedder", "trigram", "--top-k"]
    command("--home", home, *fitted, 5)
    texts, out = tmp_path / "texts.txt", tmp_path / "out.jsonl"
    texts.write_text("Captopropril reduces hypertension.\nCaptopril reduces hypertension.\n", "utf-8")
    asked = ["--home", home, "risk", "--file", texts, "--out", out, "--no-words"]
    assert command(*asked).json["written"] == 2
    assert command(*asked).json["kept"] == 2
    refused = [command(*asked, "--k", 9, "--s0", 0.4)]
    with monkeypatch.context() as other:
        other.setenv("TRUTHHYPO_SYST", "0.1")
        refused.append(command(*asked))
    command("--home", home, *fitted, 5, "--fit", "background")
    refused.append(command(*asked))
    assert [(told.code, "other options" in told.err) for told in refused] == [(2, True)] * 3


def test_a_dry_run_writes_edges_to_a_file_only(command, home, tmp_path):
    out = tmp_path / "edges.tsv"
    told = command("--home", home, *OPTIONS, "--tau", 0.6, "--dry-run", "--out", out, "--row-normalised")
    assert (told.code, told.json["dry_run"]) == (0, True)
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == told.json["edges"] + 1
    assert "p_tail_given_head" in lines[0]
    assert links(command, home) == []


def test_labelled_pairs_give_k_and_s0(command, home, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("tumour\ttumor\t1\nfever\tfevers\t1\naspirin\tzebra\t0\nfever\taspirin\t0\n", "utf-8")
    told = command(
        "--home", home, "ingest", "similarity", "--embedder", "trigram", "--fit", path, "--dry-run", "--force"
    )
    assert told.code == 0, told.err
    assert told.json["survey"]["membership"]["s0"] != 0.26
    assert command("--home", home, "ingest", "similarity", "--embedder", "trigram", "--fit", tmp_path).code == 2


def test_a_folder_without_a_model_or_a_missing_extra_is_reported(command, home, tmp_path):
    told = command("--home", home, "ingest", "similarity", "--embedder", tmp_path)
    assert told.code in {2, 3}
    assert "To fix it" in told.err


def test_after_a_kill_at_any_moment_the_same_command_makes_the_same_edges(command, home, tmp_path):
    whole = shutil.copytree(home, tmp_path / "whole")
    assert command("--home", whole, *OPTIONS, "--tau", 0.55).code == 0
    wanted = links(command, whole)
    assert command("--home", home, *OPTIONS, "--tau", 0.6).code == 0
    for delay in (0.6, 1.2, 1.8):
        process = subprocess.Popen(
            [*PROGRAM, "--home", home, *OPTIONS, "--tau", "0.55"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        links(command, home)  # can be read
    assert command("--home", home, *OPTIONS, "--tau", 0.55).code == 0
    assert links(command, home) == wanted != []
