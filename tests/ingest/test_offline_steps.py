"""Offline loads that are killed at each step. A small program stands in for the importer of neo4j-admin."""

import json
import shlex
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

import cypher
import ingest
from cypher.lock import Lock
from groundwork.errors import InputError, Refused, StoreBusy
from groundwork.settings import Settings
from tests.ingest.oracle import Load

ADDRESS = "bolt://127.0.0.1:1"  # no server listens here
ROWS = [(n, "treat", f"Chemical|MESH:D{n % 7}", f"Gene|{n % 11}") for n in range(1, 40)]

#: Refuses an existing database, as neo4j-admin does. Records its arguments, and fails as the file `mood` says.
IMPORTER = """
import json, os, re, shutil, sys
from pathlib import Path
home = Path(os.environ["NEO4J_HOME"])
words = sys.argv[1:]
options = dict(word.split("=", 1) for word in words if word.startswith("--") and not word.startswith("--nodes"))
database = home / "data" / "databases" / words[3]
with (home / "calls").open("a") as calls:
    calls.write(json.dumps(words) + chr(10))
mood = (home / "mood").read_text()
if database.exists() and "--overwrite-destination" not in options:
    sys.exit("Database already exist. Re-run with `--overwrite-destination`")
database.mkdir(parents=True, exist_ok=True)
report = Path(options["--report-file"])
report.write_text("")
if mood == "cut off":
    os.kill(os.getpid(), 9)
if mood == "failing":
    sys.exit("java.lang.OutOfMemoryError")
if mood == "leaving out":
    report.write_text(json.dumps({"problem": "BadRelationship", "message": "missing node Gene|none"}) + chr(10))
nodes = [Path(word.split("=", 1)[1]) for word in words if word.startswith("--nodes=")]
edges = Path(options["--relationships"])
count = lambda file: len(file.read_text().splitlines()) - 1
taken = sum(map(count, nodes)) - (mood == "losing")
print(f"IMPORT DONE in 1s 521ms. {chr(10)}Imported:{chr(10)}  {taken} nodes{chr(10)}  {count(edges)} relationships")
"""


class Killed(BaseException):
    """Stands for the end of the process; no code catches it."""


class Mortal:
    """An importer that fails after a number of steps: batches received, and calls begun and ended."""

    def __init__(self, importer, steps: int) -> None:
        self._importer, self.steps = importer, steps
        self.address = importer.address

    def __getattr__(self, name: str):
        return getattr(self._importer, name)

    def write(self, folder, release, concepts, edges) -> None:
        self._step()
        self._importer.write(folder, release, lambda: self._dying(concepts()), lambda: self._dying(edges()))
        self._step()

    def run(self, folder, **options) -> None:
        self._step()
        self._importer.run(folder, **options)
        self._step()

    def _dying(self, batches):
        for batch in batches:
            yield batch
            self._step()

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Killed


@pytest.fixture
def server(tmp_path) -> Path:
    """The home of a server, with an importer."""
    home = tmp_path / "a server"
    home.mkdir()
    (home / "importer.py").write_text(IMPORTER)
    (home / "mood").write_text("well")
    return home


@pytest.fixture
def settings(tmp_path, server) -> Settings:
    admin = shlex.join([sys.executable, str(server / "importer.py")])
    return Settings(home=tmp_path / "home", neo4j_admin=admin, neo4j_home=str(server), batch_rows=5)


@pytest.fixture
def file(tmp_path) -> Path:
    return Load("relations", ROWS).write(tmp_path)


def load(file: Path, settings: Settings, importer=None, **options) -> ingest.Receipt:
    importer = importer or cypher.bulk_import(ADDRESS, settings)
    with closing(cypher.connect(ADDRESS, settings)) as graph:
        return ingest.load_relations([file], graph, settings, offline=importer, **options)


def calls(server: Path) -> list[list[str]]:
    """The arguments of each run of the importer."""
    return (
        [json.loads(line) for line in (server / "calls").read_text().splitlines()]
        if (server / "calls").exists()
        else []
    )


def overwrites(words: list[str]) -> bool:
    return "--overwrite-destination=true" in words


def test_the_importer_is_run_once_and_the_receipt_says_what_to_do(file, settings, server):
    receipt = load(file, settings)
    assert receipt.to_dict()["offline"].keys() == {"step", "command", "next"}
    assert (receipt.offline.step, receipt.offline.command) == ("imported", None)
    assert receipt.edges.added == receipt.edges.total > 0
    assert load(file, settings).offline.step == "imported"
    [words] = calls(server)
    assert words[:4] == ["database", "import", "full", "neo4j"]
    assert not overwrites(words)
    assert all(Path(word.split("=", 1)[1]).is_absolute() for word in words if word.startswith(("--nodes", "--rel")))


def test_killed_at_every_step_and_run_again(file, settings):
    calm = Mortal(cypher.bulk_import(ADDRESS, settings), 10**6)
    wanted, total = load(file, settings, calm), 10**6 - calm.steps
    assert total > 5
    for steps in range(total):
        mine = _elsewhere(settings, f"killed-{steps}")
        with pytest.raises(Killed):
            load(file, mine, Mortal(cypher.bulk_import(ADDRESS, mine), steps))
        receipt = load(file, mine)
        assert (receipt.edges, receipt.concepts, receipt.offline) == (wanted.edges, wanted.concepts, wanted.offline)
        assert len(calls(Path(mine.neo4j_home))) == 1
        assert len(list((mine.home / "pending").glob("*@*"))) == 1


