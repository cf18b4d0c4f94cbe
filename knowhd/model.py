"""The judge by a language model: evidence as numbered lines in a fence, and stances of those lines as the answer.

By default one prompt gives the three verdicts of a claim (prompts/judge_once.txt). It can be one prompt a source
(judge.txt) or one for several claims (judge_joint.txt). Only ids of pieces that were shown fit into an answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from groundwork.errors import InputError, ReplyError
from groundwork.ports import GraphReader, LanguageModel
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Evidence, Passage, Piece
from knowhd.evidence.shown import Lines
from knowhd.judge import SOURCES, Case, Judgement, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.prompt import fenced, load

Labels = Mapping[str, Piece]
Judgements = dict[Source, Judgement]


@dataclass(frozen=True, slots=True)
class Asking:
    """How many questions a language model is asked.

    Attributes:
        once: One prompt gives all three verdicts of a claim; otherwise each source has a prompt of its own.
        joint: Claims in one prompt; more than one are asked about once.

    Raises:
        InputError: joint < 1.
    """

    once: bool = True
    joint: int = 1

    def __post_init__(self) -> None:
        if self.joint < 1:
            raise InputError(f"{self.joint} claims in a prompt", "at least 1", "give --joint 1 or more")


class ModelJudge:
    """Judges claims by asking a language model which pieces of evidence support and which contradict.

    A source without evidence is not asked about, and the union is asked about only if both sources have some.

    Args:
        model: The model.
        graph: Gives the names of concepts.
        asking: How many questions it is asked.
    """

    def __init__(self, model: LanguageModel, graph: GraphReader, asking: Asking | None = None) -> None:
        self.name = model.name
        self._model = model
        self._lines = Lines(graph)
        self._asking = asking or Asking()

    def judge(self, claim: Claim, evidence: Evidence) -> Judgements:
        """One judgement per source, see `Judge`."""
        asked = _asked(evidence)
        if self._asking.once and len(asked) > 1:
            return self._once(claim, evidence)
        judgements = {source: self._apart(claim, pieces_of(evidence, source)) for source in asked}
        return _completed(judgements)

    def judge_all(self, cases: Sequence[Case]) -> list[Judgements]:
        """One judgement per source for each case, in their order.

        Claims that share a prompt and get no usable answer to it (one too few, an id that was not shown) are asked
        about singly.
        """
        told = [number for number, (_, evidence) in enumerate(cases) if _asked(evidence)]
        groups = [told[at : at + self._asking.joint] for at in range(0, len(told), self._asking.joint)]
        found: dict[int, Judgements] = {}
        for group in groups:
            together = [cases[number] for number in group]
            judged = self._joint(together) if len(group) > 1 else None
            judged = judged or [self.judge(*case) for case in together]
            found.update(zip(group, judged, strict=True))
        return [found.get(number) or _completed({}) for number in range(len(cases))]

    def _apart(self, claim: Claim, pieces: tuple[Piece, ...]) -> Judgement:
        labels = _labels(pieces)
        prompt = f"{fenced('claim', claim.text)}\n\n{fenced('evidence', self._listed(labels))}"
        try:
            reply = self._ask("judge", prompt, _answer("Judgement", labels))
        except ReplyError as error:
            return failed(error.seen)
        return _judgement(labels, reply)

    def _once(self, claim: Claim, evidence: Evidence) -> Judgements:
        labels = _labels(pieces_of(evidence, "both"))
        prompt = f"{fenced('claim', claim.text)}\n\n{fenced('evidence', self._listed(labels))}"
        shape = _answers("Judgements", evidence, labels)
        try:
            reply = self._ask("judge_once", prompt, shape)
        except ReplyError as error:
            return dict.fromkeys(SOURCES, failed(error.seen))
        return _read(evidence, labels, reply)

    def _joint(self, cases: Sequence[Case]) -> list[Judgements] | None:
        """The judgements of several claims by one prompt; None if the answer cannot be used."""
        names = [f"C{number}" for number in range(1, len(cases) + 1)]
        labels = {name: _labels(pieces_of(case[1], "both"), name) for name, case in zip(names, cases, strict=True)}
        claims = "\n".join(f"{name}. {' '.join(case[0].text.split())}" for name, case in zip(names, cases, strict=True))
        listed = "\n".join(self._listed(own) for own in labels.values())
        shapes: Any = {
            name: (_answers(name, case[1], labels[name]), ...) for name, case in zip(names, cases, strict=True)
        }
        shape = create_model("Judgements", __config__=ConfigDict(extra="forbid"), **shapes)
        prompt = f"{fenced('claims', claims)}\n\n{fenced('evidence', listed)}"
        try:
            reply = self._ask("judge_joint", prompt, shape)
        except ReplyError:
            return None
        return [_read(case[1], labels[name], reply[name]) for name, case in zip(names, cases, strict=True)]

    def _ask(self, name: str, prompt: str, shape: type[BaseModel]) -> dict[str, Any]:
        told = load(name)
        return self._model.ask(told.text, prompt, shape, version=f"{name} {told.version}").model_dump()

    def _listed(self, labels: Labels) -> str:
        """The pieces, a line each, behind their labels."""
        lines = self._lines.of(labels.values())
        return "\n".join(f"{label}. {lines[piece.id]}" for label, piece in labels.items())


def _asked(evidence: Evidence) -> tuple[Source, ...]:
    """The sources that a model is asked about: those with evidence, and the union where both have some."""
    holding = tuple(source for source in SOURCES[:2] if pieces_of(evidence, source))
    return SOURCES if len(holding) == 2 else holding


def _completed(judgements: Mapping[Source, Judgement]) -> Judgements:
    """The judgements of all sources: nothing is asked about nothing, and a union of one source is that source."""
    alone = next(iter(judgements.values()), without_evidence("both"))
    empty: Judgements = {source: without_evidence(source) for source in SOURCES}
    return {**empty, "both": alone, **judgements}


def _labels(pieces: Sequence[Piece], prefix: str = "") -> dict[str, Piece]:
    """Pieces by the ids a model sees: G1, G2 ... of the graph, L1, L2 ... of the literature."""
    counts = {"G": 0, "L": 0}
    labels: dict[str, Piece] = {}
    for piece in pieces:
        kind = "L" if isinstance(piece, Passage) else "G"
        counts[kind] += 1
        labels[f"{prefix}{kind}{counts[kind]}"] = piece
    return labels


def _of(source: Source, evidence: Evidence, labels: Labels) -> dict[str, Piece]:
    """The labels of a source's pieces."""
    own = {piece.id for piece in pieces_of(evidence, source)}
    return {label: piece for label, piece in labels.items() if piece.id in own}


