"""The command `truthhypo bench train-reader`: fits the encoder that reads claims and evidence."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from truthhypo.faces.cli.output import Output

#: Default number of epochs, and the BERT to start from.
EPOCHS, BASE = 2, "sentence-transformers/all-MiniLM-L6-v2"


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command("train-reader")(train_reader)


def train_reader(
    context: typer.Context,
    data: Annotated[
        Path, typer.Argument(help="Folder with the labelled sets: labelled/, biored/, bc5cdr/ and others.")
    ],
    out: Annotated[Path, typer.Option(help="File to write the weights to (.onnx).")],
    base: Annotated[str, typer.Option(help="Folder or hub name of the BERT to start from.")] = BASE,
    epochs: Annotated[int, typer.Option(min=1, help="Number of epochs before the last one.")] = EPOCHS,
    state: Annotated[
        Path | None, typer.Option(help="Folder for the state after each epoch; a killed fit goes on.")
    ] = None,
) -> None:
    """Fit the encoder that reads claims and evidence on sets of labelled sentences.

    This needs the extra `models`, and about half an hour an epoch on two cores. The figures on the documents that are
    set aside are printed. To use the weights, set the setting `reader` to the file --out.
    """
    from truthhypo.bench.reader.training import train

    output: Output = context.obj
    if state:
        state.mkdir(parents=True, exist_ok=True)
    card = train(data, out, base=base, epochs=epochs, state=state, say=lambda line: print(line, file=sys.stderr))  # noqa: T201
    output.show({"out": str(out), **card}, lambda console: _show(console, out, card))


def _show(console: Console, out: Path, card: Mapping[str, Any]) -> None:
    console.print(f"{sum(card['rows'].values()):,} rows an epoch, written to {escape(str(out))}")
    for name, found in card["set_aside"].items():
        console.print(
            f"  {name}: {found['found']:.3f} of {found['signed']:,} signs found, {found['right']:.3f} of the decided "
            f"right; {found['decided']:.3f} of {found['others']:,} others decided"
        )
