"""The commands `truthhypo ingest ...`: load release files, and print a receipt that counts what changed."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import cypher
import ingest
from groundwork import inventory
from groundwork.errors import Refused
from groundwork.records import plain
from groundwork.records.base import counted
from ingest.receipt import Receipt
from truthhypo.faces import render
from truthhypo.faces.cli import similarity
from truthhypo.faces.cli.output import Output, note
from truthhypo.faces.progress import watch
from truthhypo.rebuild import rebuild
from truthhypo.world import World

app = typer.Typer(help="Load releases; list, compare and activate them.", no_args_is_help=True, rich_markup_mode=None)

Files = Annotated[list[str], typer.Argument(help="Files, plain or .gz; '-' reads standard input.", metavar="FILE")]
ReleaseId = Annotated[str | None, typer.Option(help="ID of the release; default: derived from the files' SHA-256.")]
MaxRejects = Annotated[
    int | None, typer.Option(min=0, help="Number of rejected rows allowed; default: 1 % of rows, at least 100.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Read and count only; change nothing.")]
Draw = Annotated[
    bool,
    typer.Option(
        "--draw",
        help="After the load, draw the database for Cypher queries on an embedded graph; by default the first query "
        "draws it.",
    ),
]
Rebuild = Annotated[
    bool,
    typer.Option(
        "--rebuild",
        help="Compare the whole graph with the loaded releases, and correct it. Releases whose snapshots are lost are "
        "removed from it.",
    ),
]


class Engine(StrEnum):
    """The engine that normalises a release."""

    duckdb = "duckdb"
    spark = "spark"


class Mode(StrEnum):
    """The way in which edges are written into the graph."""

    online = "online"
    offline = "offline"


@app.command()
def audit(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(help="ID or SOURCE:ID of the release; default: the live one.")] = None,
    against: Annotated[
        str | None, typer.Option(help="Release to compare with; default: the previous live release.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Number of concepts in each list.")] = 20,
) -> None:
    """Report the content and the changes of a release.

    The exit code is 1 if the release exceeds a limit. Each limit is shown beside the measured value.
    """
    from ingest.audit.audit import examine

    output: Output = context.obj
    with output.world() as world, watch() as progress:
        found = examine(id, world.graph_store, world.settings, against=against, top=top, progress=progress)
    output.show(found.to_dict(), lambda console: render.audit(console, found))
    for check in found.limits:
        if not check.passed:
            note(f"truthhypo: limit exceeded: {check}")
    if not found.passed:
        raise typer.Exit(Refused.exit_code)


similarity.register(app)


@app.command()
def relations(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    source: Annotated[str, typer.Option(help="Name of the source; each source has one live release.")] = "pubtator3",
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    draw: Draw = False,
    engine: Annotated[Engine, typer.Option(help="Engine that sorts the rows and removes duplicates.")] = Engine.duckdb,
    mode: Annotated[
        Mode,
        typer.Option(
            help="For Neo4j. online: write through the running server. offline: import with neo4j-admin while the "
            "server is stopped."
        ),
    ] = Mode.online,
) -> None:
    """Load relations in the format of relation2pubtator3. A release replaces the previous release of its source."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_relations(
            files,
            world.graph_store,
            world.settings,
            source=source,
            literature=lambda: world.literature_store,
            spark=engine is Engine.spark,
            offline=cypher.bulk_import(world.settings.graph_address, world.settings) if mode is Mode.offline else None,
            **options,
        )

    _load(context, load, release, max_rejects, dry_run, rebuild, draw)


@app.command()
def concepts(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    draw: Draw = False,
) -> None:
    """Load concept names. They replace the names of the same types.

    The file is PubTator's bioconcepts2pubtator3, or one for each type, such as gene2pubtator3.
    """

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_concepts(
            files, world.graph_store, world.settings, literature=lambda: world.literature_store, **options
        )

    _load(context, load, release, max_rejects, dry_run, rebuild, draw)


@app.command()
def genes(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    draw: Draw = False,
) -> None:
    """Load symbols, synonyms, organisms and descriptions of genes from NCBI's gene_info.

    They replace those of the same organisms. The symbols of human genes are known without it.
    """
    _load_thesaurus(context, "genes", files, release, max_rejects, dry_run, rebuild, draw)


@app.command()
def names(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    draw: Draw = False,
) -> None:
    """Add names, such as drug brands, to concepts of the graph.

    The file has the tab-separated columns key and name, or is MeSH's XML of descriptors or supplementary records.
    """
    _load_thesaurus(context, "names", files, release, max_rejects, dry_run, rebuild, draw)


@app.command()
def documents(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    source: Annotated[
        str,
        typer.Option(
            help="Name of the source. Within a source, a later document replaces an earlier one with the same PMID; "
            "documents of different sources are joined."
        ),
    ] = "documents",
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Rebuild = False,
    draw: Draw = False,
) -> None:
    """Load annotated documents (PubTator or BioC-JSON).

    Their relations are loaded into the graph, and their texts into the literature.
    """

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_documents(
            files, world.graph_store, world.literature_store, world.settings, source=source, **options
        )

    _load(context, load, release, max_rejects, dry_run, rebuild, draw)


