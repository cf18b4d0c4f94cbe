"""A group of commands that imports the module of a command only when the command is used.

Importing all modules takes seconds of processor time, which `--help` and a lookup do not need.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group


class Place(NamedTuple):
    """The place where a command is defined.

    Attributes:
        module: A module of this package that has either a group `app` with the command's name or a function `register`.
        summary: One line about the command, for the list of commands.
    """

    module: str
    summary: str


class Completion(NamedTuple):
    """A word that the shell may complete to.

    Attributes:
        value: The word.
        help: Its explanation, for shells that show one.
        type: Kind of completion. `plain` means that the value is a word and not a file.
    """

    value: str
    help: str
    type: str = "plain"


#: The commands, in the order of the help text.
COMMANDS = {
    "ground": Place("judge", "Judge each claim of a text against graph and literature."),
    "cite": Place("citing", "Say whether cited articles state a claim."),
    "risk": Place("judge", "Estimate hallucination risk from paths in the graph."),
    "hypothesize": Place("judge", "Propose how two concepts are related."),
    "belief": Place("judge", "Propagate fuzzy belief in a small network."),
    "demo": Place("show", "Judge three statements on the sample release."),
    "config": Place("show", "Show each setting and where its value comes from."),
    "doctor": Place("show", "Check dependencies, stores and models."),
    "download": Place("download", "Download release files."),
    "ingest": Place("ingest", "Load releases; list, compare and activate them."),
    "graph": Place("graph", "Look up concepts, edges and chains."),
    "literature": Place("literature", "Search the abstracts."),
    "watch": Place("watch", "Watch statements: judge them again after each load."),
    "mark": Place("mark", "Say that the stance of a piece of evidence is wrong."),
    "serve": Place("serve", "Start the web service (a page, REST and MCP)."),
    "mcp": Place("mcp_stdio", "Start the MCP tools over stdio."),
    "bench": Place("bench", "Build and run benchmarks, and report the results."),
}


class ImportedCommands(Mapping[str, Any]):
    """A mapping from the name of a command to the command. A command is imported when it is looked up."""

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the commands."""
        return iter(COMMANDS)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(COMMANDS)

    def __getitem__(self, name: str) -> Any:
        """Import and return a command.

        Raises:
            KeyError: No command has this name.
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
    """The group of all commands. Listing the commands does not import them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Any = ImportedCommands()

    def list_commands(self, _context: Any) -> list[str]:
        """Return the names of the commands in the order of the help text, without importing them."""
        return list(COMMANDS)

    def format_commands(self, _context: Any, formatter: Any) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in COMMANDS.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the completions of an incomplete command name, without importing the commands."""
        names = [Completion(name, place.summary) for name, place in COMMANDS.items() if name.startswith(incomplete)]
        return names or super().shell_complete(ctx, incomplete)
