"""Print labelled lines and tables that stay within the width of a terminal."""

import sys
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from groundwork.records.base import printable


class Screen(Console):
    """A console that prints texts without characters that control the terminal; see `groundwork.records.base`."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return markup as text. rich calls this method for every str that it prints."""
        return super().render_str(printable(text), **options)


def field(console: Console, label: str, text: str) -> None:
    """Print a label and its text. On a terminal, the text is wrapped beside the label.

    In a pipe, which has no width, each field is one line, so that other programs can read it.

    Args:
        console: Console to print to.
        label: Label as markup, including the spaces before the text.
        text: Text as markup.
    """
    if console.soft_wrap:
        console.print(f"{label}{text}")
        return
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(label, text)
    console.print(grid)


def new_table(*titles: str) -> Table:
    """Return a table without borders. Long values are wrapped, and never cut.

    Args:
        *titles: Titles of the columns, as markup.
    """
    return Table(*(Column(title, overflow="fold") for title in titles), box=None)


def print_table(console: Console, table: Table) -> None:
    """Print a table. In a pipe, which has no width, each row is one line."""
    if console.soft_wrap:
        console.width = console.measure(table, options=console.options.update(max_width=sys.maxsize)).maximum
    console.print(table)


def decimals(value: float | None) -> str:
    """Return a number with three decimals, or a hyphen for None."""
    return "-" if value is None else f"{value:.3f}"
