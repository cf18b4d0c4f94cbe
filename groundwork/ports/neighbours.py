"""The port of embedding neighbours: concepts whose names mean something near a phrase."""

from typing import Protocol

from groundwork.records import Match


class Neighbours(Protocol):
    """Finds concepts by what their names mean, where no spelling leads to them."""

    def near(self, phrase: str, type: str | None = None) -> tuple[Match, ...]:
        """The nearest few, best first; ties by key. `how` is `embedding`, the score the cosine, in (0, 1].

        Args:
            phrase: Words that no name is spelled like.
            type: The only concept type that counts.

        Raises:
            ModelError: The embedder failed.
        """
