"""While a load is unfinished, look-ups say so on stderr and in their JSON. `risk` says why it has no literature."""

import json
import shutil
import socket
from dataclasses import replace

import pytest

import cypher
import literature
from groundwork import inventory
from groundwork.inventory import Holdings
from groundwork.records import Release
from groundwork.settings import Settings

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
