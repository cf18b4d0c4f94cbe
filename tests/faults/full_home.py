"""A HOME with files of every command that writes under HOME, and forks of the program that use it."""

import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import sleep
from typing import Any

import truthhypo
from fuzzygraph.terms import Terms
from groundwork.errors import TruthHypoError
from groundwork.llm.answers import Answers, ReplyRequest
from groundwork.ports import Silent
from groundwork.settings import Settings
from tests.faults.commands import Told
from tests.faults.late import leave_alone
from tests.truthhypo.serving import serving
from truthhypo.bench.grid import calibration
from truthhypo.faces.cli import entry
from truthhypo.faces.jobs.results import results
from truthhypo.faces.jobs.store import JobStore
from truthhypo.service.results import ResultStore

SAMPLE = Path(__file__).resolve().parents[2] / "truthhypo" / "sample"
TEXT = "Aspirin causes myocardial infarction."
FILES: dict[str, tuple[Any, ...]] = {
    "pubtator3": ("ingest", "relations", SAMPLE / "relation2pubtator3.tsv"),
    "concepts": ("ingest", "concepts", SAMPLE / "bioconcepts2pubtator3.tsv"),
    "documents": ("ingest", "documents", SAMPLE / "documents.pubtator"),
    "pubmed": ("ingest", "pubmed", SAMPLE / "pubmed.xml"),
    "similarity": ("ingest", "similarity", "--embedder", "trigram", "--force"),
}
#: Commands that write under HOME, in this order after the loads. FOLDER stands for a folder with small files.
WRITERS = (
    ("ingest", "relations", "FOLDER/rejected.tsv", "--source", "other", "--dry-run"),
    ("ground", TEXT),
    ("watch", "add", TEXT),
    ("watch", "run"),
    ("serve", "token", "somebody"),
    ("bench", "calibrate", "--data", "FOLDER/pairs.csv"),
    ("bench", "grid", "--data", "FOLDER/labelled.csv", "--out", "FOLDER/grid", "--no-calibrate", "--hops", "2"),
    ("bench", "report", "FOLDER/grid"),
)
#: Commands that write nothing under HOME, or only files of the same kinds as the commands above.
OTHERS = {
    *("risk", "hypothesize", "belief", "demo", "config", "doctor", "mcp", "serve"),
    *("download pubtator3", "download pubmed"),
    *("ingest audit", "ingest contradictions", "ingest releases", "ingest activate", "ingest rebuild", "ingest diff"),
    *("graph chains", "graph edges", "graph find", "graph query", "graph stats", "graph browser"),
    *("literature search", "literature get", "watch list", "watch remove"),
    *("bench build", "bench train-reader", "bench run", "bench rescore", "bench study pairs", "bench study score"),
}


#: Exit code of a command that raised an error.
CRASHED = 99


class Interrupted(Silent):
    """Interrupts a run at the second text, so that the record of the first text stays under HOME."""

    def __init__(self) -> None:
        self._done = 0

    def advance(self, amount: int) -> None:
        """Interrupt the run, unless this is the first text."""
        self._done += amount
        if self._done > 1:
            raise KeyboardInterrupt


@dataclass(frozen=True)
class Served:
    """The ids of the service's job and judgement."""

    job: str
    result: str


class Forked:
    """Runs each command in a process of its own, because some commands might crash. The process needs no imports.

    It is forked from a server process that has loaded the program. A fork of the test's own process could hang: threads
    of earlier tests may have held locks, which no thread of the fork releases.

    Args:
        folder: For the output of commands.
    """

    def __init__(self, folder: Path) -> None:
        self._out, self._err = folder / "out", folder / "err"
        self._processes = get_context("forkserver")
        self._processes.set_forkserver_preload(["tests.faults.preload", __name__])

    def run(self, *argv: object) -> Told:
        """Run `truthhypo ARGV --json`."""
        return self.call(entry.run, [*map(str, argv), "--json"])

    def call(self, work: Callable[..., int], *given: object) -> Told:
        """Run a function of a module, which prints one JSON document and returns an exit code."""
        process = self._processes.Process(target=_work, args=(self._out, self._err, work, *given))
        process.start()
        try:
            process.join()
        finally:
            process.kill()
        out = self._out.read_text()
        return Told(process.exitcode, json.loads(out) if out else None, self._err.read_text(), 0, 0)

    def done(self, *argv: object) -> Told:
        """Run a command and check that it succeeds."""
        told = self.run(*argv)
        assert told.code == 0, told.err
        return told

    def kept(self, home: Path, served: Served) -> Told:
        """Read the results of the job and the judgement that the service kept."""
        return self.call(_read_kept, home, served)


