"""The client through which all calls of one model pass: cache, budget, concurrency limit, retries, availability."""

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
from groundwork.llm.chat_provider import ChatProvider, ReplyFormat
from groundwork.llm.concurrency_limit import ConcurrencyLimit
from groundwork.llm.replies import Turn, Words, read
from groundwork.llm.usage import Prices, estimate
from groundwork.retry import backoff
from groundwork.settings import Settings

Result = TypeVar("Result")
Shape = TypeVar("Shape", bound=BaseModel)

#: A model that has answered before counts as unreachable after this many failed calls in a row, plus the number of
#: other calls in progress (see `ModelClient._is_pardoned`).
PATIENCE = 3
#: Largest share of a call's time limit that one attempt may use, so that a hanging call leaves time for another.
_TRY = 2 / 3


class Count(Protocol):
    """A function that adds to the counters of a `usage.Tally`. Each keyword names a counter."""

    def __call__(self, *, seconds: float = 0.0, **amounts: int) -> None:
        """Add the amounts to the counters."""


class ModelClient:
    """The client of a chat provider, shared by all callers; safe for several threads.

    Args:
        provider: The model that answers.
        settings: Limits, retries and cache.
        wait: Function that sleeps for a number of seconds; replaced in tests.
    """

    def __init__(self, provider: ChatProvider, settings: Settings, wait: Callable[[float], None] = sleep) -> None:
        self.name = provider.name
        self.prices = Prices.of(settings)
        self.concurrency = settings.model_concurrency if provider.remote else 1
        path = settings.home / "cache" / "answers.sqlite"
        self._answers = Answers(path, settings.model_cache_bytes) if settings.model_cache else None
        self._budget = Budget(settings.model_budget_tokens, settings.model_budget_cost, self.prices)
        self._concurrency_limit = ConcurrencyLimit(self.concurrency)
        self._provider = provider
        self._settings = settings
        self._wait = wait
        self._random = Random()  # noqa: S311 - used for jitter, not for secrets
        self._lock = Lock()
        self._ever, self._failures, self._begun, self._abreast = False, 0, 0, 0

    def asked(self, system: str, prompt: str, version: str, wanted: ReplyFormat) -> ReplyRequest:
        """Return the question with all values on which its answer depends."""
        parameters = {
            "temperature": wanted.temperature,
            "seed": wanted.seed,
            "tokens": self._settings.model_tokens,
            "answers": self._settings.model_answers,
        }
        return ReplyRequest(
            self.name, self._provider.address, system, version, prompt, json.loads(wanted.schema), parameters
        )

    def known(self, asked: ReplyRequest, shape: type[Shape]) -> Shape | None:
        """Return the cached answer, read as strictly as a reply; None if no readable answer is cached."""
        text = self._answers.get(asked) if self._answers else None
        try:
            return None if text is None else read(text, shape)
        except ReplyError:
            return None

    def keep(self, asked: ReplyRequest, answer: BaseModel) -> None:
        """Store an answer in the cache. Errors, and replies that do not have the shape, are never stored."""
        if self._answers:
            self._answers.put(asked, answer.text if isinstance(answer, Words) else answer.model_dump_json())

    def say(self, turns: Sequence[Turn], wanted: ReplyFormat, spent: Callable[[int, int], None], counted: Count) -> str:
        """Return one reply, retrying if needed; see `ChatProvider.say` and `AskingModel.ask` for the errors."""

        def paid(prompt_tokens: int, completion_tokens: int) -> None:
            self._budget.spend(prompt_tokens, completion_tokens)
            spent(prompt_tokens, completion_tokens)

        with self._budget.call(estimate(*(turn.text for turn in turns))):
            try:
                reply = self._reply_with_retries(
                    lambda seconds: self._provider.say(turns, wanted, seconds, paid), counted
                )
            except ReplyError:
                self._record_answer()
                raise
            except (ModelFaltered, ModelTooSlow) as error:
                if self._is_pardoned():
                    raise CallFailed(error.seen, error.wanted, error.remedy) from None
                raise
        self._record_answer()
        return reply

    def _reply_with_retries(self, call: Callable[[float], str], counted: Count) -> str:
        """Return the reply of the first successful attempt. The time limit starts when the first attempt may begin."""
        limit, first = self._settings.model_timeout, None
        with ExitStack() as begun:
            for attempt in count(1):
                with self._concurrency_limit.place() as began:
                    if first is None:
                        first = began
                        begun.enter_context(self._in_progress())
                    left = limit - (began - first)
                    if left <= 0:
                        raise ModelTooSlow(self.name, limit)
                    counted(**{"calls" if attempt == 1 else "retries": 1})
                    try:
                        return call(min(left, limit * _TRY))
                    except TimeoutError:
                        trouble = ModelFaltered(f"{self.name} did not answer in time", again=True, overload=True)
                        late = True
                    except ModelFaltered as error:
                        trouble, late = error, False
                    finally:
                        counted(seconds=monotonic() - began)
                self._wait_or_raise(trouble, late, attempt, began, limit - (monotonic() - first))
        raise AssertionError("count() has no end")

    def _wait_or_raise(self, trouble: ModelFaltered, late: bool, attempt: int, began: float, left: float) -> None:
        """Wait before the next attempt, or raise the error if there will be no next attempt.

        Args:
            trouble: The error of the last attempt.
            late: Whether the last attempt ran out of time.
            attempt: Number of attempts so far.
            began: The time at which the last attempt began.
            left: Number of seconds left for the whole call.
        """
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
    def _in_progress(self) -> Iterator[None]:
        """Count a call as in progress from its first attempt to its end, including the pauses between attempts."""
        with self._lock:
            self._begun += 1
        try:
            yield
        finally:
            with self._lock:
                self._begun -= 1

    def _record_answer(self) -> None:
        """Record that the model answered: the concurrency limit may grow, and the count of failures starts again."""
        self._concurrency_limit.widen()
        with self._lock:
            self._ever, self._failures, self._abreast = True, 0, 0

    def _is_pardoned(self) -> bool:
        """Return whether a failed call counts as one missing answer, so that the model still counts as reachable.

        A failed call is pardoned if the model has ever answered and fewer than PATIENCE + n calls have failed since
        the last answer. n is the largest number of other calls that were in progress when one of these calls failed.
        It is added because the errors of concurrent calls may arrive before the answer to an earlier call.
        """
        with self._lock:
            self._failures += 1
            self._abreast = max(self._abreast, self._begun)
            return self._ever and self._failures < PATIENCE + self._abreast
