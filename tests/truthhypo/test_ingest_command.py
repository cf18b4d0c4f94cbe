"""The commands `ingest ...` end to end: sources of documents, older files, contradictions, unfinished loads and audits."""

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest

import cypher
import literature
from groundwork import inventory
from groundwork.inventory import Holdings
from groundwork.records import Release
from groundwork.settings import Settings
from tests.ingest.oracle import Load
from tests.ingest.test_document_sources import LOADS, document
from tests.ingest.test_pubmed_load import file as pubmed_file
from tests.truthhypo.conftest import SAMPLE
from truthhypo.faces.cli.entry import run


def test_a_load_that_replaces_documents_of_another_file_warns_and_names_the_option(command, tmp_path):
    files = [load.write(tmp_path / "files") for load in LOADS[:2]]
    home = ("--home", tmp_path / "home")
    first = command("ingest", "documents", files[0], "--release", "one", *home)
    assert "warning" not in first.err
    second = command("ingest", "documents", files[1], *home)
    label = f"one ({files[0].name})"
    assert second.json["replaced"] == {"documents": 1, "edges": 1, "releases": [label]}
    assert f"warning: 1 document of {label} replaced, and 1 edge removed with them" in second.err
    assert "--source" in second.err
    other = command("ingest", "documents", files[0], "--source", "other", *home)
    assert "warning" not in other.err
    assert {(one["source"], one["kind"]) for one in command("ingest", "releases", *home).json["releases"]} == {
        ("documents", "documents"),
        ("other", "documents"),
    }


def test_documents_of_every_source_are_restored_and_are_no_releases_of_relations(tmp_path, command):
    home = ("--home", tmp_path / "home")
    for source in ("a", "b"):
        assert command("ingest", "documents", LOADS[0].write(tmp_path), "--source", source, *home).code == 0
    stats, found = (command(*words, *home).json for words in (("graph", "stats"), ("ingest", "releases")))
    for words in (("ingest", "activate", found["releases"][0]["id"]), ("ingest", "audit", found["releases"][0]["id"])):
        assert "no relation release" in command(*words, *home).err
    for victim in ("graph/graph.json", "literature/manifest.json"):
        assert (tmp_path / "home" / victim).exists()
        (tmp_path / "home" / victim).write_text("damaged")
    assert command("doctor", *home).code == 1
    done = command("ingest", "rebuild", *home)
    assert (done.code, done.json["graph"]["state"], done.json["literature"]["state"]) == (0, "restored", "restored")
    assert command("graph", "stats", *home).json == stats
    assert command("ingest", "releases", *home).json == found
    assert command("doctor", *home).code == 0


def test_repeated_copies_are_told_on_the_terminal(tmp_path, capfdbinary):
    file = Load("documents", [document(1, "a"), document(1, "b")]).write(tmp_path)
    assert run(["ingest", "documents", str(file), "--home", str(tmp_path / "home")]) == 0
    assert b"1  repeated (only the last copy of a PMID in these files is used)" in capfdbinary.readouterr().out


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


TEXT = "Simvastatin lowers cholesterol."
FIND = ["graph", "find", "simvastatin"]
SEARCH = ["literature", "search", "cholesterol"]
GRAPH = {
    "find": FIND,
    "chains": ["graph", "chains", "simvastatin", "cholesterol"],
    "edges": ["graph", "edges", "simvastatin", "cholesterol"],
    "query": ["graph", "query", "RETURN 1 AS one"],
    "stats": ["graph", "stats"],
}
BOTH = {"ground": ["ground", TEXT], "risk": ["risk", TEXT]}


def leave_unfinished_load(home, *, graph: bool) -> None:
    """Leave one of the stores in the state in which a killed load of documents leaves it."""
    settings = Settings(home=home)
    connect, address = (
        (cypher.connect, settings.graph_address) if graph else (literature.connect, settings.literature_address)
    )
    store = connect(address, settings)
    with store.writing():
        store.put_release(Release("documents", "begun", "0" * 64, 1, 1, 0, "loading", "2026-01-01T00:00:00+00:00", 9))
    noted = inventory.holdings(home, address) or Holdings()
    inventory.note(home, address, replace(noted, files={**noted.files, "documents:begun": ["/some/begun.txt"]}))
    store.close()


