"""The port by which long work reports its progress."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

Item = TypeVar("Item")


class Progress(Protocol):
    """Receives the progress of long work."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Start a stage; `total` is its size in `unit` (rows, bytes ...), None if unknown."""

    def advance(self, amount: int) -> None:
        """Add an amount of finished work to the current stage."""

    def note(self, text: str) -> None:
        """Show one line immediately, for example what the work waits for."""


class Silent:
    """A progress receiver that ignores everything."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Do nothing."""

    def advance(self, amount: int) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""


def watched(items: Sequence[Item], progress: Progress, stage: str, unit: str) -> Iterator[Item]:
    """Yield the items of a stage. An item is reported as done when the next item is requested."""
    progress.begin(stage, len(items), unit)
    for item in items:
        yield item
        progress.advance(1)


def watched_rows(batches: Iterable["pa.RecordBatch"], progress: Progress) -> Iterator["pa.RecordBatch"]:
    """Yield batches. The rows of a batch are reported as done when the next batch is requested."""
    for batch in batches:
        yield batch
        progress.advance(batch.num_rows)
