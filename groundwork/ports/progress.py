"""How long work tells whoever watches."""

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """What long work tells whoever watches."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """A stage starts; total in `unit` (rows, bytes ...), None if unknown."""

    def advance(self, amount: int) -> None:
        """That much more of the stage is done."""

    def note(self, text: str) -> None:
        """Show one line at once, for example what the work waits for."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Say nothing."""

    def advance(self, amount: int) -> None:
        """Say nothing."""

    def note(self, text: str) -> None:
        """Say nothing."""


def watched(items: Sequence[Item], progress: Progress, stage: str, unit: str) -> Iterator[Item]:
    """The items of a stage, one by one; each is told as done when the next is asked for."""
    progress.begin(stage, len(items), unit)
    for item in items:
        yield item
        progress.advance(1)