def _answer(name: str, labels: Labels) -> type[BaseModel]:
    """The shape of a verdict; only ids of pieces that were shown fit into it."""
    ids: Any = Literal[tuple(labels)]
    return create_model(
        name,
        __config__=ConfigDict(extra="forbid"),
        reason=(str, Field(min_length=1)),
        supporting=(list[ids], ...),
        contradicting=(list[ids], ...),
    )


def _answers(name: str, evidence: Evidence, labels: Labels) -> type[BaseModel]:
    """The shape of a claim's verdicts, one for each source that is asked about."""
    shapes: Any = {
        source: (_answer(f"{name}_{source}", _of(source, evidence, labels)), ...) for source in _asked(evidence)
    }
    return create_model(name, __config__=ConfigDict(extra="forbid"), **shapes)


def _read(evidence: Evidence, labels: Labels, reply: Mapping[str, Any]) -> Judgements:
    return _completed({source: _judgement(_of(source, evidence, labels), reply[source]) for source in _asked(evidence)})


def _judgement(labels: Labels, reply: Mapping[str, Any]) -> Judgement:
    """The judgement that follows from an answer; a piece that the model puts on both sides is on neither."""
    supporting, contradicting = (
        {labels[label].id for label in reply[side]} for side in ("supporting", "contradicting")
    )
    stances: dict[str, Stance] = {}
    for piece in labels.values():
        if (piece.id in supporting) != (piece.id in contradicting):
            stances[piece.id] = "supports" if piece.id in supporting else "contradicts"
    return weigh(tuple(labels.values()), stances, reply["reason"])
