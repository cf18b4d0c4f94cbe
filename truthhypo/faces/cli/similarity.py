"""`truthhypo ingest similarity`: names of concepts compared, and what is near written as edges."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from truthhypo.faces import render
from truthhypo.faces.cli.output import Output
from truthhypo.faces.progress import watch
from truthhypo.similarity import make

if TYPE_CHECKING:
    from fuzzygraph.similarity.survey import Survey

#: BioBERT, the paper's embedder; `fuzzygraph.similarity.encoder` says the same, and is not imported for a page of help.
_BIOBERT = "dmis-lab/biobert-base-cased-v1.2"


def register(app: typer.Typer) -> None:
    """Hang the command on `truthhypo ingest`."""
    app.command()(similarity)


def similarity(
    context: typer.Context,
    embedder: Annotated[
        str, typer.Option(help="A transformers or sentence-transformers model's name or folder, or trigram (spelling).")
    ] = _BIOBERT,
    form: Annotated[str, typer.Option(help="mu from the cosine: scaled, paper or linear.")] = "scaled",
    tau: Annotated[float | None, typer.Option(help="Keep an edge if mu > tau, in [0, 1].")] = None,
    top_k: Annotated[int, typer.Option(min=1, help="Neighbours kept for a concept.")] = 20,
    force: Annotated[bool, typer.Option("--force", help="Write even if tau keeps nearly all or nothing.")] = False,
    pooling: Annotated[str, typer.Option(help="auto (its own, else mean), cls (the paper's) or mean.")] = "auto",
    batch: Annotated[int, typer.Option(min=1, help="Names a model reads at once.")] = 64,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:N or mps.")] = "auto",
    precision: Annotated[str, typer.Option(help="auto (fp16 on a GPU), fp32, fp16 or bf16.")] = "auto",
    fit: Annotated[
        str | None,
        typer.Option(help="k and s0 of scaled: background (how the cosines lie) or a file NAME<tab>NAME<tab>1 or 0."),
    ] = None,
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Not all pairs (extra ann); tells the recall.")
    ] = False,
    probes: Annotated[int, typer.Option(min=1, help="Cells each name is compared with, if approximate.")] = 16,
    release: Annotated[str | None, typer.Option(help="ID of the release; default: from the edges' SHA-256.")] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Forget snapshots that HOME has lost.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be kept; write nothing.")] = False,
    out: Annotated[Path | None, typer.Option(help="Also write the edges with mu (.tsv or .parquet).")] = None,
    row_normalised: Annotated[
        bool, typer.Option("--row-normalised", help="With --out: mu also as a share of each end's row.")
    ] = False,
) -> None:
    """Similarity edges between the concepts' names: a release, of which one per embedder is live."""
    from fuzzygraph.similarity.build import Plan
    from fuzzygraph.similarity.embed import connect
    from fuzzygraph.similarity.fitting import BACKGROUND, labelled

    output: Output = context.obj
    with output.world(read_only=dry_run, loading=True) as world, watch() as progress:
        cells = probes if approximate else None
        background = fit if fit == BACKGROUND else None
        plan = Plan(form, tau, top_k, force, cells, background)  # type: ignore[arg-type]  # checked there
        model = connect(embedder, pooling=pooling, device=device, batch=batch, precision=precision)
        if fit is not None and background is None:
            plan = plan.fitted_to(labelled(Path(fit), model))
        made = make(
            world,
            model,
            plan,
            release=release,
            dry_run=dry_run,
            rebuild=rebuild,
            told=_show_survey,
            out=out,
            row_normalised=row_normalised,
            progress=progress,
        )
    shape = made.to_dict()
    output.show(shape, lambda console: render.counts(console, {k: v for k, v in shape.items() if k != "survey"}))


def _show_survey(survey: "Survey") -> None:
    """On stderr, before pairs are compared: how cosines lie and what each tau would keep."""
    console = Console(stderr=True, highlight=False)
    told = ", ".join(f"{cosine:.3f} at {float(share):.1%}" for share, cosine in survey.cosines.items())
    console.print(f"cosines of {survey.pairs:,} pairs: {told}", soft_wrap=True)
    named = ", ".join(f"{name} {value}" for name, value in survey.membership.items())
    table = Table("tau", "pairs kept", title=f"what a tau keeps ({named})", title_justify="left")
    for tau, share in survey.keeps.items():
        table.add_row(tau, f"{share:.2%}")
    console.print(table)
