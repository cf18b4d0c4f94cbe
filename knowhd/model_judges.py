"""The judges that ask language models: any model about numbered lines of evidence, and Med-V1 about whole articles.

`ModelJudge` shows a model numbered lines of evidence and asks for the stance of each line. By default one prompt gives
the three verdicts of a claim (prompts/judge_once.txt). Other modes send one prompt per source (judge.txt), or one
prompt for several claims (judge_joint.txt). The JSON schema of the answer allows only ids that were shown, and limits
every text and list: otherwise a model that repeats one id would never stop. Only models whose output is constrained by
the schema keep these limits; a longer reply is accepted.

`MedV1Judge` asks Med-V1, a language model trained to score how far one article supports a claim: `medv1:NAME`. Med-V1
(National Library of Medicine, 3 billion parameters, two variants) is served by the user with OpenAI's protocol, for
instance by vLLM or llama.cpp. It reads `Article:` and `Claim:`, thinks in `<think>`, and gives a whole number from -2
(strong contradiction) to 2 (strong agreement) in `<score>`. This form and this scale are those of its authors. The
system prompt in prompts/medv1.txt says the same in other words; the setting `medv1_prompt` names a file with other
words, such as those in the README of github.com/ncbi-nlp/Med-V1, with which the model was trained.

One question is asked per claim and article. The score is a score of the whole article, so all its sentences take the
same side, and no sentence decides alone. The article consists of its title and of the sentences in the evidence. An
edge or a chain of the graph is put into words and scored like an article. The scale is no probability, so none is
reported.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from groundwork.errors import CallFailed, InputError, ReplyError, first_line
from groundwork.files import read_text
from groundwork.llm.model_client import answers
from groundwork.llm.replies import Words
from groundwork.ports import Answer, GraphReader, LanguageModel, Progress, Question, Silent
from groundwork.records.base import counted
from knowhd.claims import Claim
from knowhd.judge import SOURCES, Case, Judgement, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.options import CiteOptions
from knowhd.pieces import Evidence, Passage, Piece, say
from knowhd.prompt import Prompt, fenced, harmless, load, shown, spoken

Labels = Mapping[str, Piece]
Judgements = dict[Source, Judgement]

#: Maximum characters of a reason in the schema, for one claim and for several. The prompts ask for less.
_REASON, _SHORT_REASON = 400, 200


class ModelJudge:
    """Judges claims by asking a language model which pieces of evidence support and which contradict them.

    A source without evidence is not asked about. The union is asked about only if both sources have evidence.

    Args:
        model: The language model.
        graph: Store with the names of concepts.
        options: How many prompts the model gets: `once` and `joint`.
    """

    def __init__(self, model: LanguageModel, graph: GraphReader, options: CiteOptions | None = None) -> None:
        self.name = model.name
        self._model = model
        self._graph = graph
        self._options = options or CiteOptions()

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[Judgements]:
        """Return one judgement per source for each case, in order. Calls run in parallel as far as the model allows.

        `progress` receives a report after each answer. If several claims share a prompt and the answer is not usable
        (it lacks a verdict, or names an id that was not shown), each of these claims is asked about again with its own
        prompt.
        """
        seen = progress or Silent()
        told = [number for number, (_, evidence) in enumerate(cases) if _asked(evidence)]
        groups = [told[at : at + self._options.joint] for at in range(0, len(told), self._options.joint)]
        shared = [group for group in groups if len(group) > 1]
        found: dict[int, Judgements] = {}
        together = self._joint([[cases[n] for n in group] for group in shared], seen)
        for group, judged in zip(shared, together, strict=True):
            found.update(zip(group, judged or (), strict=judged is not None))
        alone = [number for number in told if number not in found]
        found.update(zip(alone, self._singly([cases[number] for number in alone], seen), strict=True))
        return [found.get(number) or _completed({}) for number in range(len(cases))]

    def _singly(self, cases: Sequence[Case], seen: Progress) -> list[Judgements]:
        """Ask about each claim separately. Without a usable answer, the judgements of a claim are `failed`."""
        asked = [self._questions(*case) for case in cases]
        replies = iter(answers(self._model, [question for own in asked for question in own.values()], seen))
        return [
            _judged(evidence, {source: next(replies) for source in own})
            for (_, evidence), own in zip(cases, asked, strict=True)
        ]

    def _questions(self, claim: Claim, evidence: Evidence) -> dict[Source | None, Question]:
        """Return the prompts for a claim by source: one per source, or one for all sources with the key None."""
        sources = _asked(evidence)
        if self._options.once and len(sources) > 1:
            labels = _labels(pieces_of(evidence, "both"))
            return {None: self._question("judge_once", claim, labels, _answers("Judgements", evidence, labels))}
        each = {source: _labels(pieces_of(evidence, source)) for source in sources}
        return {s: self._question("judge", claim, labels, _answer(labels)) for s, labels in each.items()}

    def _question(self, name: str, claim: Claim, labels: Labels, shape: type[BaseModel]) -> Question:
        told = load(name)
        prompt = f"{fenced('claim', claim.text)}\n\n{fenced('evidence', self._listed(labels))}"
        return Question(told.text, prompt, shape, f"{name} {told.version}")

    def _joint(self, groups: Sequence[Sequence[Case]], seen: Progress) -> list[list[Judgements] | None]:
        """Send one prompt per group of claims. Return the judgements; None for a group without a usable answer."""
        labels = [
            [_labels(pieces_of(evidence, "both"), f"C{n}") for n, (_, evidence) in enumerate(group, start=1)]
            for group in groups
        ]
        questions = [self._shared(*each) for each in zip(groups, labels, strict=True)]
        found: list[list[Judgements] | None] = []
        for group, own, reply in zip(groups, labels, answers(self._model, questions, seen), strict=True):
            if isinstance(reply, ReplyError):
                found.append(None)
            else:
                told = reply.model_dump()
                found.append([_read(c[1], own[n], told[f"C{n + 1}"]) for n, c in enumerate(group)])
        return found

    def _shared(self, cases: Sequence[Case], labels: Sequence[Labels]) -> Question:
        """Return the prompt about several claims C1, C2 and so on."""
        claims = "\n".join(f"C{n}. {' '.join(claim.text.split())}" for n, (claim, _) in enumerate(cases, start=1))
        listed = "\n".join(self._listed(own) for own in labels)
        shapes: Any = {
            f"C{n}": (_answers(f"C{n}", evidence, own, shared=True), ...)
            for n, ((_, evidence), own) in enumerate(zip(cases, labels, strict=True), start=1)
        }
        told = load("judge_joint")
        prompt = f"{fenced('claims', claims)}\n\n{fenced('evidence', listed)}"
        return Question(told.text, prompt, _shape("Judgements", **shapes), f"judge_joint {told.version}")

    def _listed(self, labels: Labels) -> str:
        """Return the pieces of evidence as lines, each with its label in front."""
        lines = shown(labels.values(), self._graph)
        return "\n".join(f"{label}. {lines[piece.id]}" for label, piece in labels.items())


def _asked(evidence: Evidence) -> tuple[Source, ...]:
    """Return the sources to ask about: those with evidence, and the union if both have evidence."""
    holding = tuple(source for source in SOURCES[:2] if pieces_of(evidence, source))
    return SOURCES if len(holding) == 2 else holding


def _completed(judgements: Mapping[Source, Judgement]) -> Judgements:
    """Return judgements for all sources. If only one source has evidence, `both` gets the judgement of this source."""
    alone = next(iter(judgements.values()), without_evidence("both"))
    empty: Judgements = {source: without_evidence(source) for source in SOURCES}
    return {**empty, "both": alone, **judgements}


def _labels(pieces: Sequence[Piece], prefix: str = "") -> dict[str, Piece]:
    """Return pieces by the labels that a model sees: G1, G2 and so on for the graph, L1, L2 for the literature."""
    graph = [piece for piece in pieces if not isinstance(piece, Passage)]
    literature = [piece for piece in pieces if isinstance(piece, Passage)]
    labels: dict[str, Piece] = {f"{prefix}G{n}": piece for n, piece in enumerate(graph, start=1)}
    return labels | {f"{prefix}L{n}": piece for n, piece in enumerate(literature, start=1)}


def _of(source: Source, evidence: Evidence, labels: Labels) -> dict[str, Piece]:
    """Return the pieces of a source, by label."""
    own = {piece.id for piece in pieces_of(evidence, source)}
    return {label: piece for label, piece in labels.items() if piece.id in own}


def _reason(most: int) -> Any:
    """Return the schema field of a reason with a maximum number of characters."""
    return Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": most})], ...


def _sides(labels: Labels) -> dict[str, Any]:
    """Return the schema fields of a verdict: two lists of shown labels, no longer than the number of labels."""
    ids: Any = Literal[tuple(labels)]
    field: Any = Annotated[list[ids], Field(json_schema_extra={"maxItems": len(labels)})], ...
    return {"supporting": field, "contradicting": field}


def _shape(name: str, **fields: Any) -> type[BaseModel]:
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def _answer(labels: Labels) -> type[BaseModel]:
    """Return the schema of one verdict with its reason."""
    return _shape("Judgement", reason=_reason(_REASON), **_sides(labels))


def _answers(name: str, evidence: Evidence, labels: Labels, *, shared: bool = False) -> type[BaseModel]:
    """Return the schema of a claim's verdicts, one per source, with one reason for all (`shared`) or one for each."""
    reason, own = ({"reason": _reason(_SHORT_REASON)}, {}) if shared else ({}, {"reason": _reason(_REASON)})
    verdicts: Any = {
        source: (_shape(f"{name}_{source}", **own, **_sides(_of(source, evidence, labels))), ...)
        for source in _asked(evidence)
    }
    return _shape(name, **reason, **verdicts)


