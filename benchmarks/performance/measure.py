"""Compare ways to do the same work: each runs in its own process, they take turns, and medians are reported.

This process must stay small: the peak memory of a child is never reported as less than the memory that its parent held
when the child began.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import parser_of
from groundwork.errors import TimeLimit

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = ("pyarrow", "duckdb", "ibis-framework", "ladybug", "neo4j", "tantivy", "elasticsearch", "pandas")
#: Variables that limit programs and libraries to one thread.
ONE_THREAD = dict.fromkeys(
    ("TRUTHHYPO_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS", "ARROW_IO_THREADS"), "1"
)
WORK = Path(__file__).resolve().parents[2] / ".cache" / "performance"


class Unavailable(Exception):
    """A way cannot run on this machine; the message says what is missing."""


class WrongAnswer(Exception):
    """A way gave another answer than the truth, so its time means nothing."""


@dataclass(frozen=True)
class Run:
    """One run of a way.

    Attributes:
        wall: Seconds by the clock.
        cpu: Processor seconds, user and system, of the process and of the children that it waited for.
        peak: Peak memory of the process or of its largest child, MB.
        told: The JSON that it printed.
        server: Processor seconds of the server that it used, if it used one.
    """

    wall: float
    cpu: float
    peak: float
    told: Mapping[str, Any] = field(default_factory=dict)
    server: float | None = None


@dataclass(frozen=True)
class Way:
    """A way to do the work.

    Attributes:
        name: Its name in the table.
        run: Does the work once in an empty folder.
        ours: Whether the way is this project's.
    """

    name: str
    run: Callable[[Path], Run]
    ours: bool = False


def program(*arguments: object) -> list[str]:
    """Return the command line of `truthhypo --json ARGUMENTS` in this checkout."""
    return [sys.executable, "-c", "from truthhypo.faces.cli import main; main()", "--json", *map(str, arguments)]


def module(name: str, *arguments: object) -> list[str]:
    """Return the command line of a module beside this one."""
    return [sys.executable, "-m", "benchmarks", name, *map(str, arguments)]


def timed(command: Sequence[str], environment: Mapping[str, str] | None = None, server: int | None = None) -> Run:
    """Run a command, and read the JSON that it prints.

    Args:
        command: Program and arguments.
        environment: Variables in addition to those of this process.
        server: Process of a server, to report its processor time too.

    Raises:
        RuntimeError: The command failed. The message ends with its stderr.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        before, started = cpu_of(server), time.perf_counter()
        process = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=REPOSITORY, env={**os.environ, **(environment or {})}
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        after = cpu_of(server)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(
                f"{' '.join(command)[:300]} ended with {process.returncode}: {err.read()[-2000:].decode()}"
            )
        text = out.read()
    return Run(
        wall=wall,
        cpu=used.ru_utime + used.ru_stime,
        peak=used.ru_maxrss / 1024,
        told=json.loads(text) if text.strip() else {},
        server=None if before is None or after is None else after - before,
    )


def cpu_of(process: int | None) -> float | None:
    """Return the processor seconds that a running process and its descendants have used so far."""
    if process is None:
        return None
    ticks, parents = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        parents[int(folder.name)] = int(fields[1])
        ticks[int(folder.name)] = int(fields[11]) + int(fields[12])
    family, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in family} - family
        family, grown = family | more, bool(more)
    return sum(ticks.get(member, 0) for member in family) / os.sysconf("SC_CLK_TCK")


def compare(ways: Sequence[Way], repeat: int, folder: Path) -> dict[str, list[Run] | str]:
    """Run every way a number of times, in turns. Every other turn has the reversed order.

    Args:
        ways: What to compare.
        repeat: Number of turns.
        folder: Folder in which each run gets an empty folder, which is removed afterwards.

    Returns:
        The runs of each way, or the reason why there are none.
    """
    found: dict[str, list[Run] | str] = {way.name: [] for way in ways}
    for turn in range(repeat):
        for way in ways if turn % 2 == 0 else reversed(ways):
            runs = found[way.name]
            if isinstance(runs, str):
                continue
            say(f"{way.name}, {turn + 1} of {repeat}")
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                try:
                    runs.append(way.run(Path(scratch)))
                except Unavailable as error:
                    found[way.name] = str(error)
    return found


def show(title: str, found: Mapping[str, list[Run] | str], rates: Mapping[str, Callable[[Run], float]]) -> None:
    """Print the medians as a table on stdout.

    Args:
        title: What was measured.
        found: The result of `compare`.
        rates: Additional columns: header -> function that returns the number for a run.
    """
    table = Table(title=title, title_justify="left")
    for name in ("way", "wall s", "least-most", "CPU s", "server CPU s", "peak MB", *rates):
        table.add_column(name, justify="left" if name == "way" else "right")
    for name, runs in found.items():
        if isinstance(runs, str):
            table.add_row(f"{name} ({runs})")
            continue
        walls = [run.wall for run in runs]
        server = [run.server for run in runs if run.server is not None]
        table.add_row(
            name,
            f"{median(walls):.2f}",
            f"{min(walls):.2f}-{max(walls):.2f}",
            f"{median(run.cpu for run in runs):.2f}",
            f"{median(server):.2f}" if server else "",
            f"{median(run.peak for run in runs):.0f}",
            *(f"{median(rate(run) for run in runs):,.0f}" for rate in rates.values()),
        )
    Console(width=140).print(table)


