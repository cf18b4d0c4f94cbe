"""Load a release, names of concepts and PubMed records, compared with plain ways to do the same work."""

import json
import shlex
import tempfile
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.performance import measure
from benchmarks.performance.measure import (
    ONE_THREAD,
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
from benchmarks.performance.servers import Stopped, elasticsearch
from tests.servers import neo4j
from tests.servers.errors import UnavailableError
from tests.servers.process import Server

_RIVALS_NORMALISE = {
    "pandas: read_csv + groupby": "pandas",
    "plain dict of sets": "dict",
    "polars, streaming": "polars",
    "DuckDB": "duckdb",
}
_RIVALS_CONCEPTS = {"plain counter of (key, name): counting alone": "dict", "DuckDB: counting alone": "duckdb"}
_MOVED = ("added", "changed", "removed")


def normalise(arguments: Sequence[str] | None = None) -> None:
    """Normalise a release: our way and plain ways on the same file, with one thread each.

    `--flat 1000000,5000000,20000000` measures our way alone at several sizes, to see whether its memory stays within
    the setting.
    """
    options = _options_normalise(arguments)
    if options.flat:
        _flat(options)
        return
    # Without traps, because the plain ways reject nothing.
    path, truth = measure.relations(options.work, options.rows, options.concepts, options.seed, 0.0)
    found = compare(_ways(path, truth, options), options.repeat, options.work)
    title = f"Normalising {truth['rows']['read']:,} rows to {truth['edges']:,} edges, 1 thread"
    show(title, found, {"rows/CPU s": lambda run: truth["rows"]["read"] / run.cpu})
    keep(options.json, title, vars(options), found)


def _options_normalise(arguments: Sequence[str] | None) -> Namespace:
    parser = measure.parser(normalise)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--memory", default="512MB", help="ours: the setting memory_limit")
    parser.add_argument("--flat", help="row counts, joined by commas: ours alone at each")
    parser.add_argument("--skip", default="", help="rivals to leave out, joined by commas: pandas, dict, ...")
    return measure.asked(parser, arguments)


def _ways(path: Path, truth: dict[str, Any], options: Namespace) -> list[Way]:
    rivals = [
        Way(name, _rival(kind, path, truth))
        for name, kind in _RIVALS_NORMALISE.items()
        if kind not in options.skip.split(",")
    ]
    return [*rivals, *_ours(path, truth, options.memory)]


def _rival(kind: str, path: Path, truth: dict[str, Any]) -> Callable[[Path], Run]:
    def run(scratch: Path) -> Run:
        if kind not in {"dict", "ours"} and find_spec(kind) is None:
            raise Unavailable(f"{kind} is not installed")
        done = timed(module("rival_relations", kind, path), {**ONE_THREAD, "TMPDIR": str(scratch)})
        _check(done, truth)
        return done

    return run


def _ours(path: Path, truth: dict[str, Any], memory: str) -> list[Way]:
    def whole(scratch: Path) -> Run:
        variables = {**ONE_THREAD, "TRUTHHYPO_HOME": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": memory}
        done = timed(program("ingest", "relations", path, "--dry-run"), variables)
        check("rows", done.told["rows"], truth["rows"])
        check("edges", done.told["edges"]["total"], truth["edges"])
        return done

    def alone(scratch: Path) -> Run:
        variables = {**ONE_THREAD, "TMPDIR": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": memory}
        done = timed(module("rival_relations", "ours", path), variables)
        _check(done, truth)
        return done

    return [Way("ours: reading and normalising", alone, True), Way("ours: ingest relations --dry-run", whole, True)]


def _check(done: Run, truth: dict[str, Any]) -> None:
    check("edges", done.told["edges"], truth["edges"])
    check("evidence", done.told["evidence"], truth["evidence"])


def _flat(options: Namespace) -> None:
    ways, sizes = [], [int(size) for size in options.flat.split(",")]
    for rows in sizes:
        path, truth = measure.relations(options.work, rows, options.concepts, options.seed, 0.001)
        [_, whole] = _ours(path, truth, options.memory)
        ways.append(Way(f"ours, {truth['rows']['read']:,} rows", whole.run, True))
    found = compare(ways, options.repeat, options.work)
    title = f"Memory of normalising by the number of rows, memory_limit {options.memory}, 1 thread"
    show(title, found, {"rows/CPU s": lambda run: run.told["rows"]["read"] / run.cpu})
    keep(options.json, title, vars(options), found)


def concepts(arguments: Sequence[str] | None = None) -> None:
    """Load names of concepts into an empty embedded graph, compared with only counting them: rows per second and
    memory.
    """
    parser = measure.parser(concepts)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--memory", default="512MB", help="ours: the setting memory_limit")
    options = measure.asked(parser, arguments)
    path, truth = measure.names(options.work, options.rows, options.concepts, options.seed, 0.0)
    rejects = truth["rows"]["rejected"]

    def rival(kind: str) -> Callable[[Path], Run]:
        def run(scratch: Path) -> Run:
            done = timed(module("rival_names", kind, path), {**ONE_THREAD, "TMPDIR": str(scratch)})
            check("concepts", done.told["concepts"], truth["concepts"])
            check("names", done.told["names"], truth["names"])
            return done

        return run

    def ours(*more: str) -> Callable[[Path], Run]:
        def run(scratch: Path) -> Run:
            variables = {**ONE_THREAD, "TRUTHHYPO_HOME": str(scratch), "TRUTHHYPO_MEMORY_LIMIT": options.memory}
            done = timed(program("ingest", "concepts", path, "--max-rejects", rejects, *more), variables)
            check("rows", done.told["rows"], truth["rows"])
            check("concepts", done.told["concepts"]["total"], truth["concepts"])
            return done

        return run

    ways = [
        *(Way(name, rival(kind)) for name, kind in _RIVALS_CONCEPTS.items()),
        Way("ours: ingest concepts --dry-run", ours("--dry-run"), True),
        Way("ours: ingest concepts into the embedded graph", ours(), True),
    ]
    found = compare(ways, options.repeat, options.work)
    read = truth["rows"]["read"]
    title = f"Names: {read:,} rows, {truth['concepts']:,} concepts, {truth['names']:,} names, 1 thread"
    show(title, found, {"rows/s": lambda run: read / run.wall, "rows/CPU s": lambda run: read / run.cpu})
    keep(options.json, title, vars(options), found)


def documents(arguments: Sequence[str] | None = None) -> None:
    """Load PubMed records into the literature, compared with plain indexing, embedded and on a real Elasticsearch."""
    parser = measure.parser(documents)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--store", choices=["embedded", "elasticsearch", "both"], default="both")
    options = measure.asked(parser, arguments)
    folder, truth = measure.articles(options.work, options.records, options.seed)
    baseline = [folder / name for name in truth["baseline"]]
    updates = [folder / name for name in truth["updates"]]
    with elasticsearch(options) as server:
        ways: list[Way] = []
        if options.store != "elasticsearch":
            ways += _embedded_documents(baseline, updates, truth)
        if server:
            ways += _elasticsearch(server, baseline, truth)
        found = compare(ways, options.repeat, options.work)
    title = f"PubMed: {options.records:,} records in {len(baseline)} files"
    show(title, found, {"records/s": lambda run: run.told["records"] / run.wall})
    keep(options.json, title, vars(options), found)


def _embedded_documents(baseline: list[Path], updates: list[Path], truth: dict[str, Any]) -> list[Way]:
    def plain(scratch: Path) -> Run:
        return _checked(timed(module("rival_texts", "tantivy", scratch, *baseline)), truth)

    def ours(scratch: Path) -> Run:
        return _checked(timed(program("ingest", "pubmed", *baseline, "--home", scratch)), truth)

    def update(scratch: Path) -> Run:
        timed(program("ingest", "pubmed", *baseline, "--home", scratch))
        done = timed(program("ingest", "pubmed", *updates, "--home", scratch))
        check("documents", done.told["documents"]["total"], truth["after_updates"]["documents"])
        return _with(done, truth["rows"]["updates"])

    return [
        Way("tantivy, plain (en_stem), 1 thread", plain),
        Way("ours, embedded: the baseline", ours, True),
        Way("ours, embedded: the update after it", update, True),
    ]


def _elasticsearch(server: Server, baseline: list[Path], truth: dict[str, Any]) -> list[Way]:
    def fresh(run: Callable[[Path, str], Run]) -> Callable[[Path], Run]:
        return lambda scratch: run(scratch, f"bench-{uuid4().hex[:8]}")

    def plain(_: Path, index: str) -> Run:
        command = module("rival_texts", "elasticsearch", f"{server.address}/{index}", *baseline)
        return _checked(timed(command, server=server.pid), truth)

    def ours(scratch: Path, index: str) -> Run:
        where = ["--literature", server.address, "--home", scratch]
        variables = {"TRUTHHYPO_LITERATURE_INDEX": index}
        return _checked(timed(program("ingest", "pubmed", *baseline, *where), variables, server=server.pid), truth)

    return [
        Way("Elasticsearch: helpers.bulk, plain", fresh(plain)),
        Way("ours, Elasticsearch: the baseline", fresh(ours), True),
    ]


def _checked(done: Run, truth: dict[str, Any]) -> Run:
    documents = done.told["documents"]
    total = documents["total"] if isinstance(documents, dict) else documents
    check("documents", total, truth["after_baseline"]["documents"])
    return _with(done, truth["rows"]["baseline"])


def _with(done: Run, records: int) -> Run:
    return Run(done.wall, done.cpu, done.peak, {**done.told, "records": records}, done.server)


@dataclass(frozen=True)
class Material:
    """A release, its successor, and folders with its edges for the plain ways: all edges, and few for the slow ways."""

    first: tuple[Path, dict[str, Any]]
    second: tuple[Path, dict[str, Any]]
    every: Path
    few: Path


def load(arguments: Sequence[str] | None = None) -> None:
    """Load a graph, compared with plain ways, on a real Neo4j (a new one for each run) and embedded.

    "The store alone" writes sorted edges through our writing port, as the plain ways do. "ingest relations" is the
    whole command, from the compressed file to the verified graph. The slow plain ways load only `--rival-edges` edges.
    They are compared with ours at the same number, because a server that was just started is slow at first.
    """
    options = _options_load(arguments)
    material = _material(options)
    ways = []
    if options.store in {"neo4j", "both"}:
        ways += _on_neo4j(material)
    if options.store in {"embedded", "both"}:
        ways += _embedded_load(material)
    ways = [way for way in ways if not any(part and part in way.name for part in options.skip.split(","))]
    found = compare(ways, options.repeat, options.work)
    _, truth = material.first
    title = f"Loading {truth['edges']:,} edges of {truth['concepts']:,} concepts"
    show(title, found, {"edges": lambda run: run.told["edges"], "edges/s": _rate})
    keep(options.json, title, vars(options), found)


def _options_load(arguments: Sequence[str] | None) -> Namespace:
    parser = measure.parser(load)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=200_000)
    parser.add_argument("--rival-edges", type=int, default=150_000, help="edges for UNWIND and py2neo")
    parser.add_argument("--store", choices=["embedded", "neo4j", "both"], default="both")
    parser.add_argument("--skip", default="", help="ways to leave out, by parts of their names, joined by commas")
    return measure.asked(parser, arguments)


def _material(options: Namespace) -> Material:
    path, truth = measure.relations(options.work, options.rows, options.concepts, options.seed, 0.0, table=True)
    table = path.with_suffix(".parquet")
    second = measure.successor(path, 0.02, 0.0, 0.0)
    parts = [_prepared(table, most) for most in (truth["edges"], min(options.rival_edges, truth["edges"]))]
    return Material((path, truth), second, *parts)


def _prepared(table: Path, most: int) -> Path:
    folder = table.with_name(f"{table.stem}-{most}-edges")
    counts = folder / "counts.json"
    if not counts.is_file():
        folder.mkdir(exist_ok=True)
        say(f"preparing {folder.name}")
        counts.write_text(json.dumps(timed(module("rival_graphs", "prepare", table, folder, most)).told), "utf-8")
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


def _embedded_load(material: Material) -> list[Way]:
    (first, old), (second, new) = material.first, material.second

    def copy(scratch: Path) -> Run:
        return _counted(timed(module("rival_graphs", "copy", scratch / "graph", material.every)), material.every)

    def alone(scratch: Path) -> Run:
        target = f"embedded:{scratch / 'graph'}"
        return _counted(timed(module("rival_graphs", "ours", target, material.every)), material.every)

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
                done = timed(module("rival_graphs", kind, server.address, folder), server=server.pid)
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
        found = timed(module("rival_graphs", "count", server.address, folder)).told
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


class Walk:
    """The steps on one store, timed one by one."""

    def __init__(self, home: Path, address: str | None, settings: Mapping[str, str] | None = None) -> None:
        self._where = ["--home", home, *(["--graph", address] if address else [])]
        self._settings = settings
        self.server: int | None = None
        self.steps: dict[str, list[Run] | str] = {}

    def step(self, name: str, *arguments: object) -> Run:
        """Run one command."""
        say(name)
        done = timed(program(*arguments, *self._where), self._settings, server=self.server)
        self.steps[name] = [done]
        return done

    def holds(self, name: str, truth: dict[str, Any]) -> None:
        """Check that the graph is exactly that release."""
        stats = self.step(f"{name}: graph stats", "graph", "stats").told
        check("digest", stats["digest"], truth["digest"])
        check("edges", stats["edges"], truth["edges_by_relation"])
        check("concepts", stats["concepts"], truth["concepts_by_type"])

    def load(self, name: str, path: Path, truth: dict[str, Any], *mode: str) -> None:
        """Load a release, and check the receipt and the graph."""
        told = self.step(name, "ingest", "relations", path, *mode).told
        check("rows", told["rows"], truth["rows"])
        check("rejects", told["rejected_by_reason"], truth["rejected_by_reason"])
        wanted = truth.get("difference", {}).get("edges") or {
            "added": truth["edges"],
            "changed": 0,
            "removed": 0,
            "unchanged": 0,
        }
        check("edges", told["edges"], {"total": truth["edges"], **wanted})
        self.holds(name, truth)


def release(arguments: Sequence[str] | None = None) -> None:
    """Release day at any size: load a release and its successor, compare them, and go back. Every answer is compared
    with the truth.

    The steps are those of `tests/performance/test_release_day.py`, each a process of its own. With `--store offline`
    the first release goes into Neo4j through its own importer, the other steps run as usual.
    """
    parser = measure.parser(release)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--concepts", type=int, default=60_000)
    parser.add_argument("--changed", type=float, default=0.02)
    parser.add_argument("--removed", type=float, default=0.01)
    parser.add_argument("--added", type=float, default=0.01)
    parser.add_argument("--traps", type=float, default=0.001)
    parser.add_argument("--store", choices=["embedded", "neo4j", "offline"], default="embedded")
    options = measure.asked(parser, arguments)
    first, old = measure.relations(options.work, options.rows, options.concepts, options.seed, options.traps)
    second, new = measure.successor(first, options.changed, options.removed, options.added)
    with (
        tempfile.TemporaryDirectory(dir=options.work) as scratch,
        _walker(options, Path(scratch), first) as (walk, mode),
    ):
        _walk(walk, (first, old), (second, new), *mode)
    title = (
        f"Release day on {options.store}: {old['rows']['read']:,} rows, {old['edges']:,} edges, "
        f"{old['concepts']:,} concepts; every total and digest as constructed"
    )
    show(title, walk.steps, {})
    keep(options.json, title, vars(options), walk.steps)


def _walk(walk: Walk, first: tuple[Path, dict[str, Any]], second: tuple[Path, dict[str, Any]], *mode: str) -> None:
    (old_path, old), (new_path, new) = first, second
    moved = {name: new["difference"]["edges"][name] for name in _MOVED}
    walk.load("first release", old_path, old, *mode)
    walk.load("successor", new_path, new)
    releases = walk.step("ingest releases", "ingest", "releases").told["releases"]
    [before, after] = [release["id"] for release in releases]
    told = walk.step("ingest diff", "ingest", "diff", before, after).told
    check("difference", {name: told[name] for name in _MOVED}, moved)
    back = walk.step("roll back", "ingest", "activate", before).told["edges"]
    wanted = {"added": moved["removed"], "changed": moved["changed"], "removed": moved["added"]}
    check("rolled back", {name: back[name] for name in _MOVED}, wanted)
    walk.holds("roll back", old)
    again = walk.step("the same release again", "ingest", "relations", old_path).told["edges"]
    check("nothing to do", [again[name] for name in _MOVED], [0, 0, 0])


@contextmanager
def _walker(options: Namespace, scratch: Path, first: Path) -> Iterator[tuple[Walk, Sequence[str]]]:
    """Yield a walk on the chosen store, and the additional arguments of its first load."""
    home = scratch / "home"
    if options.store == "embedded":
        yield Walk(home, None), ()
    elif options.store == "neo4j":
        with neo4j.start(heap="2g") as server:
            walk = Walk(home, server.address)
            walk.server = server.pid
            yield walk, ()
    else:
        stopped, mode = Stopped.make(scratch / "neo4j"), ("--mode", "offline")
        walk = Walk(home, stopped.address, stopped.settings)
        told = walk.step("first release: import, the server stopped", "ingest", "relations", first, *mode).told
        check("step", told["offline"]["step"], "imported")
        with stopped.running() as server:
            walk.server = server.pid
            yield walk, mode
