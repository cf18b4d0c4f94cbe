"""The client through which all calls of one model pass, and the port `LanguageModel` on top of it.

A question passes these stages: cache, budget, concurrency limit, provider with retries, strict reading with one repair
round (`replies`), cache. A failed call counts as one missing answer as long as the model answers other calls. A model
that has never answered, or fails several calls in a row, counts as unreachable.

Cached replies are JSON texts. Unlike pickles, they are safe to read even if another program wrote them. A cached reply
is read as strictly as a reply from the model.

The limit on concurrent calls adapts to what the server can handle. Each call in progress takes one place. The number of
places follows TCP's additive increase and multiplicative decrease (Chiu and Jain 1989): a round of answers adds one
place, and an overload halves the number of places. It starts at the maximum, because the user chose the maximum for
this server.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from threading import Condition, Lock
from time import monotonic, sleep, time
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from groundwork.errors import BudgetSpent, CallFailed, ModelError, ModelFaltered, ModelTooSlow, ReplyError
from groundwork.llm.replies import ChatProvider, ReplyFormat, Turn, Words, converse, read
from groundwork.llm.usage import Budget, Prices, Tally, estimate
from groundwork.ports.model import Accounting, Answer, LanguageModel, Question
from groundwork.ports.progress import Progress, Silent, watched
from groundwork.settings import Settings
from groundwork.sqlite_file import CacheFile
from groundwork.threads import backoff, map_in_order

_FORMAT = 1
_COLUMNS = """
    key TEXT PRIMARY KEY, reply TEXT NOT NULL, used REAL NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReplyRequest:
    """A question with all values on which its answer depends.

    Attributes:
        model: `provider:NAME`.
        address: Address of the server; empty for the provider's own server.
        system: Text of the system prompt.
        version: Version of the system prompt as its file states it; may be empty.
        prompt: The question with its evidence.
        schema: JSON schema of the answer.
        parameters: Temperature, seed, token limit, and how the shape of the answer is requested.
    """

    model: str
    address: str
    system: str
    version: str
    prompt: str
    schema: dict[str, Any]
    parameters: dict[str, Any]

    @property
    def key(self) -> str:
        """The cache key: SHA-256 in hexadecimal, equal for equal questions. The question itself is not stored."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        text = json.dumps([_FORMAT, parts], sort_keys=True, ensure_ascii=False)
        return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


class Answers:
    """Cached replies by question.

    Args:
        path: The cache file. It is created, with its folder, when the first reply is stored.
        bound: Maximum size of the file in bytes.
    """

    def __init__(self, path: Path, bound: int) -> None:
        self.path = path
        self._file = CacheFile(path, "replies", _COLUMNS, bound)

    def get(self, asked: ReplyRequest) -> str | None:
        """Return the cached reply to a question, or None."""

        def look(database: sqlite3.Connection) -> str | None:
            row = database.execute("SELECT reply FROM replies WHERE key = ?", (asked.key,)).fetchone()
            if row is not None:
                database.execute("UPDATE replies SET used = ? WHERE key = ?", (time(), asked.key))
            return row and str(row[0])

        return self._file.read(look)

    def put(self, asked: ReplyRequest, reply: str) -> None:
        """Store a reply. The caller must have checked that the reply has the requested shape."""
        row = (asked.key, reply, time())
        self._file.write(
            lambda base: base.execute("INSERT OR REPLACE INTO replies (key, reply, used) VALUES (?, ?, ?)", row)
        )


class ConcurrencyLimit:
    """A limited number of places for calls; safe for several threads.

    A place that becomes free wakes only the first waiting thread, because the time for waking all of them would grow
    with their number.

    Args:
        most: Maximum number of concurrent calls, >= 1.
        clock: Returns the time in seconds; replaced in tests.
    """

    def __init__(self, most: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = most
        self._clock = clock
        self._free = Condition()
        self._width = float(most)
        self._under_way = 0
        self._opens = self._cut = float("-inf")

    @property
    def width(self) -> int:
        """Number of calls that may currently be in progress."""
        return int(self._width)

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for a place and hold it inside the block. Yield the time at which the place was taken."""
        with self._free:
            while self._under_way >= self.width or self._clock() < self._opens:
                pause = self._opens - self._clock()
                self._free.wait(pause if pause > 0 else None)
            self._under_way += 1
            began = self._clock()
        try:
            yield began
        finally:
            with self._free:
                self._under_way -= 1
                self._free.notify()

    def widen(self) -> None:
        """Count an answered call. After as many answered calls as there are places, one place is added."""
        with self._free:
            before = self.width
            self._width = min(self._most, self._width + 1 / self._width)
            self._free.notify(self.width - before)

    def narrow(self, began: float) -> None:
        """Halve the number of places after an overload, but only once for calls that were in progress together.

        Args:
            began: The time at which the call that met the overload took its place.
        """
        with self._free:
            if began >= self._cut:
                self._width = max(1.0, self._width / 2)
                self._cut = self._clock()

    def close_for(self, seconds: float) -> None:
        """Start no new call for some seconds, because the server asked to wait."""
        with self._free:
            self._opens = max(self._opens, self._clock() + seconds)
            self._free.notify_all()


#: Stage and unit that a progress display shows for questions.
ASKING = ("asking", "questions")


def answers(model: LanguageModel, questions: Sequence[Question], progress: Progress | None = None) -> list[Answer]:
    """Return the answers of any model: concurrently if it is an `Accounting` model, else one after the other.

    Args:
        model: The model.
        questions: The questions.
        progress: Notified of each answer; None for no notification.

    Raises:
        ModelUnreachable, ModelTooSlow: If the model is unreachable or too slow; see `LanguageModel.ask`.
    """
    seen = progress or Silent()
    if isinstance(model, Accounting):
        return model.ask_all(questions, seen)
    return [answer(model, question) for question in watched(questions, seen, *ASKING)]


def answer(model: LanguageModel, question: Question) -> Answer:
    """Return one answer, or the `ReplyError` if there is no usable answer.

    Other errors of `LanguageModel.ask` are raised.
    """
    try:
        return model.ask(question.system, question.prompt, question.shape, version=question.version)
    except ReplyError as error:
        return error


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
