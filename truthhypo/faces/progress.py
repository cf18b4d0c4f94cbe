"""Progress on stderr: a bar on a terminal, a line now and then elsewhere. stdout is for results."""

import sys
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Literal, Protocol, Self

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

#: Seconds between two lines where stderr is no terminal.
INTERVAL = 10.0
#: Bars on a terminal at a time.
SHOWN = 6


class Watched(Protocol):
    """Progress that has to be opened and closed."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """See `groundwork.ports.Progress`."""

    def advance(self, amount: int) -> None:
        """See `groundwork.ports.Progress`."""

    def note(self, text: str) -> None:
        """See `groundwork.ports.Progress`."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]: ...


class _Done(ProgressColumn):
    """Done, total and rate in the stage's unit."""

    def render(self, task: Task) -> Text:
        """For example `1.0 MB of 3.0 MB  1.0 MB/s`."""
        unit = task.fields["unit"]

        def amount(number: float) -> str:
            return decimal(int(number)) if unit == "bytes" else f"{number:,.0f} {unit}"

        total = f" of {amount(task.total)}" if task.total is not None else ""
        rate = f"  {amount(task.speed)}/s" if task.speed is not None else ""
        return Text(f"{amount(task.completed)}{total}{rate}")


class Bar:
    """A rich progress bar a stage, with rate and time left."""

    def __init__(self) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            _Done(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._stage: TaskID | None = None

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start a new bar; the oldest goes, since a download may have a thousand stages and a screen has few lines."""
        self._stage = self._bars.add_task(stage, total=total, unit=unit)
        for old in self._bars.task_ids[:-SHOWN]:
            self._bars.remove_task(old)

    def advance(self, amount: int) -> None:
        """Move the newest bar."""
        if self._stage is not None:
            self._bars.advance(self._stage, amount)

    def note(self, text: str) -> None:
        """Print the line above the bars."""
        self._bars.console.print(text, markup=False, highlight=False)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        self._bars.stop()
        return False


class Lines:
    """A line every ten seconds: stage, done, total, rate, time left. Nothing for work that is over sooner."""

    def __init__(self) -> None:
        self._stage, self._unit = "", ""
        self._total: int | None = None
        self._done = 0
        self._began = self._told = monotonic()
        self._counting = Lock()  # answers of a language model come in several threads

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Remember the stage."""
        self._stage, self._unit, self._total, self._done = stage, unit, total, 0
        self._began = monotonic()

    def advance(self, amount: int) -> None:
        """Count, and tell if it is time."""
        with self._counting:
            self._done += amount
            now = monotonic()
            if now - self._told < INTERVAL:
                return
            self._told = now
            self._tell(now)

    def note(self, text: str) -> None:
        """Write the line at once."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def _tell(self, now: float) -> None:
        rate = self._done / max(now - self._began, 1e-9)
        of = f" of {self._total:,}" if self._total else ""
        left = f", {(self._total - self._done) / rate:,.0f} s left" if self._total and rate else ""
        sys.stderr.write(
            f"{self._stage}: {self._done:,}{of} {self._unit}, {rate:,.{0 if rate >= 10 else 1}f}/s{left}\n"
        )
        sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        return False


def watch() -> Watched:
    """The progress that fits this stderr."""
    return Bar() if sys.stderr.isatty() else Lines()
