"""The commands `truthhypo demo`, `config` and `doctor`."""

import typer
from rich.markup import escape

from groundwork.errors import Refused
from groundwork.records import plain
from truthhypo.faces import layout, render
from truthhypo.faces.cli.output import Output
from truthhypo.faces.demo import play
from truthhypo.faces.doctor import examine
from truthhypo.faces.shown import shown


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (demo, config, doctor):
        app.command()(command)


def demo(context: typer.Context) -> None:
    """Load the sample release into embedded stores in a new folder and judge three statements."""
    output: Output = context.obj
    played = play()
    output.show(played.to_dict(), lambda console: render.demo(console, played))


def config(context: typer.Context) -> None:
    """Show each setting, its value and the source of the value; secrets are masked."""
    output: Output = context.obj
    rows = shown(*output.origins())

    def told(console: render.Console) -> None:
        table = layout.new_table("setting", "value", "from", "what it is")
        for row in rows:
            table.add_row(row.name, escape(str(row.value)), row.origin, row.description)
        layout.print_table(console, table)

    output.show({"settings": plain(rows)}, told)


def doctor(context: typer.Context) -> None:
    """Check each dependency, store and model, and say how to fix what is wrong. The exit code is 1 if a check fails."""
    output: Output = context.obj
    checks = examine(output.settings())
    output.show(
        {"checks": plain(checks), "ok": all(c.ok for c in checks)}, lambda console: render.checks(console, checks)
    )
    if not all(check.ok for check in checks):
        raise typer.Exit(Refused.exit_code)
