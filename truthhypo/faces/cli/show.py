"""`truthhypo demo | config | doctor`: what it does, how it is set, whether it works."""

import sys

import typer
from rich.markup import escape
from rich.table import Column, Table

from groundwork.errors import Refused
from groundwork.records import plain
from truthhypo.faces import render
from truthhypo.faces.cli.output import Output
from truthhypo.faces.demo import play
from truthhypo.faces.doctor import examine
from truthhypo.faces.shown import shown


def register(app: typer.Typer) -> None:
    """Hang these commands on the command line."""
    for command in (demo, config, doctor):
        app.command()(command)


def demo(context: typer.Context) -> None:
    """Load the sample release into embedded stores in a fresh folder and judge three statements."""
    output: Output = context.obj
    played = play()
    output.show(played.to_dict(), lambda console: render.demo(console, played))


def config(context: typer.Context) -> None:
    """Each setting, its value and where it came from; secrets are masked."""
    output: Output = context.obj
    rows = shown(*output.origins())

    def told(console: render.Console) -> None:
        table = Table(
            *(Column(title, overflow="fold") for title in ("setting", "value", "from", "what it is")), box=None
        )
        for row in rows:
            table.add_row(row.name, escape(str(row.value)), row.origin, row.description)
        if not console.is_terminal:  # a pipe has no width: each row is a line, and no value is cut
            console.width = console.measure(table, options=console.options.update(max_width=sys.maxsize)).maximum
        console.print(table)

    output.show({"settings": plain(rows)}, told)


def doctor(context: typer.Context) -> None:
    """Each dependency, store and model: found or wrong, and how to mend it. Exit 1 if something is wrong."""
    output: Output = context.obj
    checks = examine(output.settings())
    output.show(
        {"checks": plain(checks), "ok": all(c.ok for c in checks)}, lambda console: render.checks(console, checks)
    )
    if not all(check.ok for check in checks):
        raise typer.Exit(Refused.exit_code)
