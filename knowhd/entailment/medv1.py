"""The judge that asks Med-V1, a language model trained to score how far one article supports a claim: `medv1:NAME`.

Med-V1 (National Library of Medicine, 3 billion parameters, two variants) is served by the user with OpenAI's protocol,
for instance by vLLM or llama.cpp. It reads `Article:` and `Claim:`, thinks in `<think>`, and gives a whole number from
-2 (strong contradiction) to 2 (strong agreement) in `<score>`. This form and this scale are those of its authors. The
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
from typing import ClassVar

from pydantic import field_validator

from groundwork.errors import CallFailed, InputError, ReplyError
from groundwork.llm.replies import Words
from groundwork.llm.several import answers
from groundwork.named_pipe import read_text
from groundwork.ports import Answer, GraphReader, LanguageModel, Progress, Question
from groundwork.records.shortened import counted
from groundwork.validation import first_line
from knowhd.claims.claims import Claim
from knowhd.evidence.pieces import Evidence, Passage, Piece
from knowhd.evidence.shown import spoken
from knowhd.judge import SOURCES, Case, Judgement, Source, Stance, failed, pieces_of, weigh, without_evidence
from knowhd.prompt import Prompt, harmless, load
from knowhd.wording import say

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
            {source: _judged(pieces_of(evidence, source), own, source) for source in SOURCES}
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


def _judged(pieces: Sequence[Piece], replies: Replies, source: Source) -> Judgement:
    own = {_article(piece): replies[_article(piece)] for piece in pieces}
    lost = [reply for reply in own.values() if isinstance(reply, ReplyError)]
    if not pieces:
        return without_evidence(source)
    if lost:
        return failed(lost[0].seen, unanswered=any(isinstance(each, CallFailed) for each in lost))
    scores = {article: reply for article, reply in own.items() if isinstance(reply, Score)}
    stances = {piece.id: side for piece in pieces if (side := scores[_article(piece)].stance)}
    return replace(weigh(pieces, stances, _reason(scores)), whole=True)


def _reason(scores: Mapping[str, Score]) -> str:
    told = ", ".join(f"{score.value} ({article})" for article, score in scores.items())
    return say("medv1", "scores", sources=counted(len(scores), "source"), scores=told)


def _article(piece: Piece) -> str:
    """Return what is scored as a whole: the article of a sentence, or an edge or chain."""
    return f"PMID {piece.pmid}" if isinstance(piece, Passage) else piece.id


def _line(text: str) -> str:
    """Return a text on one line, so that it cannot imitate the form of the question."""
    return " ".join(harmless(text).split())


def _score(text: str) -> int:
    """Return the score in a reply.

    Raises:
        ValueError: There is no score, more than one, or another number.
    """
    tagged = _TAGGED.findall(text)
    found = tagged or [part for part in _APART.split(text) if any(letter.isdigit() for letter in part)]
    if len(found) != 1:
        raise ValueError(f"the reply has {counted(len(found), 'number')}")
    if (score := _SCORES.get(found[0].strip().strip(_AROUND))) is None:
        raise ValueError(f"{found[0][:40]!r} is no whole number from -2 to 2")
    return score
