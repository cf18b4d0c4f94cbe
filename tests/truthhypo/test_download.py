"""`truthhypo download`: what it prints, its exit codes, and that it can be killed anywhere."""

import gzip
import hashlib
import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.ingest.download.source import Fault, serving
from truthhypo.faces.cli.entry import run

NAME = "relation2pubtator3.gz"
ROWS = "".join(f"{pmid}\tassociate\tChemical|MESH:D00{pmid}\tGene|{pmid}\n" for pmid in range(1000, 1100)).encode()
RELEASE = gzip.compress(ROWS + b"9\ttreat\tChemical|MESH:D000009\tDisease|MESH:D000009\n")
BIG = gzip.compress(random.Random(3).randbytes(1_000_000))
PROGRAM = str(Path(sys.executable).parent / "truthhypo")


@pytest.fixture(scope="module")
def server():
    with serving() as source:
        yield source


@pytest.fixture
def source(server, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TRUTHHYPO_DOWNLOAD_WAIT", "0")
    monkeypatch.setenv("TRUTHHYPO_DOWNLOAD_PAUSE", "0")
    server.clear()
    server.files[NAME] = RELEASE
    return server


def test_a_release_is_fetched_and_loaded_by_the_command_it_names(source, tmp_path, command):
    fetch = ["--home", tmp_path, "download", "pubtator3", "--from", source.url]
    told = command(*fetch)
    assert told.code == 0
    [file] = told.json["files"]
    assert set(file) >= {"path", "url", "bytes", "sha256", "md5", "state", "seconds"}
    assert file["path"] == str(tmp_path / "downloads" / "pubtator3" / NAME)
    assert file["sha256"] == hashlib.sha256(RELEASE).hexdigest()
    assert file["state"] == "fetched"
    [following] = told.json["next"]
    program, *words = shlex.split(following)
    assert program == "truthhypo"
    assert words[-2:] == ["--release", "2026-09-21"]
    loaded = command(*words)
    assert loaded.code == 0
    assert loaded.json["rows"] == {"read": 101, "kept": 101, "rejected": 0}
    assert loaded.json["files"][0]["sha256"] == file["sha256"]
    assert command(*fetch).json["files"][0]["state"] == "unchanged"


def test_names_of_concepts_are_not_loaded_twice(source, tmp_path, command):
    for name in ("bioconcepts", "gene", "disease"):
        source.files[f"{name}2pubtator3.gz"] = gzip.compress(name.encode())
    fetch = ["download", "pubtator3", "--to", tmp_path / "a b", "--from", source.url]
    words = shlex.split(command(*fetch, "gene", "disease").json["next"][0])
    assert words[:5] == ["truthhypo", "ingest", "concepts", "--max-rejects", "20000000"]
    assert [Path(word).name for word in words[5:]] == ["gene2pubtator3.gz", "disease2pubtator3.gz"]
    [following] = command(*fetch, "gene", "bioconcepts").json["next"]
    assert [Path(word).name for word in shlex.split(following)[5:]] == ["bioconcepts2pubtator3.gz"]


def test_pubmed_names_the_files_in_their_order(source, tmp_path, command):
    links = []
    for number in range(1, 8):
        name = f"pubmed26n{number:04}.xml.gz"
        source.files[f"updatefiles/{name}"] = gzip.compress(name.encode())
        links.append(f'<a href="{name}">{name}</a>')
    source.files["updatefiles/"] = "\n".join(links).encode()
    fetch = ["download", "pubmed", "--updates", "--to", tmp_path, "--from", source.url]
    few = command(*fetch, "--since", "6").json
    assert few["next"] == [f"truthhypo ingest pubmed {tmp_path}/pubmed26n0006.xml.gz {tmp_path}/pubmed26n0007.xml.gz"]
    many = command(*fetch).json
    assert [Path(file["path"]).name for file in many["files"]] == [f"pubmed26n{n:04}.xml.gz" for n in range(1, 8)]
    assert many["next"] == [f"truthhypo ingest pubmed {tmp_path}/pubmed26n*.xml.gz"]
    none = command(*fetch, "--since", "8")
    assert (none.code, none.json["files"], none.json["next"]) == (0, [], [])


def test_the_output_names_the_files_and_the_next_command(source, tmp_path, capsys):
    source.faults = [Fault(cut=100)]
    assert run(["download", "pubtator3", "--to", str(tmp_path), "--from", source.url]) == 0
    told = capsys.readouterr()
    assert f"resumed    {len(RELEASE):,} bytes" in told.out
    assert f"next: truthhypo ingest relations {tmp_path}/{NAME} --release 2026-09-21" in told.out
    assert "next attempt in" in told.err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["pubtator3", "genes"], "relation, bioconcepts"),
        (["pubtator3", "--from", "ftp://x/"], "http"),
        (["pubtator3", "--from", ""], "http"),
        (["pubtator3", "--from", "https://ann:hunter2@x/"], "without user"),
        (["pubmed", "--since", "monday"], "pubmed26n1335.xml.gz"),
        (["medline"], "medline"),
    ],
)
def test_bad_usage_has_exit_code_2(tmp_path, command, argv, said):
    told = command("--home", tmp_path, "download", *argv)
    assert told.code == 2
    assert said in told.err
    assert list(tmp_path.iterdir()) == []


