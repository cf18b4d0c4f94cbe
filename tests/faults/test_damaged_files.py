"""Every kind of file under HOME, harmed in every way: the right answer or a typed error, and a way back.

`python -m tests.faults.test_damaged_files FILE` writes what became of each as a table.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory

import pytest

from groundwork.language import parse
from tests.faults.commands import Told
from truthhypo.faces.cli import entry

SAMPLE = Path(__file__).resolve().parents[2] / "truthhypo" / "sample"
FILES = {
    "pubtator3": ("ingest", "relations", SAMPLE / "relation2pubtator3.tsv"),
    "concepts": ("ingest", "concepts", SAMPLE / "bioconcepts2pubtator3.tsv"),
    "documents": ("ingest", "documents", SAMPLE / "documents.pubtator"),
    "pubmed": ("ingest", "pubmed", SAMPLE / "pubmed.xml"),
    "similarity": ("ingest", "similarity", "--embedder", "trigram", "--force"),
}
NEXT = ("ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv", "--release", "next")
LOOK_UPS = {
    "stats": ("graph", "stats"),
    "chains": ("graph", "chains", "aspirin", "myocardial infarction", "--hops", "3"),
    "find": ("graph", "find", "aspirin"),
    "search": ("literature", "search", "does aspirin prevent infarction"),
    "ground": ("ground", "Aspirin causes myocardial infarction."),
}
#: What stands in an answer beside the state of the stores: moments, durations, where an edge last changed.
HISTORY = ("loaded_at", "order", "seconds", "release", "releases", "usage")

HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda _: None,
    "emptied": lambda _: b"",
    "truncated": lambda content: content[: len(content) * 2 // 3],
    "flipped": lambda content: flipped(content),
}
#: The file (one of its kind), and whether the program can do without it.
KINDS = {
    "graph/graph.lbug": False,
    "graph/names.sqlite": False,
    "graph/format": False,
    "graph/manifest.json": False,
    "graph/lock": True,
    "graph/atlas/*/target.npy": True,
    "graph/atlas/*/keys.arrow": True,
    "graph/atlas/*/manifest.json": True,
    "graph/atlas/lock": True,
    "literature/manifest.json": False,
    "literature/lock": True,
    "literature/index/*.segment": False,
    "loads/*/numbered.json": False,
    "merged/*/edges.parquet": False,
    "merged/*/concepts.parquet": False,
    "merged/*/manifest.json": False,
    "snapshots/pubtator3/*/edges.parquet": False,
    "snapshots/pubtator3/*/manifest.json": False,
    "snapshots/concepts/*/names.parquet": False,
    "snapshots/documents/*/documents.parquet": False,
    "snapshots/similarity/*/similarities.parquet": False,
    "stores/*.json": False,
}
#: Without these HOME is one of an earlier version, or one that keeps less than it could.
MAY_BE_GONE = {"loads/*/numbered.json", "stores/*.json"}
QUICK = [
    ("graph/graph.lbug", "deleted"),
    ("literature/manifest.json", "deleted"),
    ("graph/atlas/*/target.npy", "flipped"),
    ("merged/*/edges.parquet", "flipped"),
    ("snapshots/pubtator3/*/edges.parquet", "flipped"),
]


def flipped(content: bytes) -> bytes:
    """64 bytes in the middle, every bit of them."""
    middle = max(0, len(content) // 2 - 32)
    return content[:middle] + bytes(byte ^ 0xFF for byte in content[middle : middle + 64]) + content[middle + 64 :]


class Forked:
    """Runs each command in a fork of this process, in which all it needs is imported: some of them might crash.

    Args:
        folder: For what commands say.
    """

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"
        for late in ("cypher.embedded.graph", "fuzzygraph.similarity.build", "ingest.load", "ingest.pubmed.load"):
            import_module(late)
        import_module("literature.embedded")
        parse("Aspirin reduces fever.")

    def run(self, *argv: object) -> Told:
        """Run `truthhypo ARGV --json`."""
        child = os.fork()
        if child == 0:
            for number, file in ((1, self._out), (2, self._err)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            code = entry.run([*map(str, argv), "--json"])
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out = self._out.read_text()
        return Told(code, json.loads(out) if out else None, self._err.read_text(), 0, 0)

    def done(self, *argv: object) -> Told:
        """Run a command that is to succeed."""
        told = self.run(*argv)
        assert told.code == 0, told.err
        return told


@dataclass(frozen=True)
class Calm:
    """A HOME that was not harmed, and what is said out of it, before and after another load."""

    home: Path
    before: dict[str, object]
    after: dict[str, object]


def said(told: Told) -> object:
    """An answer without its history."""

    def bare(shape: object) -> object:
        if isinstance(shape, dict):
            return {name: bare(value) for name, value in shape.items() if name not in HISTORY}
        return [bare(one) for one in shape] if isinstance(shape, list) else shape

    return bare(told.json)


def answers(commands: Forked, home: Path) -> dict[str, object]:
    return {name: said(commands.done("--home", home, *argv)) for name, argv in LOOK_UPS.items()}


def made(commands: Forked, folder: Path) -> Calm:
    home = folder / "calm"
    for argv in FILES.values():
        commands.done("--home", home, *argv)
    copytree(home, folder / "next")
    commands.done("--home", folder / "next", *NEXT)
    return Calm(home, answers(commands, home), answers(commands, folder / "next"))


@pytest.fixture(scope="module")
def commands(tmp_path_factory) -> Forked:
    return Forked(tmp_path_factory.mktemp("said"))


@pytest.fixture(scope="module")
def calm(commands, tmp_path_factory) -> Calm:
    return made(commands, tmp_path_factory.mktemp("homes"))


def one_of(home: Path, kind: str) -> Path:
    """The file of a kind that was changed last."""
    return max(home.glob(kind), key=lambda path: path.stat().st_mtime_ns)


def harm(home: Path, kind: str, how: str) -> Path:
    path = one_of(home, kind)
    content = HARMS[how](path.read_bytes())
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    return path


def typed(told: Told) -> bool:
    """It failed by one message that says what is wrong and how to mend it; the program lives."""
    assert told.code in {1, 2, 3}, (told.code, told.err)
    assert "an internal error" not in told.err and "Traceback" not in told.err, told.err
    error = told.json["error"]
    return bool(error["seen"] and error["remedy"])


def outcomes(commands: Forked, calm: Calm, folder: Path, kind: str, how: str) -> Iterator[tuple[str, str]]:
    """What became of each command, in a word, after it was checked; then the way back is gone."""
    home = folder / "home"
    copytree(calm.home, home)
    path = harm(home, kind, how)
    harmless = KINDS[kind] or (how == "deleted" and kind in MAY_BE_GONE)
    for name, argv in LOOK_UPS.items():
        told = commands.run("--home", home, *argv)
        right = told.code == 0 and said(told) == calm.before[name]
        assert right or (how == "flipped" and told.code == 0) or typed(told), (name, told.err)
        yield name, "right" if right else f"exit {told.code}"
    doctor = commands.run("--home", home, "doctor")
    wrong = [check for check in doctor.json["checks"] if not check["ok"]]
    named = any(path.name in check["found"] for check in wrong)
    assert doctor.code == (0 if harmless else 1), (doctor.err, wrong)
    assert named or harmless or "stores" in kind, wrong
    yield "doctor", "names it" if named else "all is well"
    told = commands.run("--home", home, *NEXT)
    assert told.code == 0 or typed(told), told.err
    yield "ingest", "right" if told.code == 0 else f"exit {told.code}"
    wanted = calm.after if told.code == 0 else calm.before
    yield "way back", way_back(commands, home, kind, loaded=told.code == 0)
    for name in ("stats", "search"):
        assert said(commands.done("--home", home, *LOOK_UPS[name])) == wanted[name]
    ending = commands.run("--home", home, "doctor")
    assert ending.code == 0, [check for check in ending.json["checks"] if not check["ok"]]


def way_back(commands: Forked, home: Path, kind: str, *, loaded: bool) -> str:
    """Do what the messages say.

    Args:
        commands: The program.
        home: The folder HOME.
        kind: Of which file.
        loaded: The next release was loaded all the same, so that the one before is past.
    """
    ways = []
    if kind.startswith("snapshots/pubtator3") and loaded:
        rmtree(one_of(home, "snapshots/pubtator3/[!n]*"))
        ways.append("remove the past snapshot")
    elif kind.startswith("snapshots"):
        commands.done("--home", home, *FILES[kind.split("/")[1]])
        ways.append("load it again")
    elif kind.startswith("loads"):
        one_of(home, "loads/*").joinpath("numbered.json").unlink(missing_ok=True)
        ways.append("remove it")
    told = commands.run("--home", home, "ingest", "rebuild")
    assert told.code in {0, 1}, told.err
    if "restored" in {told.json["graph"]["state"], told.json["literature"]["state"]}:
        ways.append("ingest rebuild")
    for lost in told.json["load_again"]:
        source = lost["load"].partition(":")[0]
        commands.done("--home", home, "ingest", source, *lost["files"])
        ways.append(f"load {source} again")
    return ", then ".join(ways) or "none needed"


@pytest.mark.parametrize(("kind", "how"), QUICK)
def test_a_damaged_file_is_told_and_comes_back(commands, calm, tmp_path, kind, how):
    assert dict(outcomes(commands, calm, tmp_path, kind, how))


@pytest.mark.slow
@pytest.mark.parametrize("how", HARMS)
@pytest.mark.parametrize("kind", KINDS)
def test_any_damaged_file_is_told_and_comes_back(commands, calm, tmp_path, kind, how):
    assert dict(outcomes(commands, calm, tmp_path, kind, how))


def table(file: Path) -> None:
    """Write what became of every harm as a Markdown table."""
    columns = (*LOOK_UPS, "doctor", "ingest", "way back")
    lines = [f"| file | harm | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    with TemporaryDirectory() as folder:
        commands = Forked(Path(folder))
        calm = made(commands, Path(folder))
        for kind in KINDS:
            for how in HARMS:
                with TemporaryDirectory() as place:
                    try:
                        found = dict(outcomes(commands, calm, Path(place), kind, how))
                    except AssertionError as error:
                        found = {"way back": f"FAILED: {str(error)[:300]}".replace("\n", " ").replace("|", "/")}
                lines.append(f"| {kind} | {how} | {' | '.join(found.get(name, '') for name in columns)} |")
                file.write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    table(Path(sys.argv[1]))
