"""The command `truthhypo bench train-reader`: fits the relation reader on labelled documents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from truthhypo.faces.cli.output import Output


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command("train-reader")(train_reader)


def train_reader(
    context: typer.Context,
    data: Annotated[list[Path], typer.Argument(help="Documents with relations, in PubTator or BioC-JSON format.")],
    out: Annotated[Path, typer.Option(help="File to write the weights to (.npz).")],
    held_out: Annotated[list[Path] | None, typer.Option(help="Documents to measure on; may be repeated.")] = None,
) -> None:
    """Fit the relation reader on labelled documents.

    The quality of the fit, by cross-validation, is printed. To use the weights, set the setting `reader` to the file
    --out. Claim splitting, `risk` and the judge `rules` use them.
    """
    from truthhypo.bench.reader.training import train

    output: Output = context.obj
    card = train(data, out, held_out=held_out or ())
    output.show({"out": str(out), **card}, lambda console: _show(console, out, card))


def _show(console: Console, out: Path, card: Mapping[str, Any]) -> None:
    console.print(f"{card['documents']:,} documents, {card['features']:,} features, written to {escape(str(out))}")
    parts = {"cross-validation": card["cross_validation"], "held out": card.get("held_out")}
    for name, figures in parts.items():
        if figures:
            signed, related = figures["signed"], figures["related"]
            pair, typed = (f"{figures['f1'][each]:.3f}" for each in ("pair", "typed"))
            error = figures["calibration_error"]
            console.print(f"{name}: F1 of pairs {pair}, of typed relations {typed}; calibration error {error:.3f}")
            for what, found in (("signs", signed), ("relations", related)):
                console.print(
                    f"  {what} with a clearness of {found['threshold']:.2f} or more: precision {found['right']:.3f}, "
                    f"recall {found['recall']:.3f}"
                )
