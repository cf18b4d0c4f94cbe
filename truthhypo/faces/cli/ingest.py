"""The commands `truthhypo ingest ...`: load release files and show a receipt."""

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
ReleaseId = Annotated[str | None, typer.Option(help="ID of the release. Default: from the files' SHA-256.")]
MaxRejects = Annotated[
    int | None, typer.Option(min=0, help="Maximum number of rejected rows. Default: 1 % of the rows, at least 100.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Read and count; change nothing.")]
Rebuild = Annotated[bool, typer.Option("--rebuild", help="Continue without the releases whose snapshot is lost.")]


class Engine(StrEnum):
    """The engine that puts the rows of a release into canonical form."""

    duckdb = "duckdb"
    spark = "spark"


class Mode(StrEnum):
    """How edges are written into the graph."""

    online = "online"
    offline = "offline"


@app.command()
def relations(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    source: Annotated[str, typer.Option(help="Name of the relation source; each has one live release.")] = "pubtator3",
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    engine: Annotated[Engine, typer.Option(help="Engine that normalises the rows.")] = Engine.duckdb,
    mode: Annotated[
        Mode, typer.Option(help="online: through the running server. offline: by the importer of the stopped server.")
    ] = Mode.online,
) -> None:
    """Load relations (relation2pubtator3). The release replaces the live release of its source."""

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
    """Load concept names. The files are bioconcepts2pubtator3 or those per type; names of their types are replaced."""

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
    """Load annotated documents (PubTator or BioC-JSON).

    Relations and names go into the graph, the text into the literature.
    """

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
        typer.Option(help="File of concept annotations to join to the records; may be repeated."),
    ] = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Build a new index; the old one is used until then.")
    ] = False,
) -> None:
    """Load PubMed records into the literature.

    The files are XML baseline and update files, which are read in NLM's order, or MedRAG JSONL.
    """

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_pubmed(files, world.literature, world.settings, concepts=concepts or (), **options)

    _load(context, load, release, max_rejects, dry_run, rebuild)


@app.command()
def contradictions(
    context: typer.Context, files: Files, max_rejects: MaxRejects = None, dry_run: DryRun = False
) -> None:
    """Load pairs of concepts that exclude each other. Each row has two keys. All CONTRADICTS edges are replaced."""
    output: Output = context.obj
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = ingest.load_contradictions(
            files, world.graph_store, world.settings, max_rejects=max_rejects, dry_run=dry_run, progress=progress
        )
    _show(output, receipt)


@app.command()
def releases(context: typer.Context) -> None:
    """List all releases in the graph and the literature."""
    output: Output = context.obj
    with output.world() as world:
        found = ingest.releases(world.graph_store, world.literature)
    output.show({"releases": plain(found)}, lambda console: render.releases(console, found))


@app.command()
def activate(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="ID, or SOURCE:ID if two sources use the same ID.")],
    rebuild: Rebuild = False,
) -> None:
    """Make an older release of relations live again."""
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
    """Rebuild damaged embedded stores from snapshots in HOME.

    All embedded stores and snapshots are read completely. The exit code is 1 if files must be loaded again, because
    snapshots contain neither PubMed records nor contradictions.
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
    out: Annotated[Path | None, typer.Option(help="Write the edges that differ to a .tsv or .parquet file.")] = None,
) -> None:
    """Count the edges that differ between two releases."""
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
    """Run a load with the options that all loads share, and show its receipt."""
    output: Output = context.obj
    options = {"release": release, "max_rejects": max_rejects, "dry_run": dry_run, "rebuild": rebuild}
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = load(world, {**options, "progress": progress})
    if receipt.older is not None:
        note(f"warning: {receipt.older.told}")
    _show(output, receipt)


def _show(output: Output, receipt: Receipt) -> None:
    """Show the receipt, and warn if concepts changed after the similarity edges were computed."""
    concepts, similar = receipt.concepts, receipt.similarities
    fresh = concepts.added + concepts.changed if concepts else 0
    if fresh and similar and similar.total:
        note(
            f"warning: {fresh:,} concepts are new or changed, but the similarity edges were made from the old names; "
            "run `truthhypo ingest similarity` to embed the new names (only those are embedded)"
        )
    output.show(receipt.to_dict(), lambda console: render.receipt(console, receipt))
