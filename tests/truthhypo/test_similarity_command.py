"""`ingest similarity`: what it says before and after, what it refuses, and that a kill leaves nothing half done."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import pytest

PROGRAM = [str(Path(sys.executable).parent / "truthhypo")]
OPTIONS = ["ingest", "similarity", "--embedder", "trigram", "--form", "linear"]


@pytest.fixture
def home(sample_home, tmp_path):
    """A HOME of one's own with the sample release."""
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
    assert "what a tau keeps" in told.err
    again = command("--home", home, *OPTIONS, "--tau", 0.6).json
    assert (again["embedded"], again["edges"]) == (0, told.json["edges"])


def test_a_tau_that_keeps_all_is_refused_with_the_survey_and_written_if_forced(command, home):
    told = command("--home", home, *OPTIONS, "--tau", 0.1)
    assert told.code == 1
    assert "what a tau keeps" in told.err
    assert "--force" in told.err
    assert links(command, home) == []
    forced = command("--home", home, *OPTIONS, "--tau", 0.1, "--force", "--top-k", 2)
    assert (forced.code, forced.json["edges"]) == (0, len(links(command, home)))


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


def test_a_model_folder_that_is_none_or_an_extra_that_lacks_is_told(command, home, tmp_path):
    told = command("--home", home, "ingest", "similarity", "--embedder", tmp_path)
    assert told.code in {2, 3}
    assert "To mend it" in told.err


def test_killed_anywhere_the_same_command_ends_in_the_same_edges(command, home, tmp_path):
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
