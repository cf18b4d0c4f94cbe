"""Implements the port `LanguageModel` on top of any chat provider.

A question passes these stages: cache, budget, concurrency limit, provider with retries (all in `model_client`), strict
reading with one repair round (`replies`), cache. A failed call counts as one missing answer as long as the model
answers other calls. A model that has never answered, or fails several calls in a row, counts as unreachable.
"""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from groundwork.concurrency import map_in_order
from groundwork.errors import BudgetSpent, ModelError
from groundwork.llm.answers import ReplyRequest
from groundwork.llm.chat_provider import ChatProvider, ReplyFormat
from groundwork.llm.model_client import ModelClient
from groundwork.llm.replies import Turn, converse
from groundwork.llm.several import ASKING, answer
from groundwork.llm.usage import Prices, Tally
from groundwork.ports.model import Answer, Question
from groundwork.ports.progress import Progress, Silent
from groundwork.settings import Settings

Shape = TypeVar("Shape", bound=BaseModel)


class AskingModel:
    """A language model that asks through a shared client and counts its own usage; safe for several threads.

    Args:
        client: The client through which all calls of the model pass.
        accounts: Further counters to which the usage is added.
    """

    def __init__(self, client: ModelClient, accounts: tuple[Tally, ...] = ()) -> None:
        self.name = client.name
        self._client = client
        self._tallies = (Tally(client.prices), *accounts)

    @classmethod
    def of(cls, provider: ChatProvider, settings: Settings) -> "AskingModel":
        """Return a model that answers through a chat provider."""
        return cls(ModelClient(provider, settings))

    @property
    def concurrency(self) -> int:
        """Maximum number of questions that should be asked at the same time."""
        return self._client.concurrency

    @property
    def prices(self) -> Prices:
        """The prices of the model's tokens."""
        return self._client.prices

    def account(self) -> "AskingModel":
        """Return the same model with its own usage count, which starts at zero.

        The calls of the returned model also count for this object.
        """
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
        """Return one answer as a typed value; see `LanguageModel.ask`.

        Raises:
            ReplyError: If the reply does not have the shape even after one repair round.
            CallFailed: If there was no reply, although the model answers other calls.
            BudgetSpent: If the call would exceed the budget.
            ModelUnreachable: If the model is unreachable, refuses the call, or fails several calls in a row.
            ModelTooSlow: If a call with its retries ran out of time (the setting `model_timeout`), and the model has
                not answered any call before or several calls in a row have failed.
        """
        wanted = ReplyFormat(shape, temperature, seed)
        asked = self._client.asked(system, prompt, version, wanted)
        try:
            if (known := self._client.known(asked, shape)) is not None:
                self._count(cached=1)
                return known
            return self._answer(asked, shape, wanted)
        except BudgetSpent:
            self._count(unasked=1)
            raise
        except ModelError:
            self._count(failed=1)
            raise

    def _answer(self, asked: ReplyRequest, shape: type[Shape], wanted: ReplyFormat) -> Shape:
        """Return the model's answer, and keep it in the cache."""

        def spent(prompt_tokens: int, completion_tokens: int) -> None:
            self._count(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)

        def say(turns: Sequence[Turn]) -> str:
            return self._client.say(turns, wanted, spent, self._count)

        answer = converse(say, asked.system, asked.prompt, shape, lambda: self._count(repairs=1))
        self._client.keep(asked, answer)
        return answer

    def ask_all(self, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
        """Return the answers to several questions, in their order; see `Accounting.ask_all`."""
        seen, (stage, unit) = progress or Silent(), ASKING

        def answered(question: Question) -> Answer:
            reply = answer(self, question)
            seen.advance(1)
            return reply

        seen.begin(stage, len(questions), unit)
        return map_in_order(answered, questions, self.concurrency)

    def usage(self) -> dict[str, float | None]:
        """Return the usage since this object was created, under the names of `NO_USAGE`."""
        return self._tallies[0].usage()

    def _count(self, *, seconds: float = 0.0, **amounts: int) -> None:
        for tally in self._tallies:
            tally.add(seconds=seconds, **amounts)