@pytest.fixture(scope="module")
def homes(sample_home, tmp_path_factory):
    """HOME in three states: a load of the graph is unfinished, a load of the literature is unfinished, or neither."""
    folder = tmp_path_factory.mktemp("loading")
    for name in ("graph", "literature"):
        shutil.copytree(sample_home, folder / name)
        leave_unfinished_load(folder / name, graph=name == "graph")
    return {"graph": folder / "graph", "literature": folder / "literature", "nothing": sample_home}


@pytest.mark.parametrize(
    ("state", "argv", "said"),
    [
        *(("graph", argv, True) for argv in (*GRAPH.values(), *BOTH.values())),
        *(("literature", argv, True) for argv in (SEARCH, *BOTH.values())),
        ("graph", SEARCH, False),
        ("literature", FIND, False),
        *(("nothing", argv, False) for argv in (FIND, SEARCH, *BOTH.values())),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else str(value),
)
def test_look_ups_say_that_a_load_is_unfinished(command, homes, state, argv, said):
    told = command("--home", homes[state], *argv)
    assert told.code == 0, told.err
    assert told.json.get("loading", False) is said
    assert ("the load of documents:begun (begun.txt) is not finished" in told.err) is said


def test_answers_for_a_file_of_texts_say_that_a_load_is_unfinished(command, homes, tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text(f"{TEXT}\n{TEXT}\n")
    assert [shape["loading"] for shape in command("--home", homes["graph"], "risk", "--file", file).json] == [True] * 2
    out = tmp_path / "out.jsonl"
    assert command("--home", homes["graph"], "risk", "--file", file, "--out", out).json["loading"] is True
    assert [json.loads(line).get("loading") for line in out.read_text().splitlines()] == [True] * 2
    out.unlink()
    command("--home", homes["nothing"], "risk", "--file", file, "--out", out)
    assert [json.loads(line).get("loading") for line in out.read_text().splitlines()] == [None] * 2


def test_risk_distinguishes_a_literature_without_documents_from_one_that_does_not_answer(command, sample_home):
    with socket.create_server(("127.0.0.1", 0)) as closing:
        dead = f"http://127.0.0.1:{closing.getsockname()[1]}"
    wanted = command("--home", sample_home, "risk", TEXT).json
    for address, why in ((dead, f"{dead} does not answer"), ("memory:", "holds no documents")):
        told = command("--home", sample_home, "--literature", address, "risk", TEXT)
        assert told.code == 0, told.err
        assert why in told.err
        assert "the risk itself needs no literature" in told.err
        assert told.json["hrs"] == wanted["hrs"]
    assert "holds no documents" not in command("--home", sample_home, "--literature", dead, "risk", TEXT).err


HOSTILE = "</title><script>alert('x')</script> & \"quoted\""
BASE = (
    [(n, "treat", f"Chemical|MESH:C{n}", f"Disease|MESH:D{n % 30}") for n in range(1, 301)]
    + [(n, "interact", f"Gene|{n}", f"Gene|{n + 1}") for n in range(1, 201)]
    + [(n, "associate", "Chemical|MESH:HUB", f"Gene|{n}") for n in range(1, 151)]
)
#: Without 60 of the treatments, and so without 60 chemicals. With 5 more interactions.
NEXT = [row for row in BASE if not (row[1] == "treat" and row[0] <= 60)] + [
    (n, "interact", f"Gene|{n}", f"Gene|{n + 2}") for n in range(1, 6)
]


def text(rows) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """A HOME with two releases. One of their concepts is a hub with a hostile name."""
    folder = tmp_path_factory.mktemp("audit")
    files = {
        "base": text(BASE),
        "next": text(NEXT) + "1\tknows\tGene|1\tGene|2\nnothing\n",
        "names": f"1\tChemical\tMESH:HUB\t{HOSTILE}\tPubTator3\n",
    }
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    for command in ("relations base --release base", "concepts names", "relations next --release next"):
        kind, name, *rest = command.split()
        assert run(["--home", str(folder / "home"), "ingest", kind, str(folder / name), *rest]) == 0
    return folder / "home"


@pytest.fixture
def audit(command, audited):
    return lambda *argv: command("--home", audited, "ingest", "audit", *argv)


def broken(err: str) -> list[str]:
    """The lines that name a broken limit; the others report progress."""
    return [line for line in err.splitlines() if line.startswith("truthhypo: limit exceeded: ")]


def test_the_sample_release_and_its_successor_pass(command, tmp_path, capfdbinary):
    audited = tmp_path / "audited"
    for name, release in (("relation2pubtator3.tsv", "a"), ("relation2pubtator3.next.tsv", "b")):
        told = command("--home", audited, "ingest", "relations", SAMPLE / name, "--release", release)
        assert told.code == 0
    told = command("--home", audited, "ingest", "audit")
    assert (told.code, broken(told.err)) == (0, [])
    assert (told.json["release"]["id"], told.json["against"]["id"]) == ("b", "a")
    assert told.json["movement"]["edges"] == {"total": 79, "added": 5, "changed": 7, "removed": 3, "unchanged": 67}
    assert (told.json["edges"], told.json["concepts"], told.json["passed"]) == (79, 50, True)
    assert command("--home", audited, "ingest", "audit", "a").json["movement"] is None
    assert command("--home", audited, "ingest", "audit", "a", "--against", "b").json["movement"]["edges"]["added"] == 3
    assert run(["--home", str(audited), "ingest", "audit"]) == 0
    shown = [line.split() for line in capfdbinary.readouterr().out.decode().splitlines()]
    assert ["largest", "hub", "-", "5.00%", "not", "checked"] in shown
    told = command("--home", audited, "ingest", "audit", "c")
    assert told.code == 2
    assert "pubtator3:a (relation2pubtator3.tsv), pubtator3:b (relation2pubtator3.next.tsv)" in told.err


def test_broken_limits_are_exit_code_1_and_each_has_a_line_with_its_concepts(audit):
    told = audit()
    assert told.code == 1
    names = ("largest hub", "lost edges", "lost concepts")
    for line, name in zip(broken(told.err), names, strict=True):
        assert line.startswith(f"truthhypo: limit exceeded: {name} 0.")
    assert "Chemical|MESH:HUB" in broken(told.err)[0]
    over = {check["name"]: (check["value"], check["limit"]) for check in told.json["limits"] if not check["passed"]}
    assert over == {
        "largest hub": (pytest.approx(150 / 595), 0.05),
        "lost edges": (pytest.approx(60 / 650), 0.05),
        "lost concepts": (pytest.approx(60 / 532), 0.02),
    }
    assert told.json["passed"] is False


@pytest.mark.parametrize(
    "argv",
    [
        ["--top", "0"],
        ["--against"],
    ],
)
def test_bad_options_are_exit_code_2(audit, argv):
    told = audit(*argv)
    assert told.code == 2
    assert argv[0] in told.err
    assert set(told.json) == {"error"}


def test_people_get_tables(audited, capsys):
    from truthhypo.faces.cli.entry import run

    assert run(["--home", str(audited), "ingest", "audit"]) == 1
    out = capsys.readouterr().out
    assert "pubtator3:next (next), against base (base)" in out
    assert HOSTILE in out
    for words in ("lost concepts", "exceeded", "60 removed", "Chemical treat Disease", "595 edges"):
        assert words in out


def test_an_older_file_is_reported_on_stderr_and_in_the_receipt(command, tmp_path):
    older, newer = (pubmed_file(tmp_path / "files", number, [(1, f"as of {number}")]) for number in (1, 2))
    home = ("--home", tmp_path / "home")
    first = command("ingest", "pubmed", newer, *home)
    second = command("ingest", "pubmed", older, *home)
    assert (first.code, second.code) == (0, 0)
    assert "older" not in first.json
    assert "warning" not in first.err
    assert second.json["older"] == {"file": older.name, "newer": 1, "first": newer.name, "last": newer.name}
    assert f"warning: {older.name} is older than {newer.name} loaded before" in second.err
    assert second.json["documents"]["changed"] == 1
