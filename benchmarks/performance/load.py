"""Load a graph, compared with plain ways, on a real Neo4j (a new one for each run) and embedded.

"The store alone" writes sorted edges through our writing port, as the plain ways do. "ingest relations" is the whole
command, from the compressed file to the verified graph. The slow plain ways load only `--rival-edges` edges. They are
compared with ours at the same number, because a server that was just started is slow at first.
"""

import json
import shlex
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.performance import asking
from benchmarks.performance.measure import (
    Run,
    Unavailable,
    Way,
    check,
    compare,
    keep,
    module,
    program,
    say,
    show,
    timed,
)
from benchmarks.performance.stopped import Stopped
from tests.servers import neo4j
from tests.servers.errors import UnavailableError
from tests.servers.process import Server


@dataclass(frozen=True)
class Material:
    """A release, its successor, and folders with its edges for the plain ways: all edges, and few for the slow ways."""

    first: tuple[Path, dict[str, Any]]
    second: tuple[Path, dict[str, Any]]
    every: Path
    few: Path


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the results."""
    options = _options(arguments)
    material = _material(options)
    ways = []
    if options.store in {"neo4j", "both"}:
        ways += _on_neo4j(material)
    if options.store in {"embedded", "both"}:
        ways += _embedded(material)
    ways = [way for way in ways if not any(part and part in way.name for part in options.skip.split(","))]
    found = compare(ways, options.repeat, options.work)
    _, truth = material.first
    title = f"Loading {truth['edges']:,} edges of {truth['concepts']:,} concepts"
    show(title, found, {"edges": lambda run: run.told["edges"], "edges/s": _rate})
    keep(options.json, title, vars(options), found)


def _options(arguments: Sequence[str] | None) -> Namespace:
    parser = asking.parser("load", __doc__ or "")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=200_000)
    parser.add_argument("--rival-edges", type=int, default=150_000, help="edges for UNWIND and py2neo")
    parser.add_argument("--store", choices=["embedded", "neo4j", "both"], default="both")
    parser.add_argument("--skip", default="", help="ways to leave out, by parts of their names, joined by commas")
    return asking.asked(parser, arguments)


def _material(options: Namespace) -> Material:
    path, truth = asking.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
    table = path.with_suffix(".parquet")
    second = asking.successor(path, 0.02, 0.0, 0.0)
    parts = [_prepared(table, most) for most in (truth["edges"], min(options.rival_edges, truth["edges"]))]
    return Material((path, truth), second, *parts)


def _prepared(table: Path, most: int) -> Path:
    folder = table.with_name(f"{table.stem}-{most}-edges")
    counts = folder / "counts.json"
    if not counts.is_file():
        folder.mkdir(exist_ok=True)
        say(f"preparing {folder.name}")
        counts.write_text(json.dumps(timed(module("rivals.graphs", "prepare", table, folder, most)).told), "utf-8")
    return folder


def _rate(run: Run) -> float:
    """Return edges per second: of the edges alone if they were timed alone, otherwise of the whole command."""
    return float(run.told["edges"] / (run.told.get("edge_seconds") or run.wall))


def _counted(done: Run, folder: Path) -> Run:
    """Return the run after checking that everything was loaded."""
    wanted = json.loads((folder / "counts.json").read_text("utf-8"))
    for name in ("nodes", "edges"):
        check(name, done.told[name], wanted[name])
    return done


def _received(done: Run, truth: dict[str, Any], *, delta: bool = False) -> Run:
    """Check the run of a whole command, and return it with the number of edges that it wrote."""
    edges = done.told["edges"]
    check("edges", edges["total"], truth["edges"])
    written = edges["added"] + edges["changed"]
    wanted = truth["difference"]["edges"] if delta else {"added": truth["edges"], "changed": 0}
    check("written", written, wanted["added"] + wanted["changed"])
    return replace(done, told={**done.told, "edges": written})


def _embedded(material: Material) -> list[Way]:
    (first, old), (second, new) = material.first, material.second

    def copy(scratch: Path) -> Run:
        return _counted(timed(module("rivals.graphs", "copy", scratch / "graph", material.every)), material.every)

    def alone(scratch: Path) -> Run:
        target = f"embedded:{scratch / 'graph'}"
        return _counted(timed(module("rivals.graphs", "ours", target, material.every)), material.every)

    def whole(scratch: Path) -> Run:
        return _received(timed(program("ingest", "relations", first, "--home", scratch)), old)

    def delta(scratch: Path) -> Run:
        timed(program("ingest", "relations", first, "--home", scratch))
        return _received(timed(program("ingest", "relations", second, "--home", scratch)), new, delta=True)

    return [
        Way("ladybug: COPY from Parquet alone", copy),
        Way("ours, embedded: the store alone", alone, True),
        Way("ours, embedded: ingest relations", whole, True),
        Way("ours, embedded: ingest of a 2 % delta", delta, True),
    ]


def _on_neo4j(material: Material) -> list[Way]:
    (first, old), (second, new) = material.first, material.second

    def plain(kind: str, folder: Path) -> Callable[[Path], Run]:
        def run(scratch: Path) -> Run:
            if kind == "py2neo" and find_spec(kind) is None:
                raise Unavailable("py2neo is not installed")
            with _server(scratch) as server:
                done = timed(module("rivals.graphs", kind, server.address, folder), server=server.pid)
            return _counted(done, folder)

        return run

    def importer(scratch: Path) -> Run:
        return _imported(scratch, material.every)

    def online(scratch: Path) -> Run:
        with _server(scratch) as server:
            return _received(_ingest(scratch, server, first), old)

    def delta(scratch: Path) -> Run:
        with _server(scratch) as server:
            _ingest(scratch, server, first)
            return _received(_ingest(scratch, server, second), new, delta=True)

    def offline(scratch: Path) -> Run:
        return _offline(scratch, first, old)

    return [
        Way("Neo4j: UNWIND + MERGE, rows as they come", plain("merge", material.few)),
        Way("Neo4j: UNWIND + MERGE, by type and head", plain("merge-sorted", material.few)),
        Way("Neo4j: UNWIND + CREATE, by type and head", plain("create", material.few)),
        Way("Neo4j: py2neo bulk", plain("py2neo", material.few)),
        Way("neo4j-admin import alone", importer),
        Way("ours, Neo4j: the store alone, as few edges", plain("ours", material.few), True),
        Way("ours, Neo4j: the store alone", plain("ours", material.every), True),
        Way("ours, Neo4j: ingest relations", online, True),
        Way("ours, Neo4j: ingest relations --mode offline", offline, True),
        Way("ours, Neo4j: ingest of a 2 % delta", delta, True),
    ]


@contextmanager
def _server(scratch: Path) -> Iterator[Server]:
    """Yield a fresh Neo4j. Its files are in the folder and stay there when it stops."""
    try:
        server = neo4j.start(home=scratch / "neo4j", heap="2g")
    except UnavailableError as error:
        raise Unavailable(str(error)) from error
    with server:
        yield server


def _ingest(scratch: Path, server: Server, path: Path, *more: object) -> Run:
    where = ["--home", scratch / "home", "--graph", server.address]
    return timed(program("ingest", "relations", path, *where, *more), server=server.pid)


def _imported(scratch: Path, folder: Path) -> Run:
    """Time the importer alone, with the start of its JVM. A server then counts what was imported."""
    with _server(scratch):
        pass  # the start writes the configuration
    nodes, edges = folder / "concepts.csv", folder / "edges.csv"
    files = [f"--nodes={nodes}", f"--relationships={edges}", "--overwrite-destination", "--array-delimiter=;"]
    command = neo4j.admin_command(scratch / "neo4j", "database", "import", "full", "neo4j", *files)
    done = timed(["sh", "-c", f"cd {shlex.quote(str(scratch))} && {shlex.join(command)} >&2"])
    with _server(scratch) as server:
        found = timed(module("rivals.graphs", "count", server.address, folder)).told
    return _counted(replace(done, told={**found, "edge_seconds": done.wall}), folder)


def _offline(scratch: Path, path: Path, truth: dict[str, Any]) -> Run:
    """Add up both commands of an offline load: the import, and the verification when the server runs.

    The start of the server between them is not counted, because a person does it.
    """
    server = Stopped.make(scratch / "neo4j")
    command = program(
        *("ingest", "relations", path, "--mode", "offline", "--home", scratch / "home", "--graph", server.address)
    )
    imported = timed(command, server.settings)
    check("step", imported.told["offline"]["step"], "imported")
    with server.running() as process:
        verified = timed(command, server.settings, server=process.pid)
    both = Run(
        imported.wall + verified.wall,
        imported.cpu + verified.cpu,
        max(imported.peak, verified.peak),
        verified.told,
        verified.server,
    )
    return _received(both, truth)


if __name__ == "__main__":
    main()
