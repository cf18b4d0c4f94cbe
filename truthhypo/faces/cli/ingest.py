"""`truthhypo ingest`: release files go in, a receipt comes out."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import cypher
import ingest
from groundwork.errors import Refused
from groundwork.records import plain
from ingest.receipt import Receipt
from truthhypo.faces import render
from truthhypo.faces.cli import audit, similarity
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch
from truthhypo.rebuild import rebuild
from truthhypo.world import World

app = typer.Typer(help="Load releases; list, compare and activate them.", no_args_is_help=True, rich_markup_mode=None)
audit.register(app)
similarity.register(app)

Files = Annotated[list[str], typer.Argument(help="Files, plain or .gz; '-' reads stdin.", metavar="FILE...")]
ReleaseId = Annotated[str | None, typer.Option(help="ID of the release; default: from the files' SHA-256.")]
MaxRejects = Annotated[
    int | None, typer.Option(min=0, help="Rejected rows allowed; default 1 % of rows, at least 100.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Read and count; change nothing.")]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Forget snapshots that HOME has lost and load anew.")]


class Engine(StrEnum):
    """What normalises a release."""

    duckdb = "duckdb"
    spark = "spark"


class Mode(StrEnum):
    """How edges reach the graph."""

    online = "online"
    offline = "offline"


@app.command()
def relations(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    source: Annotated[str, typer.Option(help="Relation source; one live release each.")] = "pubtator3",
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    engine: Annotated[Engine, typer.Option(help="What normalises the release.")] = Engine.duckdb,
    mode: Annotated[
        Mode, typer.Option(help="Write through the server, or by its own importer while it is stopped.")
    ] = Mode.online,
) -> None:
    """Relations as in relation2pubtator3: a release replaces the release before it."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_relations(
            files,
            world.graph_store,
            world.settings,
            source=source,
            literature=lambda: world.literature,
            spark=engine is Engine.spark,
            offline=cypher.bulk_import(world.settings.graph_address, world.settings) if mode is Mode.offline else None,
            **options,
        )

    _load(context, load, release, max_rejects, dry_run, rebuild)


@app.command()
def concepts(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
) -> None:
    """Concept names as in bioconcepts2pubtator3 or the per-type files: replaces the names of the types it holds."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_concepts(
            files, world.graph_store, world.settings, literature=lambda: world.literature, **options
        )

    _load(context, load, release, max_rejects, dry_run, rebuild)


@app.command()
def documents(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
) -> None:
    """Annotated documents (PubTator or BioC-JSON): relations and names to the graph, text to the literature."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_documents(files, world.graph_store, world.literature, world.settings, **options)

    _load(context, load, release, max_rejects, dry_run, rebuild)


@app.command()
def pubmed(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    concepts: Annotated[
        list[str] | None,
        typer.Option(help="Entity file whose concepts are joined onto the records; may be given again."),
    ] = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Make a new index; the old one serves till then.")] = False,
) -> None:
    """PubMed records (XML baseline and update files, or MedRAG's JSONL) to the literature, in NLM's order."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_pubmed(files, world.literature, world.settings, concepts=concepts or (), **options)

    _load(context, load, release, max_rejects, dry_run, rebuild)


@app.command()
def contradictions(
    context: typer.Context, files: Files, max_rejects: MaxRejects = None, dry_run: DryRun = False
) -> None:
    """Concepts that exclude each other (exclusions, antonyms), two keys a row: replaces all CONTRADICTS edges."""
    output: Output = context.obj
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = ingest.load_contradictions(
            files, world.graph_store, world.settings, max_rejects=max_rejects, dry_run=dry_run, progress=progress
        )
    _show(output, receipt)


@app.command()
def releases(context: typer.Context) -> None:
    """All releases that the graph and the literature know of."""
    output: Output = context.obj
    with output.world() as world:
        found = ingest.releases(world.graph_store, world.literature)
    output.show({"releases": plain(found)}, lambda console: render.releases(console, found))


@app.command()
def activate(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="ID, or SOURCE:ID where two sources share one.")],
    rebuild: Rebuild = False,
) -> None:
    """Make an older relation release live again."""
    output: Output = context.obj
    with output.world(read_only=False) as world, watch() as progress:
        receipt = ingest.activate(
            id,
            world.graph_store,
            world.settings,
            literature=lambda: world.literature,
            rebuild=rebuild,
            progress=progress,
        )
    _show(output, receipt)


@app.command("rebuild")
def rebuild_stores(context: typer.Context, dry_run: DryRun = False) -> None:
    """Read embedded stores and snapshots to their end; build damaged stores anew from HOME's snapshots.

    Exit 1 if files have to be loaded again: PubMed records and contradictions are in no snapshot.
    """
    output: Output = context.obj
    with watch() as progress:
        done = rebuild(output.settings(), dry_run=dry_run, progress=progress)
    output.show(done.to_dict(), lambda console: render.rebuilt(console, done))
    if not done.complete:
        raise typer.Exit(Refused.exit_code)


@app.command()
def diff(
    context: typer.Context,
    a: Annotated[str, typer.Argument(help="ID or SOURCE:ID.")],
    b: Annotated[str, typer.Argument(help="ID or SOURCE:ID.")],
    out: Annotated[Path | None, typer.Option(help="Write the edges that differ (.tsv or .parquet).")] = None,
) -> None:
    """What changed between two releases of relations."""
    output: Output = context.obj
    found = ingest.compare(a, b, output.settings(), out=out)
    output.show(found.to_dict(), lambda console: render.counts(console, found.to_dict()))


def _load(
    context: typer.Context,
    load: Callable[[World, dict[str, Any]], Receipt],
    release: str | None,
    max_rejects: int | None,
    dry_run: bool,
    rebuild: bool,
) -> None:
    """Load something with the options that all loads share, and show the receipt."""
    output: Output = context.obj
    options = {"release": release, "max_rejects": max_rejects, "dry_run": dry_run, "rebuild": rebuild}
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = load(world, {**options, "progress": progress})
    if receipt.older is not None:
        note(f"warning: {receipt.older.told}")
    _show(output, receipt)


def _show(output: Output, receipt: Receipt) -> None:
    """The receipt, and where similarity edges know the concepts' names of before only, that."""
    concepts, similar = receipt.concepts, receipt.similarities
    fresh = concepts.added + concepts.changed if concepts else 0
    if fresh and similar and similar.total:
        note(
            f"warning: {fresh:,} concepts are new or changed, and similarity edges are still of the names before; "
            "`ingest similarity` embeds the new names only"
        )
    output.show(receipt.to_dict(), lambda console: render.receipt(console, receipt))
