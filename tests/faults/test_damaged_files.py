"""Every kind of file under HOME is damaged in every way. Commands answer correctly or with a typed error that can be
repaired.

`python -m tests.faults.test_damaged_files FILE` writes the outcomes as a table.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from os import mkfifo
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from typer import Context
from typer.main import get_command

from tests.faults.commands import Commands, Told
from tests.faults.full_home import FILES, OTHERS, SAMPLE, TEXT, WRITERS, Served, fill, read_kept
from truthhypo.faces.cli import entry

NEXT = ("ingest", "relations", SAMPLE / "relation2pubtator3.next.tsv", "--release", "next")
LOOK_UPS = {
    "stats": ("graph", "stats"),
    "chains": ("graph", "chains", "aspirin", "myocardial infarction", "--hops", "3"),
    "find": ("graph", "find", "aspirin"),
    "search": ("literature", "search", "does aspirin prevent infarction"),
    "ground": ("ground", TEXT),
    "watch": ("watch", "list"),
}
#: Fields of an answer that do not describe the state of the stores: moments, durations, where an edge last changed, and
#: figures that a user measured.
HISTORY = ("loaded_at", "order", "seconds", "release", "releases", "usage", "calibration")

HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda _: None,
    "emptied": lambda _: b"",
    "truncated": lambda content: content[: len(content) * 2 // 3],
    "flipped": lambda content: flipped(content),
}
#: Sets of harms that lose nothing. ROWS: the rows of the file are computed or asked for again, or the file is a lock.
#: GONE: the file may be missing.
ROWS = frozenset({"deleted", "emptied", "truncated"})
GONE = frozenset({"deleted"})
NONE = frozenset[str]()
#: The kinds of files, and the harms that `doctor` does not report, because they lose nothing. A file that may be
#: missing is also missing in a HOME of an earlier version, or in a HOME that keeps less than it could.
KINDS = {
    "graph/graph.json": NONE,
    "graph/state-*/concepts.sqlite": NONE,
    "graph/state-*/target.npy": NONE,
    "graph/state-*/keys.arrow": NONE,
    "graph/state-*/manifest.json": NONE,
    "graph/lock": ROWS,
    "graph/drawn/*/graph.lbug": NONE,
    "graph/drawn/*/manifest.json": GONE,
    "graph/drawn/lock": ROWS,
    "literature/manifest.json": NONE,
    "literature/lock": ROWS,
    "literature/index/*.segment": NONE,
    "loads/*/numbered.json": GONE,
    "loads/*/lock": ROWS,
    "merged/*/edges.parquet": NONE,
    "merged/*/concepts.parquet": NONE,
    "merged/*/manifest.json": NONE,
    "pending/*.lock": ROWS,
    "snapshots/pubtator3/*/edges.parquet": NONE,
    "snapshots/pubtator3/*/manifest.json": NONE,
    "snapshots/concepts/*/names.parquet": NONE,
    "snapshots/documents/*/documents.parquet": NONE,
    "snapshots/similarity/*/similarities.parquet": NONE,
    "stores/*.json": GONE,
    "vectors/*/about.json": GONE,
    "vectors/*/rows.f32": ROWS,
    "vectors/*/names.hash": ROWS,
    "vectors/*/sums.crc32": ROWS,
    "vectors/*/lock": ROWS,
    "watch/statements.sqlite": NONE,
    "watch/lock": ROWS,
    "jobs/jobs.sqlite": NONE,
    "jobs/*.jsonl": NONE,
    "jobs/*.jsonl.lock": ROWS,
    "results/results.sqlite": NONE,
    "cache/answers.sqlite": GONE,
    "cache/mentions.sqlite": GONE,
    "cache/years.json": GONE,
    "cache/runs/*.jsonl": ROWS,
    "cache/runs/*.jsonl.lock": ROWS,
    "tokens": GONE,
    "calibration.json": GONE,
    "risk.json": GONE,
    "marks/marks.json": NONE,
    "marks.lock": ROWS,
    "work/sweep.lock": ROWS,
    # Written for people, who may remove them.
    "rejects/*.tsv": GONE,
    "rejects/.*.seal": GONE,
    "reports/*.html": GONE,
    "reports/*.json": GONE,
    "reports/*.csv": GONE,
    "reports/.*.seal": GONE,
}
#: More files of the kinds above.
ALIKE = (
    "graph/state-*/*.npy",
    "snapshots/*/*/manifest.json",
    *(f"cache/*.sqlite-{end}" for end in ("wal", "shm")),
)
#: Files that a user removes if a message asks for it, given by the beginning of their kind.
REMOVED = (
    *("vectors/*", "watch", "jobs", "results", "cache/answers.sqlite", "cache/runs/*.jsonl"),
    *("tokens", "calibration.json", "risk.json", "marks", "marks.lock", "rejects", "reports"),
    *("cache/years.json", "cache/runs/*.jsonl.lock", "graph/lock", "graph/drawn/lock"),
    *("literature/lock", "loads/*/lock", "pending/*.lock", "work/sweep.lock"),
)
#: The cases that always run; the others are slow.
QUICK = {
    ("graph/graph.json", "deleted"),
    ("literature/manifest.json", "deleted"),
    ("graph/state-*/target.npy", "flipped"),
    ("graph/drawn/*/graph.lbug", "flipped"),
    ("merged/*/edges.parquet", "flipped"),
    ("snapshots/pubtator3/*/edges.parquet", "flipped"),
    ("watch/statements.sqlite", "emptied"),
    ("jobs/jobs.sqlite", "flipped"),
}


def flipped(content: bytes) -> bytes:
    """Invert 64 bytes in the middle of all bytes that are not zero, because SQLite leaves much of a page empty.

    An empty file, as most lock files are, is treated as 64 zero bytes.
    """
    content = content or bytes(64)
    used = [place for place, byte in enumerate(content) if byte] or [0]
    middle = max(0, used[len(used) // 2] - 32)
    return content[:middle] + bytes(byte ^ 0xFF for byte in content[middle : middle + 64]) + content[middle + 64 :]


@dataclass(frozen=True)
class Calm:
    """An undamaged HOME, and the answers from it before and after another load."""

    home: Path
    served: Served
    before: dict[str, object]
    after: dict[str, object]


def said(told: Told) -> object:
    """Return an answer without the fields of `HISTORY`."""

    def bare(shape: object) -> object:
        if isinstance(shape, dict):
            return {name: bare(value) for name, value in shape.items() if name not in HISTORY}
        return [bare(one) for one in shape] if isinstance(shape, list) else shape

    return bare(told.json)


def answers(commands: Commands, home: Path) -> dict[str, object]:
    return {name: said(commands.done("--home", home, *argv)) for name, argv in LOOK_UPS.items()}


def made(commands: Commands, folder: Path) -> Calm:
    home = folder / "calm"
    served = fill(commands, home, folder)
    copytree(home, folder / "next")
    commands.done("--home", folder / "next", *NEXT)
    return Calm(home, served, answers(commands, home), answers(commands, folder / "next"))


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
    """Check that a command failed with one message that says what is wrong and how to fix it, and without a crash."""
    assert told.code in {1, 2, 3}, (told.code, told.err)
    assert "an internal error" not in told.err and "Traceback" not in told.err, told.err
    error = told.json["error"]
    return bool(error["seen"] and error["remedy"])


def outcomes(commands: Commands, calm: Calm, folder: Path, kind: str, how: str) -> Iterator[tuple[str, str]]:
    """Check each command and return its outcome as a word. Then repair the damage as the messages say."""
    home = folder / "home"
    copytree(calm.home, home)
    path = harm(home, kind, how)
    harmless = how in KINDS[kind]
    doctor = commands.run("--home", home, "doctor")
    wrong = [check for check in doctor.json["checks"] if not check["ok"]]
    named = any(path.name in check["found"] for check in wrong)
    assert doctor.code == (0 if harmless else 1), (doctor.err, wrong)
    assert named or harmless or "stores" in kind, wrong
    yield "doctor", "names it" if named else "all is well"
    kept = read_kept(home, calm.served)
    assert kept.code == 0 or kind.startswith(("jobs", "results")), kept.err
    yield "kept", "right" if kept.code == 0 else f"exit {kept.code}"
    for name, argv in LOOK_UPS.items():
        told = commands.run("--home", home, *argv)
        right = told.code == 0 and said(told) == calm.before[name]
        assert right or (how == "flipped" and told.code == 0) or typed(told), (name, told.err)
        yield name, "right" if right else f"exit {told.code}"
    told = commands.run("--home", home, *NEXT)
    assert told.code == 0 or typed(told), told.err
    yield "ingest", "right" if told.code == 0 else f"exit {told.code}"
    wanted = calm.after if told.code == 0 else calm.before
    yield "way back", way_back(commands, home, kind, loaded=told.code == 0)
    for name in ("stats", "search"):
        assert said(commands.done("--home", home, *LOOK_UPS[name])) == wanted[name]
    ending = commands.run("--home", home, "doctor")
    assert ending.code == 0, [check for check in ending.json["checks"] if not check["ok"]]


def way_back(commands: Commands, home: Path, kind: str, *, loaded: bool) -> str:
    """Do what the messages say, and return the steps as text.

    Args:
        commands: The program.
        home: The folder HOME.
        kind: The kind of the damaged file.
        loaded: Whether the next release was loaded in spite of the damage, so that the release before it is past.
    """
    ways = []
    if kind.startswith("snapshots/pubtator3") and loaded:
        rmtree(one_of(home, "snapshots/pubtator3/[!n]*"))
        ways.append("remove the past snapshot")
    elif kind.startswith("snapshots"):
        commands.done("--home", home, *FILES[kind.split("/")[1]])
        ways.append("load it again")
    elif kind.startswith("loads") and kind.endswith("json"):
        one_of(home, "loads/*").joinpath("numbered.json").unlink(missing_ok=True)
        ways.append("remove it")
    for place in (place for place in REMOVED if kind.startswith(place)):
        for path in home.glob(place):
            (rmtree if path.is_dir() else Path.unlink)(path)
            ways = ["remove it"]
    told = commands.run("--home", home, "ingest", "rebuild")
    assert told.code in {0, 1}, told.err
    if "restored" in {told.json["graph"]["state"], told.json["literature"]["state"]}:
        ways.append("ingest rebuild")
    for lost in told.json["load_again"]:
        source = lost["load"].partition(":")[0]
        commands.done("--home", home, "ingest", source, *lost["files"])
        ways.append(f"load {source} again")
    return ", then ".join(ways) or "none needed"


def test_every_file_that_a_command_writes_is_of_a_known_kind(calm):
    """A new kind of file must be added to KINDS, with the effect of its damage."""
    known = [path for kind in (*KINDS, *ALIKE) for path in calm.home.glob(kind)]
    unknown = {path for path in calm.home.rglob("*") if path.is_file()} - set(known)
    assert not sorted(str(path.relative_to(calm.home)) for path in unknown)
    assert not [kind for kind in KINDS if not list(calm.home.glob(kind))]


def test_every_command_is_in_writers_or_others():
    """A new command must be added to WRITERS if it writes a new kind of file under HOME, otherwise to OTHERS."""
    root = get_command(entry.app)

    def leaves(command: Any, name: str) -> Iterator[str]:
        below = getattr(command, "list_commands", lambda _: [])(Context(root))
        for each in below:
            yield from leaves(command.get_command(Context(root), each), f"{name} {each}".strip())
        if not below or command.invoke_without_command:
            yield name

    every = set(leaves(root, ""))
    written = {
        name for name in every for argv in (*FILES.values(), *WRITERS) if name == " ".join(map(str, argv))[: len(name)]
    }
    assert every == written | OTHERS


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        pytest.param(kind, how, marks=[] if (kind, how) in QUICK else pytest.mark.slow)
        for kind in KINDS
        for how in HARMS
    ],
)
def test_a_damaged_file_is_reported_and_restored(commands, calm, tmp_path, kind, how):
    assert dict(outcomes(commands, calm, tmp_path, kind, how))


@pytest.mark.parametrize("place", [Path.mkdir, mkfifo])
@pytest.mark.parametrize(
    ("kind", "argv"),
    [
        ("calibration.json", LOOK_UPS["ground"]),
        ("graph/graph.json", LOOK_UPS["stats"]),
        ("literature/manifest.json", LOOK_UPS["search"]),
        ("stores/*.json", NEXT),
        ("vectors/*/about.json", FILES["similarity"]),
        ("watch/lock", ("watch", "run")),
        ("watch/statements.sqlite", LOOK_UPS["watch"]),
    ],
)
def test_a_folder_or_a_pipe_in_place_of_a_file_causes_no_crash_and_no_wait(commands, calm, tmp_path, kind, argv, place):
    home = tmp_path / "home"
    copytree(calm.home, home)
    path = one_of(home, kind)
    path.unlink()
    place(path)
    told = commands.run("--home", home, *argv)
    assert told.code == 0 or typed(told)


def table(file: Path) -> None:
    """Write the outcome of every kind of damage as a Markdown table."""
    columns = (*LOOK_UPS, "kept", "doctor", "ingest", "way back")
    lines = [f"| file | harm | {' | '.join(columns)} |", "|---" * (len(columns) + 2) + "|"]
    with TemporaryDirectory() as folder, closing(Commands(Path(folder))) as commands:
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
