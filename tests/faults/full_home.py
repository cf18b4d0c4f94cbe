"""A HOME with files of every command that writes under HOME."""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any

import truthhypo
from fuzzygraph.likelihood import shipped
from groundwork.errors import TruthHypoError
from groundwork.llm.model_client import Answers, ReplyRequest
from groundwork.ports import Silent
from groundwork.settings import Settings
from tests.faults.commands import Commands, Told
from tests.truthhypo.serving import serving
from truthhypo.bench import risk_fit
from truthhypo.faces.jobs import JobStore, result_lines
from truthhypo.service.database import ResultStore

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
    ("graph", "query", "MATCH (c:Concept) RETURN count(c)"),
    ("ground", TEXT),
    ("watch", "add", TEXT),
    ("watch", "run"),
    ("mark", "add", "pmid:990000005#s3", "right", "--claim", TEXT),
    ("serve", "token", "somebody"),
    ("bench", "calibrate", "--data", "FOLDER/pairs.csv"),
    ("bench", "grid", "--data", "FOLDER/labelled.csv", "--out", "FOLDER/grid", "--hops", "2"),
    ("bench", "report", "FOLDER/grid"),
)
#: Commands that write nothing under HOME, or only files of the same kinds as the commands above.
OTHERS = {
    *("risk", "cite", "hypothesize", "belief", "demo", "config", "doctor", "mcp", "serve"),
    *("download pubtator3", "download pubmed"),
    *(
        "ingest audit",
        "ingest contradictions",
        "ingest genes",
        "ingest names",
        "ingest releases",
        "ingest activate",
        "ingest rebuild",
        "ingest diff",
    ),
    *("graph chains", "graph edges", "graph find", "graph stats", "graph browser"),
    *("literature search", "literature get", "watch list", "watch remove"),
    *("mark list", "mark remove", "mark export", "mark import"),
    *(
        "bench build",
        "bench fit-risk",
        "bench train-reader",
        "bench run",
        "bench rescore",
    ),
}


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


def read_kept(home: Path, served: Served) -> Told:
    """Read the results of the job and the judgement that the service kept."""
    held = Settings(home=home)
    try:
        lines = [json.loads(line) for line in result_lines(JobStore(held), served.job)]
        told = {"lines": lines, "result": dict(ResultStore(held).get(served.result).answer)}
    except TruthHypoError as error:
        shown = {"error": {"seen": error.seen, "remedy": error.remedy}}
        return Told(error.exit_code, shown, str(error), 0, 0)
    return Told(1 if any("error" in line for line in lines) else 0, told, "", 0, 0)


def fill(commands: Commands, home: Path, folder: Path) -> Served:
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
    fitted = risk_fit.Fit(shipped()[0], "a graph", "2026-11-25", 0.2, 60, 60, 0.6, 0.9, 30, 0.03, ())
    risk_fit.keep(fitted, home)
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
