"""Fit evidence into a token limit: whole pieces, best first, and a count of those that do not fit."""

from dataclasses import replace
from itertools import zip_longest
from typing import Any

from groundwork.ports import GraphReader
from knowhd.evidence.pieces import KINDS, Evidence, Kind, Piece
from knowhd.evidence.shown import shown, tokens_of
from knowhd.judge import articles, pieces_of

#: Tokens for a piece's label, its line end and its id in the answer.
LABEL = 6


def pack(evidence: Evidence, tokens: int | None, graph: GraphReader) -> Evidence:
    """Return the best evidence that fits into a token limit.

    Edges, sentences and chains are taken in turn, by rank, so that no kind displaces another. A piece is shown whole or
    not at all. If a piece does not fit, the next one is tried.

    `tokens` (>= 1) is the limit for all pieces together, counted by `shown.tokens_of`. None keeps all. The claim is not
    counted and never cut.
    """
    if tokens is None:
        return evidence
    lines = shown(pieces_of(evidence, "both"), graph)
    room, kept = tokens, set[str]()
    for turn in zip_longest(evidence.graph, evidence.literature, evidence.chains):
        for piece in filter(None, turn):
            cost = tokens_of(lines[piece.id]) + LABEL
            if cost <= room:
                room -= cost
                kept.add(piece.id)
    held: dict[Kind, tuple[Piece, ...]] = {kind: getattr(evidence, kind) for kind in KINDS}
    chosen: dict[str, Any] = {kind: tuple(p for p in pieces if p.id in kept) for kind, pieces in held.items()}
    unseen = articles(held["literature"]) - articles(chosen["literature"])
    lost = {kind: evidence.left_out.get(kind, 0) + len(held[kind]) - len(chosen[kind]) for kind in KINDS}
    return replace(evidence, left_out=lost, read=evidence.read - unseen, **chosen)
