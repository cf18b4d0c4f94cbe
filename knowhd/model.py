"""The judge by a language model (prompts/judge.txt): one question a source, the evidence in it numbered and fenced."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from groundwork.errors import ReplyError
from groundwork.ports import GraphReader, LanguageModel
from knowhd.claims import Claim
from knowhd.evidence import Edge, Evidence
from knowhd.judge import SOURCES, Judgement, Piece, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.prompt import fenced, load


class ModelJudge:
    """Judges claims by asking a language model which pieces of evidence support and which contradict.

    A source without evidence is not asked about, and the union is asked about only if both sources have some.

    Args:
        model: The model.
        graph: Gives the names of concepts.
    """

    def __init__(self, model: LanguageModel, graph: GraphReader) -> None:
        self.name = model.name
        self._model = model
        self._graph = graph

    def judge(self, claim: Claim, evidence: Evidence) -> dict[Source, Judgement]:
        """One judgement per source, see `Judge`."""
        asked: dict[tuple[Piece, ...], Judgement] = {}
        judgements: dict[Source, Judgement] = {}
        for source in SOURCES:
            pieces = pieces_of(evidence, source)
            if pieces and pieces not in asked:
                asked[pieces] = self._ask(claim, pieces)
            judgements[source] = asked[pieces] if pieces else without_evidence(source)
        return judgements

    def _ask(self, claim: Claim, pieces: tuple[Piece, ...]) -> Judgement:
        labels = {f"E{number}": piece for number, piece in enumerate(pieces, start=1)}
        prompt = f"{fenced('claim', claim.text)}\n\n{fenced('evidence', self._listed(labels))}"
        try:
            reply = self._model.ask(load("judge").text, prompt, _shape(tuple(labels))).model_dump()
        except ReplyError as error:
            return failed(error.seen)
        return weigh(pieces, _stances(labels, reply), reply["reason"])

    def _listed(self, labels: dict[str, Piece]) -> str:
        """The pieces, a line each, behind their labels; a piece cannot break its line."""
        names = self._graph.concepts({key for p in labels.values() if isinstance(p, Edge) for key in (p.head, p.tail)})
        lines = []
        for label, piece in labels.items():
            if isinstance(piece, Edge):
                ends = [f"{names[key].name} ({key})" if key in names else key for key in (piece.head, piece.tail)]
                said = f"knowledge graph, {piece.articles} articles: {ends[0]} - {piece.relation} - {ends[1]}"
            else:
                said = f"article, PMID {piece.pmid}, {piece.title!r}: {piece.sentence}"
            lines.append(f"{label}. {' '.join(said.split())}")
        return "\n".join(lines)


def _shape(labels: tuple[str, ...]) -> type[BaseModel]:
    """The shape of an answer; only ids of pieces that were shown fit into it."""
    ids: Any = StrEnum("Evidence", {label: label for label in labels})  # type: ignore[misc]
    return create_model(
        "Judgement",
        __config__=ConfigDict(extra="forbid"),
        reason=(str, Field(min_length=1)),
        supporting=(list[ids], ...),
        contradicting=(list[ids], ...),
    )


def _stances(labels: dict[str, Piece], reply: dict[str, Any]) -> dict[str, Stance]:
    """Stances by id; a piece that the model puts on both sides is on neither."""
    supporting, contradicting = (
        {labels[str(label)].id for label in reply[side]} for side in ("supporting", "contradicting")
    )
    stances: dict[str, Stance] = {}
    for piece in labels.values():
        if (piece.id in supporting) != (piece.id in contradicting):
            stances[piece.id] = "supports" if piece.id in supporting else "contradicts"
    return stances