def _work(out: Path, err: Path, work: Callable[..., int], *given: object) -> None:
    """Run a function with its output in files, and end this process with the exit code that the function returns."""
    leave_alone()
    for number, file in ((1, out), (2, err)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
    code = CRASHED
    try:
        code = work(*given)
    finally:
        if code == CRASHED:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _read_kept(home: Path, served: Served) -> int:
    """Print the results of the job and the judgement that the service kept, and return an exit code."""
    held = Settings(home=home)
    try:
        lines = [json.loads(line) for line in results(JobStore(held), served.job)]
        told = {"lines": lines, "result": dict(ResultStore(held).get(served.result).answer)}
    except TruthHypoError as error:
        json.dump({"error": {"seen": error.seen, "remedy": error.remedy}}, sys.stdout)
        return error.exit_code
    json.dump(told, sys.stdout)
    return 1 if any("error" in line for line in lines) else 0


def fill(commands: Forked, home: Path, folder: Path) -> Served:
    """Run every command that writes under HOME, and the service."""
    for argv in FILES.values():
        commands.done("--home", home, *argv)
    (folder / "rejected.tsv").write_text(FILES["pubtator3"][2].read_text() + "one column\n")
    (folder / "pairs.csv").write_text(
        f"claim,evidence,label\n{TEXT},{TEXT},supported\nAspirin is new.,It rains.,not_enough\n"
    )
    (folder / "labelled.csv").write_text(f"text,label\n{TEXT},true\nSimvastatin lowers cholesterol.,false\n")
    for argv in WRITERS:
        told = commands.run("--home", home, *(word.replace("FOLDER", str(folder)) for word in argv))
        assert told.code in {0, 1}, told.err
    (home / "tokens").rename(folder / "tokens")  # otherwise the service would ask for a token
    served = _serve(home)
    (folder / "tokens").rename(home / "tokens")
    with truthhypo.connect(home=home) as world, suppress(KeyboardInterrupt):
        world.ground_many([TEXT, "Aspirin treats fever."], progress=Interrupted())
    asked = ReplyRequest("openai:some", "", "", "", TEXT, {}, {})
    Answers(home / "cache" / "answers.sqlite", 2**20).put(asked, "{}")
    calibration.keep(_curve(), home)
    return served


def _serve(home: Path) -> Served:
    """Have the service run a job, and keep a judgement, which it also shows over time."""
    with serving(home) as service:
        client = service.client
        job = client.post("/api/v1/jobs", json={"kind": "ground", "texts": [TEXT, "Aspirin treats fever."]}).json()[
            "id"
        ]
        page = {"Origin": service.address}
        result = client.post("/judge", data={"text": TEXT}, headers=page).headers["Location"].rpartition("/")[2]
        assert client.get(f"/results/{result}/over-time").status_code == 200
        while client.get(f"/api/v1/jobs/{job}").json()["state"] != "done":
            sleep(0.1)
    return Served(job, result)


def _curve() -> calibration.Calibration:
    terms = {name: getattr(Terms(), name) for name in (*calibration.AGREE, "k", "s0")} | {"hops": 1}
    return calibration.Calibration(
        "platt", (0.0, 1.0), (0.1, 0.9), terms, "labelled.csv", 20, 10, 1.0, 0.5, 0.1, 0.1, 0.5, 0.7, "2026-11-25"
    )
