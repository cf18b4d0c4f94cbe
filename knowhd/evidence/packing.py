"""Evidence within a budget of tokens: whole pieces, the best first, and a count of those that are left out."""

from itertools import zip_longest

from groundwork.errors import InputError
from knowhd.evidence.pieces import Evidence, Kind, Piece
from knowhd.evidence.shown import Lines, tokens_of
from knowhd.judge import pieces_of

#: Tokens that a piece's label, its line end and its place in the answer cost.
LABEL = 6


def pack(evidence: Evidence, tokens: int | None, lines: Lines) -> Evidence:
    """The best of the evidence that fits.

    Edges, sentences and chains take turns in the order of their ranks, so that no kind crowds out another. A piece is
    shown whole or not at all; one that does not fit leaves its room to the next.

    Args:
        evidence: Each kind best first.
        tokens: What the pieces may cost together (`shown.tokens_of`); None keeps all. The claim is not counted: it is
            never cut.
        lines: Writes the pieces.

    Raises:
        InputError: tokens < 1.
    """
    if tokens is None:
        return evidence
    if tokens < 1:
        raise InputError(f"evidence of {tokens} tokens", "at least 1", "give another --evidence-tokens, or none")
    shown = lines.of(pieces_of(evidence, "both"))
    room, kept = tokens, set[str]()
    for turn in zip_longest(evidence.graph, evidence.literature, evidence.chains):
        for piece in filter(None, turn):
            cost = tokens_of(shown[piece.id]) + LABEL
            if cost <= room:
                room -= cost
                kept.add(piece.id)
    kinds: dict[Kind, tuple[Piece, ...]] = {
        "graph": evidence.graph,
        "literature": evidence.literature,
        "chains": evidence.chains,
    }
    return Evidence(
        tuple(p for p in evidence.graph if p.id in kept),
        tuple(p for p in evidence.literature if p.id in kept),
        tuple(p for p in evidence.chains if p.id in kept),
        {
            kind: evidence.left_out.get(kind, 0) + sum(piece.id not in kept for piece in pieces)
            for kind, pieces in kinds.items()
        },
    )