def _judged(evidence: Evidence, replies: Mapping[Source | None, Answer]) -> Judgements:
    """Return the judgements that follow from the answers about one claim."""
    found: Judgements = {}
    for source, reply in replies.items():
        if isinstance(reply, ReplyError):
            lost = failed(reply.seen, unanswered=isinstance(reply, CallFailed))
            found |= dict.fromkeys([source] if source else SOURCES, lost)
        elif source is None:
            found |= _read(evidence, _labels(pieces_of(evidence, "both")), reply.model_dump())
        else:
            found[source] = _judgement(_labels(pieces_of(evidence, source)), reply.model_dump())
    return _completed(found)


def _read(evidence: Evidence, labels: Labels, reply: Mapping[str, Any]) -> Judgements:
    """Return the judgements that follow from one answer about all sources, with separate reasons or a shared one."""
    each = {source: {**reply, **reply[source]} for source in _asked(evidence)}
    return _completed({source: _judgement(_of(source, evidence, labels), said) for source, said in each.items()})


def _judgement(labels: Labels, reply: Mapping[str, Any]) -> Judgement:
    """Return the judgement that follows from an answer. A piece that the model puts on both sides takes no side."""
    supporting = {labels[label].id for label in reply["supporting"]}
    contradicting = {labels[label].id for label in reply["contradicting"]}
    stances: dict[str, Stance] = {}
    for piece in labels.values():
        if (piece.id in supporting) != (piece.id in contradicting):
            stances[piece.id] = "supports" if piece.id in supporting else "contradicts"
    return weigh(tuple(labels.values()), stances, reply["reason"])


