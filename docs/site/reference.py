"""Markdown of the reference pages, from the commands, the settings and the records themselves."""

import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import SecretStr
from typer.main import get_command

from fuzzygraph.belief import BeliefReport
from fuzzygraph.options import RiskOptions
from fuzzygraph.risk_report import RiskReport
from groundwork.options import Options, entries
from groundwork.records import Chains, Edges, Found, Hits, Record, Stats, Table
from groundwork.records.release import Release
from groundwork.settings import PREFIX, Settings
from ingest.receipt import Receipt
from knowhd.ground_report import GroundReport
from knowhd.groundedness import SetGroundedness
from knowhd.options import GroundOptions
from truthhypo.faces.cli.entry import app
from truthhypo.hypotheses.build import BuiltSet
from truthhypo.hypotheses.hypothesis import Hypothesis
from truthhypo.hypotheses.options import HypothesizeOptions
from truthhypo.service.exploring import Neighbourhood
from truthhypo.service.timeline import Timeline
from truthhypo.service.watching import WatchReport

#: Records that commands print and methods return; the records inside them follow by themselves.
ANSWERS: dict[str, type[Record]] = {
    "ground": GroundReport,
    "ground --file, at its end": SetGroundedness,
    "risk": RiskReport,
    "hypothesize": Hypothesis,
    "belief": BeliefReport,
    "graph find": Found,
    "graph edges": Edges,
    "graph chains": Chains,
    "graph query": Table,
    "graph stats": Stats,
    "literature search": Hits,
    "ingest": Receipt,
    "ingest releases": Release,
    "watch run": WatchReport,
    "bench build": BuiltSet,
    "GET /concepts/{key} of the service": Neighbourhood,
    "POST /timeline of the service": Timeline,
}
#: The options of each method that judges.
OPTIONS: dict[str, type[Options]] = {
    "World.ground": GroundOptions,
    "World.risk": RiskOptions,
    "World.hypothesize": HypothesizeOptions,
}


def commands() -> str:
    """Return a section for each command with its help, arguments and options."""
    main = get_command(app)
    parts = ["## Global options\n", _options(main)]
    for name in main.list_commands(None):  # type: ignore[arg-type]  # the lazy group does not use it
        parts += _command(main.commands[name], f"truthhypo {name}", 2)
    return "\n".join(parts)


def _command(command: Any, name: str, level: int) -> Iterator[str]:
    yield f"\n{'#' * level} {name}\n"
    yield _escaped(inspect.cleandoc(command.help or "").split("\f")[0]) + "\n"
    yield _options(command)
    for inner in getattr(command, "commands", {}):
        yield from _command(command.commands[inner], f"{name} {inner}", level + 1)


def _options(command: Any) -> str:
    rows = []
    for parameter in command.params:
        if parameter.name == "help" or getattr(parameter, "hidden", False):
            continue
        given = [*parameter.opts, *parameter.secondary_opts]
        name = " ".join(f"`{each}`" for each in given if each.startswith("-")) or f"`{parameter.name.upper()}`"
        default = parameter.default
        shown = "" if default is None or default is False or callable(default) or default == [] else f"`{default}`"
        rows.append(
            (name, _escaped(getattr(parameter, "help", None) or ""), "required" if parameter.required else shown)
        )
    return _table(("option", "meaning", "default"), rows) if rows else ""


def settings() -> str:
    """Return a table of all settings: name, meaning and limits, default, environment variable."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.default
        if field.default_factory:
            shown = "the user's data folder"
        elif isinstance(default, SecretStr) or default in ("", None):
            shown = ""
        else:
            shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
        rows.append((f"`{name}`", _escaped(field.description or ""), shown, f"`{PREFIX}{name.upper()}`"))
    return _table(("setting", "meaning", "default", "environment variable"), rows)


def options() -> str:
    """Return a table of the options of each judgement: name, type, default and meaning."""
    parts = []
    for method, record in OPTIONS.items():
        rows = [
            (f"`{each.name}`", f"`{_type(each.type)}`", f"`{each.default!r}`", _escaped(each.help))
            for each in entries(record)
        ]
        parts.append(f"\n### Options of {method}\n\n{_table(('option', 'type', 'default', 'meaning'), rows)}")
    return "\n".join(parts)


def records() -> str:
    """Return a section for each answer and for each record that occurs in it, with the fields."""
    parts, shown = [], {}
    for name, record in ANSWERS.items():
        for inner in _within(record):
            shown.setdefault(inner, []).append(name)
    titles = {record: _title(record, shown) for record in shown}
    for record, names in shown.items():
        parts.append(f"\n## {titles[record]}\n")
        parts.append(f"In the answer of {', '.join(f'`{name}`' for name in names)}. {_lead(record)}\n")
        parts.append(_fields(record, titles))
    return "\n".join(parts)


def _title(record: type, shown: Iterable[type]) -> str:
    """Return the name of a record, with its room where two records have one name."""
    alone = [other for other in shown if other.__name__ == record.__name__] == [record]
    return record.__name__ if alone else f"{record.__name__} ({record.__module__})"


def _within(record: type, seen: tuple[type, ...] = ()) -> list[type]:
    """Return a record and the records in its fields, in the order in which they occur."""
    found: list[type] = [record]
    for hint in _hints(record).values():
        for inner in _records_of(hint):
            if inner not in (*seen, *found):
                found += [each for each in _within(inner, (*seen, *found)) if each not in found]
    return found


def _hints(record: type) -> dict[str, Any]:
    hints = get_type_hints(record)
    return {each.name: hints[each.name] for each in fields(record) if not each.metadata.get("private")}


def _records_of(hint: Any) -> list[type]:
    if isinstance(hint, type) and get_origin(hint) is None:
        return [hint] if is_dataclass(hint) else []
    return [record for inner in get_args(hint) for record in _records_of(inner)]


def _fields(record: type, titles: dict[type, str]) -> str:
    told = _attributes(record)
    rows = []
    for name, hint in _hints(record).items():
        links = [f"[{titles[each]}](#{_slug(titles[each])})" for each in dict.fromkeys(_records_of(hint))]
        rows.append((f"`{name}`", f"`{_type(hint)}`", " ".join([_escaped(told.get(name, "")), *links]).strip()))
    return _table(("field", "type", "meaning"), rows)


def _type(hint: Any) -> str:
    """Return a type without the modules of its parts."""
    return re.sub(
        r"\b(?:\w+\.)+(?=\w)", "", hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    )


def _slug(title: str) -> str:
    from markdown.extensions.toc import slugify

    return str(slugify(title, "-"))


def _lead(record: type) -> str:
    return _escaped(" ".join(inspect.cleandoc(record.__doc__ or "").split("\n\n")[0].split()))


def _attributes(record: type) -> dict[str, str]:
    """Return the descriptions of a record's fields from its docstring; those of its bases count too."""
    told = {each.name: each.help for each in entries(record)} if issubclass(record, Options) else {}
    for base in reversed(record.__mro__):
        text = inspect.cleandoc(base.__doc__ or "")
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", text, re.MULTILINE)
        for name, meaning in re.findall(
            r"^    (\w+): (.*(?:\n+     .*)*)", section[1] if section else "", re.MULTILINE
        ):
            told[name] = re.sub(r"\s+(?:- (?=`))?", lambda found: " • " if "-" in found[0] else " ", meaning.strip())
    return told


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(each) for each in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return text for a cell of a table. Bars within code do not end a cell, and a backslash would be shown there."""
    return "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in re.split("(`[^`]*`)", text))


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is: brackets and angles would be read as links and tags."""
    return re.sub(r"([<>\[\]*_])", r"\\\1", text)
