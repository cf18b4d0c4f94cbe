"""`ingest contradictions`: its receipt and exit codes, the effect of the edges on `risk`, and kills at any moment."""

import io
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

from truthhypo.faces.cli.entry import run

PROGRAM = [str(Path(sys.executable).parent / "truthhypo")]
ASCORBIC, PARKINSON = "Chemical|MESH:D001205", "Disease|MESH:D010300"
CONCEPTS = "MATCH (c:Concept) RETURN c.key ORDER BY c.key"
QUERY = "MATCH (a)-[r:CONTRADICTS]->(b) RETURN a.key, b.key"


@pytest.fixture
def home(sample_home, tmp_path):
    """A separate HOME with the sample release."""
    return shutil.copytree(sample_home, tmp_path / "home")


def pairs(command, home) -> list[tuple[str, str]]:
    told = command("--home", home, "graph", "query", QUERY)
    assert told.code == 0, told.err
    return sorted(map(tuple, told.json["rows"]))


def test_an_edge_contradicts_a_claim_in_risk_and_is_in_no_chain_and_no_digest(command, home, tmp_path):
    claim = ("--home", home, "risk", "Ascorbic acid treats Parkinson disease.", "--alpha", 0.4)
    before = command("--home", home, "graph", "stats").json
    [unknown] = command(*claim).json["sentences"]
    direct = [path for path in unknown["paths"] if len(path["keys"]) == 2]
    assert direct == []
    keys = unknown["subject"]["key"], unknown["object"]["key"]
    file = tmp_path / "pairs.tsv"
    file.write_text(f"{keys[1]}\t{keys[0]}\n")
    told = command("--home", home, "ingest", "contradictions", file)
    assert told.code == 0, told.err
    assert told.json["contradictions"] == {"total": 1, "added": 1, "changed": 0, "removed": 0, "unchanged": 0}
    assert "edges" not in told.json
    assert pairs(command, home) == [keys]
    [sentence] = command(*claim).json["sentences"]
    [path] = [path for path in sentence["paths"] if len(path["keys"]) == 2]
    assert (path["keys"], path["sign"], path["probability"]) == (list(keys), -1, pytest.approx(0.4))
    after = command("--home", home, "graph", "stats").json
    assert (after["digest"], after["edges"]) == (before["digest"], before["edges"])
    assert command("--home", home, "graph", "edges", *keys).json["edges"] == []
    chains = command("--home", home, "graph", "chains", *keys, "--hops", 1).json
    assert chains["total"] == 0


def test_rejects_exit_1_with_the_receipt_and_bad_files_exit_2(command, home, tmp_path, monkeypatch):
    told = command("--home", home, "ingest", "contradictions", tmp_path / "none.tsv")
    assert told.code == 2
    file = tmp_path / "pairs.tsv"
    file.write_text(f"{ASCORBIC}\t{ASCORBIC}\n")
    told = command("--home", home, "ingest", "contradictions", file)
    assert told.code == 1
    assert told.json["rejected_by_reason"] == {"same_concept": 1}
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(file.read_bytes())))
    assert command("--home", home, "ingest", "contradictions", "-").code == 1


def test_a_person_reads_the_effect(home, tmp_path, command):
    known = command("--home", home, "graph", "query", CONCEPTS).json["rows"][:2]
    file = tmp_path / "pairs.tsv"
    file.write_text("\t".join(key for (key,) in known))
    done = subprocess.run(
        [*PROGRAM, "--home", home, "ingest", "contradictions", file, "--dry-run"], capture_output=True, check=True
    )
    assert b"contradictions: 1 total, 1 added, 0 changed, 0 removed, 0 unchanged" in done.stdout
    assert pairs(command, home) == []


def written(home: Path) -> set[tuple[str, int, int]]:
    """The files of the graph as they are now."""
    found = set()
    for file in (Path(folder, name) for folder, _, names in os.walk(home) for name in names):  # rglob fails if one goes
        with suppress(FileNotFoundError):
            if file.parent.name.startswith("state-"):
                found.add((file.name, file.stat().st_size, file.stat().st_mtime_ns))
    return found


def kill_after_it_began(home: Path, file: Path, seconds: float) -> bool:
    """Kill a load this long after it began to write the graph; return False if it had already finished."""
    before, deadline = written(home), monotonic() + 60
    assert before
    process = subprocess.Popen(
        [*PROGRAM, "--home", home, "ingest", "contradictions", file],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and monotonic() < deadline and written(home) == before:
        sleep(0.001)
    sleep(seconds)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


@pytest.mark.parametrize("delays", [(0,), pytest.param((0, 0.01, 0.03), marks=pytest.mark.slow)], ids=["once", "often"])
def test_a_killed_load_leaves_the_old_or_the_new_set_and_the_same_command_finishes_it(command, home, tmp_path, delays):
    keys = [key for (key,) in command("--home", home, "graph", "query", CONCEPTS).json["rows"]]
    first, second = tmp_path / "a.tsv", tmp_path / "b.tsv"
    first.write_text(f"{keys[0]}\t{keys[1]}\n")
    second.write_text("".join(f"{one}\t{other}\n" for one in keys[:30] for other in keys[30:]))
    assert command("--home", home, "ingest", "contradictions", first).code == 0
    twin = shutil.copytree(home, tmp_path / "twin")
    assert command("--home", twin, "ingest", "contradictions", second).json["contradictions"]["removed"] == 1
    old, new = pairs(command, home), pairs(command, twin)
    assert len(new) == 30 * len(keys[30:])
    killed = 0
    for seconds in delays:
        victim = shutil.copytree(home, tmp_path / f"killed-{seconds}")
        killed += kill_after_it_began(victim, second, seconds)
        assert pairs(command, victim) in (old, new)
        assert command("--home", victim, "ingest", "contradictions", second).code == 0
        assert pairs(command, victim) == new
    assert killed


def test_tau_min_leaves_out_no_contradiction_and_its_help_says_so(command, home, tmp_path, capfdbinary):
    file = tmp_path / "pairs.tsv"
    file.write_text(f"{ASCORBIC}\t{PARKINSON}\n")
    assert command("--home", home, "ingest", "contradictions", file).code == 0
    asked = ("risk", "Ascorbic acid causes Parkinson disease.", "--tau-min", 1, "--hops", 1, "--alpha", 0.4)
    (told,) = command("--home", home, *asked, "--no-words").json["sentences"]
    assert (told["contradiction"]["max"], told["support"]["max"]) == (0.4, 0)
    assert run(["risk", "--help"]) == 0
    assert b"CONTRADICTS" in capfdbinary.readouterr().out