def keep(path: Path | None, title: str, asked: Mapping[str, Any], found: Mapping[str, list[Run] | str]) -> None:
    """Write every run, the machine and the options as JSON. Do nothing without a path."""
    if path is None:
        return
    runs = {name: [asdict(run) for run in runs] if isinstance(runs, list) else runs for name, runs in found.items()}
    told = {
        "title": title,
        "asked": {name: str(value) for name, value in asked.items()},
        "machine": machine(),
        "runs": runs,
    }
    path.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def machine() -> dict[str, Any]:
    """Return the machine on which the figures are measured, its load and the versions of packages."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit.stdout.strip(),
        "processors": os.cpu_count(),
        "processor": _first("/proc/cpuinfo", "model name"),
        "memory": _first("/proc/meminfo", "MemTotal"),
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg(),
        "packages": versions,
    }


def _first(path: str, name: str) -> str:
    lines = Path(path).read_text("utf-8").splitlines() if Path(path).is_file() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "unknown")


def check(what: str, found: object, wanted: object) -> None:
    """Compare an answer with the truth.

    Raises:
        WrongAnswer: They differ.
    """
    if found != wanted:
        raise WrongAnswer(f"{what}: {found}, and by construction {wanted}")


def say(line: str) -> None:
    """Write the progress to stderr."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stderr.flush()


def parser(command: Callable[..., None]) -> argparse.ArgumentParser:
    """Return a parser with the options that every benchmark has."""
    found = parser_of(command)
    found.add_argument("--repeat", type=int, default=3, help="times each way is walked; medians are told")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--work", type=Path, default=WORK, help="folder for files and scratch, kept for the next run")
    found.add_argument("--json", type=Path, help="where to write every run, with the machine")
    return found


def asked(found: argparse.ArgumentParser, arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options, after making the work folder."""
    options = found.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    return options


def relations(
    work: Path, rows: int, concepts: int, seed: int, traps: float, *, table: bool = False
) -> tuple[Path, dict[str, Any]]:
    """Make a release. Return its path and its known content. With `table`, also write all edges to .parquet."""
    path = work / f"relations-{rows}-{concepts}-{seed}-{traps:g}.gz"
    edges = path.with_suffix(".parquet")
    more = ["--truth", edges] if table else []
    arguments = ["relations", "--rows", rows, "--concepts", concepts, "--seed", seed, "--traps", traps, *more]
    there = _account(path).is_file() and (edges.is_file() or not table)
    return path, _made(path, arguments, there=there)


def successor(of: Path, changed: float, removed: float, added: float) -> tuple[Path, dict[str, Any]]:
    """Make the successor of a release. Return its path and the known content (`truth`)."""
    path = of.with_name(f"{of.stem}-then-{changed:g}-{removed:g}-{added:g}.gz")
    shares = ["--changed", changed, "--removed", removed, "--added", added]
    return path, _made(path, ["successor", "--of", of, *shares], there=_account(path).is_file())


def names(work: Path, rows: int, concepts: int, seed: int, traps: float) -> tuple[Path, dict[str, Any]]:
    """Make a file of names. Return its path and its known content."""
    path = work / f"names-{rows}-{concepts}-{seed}-{traps:g}.gz"
    arguments = ["names", "--rows", rows, "--concepts", concepts, "--seed", seed, "--traps", traps]
    return path, _made(path, arguments, there=_account(path).is_file())


def articles(work: Path, records: int, seed: int) -> tuple[Path, dict[str, Any]]:
    """Make a folder of PubMed files. Return its path and their known content."""
    path = work / f"articles-{records}-{seed}"
    account = path / "truth.json"
    if not account.is_file():
        _generate(["articles", "--records", records, "--seed", seed], path)
    return path, json.loads(account.read_text("utf-8"))


def _made(path: Path, arguments: Sequence[object], *, there: bool) -> dict[str, Any]:
    if not there:
        _generate(arguments, path)
    told: dict[str, Any] = json.loads(_account(path).read_text("utf-8"))
    return told


def _generate(arguments: Sequence[object], path: Path) -> None:
    say(f"generating {path.name}")
    timed(module("generate", *arguments, "--out", path))


def _account(path: Path) -> Path:
    return path.with_name(path.name + ".truth.json")


def tell(**told: object) -> None:
    """Print the result of a rival as JSON on stdout."""
    sys.stdout.write(json.dumps(told) + "\n")


@dataclass(frozen=True)
class Clock:
    """Asks questions one after the other until the time is up.

    Attributes:
        seconds: The time for each way and setting, after a third of this time for warming up.
        server: Process of a server, to report its processor time too.
    """

    seconds: float
    server: int | None

    def told(
        self, name: str, asked: str, way: Callable[..., Any], questions: Sequence[tuple[Any, ...]]
    ) -> dict[str, Any]:
        """Return a row with the milliseconds of wall and processor time for a question."""
        say(f"{name}, {asked}")
        self._asked(way, questions, self.seconds / 3)
        cpu, served = time.process_time(), cpu_of(self.server) or 0.0
        walls, stopped = self._asked(way, questions, self.seconds)
        used, more = time.process_time() - cpu, (cpu_of(self.server) or 0.0) - served
        import numpy as np

        row = {"way": name, "asked": asked, "answers": len(walls), "stopped": stopped}
        shares = {"p50": float(np.median(walls)), "p95": float(np.quantile(walls, 0.95))}
        return {**row, **shares, "cpu": used * 1e3 / len(walls), "server": more * 1e3 / len(walls)}

    def _asked(
        self, way: Callable[..., Any], questions: Sequence[tuple[Any, ...]], seconds: float
    ) -> tuple[list[float], int]:
        walls: list[float] = []
        stopped, began = 0, time.perf_counter()
        for arguments in questions:
            start = time.perf_counter()
            try:
                way(*arguments)
            except TimeLimit:
                stopped += 1
            walls.append((time.perf_counter() - start) * 1000.0)
            if time.perf_counter() - began > seconds:
                break
        return walls, stopped
