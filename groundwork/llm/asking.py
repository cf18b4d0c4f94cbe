"""Any speaker behind the port `LanguageModel`.

One question goes: cache -> budget -> a place in the gate -> the speaker, with tries (all in `desk`) -> strict reading,
with one repair round (`replies`) -> cache. Of equal questions under way at the same time one goes, and all hear its
answer. A call that fails is one missing answer as long as the model answers others; a model that never answered, or
fails several calls in a row, is gone.
"""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from groundwork.concurrency import map_in_order
from groundwork.errors import BudgetSpent, ModelError
from groundwork.llm.answers import Asked
from groundwork.llm.desk import Desk
from groundwork.llm.replies import Turn, converse, read
from groundwork.llm.several import ASKING, answer
from groundwork.llm.speaker import Speaker, Wanted
from groundwork.llm.usage import Prices, Tally
from groundwork.ports.model import Answer, Question
from groundwork.ports.progress import Progress, Silent
from groundwork.settings import Settings

Shape = TypeVar("Shape", bound=BaseModel)


class AskingModel:
    """A desk, and the accounts of who asks there; safe to use from several threads.

    Args:
        desk: Where all calls of the model pass.
        accounts: Tallies that count beside this one's own.
    """

    def __init__(self, desk: Desk, accounts: tuple[Tally, ...] = ()) -> None:
        self.name = desk.name
        self._desk = desk
        self._tallies = (Tally(desk.prices), *accounts)

    @classmethod
    def of(cls, speaker: Speaker, settings: Settings) -> "AskingModel":
        """A model behind which that speaker answers."""
        return cls(Desk(speaker, settings))

    @property
    def concurrency(self) -> int:
        """Questions that may sensibly be asked at a time."""
        return self._desk.concurrency

    @property
    def prices(self) -> Prices:
        """What its tokens cost."""
        return self._desk.prices

    def account(self) -> "AskingModel":
        """The same model with an account of its own: its `usage` begins at nothing, and counts here too."""
        return AskingModel(self._desk, self._tallies)

    def ask(
        self,
        system: str,
        prompt: str,
        shape: type[Shape],
        *,
        temperature: float = 0.0,
        seed: int = 0,
        version: str = "",
    ) -> Shape:
        """One answer as a typed value; see `LanguageModel.ask`.

        Raises:
            ReplyError: The reply did not fit the second time either.
            CallFailed: There was no reply, while the model answers others.
            BudgetSpent: The call would pass the budget.
            ModelUnreachable: The model is not there, refuses us, or fails each time.
            ModelTooSlow: A call, with all its tries, ran past the setting `model_timeout`.
        """
        wanted = Wanted(shape, temperature, seed)
        asked = self._desk.asked(system, prompt, version, wanted)
        try:
            (answer, known), waited = self._desk.once(asked, lambda: self._answer(asked, shape, wanted))
        except BudgetSpent:
            self._count(unasked=1)
            raise
        except ModelError:
            self._count(failed=1)
            raise
        if known or waited:
            self._count(cached=1)
        return answer if isinstance(answer, shape) else read(answer.model_dump_json(), shape)

    def _answer(self, asked: Asked, shape: type[Shape], wanted: Wanted) -> tuple[Shape, bool]:
        """An answer, and whether it was known."""
        if (known := self._desk.known(asked, shape)) is not None:
            return known, True
        lengths = [0]

        def spent(prompt_tokens: int, completion_tokens: int) -> None:
            lengths.append(completion_tokens)
            self._count(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

        def say(turns: Sequence[Turn]) -> str:
            return self._desk.say(turns, wanted, spent, self._count)

        answer = converse(say, asked.system, asked.prompt, shape, lambda: self._count(repairs=1))
        self._desk.keep(asked, answer, lengths[-1])
        return answer, False

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """The answers to several questions, in their order; see `Accounting.ask_all`."""
        seen, (stage, unit) = progress or Silent(), ASKING

        def answered(question: Question) -> Answer:
            reply = answer(self, question)
            seen.advance(1)
            return reply

        seen.begin(stage, len(questions), unit)
        return map_in_order(answered, questions, self.concurrency)

    def known(
        self, system: str, prompt: str, shape: type[Shape], *, temperature: float, seed: int, version: str
    ) -> tuple[str | None, Shape | None]:
        """A question's key, and its answer if that stands in the cache; nothing is sent or counted.

        Without a cache a question has no key: each is answered anew.
        """
        asked = self._desk.asked(system, prompt, version, Wanted(shape, temperature, seed))
        return (asked.key if self._desk.keeps else None), self._desk.known(asked, shape)

    def mean_length(self) -> float | None:
        """Mean tokens of this model's replies in the cache; None where there is none."""
        return self._desk.mean_length()

    def usage(self) -> dict[str, float | None]:
        """What was used since the model, or this account, was made; the names are `NO_USAGE`'s."""
        return self._tallies[0].usage()

    def _count(self, *, seconds: float = 0.0, **amounts: int) -> None:
        for tally in self._tallies:
            tally.add(seconds=seconds, **amounts)
