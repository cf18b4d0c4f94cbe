"""A group of commands whose modules are imported when one of their commands is asked for.

Importing all of them takes seconds of processor time, which `--help` and a look-up do not need.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group


class Place(NamedTuple):
    """Where a command is.

    Attributes:
        module: A module of this package, with a group `app` of the command's name or a function `register`.
        summary: What the list of commands says of it.
    """

    module: str
    summary: str


class Completion(NamedTuple):
    """What the shell is told of a completion.

    Attributes:
        value: The word.
        help: What it stands for, in shells that show it.
        type: `plain`: a word, not a file.
    """

    value: str
    help: str
    type: str = "plain"


#: The commands, in the order in which help lists them.
COMMANDS = {
    "ground": Place("judge", "Judge each claim of a text against graph and literature."),
    "risk": Place("judge", "Hallucination risk of a text, from paths in the graph."),
    "hypothesize": Place("judge", "Hypothesize how two concepts are related."),
    "belief": Place("judge", "Propagate fuzzy belief in a small network."),
    "demo": Place("show", "Judge three statements on the sample release."),
    "config": Place("show", "Show each setting and where its value comes from."),
    "doctor": Place("show", "Check each dependency, store and model."),
    "download": Place("download", "Fetch release files."),
    "ingest": Place("ingest", "Load releases; list, compare and activate them."),
    "graph": Place("graph", "Look up concepts, edges and chains."),
    "literature": Place("literature", "Search the abstracts."),
    "serve": Place("serve", "Serve REST and MCP."),
    "mcp": Place("mcp_stdio", "Serve MCP tools over stdio."),
    "bench": Place("bench", "Build, run and report the benchmark."),
}


class ImportedCommands(Mapping[str, Any]):
    """The commands of `COMMANDS` by name, each imported when it is taken."""

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(COMMANDS)

    def __getitem__(self, name: str) -> Any:
        """Import a command.

        Raises:
            KeyError: There is no command of that name.
        """
        module = import_module(f"truthhypo.faces.cli.{COMMANDS[name].module}")
        if COMMANDS[name].module == name:
            group = get_group(module.app)
            group.name = name
            return group
        app = typer.Typer(rich_markup_mode=None)
        module.register(app)
        return get_group(app).commands[name]


class LazyGroup(TyperGroup):
    """A group of the `ImportedCommands`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = ImportedCommands()

    def list_commands(self, _context: Any) -> list[str]:
        """Return the names of the commands, in the order of help, without importing the commands."""
        return list(COMMANDS)

    def format_commands(self, _context: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in COMMANDS.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return completions of a command's name without importing the commands."""
        names = [Completion(name, place.summary) for name, place in COMMANDS.items() if name.startswith(incomplete)]
        return names or super().shell_complete(ctx, incomplete)
