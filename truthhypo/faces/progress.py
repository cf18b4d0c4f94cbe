"""Show progress on stderr: a bar on a terminal, otherwise a line every ten seconds. stdout is for results."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from importlib.util import find_spec
from threading import Lock
from time import monotonic
from typing import Any

from rich.filesize import decimal
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from groundwork.ports import Progress as Receiver
from groundwork.ports import Silent
from groundwork.records.base import printable
from truthhypo.faces.layout import Screen

#: Seconds between two lines if stderr is not a terminal.
INTERVAL = 10.0
#: Maximum number of bars on a terminal.
SHOWN = 6


class _Done(ProgressColumn):
    """A column with the amount done, the total and the rate, in the unit of the stage."""

    def render(self, task: Task) -> Text:
        """Return the column's text, for example `1.0 MB of 3.0 MB  1.0 MB/s` or `2 of 5 texts  0.4/s`."""
        unit, speed = task.fields["unit"], task.speed
        if unit == "bytes":
            amounts = [decimal(int(number)) for number in (task.completed, task.total) if number is not None]
            rate = f"  {decimal(int(speed))}/s" if speed is not None else ""
            return Text(f"{' of '.join(amounts)}{rate}")
        amounts = [f"{number:,.0f}" for number in (task.completed, task.total) if number is not None]
        rate = f"  {_rate(speed)}/s" if speed is not None else ""
        return Text(f"{' of '.join(amounts)} {unit}{rate}")


class Bar:
    """Progress bars on a terminal: one per stage, with rate and time left.

    Attributes:
        bars: The display of the bars, a context manager. It is visible inside its `with` block.
    """

    def __init__(self) -> None:
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            _Done(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(),
            console=Screen(stderr=True),
            transient=True,
        )
        self._stage: TaskID | None = None

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start a new bar. If there are more than SHOWN bars, remove the oldest, because a screen has few lines."""
        self._stage = self.bars.add_task(printable(stage), total=total, unit=unit)
        for old in self.bars.task_ids[:-SHOWN]:
            self.bars.remove_task(old)

    def advance(self, amount: int) -> None:
        """Advance the newest bar."""
        if self._stage is not None:
            self.bars.advance(self._stage, amount)

    def note(self, text: str) -> None:
        """Print a line above the bars."""
        self.bars.console.print(text, markup=False, highlight=False)


class Lines:
    """Progress lines every ten seconds: stage, amount done, total, rate, time left. Shorter work prints nothing."""

    def __init__(self) -> None:
        self._stage, self._unit = "", ""
        self._total: int | None = None
        self._done = 0
        self._began = self._told = monotonic()
        self._counting = Lock()  # replies of a language model arrive in several threads

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start counting a new stage."""
        self._stage, self._unit, self._total, self._done = printable(stage), unit, total, 0
        self._began = monotonic()

    def advance(self, amount: int) -> None:
        """Add to the count. Print a line if the last one is ten seconds old."""
        with self._counting:
            self._done += amount
            now = monotonic()
            if now - self._told < INTERVAL:
                return
            self._told = now
            self._tell(now)

    def note(self, text: str) -> None:
        """Write a line immediately."""
        sys.stderr.write(f"{printable(text)}\n")
        sys.stderr.flush()

    def _tell(self, now: float) -> None:
        rate = self._done / max(now - self._began, 1e-9)
        of = f" of {self._total:,}" if self._total else ""
        left = f", {(self._total - self._done) / rate:,.0f} s left" if self._total and rate else ""
        sys.stderr.write(f"{self._stage}: {self._done:,}{of} {self._unit}, {_rate(rate)}/s{left}\n")
        sys.stderr.flush()


class NotebookBar:
    """A bar of tqdm in a notebook. tqdm is not one of our dependencies, but most notebooks have it."""

    def __init__(self) -> None:
        self._bar: Any = None

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start a new bar in the place of the last one."""
        if find_spec("ipywidgets") is not None:
            from tqdm.notebook import tqdm  # type: ignore[import-untyped,unused-ignore]
        else:  # tqdm.auto would warn
            from tqdm import tqdm  # type: ignore[import-untyped,unused-ignore]

        self.close()
        self._bar = tqdm(total=total, desc=printable(stage), unit=f" {unit}")

    def advance(self, amount: int) -> None:
        """Advance the bar."""
        if self._bar is not None:
            self._bar.update(amount)

    def note(self, text: str) -> None:
        """Write a line above the bar."""
        sys.stderr.write(f"{printable(text)}\n")

    def close(self) -> None:
        """Close the bar. It stays visible in the notebook."""
        if self._bar is not None:
            self._bar.close()


def _rate(rate: float) -> str:
    """Return a rate as text, with one decimal if it is below 10."""
    return f"{rate:,.{0 if rate >= 10 else 1}f}"


def watched(progress: bool | Receiver) -> AbstractContextManager[Receiver]:
    """Return the progress display that a Python user asks for.

    Args:
        progress: True for a progress display, False for none, or an object that receives the progress. The display is
            a bar of tqdm in a notebook with tqdm, a bar of rich on a terminal, and lines otherwise.
    """
    if not isinstance(progress, bool):
        return nullcontext(progress)
    if not progress:
        return nullcontext(Silent())
    notebook = "ipykernel" in sys.modules and find_spec("tqdm") is not None
    return closing(NotebookBar()) if notebook else watch()


@contextmanager
def watch() -> Iterator[Receiver]:
    """Yield progress bars if stderr is a terminal, and progress lines otherwise."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    bar = Bar()
    with bar.bars:
        yield bar
