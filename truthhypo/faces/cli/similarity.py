"""The command `truthhypo ingest similarity`: compares the names of concepts, and loads similar pairs as edges.

`fuzzygraph` builds the edges, and `ingest` loads them.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truthhypo.faces import render
from truthhypo.faces.cli.options import GroupedCommand
from truthhypo.faces.cli.output import Output
from truthhypo.faces.layout import Screen, new_table, print_table
from truthhypo.faces.progress import watch

if TYPE_CHECKING:
    from fuzzygraph.similarity import Survey


#: BioBERT, the embedder of the paper. `fuzzygraph.similarity` has the name too, but is slow to import.
_BIOBERT = "dmis-lab/biobert-base-cased-v1.2"

#: Groups of options in the help.
_MEMBERSHIP, _MODEL, _SEARCH, _RELEASE = "Similarity mu", "Model", "Approximate search", "Release and output"


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo ingest`."""
    app.command(cls=GroupedCommand)(similarity)


def similarity(
    context: typer.Context,
    embedder: Annotated[
        str,
        typer.Option(help="Name or folder of a (sentence-)transformers model, or trigram, which compares spelling."),
    ] = _BIOBERT,
    tau: Annotated[
        float | None, typer.Option(help="Keep an edge if its similarity mu is above this value, 0 to 1.")
    ] = None,
    top_k: Annotated[int, typer.Option(min=1, help="Maximum number of neighbours per concept.")] = 20,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Show the share of pairs kept at different values of --tau; write nothing."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write the edges even if --tau keeps nearly all pairs or none.")
    ] = False,
    form: Annotated[
        str,
        typer.Option(
            help="How mu is computed from the cosine of two names: scaled, paper or linear.",
            rich_help_panel=_MEMBERSHIP,
        ),
    ] = "scaled",
    fit: Annotated[
        str | None,
        typer.Option(
            help="Data to which the form scaled is fitted: background (the cosines of all pairs), or a file with lines "
            "NAME<tab>NAME<tab>1 for similar names and 0 for others.",
            rich_help_panel=_MEMBERSHIP,
        ),
    ] = None,
    pooling: Annotated[
        str,
        typer.Option(
            help="How token vectors are combined: auto (as the model defines, else mean), "
            "cls (as in the paper) or mean.",
            rich_help_panel=_MODEL,
        ),
    ] = "auto",
    batch: Annotated[
        int, typer.Option(min=1, help="Number of names that the model reads at once.", rich_help_panel=_MODEL)
    ] = 64,
    device: Annotated[
        str, typer.Option(help="Device: auto, cpu, cuda, cuda:N or mps.", rich_help_panel=_MODEL)
    ] = "auto",
    approximate: Annotated[
        bool,
        typer.Option(
            "--approximate",
            help="Find neighbours faster, but not all of them; the recall is reported. Needs faiss: "
            "pip install 'truthhypo[ann]'.",
            rich_help_panel=_SEARCH,
        ),
    ] = False,
    release: Annotated[
        str | None,
        typer.Option(help="ID of the release; default: from the SHA-256 of the edges.", rich_help_panel=_RELEASE),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Compare the whole graph with the loaded releases, and correct it. Releases whose snapshots are lost "
            "are removed from it.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="File for the edges with mu (.tsv or .parquet).", rich_help_panel=_RELEASE)
    ] = None,
    row_normalised: Annotated[
        bool,
        typer.Option(
            "--row-normalised",
            help="With --out: also write, for each end of an edge, mu divided by the sum of mu over all edges of this "
            "end.",
            rich_help_panel=_RELEASE,
        ),
    ] = False,
) -> None:
    """Build similarity edges from concept names, and load them.

    They replace the edges of the same embedder.
    """
    from fuzzygraph.embed import connect
    from fuzzygraph.similarity import BACKGROUND, Plan, build, labelled
    from ingest import load_similarities
    from ingest.workspace import workspace

    output: Output = context.obj
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        background = fit if fit == BACKGROUND else None
        plan = Plan(form, tau, top_k, force, approximate, background)  # type: ignore[arg-type]  # Plan checks form
        model = connect(embedder, pooling=pooling, device=device, batch=batch)
        if fit is not None and background is None:
            plan = plan.fitted_to(labelled(Path(fit), model))
        home, graph = world.settings.home, world.graph_store
        with workspace(home) as folder:
            edges = folder / "similarities.parquet"
            built = build(
                graph, model, plan,
                home=home, told=_show_survey, edges=edges, out=out, row_normalised=row_normalised, progress=progress,
            ).to_dict()  # fmt: skip
            loaded = load_similarities(
                edges, graph, world.settings,
                release=release, literature=lambda: world.literature_store, dry_run=dry_run, rebuild=rebuild,
                progress=progress,
            ).to_dict()  # fmt: skip
    shown = {name: loaded.get(name) for name in ("release", "rows", "similarities", "verified", "dry_run")}
    shape = {**built, **shown, "seconds": round(built["seconds"] + loaded["seconds"], 3)}
    output.show(shape, lambda console: render.counts(console, {k: v for k, v in shape.items() if k != "survey"}))


def _show_survey(survey: "Survey") -> None:
    """Print to stderr the distribution of cosines and the share of pairs that each tau would keep."""
    console = Screen(stderr=True, highlight=False, soft_wrap=not sys.stderr.isatty())
    told = ", ".join(f"{cosine:.3f} at {float(share):.1%}" for share, cosine in survey.cosines.items())
    console.print(f"quantiles of the cosines of {survey.pairs:,} pairs: {told}")
    named = ", ".join(f"{name} {value}" for name, value in survey.membership.items())
    console.print(f"share of pairs kept by each tau ({named})")
    table = new_table("tau", "pairs kept")
    for tau, share in survey.keeps.items():
        table.add_row(tau, f"{share:.2%}")
    print_table(console, table)
