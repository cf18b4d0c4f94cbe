"""The port of embedding neighbours: concepts whose names are near in meaning to a phrase."""

from typing import Protocol

from groundwork.records import Match


class Neighbours(Protocol):
    """Finds concepts by the meaning of their names, for phrases that no spelling links to a concept."""

    def near(self, phrase: str, type: str | None = None) -> tuple[Match, ...]:
        """Return the nearest few concepts, best first; ties by key. `how` is `embedding`; the score is the cosine.

        Args:
            phrase: A phrase that is not spelled like any name.
            type: The only concept type to consider; None for all.

        Raises:
            ModelError: If the embedder failed.
        """
