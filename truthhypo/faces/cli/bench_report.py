"""The command `truthhypo bench report`: writes a report on runs and grids as a page, JSON and CSV."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from groundwork.errors import InputError
from truthhypo.faces.cli.bench_run import Data, paths_of
from truthhypo.faces.cli.output import Output

if TYPE_CHECKING:
    from truthhypo.bench.report.contents import Report
    from truthhypo.bench.report.files import Files


def register(app: typer.Typer) -> None:
    """Add the command to `truthhypo bench`."""
    app.command("report")(reported)


def reported(
    context: typer.Context,
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders written by bench run or grid.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="The page (.html); .json and .csv are written beside it. Default: HOME/reports, named after the first "
            "folder."
        ),
    ] = None,
    instances: Annotated[int, typer.Option(min=0, help="Number of instances to show with all answers.")] = 50,
    data: Data = None,
    note: Annotated[str, typer.Option(help="A note for readers, shown above the warnings.")] = "",
) -> None:
    """Write a report on runs and grids.

    The report contains the papers' tables, paired tests and instances.
    """
    _extra()
    from truthhypo.bench.report.contents import report
    from truthhypo.bench.report.files import save, target

    output: Output = context.obj
    page = target(out or output.settings().home / "reports" / f"{folders[0].absolute().name}.html")
    found = report(folders, instances, paths_of(data), note)
    files = save(found, page, sealed=out is None)
    shape = {
        **files.to_dict(),
        "runs": [run.name for run in found.runs],
        "grids": [grid.name for grid in found.grids],
        "figures": len(found.figures),
        "comparisons": len(found.comparisons),
        "warnings": list(found.warnings),
    }
    output.show(shape, lambda console: show(console, found, files))


def _extra() -> None:
    """Check that the packages for pictures and statistical tests are installed.

    Raises:
        InputError: A package is missing.
    """
    missing = [name for name in ("altair", "vl_convert", "scipy", "statsmodels") if find_spec(name) is None]
    if missing:
        seen = f"a report needs {', '.join(missing)}, which is not installed"
        raise InputError(seen, "the extra `bench`", "install it: pip install 'truthhypo[bench]'")


def show(console: Console, found: "Report", files: "Files") -> None:
    """Print the warnings, the number of figures, the number of paired tests, and the paths of the files."""
    for warning in found.warnings:
        console.print(f"warning: {warning}", markup=False)
    console.print(f"{len(found.figures)} figures, {len(found.comparisons)} paired tests", markup=False)
    for path in files.to_dict().values():
        console.print(path, markup=False)