def test_an_import_that_was_cut_off_is_begun_again(file, settings, server):
    (server / "mood").write_text("cut off")
    with pytest.raises(Refused, match="the importer failed"):
        load(file, settings)
    (server / "mood").write_text("well")
    assert load(file, settings).offline.step == "imported"
    assert [overwrites(words) for words in calls(server)] == [False, True]


def test_an_existing_database_is_overwritten_only_by_a_rebuild(file, settings, server):
    database = server / "data" / "databases" / "neo4j"
    database.mkdir(parents=True)
    for _ in range(2):
        with pytest.raises(InputError, match="already has a database neo4j") as caught:
            load(file, settings)
        assert "--rebuild" in caught.value.remedy
    assert not calls(server)
    load(file, settings, rebuild=True)
    assert [overwrites(words) for words in calls(server)] == [True]


def test_a_database_in_another_data_folder_is_not_overwritten_either(file, settings, server):
    (server / "conf").mkdir()
    (server / "conf" / "neo4j.conf").write_text("server.directories.data=elsewhere\n")
    (server / "data" / "databases" / "neo4j").mkdir(parents=True)
    for _ in range(2):
        with pytest.raises(InputError, match="already has a database neo4j"):
            load(file, settings)
    assert [overwrites(words) for words in calls(server)] == [False, False]


def test_an_import_that_loses_rows_or_fails_is_reported(file, settings, server):
    (server / "mood").write_text("leaving out")
    with pytest.raises(Refused, match=r"left out 1 rows .*\n  BadRelationship: missing node Gene\|none"):
        load(file, settings)
    (server / "mood").write_text("losing")
    with pytest.raises(Refused, match=r"the importer imported \d+ of \d+ nodes"):
        load(file, settings)
    (server / "mood").write_text("failing")
    with pytest.raises(Refused, match=r"exit code 1\):\n  java.lang.OutOfMemoryError"):
        load(file, settings)


def test_without_an_importer_the_receipt_has_the_command_to_run(file, settings, server):
    untold = settings.model_copy(update={"neo4j_admin": "", "neo4j_home": ""})
    receipt = load(file, untold)
    assert receipt.offline.step == "written"
    words = shlex.split(receipt.offline.command)
    assert words[:5] == ["neo4j-admin", "database", "import", "full", "neo4j"]
    files = [Path(word.split("=", 1)[1]) for word in words if word.startswith(("--nodes=", "--relationships="))]
    assert all(file.is_file() for file in files)
    assert load(file, untold).offline == receipt.offline
    assert load(file, settings).offline.step == "imported"  # with an importer, the written files are imported
    assert calls(server)[0] == words[1:]


def test_an_importer_that_outlived_its_run_is_waited_for(file, settings, server):
    with pytest.raises(Killed):
        load(file, settings, Mortal(cypher.bulk_import(ADDRESS, settings), _steps(file, settings) - 2))
    [plan] = (settings.home / "pending").glob("*@*")
    lock = Lock(plan / "import" / "lock", shared=False)
    with pytest.raises(StoreBusy, match="an importer that an earlier run started is still working"):
        load(file, settings)
    lock.release()
    assert load(file, settings).offline.step == "imported"


def test_a_server_counts_as_running_if_its_port_is_open(file, settings, server, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"bolt://127.0.0.1:{listening.getsockname()[1]}"
        assert not cypher.bulk_import(address, settings).stopped()
    assert cypher.bulk_import(address, settings).stopped()


def test_a_dry_run_writes_nothing(file, settings, server):
    receipt = load(file, settings, dry_run=True)
    assert receipt.offline is None
    assert receipt.edges.added == receipt.edges.total > 0
    assert not calls(server)
    assert not list((settings.home / "pending").glob("*@*"))


def test_unusable_settings_are_reported(file, settings, tmp_path):
    with pytest.raises(InputError, match="neo4j_home is not"):
        load(file, settings.model_copy(update={"neo4j_home": ""}))
    with pytest.raises(InputError, match="/nowhere/neo4j-admin cannot be run"):
        load(file, settings.model_copy(update={"neo4j_admin": "/nowhere/neo4j-admin"}))
    with pytest.raises(InputError, match="contains a comma"):
        load(file, settings.model_copy(update={"home": tmp_path / "a,b"}))
    with pytest.raises(InputError, match="only Neo4j has an importer"):
        cypher.bulk_import("memory:", settings)


def _steps(file: Path, settings: Settings) -> int:
    """The steps of an undisturbed run in another folder."""
    elsewhere = _elsewhere(settings, "elsewhere")
    importer = Mortal(cypher.bulk_import(ADDRESS, elsewhere), 10**6)
    load(file, elsewhere, importer)
    return 10**6 - importer.steps


def _elsewhere(settings: Settings, name: str) -> Settings:
    """Return the settings with another HOME and another server."""
    root = settings.home.parent / name
    (root / "server").mkdir(parents=True)
    (root / "server" / "mood").write_text("well")
    return settings.model_copy(update={"home": root / "home", "neo4j_home": str(root / "server")})
