"""Count, add up and estimate the usage of language models."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

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
