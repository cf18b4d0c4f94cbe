"""What every command shares: the flags, the settings and world they give, and where results go."""

from __future__ import annotations

import json as codec
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from groundwork.ports import GraphReader, LiteratureReader
    from groundwork.settings import Settings
    from truthhypo.world import World


@dataclass(frozen=True, slots=True)
class Output:
    """Global options of one run.

    Attributes:
        flags: Settings given as flags; None where not given.
        json: One JSON document on stdout instead of text for people.
        debug: Show tracebacks.
    """

    flags: Mapping[str, str | None]
    json: bool
    debug: bool

    def settings(self, **more: Any) -> Settings:
        """The settings of this run.

        Args:
            **more: Settings that options of one command give; None where not given.

        Raises:
            InputError: One that is unknown or out of range.
        """
        from groundwork.settings import load

        return load({**self.flags, **more})[0]

    def origins(self) -> tuple[Settings, dict[str, str]]:
        """The settings of this run and where each came from."""
        from groundwork.settings import load

        return load(self.flags)

    def world(self, *, read_only: bool = True, loading: bool = False, **more: Any) -> World:
        """The world of this run; `read_only` and `loading` as for `World`, `more` as for `settings`."""
        from truthhypo.world import World

        return World(self.settings(**more), read_only=read_only, loading=loading)

    def show(self, shape: Any, render: Callable[[Console], None]) -> None:
        """Print a result: as JSON, or rendered for people.

        Args:
            shape: Plain JSON values.
            render: Prints the same for people.
        """
        if self.json:
            emit_json(shape)
        else:
            from rich.console import Console

            render(Console(highlight=False, emoji=False, soft_wrap=not sys.stdout.isatty()))


def loading(*stores: GraphReader | LiteratureReader) -> dict[str, bool]:
    """Say on stderr which loads of these stores are unfinished, and return what the JSON answer says of that."""
    from truthhypo.lookups import unfinished_loads

    loads = unfinished_loads(*stores)
    if loads:
        note(
            f"warning: the load of {', '.join(loads)} is unfinished, so answers may mix what was before it and after "
            "it; unless it is still running, run its `ingest` command again to finish it"
        )
    return {"loading": True} if loads else {}


def emit_json(shape: Any) -> None:
    """Write one JSON document to stdout, UTF-8, never NaN."""
    text = codec.dumps(shape, ensure_ascii=False, allow_nan=False, indent=2)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def note(text: str) -> None:
    """A line for people on stderr."""
    sys.stderr.write(text + "\n")
