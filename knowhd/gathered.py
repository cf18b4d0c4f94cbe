"""A text's claims with the evidence on each, before a judge reads them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from groundwork.errors import ReplyError
from groundwork.linking import Mention
from groundwork.ports import GraphReader
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Evidence, Passage, Piece, Trail
from knowhd.evidence.shown import names_of
from knowhd.ground_report import Usage
from knowhd.judge import articles, pieces_of


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything about a text that a judge reads.

    Attributes:
        text: The text.
        claims: Its claims.
        evidence: The evidence on each claim, in the order of the claims.
        missed: Sentences that make a statement but gave no claim.
        release: The live releases of graph and literature, each as `SOURCE:ID`, sorted.
        begun: Total usage of the language model before this text.
        apart: Total usage of the language model after the text was split into claims.
        lost: The model's error if it could not split the text; otherwise None.
    """

    text: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    missed: tuple[str, ...]
    release: tuple[str, ...]
    begun: Usage
    apart: Usage
    lost: ReplyError | None = None

    @property
    def pmids(self) -> frozenset[int]:
        """The articles behind all pieces of evidence."""
        return frozenset(articles(self._pieces))

    @property
    def _pieces(self) -> list[Piece]:
        return [piece for each in self.evidence for piece in pieces_of(each, "both")]

    def digest(self, graph: GraphReader) -> str:
        """Return a hash of all data of the claims and the evidence that judges read.

        If the hash is the same, a judge gives the same verdicts. Scores of articles and of names are left out, because
        every load changes them a little and judges do not read them. Beliefs are left out as well, because they follow
        from the number of articles. The graph gives the names of concepts, which are shown to language models.
        """
        shape = [
            [[claim.text, claim.concepts, claim.flags, _mentions(claim.mentions)] for claim in self.claims],
            [[_read(piece) for piece in pieces_of(each, "both")] for each in self.evidence],
            [sorted(each.left_out.items()) for each in self.evidence],
            sorted(names_of(self._pieces, graph).items()),
            self.missed,
            self.lost.seen if self.lost else None,
        ]
        return sha256(json.dumps(shape).encode("utf-8", "surrogatepass")).hexdigest()


def _read(piece: Piece) -> list[Any]:
    """Return the data of a piece of evidence that judges read."""
    if isinstance(piece, Passage):
        return [piece.id, piece.title, piece.sentence, piece.section, piece.retracted, _mentions(piece.mentions)]
    hops = [[hop.relation, hop.articles, hop.pmids] for hop in piece.hops] if isinstance(piece, Trail) else []
    return [piece.id, hops, sorted(piece.every), piece.retracted]


def _mentions(mentions: Iterable[Mention]) -> list[Any]:
    return [[each.start, each.end, each.key, [match.key for match in each.alternatives]] for each in mentions]
