"""The client of one model: cache, budget, concurrency limit, retries, and whether the model still answers."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from random import Random
from threading import Lock
from time import monotonic, sleep
from typing import Protocol, TypeVar

from pydantic import BaseModel

from groundwork.errors import CallFailed, ModelFaltered, ModelTooSlow, ReplyError
from groundwork.llm.answers import Answers, ReplyRequest
from groundwork.llm.budget import Budget
from groundwork.llm.call_deduplication import CallDeduplication
from groundwork.llm.chat_provider import ChatProvider, ReplyFormat
from groundwork.llm.concurrency_limit import ConcurrencyLimit
from groundwork.llm.replies import Turn, read
from groundwork.llm.usage import Prices, estimate
from groundwork.retry import backoff
from groundwork.settings import Settings

Result = TypeVar("Result")
Shape = TypeVar("Shape", bound=BaseModel)

#: Failed calls in a row, beyond those that were under way together, after which a model that had answered is gone.
PATIENCE = 3
#: Share of a call's time limit that one try may take, so that a hang leaves time for another.
_TRY = 2 / 3


class Count(Protocol):
    """Takes counts and seconds, by the names of `usage.Tally`."""

    def __call__(self, *, seconds: float = 0.0, **amounts: int) -> None:
        """Count."""


class ModelClient:
    """The client of a chat provider, shared by all callers; safe to use from several threads.

    Args:
        provider: Who answers.
        settings: Limits, tries, cache.
        wait: Sleeps so many seconds, for tests.
    """

    def __init__(self, provider: ChatProvider, settings: Settings, wait: Callable[[float], None] = sleep) -> None:
        self.name = provider.name
        self.prices = Prices.of(settings)
        self.concurrency = settings.model_concurrency if provider.remote else 1
        path = settings.home / "cache" / "answers.sqlite"
        self._answers = Answers(path, settings.model_cache_bytes) if settings.model_cache else None
        self._budget = Budget(settings.model_budget_tokens, settings.model_budget_cost, self.prices)
        self._concurrency_limit = ConcurrencyLimit(self.concurrency)
        self._deduplication = CallDeduplication()
        self._provider = provider
        self._settings = settings
        self._wait = wait
        self._random = Random()  # noqa: S311 - jitter, no secret
        self._lock = Lock()
        self._ever, self._failures, self._begun, self._abreast = False, 0, 0, 0

    def asked(self, system: str, prompt: str, version: str, wanted: ReplyFormat) -> ReplyRequest:
        """The question with all that its answer depends on."""
        parameters = {
            "temperature": wanted.temperature,
            "seed": wanted.seed,
            "tokens": self._settings.model_tokens,
            "answers": self._settings.model_answers,
        }
        return ReplyRequest(
            self.name, self._provider.address, system, version, prompt, json.loads(wanted.schema), parameters
        )

    def once(self, asked: ReplyRequest, answer: Callable[[], Result]) -> tuple[Result, bool]:
        """What answering came to, and whether that is another's equal question; without a cache each is answered."""
        return self._deduplication.once(asked.key, answer) if self._answers else (answer(), False)

    @property
    def keeps(self) -> bool:
        """Whether answers are kept, so that an equal question costs nothing."""
        return self._answers is not None

    def known(self, asked: ReplyRequest, shape: type[Shape]) -> Shape | None:
        """The answer in the cache, read as strictly as a reply; None if there is none that can be read."""
        text = self._answers.get(asked) if self._answers else None
        try:
            return None if text is None else read(text, shape)
        except ReplyError:
            return None

    def keep(self, asked: ReplyRequest, answer: BaseModel, completion_tokens: int) -> None:
        """Put an answer into the cache. Errors, and replies that were not read into their shape, never get here."""
        if self._answers:
            self._answers.put(asked, answer.model_dump_json(), completion_tokens)

    def mean_length(self) -> float | None:
        """Mean tokens of this model's replies in the cache; None where there is none."""
        return self._answers.mean_length(self.name) if self._answers else None

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, spent: Callable[[int, int], None], counted: Count) -> str:
        """One reply, with all tries; see `ChatProvider.say` and `AskingModel.ask` for what is raised."""

        def paid(prompt_tokens: int, completion_tokens: int) -> None:
            self._budget.spend(prompt_tokens, completion_tokens)
            spent(prompt_tokens, completion_tokens)

        with self._budget.call(estimate(*(turn.text for turn in turns))):
            try:
                reply = self._tried(lambda seconds: self._provider.say(turns, wanted, seconds, paid), counted)
            except ReplyError:
                self._met()
                raise
            except (ModelFaltered, ModelTooSlow) as error:
                if self._pardoned():
                    raise CallFailed(error.seen, error.wanted, error.remedy) from None
                raise
        self._met()
        return reply

    def _tried(self, call: Callable[[float], str], counted: Count) -> str:
        """The reply of one of the tries, within the limit on all of them; waiting for a place is not limited."""
        limit, first = self._settings.model_timeout, None
        with ExitStack() as begun:
            for attempt in count(1):
                with self._concurrency_limit.place() as began:
                    if first is None:
                        first = began
                        begun.enter_context(self._under_way())
                    left = limit - (began - first)
                    if left <= 0:
                        raise ModelTooSlow(self.name, limit)
                    counted(**{"calls" if attempt == 1 else "retries": 1})
                    try:
                        return call(min(left, limit * _TRY))
                    except TimeoutError:
                        trouble = ModelFaltered(f"{self.name} is silent", again=True, overload=True)
                        late = True
                    except ModelFaltered as error:
                        trouble, late = error, False
                    finally:
                        counted(seconds=monotonic() - began)
                self._rest(trouble, late, attempt, began, limit - (monotonic() - first))
        raise AssertionError("count() has no end")

    def _rest(self, trouble: ModelFaltered, late: bool, attempt: int, began: float, left: float) -> None:
        """Wait before the next try, or raise if there is to be none."""
        if trouble.overload:
            self._concurrency_limit.narrow(began)
        if attempt == self._settings.model_tries or not trouble.again:
            raise ModelTooSlow(self.name, self._settings.model_timeout) if late else trouble
        jitter = backoff(attempt, self._settings.model_wait) * self._random.uniform(0.5, 1.0)
        if trouble.after is None:
            if jitter >= left:
                raise ModelTooSlow(self.name, self._settings.model_timeout)
            self._wait(jitter)
            return
        if trouble.after >= left:
            raise trouble
        self._concurrency_limit.close_for(trouble.after)
        self._wait(trouble.after + min(jitter, left - trouble.after) / 2)

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """A call with all its tries, from its first place to its end; while it rests, its place is another's."""
        with self._lock:
            self._begun += 1
        try:
            yield
        finally:
            with self._lock:
                self._begun -= 1

    def _met(self) -> None:
        """The model said something."""
        self._concurrency_limit.widen()
        with self._lock:
            self._ever, self._failures, self._abreast = True, 0, 0

    def _pardoned(self) -> bool:
        """Whether a failed call counts as one missing answer, not as a model that is gone.

        Each call that was under way with it speaks for it: a refusal comes faster than an answer that was asked for
        before it, and the last of several that fail together have none left beside them.
        """
        with self._lock:
            self._failures += 1
            self._abreast = max(self._abreast, self._begun)
            return self._ever and self._failures < PATIENCE + self._abreast
