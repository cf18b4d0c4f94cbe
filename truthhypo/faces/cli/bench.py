"""The commands `truthhypo bench ...`. Each command has its own module in this package."""

import typer

from truthhypo.faces.cli import (
    bench_build,
    bench_calibrate,
    bench_grid,
    bench_reader,
    bench_report,
    bench_risk,
    bench_run,
)

app = typer.Typer(help="Build and run benchmarks, and report the results.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def group() -> None:
    """Build and run benchmarks, and report the results."""


bench_build.register(app)
bench_calibrate.register(app)
bench_grid.register(app)
bench_reader.register(app)
bench_report.register(app)
bench_risk.register(app)
bench_run.register(app)
