"""The commands `truthhypo demo`, `config` and `doctor`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from pydantic import SecretStr
from rich.console import Console
from rich.markup import escape

from groundwork.errors import MASK, Refused, without_password
from groundwork.records import Record, plain
from groundwork.settings import Settings
from truthhypo.faces import layout, render
from truthhypo.faces.cli.output import Output


@dataclass(frozen=True, slots=True)
class ShownSetting(Record):
    """One setting: its name, value (masked if secret), origin of the value, and description."""

    name: str
    value: Any
    origin: str
    description: str


def shown_settings(settings: Settings, origins: dict[str, str]) -> tuple[ShownSetting, ...]:
    """Return all settings for display. Passwords in addresses are removed.

    Args:
        settings: The settings. For a store without an address, the address of the embedded store under HOME is shown.
        origins: The origin of the value of each setting, by the name of the setting.
    """
    values = settings.model_dump() | {
        "graph": without_password(settings.graph_address),
        "literature": without_password(settings.literature_address),
        "openai_base_url": without_password(settings.openai_base_url),
        "pubtator_files": without_password(settings.pubtator_files),
        "pubmed_files": without_password(settings.pubmed_files),
    }
    return tuple(
        ShownSetting(name, _plain(value), origins[name], Settings.model_fields[name].description or "")
        for name, value in values.items()
    )


def _plain(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    return str(value) if isinstance(value, Path) else value


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (demo, config, doctor):
        app.command()(command)


def demo(context: typer.Context) -> None:
    """Load the sample release into embedded stores in a new folder and judge three statements."""
    from truthhypo.faces.demo import play

    output: Output = context.obj
    played = play()
    output.show(played.to_dict(), lambda console: render.demo(console, played))


def config(context: typer.Context) -> None:
    """Show each setting, its value and the source of the value; secrets are masked."""
    output: Output = context.obj
    rows = shown_settings(*output.origins())

    def told(console: Console) -> None:
        table = layout.new_table("setting", "value", "from", "what it is")
        for row in rows:
            table.add_row(row.name, escape(str(row.value)), row.origin, row.description)
        layout.print_table(console, table)

    output.show({"settings": plain(rows)}, told)


def doctor(context: typer.Context) -> None:
    """Check each dependency, store and model, and say how to fix what is wrong. The exit code is 1 if a check fails."""
    from truthhypo.faces.doctor import examine

    output: Output = context.obj
    checks = examine(output.settings())
    output.show(
        {"checks": plain(checks), "ok": all(c.ok for c in checks)}, lambda console: render.checks(console, checks)
    )
    if not all(check.ok for check in checks):
        raise typer.Exit(Refused.exit_code)
