"""Run the command that the arguments name. Global options may be given before or after the command.

The module of a command is imported only when the command is used. Importing all modules takes seconds of processor
time, which `--help` and a lookup do not need.
"""

import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import takewhile
from shlex import quote
from traceback import format_exc
from typing import Any, NamedTuple, TextIO

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_group

from groundwork.errors import InputError, Notice, Refused, StoreUnreachable, TooManyRejects, TruthHypoError
from groundwork.records.base import printable
from truthhypo.faces.cli import INTERRUPTED
from truthhypo.faces.cli.output import Output, emit_json, note


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
    "mcp": Place("serve", "Start the MCP tools over stdio."),
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


#: Global options that take a value, and global options that take none.
VALUED = ("--graph", "--literature", "--model", "--home", "--species")
FLAGS = ("--json", "--debug", "--version")

app = typer.Typer(
    name="truthhypo",
    cls=LazyGroup,
    help="Check statements against a biomedical knowledge graph and the literature.",
    epilog="Global options are also accepted after the command.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _versioned(context: typer.Context, wanted: bool) -> None:
    """Show the version, as text or as JSON, and run no command."""
    if not wanted:
        return
    from importlib.metadata import version

    if context.params.get("json"):
        emit_json({"version": version("truthhypo")})
    else:
        sys.stdout.write(f"truthhypo {version('truthhypo')}\n")
    raise typer.Exit


@app.callback()
def everything(
    context: typer.Context,
    graph: str = typer.Option(None, help="Graph address: neo4j://host:7687, bolt://..., embedded:PATH, memory:"),
    literature: str = typer.Option(None, help="Literature address: https://host:9200, embedded:PATH, memory:"),
    model: str = typer.Option(
        None, help="Language model: rules (no language model), or PROVIDER:NAME such as openai:NAME."
    ),
    home: str = typer.Option(None, help="Folder for everything that the program writes."),
    species: str = typer.Option(None, help="Organism whose genes a symbol means, such as mouse; default: human."),
    json: bool = typer.Option(False, "--json", help="Write exactly one JSON document to stdout.", is_eager=True),
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    _version: bool = typer.Option(False, "--version", help="Show the version.", callback=_versioned, is_eager=True),
) -> None:
    """Check statements against a biomedical knowledge graph and the literature."""
    flags = {"graph": graph, "literature": literature, "model": model, "home": home, "species": species}
    # Errors that database drivers log are also raised and become messages, so the log is shown only with --debug.
    # Without any handler, Python would print the log in any case.
    logging.getLogger().addHandler((debug and logging.lastResort) or logging.NullHandler())
    context.obj = Output(flags=flags, json=json, debug=debug)


def hoist(argv: Sequence[str]) -> list[str]:
    """Move global options to the front, where the parser expects them. Words after `--` keep their place."""
    front: list[str] = []
    rest: list[str] = []
    words = iter(argv)
    for word in words:
        if word == "--":
            rest += [word, *words]
        elif word in FLAGS or word.startswith(tuple(f"{name}=" for name in VALUED)):
            front.append(word)
        elif word in VALUED:
            front += [word, *([value] if (value := next(words, None)) is not None else [])]
        else:
            rest.append(word)
    front.sort(key="--version".__eq__)  # last, because --version ends the reading of options
    return front + rest


def run(argv: Sequence[str]) -> int:
    """Run the command and return its exit code. An error becomes one message on stderr."""
    words = hoist(argv)
    front = words[: len(words) - len(list(_after_globals(words)))]
    as_json, debug = "--json" in front, "--debug" in front
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", Notice)
            warnings.showwarning = _warn
            code = app(args=words, prog_name="truthhypo", standalone_mode=False)
        sys.stdout.flush()
        return _exit_code(code if isinstance(code, int) else 0, as_json)
    except TruthHypoError as error:
        return _report_error(error, as_json, debug)
    except typer.Exit as leave:
        return _exit_code(leave.exit_code, as_json)
    except TyperException as error:
        return _report_error(_of_usage(error, words), as_json, debug)
    except (KeyboardInterrupt, typer.Abort):
        return _exit_code(INTERRUPTED, as_json)
    except BrokenPipeError:
        # The reader of the output has closed the pipe, as `| head` does. Python would report this again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - last resort: a bug also becomes one message
        return _report_error(_explained(error), as_json, debug)


def _of_usage(error: TyperException, words: Sequence[str]) -> InputError:
    """Return the error for a wrong command, option or value: what was given, what was expected, and where help is."""
    context, param = getattr(error, "ctx", None), getattr(error, "param", None)
    mend = f"see {context.command_path if context else 'truthhypo'} --help"
    if context and (text := _dashed(words, context.command.params)):
        mend += f"; if {text} is a text, put -- before it: {context.command_path} -- {text}"
    faults: list[Any] = getattr(error.__cause__, "errors", list)()  # pydantic's list of wrong values
    if param is not None and faults:
        expected = faults[0]["msg"].removeprefix("Input should be ").split(" is not ")[-1]
        seen = f"the value {faults[0]['input']!r} for {param.get_error_hint()}"
        return InputError(seen, expected.partition(", unable to")[0].rstrip("."), mend)
    return InputError(error.format_message().rstrip("."), "the arguments and options that the help shows", mend)


def _dashed(words: Sequence[str], params: Sequence[Any]) -> str:
    """Return the word that begins with "-" and is no option of a command, quoted for the shell; "" if there is none.

    The parser reads such a word as options, of one letter each.
    """
    if all(param.param_type_name != "argument" for param in params):
        return ""
    options = {name for param in params for name in (*param.opts, *param.secondary_opts)} | {*VALUED, *FLAGS}
    for word in takewhile("--".__ne__, words):
        name = word.partition("=")[0]
        if name.startswith("-") and name not in options and (" " in name or name[:2] not in options):
            return quote(word)
    return ""


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Write a warning to stderr. A warning of this program is one line; other warnings have Python's format."""
    if issubclass(category, Notice):
        note(f"warning: {message}")
    else:
        (file or sys.stderr).write(printable(warnings.formatwarning(message, category, filename, lineno, line)))


def _exit_code(code: int, as_json: bool) -> int:
    """Return the exit code. If the command was interrupted, write a message first."""
    if code == INTERRUPTED:
        _say(TruthHypoError("interrupted", "", "run the same command again to go on"), as_json, INTERRUPTED)
    return code


def _after_globals(words: Sequence[str]) -> list[str]:
    """Return the command and its arguments, without the global options before the command."""
    position = 0
    while position < len(words) and words[position].startswith("--") and words[position] != "--":
        position += 2 if words[position] in VALUED else 1
    return list(words[position:])


def _report_error(error: TruthHypoError, as_json: bool, debug: bool) -> int:
    """Report an error once, after its traceback if --debug was given."""
    if debug:
        note(format_exc())
    return _say(error, as_json, error.exit_code)


def _explained(error: Exception) -> TruthHypoError:
    """Return the error to report for an exception that no command has handled.

    Bytes that are not UTF-8, file errors and a lack of memory get their own messages. All other exceptions are bugs.
    """
    match error:
        case UnicodeEncodeError():  # from an argument or an environment variable: text from files is checked earlier
            seen = f"{error.object!r} contains bytes that are not UTF-8"
            return InputError(seen, "arguments and settings in UTF-8", "write it in UTF-8")
        case OSError() if error.filename is not None:  # another program changed a file
            seen = f"{error.filename} cannot be used: {error.strerror}"
            remedy = "check what is at this path and its permissions; then run the same command again"
            return StoreUnreachable(seen, "a file of this program", remedy)
        case MemoryError():
            wanted = "input and answers that fit into the memory of this machine"
            return Refused("the memory is used up", wanted, "give smaller files or texts, or more memory")
    what = f"{type(error).__name__}: {error}"
    return TruthHypoError(f"an internal error: {what}", "no internal error", "report it with the output of --debug")


def in_options(text: str) -> str:
    """Return a message for users of Python as a message for the command line: arguments become options."""
    return re.sub(r"the argument `(\w+)`", lambda found: f"the option --{found[1].replace('_', '-')}", text)


def _say(error: TruthHypoError, as_json: bool, code: int) -> int:
    """Write the error to stderr, and with --json also as one JSON document to stdout."""
    error.wanted, error.remedy = in_options(error.wanted), in_options(error.remedy)
    note(f"truthhypo: {error}")
    if as_json:
        said = {"seen": error.seen, "wanted": error.wanted, "remedy": error.remedy, "exit_code": code}
        emit_json({**error.receipt, "error": said} if isinstance(error, TooManyRejects) else {"error": said})
    return code
