"""Count, add up and estimate the usage of language models, and keep it within a budget of tokens or cost."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from groundwork.errors import BudgetSpent
from groundwork.ports.model import NO_USAGE
from groundwork.settings import Settings

#: Counts, cost and seconds by the names of `ports.NO_USAGE`; `cost` is None if a price is unknown.
Usage = Mapping[str, float | None]

#: Number of characters per token in estimates, typical of English prose and today's tokenizers.
CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in the user's currency; None if unknown."""

    prompt: float | None
    completion: float | None

    @classmethod
    def of(cls, settings: Settings) -> "Prices":
        """Return the prices in the settings. The program itself contains no prices, because providers change them."""
        return cls(settings.model_price_prompt, settings.model_price_completion)

    @property
    def known(self) -> bool:
        """Whether both prices are known."""
        return self.prompt is not None and self.completion is not None

    def cost(self, prompt: float, completion: float) -> float | None:
        """Return the cost of a number of tokens; None if a price is unknown."""
        if self.prompt is None or self.completion is None:
            return None
        return (prompt * self.prompt + completion * self.completion) / 1e6


class Tally:
    """Counters of one run, or of one text in it; safe for several threads.

    Args:
        prices: Prices of the tokens.
    """

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._lock = Lock()
        self._counts: dict[str, float] = dict.fromkeys(NO_USAGE.keys() - {"cost", "seconds"}, 0)
        self._seconds = 0.0

    def add(self, *, seconds: float = 0.0, **amounts: int) -> None:
        """Add the amounts to the counters."""
        with self._lock:
            self._seconds += seconds
            for name, amount in amounts.items():
                self._counts[name] += amount

    def usage(self) -> dict[str, float | None]:
        """Return all counters, the cost of the tokens, and the seconds spent waiting for replies."""
        with self._lock:
            counts, seconds = dict(self._counts), self._seconds
        cost = self._prices.cost(counts["prompt_tokens"], counts["completion_tokens"])
        return {name: counts.get(name) for name in NO_USAGE} | {"cost": cost, "seconds": round(seconds, 3)}


def since(now: Usage, before: Usage) -> dict[str, float | None]:
    """Return the usage between an earlier reading of the counters and a later one."""
    return {name: _apply(count, before.get(name, 0), -1) for name, count in now.items()}


def total(usages: Iterable[Usage]) -> dict[str, float | None]:
    """Return the sum of several usages. If the cost of one usage is unknown, the total cost is None."""
    summed: dict[str, float | None] = {}
    for usage in usages:
        summed |= {name: _apply(summed.get(name, 0), count, 1) for name, count in usage.items()}
    return summed


def estimate(*texts: str) -> int:
    """Return an estimate of the number of tokens: characters / 4, rounded up.

    The tokens are not counted, because most models' tokenizers are not installed.
    """
    return -(-sum(map(len, texts)) // CHARACTERS)


def _apply(left: float | None, right: float | None, sign: int) -> float | None:
    if left is None or right is None:
        return None
    exact = isinstance(left, int) and isinstance(right, int)
    return left + sign * right if exact else round(left + sign * right, 9)


class Budget:
    """The budget of one run; safe for several threads.

    A call may start if the tokens spent, the estimated prompt tokens of the calls in progress, and those of the new
    call together stay within the budget. The length of a reply is not known in advance, and the tokens of a prompt are
    only estimated. So the budget can be exceeded, by the replies in progress and by the errors of the estimates.

    Args:
        tokens: Limit of prompt and reply tokens together; None for no limit.
        cost: Limit of cost, in the currency of the prices; None for no limit.
        prices: Token prices; they must be known if there is a cost limit.
    """

    def __init__(self, tokens: int | None, cost: float | None, prices: Prices) -> None:
        self._tokens = tokens
        self._cost = cost
        self._prices = prices
        self._lock = Lock()
        self._prompt = self._completion = self._reserved = 0

    @contextmanager
    def call(self, estimate: int) -> Iterator[None]:
        """Reserve a call's estimated prompt tokens while the call is in progress.

        Raises:
            BudgetSpent: If the call would exceed the budget. The call must then not be sent.
        """
        with self._lock:
            self._check(self._prompt + self._reserved + estimate)
            self._reserved += estimate
        try:
            yield
        finally:
            with self._lock:
                self._reserved -= estimate

    def spend(self, prompt: int, completion: int) -> None:
        """Add the tokens of a reply to the tokens spent."""
        with self._lock:
            self._prompt += prompt
            self._completion += completion

    def _check(self, prompt: int) -> None:
        tokens, cost = prompt + self._completion, self._prices.cost(prompt, self._completion)
        if self._tokens is not None and tokens > self._tokens:
            raise _spent(f"{self._tokens:,} tokens", f"{self._prompt + self._completion:,}", "--budget-tokens")
        if self._cost is not None and cost is not None and cost > self._cost:
            spent = self._prices.cost(self._prompt, self._completion)
            raise _spent(f"a cost of {self._cost:g}", f"{spent:g}", "--budget-cost")


def _spent(limit: str, spent: str, flag: str) -> BudgetSpent:
    return BudgetSpent(
        f"a call was not sent, because it would exceed the budget of {limit} ({spent} spent so far)",
        "a budget that covers all calls",
        f"run the same command with a higher {flag}; questions that were answered are not sent again",
    )