def test_a_failing_server_has_exit_code_3_and_an_altered_file_1(source, tmp_path, command):
    source.faults = [Fault(status=503)] * 8
    told = command("download", "pubtator3", "--to", tmp_path, "--from", source.url)
    assert told.code == 3
    assert "8 attempts" in told.json["error"]["seen"]
    assert command("download", "pubtator3", "--to", tmp_path, "--from", "http://127.0.0.1:9/").code == 3
    source.files["updatefiles/"] = b'<a href="pubmed26n0001.xml.gz"><a href="pubmed26n0001.xml.gz.md5">'
    source.files["updatefiles/pubmed26n0001.xml.gz"] = BIG
    source.files["updatefiles/pubmed26n0001.xml.gz.md5"] = b"0" * 32
    told = command("download", "pubmed", "--updates", "--to", tmp_path, "--from", source.url)
    assert told.code == 1
    assert hashlib.md5(BIG).hexdigest() in told.json["error"]["seen"]
    assert not (tmp_path / "pubmed26n0001.xml.gz").exists()


def environment():
    return {**os.environ, "PYTHONUNBUFFERED": "1"}


def start(source, folder, **options):
    argv = [PROGRAM, "--json", "download", "pubtator3", "--to", str(folder), "--from", source.url]
    return subprocess.Popen(
        argv, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def stopped_at(source, folder, position, with_signal):
    """Stop the command while the server pauses in the middle of its answer. Return the exit code of the command."""
    source.faults = [Fault(cut=position, stall=True)]
    process = start(source, folder)
    part, asked, deadline = folder / f"{NAME}.part", len(source.asked), monotonic() + 60
    while monotonic() < deadline and not (
        len(source.asked) > asked and part.exists() and part.stat().st_size >= held(source) + position - 10_000
    ):
        sleep(0.01)
    process.send_signal(with_signal)
    process.communicate()
    return process.returncode


def held(source):
    """The byte from which the latest request continues."""
    return int(source.asked[-1][1].get("range", "bytes=0-")[6:-1])


def test_a_download_killed_many_times_ends_in_the_same_file(source, tmp_path):
    source.files[NAME] = BIG
    for position in (300_000, 1_000, 400_000):
        assert stopped_at(source, tmp_path, position, signal.SIGKILL) == -signal.SIGKILL
        assert not (tmp_path / NAME).exists()
    process = start(source, tmp_path)
    out, _ = process.communicate()
    assert process.returncode == 0
    assert held(source) >= 600_000
    [file] = json.loads(out)["files"]
    assert (file["state"], file["bytes"]) == ("resumed", len(BIG))
    assert (tmp_path / NAME).read_bytes() == BIG
    assert {path.name for path in tmp_path.iterdir()} == {NAME, f"{NAME}.json", ".download.lock"}


def test_ctrl_c_has_exit_code_130_and_keeps_the_received_bytes(source, tmp_path):
    source.files[NAME] = BIG
    assert stopped_at(source, tmp_path, 300_000, signal.SIGINT) == 130
    process = start(source, tmp_path)
    out, _ = process.communicate()
    assert json.loads(out)["files"][0]["state"] == "resumed"
    assert (tmp_path / NAME).read_bytes() == BIG


def test_a_disk_that_becomes_full_has_exit_code_1_and_the_next_run_continues(source, tmp_path):
    source.files[NAME] = BIG

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000))

    process = start(source, tmp_path, preexec_fn=small)
    out, err = process.communicate()
    assert process.returncode == 1
    assert "make room" in err
    assert json.loads(out)["error"]["exit_code"] == 1
    process = start(source, tmp_path)
    out, _ = process.communicate()
    assert json.loads(out)["files"][0]["state"] == "resumed"
    assert (tmp_path / NAME).read_bytes() == BIG
