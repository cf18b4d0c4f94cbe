"""How long work tells whoever watches."""

from typing import Protocol


class Progress(Protocol):
    """What long work tells whoever watches."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """A stage starts; total in `unit` (rows, bytes ...), None if unknown."""

    def advance(self, amount: int) -> None:
        """That much more of the stage is done."""


class Silent:
    """Progress that nobody watches."""

    def begin(self, stage: str, total: int | None, unit: str) -> None:
        """Say nothing."""

    def advance(self, amount: int) -> None:
        """Say nothing."""
