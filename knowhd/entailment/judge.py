"""The judge that asks an entailment model whether a piece of evidence (premise) entails or contradicts the claim.

Each piece is scored separately. A piece longer than the model's window is scored in chunks, and the largest probability
of each stance counts, as in the code of MiniCheck's authors. The claim is never cut. Verdicts follow from the stances
by the same rule as for all judges (`knowhd.judge`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from groundwork.language import sentences
from groundwork.ports import GraphReader, Progress, Silent
from groundwork.records.shortened import counted
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Bearing, Evidence, Piece
from knowhd.evidence.shown import spoken
from knowhd.judge import SOURCES, Case, Judgement, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.prompt import harmless
from knowhd.wording import listed, say

#: Minimum probability of a stance (supports or contradicts) for a piece of evidence to get this stance.
THRESHOLD = 0.5
#: Minimum number of tokens that must be left for a premise beside the claim.
LEAST = 16
#: Number of claims whose pieces are scored together. With many pieces, those of similar length can share a batch.
TOGETHER = 32

Probabilities = Mapping[Stance, float]


class Scorer(Protocol):
    """A model that returns how probably a premise entails or contradicts a hypothesis.

    Attributes:
        name: Name for output and storage.
        window: Maximum number of tokens, premise and hypothesis together, without the model's special tokens.
    """

    name: str
    window: int

    def length(self, text: str) -> int:
        """Return the number of tokens of a text, without special tokens at its ends."""

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[dict[Stance, float]]:
        """Return probabilities in [0, 1] per (premise, hypothesis), for the stances that the model knows.

        Raises:
            ModelError: The model failed.
        """


class EntailmentJudge:
    """Judges claims by the probabilities of a scorer.

    Args:
        scorer: The model.
        graph: Store with the names of concepts.
        threshold: Minimum probability of a stance for a piece of evidence to get this stance, in (0, 1).
    """

    def __init__(self, scorer: Scorer, graph: GraphReader, threshold: float = THRESHOLD) -> None:
        self.name = scorer.name
        self._scorer = scorer
        self._graph = graph
        self._threshold = threshold

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case. `progress` advances after every TOGETHER cases.

        Raises:
            ModelError: The model failed.
        """
        seen = progress or Silent()
        seen.begin("judging", len(cases), "claims")
        found: list[dict[Source, Judgement]] = []
        for start in range(0, len(cases), TOGETHER):
            found += self._together(cases[start : start + TOGETHER])
            seen.advance(len(found) - start)
        return found

    def _together(self, cases: Sequence[Case]) -> list[dict[Source, Judgement]]:
        """Return the judgements of cases whose pieces are scored together."""
        pairs: list[tuple[str, str]] = []
        owners: list[tuple[int, str]] = []
        for number, (claim, evidence) in enumerate(cases):
            hypothesis = harmless(claim.text)
            for piece, premise in spoken(pieces_of(evidence, "both"), self._graph).items():
                parts = list(self._chunks(premise, hypothesis))
                pairs += [(part, hypothesis) for part in parts]
                owners += [(number, piece)] * len(parts)
        found: list[dict[str, dict[Stance, float]]] = [{} for _ in cases]
        for (number, piece), scores in zip(owners, self._scorer.score(pairs) if pairs else [], strict=True):
            best = found[number].setdefault(piece, {})
            best.update({stance: max(p, best.get(stance, 0.0)) for stance, p in scores.items()})
        return [self._judged(*case, scored) for case, scored in zip(cases, found, strict=True)]

    def _judged(self, claim: Claim, evidence: Evidence, scored: Mapping[str, Probabilities]) -> dict[Source, Judgement]:
        if pieces_of(evidence, "both") and not scored:
            size = self._scorer.length(harmless(claim.text))
            return dict.fromkeys(SOURCES, failed(say("entailment", "too_long", size=size, window=self._scorer.window)))
        return {source: self._by(pieces_of(evidence, source), scored, source) for source in SOURCES}

    def _by(self, pieces: Sequence[Piece], scored: Mapping[str, Probabilities], source: Source) -> Judgement:
        if not pieces:
            return without_evidence(source)
        own = {piece.id: scored[piece.id] for piece in pieces}
        stances = {piece: stance for piece, p in own.items() if (stance := self._stance(p))}
        judged = weigh(pieces, stances, self._reason(own))
        told: dict[str, Mapping[Bearing, float]] = {piece: dict(p.items()) for piece, p in own.items()}
        return replace(judged, probabilities=told)

    def _stance(self, probabilities: Probabilities) -> Stance | None:
        """Return the stance that reaches the threshold; None if no stance reaches it, or if both do.

        Both can reach it, because each probability is the largest over all chunks of a piece.
        """
        sides = [stance for stance, p in probabilities.items() if p >= self._threshold]
        return sides[0] if len(sides) == 1 else None

    def _reason(self, scored: Mapping[str, Probabilities]) -> str:
        told = dict.fromkeys(stance for p in scored.values() for stance in p)
        most = [say("entailment", stance, probability=max(p[stance] for p in scored.values())) for stance in told]
        pieces = f"{counted(len(scored), 'piece')} of evidence"
        return say("entailment", "largest", pieces=pieces, sides=listed(most, "and"), threshold=self._threshold)

    def _chunks(self, premise: str, hypothesis: str) -> Iterable[str]:
        """Yield parts of a premise that fit into the window beside the claim; nothing if the claim leaves no room."""
        room = self._scorer.window - self._scorer.length(hypothesis)
        if room < LEAST:
            return
        if self._scorer.length(premise) <= room:
            yield premise
            return
        part = ""
        for unit in self._units(premise, room):
            longer = f"{part} {unit}".strip()
            if part and self._scorer.length(longer) > room:
                yield part
                longer = unit
            part = longer
        if part:
            yield part

    def _units(self, premise: str, room: int) -> Iterable[str]:
        """Yield the sentences of a premise. A sentence that is too long is split into words.

        A word that is too long is split into parts.
        """
        for sentence in sentences(premise):
            if self._scorer.length(sentence.text) <= room:
                yield sentence.text
                continue
            for word in sentence.text.split():
                if self._scorer.length(word) <= room:
                    yield word
                else:
                    yield from (word[at : at + room // 4] for at in range(0, len(word), room // 4))
