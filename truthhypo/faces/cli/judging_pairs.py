"""Propose the relations of the pairs in a file, and write the results to stdout or to --out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from groundwork.records.shortened import counted
from truthhypo.faces import render_many
from truthhypo.faces.cli.judging import end
from truthhypo.faces.cli.output import Output
from truthhypo.faces.progress import watch
from truthhypo.faces.render_many import Tally
from truthhypo.world import World


def hypothesize_pairs(
    output: Output, world: World, file: Path, out: Path | None, options: dict[str, Any], state: Mapping[str, bool]
) -> None:
    """Propose the relations of all pairs of a file.

    Args:
        output: Output that shows the records or their summary.
        world: The stores and the model.
        file: Table with the columns head and tail.
        out: File for the records or the table, or None.
        options: Keyword arguments of `World.hypothesize`.
        state: Entries about unfinished loads, which are added to the JSON answer; see `output.loading`.

    Raises:
        typer.Exit: In the cases that `judging.end` lists.
    """
    with watch() as progress:
        many = world.hypothesize_many(file, progress=progress, out=out, **options)
    tally, told = Tally(), list[Mapping[str, Any]]()
    for record in tally.counting(many.records()):
        if out is None:
            told.append({**record, **state})

    def say(console: Console) -> None:
        for record in told:
            render_many.pair(console, record)
        render_many.summary(console, many.summary, "pairs")
        render_many.results(console, tally)
        if out is not None:
            render_many.places(console, many.summary)

    output.show({**many.summary, **state} if out else told, say)
    unrelated = tally.relations["failed"]
    lost = f"{counted(unrelated, 'pair')} without a relation" if unrelated else ""
    end(many.summary["usage"], many.summary["failed"], lost=lost, item="pair")
