"""Any chat provider behind the port `LanguageModel`.

A question goes through the cache, the budget, the concurrency limit and the provider, with retries (all in
`model_client`). The reply is read strictly, with one repair round (`replies`), and kept in the cache. Equal questions
that are under way at the same time are sent once. A call that fails is one missing answer as long as the model answers
others. A model that never answered, or fails several calls in a row, is reported as gone.
"""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from groundwork.concurrency import map_in_order
from groundwork.errors import BudgetSpent, ModelError
from groundwork.llm.answers import ReplyRequest
from groundwork.llm.chat_provider import ChatProvider, ReplyFormat
from groundwork.llm.model_client import ModelClient
from groundwork.llm.replies import Turn, converse, read
from groundwork.llm.several import ASKING, answer
from groundwork.llm.usage import Prices, Tally
from groundwork.ports.model import Answer, Question
from groundwork.ports.progress import Progress, Silent
from groundwork.settings import Settings

Shape = TypeVar("Shape", bound=BaseModel)


class AskingModel:
    """A model client with an account of what its caller uses; safe to use from several threads.

    Args:
        client: Where all calls of the model pass.
        accounts: Tallies that count beside this one's own.
    """

    def __init__(self, client: ModelClient, accounts: tuple[Tally, ...] = ()) -> None:
        self.name = client.name
        self._client = client
        self._tallies = (Tally(client.prices), *accounts)

    @classmethod
    def of(cls, provider: ChatProvider, settings: Settings) -> "AskingModel":
        """Return a model that a chat provider answers."""
        return cls(ModelClient(provider, settings))

    @property
    def concurrency(self) -> int:
        """Questions that may sensibly be asked at a time."""
        return self._client.concurrency

    @property
    def prices(self) -> Prices:
        """What its tokens cost."""
        return self._client.prices

    def account(self) -> "AskingModel":
        """The same model with an account of its own: its `usage` begins at nothing, and counts here too."""
        return AskingModel(self._client, self._tallies)

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
        wanted = ReplyFormat(shape, temperature, seed)
        asked = self._client.asked(system, prompt, version, wanted)
        try:
            (answer, known), waited = self._client.once(asked, lambda: self._answer(asked, shape, wanted))
        except BudgetSpent:
            self._count(unasked=1)
            raise
        except ModelError:
            self._count(failed=1)
            raise
        if known or waited:
            self._count(cached=1)
        return answer if isinstance(answer, shape) else read(answer.model_dump_json(), shape)

    def _answer(self, asked: ReplyRequest, shape: type[Shape], wanted: ReplyFormat) -> tuple[Shape, bool]:
        """An answer, and whether it was known."""
        if (known := self._client.known(asked, shape)) is not None:
            return known, True
        lengths = [0]

        def spent(prompt_tokens: int, completion_tokens: int) -> None:
            lengths.append(completion_tokens)
            self._count(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

        def say(turns: Sequence[Turn]) -> str:
            return self._client.say(turns, wanted, spent, self._count)

        answer = converse(say, asked.system, asked.prompt, shape, lambda: self._count(repairs=1))
        self._client.keep(asked, answer, lengths[-1])
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
        asked = self._client.asked(system, prompt, version, ReplyFormat(shape, temperature, seed))
        return (asked.key if self._client.keeps else None), self._client.known(asked, shape)

    def mean_length(self) -> float | None:
        """Mean tokens of this model's replies in the cache; None where there is none."""
        return self._client.mean_length()

    def usage(self) -> dict[str, float | None]:
        """What was used since the model, or this account, was made; the names are `NO_USAGE`'s."""
        return self._tallies[0].usage()

    def _count(self, *, seconds: float = 0.0, **amounts: int) -> None:
        for tally in self._tallies:
            tally.add(seconds=seconds, **amounts)
