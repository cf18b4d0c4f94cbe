"""What all commands share: the global options, the settings and stores of a run, and the output of results."""

from __future__ import annotations

import json as codec
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundwork.records.base import CONTROLS, printable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from groundwork.ports import GraphReader, LiteratureReader
    from groundwork.settings import Settings
    from truthhypo.world import World


@dataclass(frozen=True, slots=True)
class Output:
    """The global options of one run of the command.

    Attributes:
        flags: Values of the global options that are settings, by name; None if an option was not given.
        json: Whether to write one JSON document to stdout instead of text for people.
        debug: Whether to show tracebacks.
    """

    flags: Mapping[str, str | None]
    json: bool
    debug: bool

    def settings(self, **more: Any) -> Settings:
        """Return the settings of this run.

        Args:
            **more: Values of further settings, from options of this command; None if an option was not given.

        Raises:
            InputError: A setting is unknown or out of range.
        """
        from groundwork.settings import load

        return load({**self.flags, **more})[0]

    def origins(self) -> tuple[Settings, dict[str, str]]:
        """Return the settings of this run and the source of each value."""
        from groundwork.settings import load

        return load(self.flags)

    def world(self, *, read_only: bool = True, loading: bool = False, **more: Any) -> World:
        """Open the stores and models of this run.

        Args:
            read_only: See `World`.
            loading: See `World`.
            **more: See `settings`.
        """
        from truthhypo.world import World

        return World(self.settings(**more), read_only=read_only, loading=loading)

    def show(self, shape: Any, render: Callable[[Console], None]) -> None:
        """Print a result as JSON or as text for people.

        Args:
            shape: The result as plain JSON values.
            render: Function that prints the result for people.
        """
        if self.json:
            emit_json(shape)
        else:
            from truthhypo.faces.layout import Screen

            render(Screen(highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty()))


def loading(home: Path, *stores: GraphReader | LiteratureReader) -> dict[str, bool]:
    """Warn on stderr about unfinished loads of these stores.

    Args:
        home: The folder HOME, which knows the files of the loads.
        stores: The stores.

    Returns:
        The entry `loading` for the JSON answer if a load is unfinished, otherwise {}.
    """
    from groundwork.inventory import labels
    from truthhypo.lookups import unfinished_loads

    loads = labels(home, unfinished_loads(*stores))
    if loads:
        note(
            f"warning: the load of {', '.join(loads)} is not finished, so answers may mix old and new data; "
            "if the load is no longer running, run its `ingest` command again to finish it"
        )
    return {"loading": True} if loads else {}


def emit_json(shape: Any) -> None:
    """Write one JSON document to stdout, as UTF-8 and without NaN. Characters that control a terminal are escaped."""
    text = codec.dumps(shape, ensure_ascii=False, allow_nan=False, indent=2)
    text = CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """Write lines for people to stderr. On a terminal, long lines are wrapped between words."""
    text = printable(text)
    if sys.stderr.isatty():
        from shutil import get_terminal_size
        from textwrap import TextWrapper

        wrapper = TextWrapper(
            get_terminal_size().columns, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        text = "\n".join(wrapper.fill(line) for line in text.split("\n"))
    sys.stderr.write(text + "\n")