KIND = "medv1"
#: The score, if tags mark it; and the parts of a reply in words among which it is looked for.
_TAGGED, _APART = re.compile(r"<score>(.*?)</score>", re.IGNORECASE | re.DOTALL), re.compile(r"[\s:=]+")
_SCORES: Mapping[str, int] = {
    **{str(score): score for score in range(-2, 3)},
    **{f"+{score}": score for score in (1, 2)},
    **{f"\u2212{score}": -score for score in (1, 2)},
}
#: Characters around a number that do not belong to it.
_AROUND = "*_`.,;()[]\"'"

Replies = Mapping[str, Answer]


class Score(Words):
    """A reply of Med-V1: one whole number from -2 to 2, in `<score>` or as the only number among words."""

    form: ClassVar[str] = "one whole number from -2 to 2 between <score> and </score>"

    @field_validator("text")
    @classmethod
    def _has_one(cls, text: str) -> str:
        _score(text)
        return text

    @property
    def stance(self) -> Stance | None:
        """The side of the article; None for the score 0."""
        return ("supports" if self.value > 0 else "contradicts") if self.value else None

    @property
    def value(self) -> int:
        """The score, from -2 to 2."""
        return _score(self.text)


class MedV1Judge:
    """Judges claims by the scores that Med-V1 gives to articles.

    Args:
        model: The language model.
        graph: Store with the names of concepts.
        prompt: A file with another system prompt; empty for the one of this package.

    Attributes:
        model: The language model, for its usage.

    Raises:
        InputError: The file cannot be read, or is empty.
    """

    def __init__(self, model: LanguageModel, graph: GraphReader, prompt: str = "") -> None:
        self.model = model
        self._graph = graph
        self._prompt = _own_prompt(Path(prompt).expanduser()) if prompt else load(KIND)
        other = f" with prompt {self._prompt.version[:12]}" if prompt else ""
        self.name = f"{KIND}:{model.name.partition(':')[2]}{other}"

    def judge_all(self, cases: Sequence[Case], progress: Progress | None = None) -> list[dict[Source, Judgement]]:
        """Return one judgement per source for each case. Calls run in parallel as far as the model allows.

        `progress` receives a report after each answer. Without a usable score for one of its articles, a claim has
        failed for the sources that have this article.

        Raises:
            ModelUnreachable: The model cannot be reached.
        """
        asked = [self._questions(*case) for case in cases]
        replies = iter(answers(self.model, [question for own in asked for question in own.values()], progress))
        told = [{article: next(replies) for article in own} for own in asked]
        return [
            {source: _scored(pieces_of(evidence, source), own, source) for source in SOURCES}
            for (_, evidence), own in zip(cases, told, strict=True)
        ]

    def _questions(self, claim: Claim, evidence: Evidence) -> dict[str, Question]:
        """Return one question per article, edge and chain."""
        pieces = pieces_of(evidence, "both")
        texts = spoken([piece for piece in pieces if not isinstance(piece, Passage)], self._graph)
        articles: dict[str, list[Passage]] = {}
        for piece in pieces:
            if isinstance(piece, Passage):
                articles.setdefault(_article(piece), []).append(piece)
        for article, passages in articles.items():
            title = _line(passages[0].title)
            lines = [_line(each.sentence) for each in sorted(passages, key=lambda each: each.number)]
            texts[article] = f"{title}\n{' '.join(line for line in lines if line != title)}".strip()
        claimed, told = f"Claim:\n{_line(claim.text)}", f"{KIND} {self._prompt.version}"
        return {
            article: Question(self._prompt.text, f"Article:\n{text}\n\n{claimed}", Score, told)
            for article, text in texts.items()
        }


