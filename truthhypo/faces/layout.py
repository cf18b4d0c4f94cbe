"""Labelled lines that stay within the width of a terminal."""

from rich.console import Console
from rich.table import Table


def field(console: Console, label: str, text: str) -> None:
    """Print a label and its text; on a terminal the text is wrapped beside the label.

    A pipe has no width: there each field is one line, which other programs can read.

    Args:
        console: Where it is printed.
        label: Markup, with the spaces that separate it from the text.
        text: Markup.
    """
    if console.soft_wrap:
        console.print(f"{label}{text}")
        return
    grid = Table.grid()
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(label, text)
    console.print(grid)
