"""The commands `truthhypo mark ...`: a person's word on pieces of evidence, which verdicts obey."""

from getpass import getuser
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.markup import escape
from typer.core import TyperGroup

from groundwork.errors import InputError
from knowhd.marks import Mark
from knowhd.pieces import Said
from truthhypo.faces.cli.output import Output
from truthhypo.faces.layout import field
from truthhypo.json_files import write_text
from truthhypo.service.marks import MarkList, marked, read_marks, written

#: The command that `truthhypo mark ID ...` means.
_ADD = "add"


class _Marks(TyperGroup):
    """A group in which the name of the command `add` may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert `add` before arguments that begin with no command."""
        named = not args or args[0] in self.commands or args[0] in self.get_help_option_names(ctx)
        return super().parse_args(ctx, args if named else [_ADD, *args])


app = typer.Typer(help="Say that a stance is right or wrong.", no_args_is_help=True, rich_markup_mode=None, cls=_Marks)


@app.callback()
def group() -> None:
    """Say that the stance of a piece of evidence is right or wrong: truthhypo mark ID right|wrong|other."""


@app.command(_ADD)
def add(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="Id of a piece of evidence, such as pmid:12345#s4 or edge:...")],
    said: Annotated[str, typer.Argument(help="right, wrong (no side) or other (the opposite side).")],
    claim: Annotated[str, typer.Option(help="The claim that the piece is evidence for, as ground shows it.")],
    note: Annotated[str, typer.Option(help="Why.")] = "",
    by: Annotated[str | None, typer.Option(help="Name of the person; by default the user of this machine.")] = None,
) -> None:
    """Mark the stance of a piece of evidence for a claim. A later mark replaces an earlier one."""
    output: Output = context.obj
    if said not in get_args(Said):
        raise InputError(f"the word {said!r}", "right, wrong or other", "give one of these after the id")
    with output.world() as world:
        mark = marked(world, claim, id, said, note, _user() if by is None else by)  # type: ignore[arg-type]
        MarkList(world.settings.home).put([mark])
    output.show({"id": mark.id, "mark": mark.to_dict()}, lambda console: _show(console, mark))


@app.command("list")
def list_(context: typer.Context) -> None:
    """List the marks, in the order of their times."""
    output: Output = context.obj
    marks = MarkList(output.settings().home).all().values()

    def render(console: Any) -> None:
        for mark in marks:
            _show(console, mark)

    shape = [{"id": mark.id, "mark": mark.to_dict()} for mark in marks]
    output.show({"marks": shape}, render)


@app.command()
def remove(context: typer.Context, id: Annotated[str, typer.Argument(help="Id of a mark, from `mark list`.")]) -> None:
    """Remove a mark."""
    output: Output = context.obj
    MarkList(output.settings().home).remove(id)
    output.show({"removed": id}, lambda console: console.print(f"removed {escape(id)}"))


@app.command()
def export(context: typer.Context, file: Annotated[Path, typer.Argument(help="File for the marks.")]) -> None:
    """Write all marks into a file (JSON lines)."""
    output: Output = context.obj
    marks = MarkList(output.settings().home).all()
    write_text(file, written(marks.values()))
    output.show({"exported": len(marks)}, lambda console: console.print(f"exported {len(marks):,} marks"))


@app.command("import")
def import_(
    context: typer.Context, file: Annotated[Path, typer.Argument(help="A file that `mark export` wrote.")]
) -> None:
    """Add the marks of a file. Of two marks on the same claim and piece, the later one is kept."""
    output: Output = context.obj
    counts = MarkList(output.settings().home).put(read_marks(file)).to_dict()
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    output.show(counts, lambda console: console.print(told))


def _user() -> str:
    """Return the name of the user of this machine; empty if it has none, as in some containers."""
    try:
        return getuser()
    except (KeyError, OSError):
        return ""


def _show(console: Any, mark: Mark) -> None:
    side = mark.stance or "no side"
    field(console, f"{mark.id}  ", f"{mark.said} ({side})  {escape(mark.piece)}  [dim]{escape(mark.by)}[/dim]")
    field(console, "  claim   ", escape(mark.claim))
    if mark.note:
        field(console, "  note    ", escape(mark.note))