@app.command()
def pubmed(
    context: typer.Context,
    files: Files,
    release: ReleaseId = None,
    concepts: Annotated[
        list[str] | None,
        typer.Option(
            help="File such as bioconcepts2pubtator3, whose concepts are added to the records; may be repeated."
        ),
    ] = None,
    max_rejects: MaxRejects = None,
    dry_run: DryRun = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build a new index from scratch.")] = False,
) -> None:
    """Load PubMed records into the literature.

    The files are XML baseline and update files, which are loaded in NLM's order, or MedRAG's JSONL.
    """

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_pubmed(files, world.literature_store, world.settings, concepts=concepts or (), **options)

    _load(context, load, release, max_rejects, dry_run, rebuild, draw=False)


@app.command()
def contradictions(
    context: typer.Context, files: Files, max_rejects: MaxRejects = None, dry_run: DryRun = False
) -> None:
    """Load pairs of concepts that exclude each other.

    Each row contains the keys of two concepts, separated by a tab. The pairs replace all CONTRADICTS edges.
    """
    output: Output = context.obj
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = ingest.load_contradictions(
            files, world.graph_store, world.settings, max_rejects=max_rejects, dry_run=dry_run, progress=progress
        )
    _show(output, receipt)


@app.command()
def releases(context: typer.Context) -> None:
    """List all releases that the graph and the literature know."""
    output: Output = context.obj
    with output.world() as world:
        found = inventory.with_files(world.settings.home, ingest.releases(world.graph_store, world.literature_store))
    output.show({"releases": plain(found)}, lambda console: render.releases(console, found))


@app.command()
def activate(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="ID, or SOURCE:ID if two sources share the ID.")],
    rebuild: Rebuild = False,
) -> None:
    """Make an older release of relations live again."""
    output: Output = context.obj
    with output.world(read_only=False) as world, watch() as progress:
        receipt = ingest.activate(
            id,
            world.graph_store,
            world.settings,
            literature=lambda: world.literature_store,
            rebuild=rebuild,
            progress=progress,
        )
    _show(output, receipt)


@app.command("rebuild")
def rebuild_stores(context: typer.Context, dry_run: DryRun = False) -> None:
    """Check embedded stores, and rebuild damaged ones.

    Every file of the stores and of the snapshots under HOME is read. A damaged store is rebuilt from the snapshots.
    The exit code is 1 if files must be loaded again: PubMed records and contradictions have no snapshot.
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
    a: Annotated[str, typer.Argument(help="ID or SOURCE:ID of the first release.")],
    b: Annotated[str, typer.Argument(help="ID or SOURCE:ID of the second release.")],
    out: Annotated[Path | None, typer.Option(help="Write the differing edges to this file (.tsv or .parquet).")] = None,
) -> None:
    """Count the differences between two releases of relations."""
    output: Output = context.obj
    found = ingest.compare(a, b, output.settings(), out=out)
    output.show(found.to_dict(), lambda console: render.counts(console, found.to_dict()))


def _load_thesaurus(
    context: typer.Context,
    kind: Literal["genes", "names"],
    files: list[str],
    release: str | None,
    max_rejects: int | None,
    dry_run: bool,
    rebuild: bool,
    draw: bool,
) -> None:
    """Run a load of `genes` or `names` with the further arguments of `_load`."""

    def load(world: World, options: dict[str, Any]) -> Receipt:
        return ingest.load_thesaurus(
            files, world.graph_store, world.settings, kind=kind, literature=lambda: world.literature_store, **options
        )

    _load(context, load, release, max_rejects, dry_run, rebuild, draw)


def _load(
    context: typer.Context,
    load: Callable[[World, dict[str, Any]], Receipt],
    release: str | None,
    max_rejects: int | None,
    dry_run: bool,
    rebuild: bool,
    draw: bool,
) -> None:
    """Run a load with the options of `relations`, `concepts`, `documents` and `pubmed`, and show the receipt."""
    output: Output = context.obj
    options = {"release": release, "max_rejects": max_rejects, "dry_run": dry_run, "rebuild": rebuild}
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        receipt = load(world, {**options, "progress": progress})
        if draw and not dry_run:
            world.graph_store.draw(progress)
    if receipt.older is not None:
        note(f"warning: {receipt.older.told}")
    if receipt.replaced is not None and receipt.replaced.documents:
        note(f"warning: {receipt.replaced.told}")
    _show(output, receipt)


def _show(output: Output, receipt: Receipt) -> None:
    """Show the receipt. Warn if the load added or changed names and the graph has similarity edges."""
    concepts, similar = receipt.concepts, receipt.similarities
    fresh = concepts.added + concepts.changed if concepts else 0
    if fresh and similar and similar.total:
        note(
            f"warning: the names of {counted(fresh, 'concept')} are new or changed, but the similarity edges are based "
            "on the old ones; run `truthhypo ingest similarity` to update them (it embeds only the new names)"
        )
    output.show(receipt.to_dict(), lambda console: render.receipt(console, receipt))
