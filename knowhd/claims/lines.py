"""Divide a text into the parts from which claims are taken: its sentences, and parts of very long sentences."""

from groundwork.cutting import cut
from groundwork.layout.parts import Part, parts
from groundwork.layout.verbs import relates

__all__ = ["lines", "relates"]


def lines(text: str, *, questions: bool = True) -> list[tuple[Part, tuple[str, ...]]]:
    """Return the parts of a text (`groundwork.layout.parts`) in order, with flags for their claims.

    The flag `cut` marks the parts of a long sentence. Questions are left out if `questions` is False.
    """
    found: list[tuple[Part, tuple[str, ...]]] = []
    for part in parts(text):
        if questions or not part.said.endswith("?"):
            pieces = cut(part.sentence) if part.said == part.sentence.text else ()
            apart = [Part(piece, piece.text) for piece in pieces] if len(pieces) > 1 else [part]
            found += [(each, ("cut",) if len(pieces) > 1 else ()) for each in apart]
    return found
