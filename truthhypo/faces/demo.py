"""The demo: loads the sample release into embedded stores and judges three statements."""

import shlex
import shutil
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import mkdtemp

import ingest
from fuzzygraph.check import RiskReport
from groundwork.records import Record
from groundwork.settings import Settings
from knowhd.ground_report import GroundReport
from truthhypo.world import World

SAMPLE = files("truthhypo.sample")


@dataclass(frozen=True, slots=True)
class DemoStatement(Record):
    """One statement with its groundedness and its risk."""

    text: str
    ground: GroundReport
    risk: RiskReport


@dataclass(frozen=True, slots=True)
class DemoResult(Record):
    """Result of the demo.

    Attributes:
        home: The new folder with the embedded stores. It is kept, so that the reader can continue with it.
        loaded: One line per loaded file, with the number of rows.
        statements: The three statements and their judgements.
        names: Names of the concepts in the graph, by key.
        next: Commands to try next.
        note: Remark that the PMIDs of the sample are not real articles.
    """

    home: str
    loaded: tuple[str, ...]
    statements: tuple[DemoStatement, ...]
    names: Mapping[str, str]
    next: tuple[str, ...]
    note: str


NOTE = "The PMIDs are sample numbers, not articles: the sample release was written for this demo (truthhypo/sample)."


def play() -> DemoResult:
    """Load the sample into embedded stores in a new folder and judge its statements by rules."""
    home = Path(mkdtemp(prefix="truthhypo-demo-"))
    settings = Settings(home=home)
    with World(settings, read_only=False) as world:
        loaded = load_sample(world)
    texts = SAMPLE.joinpath("statements.txt").read_text("utf-8").splitlines()
    with World(settings) as world:
        statements = tuple(DemoStatement(text, world.ground(text), world.risk(text)) for text in texts)
        names = {concept.key: concept.name for concept in world.graph_store.every_concept()}
    return DemoResult(str(home), loaded, statements, names, _next(home), NOTE)


def load_sample(world: World) -> tuple[str, ...]:
    """Load the four sample files into the stores, and return one line per file with the number of rows."""
    graph, literature, settings = world.graph_store, world.literature_store, world.settings
    with ExitStack() as stack:
        path = {
            name: [str(stack.enter_context(as_file(SAMPLE.joinpath(name))))]
            for name in ("relation2pubtator3.tsv", "bioconcepts2pubtator3.tsv", "documents.pubtator", "pubmed.xml")
        }
        receipts = {
            "relation2pubtator3.tsv": ingest.load_relations(path["relation2pubtator3.tsv"], graph, settings),
            "bioconcepts2pubtator3.tsv": ingest.load_concepts(path["bioconcepts2pubtator3.tsv"], graph, settings),
            "documents.pubtator": ingest.load_documents(path["documents.pubtator"], graph, literature, settings),
            "pubmed.xml": ingest.load_pubmed(path["pubmed.xml"], literature, settings),
        }
    return tuple(f"{name}: {r.rows.kept} of {r.rows.read} rows" for name, r in receipts.items())


def _next(home: Path) -> tuple[str, ...]:
    """Return commands to try next. They contain the program's path if the program is not on the PATH."""
    here = Path(sys.executable).parent / "truthhypo"
    program = "truthhypo" if shutil.which("truthhypo") or not here.exists() else str(here)
    command = f"{shlex.quote(program)} --home {shlex.quote(str(home))}"
    return (
        f"{command} graph chains simvastatin cholesterol --hops 2",
        f'{command} literature search "does aspirin prevent infarction"',
        f'{command} ground "Warfarin prevents thrombosis. Levodopa causes dyskinesia."',
        f'{command} risk "Metformin treats type 2 diabetes mellitus."',
        f"{command} hypothesize simvastatin HMGCR",
        f'{command} graph query "MATCH (c:Concept) RETURN c.type AS type, count(*) AS n ORDER BY n DESC"',
    )