def _own_prompt(path: Path) -> Prompt:
    """Return the system prompt in a user's file. Its version is the SHA-256 of the text."""
    try:
        text = read_text(path).strip()
    except (OSError, UnicodeDecodeError) as error:
        seen = f"the prompt {path} cannot be read: {first_line(error)}"
        raise InputError(seen, "a UTF-8 text file", "correct the setting medv1_prompt") from None
    if not text:
        raise InputError(f"the prompt {path} is empty", "a system prompt", "correct the setting medv1_prompt")
    return Prompt(sha256(text.encode()).hexdigest(), text)


def _scored(pieces: Sequence[Piece], replies: Replies, source: Source) -> Judgement:
    own = {_article(piece): replies[_article(piece)] for piece in pieces}
    lost = [reply for reply in own.values() if isinstance(reply, ReplyError)]
    if not pieces:
        return without_evidence(source)
    if lost:
        return failed(lost[0].seen, unanswered=any(isinstance(each, CallFailed) for each in lost))
    scores = {article: reply for article, reply in own.items() if isinstance(reply, Score)}
    stances = {piece.id: side for piece in pieces if (side := scores[_article(piece)].stance)}
    return replace(weigh(pieces, stances, _scores_in_words(scores)), whole=True)


def _scores_in_words(scores: Mapping[str, Score]) -> str:
    told = ", ".join(f"{score.value} ({article})" for article, score in scores.items())
    return say("medv1", "scores", sources=counted(len(scores), "source"), scores=told)


def _article(piece: Piece) -> str:
    """Return what is scored as a whole: the article of a sentence, or an edge or chain."""
    return f"PMID {piece.pmid}" if isinstance(piece, Passage) else piece.id


def _line(text: str) -> str:
    """Return a text on one line, so that it cannot imitate the form of the question."""
    return " ".join(harmless(text).split())


def _score(text: str) -> int:
    """Return the score in a reply."""
    tagged = _TAGGED.findall(text)
    found = tagged or [part for part in _APART.split(text) if any(letter.isdigit() for letter in part)]
    if len(found) != 1:
        raise ValueError(f"the reply has {counted(len(found), 'number')}")
    if (score := _SCORES.get(found[0].strip().strip(_AROUND))) is None:
        raise ValueError(f"{found[0][:40]!r} is no whole number from -2 to 2")
    return score
